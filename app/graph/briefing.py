"""The system message of a turn: the words for a provider's model, and beside them, where no provider sees it, what the
planner needs as data."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import SystemMessage

from app.graph.loaded_tools import telling_of
from app.graph.reply import shown_facts
from app.graph.state import ThreadState
from app.graph.turn import TurnContext, tool_results
from app.planner.model import ENGINE_NAME


def system_message(
    state: ThreadState, turn: TurnContext, route: dict[str, Any], spent: bool, *, planned: bool = False
) -> SystemMessage:
    """The system prompt. The planner (`planned`) is told no words: it reads the data alone."""
    brief = {
        "facts": state.get("facts") or {},
        "dialogue": state.get("dialogue") or {},
        "asked": state["reading"]["said"],
        "question": route["question"],
        "bound": route["bound"] if not spent else [],
        "parts": route["parts"],
        "follow_up_of": route["follow_up_of"],
        "answered": route["answered"],
        "no_call": route["no_call"],
        "again": route["again"],
        "lookups": route["lookups"],
        "unsure": route["unsure"],
        "cued": route["cued"],
        "clauses": route["clauses"],
        "dialogue_before": route.get("dialogue_before"),
        "filled": route["filled"],
        "shaped": route["shaped"],
        "counts": route["counts"],
        "told": state["reading"]["told"],
        "previous": state["reading"]["previous"],
        "show_codes": turn.principal.sees_codes,
        "role": turn.principal.role,
        "today": turn.today().isoformat(),
        "hint": state.get("hint"),
        "language": state.get("language"),
        "results": len(tool_results(state["messages"])),
        "tellings": _tellings(state, turn),
        "declared": turn.snapshot.declared,
    }
    planned = planned or ENGINE_NAME in (turn.services.engine.name, state.get("engine"))
    words = "" if planned else _instructions(state, turn, spent)
    return SystemMessage(words, additional_kwargs={"brief": brief})


def _tellings(state: ThreadState, turn: TurnContext) -> dict[str, dict[str, Any]]:
    """What is known of the tools that answered in this turn: how to tell a result that has no template."""
    answered = {str(message.name): message for message in tool_results(state["messages"])}
    entries = [turn.snapshot.entry(name) for name in sorted(answered) if name in turn.snapshot]
    return {entry.name: telling_of(entry, answered[entry.name], turn.services.slots) for entry in entries}


def _instructions(state: ThreadState, turn: TurnContext, spent: bool) -> str:
    prompts = turn.services.prompts
    tail = prompts.tail(
        today=turn.today().isoformat(),
        sees_codes=turn.principal.sees_codes,
        facts=shown_facts(state.get("facts") or {}),
        rewritten=state.get("rewritten"),
        planned=(state.get("decision") or {}).get("found"),
        spent=spent,
        hint=state.get("hint"),
    )
    return f"{prompts.system}\n\n{tail}"
