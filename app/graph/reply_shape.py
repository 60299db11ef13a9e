"""The shape of a whole reply, for those who must know it beforehand: OpenAPI clients, MCP clients, checkers of events.

`app.graph.reply` builds replies as plain data; fields may be added there before they are named here.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field


class Shape(BaseModel):
    """Base: what is named is typed, more may come."""

    model_config = ConfigDict(extra="allow")


class BlockShape(Shape):
    """One block under the answer."""

    id: str
    type: Literal["product_card", "table", "chart", "form", "notice"]
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
    duration_ms: float = Field(0.0, description="걸린 시간(ms)")
    action: str | None = None
    tool: str | None = None
    status: str | None = None


class ReplyShape(Shape):
    """The whole reply of one turn (docs/api.md, "The reply")."""

    answer: str = Field(description="출력 가드레일을 통과한 답변 (The answer that passed the output guardrail)")
    session_id: str
    thread_id: str = Field(description="대화 id. 다음 질문에 함께 보내면 이어집니다. (Send it to go on)")
    run_id: str
    engine: str
    engine_fault: str | None = None
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
