"""What finished turns and their tool calls add up to, reckoned by the database: the same for every worker, and after a
restart. Times are ms, cost US dollars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import BigInteger, Column, ColumnElement, case, cast, extract, func, select

from app.adapters.database import Database
from app.adapters.tables import approvals, feedback, handoffs, tool_calls, turn_details, turns


@dataclass(frozen=True)
class Span:
    """From `start` on for `parts` times `step`; `start` is UTC."""

    start: datetime
    step: timedelta
    parts: int

    @property
    def end(self) -> datetime:
        """Where it ends; what happens then is not in it."""
        return self.start + self.step * self.parts


@dataclass(frozen=True)
class Middle:
    """Of sorted values the one in the middle and the one that 95 of 100 do not pass; None where there are none."""

    p50: float | None = None
    p95: float | None = None


@dataclass(frozen=True)
class TurnSums:
    """What the turns of a span come to. `cost_usd` is None where no turn's cost is known."""

    turns: int
    people: int
    blocked: int
    replaced_text: int
    failed: int
    down: int
    up: int
    tokens: int
    cost_usd: float | None
    took: Middle
    first: Middle


@dataclass(frozen=True)
class Part:
    """One step of a span, from its start (UTC)."""

    start: datetime
    turns: int
    blocked: int
    failed: int
    took: Middle


@dataclass(frozen=True)
class ToolSums:
    """What a tool was called for in conversations."""

    tool: str
    calls: int
    errors: int
    took: Middle
    last: datetime | None


