"""The twelve underwriting tools on the real catalogue: what they answer and how it is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.tools.blocks import blocks_of
from app.tools.results import NeedsInput
from app.tools.underwriting import (
    TOOLS,
    underwriting_disclosure_risk_score,
    underwriting_docs_required,
    underwriting_exclusions,
    underwriting_high_risk_job_check,
    underwriting_knockout_rules,
    underwriting_limitations,
    underwriting_precheck,
    underwriting_questions_generator,
    underwriting_reinstatement_rule,
    underwriting_renewal_eligibility,
    underwriting_renewal_premium_notice,
    underwriting_waiting_periods,
)
from tests.tools.conftest import say

Call = Callable[..., Any]
NEW_START, DENTAL, WHOLE_LIFE, SIMPLE_325 = "B00115023", "B00197011", "B00329010", "B00343004"
STAFF = {"underwriting_questions_generator", "underwriting_knockout_rules"}


def test_the_twelve_tools_read_only_two_for_staff() -> None:
    assert len(TOOLS) == 12
    assert all(tool.metadata["annotations"].read_only for tool in TOOLS)
    assert {tool.name for tool in TOOLS if tool.metadata["role"] == "staff"} == STAFF


async def test_a_precheck_tells_verdicts_rules_and_alternatives(call: Call) -> None:
    result = await call(
        underwriting_precheck, history="고혈압약 복용 중이고 3년 전 디스크 수술", product_code=WHOLE_LIFE, age=45
    )
    text = say("underwriting_precheck", result, show_codes=False)
    assert "'조건부'" in text and "고혈압" in text and "3년 전" in text and "간편심사" in text
    assert WHOLE_LIFE not in text and WHOLE_LIFE in say("underwriting_precheck", result)


async def test_a_precheck_without_a_product_looks_at_all(call: Call) -> None:
    result = await call(underwriting_precheck, history="고혈압약 복용 중", age=45)
    text = say("underwriting_precheck", result)
    assert "• 심사 후 가능:" in text and "• 심사 후 조건부:" in text and "만 45세" in text
    assert blocks_of(result)[0].type == "table"


async def test_an_empty_history_asks_back(call: Call) -> None:
    for tool in (underwriting_precheck, underwriting_disclosure_risk_score):
        result = await call(tool, history=" ")
        assert isinstance(result, NeedsInput)
        assert result.fields[0].name == "history"


@pytest.mark.parametrize(("code", "count"), [(SIMPLE_325, 3), (NEW_START, 13)])
async def test_questions_follow_the_form(call: Call, code: str, count: int) -> None:
    result = await call(underwriting_questions_generator, product_code=code)
    assert result.count == count
    assert f"질문은 {count}개" in say("underwriting_questions_generator", result)


async def test_knockouts_of_one_product_and_of_all(call: Call) -> None:
    own = await call(underwriting_knockout_rules, product_code=NEW_START)
    assert own.special[0].rule in say("underwriting_knockout_rules", own)
    every = await call(underwriting_knockout_rules)
    assert every.code is None
    assert "전체 상품" in say("underwriting_knockout_rules", every)


async def test_papers_for_a_case_and_without_one(call: Call) -> None:
    foreign = await call(underwriting_docs_required, case="외국인")
    assert "외국인등록증" in say("underwriting_docs_required", foreign)
    plain = await call(underwriting_docs_required, product_code=DENTAL)
    assert "파노라마" in say("underwriting_docs_required", plain)


async def test_waiting_is_told_by_group(call: Call) -> None:
    result = await call(underwriting_waiting_periods, product_code=NEW_START)
    text = say("underwriting_waiting_periods", result)
    assert "90일" in text and "12개월" in text and "50%" in text
    none = await call(underwriting_waiting_periods, product_code="B00355005")
    assert "면책기간이 없습니다" in say("underwriting_waiting_periods", none)


async def test_exclusions_own_and_common(call: Call) -> None:
    cancer = await call(underwriting_exclusions, product_code=NEW_START)
    assert cancer.own[0].item in say("underwriting_exclusions", cancer)
    assert not any("치아" in e.item for e in cancer.common)
    dental = await call(underwriting_exclusions, product_code=DENTAL)
    assert any("치아" in e.item for e in dental.common)


async def test_limits_at_an_age(call: Call) -> None:
    result = await call(underwriting_limitations, product_code=NEW_START, age=58)
    text = say("underwriting_limitations", result)
    assert "만 58세" in text and "4,000만원" in text and "500만원" in text
    outside = await call(underwriting_limitations, product_code=NEW_START, age=70)
    assert "만 70세는 새로 가입할 수 없습니다" in say("underwriting_limitations", outside)


async def test_reinstatement_is_counted_from_the_lapse(call: Call) -> None:
    open_ = await call(underwriting_reinstatement_rule, lapse_date="2024-03-15", product_code=NEW_START)
    text = say("underwriting_reinstatement_rule", open_)
    assert "2027년 3월 15일" in text and "378일" in text
    late = await call(underwriting_reinstatement_rule, lapse_date="2022-03-15")
    assert "기한이 지나" in say("underwriting_reinstatement_rule", late)
    rule = await call(underwriting_reinstatement_rule)
    assert "3년 안에" in say("underwriting_reinstatement_rule", rule)


async def test_renewal_eligibility_tells_the_last_age(call: Call) -> None:
    result = await call(underwriting_renewal_eligibility, product_code=NEW_START, age=45)
    text = say("underwriting_renewal_eligibility", result)
    assert "80세" in text and "55세" in text and "75세" in text
    fixed = await call(underwriting_renewal_eligibility, product_code=DENTAL)
    assert "비갱신형" in say("underwriting_renewal_eligibility", fixed)


async def test_the_renewal_notice_uses_what_the_conversation_knows(call: Call) -> None:
    state = {"facts": {"age": 45, "gender": "M"}}
    result = await call(underwriting_renewal_premium_notice, state=state, product_code=NEW_START)
    assert [p.gender for p in result.premiums] == ["M"]
    text = say("underwriting_renewal_premium_notice", result)
    assert "30%" in text and "100%" in text and "20,625원" in text
    fixed = await call(underwriting_renewal_premium_notice, product_code=DENTAL, age=45)
    assert "처음 정한 보험료를 냅니다" in say("underwriting_renewal_premium_notice", fixed)


async def test_a_job_has_its_class_or_near_jobs(call: Call) -> None:
    rider = await call(underwriting_high_risk_job_check, job="배달 라이더")
    text = say("underwriting_high_risk_job_check", rider)
    assert "3급" in text and "30%" in text
    unknown = await call(underwriting_high_risk_job_check, job="우주비행사")
    assert "찾지 못했습니다" in say("underwriting_high_risk_job_check", unknown)
    assert isinstance(await call(underwriting_high_risk_job_check, job=" "), NeedsInput)


async def test_a_score_tells_its_parts(call: Call) -> None:
    result = await call(underwriting_disclosure_risk_score, history="고혈압약 복용 중")
    text = say("underwriting_disclosure_risk_score", result)
    assert "알려야 합니다" in text and "45점" in text and "기본 35점 + 현재 치료·투약 10점" in text
    healthy = await call(underwriting_disclosure_risk_score, history="병력 없음")
    assert "0점" in say("underwriting_disclosure_risk_score", healthy)
