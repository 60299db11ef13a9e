"""Data that came as text: JSON, or what Python prints for a dict or a list."""

from __future__ import annotations

import ast
import json
from typing import Any

_MOST_PRINTED = 20_000


def parsed(value: Any) -> Any:
    """The record or list that a text holds, else the value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in ("{", "["):
        return value
    try:
        found = json.loads(value)
    except (ValueError, RecursionError):
        found = _printed(value)
    return found if isinstance(found, dict | list) else value


def _printed(text: str) -> Any:
    if len(text) > _MOST_PRINTED:
        return None
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        return None
