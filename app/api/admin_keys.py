"""/api/admin/keys (admin), /api/admin/audit and /api/admin/feedback (operator), /api/admin/handoffs (staff)."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from pydantic import Field

from app.access import Role, Scope
from app.adapters.key_store import KeyRecord
from app.api.principals import ActsDep, AdminCaller, GatekeeperDep, OperatorCaller, StaffCaller
from app.api.schemas import Body
from app.api.state import TalkDep

router = APIRouter(prefix="/api/admin", tags=["admin"])

KeyId = Annotated[str, Path(pattern=r"^[0-9a-f]{12}$", description="키 id")]
Limit = Annotated[int, Query(ge=1, le=500, description="가져올 건수")]


class NewKeyRequest(Body):
    """A key to be made."""

    label: Annotated[str, Field(min_length=1, max_length=100, description="어디에 쓰는 키인지")]
    role: Role
    scopes: tuple[Scope, ...] = ()
    customer_id: Annotated[str | None, Field(pattern=r"^C\d{4,12}$", description="고객 키가 묶일 고객 번호")] = None
    expires_in_days: Annotated[int | None, Field(ge=1, le=3650, description="며칠 뒤 만료되는지")] = None


@router.get("/keys", operation_id="list_keys", summary="API 키 목록(값은 보이지 않음)입니다.")
async def keys(principal: AdminCaller, gate: GatekeeperDep) -> dict[str, Any]:
    found = await gate.keys.list()
    return {"count": len(found), "keys": [shown_key(record) for record in found]}


@router.post("/keys", operation_id="create_key", status_code=201, summary="키를 만듭니다. 값은 이때 한 번만 보입니다.")
async def create_key(body: NewKeyRequest, acts: ActsDep, principal: AdminCaller, gate: GatekeeperDep) -> dict[str, Any]:
    expires = datetime.now(UTC) + timedelta(days=body.expires_in_days) if body.expires_in_days else None
    made = await gate.keys.create(
        label=body.label,
        role=body.role,
        scopes=body.scopes,
        customer_id=body.customer_id,
        expires_at=expires,
        created_by=principal.id,
    )
    await acts.note(
        "key.create", made.record.prefix, role=body.role, scopes=list(body.scopes), customer_id=body.customer_id
    )
    return {**shown_key(made.record), "key": made.key}


@router.delete("/keys/{key_id}", operation_id="revoke_key", summary="키를 폐기합니다. 그 키의 로그인도 끝납니다.")
async def revoke_key(key_id: KeyId, acts: ActsDep, principal: AdminCaller, gate: GatekeeperDep) -> dict[str, Any]:
    record = await gate.keys.revoke(key_id)
    await acts.note("key.revoke", record.prefix)
    return shown_key(record)


@router.get("/audit", operation_id="audit", summary="감사 기록입니다. verify=true면 고친 흔적이 있는지 확인합니다.")
async def audit(
    principal: OperatorCaller,
    gate: GatekeeperDep,
    limit: Limit = 100,
    before: Annotated[int | None, Query(ge=1, le=2**62, description="이 번호보다 앞의 기록")] = None,
    actor: Annotated[str | None, Query(max_length=200, description="누가")] = None,
    action: Annotated[str | None, Query(max_length=64, description="무엇을")] = None,
    verify: bool = False,
) -> dict[str, Any]:
    found = await gate.audit.entries(limit=limit, before=before, actor=actor, action=action)
    reply: dict[str, Any] = {"count": len(found), "entries": [{**entry.__dict__} for entry in found]}
    if verify:
        broken = await gate.audit.verify()
        reply |= {"intact": broken is None, "first_broken_entry": broken}
    return reply


@router.get("/feedback", operation_id="list_feedback", summary="답변에 대한 의견입니다.")
async def feedback(principal: OperatorCaller, talk: TalkDep, limit: Limit = 100) -> dict[str, Any]:
    found = await talk.threads.store.feedback(limit=limit)
    return {"count": len(found), "feedback": [dict(item) for item in found]}


@router.get("/handoffs", operation_id="list_handoffs", summary="상담원 연결 요청입니다. 본 사람이 기록됩니다.")
async def handoffs(acts: ActsDep, principal: StaffCaller, talk: TalkDep, limit: Limit = 100) -> dict[str, Any]:
    found = await talk.threads.store.handoffs(limit=limit)
    await acts.note("handoffs.read", count=len(found))
    shown = [
        {
            "id": item.handoff_id,
            "thread_id": item.thread_id,
            "note": item.note,
            "contact": talk.threads.contact_of(item),
            "status": item.status,
            "created_at": item.created_at,
        }
        for item in found
    ]
    return {"count": len(shown), "handoffs": shown}


def shown_key(record: KeyRecord) -> dict[str, Any]:
    """What may be told of a key."""
    return {
        "id": record.key_id,
        "prefix": record.prefix,
        "label": record.label,
        "role": record.role,
        "scopes": list(record.scopes),
        "customer_id": record.customer_id,
        "created_by": record.created_by,
        "created_at": record.created_at,
        "expires_at": record.expires_at,
        "revoked_at": record.revoked_at,
        "last_used_at": record.last_used_at,
        "usable": record.usable(datetime.now(UTC)),
    }
