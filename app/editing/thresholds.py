"""Thresholds of guards that operators move: kept in the database, in force for every worker's next turn."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

from app.adapters.threshold_store import MovedThreshold, ThresholdStore
from app.safety.tuning import TUNABLE, Dial, Tunable, Tuning
from app.toolbox.registry import ToolRegistry

log = logging.getLogger(__name__)

Changing = Callable[[str, str], AbstractAsyncContextManager[Any]]
"""(guard, author): a change inside reaches every worker."""


class ThresholdDesk:
    """Moves thresholds. A turn that has begun may end by either value."""

    def __init__(self, tuning: Tuning, store: ThresholdStore, registry: ToolRegistry, changing: Changing) -> None:
        """`registry` is renumbered by each change, so that copies of this process learn of it."""
        self._tuning, self._store, self._registry, self._changing = tuning, store, registry, changing
        self._moving = asyncio.Lock()

    def dials(self) -> tuple[Dial, ...]:
        """How each threshold stands."""
        return tuple(map(self._tuning.dial, TUNABLE))

    def dial(self, guard: Tunable) -> Dial:
        """How one stands."""
        return self._tuning.dial(guard)

    async def moved(self) -> dict[str, MovedThreshold]:
        """Which are moved, with who did it and why; those that a new release brought another of are left out.

        Raises Unavailable.
        """
        return {guard: item for guard, item in (await self._store.moved()).items() if self._holds(guard, item)}

    async def restore(self) -> None:
        """Put in force what the database says. Raises Unavailable."""
        kept = await self._store.moved()
        for guard, item in kept.items():
            if not self._holds(guard, item):
                log.warning("the threshold of %s was moved from %g, which is no longer shipped", guard, item.shipped)
        self._tuning.put({guard: kept[guard].value for guard in TUNABLE if self._holds(guard, kept.get(guard))})

    async def move(self, guard: Tunable, value: float, reason: str, author: str) -> tuple[Dial, Dial]:
        """Put a threshold in force, over restarts too; answers how it stood and how it stands.

        Raises OutOfRange, Conflict and Unavailable as every change that all workers share.
        """
        async with self._moving:
            before, wanted = self._tuning.dial(guard), self._tuning.checked(guard, value)
            if wanted == before.value:
                return before, before
            kept = await self._store.moved()
            try:
                async with self._changing(guard, author):
                    await self._store.move(guard, wanted, before.shipped, reason, author)
                    await self._in_force()
            except BaseException:
                await self._store.put_back(kept)
                await self._in_force()
                raise
            return before, self._tuning.dial(guard)

    async def _in_force(self) -> None:
        await self.restore()
        await asyncio.to_thread(self._registry.renumber, self._registry.snapshot().version + 1)

    def _holds(self, guard: str, item: MovedThreshold | None) -> bool:
        return item is not None and any(
            dial.guard == guard and dial.shipped == item.shipped and dial.low <= item.value <= dial.high
            for dial in self.dials()
        )
