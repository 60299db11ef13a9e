"""Premiums of products, people and sums insured are one table: what a question leaves out is added up."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import Ask

# Figures by hand from data/premiums and data/products.
TALKS: dict[str, list[tuple[str, str]]] = {
    "which product is cheaper for both, then how far apart in a year": [
        (
            "저 34 여자, 남편 36이에요. 더건강한치아랑 THE건강한치아 중 둘이 합쳐 어느 게 싸요",
            r"더건강한치아보험\(12,490원 \+ 12,740원 = 월 25,230원\)",
        ),
        ("일년이면 둘이 얼마나 차이 나요", r"차이는 9,110원입니다.*12개월이면 109,320원 차이"),
    ],
    "a couple of one age": [
        ("서른한 살 동갑 부부인데 뉴스타트암보험 얼마씩 내요", r"8,920원[\s\S]*13,495원"),
        ("둘이 한 해 치 다 더하면요", r"월 22,415원"),
        ("아내는 서른이에요", r"만 31세 남성[\s\S]*만 30세 여성"),
    ],
    "two sums insured of one product": [
        (
            "마흔일곱 여자 첫날부터암보험 2천만원이랑 3천만원 보험료 차이요",
            r"차이는 10,000원입니다\. 첫날부터암보험 3,000만원이 월 30,000원",
        ),
        ("5년이면 차이가 얼마예요", r"60개월이면 600,000원 차이"),
    ],
    "one sum insured, then another": [
        ("35살 남자 간편고지정기보험 5천만원 얼마예요", r"10,440원"),
        ("1억으로 하면요", r"20,880원"),
        ("차이가 얼마", r"차이는 10,440원입니다"),
    ],
    "each of two a sum insured of their own": [
        ("마흔둘 동갑 부부 첫날부터암보험 얼마예요", r"12,925원[\s\S]*16,805원"),
        ("신랑은 2천만원 각시는 3천만원으로 하면요", r"12,925원[\s\S]*25,208원[\s\S]*38,133원"),
    ],
    "a sum insured that cannot be had is not the next person's": [
        ("뉴스타트암보험 52세 남자 2억이면 얼마", r"말씀하신 금액은 2억원"),
        ("아내 마흔여덟은 얼마예요", r"26,745원"),
    ],
    "all but the dearest": [
        ("나 40 와이프 38 딸 10 셋 다 더건강한치아보험 얼마야", r"34,720원"),
        ("그중 제일 비싼 사람 빼면 얼마야", r"빼면 .*월 20,955원입니다\(13,335원 \+ 7,620원\)"),
        ("하루로 나누면 얼마꼴이야", r"모두 합친 금액은 하루 약 1,157원"),
    ],
    "a later start": [
        ("45살 여자 건강해지는종신보험 얼마예요", r"105,670원"),
        ("3년 있다가 들면요", r"만 48세 여성.*112,710원"),
        ("그때 들면 지금보다 1년에 얼마나 더 내요", r"차이는 7,040원입니다.*84,480원 차이"),
    ],
    "later and now": [
        ("33살 여자인데 5년 뒤에 첫날부터암보험 들면 지금이랑 얼마나 차이나", r"차이는 2,855원입니다"),
        ("차액 3년치는", r"36개월이면 102,780원 차이"),
    ],
    "a ceiling and no product": [
        (
            "24남 월 1만원 밑으로 되는 보험 있음?",
            r"10,000원을 넘지 않는 것은 뉴스타트암보험\(월 6,195원\), 첫날부터암보험\(월 4,575원\)",
        ),
        ("그중 제일 싼 거 뭐야", r"낮은 것은 첫날부터암보험\(월 4,575원\)"),
    ],
    "the one that keeps its premium is meant next": [
        ("저 마흔 여자인데 사망보험 안 오르는 건 없어요", r"비갱신형으로는 건강해지는종신보험"),
        ("그거 한 달에 얼마예요", r"건강해지는종신보험.*94,900원"),
    ],
    "two children of one word": [
        ("아들 둘 15살 12살 더건강한치아보험 얼마씩이에요", r"8,395원[\s\S]*7,735원"),
        ("큰애 것만요", r"만 15세 남성.*8,395원"),
    ],
    "the sum before and after": [
        ("신랑 37 저 35 종신 5천씩이면 한달 총 얼마", r"월 185,000원"),
        ("3천만원씩으로 줄이면요", r"월 111,000원입니다\(59,880원 \+ 51,120원\)"),
        ("아까보다 얼마나 줄었어요", r"월 보험료가 74,000원 적습니다"),
    ],
    "each product at two sums insured": [
        (
            "52세 여자 치매보험 500만원이랑 1000만원 월 얼마 차이예요",
            r"차이는 12,607원입니다[\s\S]*차이는 17,762원입니다",
        ),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", TALKS)
async def test_what_is_left_out_is_added_up(ask: Ask, name: str) -> None:
    for text, pattern in TALKS[name]:
        answer = (await ask(text, "grid-" + re.sub(r"\W+", "-", name)))["answer"]
        assert re.search(pattern, answer, re.MULTILINE), (text, answer)
