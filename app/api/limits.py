"""Limits that are held in memory, and in bounded memory: token buckets by name, and open streams by principal."""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

from app.adapters import shared_limits
from app.adapters.shared import Shared
from app.errors import TooManyRequests, Unavailable

MOST_BUCKETS = 10_000


class TokenBuckets:
    """One bucket a name: `per_minute` at once, refilled evenly over a minute. The names used longest ago are
    forgotten beyond MOST_BUCKETS."""

    def __init__(self, per_minute: int, what: str, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.per_minute = per_minute
        self._size, self._rate = float(per_minute), per_minute / 60
        self._what, self._clock = what, clock
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def spend(self, name: str) -> None:
        """Take one. Raises TooManyRequests when the bucket is empty."""
        left = self._now(name)
        if left < 1:
            raise self._empty(left)
        self._left[name] = (left - 1, self._clock())
        self._left.move_to_end(name)
        while len(self._left) > MOST_BUCKETS:
            self._left.popitem(last=False)

    def check(self, name: str) -> None:
        """Raises TooManyRequests when the bucket is empty; takes nothing."""
        if (left := self._now(name)) < 1:
            raise self._empty(left)

    def _now(self, name: str) -> float:
        left, at = self._left.get(name, (self._size, 0.0))
        return min(self._size, left + (self._clock() - at) * self._rate)

    def _empty(self, left: float) -> TooManyRequests:
        return self.refused(max(1, math.ceil((1 - left) / self._rate - 1e-9)))

    def refused(self, wait: int) -> TooManyRequests:
        """What a caller is told who has to wait, in seconds."""
        return TooManyRequests(f"{self._what} 너무 많습니다. {wait}초 뒤에 다시 시도해 주세요.", wait)


class StreamSlots:
    """How many event streams a principal may hold open at once."""

    def __init__(self, most: int) -> None:
        self.most = most
        self._open: Counter[str] = Counter()

    def refused(self) -> TooManyRequests:
        """What a caller is told who has none left."""
        return TooManyRequests(
            f"동시에 받을 수 있는 답변은 {self.most}개입니다. 앞의 답변이 끝난 뒤 다시 시도해 주세요.", 5
        )

    @contextmanager
    def slot(self, name: str | None) -> Iterator[None]:
        """Hold one slot; `None` is not counted. Raises TooManyRequests when all are taken."""
        if name is None:
            yield
            return
        if self._open[name] >= self.most:
            raise self.refused()
        self._open[name] += 1
        try:
            yield
        finally:
            self._open[name] -= 1
            if not self._open[name]:
                del self._open[name]


class SharedBuckets:
    """A bucket over all workers where there are several, else of this process. While Redis is away each worker counts
    for itself: at most as many times the limit as there are workers."""

    def __init__(self, local: TokenBuckets, shared: Shared | None, what: str) -> None:
        self.local, self._shared, self._what = local, shared, what

    async def spend(self, name: str) -> None:
        """Take one. Raises TooManyRequests when the bucket is empty."""
        await self._take(name, 1)

    async def check(self, name: str) -> None:
        """Raises TooManyRequests when the bucket is empty; takes nothing."""
        await self._take(name, 0)

    async def _take(self, name: str, amount: int) -> None:
        if self._shared is not None:
            try:
                wait = await shared_limits.spend(self._shared, self._what, name, self.local.per_minute, amount)
            except Unavailable:
                wait = None
            if wait is not None:
                if wait:
                    raise self.local.refused(wait)
                return
        if amount:
            self.local.spend(name)
        else:
            self.local.check(name)


class SharedSlots:
    """Open streams over all workers; while Redis is away, of each worker for itself."""

    def __init__(self, local: StreamSlots, shared: Shared | None) -> None:
        self._local, self._shared = local, shared

    @asynccontextmanager
    async def slot(self, name: str | None) -> AsyncIterator[None]:
        """Hold one slot; `None` is not counted. Raises TooManyRequests when all are taken."""
        with self._local.slot(name):
            token: str | None = None
            if self._shared is not None and name is not None:
                try:
                    token = await shared_limits.hold_slot(self._shared, name, self._local.most)
                except Unavailable:
                    yield
                    return
                if token is None:
                    raise self._local.refused()
            try:
                yield
            finally:
                if token is not None and self._shared is not None and name is not None:
                    with suppress(Unavailable):
                        await shared_limits.free_slot(self._shared, name, token)
