"""/api/admin/handoffs/…: requests to talk to a person: listed without contacts, taken, done; a contact is shown on
demand, and that is written down."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query

from app.adapters.handoff_store import HandoffStore
from app.adapters.thread_store import Handoff
from app.adapters.turn_store import TurnStore
from app.api.admin.conversations import ReasonRequest
from app.api.principals import ActsDep, StaffCaller
from app.api.schemas import Body
from app.api.state import DesksDep, StorageDep, TalkDep
from app.editing.veil import Veiling

router = APIRouter(prefix="/api/admin/handoffs", tags=["admin"])

HandoffId = Annotated[str, Path(pattern=r"^H[0-9A-F]{12}$", description="상담원 연결 요청의 id")]
Status = Literal["접수", "처리중", "완료"]


class MoveRequest(Body):
    """What becomes of a request: taken by the caller, done, or put back."""

    status: Status


@router.get(
    "/queue", operation_id="handoff_queue", summary="상담원 연결 요청을 연락처 없이, 오래 기다린 것부터 봅니다."
)
async def queue(
    principal: StaffCaller,
    storage: StorageDep,
    desks: DesksDep,
    status: Annotated[Status | None, Query(description="이 상태의 것만. 없으면 아직 끝나지 않은 것")] = None,
    offset: Annotated[int, Query(ge=0, le=100_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=100)] = 20,
) -> dict[str, Any]:
    wanted = (status,) if status else ("접수", "처리중")
    found, total = await HandoffStore(storage.database).page(wanted, offset=offset, limit=limit)
    return {"total": total, "offset": offset, "handoffs": [_shown(item, desks.veil) for item in found]}


@router.get("/{handoff_id}", operation_id="get_handoff", summary="연결 요청 하나를 대화와 함께 봅니다.")
async def one(handoff_id: HandoffId, principal: StaffCaller, storage: StorageDep, desks: DesksDep) -> dict[str, Any]:
    found = await HandoffStore(storage.database).get(handoff_id)
    turns = await TurnStore(storage.database).thread(found.owner, found.thread_id)
    veil = desks.veil(found.note, *((turn.query, turn.reply) for turn in turns))
    return {
        **_shown(found, desks.veil),
        "turns": [
            {**veil(turn.reply), "query": veil(turn.query), "created_at": turn.created_at.isoformat()}
            for turn in turns
            if not turn.replaced
        ],
    }


@router.post("/{handoff_id}", operation_id="move_handoff", summary="연결 요청을 맡거나, 끝내거나, 되돌립니다.")
async def move(
    handoff_id: HandoffId,
    body: MoveRequest,
    acts: ActsDep,
    principal: StaffCaller,
    storage: StorageDep,
    desks: DesksDep,
) -> dict[str, Any]:
    before, now = await HandoffStore(storage.database).move(handoff_id, body.status, principal.id)
    await acts.note(
        "handoff.move",
        handoff_id,
        before={"status": before.status, "taken_by": before.taken_by},
        after={"status": now.status, "taken_by": now.taken_by},
    )
    return _shown(now, desks.veil)


@router.post(
    "/{handoff_id}/contact", operation_id="reveal_contact", summary="연락처를 봅니다. 까닭과 본 사람이 기록됩니다."
)
async def contact(
    handoff_id: HandoffId,
    body: ReasonRequest,
    acts: ActsDep,
    principal: StaffCaller,
    storage: StorageDep,
    talk: TalkDep,
) -> dict[str, Any]:
    found = await HandoffStore(storage.database).get(handoff_id)
    await acts.note("handoff.contact", handoff_id, reason=body.reason)
    return {"id": handoff_id, "contact": talk.threads.contact_of(found)}


def _shown(found: Handoff, over: Veiling) -> dict[str, Any]:
    return {
        "id": found.handoff_id,
        "thread_id": found.thread_id,
        "asked_by": found.owner.partition(":")[0],
        "note": over(found.note).text(found.note),
        "has_contact": found.contact is not None,
        "status": found.status,
        "taken_by": found.taken_by,
        "created_at": found.created_at.isoformat(),
        "changed_at": found.changed_at.isoformat() if found.changed_at else None,
    }
