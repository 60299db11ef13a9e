"""Everybody's finished turns for operators: found by what they did, judged, counted. Who may look is checked above."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Row, Select, UnaryExpression, and_, func, insert, or_, select, update

from app.adapters.console_tables import evaluation_cases
from app.adapters.database import Database
from app.adapters.tables import feedback, turn_details, turn_reviews, turns
from app.errors import NotFound
from app.messages import worded

Verdict = Literal["", "right", "wrong"]
Judged = Literal["open", "right", "wrong"]
"""Whether operators found that a guard stopped rightly; open: nobody said."""
SortKey = Literal["created_at", "took_ms", "sources", "role", "rating"]
_BAR = "|"
_FACETED = 5000
"""Tags and tools are gathered from so many of the newest turns."""


@dataclass(frozen=True)
class TurnFilter:
    """Which turns: every condition that is set. Times are UTC, `slow_ms` in ms; `words` without spaces and signs."""

    role: str | None = None
    tool: str | None = None
    engine: str | None = None
    tag: str | None = None
    verdict: Verdict | None = None
    rating: str | None = None
    blocked: bool = False
    replaced_text: bool = False
    stopped: bool = False
    """By either guard: the question refused, or words of the answer replaced."""
    guards: bool = False
    """Whatever any guard stopped, what was read without its orders too."""
    guard: str | None = None
    did: str | None = None
    judged: Judged | None = None
    failed: bool = False
    no_source: bool = False
    slow_ms: float | None = None
    since: datetime | None = None
    until: datetime | None = None
    words: str = ""
    initials: str = ""


@dataclass(frozen=True)
class Review:
    """What was judged of a turn; `answer` is what would have been right."""

    verdict: Verdict
    tags: tuple[str, ...]
    answer: str
    author: str
    updated_at: datetime


@dataclass(frozen=True)
class FoundTurn:
    """A turn with all that is known of it. `rating`, `review` are None where nobody gave one."""

    run_id: str
    owner: str
    thread_id: str
    query: str
    reply: dict[str, Any]
    created_at: datetime
    number: int
    replaced: bool
    role: str
    customer_id: str | None
    engine: str
    took_ms: float
    blocked: bool
    replaced_text: bool
    failed: bool
    sources: int
    tools: tuple[str, ...]
    shown: dict[str, Any]
    rating: str | None
    reason: str | None
    comment: str | None
    review: Review | None


class TurnStore:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(
        self, wanted: TurnFilter, *, sort: SortKey = "created_at", down: bool = True, offset: int = 0, limit: int = 50
    ) -> tuple[tuple[FoundTurn, ...], int]:
        """A page of turns, and how many there are in all."""
        conditions = _conditions(wanted)
        query = _joined().where(*conditions).order_by(_order(sort, down), turns.c.run_id).offset(offset).limit(limit)
        counted = _counting().where(*conditions)
        async with self._database.reading() as connection:
            total = (await connection.execute(counted)).scalar_one()
            return tuple(map(_found, await connection.execute(query))), total

    async def one(self, run_id: str) -> FoundTurn:
        """A turn. Raises NotFound."""
        row = await self._database.row(_joined().where(turns.c.run_id == run_id))
        if row is None:
            raise NotFound(worded("turn_store.not_found", run_id=run_id))
        return _found(row)

    async def thread(self, owner: str, thread_id: str) -> tuple[FoundTurn, ...]:
        """The turns of one conversation in order; those asked again with other facts too."""
        same = turns.c.owner == owner, turns.c.thread_id == thread_id
        return tuple(map(_found, await self._database.rows(_joined().where(*same).order_by(turns.c.number))))

    async def review(
        self, run_id: str, verdict: Verdict, tags: Iterable[str], answer: str, author: str
    ) -> tuple[Review | None, Review]:
        """Judge a turn, in place of what was judged before; both are answered. Raises NotFound."""
        before = (await self.one(run_id)).review
        now = datetime.now(UTC)
        kept = tuple(dict.fromkeys(tag.replace(_BAR, " ").strip() for tag in tags if tag.strip()))
        values = {
            "verdict": verdict,
            "tags": f"{_BAR}{_BAR.join(kept)}{_BAR}" if kept else "",
            "answer": answer,
            "author": author,
            "updated_at": now,
        }
        async with self._database.writing() as connection:
            same = turn_reviews.c.run_id == run_id
            changed = await connection.execute(update(turn_reviews).where(same).values(values))
            if not changed.rowcount:
                await connection.execute(insert(turn_reviews).values({**values, "run_id": run_id}))
        return before, Review(verdict, kept, answer, author, now)

    async def facets(self) -> dict[str, list[str]]:
        """What the newest turns can be filtered by: roles, engines, tools and tags that occur."""
        newest = select(turn_details.c.role, turn_details.c.engine, turn_details.c.tools)
        async with self._database.reading() as connection:
            rows = (await connection.execute(newest.order_by(turn_details.c.created_at.desc()).limit(_FACETED))).all()
            tagged = (await connection.execute(select(turn_reviews.c.tags).limit(_FACETED))).scalars().all()
        return {
            "roles": sorted({row.role for row in rows if row.role}),
            "engines": sorted({row.engine for row in rows if row.engine}),
            "tools": sorted({tool for row in rows for tool in row.tools.split()}),
            "tags": sorted({tag for tags in tagged for tag in _tags(tags)}),
        }


def _joined() -> Select[Any]:
    return (
        select(
            turns,
            *(column for column in turn_details.c if column.name not in ("run_id", "created_at")),
            feedback.c.rating,
            feedback.c.reason,
            feedback.c.comment,
            turn_reviews.c.verdict,
            turn_reviews.c.tags,
            turn_reviews.c.answer.label("right_answer"),
            turn_reviews.c.author,
            turn_reviews.c.updated_at,
        )
        .join(turn_details, turn_details.c.run_id == turns.c.run_id)
        .outerjoin(feedback, feedback.c.run_id == turns.c.run_id)
        .outerjoin(turn_reviews, turn_reviews.c.run_id == turns.c.run_id)
    )


def _counting() -> Select[Any]:
    return (
        select(func.count())
        .select_from(turn_details)
        .outerjoin(feedback, feedback.c.run_id == turn_details.c.run_id)
        .outerjoin(turn_reviews, turn_reviews.c.run_id == turn_details.c.run_id)
    )


def _conditions(wanted: TurnFilter) -> list[ColumnElement[bool]]:
    detail = turn_details.c
    found: list[ColumnElement[bool]] = []
    for column, value in (
        (detail.role, wanted.role),
        (detail.engine, wanted.engine),
        (feedback.c.rating, wanted.rating),
    ):
        if value:
            found.append(column == value)
    if wanted.tool:
        found.append(detail.tools.contains(f" {wanted.tool} ", autoescape=True))
    if wanted.tag:
        found.append(turn_reviews.c.tags.contains(f"{_BAR}{wanted.tag}{_BAR}", autoescape=True))
    if wanted.verdict is not None:
        found.append(turn_reviews.c.verdict == wanted.verdict)
    flags = (
        (detail.blocked, wanted.blocked),
        (detail.replaced_text, wanted.replaced_text),
        (detail.failed, wanted.failed),
    )
    found += [column.is_(True) for column, on in flags if on]
    if wanted.stopped:
        found.append(or_(detail.blocked.is_(True), detail.replaced_text.is_(True)))
    found += _stopping(wanted)
    if wanted.no_source:
        found.append(and_(detail.sources == 0, detail.blocked.is_(False)))
    if wanted.slow_ms is not None:
        found.append(detail.took_ms >= wanted.slow_ms)
    if wanted.since is not None:
        found.append(detail.created_at >= wanted.since)
    if wanted.until is not None:
        found.append(detail.created_at < wanted.until)
    if wanted.words:
        words = detail.words.contains(wanted.words, autoescape=True)
        starts = detail.initials.contains(wanted.initials, autoescape=True) if wanted.initials else None
        found.append(words if starts is None else or_(words, starts))
    return found


def _stopping(wanted: TurnFilter) -> list[ColumnElement[bool]]:
    """What was stopped, and what was judged of that."""
    found: list[ColumnElement[bool]] = [turn_details.c.stops != ""] if wanted.guards else []
    words = (word for word in (wanted.guard, wanted.did) if word)
    found += [turn_details.c.stops.contains(f" {word} ", autoescape=True) for word in words]
    if wanted.judged is not None:
        of_turn = evaluation_cases.c.source_run_id == turn_details.c.run_id, evaluation_cases.c.place.is_not(None)
        judged = select(evaluation_cases.c.case_id).where(evaluation_cases.c.kind == "guard", *of_turn)
        label = {"right": "stop", "wrong": "pass"}.get(wanted.judged)
        found.append(judged.where(evaluation_cases.c.label == label).exists() if label else ~judged.exists())
    return found


def _order(sort: SortKey, down: bool) -> UnaryExpression[Any]:
    columns: Mapping[SortKey, ColumnElement[Any]] = {
        "created_at": turn_details.c.created_at,
        "took_ms": turn_details.c.took_ms,
        "sources": turn_details.c.sources,
        "role": turn_details.c.role,
        "rating": func.coalesce(feedback.c.rating, ""),
    }
    return columns[sort].desc() if down else columns[sort].asc()


def _found(row: Row[Any]) -> FoundTurn:
    return FoundTurn(
        run_id=row.run_id, owner=row.owner, thread_id=row.thread_id, query=row.query, reply=row.reply,
        created_at=row.created_at, number=row.number, replaced=row.replaced, role=row.role,
        customer_id=row.customer_id, engine=row.engine, took_ms=row.took_ms, blocked=row.blocked,
        replaced_text=row.replaced_text, failed=row.failed, sources=row.sources, tools=tuple(row.tools.split()),
        shown=row.shown, rating=row.rating, reason=row.reason, comment=row.comment,
        review=_review(row) if row.verdict is not None else None,
    )  # fmt: skip


def _review(row: Row[Any]) -> Review:
    return Review(row.verdict, _tags(row.tags), row.right_answer, row.author, row.updated_at)


def _tags(text: str) -> tuple[str, ...]:
    return tuple(tag for tag in text.split(_BAR) if tag)
