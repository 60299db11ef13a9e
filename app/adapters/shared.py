"""Redis: what the workers of one service tell each other. Everything here may be lost at any moment.

What must not be lost or wrong stands in Postgres (shared_store.py, checkpoints.py). While Redis is away a call fails at
once with Unavailable, and its caller goes on by the rule that docs/operations.md names; nothing waits for it.
"""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from app.errors import StartError, Unavailable
from app.messages import worded
from app.settings import Settings

log = logging.getLogger(__name__)

News = Callable[[dict[str, Any]], None]
PREFIX = "assistant"
_CALL_TIMEOUT_S, _REST_S, _AGAIN_S = 1.0, 0.5, 0.3
_ALIVE_MS, _ALIVE_EVERY_S = 6_000, 2.0
_DOWN = worded("redis.unavailable")


def key(*parts: str) -> str:
    """A key of ours."""
    return ":".join((PREFIX, *parts))


class Shared:
    """One worker's line to the others."""

    def __init__(self, url: str, worker: str, failed: Callable[[str], None] = lambda what: None) -> None:
        """`failed` hears of every call that did not come through."""
        # 7 MB that a single worker never uses.
        from redis.asyncio import Redis  # noqa: PLC0415
        from redis.asyncio.retry import Retry  # noqa: PLC0415
        from redis.backoff import NoBackoff  # noqa: PLC0415
        from redis.exceptions import RedisError  # noqa: PLC0415

        self.worker, self._failed = worker, failed
        self._faults: tuple[type[Exception], ...] = (RedisError, OSError, TimeoutError)
        # One more try at once: a connection that a restarted Redis has dropped is replaced.
        self._redis: Redis = Redis.from_url(
            url, socket_timeout=_CALL_TIMEOUT_S, socket_connect_timeout=_CALL_TIMEOUT_S, decode_responses=True,
            retry=Retry(NoBackoff(), 1),
        )  # fmt: skip
        self._down_until = 0.0
        self._handlers: dict[str, News] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def call(self, what: str, make: Callable[[Any], Awaitable[Any]]) -> Any:
        """What `make` answers. Raises Unavailable when Redis does not answer in a second, and at once for a short
        while after that."""
        if time.monotonic() < self._down_until:
            self._failed(what)
            raise Unavailable(_DOWN)
        try:
            async with asyncio.timeout(_CALL_TIMEOUT_S):
                return await make(self._redis)
        except self._faults as error:
            self._down_until = time.monotonic() + _REST_S
            self._failed(what)
            log.warning("Redis: %s (%s: %s)", what, type(error).__name__, error)
            raise Unavailable(_DOWN) from error

    async def tell(self, kind: str, **news: Any) -> None:
        """Tell every worker, this one too. Raises Unavailable."""
        text = json.dumps({**news, "kind": kind}, ensure_ascii=False)
        await self.call("publish", lambda redis: redis.publish(key("news"), text))

    def on(self, kind: str, handler: News) -> None:
        """`handler` hears news of this kind; it must not block."""
        self._handlers[kind] = handler

    async def alive(self, worker: str) -> bool:
        """True while a worker shows that it lives. Raises Unavailable."""
        return bool(await self.call("alive", lambda redis: redis.exists(key("worker", worker))))

    async def start(self) -> None:
        """Begin to listen and to show that this worker lives."""
        await self._show()
        self._tasks = [asyncio.create_task(self._showing()), asyncio.create_task(self._listening())]

    async def ping(self) -> None:
        """Raises Unavailable when Redis does not answer."""
        await self.call("ping", lambda redis: redis.ping())

    async def close(self) -> None:
        """Stop; the others see at once that this worker is gone."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        try:
            await self.call("leave", lambda redis: redis.delete(key("worker", self.worker)))
        except Unavailable:
            log.info("Redis is away; the others will see in %d s that this worker left", _ALIVE_MS // 1000)
        await self._redis.aclose()

    async def _show(self) -> None:
        await self.call("alive", lambda redis: redis.set(key("worker", self.worker), "1", px=_ALIVE_MS))

    async def _showing(self) -> None:
        while True:
            await asyncio.sleep(_ALIVE_EVERY_S)
            try:
                await self._show()
            except Unavailable:
                continue

    async def _listening(self) -> None:
        while True:
            try:
                async with self._redis.pubsub() as line:
                    await line.subscribe(key("news"))
                    self._hear({"kind": "connected"})
                    while True:
                        message = await line.get_message(ignore_subscribe_messages=True, timeout=_CALL_TIMEOUT_S / 2)
                        if message is not None:
                            self._hear(json.loads(message["data"]))
            except self._faults as error:
                log.warning("Redis: the line to the other workers broke (%s); trying again", type(error).__name__)
                await asyncio.sleep(_AGAIN_S)

    def _hear(self, news: dict[str, Any]) -> None:
        handler = self._handlers.get(news["kind"])
        if handler is not None:
            handler(news)


async def open_shared(settings: Settings, worker: str, failed: Callable[[str], None] = lambda what: None) -> Shared:
    """The line to the other workers. Raises StartError when Redis does not answer."""
    assert settings.redis_url is not None
    shared = Shared(settings.redis_url.get_secret_value(), worker, failed)
    try:
        await shared.ping()
    except Unavailable as error:
        await shared.close()
        raise StartError(worded("redis.cannot_connect")) from error
    return shared
