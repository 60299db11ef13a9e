"""Node 4: runs the tools that the model called, from this turn's snapshot, and remembers what they found."""

from __future__ import annotations

import asyncio
from typing import Any

from langchain_core.messages import AIMessage, ToolCall
from langgraph.runtime import Runtime

from app.graph.state import ThreadState
from app.graph.turn import TurnContext
from app.planner.facts import Facts
from app.planner.moves import Done
from app.planner.remember import remember
from app.toolbox.dispatch import ToolRun, dispatch, refused

TOO_MANY = "이번 질문에서 쓸 수 있는 도구 호출 횟수를 넘었습니다. 지금까지의 결과로 답해 주세요."


async def tools(state: ThreadState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """Dispatch the newest message's calls, at most as many as the turn has left."""
    turn = runtime.context
    newest = state["messages"][-1]
    assert isinstance(newest, AIMessage)
    left = max(turn.services.settings.max_tool_calls - state["tool_calls"], 0)
    calls, too_many = newest.tool_calls[:left], newest.tool_calls[left:]
    for call in calls:
        runtime.stream_writer({"event": "tool_start", "data": {"tool": call["name"], "input": call["args"]}})
    offered = frozenset((state.get("route") or {}).get("bound", ()))
    async with asyncio.timeout(turn.services.settings.turn_timeout_s):
        runs = await dispatch(turn.snapshot, calls, turn, offered=offered, facts=state.get("facts"))
    for call, run in zip(calls, runs, strict=True):
        runtime.stream_writer({"event": "tool_end", "data": _end(call, run)})
    done = [
        Done(call["name"], call["args"], run.message.artifact["kind"], run.message.artifact["data"])
        for call, run in zip(calls, runs, strict=True)
    ]
    facts = remember(Facts.model_validate(state.get("facts") or {}), done, state["reading"].get("categories", ()))
    return {
        # Every call gets its message, or an OpenAI-compatible model refuses the next request.
        "messages": [*(run.message for run in runs), *(refused(call, TOO_MANY) for call in too_many)],
        "facts": facts.model_dump(mode="json", exclude_defaults=True),
        "tool_calls": state["tool_calls"] + len(newest.tool_calls),
        "tool_runs": [
            *state["tool_runs"],
            *({**_end(call, run), "input": call["args"]} for call, run in zip(calls, runs, strict=True)),
        ],
    }


def _end(call: ToolCall, run: ToolRun) -> dict[str, Any]:
    return {"tool": call["name"], "duration_ms": round(run.duration_ms, 1), "status": "ok" if run.ok else "error"}
