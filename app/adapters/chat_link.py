"""The way to one provider: when to try again, when not to try at all, and what it has done so far."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from app.adapters.chat_faults import COUNTED, ProviderFault
from app.adapters.chat_waits import FirstSigns

Clock = Callable[[], float]


class CircuitBreaker:
    """Closed: calls pass. After `failures` in a row it is open for `open_s` seconds and no call passes; then one call
    may try, and its end decides."""

    def __init__(self, failures: int, open_s: float, clock: Clock = time.monotonic) -> None:
        self._failures, self._open_s, self._clock = failures, open_s, clock
        self._row = 0
        self._opened_at: float | None = None
        self._probing = False

    @property
    def state(self) -> str:
        """closed, open or half-open."""
        if self._opened_at is None:
            return "closed"
        return "half-open" if self._clock() - self._opened_at >= self._open_s else "open"

    def admit(self) -> None:
        """Let a call pass. Raises ProviderFault (`open`)."""
        if self._opened_at is None:
            return
        if self.state == "open" or self._probing:
            raise ProviderFault("open")
        self._probing = True

    def succeeded(self) -> None:
        self._row, self._opened_at, self._probing = 0, None, False

    def failed(self) -> None:
        self._row += 1
        self._probing = False
        if self._row >= self._failures:
            self._opened_at = self._clock()

    def left(self) -> None:
        """The call ended without telling anything of the provider (cancelled, a question it refuses)."""
        self._probing = False


@dataclass
class ProviderStats:
    """Counts of this process since it started."""

    calls: int = 0
    failed: int = 0
    retried: int = 0
    fallbacks: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost_usd: float = 0.0
    last_fault: str | None = None


class ProviderLink:
    """One endpoint as all its models share it."""

    def __init__(
        self,
        *,
        attempts: int,
        retry_budget_s: float,
        breaker: CircuitBreaker,
        base_wait_s: float = 0.5,
        first_token_s: float = 8.0,
    ) -> None:
        self.breaker, self.stats, self.first_signs = breaker, ProviderStats(), FirstSigns(first_token_s)
        self._attempts, self._budget_s, self._base_wait_s = attempts, retry_budget_s, base_wait_s

    def retrying(self, pause_s: float | None = None) -> AsyncRetrying:
        """Tries again what can heal: after what the provider asked for, else after a growing, random pause.

        Not where the pauses would come to more than `pause_s`.
        """
        allowed_s = self._budget_s if pause_s is None else min(self._budget_s, pause_s)
        jitter = wait_random_exponential(multiplier=self._base_wait_s, max=4.0)

        def wait(state: RetryCallState) -> float:
            error = state.outcome.exception() if state.outcome else None
            asked = error.retry_after_s if isinstance(error, ProviderFault) else None
            return jitter(state) if asked is None else asked

        def count(_: RetryCallState) -> None:
            self.stats.retried += 1

        return AsyncRetrying(
            stop=stop_after_attempt(self._attempts) | stop_before_delay(allowed_s),
            wait=wait,
            retry=retry_if_exception(lambda error: isinstance(error, ProviderFault) and error.retryable),
            before_sleep=count,
            sleep=asyncio.sleep,
            reraise=True,
        )

    def begin(self) -> None:
        """A call starts. Raises ProviderFault while the breaker is open."""
        self.breaker.admit()
        self.stats.calls += 1

    def end(self, fault: ProviderFault | None) -> None:
        """A call has ended."""
        if fault is None:
            self.breaker.succeeded()
            return
        self.stats.failed += 1
        self.stats.last_fault = fault.kind
        if fault.kind in COUNTED:
            self.breaker.failed()
        else:
            self.breaker.left()

    def health(self) -> dict[str, Any]:
        """What health shows; no address and no secret."""
        stats = self.stats
        return {
            "breaker": self.breaker.state,
            "calls": stats.calls,
            "failed": stats.failed,
            "retried": stats.retried,
            "fallbacks": stats.fallbacks,
            "input_tokens": stats.input_tokens,
            "output_tokens": stats.output_tokens,
            "cost_usd": round(stats.cost_usd, 6),
            "last_fault": stats.last_fault,
            "first_token_limit_s": round(self.first_signs.limit_s(), 2),
        }
