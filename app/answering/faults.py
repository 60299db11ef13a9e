"""What another program says went wrong, as one sentence out of whatever it answered."""

from __future__ import annotations

from typing import Any

from app.answering.parsing import parsed

# RFC 9457 and what APIs use beside it, the plainest first.
_SENTENCES = ("message", "detail", "error_description", "error_message", "errorMessage", "msg", "reason", "description")
_HOLDERS = ("error", "errors", "fault", "exception", "detail", "title")
_DENIED = ("success", "ok")
_MOST, _MOST_DEPTH = 200, 5


def fault_of(value: Any) -> str:
    """The sentence of an error's body: its message wherever it stands; '' when it has none (a page, a bare code)."""
    return _sentence(parsed(value), 0)


def is_fault(value: Any) -> bool:
    """Whether a result says itself that it failed."""
    if not isinstance(value, dict):
        return False
    if any(isinstance(item, dict | list) and item for key, item in value.items() if key not in _HOLDERS):
        return False  # something was found beside it
    return any(value.get(key) is False for key in _DENIED) or any(value.get(key) for key in _HOLDERS[:4])


def _sentence(value: Any, depth: int) -> str:
    if isinstance(value, str):
        line = " ".join(value.split())
        return "" if line.startswith("<") else line[:_MOST]
    if depth > _MOST_DEPTH:
        return ""
    if isinstance(value, list):
        return next((told for item in value if (told := _sentence(item, depth + 1))), "")
    if isinstance(value, dict):
        keys = [key for key in _SENTENCES if isinstance(value.get(key), str)] + [k for k in _HOLDERS if k in value]
        return next((told for key in keys if (told := _sentence(value[key], depth + 1))), "")
    return ""
