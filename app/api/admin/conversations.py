"""/api/admin/conversations: everybody's turns for operators, veiled until a reason is given; judged, saved as a case,
run again."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Response
from pydantic import Field, StringConstraints

from app.access import ROLE_ORDER, Principal, Role
from app.adapters.case_store import CaseStore
from app.adapters.turn_store import SortKey, TurnFilter, TurnStore, Verdict
from app.api.admin.shown_turns import csv_response, earlier_of, line, shown_review, whole
from app.api.principals import ActsDep, OperatorCaller
from app.api.schemas import Body, PlainText
from app.api.state import DesksDep, SettingsDep, StorageDep, TalkDep, ToolsDep
from app.clock import SEOUL
from app.errors import BadRequest
from app.graph.replaying import Replays, differences
from app.language.initials import all_initials, searchable

router = APIRouter(prefix="/api/admin/conversations", tags=["admin"])

SLOW_MS = 2000.0
EXPORTED = 10_000

RunId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="답변의 run_id")]
Tag = Annotated[str, StringConstraints(min_length=1, max_length=40), PlainText]
_FLAG = "(?:blocked|replaced|stopped|failed|no_source|slow)"
_FLAGS = rf"^(?:{_FLAG}(?:,{_FLAG})*)?$"
Moment = datetime | date


class ReasonRequest(Body):
    """Why somebody's data must be seen. It is written to the audit log."""

    reason: Annotated[
        str, Field(min_length=5, max_length=300, description="보는 까닭. 감사 기록에 남습니다."), PlainText
    ]


class ReviewRequest(Body):
    """What is judged of a turn."""

    verdict: Verdict = ""
    tags: Annotated[tuple[Tag, ...], Field(max_length=12)] = ()
    answer: Annotated[str, Field(max_length=4000, description="이렇게 답했어야 한다는 메모")] = ""


class CaseRequest(Body):
    """A turn to be kept as a case of the evaluation. Without tools those that were called are expected."""

    kind: Literal["routing", "dialogue"] = "routing"
    expected_tools: Annotated[tuple[str, ...] | None, Field(max_length=5)] = None
    note: Annotated[str, Field(max_length=4000)] = ""


async def asked_for(
    q: Annotated[str, Query(max_length=200, description="질문과 답변에서 찾을 말. 초성만으로도 찾습니다.")] = "",
    role: Annotated[Role | None, Query()] = None,
    tool: Annotated[str | None, Query(max_length=64, description="이 도구를 쓴 답변")] = None,
    engine: Annotated[str | None, Query(max_length=100)] = None,
    tag: Annotated[str | None, Query(max_length=40)] = None,
    verdict: Annotated[Literal["right", "wrong"] | None, Query()] = None,
    rating: Annotated[Literal["up", "down"] | None, Query(description="👍 또는 👎")] = None,
    flag: Annotated[
        str,
        Query(
            pattern=_FLAGS,
            description="막힘 blocked, 바뀜 replaced, 둘 중 하나 stopped, 오류 failed, "
            "근거 없음 no_source, 느림 slow. 쉼표로 여럿",
        ),
    ] = "",
    slow_ms: Annotated[float, Query(ge=1, le=600_000, description="느림의 기준(ms)")] = SLOW_MS,
    since: Annotated[Moment | None, Query(description="이 날(서울) 또는 이 시각부터")] = None,
    until: Annotated[Moment | None, Query(description="이 날까지(서울), 또는 이 시각 전까지")] = None,
) -> TurnFilter:
    """FastAPI dependency: the filter of a list. A day is one of Seoul."""
    flags, words = flag.split(","), searchable(q)
    return TurnFilter(
        role=role, tool=tool, engine=engine, tag=tag, verdict=verdict, rating=rating,
        blocked="blocked" in flags, replaced_text="replaced" in flags, stopped="stopped" in flags,
        failed="failed" in flags, no_source="no_source" in flags, slow_ms=slow_ms if "slow" in flags else None,
        since=begins(since) if since else None, until=ends(until) if until else None,
        words=words or q.strip(), initials=words if all_initials(words) else "",
    )  # fmt: skip


