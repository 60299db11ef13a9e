"""GET /v1/models and POST /v1/chat/completions: the assistant as an OpenAI-compatible model.

The caller's system messages, tools and sampling values steer nothing: the assistant has its own guards, tools and
words. Only the newest question is asked; what came before it is the thread's.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, StreamingResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from app.access import Principal
from app.api.principals import AskingCaller, Caller
from app.api.problems import fault_message, status_of
from app.api.schemas import Question, ThreadId
from app.api.state import HubDep, SettingsDep, TalkDep
from app.errors import AppError, BadRequest, NotFound, TooManyRequests, TurnFailed
from app.graph.history import estimated_tokens
from app.graph.runs import AnyRun
from app.services import Talk
from app.settings import Settings

MODEL = "insurance-assistant"
KEEP_ALIVE_S = 15.0
_PIECE = re.compile(r"[^\n]*\n+|[^\n]+")
_QUESTION: TypeAdapter[str] = TypeAdapter(Question)
_THREAD: TypeAdapter[str] = TypeAdapter(ThreadId)
_KINDS = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}


class OpenAiError(BadRequest):
    """A request that this model cannot answer; `param` names the field."""

    code = "invalid_request"

    def __init__(self, message: str, param: str | None = None) -> None:
        self.param = param
        super().__init__(message)


class ModelNotFound(NotFound):
    """Another model than ours was named."""

    code = "model_not_found"
    param = "model"


class OpenAiRoute(APIRoute):
    """Errors in OpenAI's shape: its clients read `error.message` and map the status."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The handler that answers errors itself."""
        handler = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handler(request)
            except RequestValidationError as error:
                first = error.errors()[0]
                param = ".".join(str(part) for part in first["loc"] if part != "body") or None
                message = f"{param}: {fault_message(first)}" if param else fault_message(first)
                return _failed(400, message, "invalid_request", param)
            except AppError as error:
                headers = {"Retry-After": str(error.retry_after_s)} if isinstance(error, TooManyRequests) else {}
                return _failed(status_of(error), str(error), error.code, getattr(error, "param", None), headers)

        return answered


router = APIRouter(prefix="/v1", tags=["openai"], route_class=OpenAiRoute)


class _Open(BaseModel):
    model_config = ConfigDict(extra="allow", frozen=True)


class TextPart(_Open):
    """One part of a message; only texts are read."""

    type: str
    text: str | None = None


class Message(_Open):
    """One message of the conversation."""

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[TextPart] | None = None

    @property
    def words(self) -> str:
        if isinstance(self.content, str):
            return self.content
        return "\n".join(part.text or "" for part in self.content or () if part.type in ("text", "input_text"))


class StreamOptions(_Open):
    """What a stream tells beside the text."""

    include_usage: bool = False


class CompletionRequest(_Open):
    """A chat completion. Fields that are not named here are accepted and change nothing."""

    model: Annotated[str, Field(description=f"모델 이름: {MODEL}")] = MODEL
    messages: Annotated[list[Message], Field(min_length=1, description="대화. 마지막이 질문(user)입니다.")]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: int | None = 1
    user: Annotated[str | None, Field(description="사용자. 대화 id로 씁니다.")] = None
    metadata: Annotated[dict[str, Any] | None, Field(description="thread_id가 있으면 그 대화를 이어 갑니다.")] = None
    tool_choice: Any = None
    response_format: dict[str, Any] | None = None


@router.get("/models", operation_id="list_models", summary="쓸 수 있는 모델의 목록입니다.")
async def models(principal: Caller, settings: SettingsDep) -> dict[str, Any]:
    return {"object": "list", "data": [_model(settings)]}


@router.get("/models/{model}", operation_id="get_model", summary="모델 하나의 정보입니다.")
async def model(model: str, principal: Caller, settings: SettingsDep) -> dict[str, Any]:
    _check_model(model)
    return _model(settings)


@router.post(
    "/chat/completions", operation_id="create_chat_completion", summary="OpenAI와 같은 모양으로 묻고 답합니다."
)
async def completions(body: CompletionRequest, principal: AskingCaller, talk: TalkDep, hub: HubDep) -> Response:
    question = _question(body)
    thread = await _thread(body, principal, talk)
    run = await hub.begin(question, principal, thread)
    if body.stream:
        headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
        return StreamingResponse(_streamed(run, body), media_type="text/event-stream", headers=headers)
    try:
        reply = await run.reply()
    except asyncio.CancelledError:
        run.cancel()
        raise
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": reply["answer"], "refusal": None},
        "finish_reason": "stop",
        "logprobs": None,
    }
    head = _head(run.id, "chat.completion")
    return JSONResponse({**head, "choices": [choice], "usage": _usage(body, reply), "insurance": _more(reply)})


