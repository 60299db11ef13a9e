"""What the planner needs to know of a bound tool: its arguments and which of them it cannot do without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Signature:
    """A tool's name, argument names in order, and the required ones."""

    name: str
    arguments: tuple[str, ...]
    required: frozenset[str]


def read_signature(schema: dict[str, Any]) -> Signature:
    """Read from the OpenAI form of a tool, as every chat model gets it."""
    function = schema["function"]
    parameters = function.get("parameters") or {}
    return Signature(
        function["name"], tuple(parameters.get("properties") or ()), frozenset(parameters.get("required") or ())
    )
