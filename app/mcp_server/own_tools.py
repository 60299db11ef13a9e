"""Tools of the server itself, beside those of the registry: `insurance_chat` and `search_documents`."""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import mcp_types as types
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.access import Role, Scope
from app.answering.names import words_of
from app.api.documents import Found, found
from app.api.schemas import Question, ThreadId
from app.documents.search import SearchRequest
from app.errors import BadRequest, Forbidden
from app.graph.events import Event
from app.graph.reply_shape import ReplyShape
from app.graph.runs import RunHub
from app.mcp_server.asking import Decided, Undecided, continued, decide
from app.mcp_server.call import Call, connection_of
from app.services import Knowledge, Talk, Tools
from app.settings import Settings
from app.toolbox.argument_faults import argument_faults

Outcome = types.CallToolResult | types.InputRequiredResult
_THREAD = "thread_id"
_STEPS = {
    "input_guardrail": "질문을 확인하고 있습니다",
    "query_rewriter": "질문을 정리하고 있습니다",
    "agent": "필요한 도구를 고르고 있습니다",
    "tools": "자료를 찾고 있습니다",
    "output_guardrail": "답변을 검토하고 있습니다",
}


@dataclass(frozen=True)
class OwnTool:
    """A tool that the server answers itself; `scope` is what a key's scopes must hold."""

    tool: types.Tool
    run: Callable[[Call], Awaitable[Outcome]]
    role: Role = "customer"
    scope: Scope | None = None

    def check(self, call: Call) -> None:
        """Raises Forbidden where role or key do not reach."""
        scopes = call.principal.scopes
        if not call.principal.at_least(self.role) or (scopes and self.scope is not None and self.scope not in scopes):
            raise Forbidden("이 도구를 사용할 권한이 없습니다. 권한이 있는 키로 다시 연결해 주세요.")


