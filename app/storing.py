"""The floor of what is written: keys, databases, vectors and threads, and the way in which workers share them."""

from __future__ import annotations

import asyncio
import logging
from contextlib import AsyncExitStack
from dataclasses import dataclass

from app.adapters.audit_head import HEAD_FILE, AuditHead
from app.adapters.audit_log import AuditLog
from app.adapters.checkpoints import open_checkpoints
from app.adapters.customer_seed import seed_customers
from app.adapters.data_rotation import settle_rotation
from app.adapters.database import open_database
from app.adapters.field_cipher import FieldCipher
from app.adapters.key_checks import KeyChecks
from app.adapters.quiet_database import admitted
from app.adapters.secret_files import open_secrets
from app.adapters.shared_store import ChangeLog
from app.adapters.vector_store import ChromaStore
from app.computing import Computing
from app.editing.changes import Changes
from app.graph import sharing
from app.services import Start, Storage

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Stored:
    """The storage, the way of changes through it, and what is held while no other worker may start."""

    storage: Storage
    changes: Changes
    starting: AsyncExitStack


async def open_storage(start: Start, computing: Computing) -> Stored:
    """Keys, databases and vectors; from here on no other worker starts until `starting` is closed."""
    settings, stack = start.settings, start.stack
    await settle_rotation(settings)
    secrets = await asyncio.to_thread(open_secrets, settings)
    cipher = FieldCipher(secrets.data_key())
    database = await open_database(settings.effective_database_url, cipher, settings.database_pool_size)
    stack.push_async_callback(database.close)
    await admitted(database)
    key_checks = KeyChecks(database, secrets)
    if fault := await key_checks.settle():
        log.error("%s", fault)
    shared, change_log = await sharing.open_line(stack, settings, start.metrics), ChangeLog(database)
    starting = await stack.enter_async_context(await sharing.started_alone(change_log, shared))
    await seed_customers(database, settings.content_dir, computing.catalogue)
    store = await asyncio.to_thread(ChromaStore, settings.chroma_path, url=settings.chroma_url)
    stack.callback(store.close)
    checkpoints = await stack.enter_async_context(
        open_checkpoints(settings.database_url, settings.checkpoints_path, settings.database_pool_size)
    )
    audit_key = secrets.signing_key("audit")
    head = AuditHead(settings.data_dir / HEAD_FILE, audit_key)
    audit = AuditLog(database, audit_key, lambda text: computing.masker.mask(text).text, head)
    storage = Storage(database, store, checkpoints, secrets, cipher, key_checks, audit, shared)
    return Stored(storage, sharing.changes_over(shared, change_log), starting)
