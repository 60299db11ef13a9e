"""The audit log: who did what to what, and how it ended. Append-only, each row chained to the one before it.

A row holds no personal data (`mask` runs over its texts) and no control characters. The chain is an HMAC with a key
that the database does not hold: a row that is changed, put in or taken out is found by `verify`. Where the chain ended
is kept beside the database (audit_head.py), so that rows taken off its end are missed too.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal

from sqlalchemy import ColumnElement, Row, delete, func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from app.adapters.audit_head import AuditHead, Head
from app.adapters.database import Database
from app.adapters.plain_lines import one_line
from app.adapters.tables import audit_log
from app.errors import Unavailable
from app.messages import worded

Result = Literal["ok", "refused", "failed"]
PURGED, RESTARTED = "audit.purge", "audit.restart"
_FACETED = 300

log = logging.getLogger(__name__)


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


@dataclass(frozen=True)
class AuditFilter:
    """Which entries: every condition that is set. `target` is looked for inside; times are UTC."""

    actor: str | None = None
    action: str | None = None
    target: str | None = None
    result: Result | None = None
    since: datetime | None = None
    until: datetime | None = None


class AuditLog:
    """Writes and reads the log. `key` signs the chain; `head` is where its end is kept, None for nowhere."""

    def __init__(
        self,
        database: Database,
        key: bytes,
        mask: Callable[[str], str] = lambda text: text,
        head: AuditHead | None = None,
    ) -> None:
        self._database, self._key, self._mask, self._head = database, key, mask, head

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
            written = await self._append(connection, actor, action, target, result, dict(details or {}), request_id)
        await self._note(written)

    async def _note(self, written: Head) -> None:
        """Only after the transaction: what is noted must be there. Where the row that was noted before is missing, the
        file is left alone, so that `verify` goes on telling it."""
        log.info("audit %d %s", written.entry_id, written.digest)
        if self._head is None:
            return
        try:
            known = await asyncio.to_thread(self._head.read)
            held = known is None or await self._holds(known)
        except ValueError as error:
            log.error(worded("audit_log.head_damaged"), error)
            return
        except Unavailable as error:  # the entry itself is kept
            log.warning(worded("audit_log.head_not_written"), error)
            return
        if known is not None and not held:
            log.error(worded("audit_log.entry_changed"), known.entry_id)
        elif known is None or known.entry_id < written.entry_id:
            await asyncio.to_thread(self._head.note, written)

    async def _holds(self, head: Head) -> bool:
        """Whether this row is there as it was, or went with the old ones."""
        columns = audit_log.c
        async with self._database.reading() as connection:
            found = await connection.execute(select(columns.digest).where(columns.entry_id == head.entry_id))
            oldest = await connection.execute(select(func.min(columns.entry_id)))
            digest, first = found.scalar_one_or_none(), oldest.scalar_one()
        return digest == head.digest or (digest is None and first is not None and first > head.entry_id)

    async def _append(
        self,
        connection: AsyncConnection,
        actor: str,
        action: str,
        target: str,
        result: Result,
        details: dict[str, Any],
        request_id: str,
    ) -> Head:
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
            "details": self._cleaned(details),
            "request_id": self._clean(request_id, 64),
        }
        return await self._insert(connection, newest.digest if newest else "", values)

    async def _insert(self, connection: AsyncConnection, previous: str, values: dict[str, Any]) -> Head:
        digest = self._digest(previous, values)
        await connection.execute(insert(audit_log).values(values | {"digest": digest}))
        return Head(values["entry_id"], digest)

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
        return tuple(_entry(row) for row in await self._database.rows(query))

    async def page(
        self, wanted: AuditFilter, *, down: bool = True, offset: int = 0, limit: int = 50
    ) -> tuple[tuple[AuditEntry, ...], int]:
        """A page of entries in the order of their numbers, and how many there are in all."""
        conditions = _conditions(wanted)
        order = audit_log.c.entry_id.desc() if down else audit_log.c.entry_id.asc()
        query = select(audit_log).where(*conditions).order_by(order)
        rows, total = await self._database.page(query, offset=offset, limit=limit)
        return tuple(map(_entry, rows)), total

    async def facets(self) -> dict[str, list[str]]:
        """Who and what occurs in the log."""
        async with self._database.reading() as connection:
            actors = (await connection.execute(select(audit_log.c.actor).distinct().limit(_FACETED))).scalars().all()
            actions = (await connection.execute(select(audit_log.c.action).distinct().limit(_FACETED))).scalars().all()
        return {"actors": sorted(actors), "actions": sorted(actions)}

    async def verify(self) -> int | None:
        """The number of the first entry that does not fit the chain or is missing at its end; None when all is well.

        A head file that was damaged or forged counts as an edit of the newest row.
        """
        noted = await self._noted()
        rows = await self._database.rows(select(audit_log).order_by(audit_log.c.entry_id))
        begins, rows = _beginning(rows)
        expected, digest = (begins["up_to"] + 1, begins["digest"]) if begins else (1, "")
        for row in rows:
            values = dict(row._mapping)
            stored = values.pop("digest")
            if row.entry_id != expected or not hmac.compare_digest(stored, self._digest(digest, values)):
                return int(row.entry_id)
            expected, digest = expected + 1, stored
        digests = {row.entry_id: row.digest for row in rows}
        if noted is None or noted.entry_id < (rows[0].entry_id if begins else 1):
            return None
        kept = digests.get(noted.entry_id, "")
        return None if hmac.compare_digest(kept, noted.digest) else min(noted.entry_id, expected)

    async def _noted(self) -> Head | None:
        if self._head is None:
            return None
        try:
            return await asyncio.to_thread(self._head.read)
        except ValueError as error:
            log.error(worded("audit_log.head_damaged_log"), error)
            newest = await self._database.value(select(func.max(audit_log.c.entry_id)))
            return Head(newest or 1, "")

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
                written = await self._mark(connection, last.entry_id, last.digest)
            else:
                details = {"up_to": last.entry_id, "digest": last.digest}
                written = await self._append(connection, "system", PURGED, str(last.entry_id), "ok", details, "")
        await self._note(written)
        return gone.rowcount

    async def restart(self) -> int:
        """Begin the chain anew behind what is there, signed with a key that is gone; answers up to which entry nothing
        can be verified any more. The entry that says so is the first of the new chain."""
        async with self._database.writing(alone=True) as connection:
            columns = (audit_log.c.entry_id, audit_log.c.digest)
            newest = (await connection.execute(select(*columns).order_by(columns[0].desc()).limit(1))).first()
            up_to, digest = (newest.entry_id, newest.digest) if newest else (0, "")
            written = await self._mark(connection, up_to, digest, RESTARTED)
        log.info("audit %d %s", written.entry_id, written.digest)
        if self._head is not None:
            await asyncio.to_thread(self._head.note, written)
        return up_to

    async def _mark(self, connection: AsyncConnection, up_to: int, digest: str, action: str = PURGED) -> Head:
        values: dict[str, Any] = {
            "entry_id": up_to + 1,
            "at": datetime.now(UTC),
            "actor": "system",
            "action": action,
            "target": str(up_to),
            "result": "ok",
            "details": {"up_to": up_to, "digest": digest},
            "request_id": "",
        }
        return await self._insert(connection, digest, values)

    def _digest(self, previous: str, values: Mapping[str, Any]) -> str:
        at: datetime = values["at"]
        shown = {**values, "at": at.replace(tzinfo=None).isoformat()}
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


def _conditions(wanted: AuditFilter) -> list[ColumnElement[bool]]:
    columns = audit_log.c
    named = ((columns.actor, wanted.actor), (columns.action, wanted.action), (columns.result, wanted.result))
    found = [column == value for column, value in named if value]
    if wanted.target:
        found.append(columns.target.contains(wanted.target, autoescape=True))
    if wanted.since is not None:
        found.append(columns.at >= wanted.since)
    if wanted.until is not None:
        found.append(columns.at < wanted.until)
    return found


def _beginning(rows: Sequence[Row[Any]]) -> tuple[Mapping[str, Any] | None, Sequence[Row[Any]]]:
    """Where the chain that can be verified begins, and its rows. A purge leaves no row before it; a restart does, and
    counts only where it stands at the very place that it names: the walk then checks its own signature first."""
    marks = [row for row in rows if row.action == PURGED]
    marks += [row for row in rows if row.action == RESTARTED and row.details["up_to"] == row.entry_id - 1]
    if not marks:
        return None, rows
    mark = max(marks, key=lambda row: (row.details["up_to"], row.entry_id))
    if mark.action == RESTARTED:
        rows = [row for row in rows if row.entry_id >= mark.entry_id]
    return mark.details, rows


def _entry(row: Row[Any]) -> AuditEntry:
    values = dict(row._mapping)
    del values["digest"]
    return AuditEntry(**values)
