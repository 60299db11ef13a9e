"""Multi-turn cases: reading a JSON-lines file and refusing what is no case, with the line."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.json_lines import read_lines


@dataclass(frozen=True)
class Call:
    """One expected tool call: only the arguments that are certain."""

    tool: str
    args: dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """One question and what must come of it. `guard` and `layer` are None where the question must pass."""

    user: str
    calls: tuple[Call, ...]
    also_ok: tuple[str, ...] = ()
    needs_input: tuple[str, ...] = ()
    facts: dict[str, Any] = field(default_factory=dict)
    guard: str | None = None
    layer: str | None = None
    approval: bool = False
    has: tuple[str, ...] = ()
    hasnt: tuple[str, ...] = ()

    @property
    def expected_tools(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(call.tool for call in self.calls))


@dataclass(frozen=True)
class Dialogue:
    """The turns of one conversation, in one thread."""

    id: str
    persona: str
    turns: tuple[Turn, ...]


def load_dialogues(path: Path) -> tuple[Dialogue, ...]:
    """The dialogues of `path`. Unknown keys are ignored. Raises DataFaults with every line that is none."""
    return tuple(read_lines(path, _dialogue, some=True))


def _dialogue(number: int, raw: dict[str, Any]) -> Dialogue:
    name = str(raw.get("id", f"line{number}"))
    return Dialogue(name, str(raw.get("persona", "")), tuple(_turn(item) for item in raw["turns"]))


def _turn(raw: dict[str, Any]) -> Turn:
    calls = raw.get("calls") or [
        {"tool": tool, "args": raw.get("expected_args") or {}} for tool in raw.get("expected_tools") or ()
    ]
    return Turn(
        user=raw["user"],
        calls=tuple(Call(call["tool"], dict(call.get("args") or {})) for call in calls),
        also_ok=tuple(raw.get("also_ok") or ()),
        needs_input=tuple(raw.get("needs_input") or ()),
        facts=dict(raw.get("facts") or {}),
        guard=raw.get("guard"),
        layer=raw.get("layer"),
        approval=raw.get("approval") == "required",
        has=tuple(raw.get("has") or ()),
        hasnt=tuple(raw.get("hasnt") or ()),
    )
