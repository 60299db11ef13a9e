"""The application behind a gate of its own: the services of the test process, but own settings, keys and audit log."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx2
from fastapi import FastAPI

from app.access import Role
from app.adapters.audit_log import AuditLog
from app.adapters.customer_seed import seed_customers
from app.adapters.database import open_database
from app.adapters.field_cipher import FieldCipher
from app.adapters.key_store import NewKey
from app.api.app import create_app
from app.api.principals import Gatekeeper, open_gatekeeper
from app.settings import Settings

ROLES: tuple[Role, ...] = ("customer", "staff", "operator", "admin")


@dataclass
class Guarded:
    """One gate: make keys with `key`, clients with `client`."""

    app: FastAPI
    gate: Gatekeeper
    state: dict[str, Any]
    _stack: AsyncExitStack = field(repr=False)

    async def key(self, role: Role, **values: Any) -> NewKey:
        """A key of a role."""
        return await self.gate.keys.create(label="test", role=role, created_by="test", **values)

    async def client(
        self, key: str | None = None, *, address: str = "203.0.113.9", base: str = "http://127.0.0.1", **headers: str
    ) -> httpx2.AsyncClient:
        """A client at `address`; `key` is sent as X-API-Key."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()} | ({"X-API-Key": key} if key else {})
        transport = httpx2.ASGITransport(app=self._asgi(address))  # type: ignore[arg-type]
        client = httpx2.AsyncClient(transport=transport, base_url=base, headers=sent, timeout=60)
        return await self._stack.enter_async_context(client)

    def _asgi(self, address: str) -> Any:
        async def asgi(scope: dict[str, Any], receive: Any, send: Any) -> None:
            scope |= {"state": dict(self.state), "client": (address, 40000)}
            await self.app(scope, receive, send)

        return asgi


@asynccontextmanager
async def guarded(app: FastAPI, folder: Path, *, customers: bool = False, **settings: Any) -> AsyncIterator[Guarded]:
    """A gate made from `settings`; with `customers` keys may be bound to the shipped customers."""
    shared = app.state.yielded["services"]
    own = Settings(_env_file=None, data_dir=folder, **settings)
    async with AsyncExitStack() as stack:
        database = await open_database(own.effective_database_url, FieldCipher(b"k" * 32))
        stack.push_async_callback(database.close)
        if customers:
            await seed_customers(database, own.content_dir, shared.knowledge.catalogue)
        audit = AuditLog(database, b"audit")
        storage = replace(shared.storage, database=database, audit=audit)
        services = replace(shared, settings=own, storage=storage)
        gate = await open_gatekeeper(services)
        state = {**app.state.yielded, "services": services, "gatekeeper": gate}
        yield Guarded(create_app(own), gate, state, stack)
