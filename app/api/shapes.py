"""The shapes of answers for OpenAPI and for clients made from it. Handlers answer plain data; tests hold both together.

What is named here is a promise; more fields may come.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

from app.api.documents import Found
from app.graph.reply_shape import ApprovalShape, ReplyShape, Shape


class FaultShape(Shape):
    """One fault of a 422."""

    field: str
    type: str
    message: str


class Problem(Shape):
    """An error (RFC 9457). `detail` is Korean for people, `type` stable English for programs."""

    type: str
    title: str
    status: int
    detail: str
    request_id: str
    errors: list[FaultShape] | None = None


class CancelledRun(Shape):
    """A run that was stopped."""

    run_id: str
    status: str


class ThreadLine(Shape):
    """One conversation of a list."""

    thread_id: str
    title: str
    created_at: str
    updated_at: str


class ThreadList(Shape):
    """Your conversations."""

    count: int
    threads: list[ThreadLine]


class ThreadWhole(ThreadLine):
    """One conversation with its turns."""

    facts: dict[str, Any]
    turns: list[ReplyShape]


class HandoffMade(Shape):
    """A conversation handed to a person."""

    id: str
    status: str


class ToolLine(Shape):
    """One registered tool."""

    name: str
    group: str
    description: str
    annotations: dict[str, bool]
    role: Literal["customer", "staff", "operator", "admin"]
    card: dict[str, Any]
    schema_: dict[str, Any] = Field(alias="schema")
    source: str


class ToolList(Shape):
    """The registered tools."""

    count: int
    registry_version: int
    tools: list[ToolLine]


class ToolResult(Shape):
    """What a tool answered."""

    result: dict[str, Any]
    kind: str
    duration_ms: float = Field(description="걸린 시간(ms)")


class Candidate(Shape):
    """One tool that a question could mean."""

    tool: str
    score: float
    rank: int
    sources: dict[str, Any]
    matched: str | None = None


class RouteShape(Shape):
    """How a question is routed."""

    guard: dict[str, Any]
    rewritten_query: str | None = None
    no_call: bool
    intent: dict[str, float]
    candidates: list[Candidate]


class ApprovalWhole(ApprovalShape):
    """A request for approval and how it was decided."""

    requested_by: str
    created_at: str
    decided_by: str | None = None
    decided_at: str | None = None
    comment: str | None = None
    outcome: dict[str, Any] | None = None


class ApprovalDecided(ApprovalWhole):
    """A decided request; `reply` is the turn that went on."""

    reply: ReplyShape | None = None


class ApprovalList(Shape):
    """Requests for approval."""

    count: int
    approvals: list[ApprovalWhole]


class DocumentLine(Shape):
    """One document."""

    document_id: str = Field(alias="documentId")
    path: str
    title: str
    kind: str
    product_code: str | None = Field(None, alias="productCode")
    pages: int
    chunks: int


class DocumentList(Shape):
    """The documents that can be searched."""

    count: int
    documents: list[DocumentLine]


class HealthShape(Shape):
    """The state of the service."""

    status: Literal["ok", "degraded"]
    tools_count: int
    registry_version: int
    engine: str
    checks: dict[str, Any]


class MeShape(Shape):
    """Who is calling."""

    id: str
    role: str
    way: str
    local_mode: bool


class KeyShape(Shape):
    """An API key without its value."""

    id: str
    prefix: str
    label: str
    role: str
    scopes: list[str]
    usable: bool


class KeyMade(KeyShape):
    """A new key with its value, shown this once."""

    key: str


class KeyList(Shape):
    """The API keys."""

    count: int
    keys: list[KeyShape]


class ModelShape(Shape):
    """One model, in OpenAI's shape."""

    id: str
    object: Literal["model"]
    created: int
    owned_by: str


class ModelList(Shape):
    """The models, in OpenAI's shape."""

    object: Literal["list"]
    data: list[ModelShape]


class CompletionMessage(Shape):
    """The answer, in OpenAI's shape."""

    role: Literal["assistant"]
    content: str


class CompletionChoice(Shape):
    """The only choice."""

    index: int
    message: CompletionMessage
    finish_reason: str


class CompletionUsage(Shape):
    """Tokens."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class Completion(Shape):
    """A chat completion, in OpenAI's shape."""

    id: str
    object: Literal["chat.completion"]
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: CompletionUsage


class OpenAiFault(Shape):
    """What went wrong, in OpenAI's shape."""

    message: str
    type: str
    param: str | None = None
    code: str | None = None


class OpenAiProblem(Shape):
    """An error, in OpenAI's shape."""

    error: OpenAiFault


ANSWERS: dict[str, type[BaseModel]] = {
    "chat": ReplyShape,
    "cancel_run": CancelledRun,
    "list_threads": ThreadList,
    "get_thread": ThreadWhole,
    "rename_thread": ThreadLine,
    "hand_off": HandoffMade,
    "list_tools": ToolList,
    "invoke_tool": ToolResult,
    "route": RouteShape,
    "list_approvals": ApprovalList,
    "get_approval": ApprovalWhole,
    "decide_approval": ApprovalDecided,
    "search_documents": Found,
    "list_documents": DocumentList,
    "health": HealthShape,
    "me": MeShape,
    "list_keys": KeyList,
    "create_key": KeyMade,
    "list_models": ModelList,
    "get_model": ModelShape,
    "create_chat_completion": Completion,
}
"""The shape of the good answer by operation id; calls that are not named answer an object."""
