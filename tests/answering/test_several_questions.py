"""Each of several questions in one message is answered, in order and once; what was told is confirmed; a list that was
shown is pointed at; through the service."""

from __future__ import annotations

import re

import pytest

from tests.api.conftest import Ask

TALKS: dict[str, list[tuple[str, str]]] = {
    "whether and how much": [
        ("당뇨약 먹는 42세 여자인데 건강보험 되는 거 있나요 얼만지도", r"심사[\s\S]*월 보험료[\s\S]*간편건강보험"),
    ],
    "a sum and a fact of both": [
        ("48세 여자 건강보험 얼마예요", r"간편건강보험"),
        ("합치면요? 그리고 둘 다 갱신돼요?", r"모두 더하면 월[\s\S]*간편건강보험[\s\S]*10년마다[\s\S]*20년마다"),
    ],
    "three in one breath": [
        (
            "아빠가 63세인데 치매보험 들 수 있어? 월 얼마쯤이고 면책은 며칠이야",
            r"가입 가능한 치매보험[\s\S]*월 [\d,]+원 \(365일 면책",
        ),
    ],
    "of a contract": [
        ("김민수 고객 계약 보여줘", r"계약 현황"),
        ("뉴스타트는 언제 가입했어? 면책은 지났지?", r"가입일은 2024년 3월 15일[\s\S]*모두 지났습니다"),
    ],
    "what the first answer tells too": [
        ("민원은 어디다가 넣고 며칠 걸리나요", r"^불편을 드려 죄송합니다[\s\S]*14일(?![\s\S]*보험금 청구는)"),
    ],
    "two general words": [
        ("정기보험은 뭐고 종신은 뭐야", r"정해진 기간만[\s\S]*평생 보장"),
    ],
    "what a product is": [
        ("간편건강보험이 뭐예요", r"^간편건강보험\(B00343004\)은"),
        ("확실해요?", r"^네, 맞습니다\. 간편건강보험\(B00343004\)은"),
    ],
    "told again to be confirmed": [
        ("첫날부터암보험 67살도 되나요", r"가입할 수 없습니다"),
        ("그러니까 안 된다는 거죠?", r"^네, 맞습니다\. 첫날부터암보험[\s\S]*가입할 수 없습니다"),
        ("된다는 말이에요?", r"^아니요\. [\s\S]*가입할 수 없습니다"),
    ],
    "two plans of one product": [
        ("건강해지는종신보험 44세 여자 15년납으로 기본형이랑 미지급형 각각 얼마예요", r"154,103원[\s\S]*126,179원"),
        ("둘이 한 달에 얼마 차이 나요", r"^월 보험료 차이는 27,924원"),
        ("7년 내고 해지하면 각각 얼마 받아요", r"기본형 15년납[\s\S]*미지급형 15년납"),
    ],
    "two plans to be compared": [
        ("뉴스타트암보험 39세 여자 기본형하고 종합형 보험료 비교해줘", r"19,265원[\s\S]*31,980원"),
    ],
    "another sum of one that was compared": [
        ("41세 남자 뉴스타트암보험이랑 첫날부터암보험 보험료", r"12,135원[\s\S]*16,070원"),
        ("뉴스타트도 2천만원으로 맞추면 얼마예요", r"10,713원"),
        ("그럼 뉴스타트가 더 싼 거네요?", r"^네, [\s\S]*뉴스타트암보험\(월 10,713원\)[\s\S]*12,135원"),
    ],
    "a degree that is not so": [
        ("38세 여자 간편건강보험이랑 채우는335 얼마예요", r"26,395원[\s\S]*32,160원"),
        ("간편건강이 더 비싸네요?", r"^아니요, [\s\S]*채우는335\(월 32,160원\)"),
    ],
    "the cheapest of a kind is no word to be explained": [
        ("제일 저렴한 치아보험이 뭐죠", r"더건강한치아보험"),
        ("스물아홉 여자요", r"11,520원"),
    ],
    "one of a proposal": [
        ("30대 여자 직장인인데 뭐 들어야 해요? 한 달 10만원으로요", r"뉴스타트암보험[\s\S]*채우는335"),
        ("세 번째 건 뭐예요", r"^채우는335"),
    ],
}


@pytest.mark.parametrize("turns", TALKS.values(), ids=TALKS.keys())
async def test_each_turn_is_answered(ask: Ask, turns: list[tuple[str, str]]) -> None:
    thread: dict[str, str] = {}
    for question, wanted in turns:
        reply = await ask(question, **thread)
        thread = {"thread_id": reply["thread_id"]}
        assert re.search(wanted, reply["answer"]), (question, reply["answer"])


async def test_no_line_comes_twice(ask: Ask) -> None:
    reply = await ask("치아보험 임플란트 되나요 그리고 기다리는 기간 있어요?")
    lines = [line for line in reply["answer"].splitlines() if line.strip()]
    assert len(lines) == len(set(lines))


async def test_one_question_back_for_what_several_lack(ask: Ask) -> None:
    reply = await ask("임신 20주인데 지금 들 수 있고 얼마야")
    assert "가입 가능성" in reply["answer"] and reply["answer"].count("정확히 안내해 드리려면") == 1
