"""What reads a question and judges an answer, done in the twin process where there is one: both guards' verdicts and
the route.

All of it only computes, from a few plain values of the state and what is open since the start; together it is a third
of a turn. Without a twin, or with one that is busy or knows another tool set, it is done here, with the same outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache
from typing import Any, TypeVar

from app.access import Principal
from app.adapters.twin_process import TwinAway
from app.graph.turn import Judges, StepContext, TurnContext
from app.safety.tuning import Tunable, Tuning
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import ToolEntry, ToolSnapshot

Step = Callable[..., Any]
"""A function of a module, so that its name can be told: of a StepContext and plain values."""

T = TypeVar("T")

_TURNS = 64


async def computed(turn: TurnContext, step: Callable[..., T], *given: Any) -> T:
    """`step(turn, *given)`."""
    twin = turn.services.twin
    if twin is not None:
        try:
            found: T = await twin.ask(turn.snapshot.version, (step, turn.principal, turn.run_id, given))
            return found
        except TwinAway:
            pass
    return step(turn, *given)


@dataclass(frozen=True)
class ToolNews:
    """How a tool set differs from the one that a copy began with. `embeds`: it is indexed with vectors.

    `moved` are the thresholds of guards that are not the shipped ones.
    """

    version: int
    names: tuple[str, ...]
    changed: tuple[ToolEntry, ...]
    embeds: bool
    moved: Mapping[Tunable, float] = field(default_factory=dict)

    @classmethod
    def between(
        cls, before: ToolSnapshot, now: ToolSnapshot, moved: Mapping[Tunable, float], *, embeds: bool
    ) -> ToolNews:
        """What somebody who knows the set `before` must learn to know the set `now`."""
        known = {entry.name: entry for entry in before.entries}
        changed = [entry.outlined() for entry in now.entries if known.get(entry.name) is not entry]
        return cls(now.version, now.names(), tuple(changed), embeds, moved)


class Steps:
    """The other side: does in the copy what `computed` asks for."""

    def __init__(self, judges: Judges, registry: ToolRegistry, today: Callable[[], date], tuning: Tuning) -> None:
        """`registry` holds the tool set that the copy begins with, `tuning` the guards of `judges`."""
        self._judges, self._registry, self._today, self._tuning = judges, registry, today, tuning
        self._first = {entry.name: entry for entry in registry.snapshot().entries}
        # The same for all steps of a turn, so that a text is read once.
        self._turn = lru_cache(maxsize=_TURNS)(self._opened)

    def __call__(self, request: tuple[Step, Principal, str, tuple[Any, ...]]) -> Any:
        """What the step makes of it."""
        step, principal, run_id, given = request
        return step(self._turn(principal, run_id), *given)

    def learn(self, news: ToolNews) -> None:
        """Take over the tool set and the thresholds that are now in force."""
        self._tuning.put(news.moved)
        known = self._first | {entry.name: entry for entry in news.changed}
        self._registry.take_over(news.version, [known[name] for name in news.names])
        if not news.embeds:
            self._judges.router.leave_vectors_out()
        self._judges.router.forget_older()
        self._turn.cache_clear()

    def _opened(self, principal: Principal, run_id: str) -> StepContext:
        return StepContext(
            principal=principal,
            today=self._today,
            services=self._judges,
            snapshot=self._registry.snapshot(),
            run_id=run_id,
        )
