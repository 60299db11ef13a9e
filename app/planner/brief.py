"""What the agent node tells the planner beside the words, and what this turn's tools have found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from app.answering.shapes import Telling
from app.dialogue.state import DialogueState
from app.insurance.models import Model
from app.planner.facts import Facts
from app.planner.moves import Done
from app.toolbox.declared import Declarations
from app.tools.results import NeededField


class SlotsFilled(Model):
    """The arguments of a call that are known, and the fields that it still needs; `tells` where this message told one
    of them."""

    args: dict[str, Any]
    missing: tuple[NeededField, ...]
    tells: bool = True


@dataclass(frozen=True)
class Clause:
    """One of the questions of a message: its words, the question that stands without the others, and the tools for it,
    best first, none where it needs none; `unsure` where the best is only guessed at, `bare` where they name nothing."""

    text: str
    question: str
    tools: tuple[str, ...]
    unsure: bool = False
    bare: bool = False


@dataclass(frozen=True)
class Brief:
    """The turn as the graph knows it.

    `asked` is the message as it came, with blanks put in where it had none; `question` stands alone (rewritten where
    needed); `parts` are what it asks for, each with its routed tools, best first; `follow_up_of` is the last tool when
    the message only changes a fact of it; `answered` the question that asked back together with this answer, where no
    call was made between; `cued` when the words continue the last tool's business plainly; `told` the calls that
    answered before, by tool; `previous` the question before; `clauses` are the questions of a message that asks
    several, `earlier` what was shown before this turn; `bare` where it names nothing; `again` is the last tool, where a
    message that needs none tells something new that it takes; `lookups` are the tools that find
    passages for any question, each with the argument that takes its words, to be asked first where the router is
    `unsure`, `among` the documents of the product that is spoken of; `points_back` where the message asks of what was
    just said without naming it; `dialogue` is what the last answers showed, `tellings` what is known of the tools that
    answered in this turn, for those without a template; `filled` is what the message tells of the tools whose schema
    alone says what fills them, `shaped` that the last answer was of such a tool; `counts` are words for what the
    message asks the number of (번, 회); `cause` is what brought about what the messages before told; `declared` what
    the tools declare of themselves.
    """

    facts: Facts
    asked: str
    question: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    no_call: bool
    show_codes: bool
    today: date
    follow_up_of: str | None
    answered: str | None = None
    cued: bool = False
    clauses: tuple[Clause, ...] = ()
    earlier: DialogueState | None = None
    bare: bool = False
    told: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    previous: str | None = None
    again: str | None = None
    lookups: Mapping[str, str] = field(default_factory=dict)
    among: Mapping[str, dict[str, str]] = field(default_factory=dict)
    unsure: bool = False
    points_back: bool = False
    staff: bool = False
    dialogue: DialogueState = field(default_factory=DialogueState)
    tellings: Mapping[str, Telling] = field(default_factory=dict)
    filled: Mapping[str, SlotsFilled] = field(default_factory=dict)
    declared: Declarations = field(default_factory=Declarations)
    shaped: bool = False
    counts: tuple[str, ...] = ()
    cause: str = ""


def read_brief(messages: Sequence[BaseMessage]) -> Brief:
    """The brief that rides on the system message, the first one (see graph/agent.py)."""
    raw = messages[0].additional_kwargs["brief"]
    return Brief(
        facts=Facts.model_validate(raw["facts"]),
        asked=raw["asked"],
        question=raw["question"],
        parts=tuple((part["question"], tuple(part["tools"])) for part in raw["parts"]),
        no_call=raw["no_call"],
        show_codes=raw["show_codes"],
        today=date.fromisoformat(raw["today"]),
        follow_up_of=raw["follow_up_of"],
        answered=raw["answered"],
        cued=raw["cued"],
        clauses=tuple(
            Clause(row["text"], row["question"], tuple(row["tools"]), row["unsure"], row["bare"])
            for row in raw.get("clauses", ())
        ),
        earlier=DialogueState.of(raw["dialogue_before"]) if raw.get("clauses") else None,
        told=raw["told"],
        previous=raw["previous"],
        again=raw["again"],
        lookups=raw["lookups"],
        unsure=raw["unsure"],
        dialogue=DialogueState.of(raw["dialogue"]),
        shaped=raw.get("shaped", False),
        counts=tuple(raw.get("counts", ())),
        staff=raw["role"] in ("staff", "operator"),
        filled={tool: SlotsFilled.model_validate(told) for tool, told in raw.get("filled", {}).items()},
        declared=raw["declared"],
        tellings={tool: Telling(**told) for tool, told in raw.get("tellings", {}).items()},
    )


def finished_calls(messages: Sequence[BaseMessage]) -> list[Done]:
    """The calls of this turn with what they found, in order."""
    turn: list[BaseMessage] = []
    for message in reversed(messages):
        if isinstance(message, HumanMessage):
            break
        turn.insert(0, message)
    args = {call["id"]: call["args"] for m in turn if isinstance(m, AIMessage) for call in m.tool_calls}
    found = [(m, m.artifact or {}) for m in turn if isinstance(m, ToolMessage)]
    return [
        Done(str(m.name), args.get(m.tool_call_id, {}), artifact.get("kind", "Text"), artifact.get("data", {}))
        for m, artifact in found
    ]
