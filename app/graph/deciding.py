"""Who answers where both could: the embedded planner drafts every turn, and keeps it where it is sure enough; else the
turn goes to the provider's model, with what the planner found."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolMessage

from app.graph.signs import Signs, signs_of
from app.graph.state import ThreadState
from app.graph.turn import Auto, TurnContext, this_turn, tool_results

Why = Literal["sure", "asked", "unsure", "approved"]


# What a turn's signs are when the doubt is gone: the ranking speaks for one tool; nothing that was told is left unread.
ONE_TOOL: Signs = {
    "share": 0.95, "margin": 0.9, "spread": 0.2, "sure": 0.95, "left_for_talk": 0.02, "used_share": 0.95,
    "worst_rank": 0.0, "unsure": 0.0,
}  # fmt: skip
_ALL_READ: Signs = {"unread": 0.0, "unread_share": 0.0, "numbers_unsaid": 0.0}
SETTLED: Mapping[str, Signs] = {"tool": ONE_TOOL, "topic": ONE_TOOL, "told": _ALL_READ}


def undecided(state: ThreadState, turn: TurnContext) -> bool:
    """Whether the planner has to draft first: both could answer, and neither has the turn yet."""
    return turn.services.auto is not None and not state.get("decision") and not state.get("engine")


def decided(auto: Auto, state: ThreadState, draft: AIMessage, turn: TurnContext) -> dict[str, Any]:
    """Whose turn it is, now that the planner's draft stands, as the state keeps it.

    `engine`: planner or model. `why`: the planner is `sure`, or has `asked` the model about its one doubt and goes on
    with that; it is `unsure`, so the model answers; a person `approved` what it did, so it goes on.
    `confidence` (0 to 1) that the draft is right, and the `threshold` from which on the planner keeps a turn; `asked`
    the one thing that the model decided. For the model: `planned`, the calls whose results the planner found, and what
    else it `found`.
    """
    signs = _weighed(state, draft, turn)
    confidence, threshold = auto.model.confidence(signs), auto.threshold_of(signs)
    asked = state.get("asked")
    sure: Why = "asked" if asked and asked["chosen"] is not None else "sure"
    why: Why = "approved" if _wrote(state, turn) else sure if confidence >= threshold else "unsure"
    decision: dict[str, Any] = {
        "engine": "model" if why == "unsure" else "planner",
        "why": why,
        "confidence": round(confidence, 4),
        "threshold": round(min(threshold, 1.0), 4),
    }
    if asked:
        decision["asked"] = {name: asked[name] for name in ("about", "options", "chosen")}
    if why == "unsure":
        decision["planned"] = [str(message.tool_call_id) for message in tool_results(state["messages"])]
        decision["found"] = _told_of_planner(state, draft)
    return decision


def _weighed(state: ThreadState, draft: AIMessage, turn: TurnContext) -> Signs:
    """The signs of a turn; where the model has decided something, as when that is no doubt any more."""
    asked = state.get("asked") or {}
    signs = signs_of(state, draft, turn)
    return {**signs, **SETTLED[asked["about"]]} if asked.get("chosen") is not None else signs


def shown(decision: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """A decision as the reply shows it."""
    if not decision:
        return None
    told = {name: decision[name] for name in ("engine", "why", "confidence", "threshold")}
    return {**told, "asked": decision.get("asked")}


def answering(state: ThreadState) -> list[ToolMessage]:
    """The results of this turn that its answer is of: where the model took over and called tools itself, its own."""
    found = tool_results(state["messages"])
    planned = (state.get("decision") or {}).get("planned", ())
    own = [message for message in found if message.tool_call_id not in planned]
    return own if any(message.status != "error" for message in own) else found


def _wrote(state: ThreadState, turn: TurnContext) -> bool:
    """Whether a call of this turn needed a person's yes: what was done with it is not begun anew by another."""
    calls = [call for m in this_turn(state["messages"]) if isinstance(m, AIMessage) for call in m.tool_calls]
    gate, snapshot = turn.services.gate, turn.snapshot
    return any(
        call["name"] in snapshot and gate.needs_approval(snapshot.entry(call["name"]), call["args"]) for call in calls
    )


def _told_of_planner(state: ThreadState, draft: AIMessage) -> dict[str, Any]:
    """What the model is told of the planner's work, beside its results: what it would have asked for, what it reckoned,
    and between which tools it wavered (share each)."""
    extras = draft.additional_kwargs
    form = extras.get("needs_input") or {}
    route = state.get("route") or {}
    rows = {row["tool"]: row["score"] for row in route.get("candidates", ())[:3]}
    told = {
        "missing": [field["label"] for field in form.get("fields", ())],
        "reckoned": str(extras.get("reckoned") or ""),
        "candidates": rows,
    }
    return {name: value for name, value in told.items() if value}
