"""Conversations over HTTP: list, read, rename, delete, export, correct the facts, hand to a person; and feedback."""

from __future__ import annotations

from datetime import date, datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import Field, StringConstraints

from app.access import Principal
from app.adapters.thread_store import Thread, Turn
from app.api.principals import ActsDep, Caller
from app.api.schemas import Body, PlainText
from app.api.state import KnowledgeDep, TalkDep
from app.graph.threads import as_markdown
from app.insurance.models import Gender
from app.language.initials import all_initials, searchable
from app.services import Talk

router = APIRouter(prefix="/api", tags=["threads"])

ThreadPath = Annotated[str, Path(pattern=r"^[A-Za-z0-9_.:\-]{1,128}$", description="대화 id")]
Money = Annotated[int | None, Field(ge=0, le=10**12, description="원")]
Word = Annotated[str, StringConstraints(min_length=1, max_length=100), PlainText] | None


class TitleRequest(Body):
    """A new title."""

    title: Annotated[str, Field(min_length=1, max_length=200), PlainText]


class FactValues(Body):
    """The facts that a person may correct. Age in 세 (만 나이), money in 원."""

    age: Annotated[int | None, Field(ge=0, le=120)] = None
    gender: Gender | None = None
    job: Word = None
    history: Word = None
    diagnosis: Word = None
    monthly_budget: Money = None
    monthly_income: Money = None
    debt: Money = None
    loan_amount: Money = None
    sum_insured: Money = None
    plan: Word = None
    goal: Word = None
    years_paid: Annotated[int | None, Field(ge=0, le=100)] = None
    contract_date: date | None = None
    lapse_date: date | None = None
    event_date: date | None = None
    product_codes: Annotated[tuple[str, ...] | None, Field(max_length=4)] = None


FactName = Literal[
    "age",
    "gender",
    "job",
    "history",
    "diagnosis",
    "monthly_budget",
    "monthly_income",
    "debt",
    "loan_amount",
    "sum_insured",
    "plan",
    "goal",
    "years_paid",
    "contract_date",
    "lapse_date",
    "event_date",
    "product_codes",
]


class FactsRequest(Body):
    """Facts to set and to take back."""

    set: FactValues = FactValues()
    remove: Annotated[tuple[FactName, ...], Field(max_length=20)] = ()


class HandoffRequest(Body):
    """A wish to talk to a person. Without consent nothing is passed on."""

    note: Annotated[str, Field(max_length=2000)] = ""
    contact: Annotated[str | None, Field(min_length=3, max_length=200, description="연락처. 암호화해 둡니다.")] = None
    consent: Literal[True] = Field(description="개인정보를 상담원에게 전하는 데 동의")


class FeedbackRequest(Body):
    """An opinion of one answer."""

    run_id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$", description="답변의 run_id")]
    rating: Literal["up", "down"] | Annotated[int, Field(ge=1, le=5)]
    reason: Annotated[str, Field(max_length=200)] = ""
    comment: Annotated[str, Field(max_length=2000)] = ""


@router.get("/threads", operation_id="list_threads", summary="내 대화 목록, 최근 것부터입니다.")
async def list_threads(
    principal: Caller,
    talk: TalkDep,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[datetime | None, Query(description="이 시각보다 앞서 쓴 대화")] = None,
    q: Annotated[
        str | None, Query(max_length=200, description="질문과 답변에서 찾을 말. 초성만으로도 찾습니다.")
    ] = None,
) -> dict[str, Any]:
    if q is not None:
        return await _found(talk, principal, q, limit)
    found = await talk.threads.store.list(principal.id, limit=limit, before=before)
    return {"count": len(found), "threads": [_shown(thread) for thread in found]}


@router.get("/threads/{thread_id}", operation_id="get_thread", summary="대화 하나의 질문과 답변 전체입니다.")
async def get_thread(thread_id: ThreadPath, principal: Caller, talk: TalkDep) -> dict[str, Any]:
    thread, turns = await talk.threads.store.thread(principal.id, thread_id)
    facts = await talk.threads.facts(principal, thread_id)
    more = await talk.threads.store.shown(principal.id, thread_id)
    shown = [_shown_turn(turn) | _kept_with(more.get(turn.run_id, {}), principal) for turn in turns]
    return {**_shown(thread), "facts": facts, "turns": shown}


@router.patch("/threads/{thread_id}", operation_id="rename_thread", summary="대화의 제목을 바꿉니다.")
async def rename(thread_id: ThreadPath, body: TitleRequest, principal: Caller, talk: TalkDep) -> dict[str, Any]:
    title = talk.threads.masker.mask(body.title).text
    return _shown(await talk.threads.store.rename(principal.id, thread_id, title))


