"""/api/admin/guards: what the guards stopped and why, whether that was right, and the thresholds with their cost."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from app.access import Role
from app.adapters.case_store import CaseStore, SavedCase
from app.adapters.turn_store import FoundTurn, Judged, TurnFilter, TurnStore
from app.api.admin.conversations import Moment, RunId, begins, ends
from app.api.admin.shown_turns import earlier_of, line
from app.api.principals import ActsDep, AdminCaller, OperatorCaller
from app.api.schemas import Body, PlainText
from app.api.state import DesksDep, StorageDep, TalkDep, ToolsDep
from app.editing.veil import Veiling
from app.errors import NotFound
from app.graph.stops import GUARDS, Did, GuardName, Stop, stops_told
from app.language.initials import all_initials, searchable
from app.safety.messages import EARLIER
from app.safety.tuning import Dial, Tunable
from app.services import Desks, Storage

router = APIRouter(prefix="/api/admin/guards", tags=["admin"])

_KEPT = ("run_id", "created_at", "role", "engine", "query", "answer", "blocked", "replaced_text")
_AT_INPUT = ("injection", "domain", "crisis")

Verdict = Literal["right", "wrong", ""]


class VerdictRequest(Body):
    """Whether a stop was right; empty takes back what was said."""

    place: Annotated[int, Field(ge=0, le=200, description="그 답변에서 몇 번째로 막힌 것인지, 0부터")] = 0
    verdict: Annotated[Verdict, Field(description="right 잘 막음, wrong 잘못 막음, 빈 값이면 취소")]
    note: Annotated[str, Field(max_length=1000, description="남길 말")] = ""


class TrialRequest(Body):
    """A threshold to be tried."""

    value: Annotated[float, Field(allow_inf_nan=False)]


class ThresholdRequest(TrialRequest):
    """A threshold to be put in force. The reason is written to the audit log."""

    reason: Annotated[str, Field(min_length=5, max_length=300, description="바꾸는 까닭"), PlainText]


GuardPath = Annotated[Tunable, Path(description="막는 장치")]


@router.get("", operation_id="list_stops", summary="막힌 질문과 바뀐 답변입니다, 새것부터. 개인정보는 가려져 있습니다.")
async def listed(
    principal: OperatorCaller,
    storage: StorageDep,
    desks: DesksDep,
    guard: Annotated[GuardName | None, Query(description="막은 장치")] = None,
    did: Annotated[Did | None, Query(description="어떻게 되었는지")] = None,
    role: Annotated[Role | None, Query()] = None,
    judged: Annotated[Judged | None, Query(description="운영자의 판단. open은 아직 없음")] = None,
    q: Annotated[str, Query(max_length=200, description="질문과 답변에서 찾을 말. 초성만으로도 찾습니다.")] = "",
    since: Annotated[Moment | None, Query(description="이 날부터(서울)")] = None,
    until: Annotated[Moment | None, Query(description="이 날까지(서울)")] = None,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    words = searchable(q)
    wanted = TurnFilter(
        guards=True, guard=guard, did=did, role=role, judged=judged,
        since=begins(since) if since else None, until=ends(until) if until else None,
        words=words or q.strip(), initials=words if all_initials(words) else "",
    )  # fmt: skip
    found, total = await TurnStore(storage.database).page(wanted, offset=offset, limit=limit)
    cases = await CaseStore(storage.database).of_stops([turn.run_id for turn in found])
    return {"total": total, "offset": offset, "turns": [_told(turn, cases, desks.veil) for turn in found]}


@router.get("/thresholds", operation_id="guard_thresholds", summary="막는 기준과, 기준마다 양쪽에 드는 값입니다.")
async def thresholds(
    principal: OperatorCaller, storage: StorageDep, toolset: ToolsDep, desks: DesksDep
) -> dict[str, Any]:
    await toolset.changes.catch_up()
    cases, labels = await _cases(storage), await CaseStore(storage.database).labels()
    moved = await desks.thresholds.moved()
    shown = []
    for dial in desks.thresholds.dials():
        by = moved.get(dial.guard)
        told = {"author": by.author, "at": by.at.isoformat(), "reason": by.reason} if by else None
        shown.append({**_dial(dial), "moved": told, "curve": await desks.guard_costs.curve(dial.guard, cases)})
    judged = {name: _verdicts(labels.get(name, {})) for name in GUARDS}
    return {"thresholds": shown, "judged": judged}


@router.post(
    "/thresholds/{guard}/trial",
    operation_id="try_threshold",
    summary="기준을 바꾸면 무엇이 달라지는지, 적용하지 않고 저장된 사례와 평가 글로 봅니다.",
)
async def trial(
    guard: GuardPath,
    body: TrialRequest,
    principal: OperatorCaller,
    storage: StorageDep,
    toolset: ToolsDep,
    desks: DesksDep,
) -> dict[str, Any]:
    await toolset.changes.catch_up()
    return await desks.guard_costs.trial(guard, body.value, await _cases(storage))


@router.put(
    "/thresholds/{guard}",
    operation_id="move_threshold",
    summary="기준을 바꿔 다음 질문부터 적용합니다. 다시 시작해도 남고, 감사 기록에 남습니다.",
)
async def move(
    guard: GuardPath, body: ThresholdRequest, acts: ActsDep, principal: AdminCaller, talk: TalkDep, desks: DesksDep
) -> dict[str, Any]:
    reason = talk.threads.masker.mask(body.reason).text
    before, now = await desks.thresholds.move(guard, body.value, reason, principal.id)
    await acts.note("guard.threshold", guard, before=before.value, after=now.value, shipped=now.shipped, reason=reason)
    return {**_dial(now), "before": before.value}


@router.get("/{run_id}", operation_id="get_stop", summary="한 답변에서 막힌 것을 까닭, 점수, 앞선 질문과 함께 봅니다.")
async def one(run_id: RunId, principal: OperatorCaller, storage: StorageDep, desks: DesksDep) -> dict[str, Any]:
    turn, earlier = await _stopped(run_id, storage, desks)
    told = _told(turn, await CaseStore(storage.database).of_stops([run_id]), desks.veil)
    return {**told, "thread_id": turn.thread_id, "earlier": earlier}


@router.put(
    "/{run_id}/verdict",
    operation_id="judge_stop",
    summary="막은 것이 옳았는지 남깁니다. 판단은 기준을 시험할 사례로 저장됩니다.",
)
async def judge(
    run_id: RunId,
    body: VerdictRequest,
    acts: ActsDep,
    principal: OperatorCaller,
    storage: StorageDep,
    talk: TalkDep,
    desks: DesksDep,
) -> dict[str, Any]:
    turn, earlier = await _stopped(run_id, storage, desks)
    store, stops = CaseStore(storage.database), stops_told(turn.shown, turn.reply.get("guard") or {})
    if body.place >= len(stops):
        raise NotFound("그 답변에서 그런 것은 막히지 않았습니다. 목록을 새로 고친 뒤 다시 골라 주세요.")
    stop, case = stops[body.place], None
    if body.verdict:
        case = await store.add(
            "guard", _judged_text(turn, stop, desks.veil), principal.id,
            history=earlier if stop["guard"] in _AT_INPUT else (), guard=stop["guard"], place=body.place,
            label="stop" if body.verdict == "right" else "pass",
            note=talk.threads.masker.mask(body.note).text, source_run_id=run_id,
        )  # fmt: skip
    else:
        await store.withdraw(run_id, body.place)
    await acts.note(
        "guard.verdict",
        run_id,
        place=body.place,
        guard=stop["guard"],
        verdict=body.verdict,
        case=case.case_id if case else None,
    )
    return {"run_id": run_id, "place": body.place, "verdict": body.verdict, "case_id": case.case_id if case else None}


async def _stopped(run_id: str, storage: Storage, desks: Desks) -> tuple[FoundTurn, list[str]]:
    """A turn, and what was asked in its talk just before, veiled. Raises NotFound where nothing was stopped in it."""
    store = TurnStore(storage.database)
    turn = await store.one(run_id)
    if not stops_told(turn.shown, turn.reply.get("guard") or {}):
        raise NotFound("이 답변에서는 막힌 것이 없습니다.")
    thread = await store.thread(turn.owner, turn.thread_id)
    earlier = earlier_of(turn, tuple(other for other in thread if not other.blocked))  # refused ones left the talk
    veiled: list[str] = desks.veil(turn.query, turn.reply, earlier)(earlier[-EARLIER:])
    return turn, veiled


async def _cases(storage: Storage) -> tuple[SavedCase, ...]:
    return (await CaseStore(storage.database).list("guard"))[0]


def _told(turn: FoundTurn, cases: dict[tuple[str, int], SavedCase], over: Veiling) -> dict[str, Any]:
    told, stops = line(turn, over), stops_told(turn.shown, turn.reply.get("guard") or {})
    veil = over(turn.query, turn.reply)
    shown = [
        {**veil(stop), "place": place, "case": _case(cases.get((turn.run_id, place)))}
        for place, stop in enumerate(stops)
    ]
    return {**{name: told[name] for name in _KEPT}, "stops": shown}


def _case(case: SavedCase | None) -> dict[str, Any] | None:
    if case is None:
        return None
    return {
        "id": case.case_id, "verdict": "right" if case.label == "stop" else "wrong", "note": case.note,
        "author": case.created_by, "at": case.created_at.isoformat(),
    }  # fmt: skip


def _judged_text(turn: FoundTurn, stop: Stop, over: Veiling) -> str:
    """What the guard was about: the question, or the sentence of the answer; as masked as the page shows it."""
    text: str = over(turn.query, turn.reply)(turn.query if stop["guard"] in _AT_INPUT else stop["text"])
    return text


def _dial(dial: Dial) -> dict[str, Any]:
    return {**dial.__dict__}


def _verdicts(labels: dict[str, int]) -> dict[str, int]:
    return {"right": labels.get("stop", 0), "wrong": labels.get("pass", 0)}