class ChatArgs(BaseModel):
    """What `insurance_chat` takes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    query: Question
    thread_id: ThreadId | None = Field(None, description="이어 갈 대화의 id. 없으면 이 연결의 대화를 이어 갑니다.")


def told(text: str, data: Mapping[str, Any] | None = None, **meta: Any) -> types.CallToolResult:
    """A result with text for the model and data for programs."""
    held = {f"insurance/{name}": value for name, value in meta.items()}
    content: list[types.ContentBlock] = [types.TextContent(text=text)]
    return types.CallToolResult(content=content, structured_content=data, _meta=held or None)


def failed(text: str, **meta: Any) -> types.CallToolResult:
    """A call that came to nothing, with the reason for the model."""
    return told(text, None, **meta).model_copy(update={"is_error": True})


def compact_json(data: Any) -> str:
    """JSON for a model: Korean as it is, no blanks, nothing that is empty."""
    return json.dumps(_without_none(data), ensure_ascii=False, separators=(",", ":"))


def _without_none(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _without_none(value) for key, value in data.items() if value is not None}
    return [_without_none(item) for item in data] if isinstance(data, list) else data


def read_args(model: type[BaseModel], args: dict[str, Any]) -> Any:
    """The arguments as `model`. Raises BadRequest naming every fault."""
    try:
        return model.model_validate(args)
    except ValidationError as error:
        raise BadRequest(argument_faults(error.errors())) from error


def schema_of(model: type[BaseModel], mode: Any = "validation") -> dict[str, Any]:
    """The JSON schema of a model, by the names on the wire."""
    return {"type": "object", **model.model_json_schema(by_alias=True, mode=mode)}


def chat_tool(settings: Settings, toolset: Tools, talk: Talk, hub: RunHub) -> OwnTool:
    """The whole assistant as one tool: guards, routing, tools, answer. One conversation a connection."""

    async def run(call: Call) -> Outcome:
        decided = await continued(call, talk.approvals)
        if decided is not None:
            return _after(decided)
        args: ChatArgs = read_args(ChatArgs, call.args)
        await call.caller.spend_turn()
        reply = await _turn(call, args)
        if not reply["approvals"]:
            return _answer(reply)
        asked = await decide(call, talk.approvals, reply["approvals"], settings.approval_ttl_s)
        if isinstance(asked, types.InputRequiredResult):
            return asked
        return _after(asked, reply)

    async def _turn(call: Call, args: ChatArgs) -> dict[str, Any]:
        state = call.caller.memory if call.modern else connection_of(call.ctx).state
        thread = args.thread_id or state.get(_THREAD) or uuid.uuid4().hex
        state.setdefault(_THREAD, thread)
        running = hub.start(args.query, call.principal, thread)
        try:
            async for event in running.listen():
                await _tell(call, event, toolset)
            return await running.reply()
        finally:
            if not running.ended:  # the client cancelled the call or is gone
                running.cancel()

    tool = types.Tool(
        name="insurance_chat",
        title="보험 상담",
        description=(
            "보험에 관한 질문에 상담 도우미가 답한다. 안전 확인, 도구 선택, 답변 검토를 모두 거치며 대화를 기억한다. "
            "상품 추천, 보험료, 보장, 청구처럼 여러 도구가 필요한 질문에 쓴다.\n"
            "Ask the whole assistant; the conversation goes on within one connection, or by thread_id."
        ),
        input_schema=schema_of(ChatArgs),
        output_schema=schema_of(ReplyShape, "serialization"),
        annotations=types.ToolAnnotations(
            title="보험 상담",
            read_only_hint=False,
            destructive_hint=False,
            idempotent_hint=False,
            open_world_hint=False,
        ),
    )
    return OwnTool(tool, run, scope="chat")


def _answer(reply: dict[str, Any]) -> types.CallToolResult:
    return told(reply["answer"], reply, run_id=reply["run_id"], thread_id=reply[_THREAD])


def _after(asked: Decided | Undecided, before: dict[str, Any] | None = None) -> types.CallToolResult:
    """The turn that went on; or what was prepared and still waits, which is an answer too."""
    if isinstance(asked, Decided) and asked.reply is not None:
        return _answer(asked.reply)
    if isinstance(asked, Undecided):
        return told(f"{before['answer']}\n\n{asked.told()}", before) if before else failed(asked.told())
    lines = [str((item.outcome or {}).get("data", {}).get("message", item.effect)) for item in asked.approvals]
    return failed("\n".join(lines))


async def _tell(call: Call, event: Event, toolset: Tools) -> None:
    """Progress and log messages of a turn; neither holds words of the person or of the answer."""
    match event.type:
        case "node_start":
            await call.progress(event.id, _STEPS.get(event.data["node"], event.data["node"]))
            await call.log("debug", {"event": "node_start", "node": event.data["node"]})
        case "tool_start":
            name = event.data["tool"]
            snapshot = toolset.registry.snapshot()
            title = snapshot.entry(name).card.title if name in snapshot else words_of(name)
            await call.progress(event.id, f"도구 실행: {title}")
        case "tool_end":
            await call.log("info", {"event": "tool_end", **{k: event.data.get(k) for k in ("tool", "status")}})
        case "guard":
            await call.log("notice", {"event": "guard", **{k: event.data.get(k) for k in ("stage", "action")}})
        case "error":
            await call.log("error", {"event": "error", "type": event.data["type"]})


def search_tool(knowledge: Knowledge) -> OwnTool:
    """Document search with the parameters and the reply of `POST /api/documents/search`."""

    async def run(call: Call) -> Outcome:
        reply = await asyncio.to_thread(found, knowledge.documents, read_args(SearchRequest, call.args))
        lines = [
            f"{n}. {hit['title']} · {hit['headingPath']} ({hit['page']}쪽)" for n, hit in enumerate(reply["results"], 1)
        ]
        shown = [f"{line}\n   {hit['snippet']}" for line, hit in zip(lines, reply["results"], strict=True)]
        return told(
            "\n".join(shown) or "찾은 문단이 없습니다. 찾는 말을 바꾸거나 similarityThreshold를 낮춰 주세요.", reply
        )

    tool = types.Tool(
        name="search_documents",
        title="문서 검색",
        description=(
            "약관, 상품요약서, 회사 문서에서 문단을 찾는다. "
            "keyword, semantic, graph, hybrid 방식과 세부 조건을 고를 수 있다.\n"
            "Search documents with keyword, semantic, graph and hybrid modes and configurable parameters."
        ),
        input_schema=schema_of(SearchRequest),
        output_schema=schema_of(Found, "serialization"),
        annotations=types.ToolAnnotations(
            title="문서 검색", read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
    return OwnTool(tool, run, scope="documents")
