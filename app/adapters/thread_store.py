"""Conversations as people saw them: threads, finished turns, feedback and handoffs. Every row belongs to its owner.

Nothing here is found by its id alone: each question names the owner, and another's row is as good as none.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, Row, and_, delete, insert, select, update

from app.adapters.database import Database
from app.adapters.proposal_store import made_by
from app.adapters.tables import approvals, feedback, handoffs, proposals, threads, turn_details, turns
from app.adapters.turn_writing import TurnWriting, call_rows, detail_row
from app.errors import NotFound
from app.messages import worded

TITLE_CHARS = 60
_ALIKE = 20


@dataclass(frozen=True)
class Thread:
    """One conversation of one owner. Times are UTC."""

    thread_id: str
    title: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class TurnDetail:
    """What a turn is found by, and what only staff see of it (`shown`: personal data masked).

    `words` is question and answer without spaces and signs, `initials` the question's first consonants, `took_ms` what
    the whole turn took, `first_ms` what passed until its first sentence (None: there was none). `stops` names between
    blanks the guards that stopped something and what became of it.
    """

    role: str
    customer_id: str | None
    took_ms: float
    first_ms: float | None
    words: str
    initials: str
    shown: dict[str, Any]
    stops: str = ""


@dataclass(frozen=True)
class Turn:
    """One finished turn: the question (personal data masked) and the whole reply."""

    run_id: str
    owner: str
    thread_id: str
    query: str
    reply: dict[str, Any]
    message_id: str | None = None
    created_at: datetime | None = None
    detail: TurnDetail | None = None


@dataclass(frozen=True)
class Handoff:
    """A conversation handed to a person. `contact` is encrypted here; the caller holds the cipher."""

    handoff_id: str
    owner: str
    thread_id: str
    note: str
    contact: str | None
    status: str
    created_at: datetime
    taken_by: str | None = None
    changed_at: datetime | None = None


class ThreadStore:
    """Threads and what hangs on them, on the service database."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._writing = TurnWriting(database.dialect)

    async def record(self, turn: Turn) -> None:
        """Save a finished turn; a turn that goes on after an approval replaces what was saved of it."""
        now = datetime.now(UTC)
        owner, thread_id = turn.owner, turn.thread_id
        thread = {"owner": owner, "thread_id": thread_id, "title": turn.query[:TITLE_CHARS], "created_at": now}
        kept = {
            "run_id": turn.run_id,
            "owner": owner,
            "thread_id": thread_id,
            "message_id": turn.message_id,
            "query": turn.query,
            "reply": turn.reply,
            "replaced": False,
            "created_at": now,
        }
        detail = {**detail_row(turn.reply), **turn.detail.__dict__} if turn.detail is not None else None
        calls = call_rows(turn.run_id, turn.reply, now)

        def write(connection: Connection) -> None:
            # The thread's row is locked from here on: two writers cannot take the same number.
            self._writing.thread(connection, {**thread, "updated_at": now})
            self._writing.turn(connection, kept)
            if detail is not None:
                self._writing.detail(connection, {"run_id": turn.run_id, "created_at": now, **detail})
            if calls:
                self._writing.calls(connection, turn.run_id, calls)

        await self._database.write(write)

    async def search(self, owner: str, words: str, starts: str, *, limit: int) -> tuple[tuple[Thread, str], ...]:
        """The owner's threads in which something was said that holds `words` (no spaces or signs), or asked that holds
        the first consonants `starts`; each with its newest such question, the one used last first."""
        found = turn_details.c.words.contains(words, autoescape=True)
        if starts:
            found = found | turn_details.c.initials.contains(starts, autoescape=True)
        place = (threads.c.owner == turns.c.owner) & (threads.c.thread_id == turns.c.thread_id)
        said = (
            select(threads, turns.c.query)
            .join_from(turns, turn_details, turn_details.c.run_id == turns.c.run_id)
            .join(threads, place)
            .where(turns.c.owner == owner, turns.c.replaced.is_(False), found)
            .order_by(threads.c.updated_at.desc(), turns.c.number.desc())
            .limit(limit * _ALIKE)
        )
        rows = await self._database.rows(said)
        newest: dict[str, tuple[Thread, str]] = {}
        for row in rows:
            newest.setdefault(row.thread_id, (_thread(row), row.query))
        return tuple(newest.values())[:limit]

    async def shown(self, owner: str, thread_id: str) -> dict[str, dict[str, Any]]:
        """By run id: the rating that the owner gave (`rating`), and what staff see of the turn (`shown`)."""
        query = (
            select(turns.c.run_id, feedback.c.rating, turn_details.c.shown)
            .outerjoin(feedback, feedback.c.run_id == turns.c.run_id)
            .outerjoin(turn_details, turn_details.c.run_id == turns.c.run_id)
            .where(turns.c.owner == owner, turns.c.thread_id == thread_id)
        )
        rows = await self._database.rows(query)
        return {row.run_id: {"rating": row.rating, "shown": row.shown or {}} for row in rows}

    async def list(self, owner: str, *, limit: int, before: datetime | None = None) -> tuple[Thread, ...]:
        """The owner's threads, the one used last first; with `before` those used earlier."""
        query = select(threads).where(threads.c.owner == owner).order_by(threads.c.updated_at.desc()).limit(limit)
        if before is not None:
            query = query.where(threads.c.updated_at < before)
        return tuple(_thread(row) for row in await self._database.rows(query))

    async def thread(self, owner: str, thread_id: str) -> tuple[Thread, tuple[Turn, ...]]:
        """A thread with its turns in order; those asked again with other facts are left out. Raises NotFound."""
        query = select(turns).where(turns.c.owner == owner, turns.c.thread_id == thread_id, turns.c.replaced.is_(False))
        async with self._database.reading() as connection:
            row = (
                await connection.execute(
                    select(threads).where(threads.c.owner == owner, threads.c.thread_id == thread_id)
                )
            ).first()
            if row is None:
                raise _no_thread(thread_id)
            rows = await connection.execute(query.order_by(turns.c.number))
            return _thread(row), tuple(_turn(item) for item in rows)

    async def rename(self, owner: str, thread_id: str, title: str) -> Thread:
        """Give a thread another title. Raises NotFound."""
        place = and_(threads.c.owner == owner, threads.c.thread_id == thread_id)
        async with self._database.writing() as connection:
            changed = await connection.execute(update(threads).where(place).values(title=title))
            if not changed.rowcount:
                raise _no_thread(thread_id)
            return _thread((await connection.execute(select(threads).where(place))).one())

    async def delete(self, owner: str, thread_id: str) -> None:
        """Delete a thread with its turns, feedback and handoffs. Raises NotFound."""
        place = and_(threads.c.owner == owner, threads.c.thread_id == thread_id)
        async with self._database.writing() as connection:
            if not (await connection.execute(delete(threads).where(place))).rowcount:
                raise _no_thread(thread_id)
            made_here = (proposals.c.owner == owner, proposals.c.thread_id == thread_id)
            await connection.execute(delete(proposals).where(*made_here, proposals.c.customer_id.is_(None)))
        await self._database.forget_old_pages()

    async def turn(self, owner: str, run_id: str) -> Turn:
        """A finished turn. Raises NotFound."""
        query = select(turns).where(turns.c.owner == owner, turns.c.run_id == run_id)
        row = await self._database.row(query)
        if row is None:
            raise NotFound(worded("thread_store.no_answer", run_id=run_id))
        return _turn(row)

    async def turn_of_message(self, owner: str, message_id: str) -> Turn | None:
        """The turn that a message of the owner led to, if it was finished."""
        query = select(turns).where(turns.c.owner == owner, turns.c.message_id == message_id)
        row = await self._database.read(lambda connection: connection.execute(query).first())
        return _turn(row) if row is not None else None

    async def thread_where(self, owner: str, query: str, answer: str) -> str | None:
        """The owner's thread in which this question (masked, as it is kept) was last answered so; None without one."""
        asked = select(turns).where(turns.c.owner == owner, turns.c.query == query)
        rows = await self._database.rows(asked.order_by(turns.c.created_at.desc()).limit(_ALIKE))
        return next((row.thread_id for row in rows if row.reply.get("answer", "").strip() == answer.strip()), None)

    async def mark_replaced(self, owner: str, run_id: str) -> None:
        """A turn was asked again: it no longer shows."""
        place = and_(turns.c.owner == owner, turns.c.run_id == run_id)
        await self._database.change(update(turns).where(place).values(replaced=True))

    async def save_feedback(self, owner: str, run_id: str, rating: str, reason: str, comment: str) -> None:
        """Keep the owner's opinion of a turn, in place of an earlier one. Raises NotFound."""
        await self.turn(owner, run_id)
        values = {"rating": rating, "reason": reason, "comment": comment, "created_at": datetime.now(UTC)}
        async with self._database.writing() as connection:
            changed = await connection.execute(update(feedback).where(feedback.c.run_id == run_id).values(values))
            if not changed.rowcount:
                await connection.execute(insert(feedback).values({**values, "run_id": run_id, "owner": owner}))

    async def feedback(self, *, limit: int) -> tuple[Mapping[str, Any], ...]:
        """Everybody's newest opinions with the question they are about, without their owners."""
        query = (
            select(
                feedback.c.run_id,
                feedback.c.rating,
                feedback.c.reason,
                feedback.c.comment,
                feedback.c.created_at,
                turns.c.query,
            )
            .join(turns, turns.c.run_id == feedback.c.run_id)
            .order_by(feedback.c.created_at.desc())
            .limit(limit)
        )
        return tuple(dict(row._mapping) for row in await self._database.rows(query))

    async def add_handoff(self, owner: str, thread_id: str, note: str, seal: Any) -> Handoff:
        """Hand a thread to a person. `seal(id)` answers the encrypted contact or None. Raises NotFound."""
        handoff_id = f"H{secrets.token_hex(6).upper()}"
        values = {
            "handoff_id": handoff_id,
            "owner": owner,
            "thread_id": thread_id,
            "note": note,
            "contact": seal(handoff_id),
            "status": "접수",
            "created_at": datetime.now(UTC),
        }
        await self.thread(owner, thread_id)
        await self._database.change(insert(handoffs).values(values))
        return Handoff(**values)

    async def handoffs(self, *, limit: int) -> tuple[Handoff, ...]:
        """The newest handoffs of everybody, for staff."""
        query = select(handoffs).order_by(handoffs.c.created_at.desc()).limit(limit)
        rows = await self._database.rows(query)
        return tuple(Handoff(**row._mapping) for row in rows)

    async def forget_owner(self, owner: str) -> int:
        """Delete everything that hangs on an owner's threads, their proposals, and the requests for approval that were
        not carried out (those that were are the record of a contract's change); answers how many threads that were."""
        async with self._database.writing() as connection:
            unused = (approvals.c.owner == owner, approvals.c.used_at.is_(None))
            await connection.execute(delete(approvals).where(*unused))
            await connection.execute(delete(feedback).where(feedback.c.owner == owner))
            await connection.execute(delete(handoffs).where(handoffs.c.owner == owner))
            await connection.execute(delete(turns).where(turns.c.owner == owner))
            await connection.execute(delete(proposals).where(*made_by(owner)))
            gone = (await connection.execute(delete(threads).where(threads.c.owner == owner))).rowcount
        await self._database.forget_old_pages()
        return gone

    async def old(self, before: datetime) -> Sequence[tuple[str, str]]:
        """Owner and id of the threads that were last used before."""
        query = select(threads.c.owner, threads.c.thread_id).where(threads.c.updated_at < before)
        return [(row.owner, row.thread_id) for row in await self._database.rows(query)]


def _no_thread(thread_id: str) -> NotFound:
    return NotFound(worded("thread_store.no_thread", thread_id=thread_id))


def _thread(row: Row[Any]) -> Thread:
    return Thread(row.thread_id, row.title, row.created_at, row.updated_at)


def _turn(row: Row[Any]) -> Turn:
    return Turn(row.run_id, row.owner, row.thread_id, row.query, row.reply, row.message_id, row.created_at)
