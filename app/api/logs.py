"""Log lines that nobody can forge and that hold no personal data."""

from __future__ import annotations

import json
import logging
from datetime import UTC, datetime
from typing import Any

from app.adapters.log_context import REQUEST_ID, RUN_ID
from app.adapters.plain_lines import one_line
from app.safety.personal_data import shipped_masker

LINE = "%(asctime)s %(levelname)s %(name)s %(message)s"
_MOST_CHARS = 8000


class SafeFormatter(logging.Formatter):
    """Masks personal data; writes line breaks and control characters of a message as `\\uXXXX`. The lines of a
    traceback are indented, so that none of them can pass for an entry of its own.

    A record with `unmasked` set (the first admin key, once) keeps its digits.
    """

    def __init__(self) -> None:
        super().__init__(LINE)
        self._masker = shipped_masker()

    def format(self, record: logging.LogRecord) -> str:
        """One line, and the indented lines of a traceback."""
        text = self._safe(record, record.getMessage())
        plain = logging.makeLogRecord({**record.__dict__, "msg": text, "args": (), "exc_info": None, "exc_text": None})
        plain.stack_info = None
        lines = [super().format(plain)]
        if record.exc_info:
            lines += [f"  | {self._safe(record, line)}" for line in self.formatException(record.exc_info).splitlines()]
        if record.stack_info:
            lines += [f"  | {self._safe(record, line)}" for line in record.stack_info.splitlines()]
        return "\n".join(lines)

    def _safe(self, record: logging.LogRecord, text: str) -> str:
        text = one_line(text, _MOST_CHARS)
        return text if getattr(record, "unmasked", False) else self._masker.mask(text).text


class JsonFormatter(SafeFormatter):
    """The same lines, one JSON object each, with the request and the run that they belong to."""

    def format(self, record: logging.LogRecord) -> str:
        """One line."""
        told: dict[str, Any] = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": self._safe(record, record.getMessage()),
            "request_id": REQUEST_ID.get() or None,
            "run_id": RUN_ID.get() or None,
        }
        if record.exc_info:
            told["traceback"] = [
                self._safe(record, line) for line in self.formatException(record.exc_info).splitlines()
            ]
        return json.dumps({key: value for key, value in told.items() if value is not None}, ensure_ascii=False)
