"""Which thresholds of guards were moved, by whom and why: in the service database, for all workers and restarts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, insert, select

from app.adapters.console_tables import guard_thresholds
from app.adapters.database import Database


@dataclass(frozen=True)
class MovedThreshold:
    """A threshold that is not as it was shipped. `shipped` is what it was moved from, `at` is UTC."""

    guard: str
    value: float
    shipped: float
    reason: str
    author: str
    at: datetime


class ThresholdStore:
    """The thresholds that were moved."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def moved(self) -> dict[str, MovedThreshold]:
        """By guard. Raises Unavailable."""
        rows = await self._database.rows(select(guard_thresholds))
        return {row.guard: MovedThreshold(**row._mapping) for row in rows}

    async def move(self, guard: str, value: float, shipped: float, reason: str, author: str) -> None:
        """Keep a threshold; what it was moved to before gives way. Raises Unavailable."""
        at = datetime.now(UTC)
        values = {
            "guard": guard, "value": value, "shipped": shipped, "reason": reason, "author": author, "at": at,
        }  # fmt: skip
        async with self._database.writing() as connection:
            await connection.execute(delete(guard_thresholds).where(guard_thresholds.c.guard == guard))
            if value != shipped:
                await connection.execute(insert(guard_thresholds).values(values))

    async def put_back(self, before: Mapping[str, MovedThreshold]) -> None:
        """Everything as it was. Raises Unavailable."""
        async with self._database.writing() as connection:
            await connection.execute(delete(guard_thresholds))
            if before:
                await connection.execute(insert(guard_thresholds), [item.__dict__ for item in before.values()])