class TurnFigures:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def sums(self, span: Span) -> TurnSums:
        """The turns of a span."""
        held = _within(turn_details.c.created_at, span)
        columns = turn_details.c
        counted = select(
            func.count().label("turns"),
            func.count(func.distinct(turns.c.owner)).label("people"),
            *(func.coalesce(func.sum(_one(columns[name])), 0).label(name) for name in _FLAGS),
            func.coalesce(func.sum(_one(feedback.c.rating == "down")), 0).label("down"),
            func.coalesce(func.sum(_one(feedback.c.rating == "up")), 0).label("up"),
            func.coalesce(func.sum(columns.tokens), 0).label("tokens"),
            func.sum(columns.cost_usd).label("cost_usd"),
        ).select_from(
            turn_details.join(turns, turns.c.run_id == columns.run_id).outerjoin(
                feedback, feedback.c.run_id == columns.run_id
            )
        )
        async with self._database.reading() as connection:
            row = (await connection.execute(counted.where(*held))).one()
            middles = [
                (await connection.execute(_middles(column, held, ()))).first()
                for column in (columns.took_ms, columns.first_ms)
            ]
        return TurnSums(**row._mapping, took=_middle(middles[0]), first=_middle(middles[1]))

    async def waiting(self) -> dict[str, int]:
        """What waits for a person now: `approvals` to decide, `handoffs` that nobody took."""
        asked = (approvals.c.status == "pending", approvals.c.expires_at > datetime.now(UTC))
        async with self._database.reading() as connection:
            return {
                "approvals": (await connection.execute(select(func.count()).where(*asked))).scalar_one(),
                "handoffs": (
                    await connection.execute(select(func.count()).where(handoffs.c.status == "접수"))
                ).scalar_one(),
            }

    async def engines(self, span: Span) -> tuple[dict[str, Any], ...]:
        """By engine, the busiest first: turns, tokens and cost_usd."""
        columns = turn_details.c
        query = (
            select(
                columns.engine,
                func.count().label("turns"),
                func.coalesce(func.sum(columns.tokens), 0).label("tokens"),
                func.sum(columns.cost_usd).label("cost_usd"),
            )
            .where(*_within(columns.created_at, span))
            .group_by(columns.engine)
            .order_by(func.count().desc(), columns.engine)
        )
        return tuple(dict(row._mapping) for row in await self._database.rows(query))

    async def cost_since(self, moment: datetime) -> float:
        """What the turns since then have cost, as far as it is known."""
        query = select(func.coalesce(func.sum(turn_details.c.cost_usd), 0.0)).where(
            turn_details.c.created_at >= moment.astimezone(UTC)
        )
        return float(await self._database.value(query))

    async def series(self, span: Span) -> tuple[Part, ...]:
        """Every step of the span, those without turns too."""
        columns = turn_details.c
        place = self._place(columns.created_at, span)
        held = _within(columns.created_at, span)
        counted = select(
            place, func.count().label("turns"), *(func.sum(_one(columns[name])).label(name) for name in _FLAGS)
        )
        async with self._database.reading() as connection:
            counts = {row.place: row for row in await connection.execute(counted.where(*held).group_by(place))}
            middles = await connection.execute(_middles(columns.took_ms, held, (place,)))
            took = {row.place: _middle(row) for row in middles}
        found = []
        for number in range(span.parts):
            row = counts.get(number)
            turned, blocked, failed = (row.turns, row.blocked, row.failed) if row is not None else (0, 0, 0)
            found.append(Part(span.start + span.step * number, turned, blocked, failed, took.get(number, Middle())))
        return tuple(found)

    async def calls(self, span: Span) -> dict[str, int]:
        """The tool calls of a span: `calls`, and the `errors` among them."""
        columns = tool_calls.c
        query = select(
            func.count().label("calls"), func.coalesce(func.sum(_one(columns.status == "error")), 0).label("errors")
        ).where(*_within(columns.created_at, span))
        async with self._database.reading() as connection:
            return dict((await connection.execute(query)).one()._mapping)

    async def tools(self, since: datetime) -> dict[str, ToolSums]:
        """By name, every tool that was called since then."""
        columns = tool_calls.c
        held = (columns.created_at >= since,)
        counted = select(
            columns.tool,
            func.count().label("calls"),
            func.sum(_one(columns.status == "error")).label("errors"),
            func.max(columns.created_at).label("last"),
        )
        async with self._database.reading() as connection:
            rows = (await connection.execute(counted.where(*held).group_by(columns.tool))).all()
            middles = await connection.execute(_middles(columns.took_ms, held, (columns.tool,)))
            took = {row.tool: _middle(row) for row in middles}
        return {
            row.tool: ToolSums(row.tool, row.calls, row.errors, took.get(row.tool, Middle()), row.last) for row in rows
        }

    async def tool_series(self, tool: str, span: Span) -> tuple[tuple[datetime, int, int], ...]:
        """Every step of the span with the calls of a tool and those that ended in an error."""
        columns = tool_calls.c
        place = self._place(columns.created_at, span)
        counted = select(place, func.count().label("calls"), func.sum(_one(columns.status == "error")).label("errors"))
        held = (columns.tool == tool, *_within(columns.created_at, span))
        found = {row.place: row for row in await self._database.rows(counted.where(*held).group_by(place))}
        return tuple(
            (span.start + span.step * number, *((row.calls, row.errors) if (row := found.get(number)) else (0, 0)))
            for number in range(span.parts)
        )

    def _place(self, at: Column[Any], span: Span) -> ColumnElement[int]:
        """In which step of the span a time lies, from 0."""
        seconds = func.strftime("%s", at) if self._database.dialect == "sqlite" else func.floor(extract("epoch", at))
        since = cast(seconds, BigInteger) - int(span.start.timestamp())
        return (since // int(span.step.total_seconds())).label("place")


_FLAGS = ("blocked", "replaced_text", "failed")


def _within(at: Column[Any], span: Span) -> tuple[ColumnElement[bool], ...]:
    return at >= span.start, at < span.end


def _one(condition: ColumnElement[bool]) -> ColumnElement[int]:
    return case((condition, 1), else_=0)


def _middles(value: Column[Any], held: Sequence[ColumnElement[bool]], by: Sequence[ColumnElement[Any]]) -> Any:
    """The p50 and p95 of a column, for each group of `by`: the values at these ranks, as they were measured."""
    rank = func.row_number().over(partition_by=by, order_by=value).label("rank")
    size = func.count().over(partition_by=by).label("size")
    ranked = select(*by, value.label("value"), rank, size).where(*held, value.is_not(None)).subquery()
    groups = [ranked.c[column.name] for column in by]
    return select(
        *groups,
        func.max(case((ranked.c.rank == (ranked.c.size * 50 + 99) // 100, ranked.c.value))).label("p50"),
        func.max(case((ranked.c.rank == (ranked.c.size * 95 + 99) // 100, ranked.c.value))).label("p95"),
    ).group_by(*groups)


def _middle(row: Any) -> Middle:
    return Middle() if row is None or row.p50 is None else Middle(round(row.p50, 1), round(row.p95, 1))
