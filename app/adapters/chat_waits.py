"""How long a person waits for a provider's model: one account a turn, and when a call is given up for the planner.

A model that keeps a person waiting is worse than the planner's answer at once. What counts is the time with nothing to
read: silence, pauses before another try, thoughts, tool calls being written.
"""

from __future__ import annotations

import asyncio
import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from app.adapters.chat_faults import FaultKind, ProviderFault

# The stretch over which a model's speed is measured: endpoints send in bursts, and pause for a second or two.
_WINDOW_S = 4.0
# … and what is left of it where the turn's waiting is nearly used up.
_LEAST_WINDOW_S = 1.0
# A provider's own pace: its slowest one in a hundred calls, three times over, but not hastier than this.
_REMEMBERED, _ENOUGH, _SLOWEST, _TIMES, _LEAST_LIMIT_S = 200, 20, 0.99, 3.0, 3.0
# With less than this a call need not begin.
_TOO_LITTLE_S = 0.1


@dataclass(frozen=True)
class WaitLimits:
    """What a person waits in one turn with nothing to read, at most; with thoughts coming in, `thinking_s`.

    `letters_per_s` is asked of a model once it has begun; 0 asks nothing.
    """

    first_token_s: float
    thinking_s: float
    letters_per_s: float

    def side_question_s(self, waited: Waited) -> float:
        """How long a side question may take: half of what is left, so that the answer keeps the other half."""
        return max(self.first_token_s - waited.silent_s, 0.0) / 2


@dataclass
class Waited:
    """What a person has waited for the model in this turn with nothing to read, seconds.

    `silent_s` leaves out the time in which thoughts came in.
    """

    silent_s: float = 0.0
    unseen_s: float = 0.0

    def add(self, unseen_s: float, silent_s: float | None = None) -> None:
        """So long there was nothing to read, and no sign of life for `silent_s` of it (all of it if not given)."""
        self.unseen_s += unseen_s
        self.silent_s += unseen_s if silent_s is None else silent_s


class FirstSigns:
    """How long one provider takes to its first sign of life, learned from its calls."""

    def __init__(self, most_s: float) -> None:
        self._most_s = most_s
        self._took: deque[float] = deque(maxlen=_REMEMBERED)

    def took(self, seconds: float) -> None:
        """A call gave its first sign after so long."""
        self._took.append(min(seconds, self._most_s))

    def missed(self, seconds: float) -> None:
        """Nothing had come when the call was given up: it counts as twice as long, so that a provider that has become
        slower is given more time again."""
        self.took(seconds * 2)

    def limit_s(self) -> float:
        """How long to wait for the first sign: at most the setting, less for a provider known to be quick."""
        if len(self._took) < _ENOUGH:
            return self._most_s
        slowest = sorted(self._took)[math.ceil(_SLOWEST * len(self._took)) - 1]
        return min(max(slowest * _TIMES, _LEAST_LIMIT_S), self._most_s)


class CallWatch:
    """Watches one call of a provider's model, other tries and their pauses included. `limits` is None where nobody else
    could answer: then only the call's whole time is bounded."""

    def __init__(self, limits: WaitLimits | None, waited: Waited, firsts: FirstSigns, whole_s: float) -> None:
        self._limits, self._waited, self._firsts, self._whole_s = limits, waited, firsts, max(whole_s, 0.0)
        self._began = 0.0
        self._first: float | None = None
        self._visible: float | None = None
        self._thought = False
        self._heard: deque[tuple[float, int]] = deque()
        self._clock: asyncio.Timeout | None = None
        self.why: FaultKind = "timeout"

    @property
    def silence_s(self) -> float:
        """How long the call may be silent from its begin on."""
        if self._limits is None:
            return self._whole_s
        left = self._limits.first_token_s - self._waited.silent_s
        return max(min(left, self._unseen_left, self._firsts.limit_s(), self._whole_s), 0.0)

    @property
    def hopeless(self) -> bool:
        """Whether the person has waited so long already that another call makes no sense."""
        return self.silence_s < _TOO_LITTLE_S

    @property
    def pause_s(self) -> float:
        """The longest pause before another try that leaves this try as much time again."""
        return (self._began + self.silence_s - _now()) / 2

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """While the call runs. Raises TimeoutError when it is given up; `why` then says for what."""
        self._began = _now()
        given_up = False
        try:
            async with asyncio.timeout(self.silence_s) as self._clock:
                yield
        except TimeoutError:
            given_up = True
            raise
        finally:
            self._account(given_up=given_up)

    def heard(self, letters: int, *, thought: bool = False, visible: bool = False, ended: bool = False) -> None:
        """A piece came: its letters (blanks are none), whether they were thoughts, whether any is for people to read,
        and whether it was the last one. Raises ProviderFault when the call was given up before."""
        if not letters and not ended:
            return
        now = _now()
        if self._first is None:
            self._first = now
            self._firsts.took(now - self._began)
        self._thought = self._thought or thought
        if visible and self._visible is None:
            self._visible = now
        self._heard.append((now, letters))
        if self._clock is None:
            return
        if self._clock.expired():
            # Given up already, but the cancellation was lost on its way through somebody's code.
            raise ProviderFault(self.why)
        deadlines: dict[float, FaultKind] = {self._began + self._whole_s: "timeout"}
        if self._limits is not None and not ended:
            if self._limits.letters_per_s:
                deadlines[self._falls_behind(self._limits)] = "trickle"
            if self._visible is None:
                deadlines[self._began + self._unseen_left] = "thinking" if self._thought else "timeout"
        at = min(deadlines)
        self.why = deadlines[at]
        self._clock.reschedule(at)

    @property
    def _unseen_left(self) -> float:
        assert self._limits is not None
        return max(self._limits.thinking_s, self._limits.first_token_s) - self._waited.unseen_s

    def _falls_behind(self, limits: WaitLimits) -> float:
        """When the model will have been too slow over a window, if nothing more comes."""
        assert self._first is not None
        newest = self._heard[-1][0]
        while self._heard[0][0] < newest - _WINDOW_S:
            self._heard.popleft()
        wanted, sum_ = limits.letters_per_s * _WINDOW_S, 0
        for at, letters in reversed(self._heard):
            sum_ += letters
            if sum_ >= wanted:
                return at + _WINDOW_S
        left = limits.first_token_s - self._waited.silent_s - (self._first - self._began)
        first_window = min(max(left, _LEAST_WINDOW_S), _WINDOW_S)
        if newest - self._first < first_window and sum_ < limits.letters_per_s * first_window:
            return self._first + first_window
        return max(self._first + _WINDOW_S, newest)

    def _account(self, *, given_up: bool) -> None:
        """Add this call to what the person has waited, and to what is known of the provider."""
        now = _now()
        unseen = (self._visible or now) - self._began
        in_silence = (self._first or now) - self._began
        self._waited.add(unseen, in_silence if self._thought else None)
        if given_up and self._first is None and in_silence >= self._firsts.limit_s():
            self._firsts.missed(in_silence)


def _now() -> float:
    return asyncio.get_running_loop().time()
