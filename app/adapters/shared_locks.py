"""One turn at a time per thread over all workers."""

from __future__ import annotations

import asyncio
import logging
import random
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

from app.adapters.shared import Shared, key
from app.errors import Conflict, Unavailable
from app.messages import worded

log = logging.getLogger(__name__)

_LEAST_WAIT_S, _MOST_WAIT_S = 0.02, 0.15
_LOOK_AT_HOLDER_S = 1.0
_GIVE_BACK = "if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0"
_BUSY = worded("shared_locks.still_answering")


class LocalLocks(Protocol):
    """The locks of this process."""

    def lock(self, key: str) -> AbstractAsyncContextManager[Any]: ...


class SharedLocks:
    """Local lock first, then Redis. A lock whose worker died is taken over as soon as that worker shows no life.

    While Redis is away only the local lock holds; Postgres then refuses to save the second of two turns that two
    workers answer at once (checkpoints.py), so a thread never mixes.
    """

    def __init__(self, shared: Shared, local: LocalLocks, turn_s: float) -> None:
        self._shared, self._local = shared, local
        self._last_ms, self._wait_s = int((turn_s + 10) * 1000), turn_s + 5

    @asynccontextmanager
    async def lock(self, name: str) -> AsyncIterator[None]:
        """Held while a turn goes on. Raises Conflict when another turn takes too long."""
        async with self._local.lock(name):
            place = key("lock", name)
            token = f"{self._shared.worker}|{uuid.uuid4().hex}"
            taken = await self._take(place, token)
            try:
                yield
            finally:
                if taken:
                    await self._give_back(place, token)

    async def _take(self, place: str, token: str) -> bool:
        deadline, looked = time.monotonic() + self._wait_s, time.monotonic()
        pause = _LEAST_WAIT_S
        try:
            while not await self._shared.call("lock", lambda redis: redis.set(place, token, nx=True, px=self._last_ms)):
                if time.monotonic() > deadline:
                    raise Conflict(_BUSY)
                if time.monotonic() - looked > _LOOK_AT_HOLDER_S:
                    looked = time.monotonic()
                    await self._free_from_the_dead(place)
                await asyncio.sleep(pause * random.uniform(0.7, 1.3))
                pause = min(pause * 1.5, _MOST_WAIT_S)
        except Unavailable:
            return False
        return True

    async def _free_from_the_dead(self, place: str) -> None:
        found = await self._shared.call("lock", lambda redis: redis.get(place))
        holder = str(found or "")
        if holder and not await self._shared.alive(holder.partition("|")[0]):
            log.warning("the lock %s of a worker that is gone is taken over", place)
            await self._give_back(place, holder)

    async def _give_back(self, place: str, token: str) -> None:
        try:
            await self._shared.call("unlock", lambda redis: redis.eval(_GIVE_BACK, 1, place, token))
        except Unavailable:
            log.warning("the lock %s could not be given back; it ends by itself", place)
