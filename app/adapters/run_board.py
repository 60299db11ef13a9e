"""The events of runs where every worker can read them, for ten minutes: resuming and stopping work at any worker."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass
from typing import Any

from app.adapters.shared import Shared, key
from app.errors import Unavailable

log = logging.getLogger(__name__)

KEPT_S = 600


@dataclass(frozen=True)
class PostedRun:
    """Where a run is going on."""

    run_id: str
    owner: str
    worker: str


class RunBoard:
    """Writes this worker's events behind the turn's back, in order; reads any worker's."""

    def __init__(self, shared: Shared) -> None:
        self.shared = shared
        self._waiting: dict[str, list[tuple[int, str, dict[str, Any]]]] = {}
        self._wake = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()
        self._writer = asyncio.create_task(self._writing())

    async def post(self, run_id: str, owner: str) -> None:
        """Show that a run began here. While Redis is away it can be resumed here alone."""
        places = key("run", run_id), key("runs", owner)

        async def write(redis: Any) -> None:
            async with redis.pipeline(transaction=True) as pipe:
                pipe.hset(places[0], mapping={"owner": owner, "worker": self.shared.worker})
                pipe.expire(places[0], KEPT_S)
                pipe.sadd(places[1], run_id)
                pipe.expire(places[1], KEPT_S)
                await pipe.execute()

        try:
            await self.shared.call("post", write)
        except Unavailable:
            log.warning("run %s cannot be resumed at other workers: Redis is away", run_id)

    def put(self, run_id: str, number: int, kind: str, data: dict[str, Any]) -> None:
        """One more event; written soon."""
        self._waiting.setdefault(run_id, []).append((number, kind, data))
        self._idle.clear()
        self._wake.set()

    async def find(self, run_id: str) -> PostedRun | None:
        """The run, wherever it goes on. Raises Unavailable."""
        found: dict[str, str] = await self.shared.call("find run", lambda redis: redis.hgetall(key("run", run_id)))
        return PostedRun(run_id, found["owner"], found["worker"]) if found else None

    async def events(self, run_id: str, after: int) -> list[tuple[int, str, dict[str, Any]]]:
        """The events above `after`. Raises Unavailable."""
        place = key("run", run_id, "events")
        rows = await self.shared.call("events", lambda redis: redis.xrange(place, min=f"({after}-0", max="+"))
        return [(int(row_id.partition("-")[0]), row["type"], json.loads(row["data"])) for row_id, row in rows]

    async def forget(self, owner: str) -> None:
        """Stop an owner's runs at every worker and delete their events. Raises Unavailable."""
        place = key("runs", owner)
        runs: set[str] = await self.shared.call("forget", lambda redis: redis.smembers(place))
        if not runs:
            return
        await self.shared.tell("forget", owner=owner)
        await asyncio.sleep(0.3)
        gone = [place, *(key("run", run) for run in runs), *(key("run", run, "events") for run in runs)]
        await self.shared.call("forget", lambda redis: redis.delete(*gone))

    async def flushed(self, timeout_s: float = 3.0) -> None:
        """Wait until everything is written, for a short while."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._idle.wait()
        except TimeoutError:
            log.warning("the events of %d runs were not written: Redis is away", len(self._waiting))

    async def close(self) -> None:
        """Write what waits, and stop."""
        await self.flushed()
        self._writer.cancel()
        await asyncio.gather(self._writer, return_exceptions=True)

    async def _writing(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._waiting:
                run_id = next(iter(self._waiting))
                batch = self._waiting.pop(run_id)
                try:
                    await self._write(run_id, batch)
                except Unavailable:
                    # what is missing here cannot be resumed elsewhere; the listener at this worker misses nothing
                    continue
            self._idle.set()

    async def _write(self, run_id: str, batch: list[tuple[int, str, dict[str, Any]]]) -> None:
        place = key("run", run_id, "events")

        async def write(redis: Any) -> None:
            async with redis.pipeline(transaction=False) as pipe:
                for number, kind, data in batch:
                    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
                    pipe.xadd(place, {"type": kind, "data": text}, id=f"{number}-0")
                pipe.expire(place, KEPT_S)
                await pipe.execute()

        await self.shared.call("write events", write)
