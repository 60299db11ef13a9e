"""One thing asked of what the talk is about: a way to pay, a plan, a limit, a treatment that is never paid."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import Ask

# Figures by hand from data/premiums and data/products.
TALKS: dict[str, list[tuple[str, str]]] = {
    "a way to pay is told with its amount": [
        (
            "실버치아보험 58세 남자가 해마다 한 번 내면 얼마예요",
            r"연납으로 내면 한 번에 [\d,]+원입니다\(월 [\d,]+원 × 12개월에서 2% 할인\)",
        ),
        ("반년마다 낼 수도 있어요?", r"^아니요, 실버치아보험\S*에는 6개월납이 없습니다"),
        ("석 달마다는요", r"3개월납으로 내면 한 번에"),
        ("얼마 아끼게 되는 거예요", r"3개월납의 한 해에 아끼는 금액은 [\d,]+원입니다"),
    ],
    "two people pay once a year": [
        (
            "첫날부터암보험 남편 47세 저는 44세인데 둘이 연납이면 모두 얼마예요",
            r"모두 더하면 (?:한 번에 )?[\d,]+원입니다\([\d,]+원 \+ [\d,]+원\)",
        ),
    ],
    "two people and several products": [
        (
            "부부가 치아보험 들려고요 남편 48세 저는 46세인데 합쳐서 한 달 6만원 안에서 될까요",
            r"더건강한치아보험은 모두 더하면 월 [\d,]+원입니다\([\d,]+원 \+ [\d,]+원\). 예산 안에서 가능하고",
        ),
    ],
    "a plan for one of two": [
        ("더건강한치아보험 남편 41세 아내 39세 보험료요", r"41세 남성"),
        ("남편만 고급형으로 하면 둘이 얼마예요", r"모두 더하면 월 [\d,]+원입니다"),
    ],
    "until when a rule holds": [
        (
            "간편건강보험 57세 여자인데 여덟 달 전에 입원했어요 가입되나요",
            r"2년이 지나면\(약 16개월 뒤\) 다시 심사받아",
        ),
    ],
    "what a plan leaves out": [
        ("THE건강한치아보험V 39세 남자 실속형 보험료", r"실속형 플랜\(.*충전·신경치료·발치를 뺀 설계\)"),
        ("플랜마다 뭐가 달라요", r"고급형: 기본형에 임플란트플러스특약"),
    ],
    "whom the others do not take": [
        ("72세 여자 치아보험 있나요", r"^네, .*현재 가입 가능한 치아보험은 1개"),
        ("17세 남자도 암보험 들 수 있어요?", r"20세부터 가입할 수 있습니다"),
    ],
    "which products pay": [
        ("병원에 입원하면 하루에 얼마 나오는 거 뭐 있어요", r"간편건강보험[^\n]*입원[^\n]*1일당 [\d,]+(?:만원|원)"),
    ],
    "what is never paid": [
        ("치매간병보험 장기요양 3등급이면 얼마 받아요", r"장기요양3등급진단보험금은 1회 500만원"),
        ("인지지원등급이 나오면요?", r"^아니요, 치매간병보험\S* 그 경우를 보장하지 않습니다"),
    ],
    "a treatment that the terms leave out": [
        ("더건강한치아보험 크라운 얼마 나와요", r"크라운치료보험금"),
        ("라미네이트 하면 얼마 나와요", r"보장하지 않"),
        ("레진은 얼마 나와요", r"레진충전치료보험금은 치아 1개당 5만원"),
    ],
    "the papers of what was spoken of": [
        ("저희 어머니 치매간병보험 있는데 장기요양 5등급 받으셨어요 얼마 나와요", r"200만원"),
        ("보험금 청구하려면 서류 뭐 준비해요", r"장기요양인정서"),
    ],
    "an hour asked for twice": [
        ("고객센터 몇 시까지 해요", r"평일 오전 9시부터 오후 6시까지"),
        ("일요일에도 전화 받나요", r"일요일, 공휴일에는 쉽니다\.$"),
    ],
    "the day that a cover begins": [
        ("실속치매보험 2023년 5월 2일에 가입했는데 치매는 언제부터 보장돼요", r"보장개시일: 2024년 5월 2일"),
    ],
    "taxes of a premium": [
        ("첫날부터암보험 35세 여자 얼마예요", r"월 보험료는"),
        ("이거 세액공제 받을 수 있어요?", r"12%"),
    ],
    "what is sold at all": [
        ("펫보험 팔아요?", r"판매하지 않"),
        ("그러면 뭘 팔아요", r"• 치매: "),
    ],
}


@pytest.mark.parametrize("name", TALKS)
async def test_the_one_thing_asked_is_answered_first(ask: Ask, name: str) -> None:
    for text, pattern in TALKS[name]:
        answer = (await ask(text, "particular-" + re.sub(r"\W+", "-", name)))["answer"]
        assert re.search(pattern, answer.split("\n\n※")[0], re.MULTILINE), (text, answer)


async def test_products_offered_instead_are_not_added_up(ask: Ask) -> None:
    await ask("38세 남자 암보험 얼마예요", "particular-instead")
    answer = (await ask("골라담는암보험이랑 뉴스타트암보험 둘 다 들면 한 달에 얼마예요", "particular-instead"))[
        "answer"
    ]
    assert "모두 더하면" not in answer


async def test_a_year_of_one_way_to_pay_is_told_by_itself(ask: Ask) -> None:
    await ask("더건강한치아보험 41세 여자 연납이면 얼마예요", "particular-year")
    answer = (await ask("THE건강한치아보험V는 연납이면 얼마예요", "particular-year"))["answer"]
    assert "모두 더하면" not in answer


async def test_only_the_one_who_is_named_gets_the_plan(ask: Ask) -> None:
    await ask("THE건강한치아보험V 남편 41세 아내 39세 보험료요", "particular-plan")
    answer = (await ask("남편만 실속형으로 하면 둘이 얼마예요", "particular-plan"))["answer"]
    assert re.search(r"41세 남성[^\n]*실속형", answer) and re.search(r"39세 여성[^\n]*기본형", answer), answer
