"""Node 4: runs the tools that the model called, from this turn's snapshot, and remembers what they found."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.messages import AIMessage, ToolCall
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from app.adapters.approval_store import Approval
from app.dialogue.state import DialogueState
from app.graph.privacy import masked_values
from app.graph.quoting import without_orders
from app.graph.state import ThreadState
from app.graph.turn import TurnContext
from app.messages import worded
from app.planner.facts import Facts
from app.planner.moves import Done
from app.planner.remember import remember
from app.toolbox.approvals import Errand
from app.toolbox.calling import refused
from app.toolbox.dispatch import ToolRun
from app.toolbox.snapshot import ToolSnapshot

TOO_MANY = worded("tools_node.calls_used_up")


async def tools(state: ThreadState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """Dispatch the newest message's calls, at most as many as the turn has left. Pauses where one needs an approval;
    the node then runs again from its top, and nothing has run before."""
    turn = runtime.context
    newest = state["messages"][-1]
    assert isinstance(newest, AIMessage)
    left = max(turn.services.settings.max_tool_calls - state["tool_calls"], 0)
    calls, too_many = newest.tool_calls[:left], newest.tool_calls[left:]

    def started(call: ToolCall) -> None:
        runtime.stream_writer({"event": "tool_start", "data": {"tool": call["name"], "input": call["args"]}})

    route = state.get("route") or {}
    offered = frozenset((*route.get("bound", ()), *route.get("lookups", ())))
    async with asyncio.timeout(turn.services.settings.turn_timeout_s):
        runs = await turn.services.gate(
            turn.snapshot,
            calls,
            turn,
            Errand(turn.run_id, turn.thread_id, wait_for),
            offered=offered,
            facts=state.get("facts"),
            started=started,
        )
    runs = [without_orders(run, turn.services.injection) for run in runs]
    calls = [run.call or call for call, run in zip(calls, runs, strict=True)]
    for call, run in zip(calls, runs, strict=True):
        runtime.stream_writer({"event": "tool_end", "data": {**_end(call, run), **_for_staff(run, turn)}})
    done = [
        Done(
            call["name"],
            _without_orders(call, turn.snapshot),
            run.message.artifact["kind"],
            run.message.artifact["data"],
        )
        for call, run in zip(calls, runs, strict=True)
    ]
    # What was only looked up beside the talk is no business that a follow-up goes on with.
    lookups = route.get("lookups", {})
    done = [item for item in done if item.tool not in lookups]
    before, kinds = Facts.model_validate(state.get("facts") or {}), state["reading"].get("categories", ())
    facts = remember(before, done, kinds, turn.snapshot.declared, turn.today())
    shown = [(item.tool, item.data) for item in done if item.ok]
    dialogue = DialogueState.of(state.get("dialogue")).after(shown, turn.services.fields)
    return {
        "dialogue": dialogue.model_dump(mode="json", exclude_defaults=True),
        # Every call gets its message, or an OpenAI-compatible model refuses the next request.
        "messages": [
            *_corrected(newest, runs),
            *(run.message for run in runs),
            *(refused(call, TOO_MANY) for call in too_many),
        ],
        "facts": facts.model_dump(mode="json", exclude_defaults=True),
        "tool_calls": state["tool_calls"] + len(newest.tool_calls),
        "tool_runs": [
            *state["tool_runs"],
            *({**_end(call, run), "input": call["args"]} for call, run in zip(calls, runs, strict=True)),
        ],
    }


def wait_for(approvals: list[Approval]) -> None:
    """Pause the graph until these are decided."""
    interrupt({"approvals": [approval.approval_id for approval in approvals]})


def _corrected(asked: AIMessage, runs: list[ToolRun]) -> list[AIMessage]:
    """The model's message with the arguments as a person changed them, so that the thread tells what was done."""
    changed = {run.call["id"]: run.call for run in runs if run.call is not None}
    if not changed:
        return []
    return [asked.model_copy(update={"tool_calls": [changed.get(call["id"], call) for call in asked.tool_calls]})]


def _without_orders(call: ToolCall, snapshot: ToolSnapshot) -> dict[str, Any]:
    """The arguments to remember: what made the call write is never taken over into a later question."""
    orders = snapshot.entry(call["name"]).writes_when if call["name"] in snapshot else ()
    return {name: value for name, value in call["args"].items() if name not in orders}


def _for_staff(run: ToolRun, turn: TurnContext) -> dict[str, Any]:
    """What the page shows staff of a call: the result as it stands in the message, and the version of the tool set."""
    if not turn.principal.sees_codes:
        return {}
    result = masked_values((run.message.artifact or {}).get("data"), turn.masker)
    return {"result": result, "registry_version": turn.snapshot.version}


def _end(call: ToolCall, run: ToolRun) -> dict[str, Any]:
    return {"tool": call["name"], "duration_ms": round(run.duration_ms, 1), "status": "ok" if run.ok else "error"}
