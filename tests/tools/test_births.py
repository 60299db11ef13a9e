"""Every tool that prices or judges entry by age takes a birth and tells the 보험나이, never as 만 나이."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from app.tools import coverage, premium, product, underwriting
from app.tools.blocks import blocks_of

from .conftest import TODAY, say, say_many

NEW_START, FIRST_DAY, WHOLE_LIFE = "B00115023", "B00355005", "B00329010"
TOOLS: dict[str, BaseTool] = {
    tool.name: tool for module in (coverage, premium, product, underwriting) for tool in module.TOOLS
}
OF_AGE: dict[str, dict[str, Any]] = {
    "premium_estimate": {"product_code": NEW_START, "gender": "M"},
    "premium_compare": {"product_codes": [NEW_START, FIRST_DAY], "gender": "M"},
    "renewal_premium_projection": {"product_code": NEW_START, "gender": "M"},
    "affordability_check": {"product_code": NEW_START, "gender": "M", "monthly_budget": 5_000},
    "surrender_value_explain": {"product_code": WHOLE_LIFE, "gender": "M"},
    "product_search": {"keyword": "암", "gender": "M"},
    "eligibility_by_product_rule": {"product_code": NEW_START},
    "underwriting_precheck": {"history": "당뇨약 복용 중"},
    "underwriting_limitations": {"product_code": NEW_START},
    "underwriting_renewal_eligibility": {"product_code": NEW_START},
    "underwriting_renewal_premium_notice": {"product_code": NEW_START},
    "rider_bundle_recommend": {"goal": "항암", "product_code": NEW_START, "gender": "M"},
}


def test_a_tool_that_takes_an_age_takes_a_birth() -> None:
    schemas = {name: tool.tool_call_schema.model_json_schema()["properties"] for name, tool in TOOLS.items()}  # type: ignore[union-attr]
    by_age = {name for name, fields in schemas.items() if "age" in fields}
    by_birth = {name for name, fields in schemas.items() if "birth_date" in fields}
    # Ways to pay take both; their result is a table of discounts, whose age stands in the premium it rests on.
    assert by_age == by_birth == {*OF_AGE, "payment_cycle_options"}


@pytest.mark.parametrize("name", OF_AGE)
async def test_the_age_reckoned_is_told_and_never_as_full_age(call: Callable[..., Any], name: str) -> None:
    """1980-07-01 is 45 full years and eight months on 2026-03-02."""
    result = await call(TOOLS[name], birth_date="1980-07-01", age=45, **OF_AGE[name])
    told = say(name, result)
    assert (result.age, result.age_kind) == (46, "보험나이") and "만 46세" not in told
    if result.age_note:
        assert "1980년 7월 1일생은 오늘 기준 만 45세, 보험나이 46세라 46세로 계산했습니다." in told
    said = await call(TOOLS[name], age=46, **OF_AGE[name])
    assert (said.age, said.age_kind) == (46, "만 나이") and "보험나이 46세" not in say(name, said)
    assert "만 46세" not in str([block.data for block in blocks_of(result)])


@pytest.mark.parametrize("name", ["premium_estimate", "eligibility_by_product_rule", "underwriting_limitations"])
async def test_who_is_past_the_border_by_insurance_age_is_refused_with_the_rule(
    call: Callable[..., Any], name: str
) -> None:
    args = {"product_code": NEW_START, "birth_date": "1960-07-01", "age": 65}
    told = say(name, await call(TOOLS[name], **args))
    assert "보험나이 66세는 새로 가입할 수 없습니다" in told and "만 65세, 보험나이 66세라" in told
    assert "새로 가입할 수 없습니다" not in say(name, await call(TOOLS[name], **{**args, "birth_date": "1960-09-15"}))


async def test_several_people_are_told_apart_each_by_their_birth(call: Callable[..., Any]) -> None:
    quotes = [
        await call(TOOLS["premium_estimate"], product_code=NEW_START, birth_date=birth, gender=gender)
        for birth, gender in (("1980-07-01", "M"), ("1982-01-31", "F"))
    ]
    told = say_many("premium_estimate", quotes)
    assert "보험나이 46세 남성" in told and "보험나이 44세 여성" in told
    assert "1980년 7월 1일생은" in told and "1982년 1월 31일생은" in told


async def test_what_is_paid_for_years_began_at_the_age_of_then(call: Callable[..., Any]) -> None:
    args = {"product_code": WHOLE_LIFE, "gender": "M", "birth_date": "1980-07-01", "age": 45, "years_paid": 10}
    result = await call(TOOLS["surrender_value_explain"], **args)
    assert result.age == 36 and "10년 전 기준 만 35세, 보험나이 36세라" in say("surrender_value_explain", result)


async def test_what_the_talk_knows_of_a_birth_prices_plans_and_cycles(call: Callable[..., Any]) -> None:
    state = {"facts": {"birth_year": 1980, "birth_date": "1980-07-01", "gender": "M"}}
    for name in ("plan_options", "payment_cycle_options"):
        result = await call(TOOLS[name], state=state, product_code=NEW_START)
        assert (result.age, result.age_kind) == (46, "보험나이") and "보험나이 46세 남성" in say(name, result)
    month = {"facts": {"birth_year": TODAY.year - 45, "birth_month": 1, "gender": "M"}}
    assert (await call(TOOLS["plan_options"], state=month, product_code=NEW_START)).age == 45
