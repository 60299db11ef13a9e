"""The audit log: who did what to what, and how it ended. Append-only, each row chained to the one before it.

A row holds no personal data (`mask` runs over its texts) and no control characters. The chain is an HMAC with a key
that the database does not hold: a row that is changed, put in or taken out is found by `verify`, unless it was the
newest.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import Row, delete, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.database import Database
from app.adapters.plain_lines import one_line
from app.adapters.tables import audit_log

Result = Literal["ok", "refused", "failed"]
PURGED = "audit.purge"


@dataclass(frozen=True)
class AuditEntry:
    """One row. `at` is UTC; `actor` a principal's id."""

    entry_id: int
    at: datetime
    actor: str
    action: str
    target: str
    result: str
    details: dict[str, Any]
    request_id: str


class AuditLog:
    """Writes and reads the log. `key` signs the chain."""

    def __init__(self, database: Database, key: bytes, mask: Callable[[str], str] = lambda text: text) -> None:
        self._database, self._key, self._mask = database, key, mask

    async def record(
        self,
        actor: str,
        action: str,
        target: str = "",
        *,
        result: Result = "ok",
        details: Mapping[str, Any] | None = None,
        request_id: str = "",
    ) -> None:
        """Append one entry in a transaction of its own. Raises Unavailable."""
        async with self._database.writing(alone=True) as connection:
            await self.append(connection, actor, action, target, result=result, details=details, request_id=request_id)

    async def append(
        self,
        connection: AsyncConnection,
        actor: str,
        action: str,
        target: str = "",
        *,
        result: Result = "ok",
        details: Mapping[str, Any] | None = None,
        request_id: str = "",
    ) -> None:
        """Append one entry inside the caller's `writing(alone=True)`: both are kept or neither is."""
        newest = (
            await connection.execute(
                select(audit_log.c.entry_id, audit_log.c.digest).order_by(audit_log.c.entry_id.desc()).limit(1)
            )
        ).first()
        values: dict[str, Any] = {
            "entry_id": newest.entry_id + 1 if newest else 1,
            "at": datetime.now(UTC),
            "actor": self._clean(actor, 200),
            "action": self._clean(action, 64),
            "target": self._clean(target, 300),
            "result": result,
            "details": self._cleaned(dict(details or {})),
            "request_id": self._clean(request_id, 64),
        }
        values["digest"] = self._digest(newest.digest if newest else "", values)
        await connection.execute(insert(audit_log).values(values))

    async def entries(
        self, *, limit: int = 100, before: int | None = None, actor: str | None = None, action: str | None = None
    ) -> tuple[AuditEntry, ...]:
        """The newest entries, optionally older than `before`, of one actor or of one action."""
        query = select(audit_log).order_by(audit_log.c.entry_id.desc()).limit(limit)
        if before is not None:
            query = query.where(audit_log.c.entry_id < before)
        if actor is not None:
            query = query.where(audit_log.c.actor == actor)
        if action is not None:
            query = query.where(audit_log.c.action == action)
        async with self._database.reading() as connection:
            return tuple(_entry(row) for row in await connection.execute(query))

    async def verify(self) -> int | None:
        """The number of the first entry that does not fit the chain; None when all do."""
        async with self._database.reading() as connection:
            rows = (await connection.execute(select(audit_log).order_by(audit_log.c.entry_id))).all()
        purged = [row.details for row in rows if row.action == PURGED]
        expected, digest = (purged[-1]["up_to"] + 1, purged[-1]["digest"]) if purged else (1, "")
        for row in rows:
            values = dict(row._mapping)
            stored = values.pop("digest")
            if row.entry_id != expected or not hmac.compare_digest(stored, self._digest(digest, values)):
                return int(row.entry_id)
            expected, digest = expected + 1, stored
        return None

    async def purge(self, before: datetime) -> int:
        """Remove entries older than `before`, oldest first, and record up to where; answers how many went."""
        async with self._database.writing(alone=True) as connection:
            old = select(audit_log.c.entry_id, audit_log.c.digest).where(audit_log.c.at < before)
            last = (await connection.execute(old.order_by(audit_log.c.entry_id.desc()).limit(1))).first()
            if last is None:
                return 0
            gone = await connection.execute(delete(audit_log).where(audit_log.c.entry_id <= last.entry_id))
            if (await connection.execute(select(audit_log.c.entry_id).limit(1))).first() is None:
                # an empty table would begin at 1 again: the mark keeps the numbers going
                await self._mark(connection, last.entry_id, last.digest)
            else:
                details = {"up_to": last.entry_id, "digest": last.digest}
                await self.append(connection, "system", PURGED, str(last.entry_id), details=details)
            return gone.rowcount

    async def _mark(self, connection: AsyncConnection, up_to: int, digest: str) -> None:
        values: dict[str, Any] = {
            "entry_id": up_to + 1,
            "at": datetime.now(UTC),
            "actor": "system",
            "action": PURGED,
            "target": str(up_to),
            "result": "ok",
            "details": {"up_to": up_to, "digest": digest},
            "request_id": "",
        }
        await connection.execute(insert(audit_log).values(values | {"digest": self._digest(digest, values)}))

    def _digest(self, previous: str, values: Mapping[str, Any]) -> str:
        at: datetime = values["at"]
        shown = {**values, "at": at.astimezone(UTC).replace(tzinfo=None).isoformat() if at.tzinfo else at.isoformat()}
        text = json.dumps(shown, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        return hmac.new(self._key, f"{previous}\n{text}".encode(), hashlib.sha256).hexdigest()

    def _clean(self, text: str, most: int) -> str:
        return one_line(self._mask(text), most)

    def _cleaned(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._clean(value, 2000)
        if isinstance(value, dict):
            return {str(key): self._cleaned(item) for key, item in value.items()}
        if isinstance(value, list | tuple):
            return [self._cleaned(item) for item in value]
        return value


def _entry(row: Row[Any]) -> AuditEntry:
    values = dict(row._mapping)
    del values["digest"]
    at: datetime = values["at"]
    values["at"] = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return AuditEntry(**values)
