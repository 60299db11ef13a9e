"""Requests to talk to a person, as staff work through them: listed, taken, done."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import select, update

from app.adapters.database import Database
from app.adapters.tables import handoffs
from app.adapters.thread_store import Handoff
from app.errors import Conflict, NotFound
from app.messages import worded

TAKEN = "처리중"


class HandoffStore:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def page(self, statuses: Collection[str], *, offset: int, limit: int) -> tuple[tuple[Handoff, ...], int]:
        """Requests in these states, the one that waits longest first, and how many there are in all."""
        query = (
            select(handoffs)
            .where(handoffs.c.status.in_(statuses))
            .order_by(handoffs.c.created_at, handoffs.c.handoff_id)
        )
        rows, total = await self._database.page(query, offset=offset, limit=limit)
        return tuple(Handoff(**row._mapping) for row in rows), total

    async def get(self, handoff_id: str) -> Handoff:
        """One request. Raises NotFound."""
        row = await self._database.row(select(handoffs).where(handoffs.c.handoff_id == handoff_id))
        if row is None:
            raise NotFound(worded("handoff_store.not_found", handoff_id=handoff_id))
        return Handoff(**row._mapping)

    async def move(self, handoff_id: str, status: str, by: str) -> tuple[Handoff, Handoff]:
        """Take a request, end it or put it back; answers it before and now.

        Raises NotFound, and Conflict where somebody else took it meanwhile.
        """
        before = await self.get(handoff_id)
        taken_by = by if status == TAKEN else None if status == "접수" else (before.taken_by or by)
        now = replace(before, status=status, taken_by=taken_by, changed_at=datetime.now(UTC))
        same = (handoffs.c.handoff_id == handoff_id, handoffs.c.status == before.status)
        values = {"status": now.status, "taken_by": now.taken_by, "changed_at": now.changed_at}
        if status == TAKEN and before.status == TAKEN and before.taken_by != by:
            raise _taken(before)
        if not await self._database.change(update(handoffs).where(*same).values(values)):
            raise _taken(await self.get(handoff_id))
        return before, now


def _taken(found: Handoff) -> Conflict:
    who = found.taken_by or worded("handoff_store.somebody")
    return Conflict(worded("handoff_store.changed_by", who=who, status=found.status))
