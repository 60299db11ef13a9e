"""GET and PUT /api/tools/{name}/card, GET …/card/versions, POST …/card/rollback."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Path, Request
from pydantic import Field

from app.api.principals import OperatorCaller
from app.api.schemas import Body
from app.api.state import ServicesDep
from app.editing.cards import Published
from app.errors import CardRefused

router = APIRouter(prefix="/api/tools", tags=["cards"])

ToolName = Annotated[str, Path(max_length=64, description="도구 이름, 예: premium_estimate")]
Note = Annotated[str, Field(max_length=500, description="바꾼 이유")]


class CardRequest(Body):
    """A card to keep as a draft, or to publish. Without `card`, `publish` takes the draft."""

    card: dict[str, Any] | None = None
    publish: bool = False
    note: Note = ""
    override_reason: Annotated[
        str | None, Field(min_length=5, max_length=500, description="라우팅 평가가 떨어져도 게시하는 이유")
    ] = None
    base_version: Annotated[int | None, Field(ge=0, description="이 판을 보고 고쳤습니다. 다르면 409입니다.")] = None


class RollbackRequest(Body):
    """The version to put in force again; 0 is the card of the file."""

    version: Annotated[int, Field(ge=0)]
    note: Note = ""


@router.get("/{name}/card", operation_id="get_card", summary="지금 카드, 파일의 카드, 판 번호와 초안.")
async def get_card(name: ToolName, principal: OperatorCaller, services: ServicesDep) -> dict[str, Any]:
    await services.changes.catch_up()
    return await services.cards.shown(name)


@router.put(
    "/{name}/card",
    operation_id="put_card",
    summary="카드 초안을 저장하고 순위 변화를 미리 보거나, publish로 게시합니다(라우팅 평가를 통과해야 합니다).",
)
async def put_card(
    name: ToolName, body: CardRequest, principal: OperatorCaller, services: ServicesDep, request: Request
) -> dict[str, Any]:
    if not body.publish:
        if body.card is None:
            raise CardRefused(name, ["card: 저장할 카드를 보내 주세요"])
        return await services.cards.save_draft(name, body.card, principal.id)
    async with services.changes.changing("card", name, principal.id) as change:
        done = await services.cards.publish(
            name,
            body.card,
            principal.id,
            note=body.note,
            override_reason=body.override_reason,
            base_version=body.base_version,
        )
        change.details["card"] = done.version.card
    details = {"version": done.version.version, "override_reason": body.override_reason}
    await services.audit.record(principal.id, "card.publish", name, details=details, request_id=_id(request))
    return _shown("published", done)


@router.get("/{name}/card/versions", operation_id="card_versions", summary="카드의 모든 판: 누가, 언제, 무엇을.")
async def versions(name: ToolName, principal: OperatorCaller, services: ServicesDep) -> dict[str, Any]:
    found = await services.cards.versions(name)
    return {"tool": name, "count": len(found), "versions": found}


@router.post("/{name}/card/rollback", operation_id="rollback_card", summary="지난 판으로 되돌립니다. 0은 파일의 카드.")
async def rollback(
    name: ToolName, body: RollbackRequest, principal: OperatorCaller, services: ServicesDep, request: Request
) -> dict[str, Any]:
    async with services.changes.changing("card", name, principal.id) as change:
        done = await services.cards.rollback(name, body.version, principal.id, note=body.note)
        change.details["card"] = done.version.card if body.version else None
    details = {"version": done.version.version, "to": body.version}
    await services.audit.record(principal.id, "card.rollback", name, details=details, request_id=_id(request))
    return _shown("rolled_back", done)


def _shown(status: str, done: Published) -> dict[str, Any]:
    return {
        "status": status,
        "tool": done.version.tool,
        "version": done.version.version,
        "card": done.version.card,
        "suite": done.suite,
        "registry_version": done.snapshot.version,
        "tools_count": done.snapshot.tools_count,
    }


def _id(request: Request) -> str:
    return getattr(request.state, "request_id", "")
