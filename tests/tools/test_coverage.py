"""The nine coverage tools on the real catalogue: what they answer and how it is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from app.insurance.catalogue import Catalogue
from app.tools.blocks import blocks_of
from app.tools.coverage import (
    TOOLS,
    benefit_amount_lookup,
    benefit_limit_rules,
    coverage_detail,
    coverage_summary,
    diagnosis_definition_lookup,
    event_eligibility_check,
    icd_mapping_lookup,
    multi_benefit_conflict_rule,
    rider_bundle_recommend,
)
from app.tools.results import NeedsInput
from tests.tools.conftest import say

Call = Callable[..., Any]
NEW_START, DENTAL, DEMENTIA = "B00115023", "B00197011", "B00312011"
CODES = [
    "B00115023", "B00155017", "B00172014", "B00197011", "B00307007", "B00312011",
    "B00317010", "B00329010", "B00343004", "B00355005", "B00364004", "B00392004",
]  # fmt: skip


def test_the_nine_tools_are_read_only_and_for_customers() -> None:
    assert len(TOOLS) == 9
    assert {tool.metadata["role"] for tool in TOOLS} == {"customer"}
    assert all(tool.metadata["annotations"].read_only for tool in TOOLS)


@pytest.mark.parametrize("code", CODES)
async def test_every_product_is_summed_up_whole(call: Call, catalogue: Catalogue, code: str) -> None:
    result = await call(coverage_summary, product_code=code)
    product = catalogue.product(code)
    assert len(result.main) + len(result.riders) == len(product.all_benefits)
    text = say("coverage_summary", result, show_codes=False)
    assert product.name in text and code not in text
    assert len(text.splitlines()) <= 7
    assert code in say("coverage_summary", result)
    assert blocks_of(result)[0].type == "table"


async def test_one_kind_of_cover_is_told_in_full(call: Call) -> None:
    result = await call(coverage_detail, product_code="B00343004", coverage_type="입원비")
    assert {line.coverage_type for line in result.covers} == {"입원"}
    text = say("coverage_detail", result)
    assert "질병입원보험금" in text and "2만원(1일당)" in text and "120일" in text


async def test_a_kind_the_product_lacks_is_answered_with_what_it_has(call: Call) -> None:
    result = await call(coverage_detail, product_code=NEW_START, coverage_type="치과")
    assert not result.found
    assert "진단, 수술" in say("coverage_detail", result)


async def test_a_benefit_amount_is_told_with_unit_and_reduction(call: Call) -> None:
    result = await call(benefit_amount_lookup, product_code=DENTAL, benefit="크라운")
    text = say("benefit_amount_lookup", result, show_codes=False)
    assert "치아 1개당 30만원" in text and "15만원" in text and "90일" in text and DENTAL not in text


async def test_several_benefits_are_listed(call: Call) -> None:
    result = await call(benefit_amount_lookup, product_code=DENTAL, benefit="때우기")
    assert result.count == 3
    text = say("benefit_amount_lookup", result)
    assert "15만원" in text and "8만원" in text and "2만원" in text


async def test_a_missing_benefit_is_answered_not_raised(call: Call) -> None:
    result = await call(benefit_amount_lookup, product_code=NEW_START, benefit="치매")
    assert not result.found
    assert "암 진단보험금" in say("benefit_amount_lookup", result)


async def test_limits_of_one_benefit_and_of_all(call: Call) -> None:
    one = await call(benefit_limit_rules, product_code=DENTAL, benefit="크라운")
    assert one.limits[0].per_year == 3
    assert "연간 3개" in say("benefit_limit_rules", one)
    every = await call(benefit_limit_rules, product_code=DENTAL)
    assert every.count > 5
    assert "표에서" in say("benefit_limit_rules", every)


async def test_an_event_within_the_reduction_is_reckoned(call: Call) -> None:
    result = await call(
        event_eligibility_check,
        product_code=NEW_START, event="유방암", event_date="2024-09-01", contract_date="2024-03-15",
    )  # fmt: skip
    text = say("event_eligibility_check", result, show_codes=False)
    assert "감액 지급" in text and "3,000만원 × 50% = 1,500만원" in text and NEW_START not in text
    assert [block.type for block in blocks_of(result)] == ["notice", "table"]


async def test_an_event_without_dates_is_told_by_its_rules(call: Call) -> None:
    result = await call(event_eligibility_check, product_code=NEW_START, event="유방암")
    text = say("event_eligibility_check", result)
    assert "면책 90일" in text and "계약일과 사고일을 알려 주시면" in text


async def test_an_event_that_is_not_covered_says_why(call: Call) -> None:
    result = await call(event_eligibility_check, product_code=DEMENTIA, event="경도인지장애")
    assert result.verdict == "지급 어려움"
    assert "치매 이전 단계" in say("event_eligibility_check", result)


async def test_terms_are_defined_with_their_clause(call: Call) -> None:
    result = await call(diagnosis_definition_lookup, term="유사암")
    text = say("diagnosis_definition_lookup", result)
    assert "C73" in text and "약관 '유사암의 정의 및 진단확정'" in text


async def test_a_misspelt_or_unknown_term_leads_to_near_ones(call: Call) -> None:
    assert (await call(diagnosis_definition_lookup, term="보장계시일")).found
    unknown = await call(diagnosis_definition_lookup, term="안드로메다")
    assert not unknown.found
    assert "찾지 못했습니다" in say("diagnosis_definition_lookup", unknown)


async def test_a_narrower_code_falls_back_and_names_its_class_by_product(call: Call) -> None:
    result = await call(icd_mapping_lookup, code_or_name="C73.0")
    text = say("icd_mapping_lookup", result)
    assert "C73.0" in text and "갑상선의 악성 신생물" in text and "유사암 진단보험금 600만원" in text
    assert result.narrower == "C73.0"


async def test_an_unknown_disease_leads_to_near_ones(call: Call) -> None:
    result = await call(icd_mapping_lookup, code_or_name="없는병")
    assert not result.found and result.near
    assert result.near[0] in say("icd_mapping_lookup", result)


async def test_treatments_that_fall_together_have_their_rule(call: Call) -> None:
    result = await call(multi_benefit_conflict_rule, product_code=DENTAL, treatments=["임플란트", "크라운"])
    assert len(result.rules) == 1
    assert "임플란트치료보험금" in say("multi_benefit_conflict_rule", result)


async def test_without_a_rule_the_others_are_named(call: Call) -> None:
    result = await call(multi_benefit_conflict_rule, product_code=DENTAL, treatments=["스케일링", "발치"])
    assert not result.found and result.others
    assert "따로 정한 규칙이 없어" in say("multi_benefit_conflict_rule", result)
    every = await call(multi_benefit_conflict_rule, product_code=DENTAL)
    assert "여러 보장이 겹칠 때" in say("multi_benefit_conflict_rule", every)


async def test_riders_are_recommended_with_reason_and_premium(call: Call) -> None:
    result = await call(
        rider_bundle_recommend, goal="항암", product_code=NEW_START, age=45, gender="M", monthly_budget=30_000
    )
    text = say("rider_bundle_recommend", result, show_codes=False)
    assert "20,625원" in text and "표적항암약물허가" in text and "R002" not in text
    assert "R002" in say("rider_bundle_recommend", result)


async def test_a_budget_without_a_person_asks_back(call: Call) -> None:
    result = await call(rider_bundle_recommend, goal="항암", monthly_budget=30_000)
    assert isinstance(result, NeedsInput)
    assert {field.name for field in result.fields} == {"age", "gender"}


async def test_goals_are_served_over_all_products_or_named(call: Call) -> None:
    found = await call(rider_bundle_recommend, goal="간병", age=62, gender="F")
    assert len(found.bundles) > 1
    assert "만 62세 여성" in say("rider_bundle_recommend", found)
    none = await call(rider_bundle_recommend, goal="우주여행")
    assert not none.found
    assert none.near[0] in say("rider_bundle_recommend", none)
