"""The ten product tools, called as the graph calls them and spoken as the planner speaks them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from langchain_core.tools import BaseTool

from app.errors import BadRequest, NotFound, ProductNotFound
from app.insurance.catalogue import Catalogue
from app.tools import product
from app.tools.blocks import blocks_of
from app.tools.results import NeedsInput

from .conftest import say

NEW_START, FIRST_DAY, CHOOSE = "B00115023", "B00355005", "B00155017"
BY_NAME: dict[str, BaseTool] = {tool.name: tool for tool in product.TOOLS}
ARGUMENTS = {
    "product_search": {"keyword", "category", "age", "birth_date", "gender", "simplified", "conditions", "channel"},
    "product_get": {"product_code"},
    "product_compare": {"product_codes"},
    "product_latest_version_check": {"product_code", "revision"},
    "rider_list": {"product_code", "mandatory_only"},
    "rider_search": {"keyword", "product_code"},
    "rider_get": {"rider", "product_code"},
    "eligibility_by_product_rule": {"product_code", "age", "birth_date", "channel", "conditions"},
    "product_faq_lookup": {"product_code", "topic"},
    "sales_channel_availability": {"product_code", "channel"},
}


def test_the_tools_have_their_fixed_names_and_arguments() -> None:
    schemas = {
        tool.name: set(tool.tool_call_schema.model_json_schema().get("properties", {})) for tool in product.TOOLS
    }  # type: ignore[union-attr]
    assert schemas == ARGUMENTS


@pytest.mark.parametrize(
    ("name", "args", "told"),
    [
        (
            "product_search",
            {"keyword": "암", "age": 45, "gender": "M"},
            ["현재 가입 가능한 암보험은 2개입니다", "20,625원", "15,600원", "90일 면책", "면책 없음", "50~75세"],
        ),
        ("product_search", {"keyword": "실손"}, ["실손의료보험은 판매하지 않습니다", "치아", "치매"]),
        ("product_search", {"keyword": "골라담는암보험", "age": 45}, ["50~75세", "뉴스타트암보험"]),
        ("product_search", {}, ["12개", "종신"]),
        ("product_get", {"product_code": NEW_START}, ["20~65세", "6차", "2025년 4월 1일", "3,000만원"]),
        ("product_compare", {"product_codes": [NEW_START, FIRST_DAY]}, ["90일 면책", "면책 없음"]),
        ("product_latest_version_check", {"product_code": NEW_START, "revision": 6}, ["6차", "최신"]),
        ("product_latest_version_check", {"product_code": NEW_START, "revision": 5}, ["이전 개정본", "6차"]),
        ("rider_list", {"product_code": NEW_START}, ["11개", "[의무]"]),
        ("rider_search", {"keyword": "재발암"}, ["재진단암"]),
        ("rider_search", {"keyword": "우주여행", "product_code": NEW_START}, ["찾지 못했습니다"]),
        ("rider_get", {"rider": "재진단암 특약", "product_code": NEW_START}, ["1,500만원", "면책 90일", "20~60세"]),
        (
            "eligibility_by_product_rule",
            {"product_code": CHOOSE, "age": 45},
            ["가입할 수 없습니다", "50~75세", "첫날부터암보험"],
        ),
        (
            "eligibility_by_product_rule",
            {"product_code": NEW_START, "age": 45, "channel": "TM"},
            ["가입할 수 있습니다"],
        ),
        ("product_faq_lookup", {"product_code": NEW_START, "topic": "면책"}, ["90일", "근거"]),
        ("product_faq_lookup", {"topic": "갱신"}, ["근거"]),
        (
            "sales_channel_availability",
            {"product_code": NEW_START, "channel": "TM"},
            ["전화 상담(TM)", "2016년 5월 2일"],
        ),
    ],
)
async def test_the_answer_holds_the_figures(
    call: Callable[..., Any], name: str, args: dict[str, Any], told: list[str]
) -> None:
    answer = say(name, await call(BY_NAME[name], **args))
    assert [part for part in told if part not in answer] == []
    assert "None" not in answer and name not in answer


async def test_codes_are_spoken_to_staff_alone(call: Callable[..., Any]) -> None:
    found = await call(product.product_search, keyword="암", age=45)
    assert f"뉴스타트암보험({NEW_START})" in say("product_search", found, show_codes=True)
    assert NEW_START not in say("product_search", found, show_codes=False)


async def test_a_rider_of_several_products_is_asked_back_with_those_products(call: Callable[..., Any]) -> None:
    asked = await call(product.rider_get, rider="R001")
    assert isinstance(asked, NeedsInput) and len(asked.fields[0].options) > 2
    assert "상품을 알려 주세요" in say("rider_get", asked)
    assert blocks_of(asked)[0].type == "form"


async def test_a_question_about_nothing_is_asked_back(call: Callable[..., Any]) -> None:
    asked = await call(product.product_faq_lookup)
    assert isinstance(asked, NeedsInput) and {f.name for f in asked.fields} == {"product_code", "topic"}


async def test_wrong_values_are_refused_in_korean(call: Callable[..., Any]) -> None:
    with pytest.raises(ProductNotFound, match=NEW_START):
        await call(product.product_get, product_code="B00115024")
    with pytest.raises(BadRequest, match="2~4개"):
        await call(product.product_compare, product_codes=[NEW_START])
    with pytest.raises(NotFound, match="이름이 비슷한 특약"):
        await call(product.rider_get, rider="쀍쀍쀍", product_code=NEW_START)


async def test_results_become_blocks(call: Callable[..., Any]) -> None:
    cards = blocks_of(await call(product.product_search, keyword="암", age=45, gender="M"))
    assert [b.type for b in cards] == ["product_card"] * 2 and cards[0].data["premium"] == 20_625
    (compared,) = blocks_of(await call(product.product_compare, product_codes=[NEW_START, FIRST_DAY]))
    assert compared.type == "table" and compared.data["differs"]


async def test_every_tool_speaks_of_every_product(call: Callable[..., Any], catalogue: Catalogue) -> None:
    for one in catalogue.products:
        for name in ("product_get", "product_latest_version_check", "rider_list", "eligibility_by_product_rule",
                     "sales_channel_availability"):  # fmt: skip
            result = await call(BY_NAME[name], product_code=one.code)
            answer = say(name, result, show_codes=False)
            assert one.name in answer and one.code not in answer
            assert all(block.data for block in blocks_of(result))
        for rider in one.riders:
            assert rider.name in say(
                "rider_get", await call(product.rider_get, rider=rider.name, product_code=one.code)
            )
