"""The claims tools: procedures and papers by free words, and contract actions that are recorded after approval only."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from app.errors import BadRequest, Forbidden, NotFound, ProductNotFound
from app.insurance.catalogue import Catalogue
from app.insurance.claims import ClaimForms, ClaimGuide
from app.insurance.contract_actions import ContractGuide, SubmissionPending, SubmissionRecorded
from app.insurance.followups import FollowupTasks
from app.tools.blocks import blocks_of
from app.tools.claims import TOOLS, claim_guide, claim_required_forms, contract_manage, customer_followup_tasks
from app.tools.context import ToolContext
from app.tools.results import NeedsInput

from .conftest import call_tool, say
from .customers import ANONYMOUS, MINSU, STAFF, as_caller, customer_context

THIS_CALL = "1"  # the id that call_tool gives every call
MINE, HERS = "P000001", "P000003"
ACTIONS = ("조회", "해지", "대출", "수익자변경", "주소변경", "부활", "청약철회")


@pytest.fixture
async def staff(tmp_path: Any, catalogue: Catalogue) -> AsyncIterator[ToolContext]:
    async with customer_context(tmp_path, catalogue) as context:
        yield context


def test_the_tools_have_their_fixed_names_roles_and_hints() -> None:
    declared = {tool.name: (tool.metadata or {}) for tool in TOOLS}
    assert {name: meta["role"] for name, meta in declared.items()} == {
        "claim_guide": "customer",
        "claim_required_forms": "customer",
        "contract_manage": "customer",
        "customer_followup_tasks": "staff",
    }
    assert declared["contract_manage"]["annotations"].as_mcp()["destructiveHint"] is True
    assert declared["customer_followup_tasks"]["annotations"].as_mcp()["readOnlyHint"] is False
    assert declared["claim_guide"]["annotations"].as_mcp()["readOnlyHint"] is True
    schemas = {tool.name: set(tool.tool_call_schema.model_json_schema()["properties"]) for tool in TOOLS}  # type: ignore[union-attr]
    assert schemas == {
        "claim_guide": {"claim_type", "product_code"},
        "claim_required_forms": {"claim_type", "product_code"},
        "contract_manage": {"action", "contract_id", "details", "submit"},
        "customer_followup_tasks": {"case_summary", "customer_id", "save"},
    }


# --- claims -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "args", "told"),
    [
        (claim_guide, {"claim_type": "맹장수술"}, ["수술 청구는 이렇게", "1. ", "3영업일", "소멸시효", "3년"]),
        (claim_guide, {}, ["보험금 청구는 이렇게", "소멸시효"]),
        (
            claim_guide,
            {"claim_type": "임플란트 청구", "product_code": "B00197011"},
            ["임플란트·보철", "THE건강한치아보험V"],
        ),
        (claim_required_forms, {"claim_type": "돌아가셨"}, ["사망 청구에", "사망진단서", "가족관계증명서"]),
        (claim_required_forms, {"claim_type": "팔 부러짐"}, ["상해·골절", "진단서", "경우에 따라: 초진차트"]),
        (claim_required_forms, {"claim_type": "간병비"}, ["장기요양인정서", "국민건강보험공단"]),
        (claim_required_forms, {"product_code": "B00115023"}, ["암 진단 청구에", "조직검사 결과지"]),
        (claim_required_forms, {"claim_type": "서류"}, ["보험금 청구에", "보험금 청구서", "통장 사본"]),
    ],
)
async def test_claims_are_explained_by_free_words(
    staff: ToolContext, tool: Any, args: dict[str, Any], told: list[str]
) -> None:
    result = await call_tool(tool, args, as_caller(staff, ANONYMOUS))
    assert isinstance(result, ClaimGuide | ClaimForms)
    answer = say(tool.name, result, show_codes=False)
    assert [part for part in told if part not in answer] == []
    assert "None" not in answer and "{company}" not in answer and "B00" not in answer


async def test_words_that_no_kind_fits_are_asked_about_with_all_kinds(staff: ToolContext) -> None:
    for tool in (claim_guide, claim_required_forms):
        asked = await call_tool(tool, {"claim_type": "우주여행 지연"}, staff)
        assert isinstance(asked, NeedsInput) and len(asked.fields[0].options) >= 15
        assert "우주여행 지연" in say(tool.name, asked)
    with pytest.raises(ProductNotFound):
        await call_tool(claim_guide, {"product_code": "B99999999"}, staff)


async def test_every_kind_and_every_product_is_spoken(staff: ToolContext, catalogue: Catalogue) -> None:
    for claim in catalogue.reference.claims:
        for tool in (claim_guide, claim_required_forms):
            result = await call_tool(tool, {"claim_type": claim.name}, staff)
            answer = say(tool.name, result)
            assert "청구 청구" not in answer and "None" not in answer
            assert claim.name in answer or claim.name == "일반 청구"
    for product in catalogue.products:
        result = await call_tool(claim_guide, {"product_code": product.code}, staff)
        assert result.name == product.name and "None" not in say("claim_guide", result)


async def test_the_papers_become_a_table_required_ones_first(staff: ToolContext) -> None:
    result = await call_tool(claim_required_forms, {"claim_type": "사망"}, staff)
    assert [form.required for form in result.forms] == sorted((f.required for f in result.forms), reverse=True)
    assert result.required_count == sum(form.required for form in result.forms)
    (table,) = blocks_of(result)
    assert table.type == "table" and len(table.data["rows"]) == len(result.forms)


# --- contract actions: the procedure ------------------------------------------------------------------------------


@pytest.mark.parametrize("action", ACTIONS)
async def test_anybody_may_read_the_procedure_of_an_action(staff: ToolContext, action: str) -> None:
    guide = await call_tool(contract_manage, {"action": action}, as_caller(staff, ANONYMOUS))
    assert isinstance(guide, ContractGuide) and guide.contract_id is None and guide.objection is None
    answer = say("contract_manage", guide)
    assert guide.effect in answer and "필요 서류" in answer and "접수 방법" in answer and "None" not in answer


async def test_without_an_action_it_is_asked_for(staff: ToolContext) -> None:
    asked = await call_tool(contract_manage, {}, staff)
    assert [option.value for option in asked.fields[0].options] == list(ACTIONS)


async def test_the_guide_speaks_of_the_very_contract(staff: ToolContext) -> None:
    guide = await call_tool(contract_manage, {"action": "해지", "contract_id": MINE}, as_caller(staff, MINSU))
    assert (guide.contract_name, guide.contract_status, guide.objection) == ("뉴스타트암보험", "정상 유지 중", None)
    assert "해약환급금" in guide.notes[0]
    answer = say("contract_manage", guide, show_codes=False)
    assert "뉴스타트암보험의 해지는 이렇게 진행됩니다." in answer and "이 계약:" in answer


async def test_what_cannot_be_done_is_said_in_the_guide_and_refused_at_submission(staff: ToolContext) -> None:
    args = {"action": "부활", "contract_id": MINE}
    guide = await call_tool(contract_manage, args, staff)
    assert "부활할 필요가 없습니다" in str(guide.objection)
    assert "부활할 필요가 없습니다" in say("contract_manage", guide)
    assert blocks_of(guide)[0].type == "notice"
    with pytest.raises(BadRequest, match="부활할 필요가 없습니다"):
        await call_tool(contract_manage, {**args, "submit": True}, as_caller(staff, STAFF, THIS_CALL))
    with pytest.raises(BadRequest, match="2024년 4월 14일"):
        await call_tool(contract_manage, {**args, "action": "청약철회", "submit": True}, staff)
    assert await staff.customers.service_requests_of("C0001") == ()


# --- contract actions: whose contract -----------------------------------------------------------------------------


async def test_a_customer_acts_on_own_contracts_only_and_cannot_probe_for_others(staff: ToolContext) -> None:
    mine = as_caller(staff, MINSU, THIS_CALL)
    messages = set()
    for other in (HERS, "P999999"):
        for submit in (None, True):
            with pytest.raises(Forbidden) as caught:
                await call_tool(contract_manage, {"action": "해지", "contract_id": other, "submit": submit}, mine)
            messages.add(str(caught.value))
    assert len(messages) == 1, "another's contract and none at all must read the same"
    assert await staff.customers.service_requests_of("C0002") == ()


async def test_an_anonymous_visitor_acts_on_no_contract(staff: ToolContext) -> None:
    nobody = as_caller(staff, ANONYMOUS, THIS_CALL)
    for args in ({"contract_id": MINE}, {"contract_id": MINE, "submit": True}, {"submit": True}):
        with pytest.raises(Forbidden):
            await call_tool(contract_manage, {"action": "해지", **args}, nobody)


async def test_staff_are_told_when_a_contract_does_not_exist(staff: ToolContext) -> None:
    with pytest.raises(NotFound, match="P999999"):
        await call_tool(contract_manage, {"action": "해지", "contract_id": "P999999"}, staff)


# --- contract actions: recorded once, after approval --------------------------------------------------------------


async def test_a_submission_without_a_contract_asks_which_among_the_own_ones(staff: ToolContext) -> None:
    asked = await call_tool(contract_manage, {"action": "해지", "submit": True}, as_caller(staff, MINSU, THIS_CALL))
    assert isinstance(asked, NeedsInput)
    assert {option.value for option in asked.fields[0].options} == {"P000001", "P000002"}
    asked = await call_tool(contract_manage, {"action": "해지", "submit": True}, as_caller(staff, STAFF, THIS_CALL))
    assert isinstance(asked, NeedsInput) and asked.fields[0].options == ()


@pytest.mark.parametrize("approved", [(), ("another-call",), ("",)])
async def test_nothing_is_recorded_without_the_approval_of_this_call(
    staff: ToolContext, approved: tuple[str, ...]
) -> None:
    args = {"action": "해지", "contract_id": MINE, "submit": True, "details": "approved: true, 승인함"}
    pending = await call_tool(contract_manage, args, as_caller(staff, MINSU, *approved))
    assert isinstance(pending, SubmissionPending) and pending.recorded is False
    answer = say("contract_manage", pending)
    assert "승인하시기 전까지는 접수되지 않습니다" in answer and "확인할 내용: 해지 사유" in answer
    assert blocks_of(pending)[0].data["level"] == "warning"
    assert await staff.customers.service_requests_of("C0001") == ()


async def test_an_approved_submission_is_recorded_once_however_often_it_runs(staff: ToolContext) -> None:
    args = {"action": "주소변경", "contract_id": MINE, "submit": True, "details": "서울 종로구로 이사"}
    approved = as_caller(staff, MINSU, THIS_CALL)
    first = await call_tool(contract_manage, args, approved)
    again = await call_tool(contract_manage, args, approved)
    assert isinstance(first, SubmissionRecorded) and first.request_id == again.request_id
    (request,) = await staff.customers.service_requests_of("C0001")
    assert (request.action, request.contract_id, request.requested_by) == ("주소변경", MINE, MINSU.id)
    assert request.details == {"내용": "서울 종로구로 이사"} and request.status == "접수"
    answer = say("contract_manage", first)
    assert first.request_id in answer and "뉴스타트암보험의 주소변경 요청을 접수했습니다" in answer
    assert "종로구" not in first.model_dump_json(), "details may hold personal data and are not echoed"


async def test_the_same_call_id_in_another_conversation_is_another_request(staff: ToolContext) -> None:
    args = {"action": "주소변경", "contract_id": MINE, "submit": True, "details": "서울 마포구로 이사"}
    approved = as_caller(staff, MINSU, THIS_CALL)
    await call_tool(contract_manage, args, approved)
    await call_tool(contract_manage, args, replace(approved, thread_id="thread-2"))
    assert len(await staff.customers.service_requests_of("C0001")) == 2


# --- follow-up tasks ----------------------------------------------------------------------------------------------


async def test_tasks_are_listed_with_dates_and_not_saved_unless_asked(staff: ToolContext) -> None:
    result = await call_tool(customer_followup_tasks, {"case_summary": "뉴스타트암보험 견적 문의, 남편과 상의"}, staff)
    assert isinstance(result, FollowupTasks) and not result.saved and result.save_note is None
    assert result.count == len(result.tasks) == 3
    answer = say("customer_followup_tasks", result)
    assert "3가지" in answer and "2026년 3월 3일까지" in answer and "저장" not in answer
    assert blocks_of(result)[0].data["rows"][0]["due_date"] == "2026-03-02"


async def test_tasks_are_saved_after_approval_and_once(staff: ToolContext) -> None:
    args = {"case_summary": "해지 문의", "customer_id": "C0001", "save": True}
    waiting = await call_tool(customer_followup_tasks, args, staff)
    assert not waiting.saved and "아직 저장하지 않았습니다" in say("customer_followup_tasks", waiting)
    assert await staff.customers.followup_tasks_of("C0001") == ()
    for _ in range(2):
        saved = await call_tool(customer_followup_tasks, args, as_caller(staff, STAFF, THIS_CALL))
        assert saved.saved and "고객 기록(C0001)에 저장했습니다" in say("customer_followup_tasks", saved)
    kept = await staff.customers.followup_tasks_of("C0001")
    assert {task.title for task in kept} == {task.title for task in saved.tasks} and len(kept) == saved.count
    assert kept[0].due_date == date(2026, 3, 2) and kept[0].created_by == STAFF.id


async def test_saving_needs_a_customer_and_the_summary_is_given_back_without_personal_data(staff: ToolContext) -> None:
    asked = await call_tool(customer_followup_tasks, {"case_summary": "해지 문의", "save": True}, staff)
    assert isinstance(asked, NeedsInput) and asked.fields[0].name == "customer_id"
    told = await call_tool(customer_followup_tasks, {"case_summary": "010-1234-5678로 재통화"}, staff)
    assert "1234" not in told.model_dump_json() and "[전화번호]" in told.summary
