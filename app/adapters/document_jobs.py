"""Uploads on their way into the index, in the service database: every worker sees how far they are."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

from sqlalchemy import Row, insert, select, update

from app.adapters.database import Database
from app.adapters.tables import document_jobs as jobs
from app.messages import worded

State = Literal["waiting", "reading", "ready", "failed"]
_SILENT = timedelta(minutes=2)
LOST = worded("document_jobs.stopped")


@dataclass(frozen=True)
class DocumentJob:
    """One upload. `reason` is Korean and set where it failed. Times are UTC."""

    job_id: str
    name: str
    project: str
    state: State
    reason: str
    pages: int
    chunks: int
    author: str
    created_at: datetime
    seen_at: datetime


class DocumentJobs:
    """Raises Unavailable while the database is down."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def begin(self, name: str, project: str, author: str) -> DocumentJob:
        """An upload was received and waits to be read."""
        now = datetime.now(UTC)
        job = DocumentJob(f"doc_{secrets.token_hex(8)}", name, project, "waiting", "", 0, 0, author, now, now)
        await self._database.change(insert(jobs).values(job.__dict__))
        return job

    async def note(self, job_id: str, state: State, *, reason: str = "", pages: int = 0, chunks: int = 0) -> None:
        """How far an upload is."""
        values = {"state": state, "reason": reason, "pages": pages, "chunks": chunks, "seen_at": datetime.now(UTC)}
        await self._database.change(update(jobs).where(jobs.c.job_id == job_id).values(values))

    async def touch(self, job_id: str) -> None:
        """Its worker lives."""
        await self._database.change(update(jobs).where(jobs.c.job_id == job_id).values(seen_at=datetime.now(UTC)))

    async def newest(self, *, limit: int = 20) -> tuple[DocumentJob, ...]:
        """The newest uploads; one whose worker fell silent counts as failed."""
        rows = await self._database.rows(select(jobs).order_by(jobs.c.created_at.desc()).limit(limit))
        return tuple(map(_job, rows))


def _job(row: Row[Any]) -> DocumentJob:
    values = dict(row._mapping)
    if values["state"] in ("waiting", "reading") and datetime.now(UTC) - values["seen_at"] > _SILENT:
        values |= {"state": "failed", "reason": LOST}
    return DocumentJob(**values)
