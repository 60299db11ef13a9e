"""Calls one tool through LangGraph's own ToolNode and tells its faults in words that may be shown."""

from __future__ import annotations

import logging
import time
from inspect import signature
from typing import Any, get_type_hints

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool, StructuredTool
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt import ToolNode
from langgraph.prebuilt.tool_node import ToolCallRequest
from langgraph.runtime import Runtime

from app.errors import AppError, ToolBroken
from app.toolbox.argument_faults import argument_faults
from app.toolbox.own_faults import Broke, argument_problems, marked, root_of, wordless
from app.tools.context import ToolContext

log = logging.getLogger(__name__)

# The key under which LangGraph hands its Runtime to a ToolNode; a graph sets it itself, a lone REST call does not.
_RUNTIME_KEY = "__pregel_runtime"
MISUSED = "misused"
"""Marks the message of a call that could not be run for the way it was written."""


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
        self._tool = tool
        # Faults are told by the wrapper: LangGraph's own handler is not told which tool failed, nor for what.
        self._node = ToolNode([_direct(marked(tool))], handle_tool_errors=False, awrap_tool_call=self._told)

    async def __call__(self, call: ToolCall, context: ToolContext, facts: dict[str, Any]) -> tuple[ToolMessage, float]:
        """The tool's message and what it took, ms. Never raises for a tool's own fault: that is an error message, and
        its artifact is `Broke`."""
        config: RunnableConfig = {"configurable": {_RUNTIME_KEY: Runtime(context=context)}}
        started = time.perf_counter()
        reply = await self._node.ainvoke({"messages": [AIMessage("", tool_calls=[call])], "facts": facts}, config)
        return reply["messages"][0], (time.perf_counter() - started) * 1000

    async def _told(self, request: ToolCallRequest, execute: Any) -> ToolMessage:
        """The tool's message, or what its fault is told as: our own errors and wrong arguments in words, no other."""
        call = request.tool_call
        try:
            result = await execute(request)
        except GraphBubbleUp:
            raise
        except AppError as error:
            return refused(call, str(error))
        except Exception as error:
            if (problems := argument_problems(error, self._tool)) is not None:
                return refused(call, argument_faults(problems), misused=True)
            return broken(call, root_of(error))
        if isinstance(result, ToolMessage):
            return result
        # A Command would steer the graph past its guards.
        return broken(call, TypeError("neither a text nor a result"))


def refused(call: ToolCall, text: str, *, misused: bool = False) -> ToolMessage:
    """The error message of a call that was not run; `misused` where it could not, for the way it was written."""
    artifact = {"kind": "Error", "data": {"message": text}, "blocks": []}
    marks = {MISUSED: True} if misused else {}
    return ToolMessage(
        text,
        name=call["name"],
        tool_call_id=call["id"] or "",
        status="error",
        artifact=artifact,
        additional_kwargs=marks,
    )


def broken(call: ToolCall, error: Exception) -> ToolMessage:
    """The error message of a call that fell over the tool's own code; the log has the trace without its words."""
    bare = wordless(error)
    log.error("tool %s failed by itself", call["name"], exc_info=(type(bare), bare, bare.__traceback__))
    return refused(call, str(ToolBroken())).model_copy(update={"artifact": Broke()})
