"""GET /api/approvals, GET and POST /api/approvals/{id}: writing calls that wait for a person."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from app.adapters.approval_store import Approval, Status
from app.api.principals import Caller
from app.api.schemas import Body
from app.api.state import ServicesDep
from app.services import Services

router = APIRouter(prefix="/api/approvals", tags=["approvals"])

ApprovalId = Annotated[str, Path(max_length=64, description="승인 요청의 id")]
StatusFilter = Annotated[Status | None, Query(description="이 상태의 것만")]


class DecisionRequest(Body):
    """How a request is decided. `args` (the whole arguments) come with `edit` only."""

    decision: Literal["approve", "edit", "reject"]
    args: dict[str, Any] | None = None
    comment: Annotated[str | None, Field(max_length=500, description="요청한 사람에게 남기는 말")] = None


@router.get("", operation_id="list_approvals", summary="승인 요청 목록. 운영자에게는 모두, 다른 사람에게는 자기 것만.")
async def listed(principal: Caller, services: ServicesDep, status: StatusFilter = None) -> dict[str, Any]:
    found = await services.approvals.listed(principal, status)
    return {"count": len(found), "approvals": [_shown(item, services) for item in found]}


@router.get("/{approval_id}", operation_id="get_approval", summary="승인 요청 하나.")
async def one(approval_id: ApprovalId, principal: Caller, services: ServicesDep) -> dict[str, Any]:
    return _shown(await services.approvals.get(approval_id, principal), services)


@router.post("/{approval_id}", operation_id="decide_approval", summary="승인, 수정 승인, 거절. 한 번만 결정됩니다.")
async def decide(
    approval_id: ApprovalId, body: DecisionRequest, principal: Caller, services: ServicesDep
) -> dict[str, Any]:
    approval, reply = await services.approvals.decide(
        approval_id, principal, body.decision, args=body.args, comment=body.comment
    )
    return {**_shown(approval, services), "reply": reply}


def _shown(approval: Approval, services: Services) -> dict[str, Any]:
    snapshot = services.registry.snapshot()
    title = snapshot.entry(approval.tool).card.title if approval.tool in snapshot else approval.tool
    return {
        "id": approval.approval_id,
        "tool": approval.tool,
        "title": title,
        "args": approval.args,
        "effect": approval.effect,
        "status": approval.status,
        "requested_by": approval.owner,
        "thread_id": approval.thread_id,
        "run_id": approval.run_id,
        "created_at": approval.created_at.isoformat(),
        "expires_at": approval.expires_at.isoformat(),
        "decided_args": approval.decided_args,
        "decided_by": approval.decided_by,
        "decided_at": approval.decided_at.isoformat() if approval.decided_at else None,
        "comment": approval.comment,
        "outcome": approval.outcome,
    }
