"""Claims tools: how to claim, the papers, contract actions and what to do after a talk."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, get_args

from langgraph.prebuilt import ToolRuntime
from pydantic import Field

import app.tools.blocks_claims  # noqa: F401  registers the blocks of these results
from app.errors import BadRequest, Forbidden
from app.insurance.claims import GENERAL, ClaimForms, ClaimGuide, find_claims, forms, guide, named_claims
from app.insurance.contract_actions import (
    ContractGuide,
    SubmissionPending,
    SubmissionRecorded,
    contract_guide,
    objection,
)
from app.insurance.contracts import SameName
from app.insurance.customers import Contract, Customer, NewFollowupTask
from app.insurance.followups import FollowupTasks, followup_tasks
from app.insurance.models import Product
from app.insurance.reference import ClaimType, ContractAction
from app.tools.arguments import CodeArg
from app.tools.context import ToolContext
from app.tools.declare import DESTROYS, WRITES, insurance_tool
from app.tools.needs import choice_field, text_field
from app.tools.ownership import OWN_ONLY, allowed_contract, resolve_customer
from app.tools.results import NeedsInput, told

Runtime = ToolRuntime[ToolContext]
ClaimArg = Annotated[
    str, Field(max_length=200, description="청구 종류나 있었던 일 (예: 암 진단, 수술, 입원, 골절, 사망)")
]
PersonArg = Annotated[
    str, Field(min_length=2, max_length=40, description="고객 번호(C와 숫자). 이름만 알면 이름을 적어도 찾는다")
]
ContractIdArg = Annotated[str, Field(pattern=r"^P\d{6,}$", description="계약 번호. P와 숫자 (예: P000001)")]
_DESCRIBED: Mapping[ContractAction, str] = {"주소변경": "바뀐 주소와 연락처", "수익자변경": "새 수익자 이름과 관계"}
_SEVERAL = ","  # between the kinds of a claim for several things at once
NOT_YET = "접수는 본인 확인과 승인을 마친 뒤에 진행됩니다. 승인하시기 전까지는 접수되지 않습니다."


def _claims(
    context: ToolContext, claim_type: str | None, product_code: str | None
) -> tuple[tuple[ClaimType, ...], Product | None]:
    product = context.catalogue.product(product_code) if product_code else None
    return find_claims(context.catalogue.reference.claims, claim_type, product), product


def _which_claim(context: ToolContext, words: str | None) -> NeedsInput:
    names = [claim.name for claim in context.catalogue.reference.claims if claim.name != GENERAL]
    reason = f"'{context.masker.mask(words or '').text}'에 맞는 청구 종류를 찾지 못했습니다."
    return NeedsInput(fields=(choice_field("claim_type", "청구 종류", names),), reason=reason)


@insurance_tool()
async def claim_guide(
    runtime: Runtime, claim_type: ClaimArg | None = None, product_code: CodeArg | None = None
) -> tuple[str, ClaimGuide | NeedsInput]:
    """보험금 청구 절차, 접수 방법, 처리 기간과 소멸시효를 안내한다."""
    found, product = _claims(runtime.context, claim_type, product_code)
    if not found:
        return told(_which_claim(runtime.context, claim_type))
    return told(guide(found[0], found[1:], product))


@insurance_tool()
async def claim_required_forms(
    runtime: Runtime, claim_type: ClaimArg | None = None, product_code: CodeArg | None = None
) -> tuple[str, ClaimForms | NeedsInput]:
    """보험금 청구에 필요한 서류와 양식, 발급처를 안내한다."""
    found, product = _claims(runtime.context, claim_type, product_code)
    if not found:
        return told(_which_claim(runtime.context, claim_type))
    several = _SEVERAL in (claim_type or "")
    beside = named_claims(runtime.context.catalogue.reference.claims, claim_type or "") if several else ()
    return told(forms(found[0], found[1:], product, beside))


@insurance_tool(annotations=DESTROYS, writes_when=("submit",))
async def contract_manage(
    runtime: Runtime,
    action: Annotated[ContractAction | None, Field(description="계약 업무")] = None,
    contract_id: ContractIdArg | None = None,
    details: Annotated[
        str | None, Field(max_length=500, description="접수할 세부 내용 (금액, 새 수익자, 사유 등)")
    ] = None,
    submit: Annotated[bool | None, Field(description="true면 접수한다. 본인 승인이 있어야 기록된다")] = None,
) -> tuple[str, SubmissionRecorded | ContractGuide | SubmissionPending | NeedsInput]:
    """계약 조회·해지·대출·수익자변경·주소변경·부활·청약철회의 절차와 효과를 안내하고, submit이면 승인 뒤 접수한다."""
    context = runtime.context
    if action is None:
        field = choice_field("action", "하려는 일", get_args(ContractAction))
        return told(NeedsInput(fields=(field,), reason="어떤 계약 업무를 도와드릴까요?"))
    procedure = next(item for item in context.catalogue.reference.contract_actions if item.action == action)
    contract = await allowed_contract(context, contract_id) if contract_id else None
    if not submit:
        age = await _age_of(context, contract) if contract else None
        return told(contract_guide(context.catalogue, procedure, contract, age, context.today()))
    if contract is None or (action in _DESCRIBED and not details):
        return told(await _still_open(context, action, contract, details))
    age = await _age_of(context, contract)
    if reason := objection(context.catalogue, action, contract, age, context.today()):
        raise BadRequest(reason)
    name = context.catalogue.product(contract.product_code).name
    if runtime.tool_call_id not in context.approved:
        return told(
            SubmissionPending(
                action=action,
                contract_id=contract.contract_id,
                contract_name=name,
                effect=procedure.effect,
                needs=procedure.needs,
                reason=NOT_YET,
            )
        )
    request = await context.customers.add_service_request(
        customer_id=contract.customer_id,
        action=action,
        requested_by=context.principal.id,
        contract_id=contract.contract_id,
        details={"내용": details} if details else None,
        # A model's call ids are unique in their conversation only.
        request_key=f"{context.principal.id}:{context.thread_id or '-'}:{runtime.tool_call_id}",
    )
    return told(
        SubmissionRecorded(
            action=action,
            request_id=request.request_id,
            contract_id=contract.contract_id,
            contract_name=name,
            status=request.status,
            needs=procedure.needs,
            next_steps=procedure.steps[1:],
        )
    )


async def _age_of(context: ToolContext, contract: Contract) -> int:
    return (await context.customers.get_customer(contract.customer_id)).age(context.today())


async def _still_open(
    context: ToolContext, action: ContractAction, contract: Contract | None, details: str | None
) -> NeedsInput:
    """Asks for the contract and for what is to be recorded (the new address, the new beneficiary)."""
    which = await _which_contract(context, action) if contract is None else None
    fields = which.fields if which else ()
    if action in _DESCRIBED and not details:
        fields = (*fields, text_field("details", _DESCRIBED[action]))
    reason = which.reason if which else f"{action} 접수에 적을 내용을 알려 주세요."
    return NeedsInput(fields=fields, reason=reason)


async def _which_contract(context: ToolContext, action: ContractAction) -> NeedsInput:
    """Asks for the contract; a customer chooses among their own."""
    principal, catalogue = context.principal, context.catalogue
    if not principal.at_least("staff") and principal.customer_id is None:
        raise Forbidden(OWN_ONLY)
    options: list[tuple[str, str]] = []
    if principal.customer_id is not None and not principal.at_least("staff"):
        for contract in await context.customers.contracts_of(principal.customer_id):
            shown = f"{catalogue.product(contract.product_code).name} ({contract.contract_id})"
            options.append((shown, contract.contract_id))
    field = choice_field("contract_id", "계약 번호", options) if options else text_field("contract_id", "계약 번호")
    return NeedsInput(fields=(field,), reason=f"{action} 접수는 어느 계약인지 확인이 필요합니다.")


@insurance_tool(role="staff", annotations=WRITES, writes_when=("save",))
async def customer_followup_tasks(
    runtime: Runtime,
    case_summary: Annotated[str, Field(min_length=1, max_length=2000, description="상담 내용 요약")],
    customer_id: PersonArg | None = None,
    save: Annotated[bool | None, Field(description="true면 고객 기록에 저장한다. 승인이 있어야 저장된다")] = None,
) -> tuple[str, FollowupTasks | SameName | NeedsInput]:
    """상담 뒤 할 일을 기한과 함께 정리하고, save면 승인 뒤 고객 기록에 저장한다."""
    context = runtime.context
    tasks = followup_tasks(case_summary, context.today())
    saved, note = False, None
    if customer_id is not None:
        by_id = customer_id.upper().startswith("C") and customer_id[1:].isdigit()
        found = await resolve_customer(context, *((None, customer_id) if by_id else (customer_id, None)))
        if not isinstance(found, Customer):
            return told(found)
        customer_id = found.customer_id
    if save and customer_id is None:
        fields = (text_field("customer_id", "고객 번호"),)
        return told(NeedsInput(fields=fields, reason="어느 고객님의 기록에 저장할지 확인이 필요합니다."))
    if save and runtime.tool_call_id not in context.approved:
        note = "저장은 승인한 뒤에 진행됩니다. 아직 저장하지 않았습니다."
    elif save and customer_id:
        # What stands there already is not saved twice: a turn may be run again after a crash.
        there = {(task.title, task.due_date) for task in await context.customers.followup_tasks_of(customer_id)}
        new = [
            NewFollowupTask(title=task.title, due_date=task.due_date)
            for task in tasks
            if (task.title, task.due_date) not in there
        ]
        await context.customers.add_followup_tasks(customer_id, new, created_by=context.principal.id)
        saved = True
    result = FollowupTasks(
        summary=context.masker.mask(case_summary).text,
        customer_id=customer_id,
        tasks=tasks,
        count=len(tasks),
        saved=saved,
        save_note=note,
    )
    return told(result)


TOOLS = [claim_guide, claim_required_forms, contract_manage, customer_followup_tasks]
