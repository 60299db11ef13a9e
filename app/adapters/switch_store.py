"""Which tools are switched off, by whom and why: in the service database, for every worker and over restarts."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from sqlalchemy import delete, insert, select

from app.adapters.console_tables import tool_switches
from app.adapters.database import Database


@dataclass(frozen=True)
class Switch:
    """A tool that is off. `at` is UTC."""

    tool: str
    reason: str
    author: str
    at: datetime


class SwitchStore:
    """The switches that stand on off."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def off(self) -> dict[str, Switch]:
        """What is off, by tool. Raises Unavailable."""
        return {row.tool: Switch(**row._mapping) for row in await self._database.rows(select(tool_switches))}

    async def turn_off(self, tools: Collection[str], reason: str, author: str) -> None:
        """Keep these as off; who switched one off before, and why, gives way. Raises Unavailable."""
        at = datetime.now(UTC)
        rows = [{"tool": tool, "reason": reason, "author": author, "at": at} for tool in sorted(tools)]
        async with self._database.writing() as connection:
            await connection.execute(delete(tool_switches).where(tool_switches.c.tool.in_(tools)))
            await connection.execute(insert(tool_switches), rows)

    async def turn_on(self, tools: Collection[str]) -> None:
        """Keep these as on. Raises Unavailable."""
        await self._database.change(delete(tool_switches).where(tool_switches.c.tool.in_(tools)))

    async def put_back(self, before: Mapping[str, Switch]) -> None:
        """Everything as it was. Raises Unavailable."""
        async with self._database.writing() as connection:
            await connection.execute(delete(tool_switches))
            if before:
                await connection.execute(insert(tool_switches), [item.__dict__ for item in before.values()])
