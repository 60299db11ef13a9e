"""Calls one tool through LangGraph's own ToolNode and tells its faults in words that may be shown."""

from __future__ import annotations

import logging
import time
from inspect import signature
from typing import Any, get_type_hints

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest, ToolInvocationError
from langgraph.runtime import Runtime
from langgraph.types import Command

from app.errors import AppError
from app.toolbox.argument_faults import argument_faults
from app.tools.context import ToolContext

log = logging.getLogger(__name__)

UNUSABLE = "도구가 글이나 결과가 아닌 것을 돌려주어 쓸 수 없습니다. 관리자에게 알려 주세요."

# The key under which LangGraph hands its Runtime to a ToolNode; a graph sets it itself, a lone REST call does not.
_RUNTIME_KEY = "__pregel_runtime"


# What LangChain hands to a function that names it.
_HANDED = frozenset({"callbacks", "config", "run_manager"})


class _Direct(StructuredTool):
    """A tool that is handed its arguments alone. LangChain looks at every call whether the function wants more, which
    takes 0.1 ms: reading annotations that are written as text means compiling them."""

    async def _arun(self, *args: Any, **kwargs: Any) -> Any:
        assert self.coroutine is not None
        return await self.coroutine(*args, **kwargs)


def _direct(tool: BaseTool) -> BaseTool:
    """The same tool, called without a look at what its function may be handed, where it wants nothing of it."""
    if type(tool) is not StructuredTool or tool.coroutine is None:
        return tool
    try:
        hints = get_type_hints(tool.coroutine)
    except (NameError, TypeError):  # what cannot be read is left to LangChain
        return tool
    if _HANDED & signature(tool.coroutine).parameters.keys() or RunnableConfig in hints.values():
        return tool
    return _Direct(**{name: getattr(tool, name) for name in StructuredTool.model_fields})


class ToolCaller:
    """Calls one tool. Made once a tool: a ToolNode reads its signature, which takes longer than most calls."""

    def __init__(self, tool: BaseTool) -> None:
        self._node = ToolNode([_direct(tool)], handle_tool_errors=_fault_text, awrap_tool_call=_messages_only)

    async def __call__(self, call: ToolCall, context: ToolContext, facts: dict[str, Any]) -> tuple[ToolMessage, float]:
        """The tool's message and what it took, ms. Never raises for a tool's own fault: that is an error message."""
        config: RunnableConfig = {"configurable": {_RUNTIME_KEY: Runtime(context=context)}}
        started = time.perf_counter()
        reply = await self._node.ainvoke({"messages": [AIMessage("", tool_calls=[call])], "facts": facts}, config)
        return reply["messages"][0], (time.perf_counter() - started) * 1000


def refused(call: ToolCall, text: str) -> ToolMessage:
    """The error message of a call that was not run."""
    artifact = {"kind": "Error", "data": {"message": text}, "blocks": []}
    return ToolMessage(text, name=call["name"], tool_call_id=call["id"] or "", status="error", artifact=artifact)


async def _messages_only(request: ToolCallRequest, execute: Any) -> ToolMessage | Command[Any]:
    """A Command would steer the graph past its guards."""
    result = await execute(request)
    return result if isinstance(result, ToolMessage) else refused(request.tool_call, UNUSABLE)


def _fault_text(error: Exception) -> str:
    """What a failed tool tells the model: our own errors in full, anything else only as a fault (the log has more)."""
    if isinstance(error, AppError):
        return str(error)
    if isinstance(error, ToolInvocationError):
        return argument_faults(error.filtered_errors or error.source.errors())
    log.error("도구 실행 중 예기치 않은 오류", exc_info=error)
    return "도구를 실행하는 중 오류가 발생했습니다. 잠시 뒤 다시 시도해 주세요."
