"""The request and the run that the code now works for, for log lines."""

from __future__ import annotations

from contextvars import ContextVar

REQUEST_ID: ContextVar[str] = ContextVar("request_id", default="")
RUN_ID: ContextVar[str] = ContextVar("run_id", default="")