Wanted = Annotated[TurnFilter, Depends(asked_for)]


@router.get("", operation_id="list_turns", summary="모든 사람의 질문과 답변. 개인정보는 가려서 보입니다.")
async def listed(
    principal: OperatorCaller,
    storage: StorageDep,
    desks: DesksDep,
    wanted: Wanted,
    sort: SortKey = "created_at",
    order: Literal["asc", "desc"] = "desc",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    store = TurnStore(storage.database)
    found, total = await store.page(wanted, sort=sort, down=order == "desc", offset=offset, limit=limit)
    return {
        "total": total,
        "offset": offset,
        "turns": [line(turn, desks.veil) for turn in found],
        "facets": await store.facets(),
    }


@router.get(
    "/export.csv",
    operation_id="export_turns",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}}}},
    summary="걸러 낸 질문과 답변을 표(CSV)로 내려받습니다. 10,000건까지, 개인정보는 가려져 있습니다.",
)
async def exported(
    acts: ActsDep, principal: OperatorCaller, storage: StorageDep, desks: DesksDep, wanted: Wanted
) -> Response:
    found, _ = await TurnStore(storage.database).page(wanted, limit=EXPORTED)
    await acts.note("conversations.export", count=len(found))
    rows = [line(turn, desks.veil) for turn in found]
    names = (
        "created_at",
        "role",
        "engine",
        "query",
        "answer",
        "tools",
        "took_ms",
        "sources",
        "rating",
        "verdict",
        "tags",
    )
    return csv_response("conversations.csv", names, rows)


@router.get("/{run_id}", operation_id="get_turn", summary="질문과 답변 하나를 앞뒤 대화, 과정, 평가와 함께 봅니다.")
async def one(
    run_id: RunId, principal: OperatorCaller, storage: StorageDep, toolset: ToolsDep, talk: TalkDep, desks: DesksDep
) -> dict[str, Any]:
    store = TurnStore(storage.database)
    turn = await store.one(run_id)
    thread = await store.thread(turn.owner, turn.thread_id)
    return {
        **whole(turn, thread, toolset.registry.snapshot().version, desks.veil),
        "model": talk.model_name,
    }


@router.post(
    "/{run_id}/unmasked", operation_id="unmask_turn", summary="가리지 않고 봅니다. 까닭과 본 사람이 기록됩니다."
)
async def unmasked(
    run_id: RunId,
    body: ReasonRequest,
    acts: ActsDep,
    principal: OperatorCaller,
    storage: StorageDep,
    toolset: ToolsDep,
    talk: TalkDep,
) -> dict[str, Any]:
    store = TurnStore(storage.database)
    turn = await store.one(run_id)
    await acts.note("conversation.unmask", run_id, reason=body.reason, thread_id=turn.thread_id)
    thread = await store.thread(turn.owner, turn.thread_id)
    return {**whole(turn, thread, toolset.registry.snapshot().version, None), "model": talk.model_name}


@router.put("/{run_id}/review", operation_id="review_turn", summary="답변에 꼬리표와 맞음·틀림, 바른 답을 남깁니다.")
async def review(
    run_id: RunId, body: ReviewRequest, acts: ActsDep, principal: OperatorCaller, storage: StorageDep, talk: TalkDep
) -> dict[str, Any]:
    answer = talk.threads.masker.mask(body.answer).text
    tags = [talk.threads.masker.mask(tag).text for tag in body.tags]
    before, now = await TurnStore(storage.database).review(run_id, body.verdict, tags, answer, principal.id)
    await acts.note("conversation.review", run_id, before=shown_review(before), after=shown_review(now))
    return {"run_id": run_id, "review": shown_review(now)}


