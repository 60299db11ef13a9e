"""Reads the errors of the OpenAI client library as our own faults; none of its words are taken over."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

import httpx2
import openai

from app.adapters.chat_faults import FaultKind, ProviderFault

# What a client library throws for answers that break the protocol, beside its own errors.
PROTOCOL_ERRORS = (ValueError, TypeError, KeyError, IndexError, AttributeError)
PROVIDER_ERRORS = (openai.OpenAIError, httpx2.HTTPError, httpx2.StreamError, TimeoutError, OSError, *PROTOCOL_ERRORS)

_STATUS: dict[int, FaultKind] = {
    401: "auth", 402: "auth", 403: "auth", 404: "model", 408: "connection", 409: "connection", 413: "too_long",
    429: "rate_limited",
}  # fmt: skip


def fault_of(error: BaseException, *, begun: bool = False) -> ProviderFault:
    """The fault that an error of the client library stands for. `begun`: a first piece had come already."""
    if isinstance(error, ProviderFault):
        return error
    if isinstance(error, openai.APIStatusError):
        return _of_status(error)
    if isinstance(error, openai.APITimeoutError):
        waited_to_connect = isinstance(error.__cause__, httpx2.ConnectTimeout) or isinstance(
            getattr(error.__cause__, "__cause__", None), httpx2.ConnectTimeout
        )
        return ProviderFault("connection" if waited_to_connect else "timeout")
    if isinstance(error, httpx2.TimeoutException | TimeoutError):
        return ProviderFault("timeout")
    if isinstance(error, openai.APIConnectionError | httpx2.TransportError | OSError):
        return ProviderFault("broken_stream" if begun else "connection")
    if isinstance(error, openai.APIError):
        return ProviderFault("filtered" if _filtered(error) else "broken_stream" if begun else "server")
    return ProviderFault("broken_stream" if begun else "garbled")


def _of_status(error: openai.APIStatusError) -> ProviderFault:
    status = error.status_code
    if status == 429 and getattr(error, "code", None) == "insufficient_quota":
        return ProviderFault("auth", status=status)
    if status >= 500:
        return ProviderFault("server", retry_after_s=retry_after(error.response.headers), status=status)
    if status in _STATUS:
        return ProviderFault(_STATUS[status], retry_after_s=retry_after(error.response.headers), status=status)
    if _filtered(error):
        return ProviderFault("filtered", status=status)
    told = str(error.message).lower()
    long = "context_length" in told or "context length" in told or "too long" in told or "maximum context" in told
    overflow = "ContextOverflow" in type(error).__name__
    return ProviderFault("too_long" if long or overflow else "refused", status=status)


def _filtered(error: openai.APIError) -> bool:
    code = str(getattr(error, "code", "") or "")
    return "content_filter" in code or "content_policy" in code or "moderation" in code


def retry_after(headers: httpx2.Headers) -> float | None:
    """The seconds that `retry-after-ms` or `Retry-After` (seconds or a date) asks for; None when it asks nothing."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            return max(float(value) * unit, 0.0)
        except ValueError:
            pass
        try:
            when = parsedate_to_datetime(value)
        except ValueError:
            continue
        return max((when - datetime.now(when.tzinfo or UTC)).total_seconds(), 0.0)
    return None
