"""Calling tools as LangGraph's ToolNode does, and rendering their answers as the planner does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolMessage
from langchain_core.tools import BaseTool
from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel

from app.access import LOCAL_ADMIN
from app.insurance.catalogue import Catalogue
from app.language.formatting import answer_environment, code_suffix
from app.tools.context import ToolContext
from app.tools.results import NeedsInput

TEMPLATES = Path(__file__).resolve().parents[2] / "templates" / "answers"
TODAY = date(2026, 3, 2)


async def call_tool(
    tool: BaseTool, args: Mapping[str, Any], context: ToolContext, state: Mapping[str, Any] | None = None
) -> Any:
    """The typed artifact of one call, with the runtime injected under the arguments as ToolNode injects it."""
    state = dict(state or {})
    runtime = ToolRuntime(
        state=state, context=context, config={}, stream_writer=lambda _: None, tool_call_id="1", store=None
    )
    message = await tool.ainvoke(
        {"name": tool.name, "args": {**args, "runtime": runtime}, "id": "1", "type": "tool_call"}
    )
    assert isinstance(message, ToolMessage)
    return message.artifact


def say(tool_name: str, result: BaseModel, show_codes: bool = True) -> str:
    """The answer text of a result, by its tool's template; a NeedsInput by the asking one."""
    name = "needs_input" if isinstance(result, NeedsInput) else tool_name
    template = answer_environment(TEMPLATES).get_template(f"{name}.j2")
    codes = partial(code_suffix, show_codes=show_codes)
    return template.render(r=result.model_dump(mode="json"), show_codes=show_codes, facts={}, codes=codes).strip()


def say_many(tool_name: str, results: Sequence[BaseModel], show_codes: bool = True, **more: Any) -> str:
    """The answer text of several results of one tool."""
    template = answer_environment(TEMPLATES).get_template(f"{tool_name}_many.j2")
    codes = partial(code_suffix, show_codes=show_codes)
    rs = [result.model_dump(mode="json") for result in results]
    return template.render(rs=rs, show_codes=show_codes, facts={}, codes=codes, **{"total": None, **more}).strip()


@pytest.fixture
def context(catalogue: Catalogue) -> ToolContext:
    """A context with the real catalogue, for tools that need neither database nor documents."""
    return ToolContext(
        principal=LOCAL_ADMIN, catalogue=catalogue, customers=None, documents=None, phrases=None, masker=None,  # type: ignore[arg-type]
        today=lambda: TODAY,
    )  # fmt: skip


@pytest.fixture
def call(context: ToolContext) -> Callable[..., Any]:
    """`await call(tool, **args)` → the artifact; `state` gives the graph's state."""

    async def run(tool: BaseTool, state: Mapping[str, Any] | None = None, **args: Any) -> Any:
        return await call_tool(tool, args, context, state)

    return run
