"""What the audit log tells of tools: changes of one tool or module, the newest first."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from app.adapters.database import Database
from app.adapters.tables import audit_log


@dataclass(frozen=True)
class ToolEvent:
    """One change. `at` is UTC; `actor` a principal's id."""

    at: datetime
    actor: str
    action: str
    target: str
    result: str
    details: dict[str, Any]


class ToolRecords:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def events(
        self, actions: Collection[str], targets: Collection[str] = (), *, limit: int = 50
    ) -> tuple[ToolEvent, ...]:
        """The newest changes of these kinds, of these tools or modules (none named: of all)."""
        columns = audit_log.c
        query = select(audit_log).where(columns.action.in_(actions)).order_by(columns.entry_id.desc()).limit(limit)
        if targets:
            query = query.where(columns.target.in_(targets))
        return tuple(
            ToolEvent(
                row.at,
                row.actor, row.action, row.target, row.result, row.details,
            )
            for row in await self._database.rows(query)
        )  # fmt: skip
