"""What goes wrong between us and a provider's chat model, told apart by what helps: try again, wait, or do without."""

from __future__ import annotations

from typing import Literal

from app.errors import Unavailable
from app.messages import worded

FaultKind = Literal[
    "rate_limited",  # 429
    "server",  # 5xx
    "connection",  # nobody there, or the line broke before the first piece
    "timeout",  # there, but silent
    "trickle",  # it has begun, but so slowly that nobody would wait for the end
    "thinking",  # nothing but thoughts for too long
    "broken_stream",  # the line broke, or the stream ended without saying so, after a first piece
    "garbled",  # no answer of the protocol
    "auth",  # key, credit or right missing
    "model",  # no such model
    "too_long",  # more tokens than the model takes
    "filtered",  # the provider's content filter
    "refused",  # any other 4xx
    "open",  # the circuit breaker: not asked at all
    "empty",  # nothing said and nothing called
    "language",  # another language than the question's
    "budget",  # what a day may cost is used up: not asked at all
    "leak",  # it repeats what is ours alone: the prompt, a tool's schema
]

MESSAGES: dict[str, str] = {
    "auth": worded("chat_faults.key_refused"),
    "model": worded("chat_faults.no_model"),
    "budget": worded("chat_faults.budget"),
    "too_long": worded("chat_faults.too_long"),
    "filtered": worded("chat_faults.blocked"),
}
DOWN = worded("chat_faults.unavailable")

# What another try can heal. A silent provider is not among them: the person has waited once already.
RETRYABLE: frozenset[FaultKind] = frozenset({"rate_limited", "server", "connection"})
# What tells of the endpoint rather than of this one question.
COUNTED: frozenset[FaultKind] = frozenset(
    {
        "rate_limited",
        "server",
        "connection",
        "timeout",
        "trickle",
        "thinking",
        "broken_stream",
        "garbled",
        "auth",
        "model",
    }
)


class ProviderFault(Unavailable):
    """The provider's model gave no answer. `kind` says why; the message is ours, never the provider's.

    `retry_after_s`: how long the provider asked to wait. `status`: its HTTP status, if there was one.
    """

    def __init__(self, kind: FaultKind, *, retry_after_s: float | None = None, status: int | None = None) -> None:
        self.kind, self.retry_after_s, self.status = kind, retry_after_s, status
        super().__init__(MESSAGES.get(kind, DOWN))

    @property
    def retryable(self) -> bool:
        return self.kind in RETRYABLE
