"""Comparisons over HTTP: whatever is said to differ is named, and what is compared is what was shown or told last."""

from __future__ import annotations

import re
from itertools import combinations
from typing import Any

import httpx2
import pytest

from app.evaluation.hearing import calls_of
from app.insurance.catalogue import Catalogue
from tests.api.conftest import Ask

_COUNTED = re.compile(r"16개 항목 가운데 (\d+)개가 다릅니다")

TALKS: dict[str, tuple[list[str], list[str]]] = {
    "the two that a search found": (["치매보험 뭐 있어요", "두 개 비교해줘"], ["B00312011", "B00317010"]),
    "all that a search found": (["암보험 뭐뭐 있나요", "비교 좀"], ["B00115023", "B00155017", "B00355005"]),
    "the one found and the one left out by age": (
        ["75세 여자 가입할 수 있는 치매보험 찾아주세요", "두 개 비교해줘"],
        ["B00312011", "B00317010"],
    ),
    "two that were both left out": (["80세 남자 치매보험 가입되나요", "둘이 비교하면?"], ["B00312011", "B00317010"]),
    "the list just shown, not products told of before": (
        [
            "뉴스타트암보험 알려줘",
            "첫날부터암보험 알려줘",
            "75세 여자 가입할 수 있는 치매보험 찾아주세요",
            "두 개 비교해줘",
        ],
        ["B00312011", "B00317010"],
    ),
    "first two, then all of the list": (
        ["68세 여자 치아보험 가입되나요?", "두 개 비교해줘", "세 개 다 비교해 주세요"],
        ["B00307007", "B00172014", "B00197011"],
    ),
    "two asked about one after the other": (
        ["뉴스타트암보험 50세 가입 되나요?", "첫날부터암보험은요?", "비교 좀"],
        ["B00115023", "B00355005"],
    ),
    "places of a list": (["암보험 뭐 있어요", "첫번째하고 세번째 비교해줘"], ["B00115023", "B00355005"]),
    "numbers of a list": (["치아보험 뭐 있어요", "1번이랑 3번만 비교해줘"], ["B00172014", "B00307007"]),
    "numbers side by side": (["치아보험 뭐 있어요", "2번 3번 비교"], ["B00197011", "B00307007"]),
    "the products of the riders found": (
        ["암보험 뭐 있어요", "임플란트 보장되는 상품 찾아줘", "비교해줘"],
        ["B00172014", "B00197011", "B00307007"],
    ),
    "with the only product of a kind": (
        ["건강해지는종신보험 알려줘", "정기보험이랑 비교해줘"],
        ["B00329010", "B00392004"],
    ),
    "with all products of another kind": (
        ["실속치매보험 알려줘", "암보험이랑 비교해줘"],
        ["B00312011", "B00115023", "B00155017", "B00355005"],
    ),
    "the first two in the order that is seen": (
        ["60세 남자인데 들 수 있는 보험 뭐 있어요?", "두 개 비교해줘"],
        ["B00115023", "B00155017"],
    ),
    "after the eligibility of two": (
        ["실버치아보험이랑 THE건강한치아보험V 63세 가입 가능해요?", "두 개 비교해줘"],
        ["B00307007", "B00197011"],
    ),
}


@pytest.mark.parametrize("name", TALKS)
async def test_what_was_shown_or_told_last_is_compared_in_a_table(ask: Ask, name: str) -> None:
    turns, codes = TALKS[name]
    for turn in turns:
        reply = await ask(turn, f"comparison-{name}".replace(" ", "-").replace(",", ""))
    assert [(call.tool, call.args) for call in calls_of(reply)] == [("product_compare", {"product_codes": codes})]
    (table,) = _tables(reply)
    assert [column["key"] for column in table["columns"]] == ["fact", *codes]
    _assert_each_difference_is_named(reply)


async def test_each_difference_of_any_two_products_is_named(ask: Ask, catalogue: Catalogue) -> None:
    names = [product.name for product in catalogue.products]
    for first, second in combinations(names, 2):
        reply = await ask(f"{first}, {second} 비교해줘", f"pair-{names.index(first)}-{names.index(second)}")
        _assert_each_difference_is_named(reply)
        assert reply["guard"]["output"] == "pass"


async def test_the_list_of_all_products_stands_in_the_order_that_it_is_counted_in(
    ask: Ask, visitor: httpx2.AsyncClient
) -> None:
    answer = (await ask("판매하는 상품 전부 보여줘", "all-products", visitor))["answer"]
    reply = await ask("두 번째 상품 알려줘", "all-products", visitor)
    assert answer.index("뉴스타트암보험") < answer.index("골라담는암보험") < answer.index("간편건강보험")
    assert [call.args for call in calls_of(reply)] == [{"product_code": "B00155017"}]


async def test_what_is_looked_for_in_the_terms_goes_on_with_the_next_product(ask: Ask) -> None:
    await ask("골라담는암보험 약관에서 면책기간 조항 찾아줘", "terms-next")
    for said, name in (("뉴스타트는요", "뉴스타트암보험"), ("첫날부터는?", "첫날부터암보험")):
        reply = await ask(said, "terms-next")
        (call,) = calls_of(reply)
        assert call.tool == "rag_terms_query_engine"
        assert call.args["query"] == f"{name} 약관에서 면책기간 조항 찾아줘"
        quoted = reply["answer"]
        assert f"{name} — 보장: 암 진단보험금" in quoted
        others = {"뉴스타트암보험", "골라담는암보험", "첫날부터암보험"} - {name}
        assert not any(f"{other} — " in quoted for other in others)


def _tables(reply: dict[str, Any]) -> list[dict[str, Any]]:
    return [block["data"] for block in reply["blocks"] if block["type"] == "table"]


def _assert_each_difference_is_named(reply: dict[str, Any]) -> None:
    (table,) = _tables(reply)
    facts = [table["rows"][number]["fact"] for number in table["differs"]]
    counted = _COUNTED.search(reply["answer"])
    assert counted is not None and int(counted[1]) == len(facts)
    missing = [fact for fact in facts if f"• {fact}: " not in reply["answer"]]
    assert not missing, (missing, reply["answer"])
