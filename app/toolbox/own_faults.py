"""Tells a fault of a tool's own code from arguments that do not fit, and shows where it arose without what it said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any

from langchain_core.tools import BaseTool, StructuredTool, ToolException
from langgraph.errors import GraphBubbleUp
from langgraph.prebuilt.tool_node import ToolInvocationError
from pydantic import BaseModel, ValidationError

from app.errors import AppError

_MOST_CAUSES = 5


class OwnFault(Exception):
    """A tool's own code raised; the cause is what it raised."""


@dataclass(frozen=True)
class Broke:
    """The artifact of a message in a tool's place whose own code failed."""


class Wordless(Exception):
    """An error as it may stand in a log: its kind and its trace, none of its words, which may be a person's."""


def marked(tool: BaseTool) -> BaseTool:
    """The same tool; what its function raises beside our own errors comes out as OwnFault.

    Without the mark, a ValidationError of the function looks to LangGraph like arguments that do not fit.
    """
    if not isinstance(tool, StructuredTool):
        return tool
    changed: dict[str, Any] = {}
    if tool.coroutine is not None:
        changed["coroutine"] = _awaited(tool.coroutine)
    if tool.func is not None:
        changed["func"] = _called(tool.func)
    return tool.model_copy(update=changed)


def argument_problems(error: Exception, tool: BaseTool) -> list[Any] | None:
    """What is wrong with the call's arguments; None where the fault is the tool's own."""
    if not isinstance(error, ToolInvocationError):
        return None
    if not isinstance(tool, StructuredTool):
        # Its code carries no mark; arguments that fit its schema cannot be what it fell over.
        schema = tool.tool_call_schema
        if not (isinstance(schema, type) and issubclass(schema, BaseModel)) or _fits(schema, error.tool_kwargs):
            return None
    return list(error.filtered_errors or error.source.errors())


def wordless(error: BaseException, deep: int = 0) -> Wordless:
    """`error` for a log: kinds and traces of it and its causes. Messages are left out: they repeat what was given."""
    bare = Wordless(_kind(error)).with_traceback(error.__traceback__)
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    if cause is not None and deep < _MOST_CAUSES:
        bare.__cause__ = wordless(cause, deep + 1)
    return bare


def root_of(error: Exception) -> Exception:
    """What the tool itself raised."""
    if isinstance(error, ToolInvocationError):
        return error.source
    inner = error.__cause__ if isinstance(error, OwnFault) else None
    return inner if isinstance(inner, Exception) else error


def _kind(error: BaseException) -> str:
    name = type(error).__qualname__
    if not isinstance(error, ValidationError):
        return name
    kinds = dict.fromkeys(problem["type"] for problem in error.errors(include_input=False, include_context=False))
    return f"{name} of {error.title}: {', '.join(kinds)}"


def _fits(schema: type[BaseModel], args: dict[str, Any]) -> bool:
    try:
        schema.model_validate(args)
    except ValidationError:
        return False
    return True


def _is_told(error: Exception) -> bool:
    """Whether the error is meant to leave the tool: ours, the graph's, or LangChain's own way of answering a model."""
    return isinstance(error, AppError | GraphBubbleUp) or type(error) is ToolException


def _awaited(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    async def marking(*args: Any, **kwargs: Any) -> Any:
        try:
            return await function(*args, **kwargs)
        except Exception as error:
            if _is_told(error):
                raise
            raise OwnFault from error

    return marking


def _called(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def marking(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            if _is_told(error):
                raise
            raise OwnFault from error

    return marking
