"""POST /api/admin/routing/try: the routing playground."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import Field

from app.access import Role
from app.api.principals import StaffCaller
from app.api.schemas import Body, Question
from app.api.state import DesksDep, ToolsDep
from app.errors import Forbidden
from app.evaluation.playground import tried
from app.evaluation.rehearsal import Variant
from app.services import Tools
from app.toolbox.snapshot import ToolSnapshot

router = APIRouter(prefix="/api/admin/routing", tags=["routing"])


class Against(Body):
    """Another card of one tool: a version (0 is the card of the file), or the draft when it is null."""

    tool: Annotated[str, Field(max_length=64)]
    version: Annotated[int | None, Field(ge=0)] = None


class TryRequest(Body):
    """A question to try out."""

    query: Question
    history: Annotated[tuple[Question, ...], Field(max_length=10, description="앞서 물은 질문, 오래된 것부터")] = ()
    role: Annotated[Role, Field(description="누가 묻는 것으로 볼지. 자기 역할까지만 됩니다")] = "customer"
    top_k: Annotated[int, Field(ge=1, le=54)] = 8
    against: Annotated[Against | None, Field(description="나란히 견줄 카드. 운영자부터 쓸 수 있습니다")] = None


@router.post(
    "/try",
    operation_id="try_question",
    summary="질문 하나가 어떻게 처리될지 보여 줍니다. 도구는 실행하지 않고 아무것도 남기지 않습니다.",
)
async def try_question(body: TryRequest, principal: StaffCaller, toolset: ToolsDep, desks: DesksDep) -> dict[str, Any]:
    if not principal.at_least(body.role):
        raise Forbidden("자기보다 높은 역할로는 시험할 수 없습니다. 역할을 바꿔 다시 시도해 주세요.")
    if body.against is not None and not principal.at_least("operator"):
        raise Forbidden("카드를 견주어 보는 일은 운영자부터 할 수 있습니다.")
    await toolset.changes.catch_up()
    rehearsal = desks.evaluation.rehearsal
    version = toolset.registry.snapshot().version

    async def outcome(variant: Variant | None) -> dict[str, Any]:
        return await tried(rehearsal, body.query, body.history, body.role, top_k=body.top_k, variant=variant)

    if body.against is None:
        return {"registry_version": version, "now": await outcome(None), "against": None}
    # Both by indexes made for this: vectors from the store are rounded, and a tie would look like a change.
    other = await _variant(toolset, await desks.cards.candidate(body.against.tool, body.against.version))
    now = await _variant(toolset, toolset.registry.snapshot())
    return {"registry_version": version, "now": await outcome(now), "against": await outcome(other)}


async def _variant(toolset: Tools, snapshot: ToolSnapshot) -> Variant:
    return Variant(snapshot, await asyncio.to_thread(toolset.routing.router.trial, snapshot))
