"""How a tool is declared: LangChain's `@tool` plus who may call it and what it does to the world."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_type_hints

from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel, ConfigDict, Field

from app.access import Role


class Annotations(BaseModel):
    """MCP tool annotations (readOnlyHint, destructiveHint, idempotentHint, openWorldHint)."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    read_only: bool | None = Field(None, alias="readOnlyHint")
    destructive: bool | None = Field(None, alias="destructiveHint")
    idempotent: bool | None = Field(None, alias="idempotentHint")
    open_world: bool | None = Field(None, alias="openWorldHint")

    def as_mcp(self) -> dict[str, bool]:
        """The camelCase form that MCP clients and the API show; unknown hints are left out."""
        return self.model_dump(by_alias=True, exclude_none=True)


READS = Annotations(read_only=True, destructive=False, idempotent=True, open_world=False)
WRITES = Annotations(read_only=False, destructive=False, idempotent=False, open_world=False)
DESTROYS = Annotations(read_only=False, destructive=True, idempotent=False, open_world=False)


def insurance_tool(
    *,
    role: Role = "customer",
    annotations: Annotations = READS,
    writes_when: tuple[str, ...] = (),
    looks_up: str | None = None,
) -> Callable[[Callable[..., Any]], BaseTool]:
    """A tool that returns `(text for the model, typed artifact)`; role and annotations ride in its metadata.

    `writes_when` names the arguments that make a call write (`submit`). Such a tool must do no more than prepare while
    its call stands not in `context.approved`, and must come to the same end when an approved call is run twice.
    `looks_up` names the argument that takes free words, of a tool that finds passages for any question.
    """

    def declare(function: Callable[..., Any]) -> BaseTool:
        # LangChain reads them at every call; kept as text they would be compiled each time.
        function.__annotations__ = get_type_hints(function, include_extras=True)
        made = tool(response_format="content_and_artifact", parse_docstring=False)(function)
        made.metadata = {"role": role, "annotations": annotations, "writes_when": writes_when, "looks_up": looks_up}
        return made

    return declare
