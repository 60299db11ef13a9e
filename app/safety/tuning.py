"""The thresholds that an operator may move: how sure a guard must be before it stops something.

What a guard's rules find is stopped at any threshold; only what its classifier alone finds hangs on it. The range is
bounded, so that no guard can be switched off.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

from app.errors import OutOfRange
from app.safety.domain import DomainCheck
from app.safety.injection import InjectionCheck
from app.safety.phrases import PhraseChecker

Tunable = Literal["injection", "domain", "phrase"]
TUNABLE: tuple[Tunable, ...] = get_args(Tunable)

# How far a threshold may be moved from the shipped one, in log-odds: down (stricter) and up.
_DOWN, _UP = 2.5, 3.0
_STEPS = 12


@dataclass(frozen=True)
class Dial:
    """One threshold. What scores `value` or more is stopped; `shipped` is what the files came with."""

    guard: Tunable
    value: float
    shipped: float
    low: float
    high: float

    def points(self) -> tuple[float, ...]:
        """Values over the whole range, ascending, with the shipped one and the one in force among them."""
        first, last = _log_odds(self.guard, self.low), _log_odds(self.guard, self.high)
        even = (first + (last - first) * step / _STEPS for step in range(_STEPS + 1))
        inner = {_from_log_odds(self.guard, at) for at in even}
        return tuple(sorted({round(at, 4) for at in inner} | {self.shipped, self.value}))


@dataclass(frozen=True)
class Guards:
    """The guards that have a threshold."""

    injection: InjectionCheck
    domain: DomainCheck
    phrases: PhraseChecker

    def threshold(self, guard: Tunable) -> float:
        """The one in force."""
        match guard:
            case "injection":
                return self.injection.block_at
            case "domain":
                return self.domain.threshold
            case "phrase":
                return self.phrases.block_at or 0.0

    def put(self, guard: Tunable, value: float) -> None:
        """In force from the next text on."""
        match guard:
            case "injection":
                self.injection.put(value)
            case "domain":
                self.domain.put(value)
            case "phrase":
                self.phrases.put(value)

    def over(self, guard: Tunable, value: float) -> Guards:
        """The same guards with one threshold moved, beside these."""
        match guard:
            case "injection":
                return Guards(self.injection.over(value), self.domain, self.phrases)
            case "domain":
                return Guards(self.injection, self.domain.over(value), self.phrases)
            case "phrase":
                return Guards(self.injection, self.domain, self.phrases.over(value))


class Tuning:
    """The thresholds of one process. Guards are asked by several threads; each text is judged by one value."""

    def __init__(self, guards: Guards) -> None:
        """`guards` as they are shipped."""
        self.guards = guards
        self._exact = {guard: guards.threshold(guard) for guard in TUNABLE}
        self._shipped = {guard: round(value, 4) for guard, value in self._exact.items()}

    def dial(self, guard: Tunable) -> Dial:
        """How a threshold stands now."""
        shipped = self._shipped[guard]
        middle = _log_odds(guard, shipped)
        low, high = (round(_from_log_odds(guard, at), 4) for at in (middle - _DOWN, middle + _UP))
        if guard == "injection":
            low = max(low, math.ceil(self.guards.injection.least_block_at * 1000) / 1000)
        return Dial(guard, round(self.guards.threshold(guard), 4), shipped, low, high)

    def checked(self, guard: Tunable, value: float) -> float:
        """The value as it would be in force. Raises OutOfRange."""
        dial = self.dial(guard)
        if not dial.low <= value <= dial.high:
            raise OutOfRange(dial.low, dial.high)
        return round(value, 4)

    def moved(self) -> dict[Tunable, float]:
        """The thresholds that are not the shipped ones."""
        dials = map(self.dial, TUNABLE)
        return {dial.guard: dial.value for dial in dials if dial.value != dial.shipped}

    def put(self, moved: Mapping[Tunable, float]) -> None:
        """Exactly these are moved from now on, the others as they were shipped."""
        for guard in TUNABLE:
            self.guards.put(guard, moved.get(guard, self._exact[guard]))


def _log_odds(guard: Tunable, value: float) -> float:
    """On the scale on which steps are even; the judge of outsiders is held against a probability."""
    return math.log(value / (1 - value)) if guard == "domain" else value


def _from_log_odds(guard: Tunable, value: float) -> float:
    return 1 / (1 + math.exp(-value)) if guard == "domain" else value
