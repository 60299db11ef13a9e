"""Runs tool calls against a snapshot: role check first, then LangGraph's own ToolNode for the tools called."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest, ToolInvocationError
from langgraph.runtime import Runtime
from langgraph.types import Command
from pydantic import BaseModel

from app.adapters.chat_tool_calls import UNREADABLE
from app.errors import AppError
from app.toolbox.argument_faults import argument_faults
from app.toolbox.snapshot import Channel, ToolSnapshot
from app.tools.blocks import blocks_of
from app.tools.context import ToolContext

log = logging.getLogger(__name__)

Started = Callable[[ToolCall], None]

NO_JSON = "인자를 읽을 수 없습니다. 도구의 인자를 올바른 JSON 객체 하나로 다시 보내 주세요."
UNUSABLE = "도구가 글이나 결과가 아닌 것을 돌려주어 쓸 수 없습니다. 관리자에게 알려 주세요."
SWITCHED_OFF = "운영자가 지금 꺼 둔 기능이라 쓸 수 없습니다. 다른 방법을 찾거나 상담원 연결을 안내해 주세요."

# The key under which LangGraph hands its Runtime to a ToolNode; a graph sets it itself, a lone REST call does not.
_RUNTIME_KEY = "__pregel_runtime"


@dataclass(frozen=True)
class ToolRun:
    """One executed call: the message for the model, and what it took.

    `effect` says what a call that only prepared would do once it is approved; `call` is the call as it ran, where a
    person had changed its arguments.
    """

    message: ToolMessage
    duration_ms: float
    effect: str | None = None
    call: ToolCall | None = None

    @property
    def ok(self) -> bool:
        return self.message.status != "error"


async def dispatch(
    snapshot: ToolSnapshot,
    calls: Sequence[ToolCall],
    context: ToolContext,
    *,
    offered: frozenset[str] | None = None,
    facts: dict[str, Any] | None = None,
    started: Started | None = None,
    channel: Channel = "chat",
) -> list[ToolRun]:
    """Run `calls` in parallel, in order of the calls. Never raises for a tool's own fault: that is an error message.

    `offered` names the tools that the model was shown; any other is refused, and so is one above the principal's role
    or of another channel. `started` hears of each call before it runs.
    """
    reasons = [
        refusal(call["name"], snapshot, context, offered, channel) or (NO_JSON if UNREADABLE in call["args"] else None)
        for call in calls
    ]
    runnable = [call for call, reason in zip(calls, reasons, strict=True) if reason is None]
    if started is not None:
        for call in calls:
            started(call)
    ran = iter(await _run(snapshot, runnable, context, facts or {}))
    return [
        next(ran) if reason is None else ToolRun(refused(call, reason), 0.0)
        for call, reason in zip(calls, reasons, strict=True)
    ]


async def _run(
    snapshot: ToolSnapshot, calls: Sequence[ToolCall], context: ToolContext, facts: dict[str, Any]
) -> list[ToolRun]:
    """One run a call, in their order. Runs are paired by place: a model may give two calls one id."""
    if not calls:
        return []
    # ToolNode hands each request its own call dict, so its identity tells which call a request is.
    timings: dict[int, float] = {}

    async def timed(request: ToolCallRequest, execute: Any) -> ToolMessage | Command[Any]:
        started = time.perf_counter()
        result = await execute(request)
        timings[id(request.tool_call)] = (time.perf_counter() - started) * 1000
        # A Command would steer the graph past its guards; a list would break the pairing.
        return result if isinstance(result, ToolMessage) else refused(request.tool_call, UNUSABLE)

    tools: list[BaseTool] = [snapshot.entry(name).tool for name in dict.fromkeys(call["name"] for call in calls)]
    node = ToolNode(tools, handle_tool_errors=_fault_text, awrap_tool_call=timed)
    config: RunnableConfig = {"configurable": {_RUNTIME_KEY: Runtime(context=context)}}
    asked = AIMessage("", tool_calls=list(calls))
    reply = await node.ainvoke({"messages": [asked], "facts": facts}, config)
    return [
        ToolRun(_plain(message), timings.get(id(call), 0.0), getattr(message.artifact, "approval_effect", None))
        for call, message in zip(asked.tool_calls, reply["messages"], strict=True)
    ]


def refusal(
    name: str, snapshot: ToolSnapshot, context: ToolContext, offered: frozenset[str] | None, channel: Channel
) -> str | None:
    """Why a tool may not be called here; None when it may."""
    if name not in snapshot:
        return f"알 수 없는 도구입니다: {name}"
    if snapshot.entry(name).off:
        return SWITCHED_OFF
    if name not in snapshot.allowed_for(context.principal, channel):
        return "이 기능을 사용할 권한이 없습니다."
    if offered is not None and name not in offered:
        return f"이번 질문에 제공되지 않은 도구입니다: {name}"
    return None


def refused(call: ToolCall, text: str) -> ToolMessage:
    """The error message of a call that was not run."""
    artifact = {"kind": "Error", "data": {"message": text}, "blocks": []}
    return ToolMessage(text, name=call["name"], tool_call_id=call["id"] or "", status="error", artifact=artifact)


def _fault_text(error: Exception) -> str:
    """What a failed tool tells the model: our own errors in full, anything else only as a fault (the log has more)."""
    if isinstance(error, AppError):
        return str(error)
    if isinstance(error, ToolInvocationError):
        return argument_faults(error.filtered_errors or error.source.errors())
    log.error("도구 실행 중 예기치 않은 오류", exc_info=error)
    return "도구를 실행하는 중 오류가 발생했습니다. 잠시 뒤 다시 시도해 주세요."


def _plain(message: ToolMessage) -> ToolMessage:
    """The same message with its artifact as JSON data, so that a checkpoint never holds our classes."""
    artifact = message.artifact
    if isinstance(artifact, BaseModel):
        blocks = [block.model_dump(mode="json") for block in blocks_of(artifact)]
        plain = {"kind": type(artifact).__name__, "data": artifact.model_dump(mode="json"), "blocks": blocks}
    elif message.status == "error":
        plain = {"kind": "Error", "data": {"message": str(message.content)}, "blocks": []}
    else:
        plain = {"kind": "Text", "data": _as_data(str(message.content)), "blocks": []}
    return message.model_copy(update={"artifact": plain})


def _as_data(text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        return {"text": text}
    return data if isinstance(data, dict) else {"text": text}
