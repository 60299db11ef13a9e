"""Claims tools: how to claim, the papers, contract actions and what to do after a talk."""

from __future__ import annotations

from typing import Annotated, get_args

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

import app.tools.blocks_claims  # noqa: F401  registers the blocks of these results
from app.errors import BadRequest, Forbidden
from app.insurance.claims import (
    FollowupTasks,
    SubmissionPending,
    SubmissionRecorded,
    contract_guide,
    find_claims,
    followup_tasks,
    forms,
    guide,
)
from app.insurance.customers import Contract, NewFollowupTask
from app.insurance.models import Product
from app.insurance.reference import ClaimType, ContractAction
from app.tools.arguments import CodeArg
from app.tools.context import ToolContext
from app.tools.customer_db import IdArg
from app.tools.declare import DESTROYS, WRITES, insurance_tool
from app.tools.needs import choice_field, need, text_field
from app.tools.ownership import OWN_ONLY
from app.tools.results import NeedsInput, told

Runtime = ToolRuntime[ToolContext]
ClaimArg = Annotated[str, Field(max_length=200, description="청구 종류나 있었던 일 (예: 암 진단, 수술, 입원, 골절, 사망)")]
_SHOWN_KINDS = 6


def _claims(context: ToolContext, claim_type: str | None, product_code: str | None) -> tuple[tuple[ClaimType, ...], Product | None]:
    product = context.catalogue.product(product_code) if product_code else None
    return find_claims(context.catalogue.reference.claims, claim_type, product), product


def _which_claim(context: ToolContext, words: str | None) -> NeedsInput:
    names = [claim.name for claim in context.catalogue.reference.claims][:_SHOWN_KINDS]
    reason = f"'{words}'에 맞는 청구 종류를 찾지 못했습니다." if words else "어떤 보험금을 청구하시는지에 따라 절차가 달라요."
    return NeedsInput(fields=(choice_field("claim_type", "청구 종류", names),), reason=reason)


@insurance_tool()
async def claim_guide(
    runtime: Runtime, claim_type: ClaimArg | None = None, product_code: CodeArg | None = None
) -> tuple[str, BaseModel]:
    """보험금 청구 절차, 접수 방법, 처리 기간과 소멸시효를 안내한다."""
    found, product = _claims(runtime.context, claim_type, product_code)
    if not found:
        return told(_which_claim(runtime.context, claim_type))
    return told(guide(found[0], found[1:], product))


@insurance_tool()
async def claim_required_forms(
    runtime: Runtime, claim_type: ClaimArg | None = None, product_code: CodeArg | None = None
) -> tuple[str, BaseModel]:
    """보험금 청구에 필요한 서류와 양식, 발급처를 안내한다."""
    found, product = _claims(runtime.context, claim_type, product_code)
    if not found:
        return told(_which_claim(runtime.context, claim_type))
    return told(forms(found[0], found[1:], product))


@insurance_tool(annotations=DESTROYS)
async def contract_manage(
    runtime: Runtime,
    action: Annotated[ContractAction | None, Field(description="계약 업무")] = None,
    contract_id: Annotated[str | None, Field(pattern=r"^P\d{6,}$", description="계약 번호. P와 숫자")] = None,
    details: Annotated[str | None, Field(max_length=500, description="접수할 세부 내용 (금액, 새 수익자, 사유 등)")] = None,
    submit: Annotated[bool | None, Field(description="true면 접수한다. 본인 승인이 있어야 기록된다")] = None,
) -> tuple[str, BaseModel]:
    """계약 조회·해지·대출·수익자변경·주소변경·부활·청약철회의 절차와 효과를 안내하고, submit이면 승인 뒤 접수한다."""
    context = runtime.context
    if action is None:
        field = choice_field("action", "하려는 일", get_args(ContractAction))
        return told(need((field,), "어떤 계약 업무를 도와드릴까요?") or _which_claim(context, None))
    procedure = next(item for item in context.catalogue.reference.contract_actions if item.action == action)
    contract = await _own_contract(context, contract_id) if contract_id else None
    name = context.catalogue.product(contract.product_code).name if contract else None
    if not submit:
        return told(contract_guide(procedure, contract_id, name))
    if runtime.tool_call_id not in context.approved:
        reason = "접수는 본인 확인과 승인을 마친 뒤에 진행됩니다. 아직 아무것도 접수하거나 바꾸지 않았습니다."
        return told(SubmissionPending(action=action, contract_id=contract_id, contract_name=name, effect=procedure.effect, reason=reason))
    if contract is None:
        raise BadRequest("접수하려면 계약 번호가 필요합니다. 계약 조회로 번호를 먼저 확인해 주세요.")
    request = await context.customers.add_service_request(
        customer_id=contract.customer_id, action=action, requested_by=context.principal.id, contract_id=contract.contract_id,
        details={"내용": details} if details else None, request_key=runtime.tool_call_id,
    )
    return told(
        SubmissionRecorded(
            action=action, request_id=request.request_id, contract_id=contract_id, contract_name=name, status=request.status,
            next_steps=procedure.steps[1:],
        )
    )


async def _own_contract(context: ToolContext, contract_id: str) -> Contract:
    principal = context.principal
    if not principal.at_least("staff") and principal.customer_id is None:
        raise Forbidden(OWN_ONLY)
    contract = await context.customers.get_contract(contract_id)
    if not principal.at_least("staff") and contract.customer_id != principal.customer_id:
        raise Forbidden(OWN_ONLY)
    return contract


@insurance_tool(role="staff", annotations=WRITES)
async def customer_followup_tasks(
    runtime: Runtime,
    case_summary: Annotated[str, Field(min_length=1, max_length=2000, description="상담 내용 요약")],
    customer_id: IdArg | None = None,
    save: Annotated[bool | None, Field(description="true면 고객 기록에 저장한다. 승인이 있어야 저장된다")] = None,
) -> tuple[str, BaseModel]:
    """상담 뒤 할 일을 기한과 함께 정리하고, save면 승인 뒤 고객 기록에 저장한다."""
    context = runtime.context
    tasks = followup_tasks(case_summary, context.today())
    saved, note = False, None
    if save and customer_id is None:
        fields = (text_field("customer_id", "고객 번호"),)
        return told(NeedsInput(fields=fields, reason="어느 고객님의 기록에 저장할지 확인이 필요합니다."))
    if save and runtime.tool_call_id not in context.approved:
        note = "저장은 승인한 뒤에 진행됩니다. 아직 저장하지 않았습니다."
    elif save and customer_id:
        new = [NewFollowupTask(title=task.title, due_date=task.due_date) for task in tasks]
        await context.customers.add_followup_tasks(customer_id, new, created_by=context.principal.id)
        saved = True
    return told(
        FollowupTasks(
            summary=case_summary, customer_id=customer_id, tasks=tasks, count=len(tasks), saved=saved, save_note=note
        )
    )


TOOLS = [claim_guide, claim_required_forms, contract_manage, customer_followup_tasks]
