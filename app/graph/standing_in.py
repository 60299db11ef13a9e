"""The embedded planner in a provider's place for the rest of a turn: when it takes over, and what it is left of what
the model did."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage, ToolMessage

from app.adapters.chat_model import Engine
from app.graph.state import ThreadState
from app.graph.turn import TurnContext, this_turn
from app.toolbox.calling import MISUSED

log = logging.getLogger(__name__)

_MOST_MISUSED = 2


def stand_in(state: ThreadState, turn: TurnContext) -> Engine | None:
    """Who may take over; None where nobody may, or somebody has already."""
    return None if state.get("engine") else turn.services.engine.fallback


def handed_over(state: ThreadState, turn: TurnContext, fault: str, *, afresh: bool = False) -> dict[str, Any] | None:
    """The state's update with which a turn changes hands for `fault`, as the reply will say; None where nobody may take
    over.

    Calls that nobody could run are taken out of the thread, so that neither the planner nor a later turn reads them;
    with `afresh` all calls of this turn. The planner's own moves are counted from here.
    """
    other = stand_in(state, turn)
    if other is None:
        return None
    if turn.services.engine.provider is not None:
        turn.services.engine.provider.link.stats.fallbacks += 1
    log.warning("run %s: the planner answers in the model's place: %s", turn.run_id, fault)
    changes = without_calls(state["messages"], misused_only=not afresh)
    unrun = sum(1 for message in this_turn(state["messages"]) if misused(message))
    return {
        "engine": other.name,
        "engine_fault": fault,
        "model_calls": 0,
        "tool_calls": max(state["tool_calls"] - unrun, 0),
        "messages": changes,
    }


def needs_stand_in(state: ThreadState, turn: TurnContext, *, spent: bool) -> dict[str, Any] | None:
    """As `handed_over`, before the model is asked: where it wrote calls that nobody can run twice over, or used up its
    calls without an answer. What was done with a person's approval is not begun anew."""
    newest = this_turn(state["messages"])
    rounds = [message for message in newest if isinstance(message, AIMessage) and message.tool_calls]
    results = {message.tool_call_id: message for message in newest if isinstance(message, ToolMessage)}
    vain = [all(misused(results.get(str(call["id"]))) for call in asked.tool_calls) for asked in rounds]
    if sum(vain) >= _MOST_MISUSED:
        return handed_over(state, turn, "tool_calls")
    if not spent or state["tool_calls"] >= turn.services.settings.max_tool_calls:
        return None
    wrote = any(
        call["name"] in turn.snapshot
        and turn.services.gate.needs_approval(turn.snapshot.entry(call["name"]), call["args"])
        for asked in rounds
        for call in asked.tool_calls
    )
    return None if wrote else handed_over(state, turn, "tool_calls", afresh=True)


def misused(message: AnyMessage | None) -> bool:
    """Whether this is the error of a call that could not be run for the way it was written."""
    return isinstance(message, ToolMessage) and bool(message.additional_kwargs.get(MISUSED))


def without_calls(messages: Sequence[AnyMessage], *, misused_only: bool = True) -> list[AnyMessage | RemoveMessage]:
    """The changes that take calls of this turn and their results out of a thread."""
    newest = this_turn(messages)
    gone = [m for m in newest if isinstance(m, ToolMessage) and (misused(m) or not misused_only)]
    ids = {message.tool_call_id for message in gone}
    changes: list[AnyMessage | RemoveMessage] = [RemoveMessage(id=str(message.id)) for message in gone]
    for message in newest:
        if not isinstance(message, AIMessage) or not message.tool_calls:
            continue
        kept = [call for call in message.tool_calls if call["id"] not in ids]
        if not kept:
            changes.append(RemoveMessage(id=str(message.id)))
        elif len(kept) < len(message.tool_calls):
            changes.append(message.model_copy(update={"tool_calls": kept}))
    return changes


def changed(messages: Sequence[AnyMessage], changes: Sequence[AnyMessage | RemoveMessage]) -> list[AnyMessage]:
    """The thread with these changes, as the graph will keep it."""
    gone = {message.id for message in changes if isinstance(message, RemoveMessage)}
    new = {message.id: message for message in changes if not isinstance(message, RemoveMessage)}
    return [new.get(message.id, message) for message in messages if message.id not in gone]


def as_changed(state: ThreadState, update: dict[str, Any]) -> ThreadState:
    """The state with an update of `handed_over`."""
    return cast(ThreadState, {**state, **update, "messages": changed(state["messages"], update["messages"])})
