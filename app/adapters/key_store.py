"""API keys: made once and shown once, stored as HMAC-SHA-256 only, looked up within a millisecond.

A key reads `ins_<id>_<secret>`, with 32 random bytes as its secret. A slow hash would cost 38 ms a request and add
nothing: the secret cannot be guessed. What is known of a key is kept for two seconds, so a key revoked by another
process is refused after two seconds at most, and one revoked here at once.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Row, delete, func, insert, select, update

from app.access import ROLE_ORDER, SCOPES, Role, Scope
from app.adapters.database import Database
from app.adapters.tables import api_keys, customers
from app.errors import BadRequest, Conflict, CustomerNotFound, NotFound
from app.messages import worded

KEPT_S = 2.0
BOOTSTRAP = "bootstrap"
_KEY = re.compile(r"ins_([0-9a-f]{12})_([A-Za-z0-9_-]{43})")
_MOST_CACHED = 4096


@dataclass(frozen=True)
class KeyRecord:
    """What is stored of a key. `prefix` is the part that may be shown; times are UTC."""

    key_id: str
    label: str
    role: Role
    scopes: tuple[Scope, ...]
    customer_id: str | None
    created_by: str
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    digest: str = field(repr=False)

    @property
    def prefix(self) -> str:
        return f"ins_{self.key_id}"

    def usable(self, now: datetime) -> bool:
        """Neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True)
class NewKey:
    """A key just made. `key` is told this one time."""

    record: KeyRecord
    key: str = field(repr=False)


def looks_like_key(text: str) -> bool:
    """True for the shape of a key."""
    return _KEY.fullmatch(text) is not None


