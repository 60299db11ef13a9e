"""What reads a question and judges an answer, done in the twin process where there is one: both guards' verdicts and
the route.

All of it only computes, from a few plain values of the state and what is open since the start; together it is a third
of a turn. Without a twin, or with one that is busy or knows another tool set, it is done here, with the same outcome.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

from app.access import Principal
from app.adapters.twin_process import TwinAway
from app.graph.turn import TurnContext

Step = Callable[..., Any]
"""A function of a module, so that its name can be told: of the turn's context and plain values."""

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


class Steps:
    """The other side: does in the copy what `computed` asks for."""

    def __init__(self, make_context: Callable[[Principal, str, str], TurnContext]) -> None:
        # The same for all steps of a turn, so that a text is read once.
        self._turn = lru_cache(maxsize=_TURNS)(lambda who, run_id: make_context(who, "", run_id))

    def __call__(self, request: tuple[Step, Principal, str, tuple[Any, ...]]) -> Any:
        """What the step makes of it."""
        step, principal, run_id, given = request
        return step(self._turn(principal, run_id), *given)
