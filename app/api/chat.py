"""POST /api/chat, POST /api/chat/stream, and the runs behind them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterable, AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Header
from fastapi.sse import EventSourceResponse, ServerSentEvent

from app.api.principals import AskingCaller, Caller, StreamSlot
from app.api.schemas import ChatRequest
from app.api.state import HubDep, TalkDep
from app.graph.events import Event
from app.graph.runs import AnyRun

router = APIRouter(prefix="/api", tags=["chat"])

LastEventId = Annotated[int, Header(alias="Last-Event-ID", ge=0)]


async def _started(body: ChatRequest, principal: AskingCaller, talk: TalkDep, hub: HubDep) -> AnyRun:
    """The run of this question: a new one, or the one that this message began before."""
    if body.message_id is not None:
        earlier = hub.of_message(body.message_id, principal)
        if earlier is not None:
            return earlier
        kept = await talk.threads.store.turn_of_message(principal.id, body.message_id)
        if kept is not None:
            return hub.replay(kept.reply, principal, body.message_id)
    if body.rerun_of is None:
        return await hub.begin(body.query, principal, body.thread, message_id=body.message_id)
    turn, question = await talk.threads.restated(principal, body.rerun_of)
    await talk.threads.store.mark_replaced(principal.id, turn.run_id)
    return await hub.begin(question, principal, turn.thread_id, message_id=body.message_id)


async def _found(run_id: str, principal: Caller, hub: HubDep) -> AnyRun:
    return await hub.find(run_id, principal)


StartedRun = Annotated[AnyRun, Depends(_started)]
FoundRun = Annotated[AnyRun, Depends(_found)]


@router.post("/chat", operation_id="chat", summary="질문 하나에 전체 답변을 한 번에 돌려줍니다.")
async def chat(run: StartedRun) -> dict[str, Any]:
    return await run.reply()


@router.post(
    "/chat/stream",
    operation_id="chat_stream",
    response_class=EventSourceResponse,
    summary="같은 답변을 진행 과정과 함께 SSE로 보냅니다.",
)
async def chat_stream(slot: StreamSlot, run: StartedRun) -> AsyncIterable[ServerSentEvent]:
    async for event in _listening(run, 0):
        yield event


@router.get(
    "/runs/{run_id}/events",
    operation_id="resume_run",
    response_class=EventSourceResponse,
    summary="끊긴 실행을 Last-Event-ID 다음부터 이어 받습니다.",
)
async def resume(slot: StreamSlot, run: FoundRun, last_event_id: LastEventId = 0) -> AsyncIterable[ServerSentEvent]:
    async for event in _listening(run, last_event_id):
        yield event


@router.post("/runs/{run_id}/cancel", operation_id="cancel_run", summary="실행을 멈춥니다.")
async def cancel(run: FoundRun) -> dict[str, str]:
    run.cancel()
    return {"run_id": run.id, "status": "cancelled"}


async def _listening(run: AnyRun, after: int) -> AsyncIterator[ServerSentEvent]:
    async for event in run.listen(after):
        yield _frame(event)


def _frame(event: Event) -> ServerSentEvent:
    """`raw_data` keeps Korean readable on the wire."""
    data = json.dumps({**event.data, "run_id": event.run_id}, ensure_ascii=False, separators=(",", ":"))
    return ServerSentEvent(raw_data=data, event=event.type, id=str(event.id))
