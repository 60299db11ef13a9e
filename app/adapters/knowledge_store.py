"""Versions of knowledge and prompt files in the service database."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict
from sqlalchemy import insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.database import Database
from app.adapters.tables import knowledge_versions
from app.errors import NotFound
from app.messages import worded

Origin = Literal["file", "edit", "restore"]


class KnowledgeVersion(BaseModel):
    """A file as it was. `change_key` names the approved call that made it."""

    model_config = ConfigDict(frozen=True)

    path: str
    version: int
    text: str
    origin: Origin
    author: str
    note: str
    change_key: str | None
    created_at: datetime


class KnowledgeStore:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def newest(self, path: str) -> KnowledgeVersion | None:
        """The last version of a file; None when it was never edited."""
        query = select(knowledge_versions).where(knowledge_versions.c.path == path)
        row = await self._database.row(query.order_by(knowledge_versions.c.version.desc()).limit(1))
        return None if row is None else KnowledgeVersion(**row._mapping)

    async def version(self, path: str, version: int) -> KnowledgeVersion:
        """One version. Raises NotFound."""
        query = select(knowledge_versions).where(
            knowledge_versions.c.path == path, knowledge_versions.c.version == version
        )
        row = await self._database.row(query)
        if row is None:
            raise NotFound(worded("knowledge_store.no_version", path=path, version=version))
        return KnowledgeVersion(**row._mapping)

    async def made_by(self, change_key: str) -> KnowledgeVersion | None:
        """The version that this approved call made, if it has run."""
        query = select(knowledge_versions).where(knowledge_versions.c.change_key == change_key)
        row = await self._database.row(query)
        return None if row is None else KnowledgeVersion(**row._mapping)

    @asynccontextmanager
    async def adding(
        self, path: str, before: str, after: str, *, origin: Origin, author: str, note: str, change_key: str
    ) -> AsyncIterator[KnowledgeVersion]:
        """Add a version; what the caller does inside happens with it or not at all.

        `before` is kept too where it is not the newest version: the file was changed from outside, or never edited.
        """
        now = datetime.now(UTC)
        query = select(knowledge_versions).where(knowledge_versions.c.path == path)
        async with self._database.writing(alone=True) as connection:
            newest = query.order_by(knowledge_versions.c.version.desc()).limit(1)
            row = (await connection.execute(newest)).first()
            number = row.version if row else 0
            if row is None or row.text != before:
                number += 1
                await _add(
                    connection,
                    KnowledgeVersion(
                        path=path, version=number, text=before, origin="file", author="file", note="",
                        change_key=None, created_at=now,
                    ),
                )  # fmt: skip
            made = KnowledgeVersion(
                path=path, version=number + 1, text=after, origin=origin, author=author, note=note,
                change_key=change_key, created_at=now,
            )  # fmt: skip
            await _add(connection, made)
            yield made


async def _add(connection: AsyncConnection, version: KnowledgeVersion) -> None:
    await connection.execute(insert(knowledge_versions).values(version.model_dump()))
