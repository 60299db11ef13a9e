"""Imported tool sources in the service database: how each is reached, and what it offered last."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from sqlalchemy import delete, insert, select

from app.access import Role
from app.adapters.database import Database
from app.adapters.tables import tool_sources

Kind = Literal["openapi", "mcp"]


class ToolSource(BaseModel):
    """One source. `config` says how to reach it (an API's description among it), `tools` what an MCP server listed."""

    model_config = ConfigDict(frozen=True)

    name: str
    kind: Kind
    role: Role
    config: dict[str, Any]
    tools: list[dict[str, Any]]
    author: str
    created_at: datetime

    @property
    def source(self) -> str:
        """What its tools' entries name as their source."""
        return f"{self.kind}:{self.name}"


class SourceStore:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def all(self) -> tuple[ToolSource, ...]:
        """Every source, the oldest first."""
        query = select(tool_sources).order_by(tool_sources.c.created_at, tool_sources.c.name)
        rows = await self._database.rows(query)
        return tuple(ToolSource(**row._mapping) for row in rows)

    async def put(self, source: ToolSource) -> None:
        """Add a source, or exchange the one of this name."""
        async with self._database.writing(alone=True) as connection:
            await connection.execute(delete(tool_sources).where(tool_sources.c.name == source.name))
            await connection.execute(insert(tool_sources).values(source.model_dump()))

    async def remove(self, name: str) -> None:
        """Forget a source."""
        await self._database.change(delete(tool_sources).where(tool_sources.c.name == name))


def now() -> datetime:
    """The time as it is stored."""
    return datetime.now(UTC)
