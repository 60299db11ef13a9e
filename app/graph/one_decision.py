"""One decision alone by the model: where the planner would be sure but for which of two tools is meant, whether the
talk goes on or something new is asked, or whether what it would ask for was told, that one thing is asked, and the
planner goes on with the answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage

from app.graph.deciding import ONE_TOOL, SETTLED
from app.graph.model_help import chosen_by_model, told_by_model
from app.graph.query_rewriter import read_question, understood
from app.graph.signs import signs_of
from app.graph.standing_in import changed, without_calls
from app.graph.state import ThreadState
from app.graph.turn import Auto, TurnContext, tool_results

About = Literal["tool", "topic", "told"]
Route = Callable[[dict[str, Any], str | None], Awaitable[dict[str, Any]]]
"""The route of a reading and its rewritten question."""

# How far the tool that was taken may lie before the next one, as shares of the ranking, to be doubted at all …
_WITHIN = 0.7
# … and what the next one must have.
_LEAST = 0.05


@dataclass(frozen=True)
class Doubt:
    """What is to be decided: between which `options` (two tools; for `told` the name of the field), of which the
    planner has `taken` one. For a field `label` says what it is."""

    about: About
    options: tuple[str, ...]
    taken: str
    label: str = ""


@dataclass(frozen=True)
class Settled:
    """The state's update with the decision. `anew`: it differs from what the planner went by, so that it drafts once
    more; `gone` are then the messages to take out of the thread."""

    update: dict[str, Any]
    anew: bool = False
    gone: tuple[AnyMessage | RemoveMessage, ...] = ()

    def state(self, before: ThreadState) -> ThreadState:
        """The state with it."""
        messages = changed(before["messages"], self.gone)
        return cast(ThreadState, {**before, **self.update, "messages": messages})


async def settled_by_model(
    auto: Auto, state: ThreadState, draft: AIMessage, turn: TurnContext, route_of: Route
) -> Settled | None:
    """The one doubt of a turn, decided; None where there is none, or more than one. The model is asked once a turn."""
    if state.get("asked") or (doubt := _doubt(state, draft, turn)) is None:
        return None
    signs = signs_of(state, draft, turn)
    if auto.model.confidence({**signs, **SETTLED[doubt.about]}) < auto.threshold_of(signs):
        return None
    if doubt.about == "told":
        chosen, spent = await told_by_model(state, turn, doubt.label)
    else:
        purposes = {name: turn.snapshot.entry(name).card.purpose for name in doubt.options}
        chosen, spent = await chosen_by_model(state, turn, purposes)
    asked = {"about": doubt.about, "options": list(doubt.options), "taken": doubt.taken, "chosen": chosen}
    update = {**spent, "asked": asked}
    if doubt.about == "told":
        return Settled(update) if not chosen else await _read_anew(doubt, chosen, state, turn, update, route_of)
    return Settled(update) if chosen in (None, doubt.taken) else _tool_anew(chosen, state, update)


def _doubt(state: ThreadState, draft: AIMessage, turn: TurnContext) -> Doubt | None:
    route = state["route"] or {}
    form = draft.additional_kwargs.get("needs_input") or {}
    fields = form.get("fields", ())
    if len(fields) == 1:
        field = fields[0]
        return Doubt("told", (str(field["name"]),), str(field["name"]), str(field["label"]))
    if fields or len(route.get("parts", ())) > 1:
        return None
    used = {str(message.name) for message in tool_results(state["messages"])} - set(route.get("lookups", ()))
    shares = {row["tool"]: float(row["score"]) for row in route.get("candidates", ()) if row["tool"] in turn.snapshot}
    if len(used) != 1 or not used <= shares.keys():
        return None
    taken = used.pop()
    rival = max((tool for tool in shares if tool != taken), key=lambda tool: shares[tool], default=None)
    if rival is None or shares[rival] < _LEAST or shares[taken] - shares[rival] > _WITHIN:
        return None
    last = state["reading"].get("last_tool")
    return Doubt("topic" if last in (taken, rival) else "tool", (taken, rival), taken)


def _tool_anew(chosen: str, state: ThreadState, update: dict[str, Any]) -> Settled:
    """The other tool is meant: the calls of before go out of the thread, and what they left in it."""
    route = dict(state["route"] or {})
    last = state["reading"].get("last_tool")
    rows = [row for row in route["candidates"] if row["tool"] != chosen]
    changes = {
        "parts": [{"question": route["question"], "tools": [chosen]}],
        "bound": list(dict.fromkeys([chosen, *route["bound"]])),
        "candidates": [{"tool": chosen, "score": ONE_TOOL["share"]}, *rows],
        "follow_up_of": chosen if chosen == last and route.get("follow_up_of") else None,
        "no_call": False,
        "unsure": False,
    }
    before = {name: route[f"{name}_before"] for name in ("facts", "dialogue")}
    gone = tuple(without_calls(state["messages"], misused_only=False))
    return Settled({**update, **before, "route": {**route, **changes}}, anew=True, gone=gone)


async def _read_anew(
    doubt: Doubt, words: str, state: ThreadState, turn: TurnContext, update: dict[str, Any], route_of: Route
) -> Settled:
    """It was told: the message is read once more with the words that tell it, as if they had been the answer."""
    newest = next(m for m in reversed(state["messages"]) if isinstance(m, HumanMessage))
    messages = [
        m.model_copy(update={"content": f"{m.content} {doubt.label} {words}"}) if m is newest else m
        for m in state["messages"]
    ]
    told = cast(ThreadState, {**state, "messages": messages})
    reading, rewritten, _ = read_question(told, turn)
    found = understood(turn.services.reader.words, told, reading, rewritten, turn.snapshot.declared)
    route = await route_of(found["reading"], found["rewritten"])
    before = {f"{name}_before": (state["route"] or {})[f"{name}_before"] for name in ("facts", "dialogue")}
    gone = tuple(without_calls(state["messages"], misused_only=False))
    return Settled({**update, **found, "route": {**route, **before}}, anew=True, gone=gone)
