"""Drafts and versions of tool cards in the service database."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict
from sqlalchemy import delete, func, insert, select, update

from app.adapters.database import Database
from app.adapters.tables import card_drafts, card_versions
from app.errors import NotFound
from app.messages import worded

Origin = Literal["file", "published", "rollback"]


class CardVersion(BaseModel):
    """A card that was in force. `note` is the author's reason, `report` what the routing suite said, times are UTC."""

    model_config = ConfigDict(frozen=True)

    tool: str
    version: int
    card: dict[str, Any]
    origin: Origin
    author: str
    note: str
    report: dict[str, Any]
    active: bool
    created_at: datetime


class CardDraft(BaseModel):
    """A card that somebody works on."""

    model_config = ConfigDict(frozen=True)

    tool: str
    card: dict[str, Any]
    author: str
    updated_at: datetime


class CardState(BaseModel):
    """Where a tool's card stands: who put which version in force, and when. Times are UTC."""

    model_config = ConfigDict(frozen=True)

    tool: str
    version: int
    origin: Origin
    author: str
    created_at: datetime


class CardStore:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def active(self) -> dict[str, dict[str, Any]]:
        """The cards that win over their files, by tool."""
        query = select(card_versions.c.tool, card_versions.c.card).where(
            card_versions.c.active.is_(True), card_versions.c.origin != "file"
        )
        return {row.tool: row.card for row in await self._database.rows(query)}

    async def states(self) -> dict[str, CardState]:
        """The version in force of every tool that was ever published, by tool."""
        told = [card_versions.c[name] for name in CardState.model_fields]
        rows = await self._database.rows(select(*told).where(card_versions.c.active.is_(True)))
        return {row.tool: CardState(**row._mapping) for row in rows}

    async def drafts(self) -> dict[str, CardDraft]:
        """Every draft, by tool."""
        rows = await self._database.rows(select(card_drafts))
        return {row.tool: CardDraft(**row._mapping) for row in rows}

    async def versions(self, tool: str) -> tuple[CardVersion, ...]:
        """Every version of a tool's card, the newest first."""
        query = select(card_versions).where(card_versions.c.tool == tool).order_by(card_versions.c.version.desc())
        return tuple(CardVersion(**row._mapping) for row in await self._database.rows(query))

    async def version(self, tool: str, version: int) -> CardVersion:
        """One version. Raises NotFound."""
        query = select(card_versions).where(card_versions.c.tool == tool, card_versions.c.version == version)
        row = await self._database.row(query)
        if row is None:
            raise NotFound(worded("card_store.no_version", tool=tool, version=version))
        return CardVersion(**row._mapping)

    async def draft(self, tool: str) -> CardDraft | None:
        """The draft of a tool's card, if somebody left one."""
        row = await self._database.row(select(card_drafts).where(card_drafts.c.tool == tool))
        return CardDraft(**row._mapping) if row is not None else None

    async def save_draft(self, tool: str, card: Mapping[str, Any], author: str) -> CardDraft:
        """Keep a draft in the place of the one before."""
        draft = CardDraft(tool=tool, card=dict(card), author=author, updated_at=datetime.now(UTC))
        async with self._database.writing() as connection:
            await connection.execute(delete(card_drafts).where(card_drafts.c.tool == tool))
            await connection.execute(insert(card_drafts).values(draft.model_dump()))
        return draft

    async def drop_draft(self, tool: str) -> bool:
        """Forget the draft of a tool's card; answers whether there was one."""
        return bool(await self._database.change(delete(card_drafts).where(card_drafts.c.tool == tool)))

    @asynccontextmanager
    async def adding(
        self,
        tool: str,
        card: Mapping[str, Any],
        *,
        first: Mapping[str, Any],
        origin: Origin,
        author: str,
        note: str,
        report: Mapping[str, Any],
    ) -> AsyncIterator[CardVersion]:
        """Add a version and put it in force; what the caller does inside happens with it or not at all.

        `first` becomes version 1 where there is none yet: the card of the file. The draft is used up.
        """
        now = datetime.now(UTC)
        async with self._database.writing(alone=True) as connection:
            highest = select(func.max(card_versions.c.version)).where(card_versions.c.tool == tool)
            last = (await connection.execute(highest)).scalar_one()
            if last is None:
                last = 1
                filed = CardVersion(
                    tool=tool, version=1, card=dict(first), origin="file", author="file", note="", report={},
                    active=False, created_at=now,
                )  # fmt: skip
                await connection.execute(insert(card_versions).values(filed.model_dump()))
            await connection.execute(update(card_versions).where(card_versions.c.tool == tool).values(active=False))
            made = CardVersion(
                tool=tool, version=last + 1, card=dict(card), origin=origin, author=author, note=note,
                report=dict(report), active=True, created_at=now,
            )  # fmt: skip
            await connection.execute(insert(card_versions).values(made.model_dump()))
            await connection.execute(delete(card_drafts).where(card_drafts.c.tool == tool))
            yield made