def _question(body: CompletionRequest) -> str:
    """The newest question. Raises ModelNotFound, OpenAiError for what cannot be answered."""
    _check_model(body.model)
    if body.n not in (None, 1):
        raise OpenAiError("n은 1만 쓸 수 있습니다.", "n")
    if body.tool_choice not in (None, "none", "auto"):
        raise OpenAiError("이 모델은 보낸 도구를 부르지 않습니다. tool_choice를 빼 주세요.", "tool_choice")
    if body.response_format is not None and body.response_format.get("type", "text") != "text":
        raise OpenAiError("답변은 글로만 드립니다. response_format을 빼 주세요.", "response_format")
    last = body.messages[-1]
    if last.role != "user":
        raise OpenAiError("마지막 메시지는 사용자의 질문(role: user)이어야 합니다.", "messages")
    if isinstance(last.content, list) and any(part.type not in ("text", "input_text") for part in last.content):
        raise OpenAiError("글만 읽을 수 있습니다. 그림이나 소리는 빼 주세요.", "messages")
    try:
        return _QUESTION.validate_python(last.words)
    except ValidationError as error:
        raise OpenAiError(fault_message(dict(error.errors()[0])), "messages") from error


async def _thread(body: CompletionRequest, principal: Principal, talk: Talk) -> str | None:
    """The thread to go on with: by metadata, by user, or the one in which the last answer of the history was given."""
    named = (body.metadata or {}).get("thread_id") or body.user
    if named is not None:
        try:
            return _THREAD.validate_python(named)
        except ValidationError as error:
            message = "대화 이름은 영문자, 숫자, '_.:-'로 128자까지 쓸 수 있습니다."
            raise OpenAiError(message, "metadata.thread_id" if named != body.user else "user") from error
    spoken = [message for message in body.messages[:-1] if message.role in ("user", "assistant")]
    if len(spoken) < 2 or spoken[-1].role != "assistant" or spoken[-2].role != "user":
        return None
    asked = talk.threads.masker.mask(spoken[-2].words.strip()).text
    return await talk.threads.store.thread_where(principal.id, asked, spoken[-1].words)


async def _streamed(run: AnyRun, body: CompletionRequest) -> AsyncIterator[str]:
    """The chunks of a stream. The text comes when the whole answer has passed the guard: a chunk cannot be taken back.

    Comments keep the connection open until then.
    """
    head = {**_head(run.id, "chat.completion.chunk"), "usage": None}
    answering = asyncio.ensure_future(run.reply())
    try:
        yield _frame({**head, "choices": [_delta({"role": "assistant", "content": ""})]})
        while not (await asyncio.wait({answering}, timeout=KEEP_ALIVE_S))[0]:
            yield ": keep-alive\n\n"
        try:
            reply = answering.result()
        except TurnFailed as error:
            yield _frame({"error": _error(status_of(error), str(error), error.code, None)})
            return
        for piece in _PIECE.findall(reply["answer"]):
            yield _frame({**head, "choices": [_delta({"content": piece})]})
        yield _frame({**head, "choices": [_delta({}, "stop")], "insurance": _more(reply)})
        if body.stream_options is not None and body.stream_options.include_usage:
            yield _frame({**head, "choices": [], "usage": _usage(body, reply)})
        yield "data: [DONE]\n\n"
    finally:
        if not answering.done():  # the client is gone
            answering.cancel()
            run.cancel()


def _check_model(name: str) -> None:
    if name != MODEL:
        raise ModelNotFound(f"모델 {name[:100]!r}은(는) 없습니다. {MODEL}을 쓰세요.")


def _model(settings: Settings) -> dict[str, Any]:
    return {"id": MODEL, "object": "model", "created": 1767225600, "owned_by": settings.company_name}


def _head(run_id: str, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{run_id}", "object": kind, "created": int(time.time()), "model": MODEL}


def _delta(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"index": 0, "delta": delta, "finish_reason": finish, "logprobs": None}


def _more(reply: dict[str, Any]) -> dict[str, Any]:
    """What OpenAI's shape has no place for."""
    told = ("thread_id", "run_id", "engine", "tools_used", "sources", "needs_input", "approval", "guard")
    return {name: reply.get(name) for name in told}


def _usage(body: CompletionRequest, reply: dict[str, Any]) -> dict[str, int]:
    """The provider's count; without a provider the texts are measured."""
    told = reply.get("usage")
    if told is not None:
        asked, answered = told["input_tokens"], told["output_tokens"]
    else:
        asked = sum(estimated_tokens(message.words) for message in body.messages)
        answered = estimated_tokens(reply["answer"])
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


def _frame(data: dict[str, Any]) -> str:
    return f"data: {json.dumps(data, ensure_ascii=False, separators=(',', ':'))}\n\n"


def _error(status: int, message: str, code: str, param: str | None) -> dict[str, Any]:
    kind = _KINDS.get(status, "invalid_request_error" if status < 500 else "server_error")
    return {"message": message, "type": kind, "param": param, "code": code}


def _failed(
    status: int, message: str, code: str, param: str | None, headers: dict[str, str] | None = None
) -> JSONResponse:
    return JSONResponse({"error": _error(status, message, code, param)}, status_code=status, headers=headers)
