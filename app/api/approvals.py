"""GET /api/approvals, GET and POST /api/approvals/{id}: writing calls that wait for a person."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from pydantic import Field

from app.access import Principal
from app.adapters.approval_store import DECIDED, Approval, Status
from app.answering.names import words_of
from app.api.principals import Caller
from app.api.schemas import Body
from app.api.state import TalkDep, ToolsDep
from app.graph.concerned import person_of
from app.services import Talk, Tools

router = APIRouter(prefix="/api/approvals", tags=["approvals"])

ApprovalId = Annotated[str, Path(max_length=64, description="승인 요청의 id")]
StatusFilter = Annotated[Status | None, Query(description="이 상태의 것만")]


class DecisionRequest(Body):
    """How a request is decided. `args` (the whole arguments) come with `edit` only."""

    decision: Literal["approve", "edit", "reject"]
    args: dict[str, Any] | None = None
    comment: Annotated[str | None, Field(max_length=500, description="요청한 사람에게 남기는 말")] = None


@router.get("", operation_id="list_approvals", summary="승인 요청 목록. 운영자에게는 모두, 다른 사람에게는 자기 것만.")
async def listed(
    principal: Caller,
    toolset: ToolsDep,
    talk: TalkDep,
    status: StatusFilter = None,
    decided: Annotated[
        bool | None, Query(description="true면 결정된 것, false면 기다리는 것만. 쪽으로 봅니다.")
    ] = None,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    if decided is None:
        found = await talk.approvals.listed(principal, status)
        counted: dict[str, Any] = {"count": len(found)}
    else:
        statuses: tuple[Status, ...] = DECIDED if decided else ("pending",)
        found, total = await talk.approvals.page(principal, statuses, offset=offset, limit=limit)
        counted = {"count": len(found), "total": total}
    return {**counted, "approvals": [await _shown(item, toolset, talk, principal) for item in found]}


@router.get("/{approval_id}", operation_id="get_approval", summary="승인 요청 하나.")
async def one(approval_id: ApprovalId, principal: Caller, toolset: ToolsDep, talk: TalkDep) -> dict[str, Any]:
    return await _shown(await talk.approvals.get(approval_id, principal), toolset, talk, principal)


@router.post("/{approval_id}", operation_id="decide_approval", summary="승인, 수정 승인, 거절. 한 번만 결정됩니다.")
async def decide(
    approval_id: ApprovalId, body: DecisionRequest, principal: Caller, toolset: ToolsDep, talk: TalkDep
) -> dict[str, Any]:
    approval, reply = await talk.approvals.decide(
        approval_id, principal, body.decision, args=body.args, comment=body.comment
    )
    return {**await _shown(approval, toolset, talk, principal), "reply": reply}


async def _shown(approval: Approval, toolset: Tools, talk: Talk, principal: Principal) -> dict[str, Any]:
    snapshot = toolset.registry.snapshot()
    customers = talk.make_context(principal, "approvals", approval.run_id).customers
    title = snapshot.entry(approval.tool).card.title if approval.tool in snapshot else words_of(approval.tool)
    return {
        "id": approval.approval_id,
        "tool": approval.tool,
        "title": title,
        "args": approval.args,
        "effect": approval.effect,
        "person": await person_of(approval, customers),
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