@router.delete("/threads/{thread_id}", operation_id="delete_thread", summary="대화를 지웁니다. 되돌릴 수 없습니다.")
async def delete(thread_id: ThreadPath, acts: ActsDep, principal: Caller, talk: TalkDep) -> dict[str, str]:
    await talk.threads.delete(principal, thread_id)
    await acts.note("thread.delete", thread_id)
    return {"status": "ok", "thread_id": thread_id}


@router.get(
    "/threads/{thread_id}/export",
    operation_id="export_thread",
    response_class=Response,
    responses={200: {"content": {"text/markdown": {}, "application/json": {}}}},
    summary="대화를 파일로 내려받습니다. 개인정보는 가려져 있습니다.",
)
async def export(
    thread_id: ThreadPath,
    principal: Caller,
    talk: TalkDep,
    kind: Annotated[Literal["md", "json"], Query(alias="format")] = "md",
) -> Response:
    thread, turns = await talk.threads.store.thread(principal.id, thread_id)
    headers = {"Content-Disposition": f'attachment; filename="thread.{kind}"'}
    if kind == "json":
        content = {**_shown(thread), "turns": [_shown_turn(turn) for turn in turns]}
        return JSONResponse(content, headers=headers)
    return PlainTextResponse(as_markdown(thread, turns), media_type="text/markdown", headers=headers)


@router.patch("/threads/{thread_id}/facts", operation_id="change_facts", summary="파악한 내용을 고칩니다.")
async def change_facts(
    thread_id: ThreadPath, body: FactsRequest, principal: Caller, knowledge: KnowledgeDep, talk: TalkDep
) -> dict[str, Any]:
    values = body.set.model_dump(mode="json", exclude_none=True)
    for code in values.get("product_codes", ()):
        knowledge.catalogue.product(code)
    return {"facts": await talk.threads.change_facts(principal, thread_id, values, body.remove)}


@router.post(
    "/threads/{thread_id}/handoff", operation_id="hand_off", status_code=201, summary="상담원에게 대화를 넘깁니다."
)
async def hand_off(
    thread_id: ThreadPath, body: HandoffRequest, principal: Caller, talk: TalkDep, acts: ActsDep
) -> dict[str, str]:
    made = await talk.threads.hand_off(principal, thread_id, body.note, body.contact)
    await acts.note("handoff", thread_id, id=made.handoff_id)
    await talk.webhooks.tell(
        "handoff.created", {"id": made.handoff_id, "thread_id": thread_id, "status": made.status, "note": made.note}
    )
    return {"id": made.handoff_id, "status": made.status}


@router.post("/feedback", operation_id="give_feedback", summary="답변에 대한 의견을 남깁니다. 다시 보내면 바뀝니다.")
async def give_feedback(body: FeedbackRequest, principal: Caller, talk: TalkDep) -> dict[str, str]:
    mask = talk.threads.masker.mask
    await talk.threads.store.save_feedback(
        principal.id, body.run_id, str(body.rating), mask(body.reason).text, mask(body.comment).text
    )
    told = {"run_id": body.run_id, "rating": str(body.rating), "reason": mask(body.reason).text}
    await talk.webhooks.tell("feedback.created", told)
    return {"status": "ok", "run_id": body.run_id}


def _shown(thread: Thread) -> dict[str, Any]:
    return {
        "thread_id": thread.thread_id,
        "title": thread.title,
        "created_at": thread.created_at.isoformat(),
        "updated_at": thread.updated_at.isoformat(),
    }


async def _found(talk: Talk, principal: Principal, q: str, limit: int) -> dict[str, Any]:
    """Threads in which it was said, each with the question that was found."""
    words = searchable(q)
    if not words:
        return {"count": 0, "threads": []}
    starts = words if all_initials(words) else ""
    found = await talk.threads.store.search(principal.id, words, starts, limit=limit)
    return {"count": len(found), "threads": [{**_shown(thread), "found": query} for thread, query in found]}


def _kept_with(more: dict[str, Any], principal: Principal) -> dict[str, Any]:
    """The rating of a turn; for staff also what its calls gave and which tools were ranked."""
    kept: dict[str, Any] = {"rating": more.get("rating")}
    told = more.get("shown") or {}
    if principal.sees_codes and told:
        kept |= {name: told.get(name) for name in ("results", "candidates", "registry_version")}
    return kept


def _shown_turn(turn: Turn) -> dict[str, Any]:
    at = turn.created_at.isoformat() if turn.created_at else None
    return {**turn.reply, "query": turn.query, "message_id": turn.message_id, "created_at": at}
