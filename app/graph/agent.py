"""Node 3: routes the question to a few tools, binds them and lets the model decide."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, RemoveMessage
from langgraph.runtime import Runtime

from app.graph.after_reply import after_reply
from app.graph.apart import computed
from app.graph.briefing import system_message
from app.graph.consulted import consulted
from app.graph.deciding import decided, undecided
from app.graph.one_decision import Settled, settled_by_model
from app.graph.provider_reply import next_message, said_by
from app.graph.standing_in import as_changed, needs_stand_in
from app.graph.state import ThreadState
from app.graph.turn import Auto, TurnContext
from app.graph.turn_route import planned_route
from app.messages import worded
from app.planner.model import ENGINE_NAME

# What a turn changes before its answer stands.
_KEPT = ("facts", "dialogue")
LIMIT_REACHED = worded("agent.long")


async def agent(state: ThreadState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """One model call. The route is made once a turn; the model sees the same few tools until it answers."""
    turn = runtime.context
    route = state.get("route")
    update: dict[str, Any] = {"model_calls": state["model_calls"] + 1}
    if route is None:
        if not state["model_calls"] and (advised := await consulted(state, turn)) is not None:
            if "messages" in advised:
                return {**update, **advised}
            update |= advised
            state = cast(ThreadState, {**state, **advised})
        restricted = bool(state["guard"].get("restricted"))
        route = await computed(turn, planned_route, state["reading"], state.get("rewritten"), restricted)
        if turn.services.auto is not None or route["clauses"]:
            # What the turn began with, should the planner begin it anew, or answer each question of it by itself.
            route |= {f"{name}_before": state.get(name) or {} for name in _KEPT}
        update["route"] = route
        shown = {"tools": route["bound"], "candidates": route["candidates"]}
        runtime.stream_writer({"event": "tools_selected", "data": shown})
    settings = turn.services.settings
    gone: list[AnyMessage | RemoveMessage] = []
    spent = state["model_calls"] >= settings.max_model_calls or state["tool_calls"] >= settings.max_tool_calls
    if (auto := turn.services.auto) is not None and undecided(state, turn):
        draft = _planned(auto, state, turn, route, spent)
        left = after_reply(state, draft)
        if draft.tool_calls:
            return {**update, **left, "messages": [draft]}
        state = cast(ThreadState, {**state, "route": route})
        decision, found = await _decided(auto, state, draft, turn)
        if found is not None:
            update |= found.update
            state, gone = found.state(state), list(found.gone)
            route = state["route"] or {}
            if found.anew:
                draft = _planned(auto, state, turn, route, spent)
                left = after_reply(state, draft)
                if draft.tool_calls:
                    return {**update, **left, "messages": [*gone, draft]}
            decision = decided(auto, state, draft, turn)
        if decision["engine"] == "planner":
            return {**update, **left, "decision": decision, "engine": auto.planner.name, "messages": [*gone, draft]}
        # The model begins anew with what was found; its own calls are counted from here.
        update |= {"decision": decision, "model_calls": 1}
        state = cast(ThreadState, {**state, "decision": decision, "model_calls": 0})
        spent = state["tool_calls"] >= settings.max_tool_calls
    if not _can_still_speak(state, turn):
        taken = needs_stand_in(state, turn, spent=spent)
        if taken is not None:
            update |= taken
            state, spent = as_changed(state, taken), taken["tool_calls"] >= settings.max_tool_calls
            gone += update.pop("messages")
        elif spent:
            return {**update, "messages": [*gone, AIMessage(LIMIT_REACHED)]}
    prompt: list[AnyMessage] = [system_message(state, turn, route, spent), *state["messages"]]
    schemas = _schemas(turn, route, spent)
    reply, came_about = await next_message(prompt, schemas, state, turn, runtime.stream_writer)
    update |= came_about
    update |= after_reply(state, reply)
    return {**update, "messages": [*gone, *update.get("messages", ()), reply]}


async def _decided(
    auto: Auto, state: ThreadState, draft: AIMessage, turn: TurnContext
) -> tuple[dict[str, Any], Settled | None]:
    """Who answers; and what the model settled where the planner would be sure but for one thing."""
    decision = decided(auto, state, draft, turn)
    if decision["engine"] != "model":
        return decision, None
    return decision, await settled_by_model(auto, state, draft, turn, partial(_routed_anew, state, turn))


async def _routed_anew(
    state: ThreadState, turn: TurnContext, reading: dict[str, Any], rewritten: str | None
) -> dict[str, Any]:
    """The route of another reading of the turn's message."""
    return await computed(turn, planned_route, reading, rewritten, bool(state["guard"].get("restricted")))


def _schemas(turn: TurnContext, route: dict[str, Any], spent: bool) -> list[dict[str, Any]]:
    bound = [] if spent else [turn.snapshot.entry(name) for name in route["bound"] if name in turn.snapshot]
    return [entry.openai_schema for entry in bound]


def _planned(auto: Auto, state: ThreadState, turn: TurnContext, route: dict[str, Any], spent: bool) -> AIMessage:
    """What the planner would do next, where it is not settled yet who answers."""
    prompt = [system_message(state, turn, route, spent, planned=True), *state["messages"]]
    return said_by(auto.planner.model, prompt, _schemas(turn, route, spent))


def after_agent(state: ThreadState) -> str:
    """The word at the edge: `call_tools` or `answer`."""
    newest = state["messages"][-1]
    return "call_tools" if isinstance(newest, AIMessage) and newest.tool_calls else "answer"


def _can_still_speak(state: ThreadState, turn: TurnContext) -> bool:
    """The embedded planner speaks from results at no cost; a paid model that has used up its calls does not go on."""
    return ENGINE_NAME in (turn.services.engine.name, state.get("engine"))
