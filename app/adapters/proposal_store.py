"""Proposals on the service database. What was told and computed is encrypted; every version is kept."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Row, delete, insert, or_, select, update

from app.adapters.database import Database
from app.adapters.field_cipher import FieldCipher
from app.adapters.proposal_tables import proposal_versions as versions
from app.adapters.proposal_tables import proposals
from app.errors import Conflict, NotFound


@dataclass(frozen=True)
class KeptProposal:
    """A proposal without its contents. Times are UTC; `version` is the newest."""

    proposal_id: str
    owner: str
    thread_id: str | None
    customer_id: str | None
    kept_by: str | None
    kept_at: datetime | None
    handed_to: str | None
    note: str | None
    version: int
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True)
class ProposalVersion:
    """One version: JSON text, until when it holds, who made it and when."""

    version: int
    author: str
    document: str
    valid_until: date
    created_at: datetime


class ProposalStore:
    """Raises Unavailable while the database is down, NotFound for a proposal or version that is not there."""

    def __init__(self, database: Database, cipher: FieldCipher) -> None:
        self._database, self._cipher = database, cipher

    async def add(self, owner: str, thread_id: str | None, document: str, valid_until: date) -> KeptProposal:
        """A new proposal with its first version."""
        now = datetime.now(UTC)
        made = KeptProposal(
            f"PR{secrets.token_hex(8)}", owner, thread_id, None, None, None, None, None, 1, now, now
        )  # fmt: skip
        async with self._database.writing() as connection:
            await connection.execute(insert(proposals).values(made.__dict__))
            await connection.execute(
                insert(versions).values(self._version_row(made.proposal_id, 1, owner, document, valid_until, now))
            )
        return made

    async def add_version(
        self, proposal_id: str, after: int, author: str, document: str, valid_until: date
    ) -> KeptProposal:
        """One more version after `after`. Raises Conflict where that is not the newest any more."""
        now = datetime.now(UTC)
        newest = (proposals.c.proposal_id == proposal_id, proposals.c.version == after)
        async with self._database.writing() as connection:
            moved = await connection.execute(
                update(proposals).where(*newest).values(version=after + 1, updated_at=now)
            )  # fmt: skip
            if not moved.rowcount:
                raise Conflict(proposal_id)
            await connection.execute(
                insert(versions).values(
                    self._version_row(proposal_id, after + 1, author, document, valid_until, now)
                )
            )  # fmt: skip
        return await self.get(proposal_id)

    async def get(self, proposal_id: str) -> KeptProposal:
        """A proposal without its contents."""
        row = await self._database.row(select(proposals).where(proposals.c.proposal_id == proposal_id))
        if row is None:
            raise NotFound(proposal_id)
        return self._kept(row)

    async def version(self, proposal_id: str, version: int) -> ProposalVersion:
        """One version with its contents."""
        name = f"{proposal_id}.{version}"
        row = await self._database.row(select(versions).where(versions.c.version_id == name))
        if row is None:
            raise NotFound(name)
        document = self._cipher.decrypt(row.document, _place("document", row.version_id))
        return ProposalVersion(row.version, row.author, document, row.valid_until, row.created_at)

    async def list(
        self, *, owner: str | None = None, customer_id: str | None = None, limit: int = 20
    ) -> Sequence[KeptProposal]:
        """Proposals of an owner or kept with a customer, the one that changed last first."""
        query = select(proposals).order_by(proposals.c.updated_at.desc()).limit(limit)
        if owner is not None:
            query = query.where(proposals.c.owner == owner)
        if customer_id is not None:
            query = query.where(proposals.c.customer_id == customer_id)
        return tuple(self._kept(row) for row in await self._database.rows(query))

    async def keep(
        self, proposal_id: str, customer_id: str, by: str, handed_to: str | None, note: str | None
    ) -> KeptProposal:
        """Keep a proposal with a customer, or hand one that is kept to somebody else."""
        sealed = self._cipher.encrypt(note, _place("note", proposal_id, "proposals")) if note else None
        values = {"customer_id": customer_id, "kept_by": by, "kept_at": datetime.now(UTC), "handed_to": handed_to}
        await self._database.change(
            update(proposals).where(proposals.c.proposal_id == proposal_id).values(**values, note=sealed)
        )
        return await self.get(proposal_id)

    async def delete(self, proposal_id: str) -> None:
        """Delete a proposal with all its versions."""
        if not await self._gone(proposals.c.proposal_id == proposal_id):
            raise NotFound(proposal_id)

    async def purge(self, before: datetime) -> int:
        """Delete what is kept with nobody and was last changed before; answers how many."""
        return await self._gone(proposals.c.customer_id.is_(None), proposals.c.updated_at < before)

    async def _gone(self, *which: Any) -> int:
        gone = await self._database.change(delete(proposals).where(*which))
        if gone:
            await self._database.forget_old_pages()
        return gone

    def _version_row(
        self, proposal_id: str, version: int, author: str, document: str, valid_until: date, now: datetime
    ) -> dict[str, Any]:
        name = f"{proposal_id}.{version}"
        return {
            "version_id": name,
            "proposal_id": proposal_id,
            "version": version,
            "author": author,
            "document": self._cipher.encrypt(document, _place("document", name)),
            "valid_until": valid_until,
            "created_at": now,
        }

    def _kept(self, row: Row[Any]) -> KeptProposal:
        note = self._cipher.decrypt(row.note, _place("note", row.proposal_id, "proposals")) if row.note else None
        return KeptProposal(**{**row._mapping, "note": note})


def made_by(owner: str) -> tuple[Any, ...]:
    """Which proposals go with an owner: all they made, but what they keep with a customer as the customer's record."""
    return proposals.c.owner == owner, or_(proposals.c.kept_by.is_(None), proposals.c.kept_by != owner)


def _place(column: str, row: str, table: str = "proposal_versions") -> str:
    return f"{table}.{column}:{row}"
