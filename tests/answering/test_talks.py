"""The first sentence answers the form asked, over what the talk showed; whole talks through the service."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import Ask

# Figures by hand from data/premiums and data/products.
TALKS: dict[str, list[tuple[str, str]]] = {
    "a year of one premium": [
        ("뉴스타트암보험 38세 여자 얼마예요", r"월 보험료는"),
        ("1년이면요", r"^월 ([\d,]+)원 × 12개월 = ([\d,]+)원입니다"),
    ],
    "two products together, then a year, then apart": [
        ("더건강한치아보험이랑 THE건강한치아보험V 36세 남자 각각 얼마예요", r"더건강한치아보험"),
        ("둘을 합치면요", r"모두 더하면 월 [\d,]+원입니다\([\d,]+원 \+ [\d,]+원\)"),
        ("두 개 차이는 얼마나 나나요", r"월 보험료 차이는 [\d,]+원입니다"),
        ("저렴한 쪽은 왜 저렴한가요", r"갱신 여부: .*갱신형.*비갱신형"),
    ],
    "a day of a premium": [
        ("실버치아보험 62세 여자 보험료", r"월 보험료는"),
        ("하루로 나누면 얼마꼴이에요", r"하루 약 [\d,]+원입니다\(월 [\d,]+원 ÷ 30일\)"),
    ],
    "days in hospital": [
        ("채우는335 입원하면 하루 얼마 나와요", r"1일당 3만원"),
        ("열흘이면 얼마예요", r"10일이면 300,000원입니다\(1일당 3만원 × 10일\)"),
    ],
    "contracts as they are": [
        ("김민수 고객 계약 보여줘", r"20,625원"),
        ("그중 치아는 얼마 내고 있어?", r"더건강한치아보험의 월 보험료는 월 14,900원"),
        ("합치면 한 달에 얼마야", r"월 35,525원입니다\(20,625원 \+ 14,900원\)"),
    ],
}


@pytest.mark.parametrize("name", TALKS)
async def test_the_form_is_answered_first(ask: Ask, name: str) -> None:
    before = None
    for text, pattern in TALKS[name]:
        answer = (await ask(text, "forms-" + name.replace(" ", "-").replace(",", "")))["answer"]
        assert re.search(pattern, answer, re.MULTILINE), answer
        assert answer != before
        before = answer


async def test_the_product_is_the_number_times_its_count(ask: Ask) -> None:
    first = (await ask("첫날부터암보험 52세 남자 보험료는요", "forms-product"))["answer"]
    premium = int(re.search(r"월 보험료는 ([\d,]+)원", first)[1].replace(",", ""))  # type: ignore[index]
    second = (await ask("두 달이면", "forms-product"))["answer"]
    assert f"{premium * 2:,}원" in second
