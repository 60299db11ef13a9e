"""What several workers must agree on and what must outlive a Redis: in the service database."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import delete, func, insert, select, update
from sqlalchemy.dialects.postgresql import insert as postgres_insert
from sqlalchemy.dialects.sqlite import insert as sqlite_insert

from app.adapters.database import Database
from app.adapters.tables import ended_sessions, message_claims, tool_changes
from app.errors import Conflict
from app.messages import worded

Kind = Literal["reload", "remove", "card", "source", "knowledge", "documents", "switch", "guard"]
_CHANGING = 7_203_513
_CLAIMS_KEPT = timedelta(days=1)


@dataclass(frozen=True)
class Change:
    """One change of the tool set. `version` rises by one from 1."""

    version: int
    kind: Kind
    name: str
    details: dict[str, Any]


class ChangeLog:
    """The changes in their order. Only one worker changes at a time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self) -> int:
        """The version in force; 0 before the first change."""
        return await self._database.value(select(func.max(tool_changes.c.version))) or 0

    async def since(self, version: int) -> tuple[Change, ...]:
        """The changes after a version, in order."""
        query = select(tool_changes).where(tool_changes.c.version > version).order_by(tool_changes.c.version)
        rows = await self._database.rows(query)
        return tuple(Change(row.version, row.kind, row.name, row.details) for row in rows)

    async def add(self, change: Change, author: str, worker: str) -> None:
        """Write a change down; call it inside `alone`."""
        values = {
            "version": change.version, "kind": change.kind, "name": change.name, "details": change.details,
            "author": author, "worker": worker, "at": datetime.now(UTC),
        }  # fmt: skip
        await self._database.change(insert(tool_changes).values(values))

    @asynccontextmanager
    async def alone(self, wait_s: float) -> AsyncIterator[None]:
        """Held while this worker changes the set. Raises Conflict when another one does for longer than `wait_s`."""
        async with self._database.holding(_CHANGING, wait_s) as held:
            if not held:
                raise Conflict(worded("shared_store.others_changing"))
            yield


class MessageClaims:
    """Which run a message began."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def claim(self, owner: str, message_id: str, run_id: str) -> tuple[str, datetime]:
        """The run of this message, `run_id` itself where it is the first, and when it was claimed."""
        values = {"owner": owner, "message_id": message_id, "run_id": run_id, "at": datetime.now(UTC)}
        into = sqlite_insert if self._database.dialect == "sqlite" else postgres_insert
        mine = (message_claims.c.owner == owner, message_claims.c.message_id == message_id)
        async with self._database.writing() as connection:
            await connection.execute(into(message_claims).values(values).on_conflict_do_nothing())
            row = (await connection.execute(select(message_claims).where(*mine))).one()
        return row.run_id, row.at

    async def take_over(self, owner: str, message_id: str, gone: str, run_id: str) -> bool:
        """Put `run_id` in the place of a run that failed. False when somebody else did."""
        same = (
            message_claims.c.owner == owner, message_claims.c.message_id == message_id, message_claims.c.run_id == gone
        )  # fmt: skip
        values = {"run_id": run_id, "at": datetime.now(UTC)}
        return await self._database.change(update(message_claims).where(*same).values(values)) == 1

    async def forget(self, owner: str) -> None:
        """Drop every claim of an owner."""
        await self._database.change(delete(message_claims).where(message_claims.c.owner == owner))

    async def purge(self) -> None:
        """Drop what is older than a day."""
        old = message_claims.c.at < datetime.now(UTC) - _CLAIMS_KEPT
        await self._database.change(delete(message_claims).where(old))


class EndedSessions:
    """Logins that were ended before their time."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def end(self, token: str, last_s: float) -> None:
        """End a login that would go on for at most `last_s` seconds."""
        values: Mapping[str, Any] = {"digest": _digest(token), "until": datetime.now(UTC) + timedelta(seconds=last_s)}
        into = sqlite_insert if self._database.dialect == "sqlite" else postgres_insert
        await self._database.change(into(ended_sessions).values(values).on_conflict_do_nothing())

    async def ended(self, token: str) -> bool:
        """True when this login was ended."""
        query = select(ended_sessions.c.digest).where(ended_sessions.c.digest == _digest(token))
        return await self._database.row(query) is not None

    async def purge(self) -> None:
        """Drop those that would have ended by themselves."""
        await self._database.change(delete(ended_sessions).where(ended_sessions.c.until < datetime.now(UTC)))


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
