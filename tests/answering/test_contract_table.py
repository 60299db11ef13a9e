"""Contracts shown are a table: rows are chosen, counted, summed and held against days; whole talks."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import Ask

# Figures by hand from data/customers/contracts.csv.
TALKS: dict[str, list[tuple[str, str]]] = {
    "how many, in all and of a state": [
        ("윤성희 고객 지금 유지 중인 계약이 몇 건이죠", r"^유지 상태인 계약은 4건입니다"),
        ("신기범 씨는 계약 몇 개 갖고 있어", r"^계약은 모두 4건입니다. 그 가운데 유지 중인 계약은 2건"),
        ("그중에 실효는 몇 개야", r"^실효 상태인 계약은 2건입니다"),
    ],
    "those in a state with the sum of their premiums": [
        ("박준영 고객 계약 조회해 줘", r"골라담는암보험"),
        ("유지 중인 건 뭐고 한 달에 얼마 내시지", r"월 214,973원입니다\(24,790원 \+ 12,753원 \+ 177,430원\)"),
        ("실효된 건?", r"^실효 상태인 계약은 1건입니다\.\n• 뉴스타트암보험"),
        ("나머지 보험료 합계는", r"월 214,973원"),
    ],
    "the first and the last one, and on with it": [
        ("박수연 고객 계약 좀 봐 주세요", r"간편건강보험"),
        ("제일 오래된 계약이 뭐예요", r"^가장 먼저 가입한 계약은 치매간병보험\(2020년 12월 15일 가입\)"),
        ("그거 만기가 언제죠", r"^치매간병보험의 만기일.*2070년 12월 15일"),
        ("최근에 든 건요", r"^가장 나중에 가입한 계약은 간편건강보험\(2026년 3월 2일 가입\)"),
    ],
    "rows by the year of the contract": [
        ("김민수 고객 계약 조회", r"35,525원"),
        ("2022년에 든 거", r"^• 더건강한치아보험: .*가입일 2022년 6월 10일"),
    ],
    "a kind that is held, and one that is not": [
        ("윤성희 고객 계약 조회해 줘", r"건강해지는종신보험"),
        ("치아도 있나", r"^네, 있습니다\.\n• THE건강한치아보험V"),
        ("간편건강도 있나", r"^조회된 계약 가운데 간편건강.* 없습니다"),
    ],
    "whether the one meant came to an end, and what is overdue": [
        ("박영수 고객 계약 좀요", r"채우는335"),
        ("실효된 거 되살리려면 얼마 내야 돼", r"월 12,202원 × \d+개월 = [\d,]+원"),
        ("그럼 해지된 거예요?", r"^아니요, 뉴스타트암보험은 실효 상태입니다"),
        ("언제까지 살릴 수 있죠", r"^뉴스타트암보험.*2027년 4월 30일까지"),
    ],
    "a day on which a contract gave no cover": [
        ("홍정호 고객 계약 열어 주세요", r"더건강한치아보험"),
        ("더건강한치아 말인데 올 3월에 임플란트 했대요 그때 끊겨 있었죠? 청구돼요?", r"2026년 3월에 효력이 없었습니다"),
        ("2025년 6월에 크라운 했다는데 그 당시엔 살아 있었나요", r"2025년 6월에 효력이 있었습니다"),
    ],
    "when one was given up": [
        ("임종원 고객 계약 조회", r"간편건강보험"),
        ("해지한 건 언제 깼어", r"^간편고지정기보험의 해지일은 2021년 3월 7일입니다"),
    ],
    "what was paid, for how long, and how far the end is off": [
        ("이춘자 고객 종신 언제 가입했어", r"2018년 4월 19일"),
        ("몇 년 냈지", r"2018년 4월 19일이고, .*지났습니다"),
        ("지금까지 총 얼마 냈어", r"월 397,531원 × \d+개월 = "),
        ("다 내려면 얼마나 남았어", r"2028년 4월 19일이고, .*남았습니다"),
    ],
    "a refund by what was paid for the contract": [
        ("이춘자 고객 계약 조회", r"건강해지는종신보험"),
        (
            "종신 지금 깨면 얼마 받아",
            r"미지급형 10년납 플랜은 .*월 보험료 397,531원을 \d+년 낸 계약이면 예상 해약환급금은 0원",
        ),
    ],
    "which of two to give up is nobody's to say but the customer's": [
        ("김민수 고객 계약 보여줘", r"뉴스타트암보험"),
        ("둘 중 뭘 깨는 게 나아", r"골라 드릴 수 없습니다[\s\S]*뉴스타트암보험: [\s\S]*더건강한치아보험: "),
    ],
    "the other of two": [
        ("배수연 고객 계약 조회", r"첫날부터암보험"),
        ("더건강한치아 실효일이 언제죠", r"2023년 3월 1일"),
        ("다른 계약은 살아 있지?", r"^네, 첫날부터암보험은 정상 유지 중입니다"),
    ],
    "who speaks tells their own name, and then another by the name alone": [
        ("안녕하세요 저 홍정호인데요 제 보험 좀 봐주세요", r"홍정호 고객님의 계약 현황입니다"),
        ("윤성희는?", r"윤성희 고객님의 계약 현황입니다"),
        ("정기형은?", r"^(?!정기형 고객님)"),
    ],
    "the holder is changed": [
        ("김민수 고객 계약 보여줘", r"뉴스타트암보험"),
        ("계약자를 아들로 바꾸고 싶대", r"피보험자의 동의가 있으면 바꿀 수 있습니다"),
    ],
}


@pytest.mark.parametrize("name", TALKS)
async def test_contracts_are_asked_as_a_table(ask: Ask, name: str) -> None:
    for text, pattern in TALKS[name]:
        answer = (await ask(text, "table-" + re.sub(r"\W+", "-", name)))["answer"]
        assert re.search(pattern, answer, re.MULTILINE), (text, answer)


async def test_a_surname_and_two_letters_are_no_name_without_a_customer(ask: Ask) -> None:
    answer = (await ask("주소지는?", "table-no-name"))["answer"]
    assert "고객님" not in answer
