"""The shape of a whole reply, for those who must know it beforehand: OpenAPI clients, MCP clients, checkers of events.

`app.graph.reply` builds replies as plain data; fields may be added there before they are named here.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema

from app.messages import worded


class Shape(BaseModel):
    """Base: what is named is typed, more may come."""

    model_config = ConfigDict(extra="allow")


class BlockShape(Shape):
    """One block under the answer."""

    id: str
    type: Literal["product_card", "table", "chart", "form", "notice", "proposal"]
    data: dict[str, Any]


class SourceShape(Shape):
    """One cited passage; `id` is the number in the answer."""

    id: int
    document_id: str
    chunk_id: str | None = None
    title: str
    heading_path: str | None = None
    page: int | None = None
    snippet: str | None = None


class OptionShape(Shape):
    """One quick reply."""

    label: str
    value: str


class FieldShape(Shape):
    """A fact that is asked for."""

    name: str
    label: str
    type: Literal["choice", "number", "text", "product", "date"]
    options: list[OptionShape] = Field(default_factory=list)


class FormShape(Shape):
    """The question back."""

    fields: list[FieldShape]
    text: str


class ApprovalShape(Shape):
    """A writing call that waits for a person."""

    id: str
    tool: str
    title: str | None = None
    args: dict[str, Any]
    effect: str
    status: str = "pending"
    expires_at: str


class GuardShape(Shape):
    """What both guardrails decided."""

    input: str | None = None
    layer: str | None = None
    reason: str | None = None
    output: str


class TraceShape(Shape):
    """One step of the turn."""

    node: str
    duration_ms: float = Field(0.0, description=worded("reply_shape.took"))
    action: str | None = None
    tool: str | None = None
    status: str | None = None


class AskedShape(Shape):
    """The one decision that the model took for the planner."""

    about: Literal["tool", "topic", "told"]
    options: list[str] = Field(description="The two tools, or the field that may have been told")
    chosen: str | None = Field(description="The tool, or the words that tell the field; null without an answer")


class DecisionShape(Shape):
    """Who answers, and why, where planner and model work together."""

    engine: Literal["planner", "model"]
    why: Literal["sure", "asked", "unsure", "approved"]
    confidence: float = Field(ge=0, le=1, description="The probability that the planner's answer is right")
    threshold: float = Field(ge=0, le=1, description="The probability from which the planner answers")
    asked: AskedShape | None = None


class ReplyShape(Shape):
    """The whole reply of one turn (docs/api.md, "The reply")."""

    answer: str = Field(description=worded("reply_shape.answer"))
    session_id: str
    thread_id: str = Field(description=worded("reply_shape.thread"))
    run_id: str
    engine: str
    engine_fault: str | None = None
    decision: DecisionShape | None = None
    usage: dict[str, Any] | None = None
    tools_used: list[str]
    blocks: list[BlockShape]
    sources: list[SourceShape]
    facts: dict[str, Any]
    needs_input: list[str]
    needs_input_form: FormShape | None = None
    approval: ApprovalShape | None = None
    approvals: list[ApprovalShape] = Field(default_factory=list)
    guard: GuardShape
    trace: list[TraceShape]


class NodeEvent(Shape):
    """`node_start` and `node_end`."""

    run_id: str
    node: str
    duration_ms: float | None = None


class CandidateShape(Shape):
    """One ranked tool."""

    tool: str
    score: float


class ToolsSelectedEvent(Shape):
    """`tools_selected`: what the model may call this turn."""

    run_id: str
    tools: list[str]
    candidates: list[CandidateShape]


class ToolStartEvent(Shape):
    """`tool_start`."""

    run_id: str
    tool: str
    input: dict[str, Any]


class ToolEndEvent(Shape):
    """`tool_end`."""

    run_id: str
    tool: str
    duration_ms: float
    status: Literal["ok", "error"]


class TokenEvent(Shape):
    """`token`: text that passed the guard."""

    run_id: str
    text: str


class GuardEvent(Shape):
    """`guard`: after `retry` and `replaced` the text shown so far is cleared."""

    run_id: str
    stage: Literal["input", "output"]
    action: Literal["block", "retry", "replaced"]
    reason: str | None = None
    layer: str | None = None


class ClarifyEvent(FormShape):
    """`clarify`: the question back."""

    run_id: str


class SourcesEvent(Shape):
    """`sources`."""

    run_id: str
    sources: list[SourceShape]


class BlockEvent(BlockShape):
    """`block`."""

    run_id: str


class FactsEvent(Shape):
    """`facts`: what was understood, by name."""

    run_id: str


class ApprovalEvent(ApprovalShape):
    """`approval`."""

    run_id: str


class UsageEvent(Shape):
    """`usage`: tokens of a provider's model."""

    run_id: str
    model: str
    input_tokens: int
    output_tokens: int
    total_tokens: int


class DoneEvent(ReplyShape):
    """`done`: the whole reply."""


class ErrorEvent(Shape):
    """`error`: the turn changed nothing."""

    run_id: str
    error: str
    type: str
    request_id: str


EVENTS: dict[str, type[Shape]] = {
    "node_start": NodeEvent,
    "node_end": NodeEvent,
    "tools_selected": ToolsSelectedEvent,
    "tool_start": ToolStartEvent,
    "tool_end": ToolEndEvent,
    "token": TokenEvent,
    "guard": GuardEvent,
    "clarify": ClarifyEvent,
    "sources": SourcesEvent,
    "block": BlockEvent,
    "facts": FactsEvent,
    "approval": ApprovalEvent,
    "usage": UsageEvent,
    "done": DoneEvent,
    "error": ErrorEvent,
}
"""The data of each event by its name."""


def event_schema() -> dict[str, Any]:
    """JSON schema of one event as `{"event", "id", "data"}`; docs/events.schema.json holds it."""
    _, shapes = models_json_schema([(model, "serialization") for model in dict.fromkeys(EVENTS.values())])
    events = [
        {
            "type": "object",
            "required": ["event", "id", "data"],
            "properties": {
                "event": {"const": name},
                "id": {"type": "integer", "minimum": 1},
                "data": {"$ref": f"#/$defs/{model.__name__}"},
            },
        }
        for name, model in EVENTS.items()
    ]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Events of POST /api/chat/stream",
        "description": "One server-sent event: its name, its id and its data as JSON.",
        "oneOf": events,
        "$defs": shapes["$defs"],
    }
