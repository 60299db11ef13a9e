"""Limits that are held in memory, and in bounded memory: token buckets by name, and open streams by principal."""

from __future__ import annotations

import math
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from app.errors import TooManyRequests

MOST_BUCKETS = 10_000


class TokenBuckets:
    """One bucket a name: `per_minute` at once, refilled evenly over a minute. The names used longest ago are
    forgotten beyond MOST_BUCKETS."""

    def __init__(self, per_minute: int, what: str, *, clock: Callable[[], float] = time.monotonic) -> None:
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
        wait = max(1, math.ceil((1 - left) / self._rate - 1e-9))
        return TooManyRequests(f"{self._what} 너무 많습니다. {wait}초 뒤에 다시 시도해 주세요.", wait)


class StreamSlots:
    """How many event streams a principal may hold open at once."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._open: Counter[str] = Counter()

    @contextmanager
    def slot(self, name: str | None) -> Iterator[None]:
        """Hold one slot; `None` is not counted. Raises TooManyRequests when all are taken."""
        if name is None:
            yield
            return
        if self._open[name] >= self._most:
            raise TooManyRequests(
                f"동시에 받을 수 있는 답변은 {self._most}개입니다. 앞의 답변이 끝난 뒤 다시 시도해 주세요.", 5
            )
        self._open[name] += 1
        try:
            yield
        finally:
            self._open[name] -= 1
            if not self._open[name]:
                del self._open[name]
