"""/api/proposals: a household's proposal computed, edited, compared, kept with a customer, printed and deleted."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import BaseModel, Field

from app.advice.desk import ProposalDesk
from app.advice.edits import Edit
from app.advice.models import Household, Proposal, Wishes
from app.advice.models import ProposalRequest as Told
from app.api.principals import AskingCaller, Caller, StaffCaller
from app.api.schemas import Body, ThreadId
from app.api.state import SettingsDep, TalkDep
from app.errors import NotFound
from app.services import Talk
from app.settings import ROOT

router = APIRouter(prefix="/api/proposals", tags=["proposals"])

ProposalPath = Annotated[str, Path(pattern=r"^PR[0-9a-f]{16}$", description="제안서 번호")]
Version = Annotated[int, Query(ge=1, description="몇 번째 판인지")]


class ProposalBody(Body):
    """Who is to be covered and what is wished."""

    household: Household
    wishes: Wishes = Wishes()
    customer_id: Annotated[
        str | None, Field(pattern=r"^C\d{4,}$", description="첫 번째 사람이 이 고객이면 가진 계약을 함께 봅니다.")
    ] = None
    thread_id: ThreadId | None = None


class KeptShape(BaseModel):
    """With which customer a proposal is kept, by whom and since when."""

    customer_id: str
    by: str | None
    at: str | None
    handed_to: str | None
    note: str | None


class AskShape(BaseModel):
    """Something that was not told yet and would make a proposal fit better."""

    id: str
    ask: str


class ProposalShape(Proposal):
    """A proposal as it is answered."""

    id: str
    version: int
    versions: int
    created_at: str
    valid_until: str
    state: Literal["valid", "expired", "withdrawn"]
    notices: list[str]
    thread_id: str | None
    customer_id: str | None
    kept: KeptShape | None
    ask: list[AskShape]


class EditBody(Body):
    """Edits that are made together, all or none. `version`: the one that is edited, checked where it is given."""

    edits: Annotated[tuple[Edit, ...], Field(min_length=1, max_length=20)]
    version: Annotated[int | None, Field(ge=1)] = None


class KeepBody(Body):
    """With which customer a proposal is kept, and to whom it is handed."""

    customer_id: Annotated[str, Field(pattern=r"^C\d{4,}$")]
    handed_to: Annotated[str | None, Field(max_length=100, description="이어받을 담당자")] = None
    note: Annotated[str | None, Field(max_length=2000)] = None


def desk_of(talk: Talk) -> ProposalDesk:
    """The proposals of this company. Raises NotFound where it gives no advice."""
    if talk.proposals is None:
        raise NotFound("이 회사는 제안서를 만들지 않습니다. 자료 폴더에 advice를 두면 만들 수 있습니다.")
    return talk.proposals


@router.post("", operation_id="make_proposal", status_code=201, summary="가족의 보험 제안서를 계산해 만듭니다.")
async def make(body: ProposalBody, request: Request, principal: AskingCaller, talk: TalkDep) -> dict[str, Any]:
    told = Told(household=body.household, wishes=body.wishes, customer_id=body.customer_id)
    made = await desk_of(talk).create(principal, told, thread_id=body.thread_id, run_id=request.state.request_id)
    return made.as_data(principal)


@router.get("", operation_id="list_proposals", summary="내 제안서, 또는 한 고객에게 보관한 제안서 목록입니다.")
async def list_all(
    principal: Caller, talk: TalkDep,
    customer_id: Annotated[str | None, Query(pattern=r"^C\d{4,}$", description="이 고객에게 보관한 것")] = None,
) -> dict[str, Any]:  # fmt: skip
    found = await desk_of(talk).list(principal, customer_id)
    return {"count": len(found), "proposals": list(found)}


@router.get("/plan", operation_id="proposal_plan", summary="상담에서 묻는 것과 고를 수 있는 보장·안입니다.")
async def plan(principal: Caller, talk: TalkDep) -> dict[str, Any]:
    book = desk_of(talk).book
    told = book.plan
    return {
        "at_once": told.at_once,
        "slots": [slot.model_dump() for slot in told.slots],
        "needs": [need.model_dump(include={"id", "title", "measure", "unit", "basis"}) for need in book.needs],
        "variants": [{"id": variant.id, "title": variant.title} for variant in told.variants],
        "roles": told.roles,
        "most_people": told.most_people,
        "least_budget": told.least_budget,
        "most_budget": told.most_budget,
    }  # fmt: skip


@router.get(
    "/{proposal_id}.pdf",
    operation_id="print_proposal",
    response_class=Response,
    responses={200: {"content": {"application/pdf": {}}}},
    summary="제안서를 PDF로 내려받습니다.",
)
async def print_out(
    proposal_id: ProposalPath, request: Request, principal: Caller, talk: TalkDep, settings: SettingsDep,
    version: Version | None = None,
) -> Response:  # fmt: skip
    desk = desk_of(talk)
    shown = await desk.read(principal, proposal_id, version, run_id=request.state.request_id)
    company = settings.company_name
    from app.advice.paper import as_pdf  # noqa: PLC0415  PDF libraries: see app/documents/loader.py

    content = await asyncio.to_thread(as_pdf, shown, desk.book, company, ROOT / "templates")
    named = f'attachment; filename="proposal-{proposal_id}-{shown.version.version}.pdf"'
    return Response(content, media_type="application/pdf", headers={"Content-Disposition": named})


@router.get(
    "/{proposal_id}", operation_id="get_proposal", summary="제안서 하나입니다. 판을 고르지 않으면 최신 판입니다."
)
async def get(
    proposal_id: ProposalPath, request: Request, principal: Caller, talk: TalkDep,
    version: Version | None = None,
) -> dict[str, Any]:  # fmt: skip
    shown = await desk_of(talk).read(principal, proposal_id, version, run_id=request.state.request_id)
    return shown.as_data(principal)


@router.patch("/{proposal_id}", operation_id="edit_proposal", summary="제안서를 고쳐 다음 판을 만듭니다.")
async def edit(
    proposal_id: ProposalPath, body: EditBody, request: Request, principal: Caller, talk: TalkDep
) -> dict[str, Any]:
    desk = desk_of(talk)
    made = await desk.edit(principal, proposal_id, body.edits, base=body.version, run_id=request.state.request_id)
    return made.as_data(principal)


@router.get("/{proposal_id}/compare", operation_id="compare_proposal", summary="두 판이 어떻게 다른지 보여 줍니다.")
async def compare(
    proposal_id: ProposalPath, principal: Caller, talk: TalkDep, before: Version, after: Version
) -> dict[str, Any]:
    return await desk_of(talk).compare(principal, proposal_id, before, after)


@router.post("/{proposal_id}/keep", operation_id="keep_proposal", summary="제안서를 고객에게 보관하고 넘겨줍니다.")
async def keep(
    proposal_id: ProposalPath, body: KeepBody, request: Request, principal: StaffCaller, talk: TalkDep
) -> dict[str, Any]:
    made = await desk_of(talk).keep(
        principal, proposal_id, body.customer_id, body.handed_to, body.note, run_id=request.state.request_id
    )
    return made.as_data(principal)


@router.delete("/{proposal_id}", operation_id="delete_proposal", summary="제안서를 지웁니다. 되돌릴 수 없습니다.")
async def delete(proposal_id: ProposalPath, request: Request, principal: Caller, talk: TalkDep) -> dict[str, str]:
    await desk_of(talk).delete(principal, proposal_id, run_id=request.state.request_id)
    return {"status": "ok", "id": proposal_id}