@router.post("/{run_id}/case", operation_id="save_turn_as_case", status_code=201, summary="회귀 사례로 저장합니다.")
async def save_case(
    run_id: RunId,
    body: CaseRequest,
    acts: ActsDep,
    principal: OperatorCaller,
    storage: StorageDep,
    talk: TalkDep,
    desks: DesksDep,
) -> dict[str, Any]:
    store = TurnStore(storage.database)
    turn = await store.one(run_id)
    earlier = earlier_of(turn, await store.thread(turn.owner, turn.thread_id))
    veil = desks.veil(turn.query, turn.reply, earlier)
    ran = {row["tool"]: veil(row.get("input") or {}) for row in _tool_rows(turn.reply)}
    tools = tuple(ran) if body.expected_tools is None else body.expected_tools
    case = await CaseStore(storage.database).add(
        body.kind, veil.text(turn.query), principal.id, history=veil(earlier), expected_tools=tools,
        expected_args={tool: ran[tool] for tool in tools if tool in ran},
        note=talk.threads.masker.mask(body.note).text, source_run_id=run_id,
    )  # fmt: skip
    await acts.note("case.add", case.case_id, run_id=run_id, kind=case.kind, tools=list(case.expected_tools))
    return {"case_id": case.case_id, "kind": case.kind, "expected_tools": list(case.expected_tools)}


@router.post(
    "/{run_id}/replay",
    operation_id="replay_turn",
    summary="같은 대화를 지금 버전으로 다시 돌려 나란히 봅니다. 남는 것도 실행되는 승인도 없습니다.",
)
async def replay(
    run_id: RunId,
    acts: ActsDep,
    principal: OperatorCaller,
    storage: StorageDep,
    toolset: ToolsDep,
    talk: TalkDep,
    desks: DesksDep,
    settings: SettingsDep,
    by: Annotated[Literal["now", "model"], Query(description="model: 이 질문을 모델에게 다시 묻습니다")] = "now",
) -> dict[str, Any]:
    if by == "model" and talk.model_name is None:
        raise BadRequest("설정된 모델이 없어 모델에게 물을 수 없습니다.")
    store = TurnStore(storage.database)
    turn = await store.one(run_id)
    earlier = earlier_of(turn, await store.thread(turn.owner, turn.thread_id))
    replays = Replays(
        talk.threads.graph, talk.make_context, settings, talk.engine_name, storage.database,
        storage.checkpoints,
    )  # fmt: skip
    await toolset.changes.catch_up()
    asker = Principal("replay", _lower(turn.role, principal.role), turn.customer_id)
    again = await replays.run([*earlier, turn.query], asker, by_model=by == "model")
    await acts.note("conversation.replay", run_id, by=by)
    veil = desks.veil(turn.query, turn.reply, again.reply)
    now = veil(again.reply)
    return {
        "run_id": run_id,
        "earlier": again.earlier,
        "took_ms": again.took_ms,
        "registry_version": toolset.registry.snapshot().version,
        "reply": {**now, "query": veil.text(turn.query)},
        "differences": differences(veil(turn.reply), now),
    }


def _tool_rows(reply: dict[str, Any]) -> list[dict[str, Any]]:
    return [row for row in reply.get("trace") or () if row.get("node") == "tools" and row.get("tool")]


def _lower(recorded: str, own: Role) -> Role:
    """Whoever runs it again sees no more than they may, nor than the person who asked did."""
    asked: Role = next((role for role in ROLE_ORDER if role == recorded), "customer")
    return min(asked, own, key=ROLE_ORDER.index)


def begins(at: Moment) -> datetime:
    """When a day of Seoul begins, or the moment itself; UTC."""
    moment = at if isinstance(at, datetime) else datetime.combine(at, time.min)
    return (moment if moment.tzinfo else moment.replace(tzinfo=SEOUL)).astimezone(UTC)


def ends(at: Moment) -> datetime:
    """When a day of Seoul is over, or the moment itself; UTC."""
    return begins(at) if isinstance(at, datetime) else begins(at + timedelta(days=1))
