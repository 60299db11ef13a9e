"""What tools hand back: typed results, or the facts that are still missing."""

from __future__ import annotations

from typing import Literal, TypeVar

from pydantic import BaseModel, Field

from app.insurance.models import Model

Result = TypeVar("Result", bound=BaseModel)
FieldType = Literal["choice", "number", "text", "product", "date"]


class Option(Model):
    """One quick reply: `label` is what the person sends."""

    label: str
    value: str


class NeededField(Model):
    """A fact that is missing: its argument name, Korean label and how it can be given; `ask` is the question for it
    alone, where somebody wrote one."""

    name: str
    label: str
    type: FieldType
    options: tuple[Option, ...] = ()
    ask: str = Field("", exclude_if=lambda ask: not ask)


class NeedsInput(Model):
    """The tool needs these facts before it can answer; the assistant asks for all of them at once."""

    fields: tuple[NeededField, ...]
    reason: str


def told(result: Result) -> tuple[str, Result]:
    """The pair a tool returns: compact JSON for the model, the typed artifact for everything else.

    A tool names its results in its return type; MCP's output schemas are made from there.
    """
    return result.model_dump_json(exclude_none=True), result
