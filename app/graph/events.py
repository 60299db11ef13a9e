"""What a run tells its listeners while it goes on. The names are a promise: docs/api.md lists them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

EventType = Literal[
    "node_start",
    "node_end",
    "tools_selected",
    "tool_start",
    "tool_end",
    "token",
    "guard",
    "clarify",
    "sources",
    "block",
    "facts",
    "approval",
    "usage",
    "done",
    "error",
]


@dataclass(frozen=True)
class Event:
    """One event of a run. `id` rises by one from 1 within the run."""

    id: int
    run_id: str
    type: EventType
    data: dict[str, Any]
