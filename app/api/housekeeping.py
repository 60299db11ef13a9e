"""What is done now and then while the server runs: old conversations go, and the use of keys is written down."""

from __future__ import annotations

import asyncio
import logging
from datetime import UTC, datetime, timedelta

from app.adapters.shared_store import EndedSessions, MessageClaims
from app.api.principals import Gatekeeper
from app.errors import Unavailable
from app.services import Services

log = logging.getLogger(__name__)

USE_WRITTEN_EVERY_S = 60.0
_DAY_S = 86_400.0


async def keep_house(services: Services, gate: Gatekeeper) -> None:
    """Purge at the start and once a day, write the use of keys once a minute, until cancelled."""
    since_purge = _DAY_S
    while True:
        try:
            if since_purge >= _DAY_S:
                since_purge = 0.0
                await purge(services)
            await gate.keys.write_last_used()
        except Unavailable as error:
            log.warning("housekeeping waits: %s", error)
        await asyncio.sleep(USE_WRITTEN_EVERY_S)
        since_purge += USE_WRITTEN_EVERY_S


async def purge(services: Services) -> dict[str, int]:
    """Forget what is older than the retention settings say; answers how much went."""
    settings = services.settings
    gone = {"threads": 0, "audit": 0}
    if settings.retention_days:
        gone["threads"] = await services.talk.threads.purge(settings.retention_days)
    if settings.audit_retention_days:
        gone["audit"] = await services.storage.audit.purge(
            datetime.now(UTC) - timedelta(days=settings.audit_retention_days)
        )
    await MessageClaims(services.storage.database).purge()
    await EndedSessions(services.storage.database).purge()
    if settings.retention_days:
        await services.talk.webhooks.store.purge(settings.retention_days)
        if services.talk.proposals is not None:
            await services.talk.proposals.store.purge(datetime.now(UTC) - timedelta(days=settings.retention_days))
    if gone["threads"]:
        await services.storage.audit.record("system", "data.purge", details=gone)
        log.info("보관 기간이 지난 대화 %d개를 지웠습니다.", gone["threads"])
    return gone


async def end_housekeeping(task: asyncio.Task[None], gate: Gatekeeper) -> None:
    """Stop, and write down what is not yet written."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    try:
        await gate.keys.write_last_used()
    except Unavailable as error:
        log.warning("the use of keys could not be written: %s", error)