class KeyStore:
    """The keys of this installation. `secret` signs the digests."""

    def __init__(
        self, database: Database, secret: bytes, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)
    ) -> None:
        self._database, self._secret, self._now = database, secret, now
        self._known: OrderedDict[str, tuple[float, KeyRecord | None]] = OrderedDict()
        self._used: dict[str, datetime] = {}
        self._configured: tuple[float, bool] = (0.0, False)

    async def create(
        self,
        *,
        label: str,
        role: Role,
        created_by: str,
        scopes: tuple[Scope, ...] = (),
        customer_id: str | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey:
        """Make a key. Raises BadRequest for values that do not fit together and CustomerNotFound."""
        _check(label, role, scopes, customer_id, expires_at, self._now())
        key_id = secrets.token_hex(6)
        key = f"ins_{key_id}_{secrets.token_urlsafe(32)}"
        record = KeyRecord(
            key_id=key_id,
            label=label.strip(),
            role=role,
            scopes=scopes,
            customer_id=customer_id,
            created_by=created_by,
            created_at=self._now(),
            expires_at=expires_at,
            revoked_at=None,
            last_used_at=None,
            digest=self._digest(key),
        )
        values = {**record.__dict__, "scopes": list(scopes)}
        async with self._database.writing() as connection:
            if customer_id is not None:
                known = select(customers.c.customer_id).where(customers.c.customer_id == customer_id)
                if (await connection.execute(known)).first() is None:
                    raise CustomerNotFound(worded("key_store.no_customer", customer_id=customer_id))
            await connection.execute(insert(api_keys).values(values))
        self.forget_known()
        return NewKey(record, key)

    async def list(self) -> tuple[KeyRecord, ...]:
        """Every key, the newest first."""
        query = select(api_keys).order_by(api_keys.c.created_at.desc(), api_keys.c.key_id)
        return tuple(_record(row) for row in await self._database.rows(query))

    async def get(self, key_id: str) -> KeyRecord | None:
        """The key of this id as it stands, at most KEPT_S old; None when there is none."""
        kept = self._known.get(key_id)
        if kept is not None and time.monotonic() - kept[0] < KEPT_S:
            return kept[1]
        row = await self._database.row(select(api_keys).where(api_keys.c.key_id == key_id))
        record = _record(row) if row is not None else None
        self._known[key_id] = (time.monotonic(), record)
        self._known.move_to_end(key_id)
        while len(self._known) > _MOST_CACHED:
            self._known.popitem(last=False)
        return record

    async def verify(self, key: str) -> KeyRecord | None:
        """The record of a key that is right and usable; None for any other. Compares in constant time."""
        match = _KEY.fullmatch(key)
        digest = self._digest(key)
        record = await self.get(match[1]) if match else None
        stored = record.digest if record is not None else "0" * 64
        if not hmac.compare_digest(digest, stored) or record is None:
            return None
        return await self.usable(record.key_id)

    async def usable(self, key_id: str) -> KeyRecord | None:
        """The key of this id unless it is revoked or expired; notes that it was used."""
        record = await self.get(key_id)
        if record is None or not record.usable(self._now()):
            return None
        self._used[key_id] = self._now()
        return record

    async def revoke(self, key_id: str) -> KeyRecord:
        """End a key for good. Raises NotFound, Conflict when that was done before."""
        async with self._database.writing() as connection:
            row = (await connection.execute(select(api_keys).where(api_keys.c.key_id == key_id))).first()
            if row is None:
                raise NotFound(worded("key_store.not_found", key_id=key_id))
            if row.revoked_at is not None:
                raise Conflict(worded("key_store.revoked", key_id=key_id))
            await connection.execute(update(api_keys).where(api_keys.c.key_id == key_id).values(revoked_at=self._now()))
            row = (await connection.execute(select(api_keys).where(api_keys.c.key_id == key_id))).one()
        self.forget_known()
        return _record(row)

    async def remove_unusable(self) -> int:
        """Delete revoked and expired keys; answers how many."""
        gone = api_keys.c.revoked_at.is_not(None) | (api_keys.c.expires_at < self._now())
        removed = await self._database.change(delete(api_keys).where(gone))
        self.forget_known()
        return removed

    async def configured(self) -> bool:
        """True once somebody made a key (revoked ones count: revoking must not open local mode); the one made at the
        first start of a container does not count. At most KEPT_S old."""
        if time.monotonic() - self._configured[0] < KEPT_S:
            return self._configured[1]
        query = select(func.count()).select_from(api_keys).where(api_keys.c.created_by != BOOTSTRAP)
        found = await self._database.read(lambda connection: connection.execute(query).scalar_one()) > 0
        self._configured = (time.monotonic(), found)
        return found

    async def write_last_used(self) -> None:
        """Save when each key was last used; called now and then, not at every request."""
        used, self._used = self._used, {}
        if not used:
            return
        async with self._database.writing() as connection:
            for key_id, at in used.items():
                await connection.execute(update(api_keys).where(api_keys.c.key_id == key_id).values(last_used_at=at))

    def forget_known(self) -> None:
        """Read everything anew at the next question."""
        self._known.clear()
        self._configured = (0.0, False)

    def _digest(self, key: str) -> str:
        return hmac.new(self._secret, key.encode("utf-8", "replace"), hashlib.sha256).hexdigest()


def _check(
    label: str, role: str, scopes: tuple[str, ...], customer_id: str | None, expires_at: datetime | None, now: datetime
) -> None:
    if not 1 <= len(label.strip()) <= 100:
        raise BadRequest(worded("key_store.bad_name"))
    if role not in ROLE_ORDER:
        raise BadRequest(worded("key_store.no_role", role=role, role_order=", ".join(ROLE_ORDER)))
    if unknown := [scope for scope in scopes if scope not in SCOPES]:
        raise BadRequest(worded("key_store.no_scopes", unknown=", ".join(unknown), scopes=", ".join(SCOPES)))
    if customer_id is not None and role != "customer":
        raise BadRequest(worded("key_store.customer_only"))
    if expires_at is not None and expires_at <= now:
        raise BadRequest(worded("key_store.already_expired"))


def _record(row: Row[Any]) -> KeyRecord:
    return KeyRecord(**{**row._mapping, "scopes": tuple(row.scopes)})
