"""No answer comes twice."""

from __future__ import annotations

import pytest

from app.answering.repeating import (
    first_sentence,
    fitting_lines,
    fitting_sentences,
    named_fields,
    repeats,
    told_already,
)

QUOTES = """만 41세 여성 기준 월 보험료를 낮은 순서로 비교했습니다.
• 더건강한치아보험: 14,025원 (가입금액 100만원, 10년 갱신형)
• THE건강한치아보험V: 18,805원 (가입금액 100만원, 비갱신형)
가장 낮은 상품은 더건강한치아보험입니다."""


def test_the_same_text_repeats_whatever_notice_stands_under_it() -> None:
    assert repeats(QUOTES, f"{QUOTES}\n\n※ 실제 보험료는 달라질 수 있습니다.")


def test_other_figures_or_a_few_words_are_no_repetition() -> None:
    assert not repeats(QUOTES, QUOTES.replace("14,025", "14,026"))
    assert not repeats("네, 맞습니다.", "네, 맞습니다.")


def test_an_answer_made_of_lines_of_earlier_ones_was_told_already() -> None:
    asking = "어느 상품인지 알려 주시면 자세히 안내해 드릴게요."
    assert told_already([QUOTES, asking], f"{QUOTES}\n{asking}\n\n※ 약관을 따릅니다.")
    assert not told_already([QUOTES], f"{QUOTES}\n둘을 모두 더하면 월 32,830원이고 일 년이면 393,960원입니다.")


def test_one_line_of_a_longer_answer_is_a_narrower_one() -> None:
    assert not told_already([QUOTES], "• THE건강한치아보험V: 18,805원 (가입금액 100만원, 비갱신형)")


@pytest.mark.parametrize(
    ("asked", "line"), [("비갱신은 얼마라고요?", "THE건강한치아보험V"), ("그래서 가장은요", "가장 낮은 상품은")]
)
def test_the_line_asked_for_is_found(asked: str, line: str) -> None:
    [found] = fitting_lines(QUOTES, asked)
    assert line in found


@pytest.mark.parametrize("asked", ["네?", "ㅇㅇ", "보험료가 다 얼마라고", "12345"])
def test_no_line_is_taken_by_words_that_tell_nothing(asked: str) -> None:
    assert fitting_lines(QUOTES, asked) == ()


def test_the_first_sentence_ends_at_its_point_or_line() -> None:
    assert first_sentence("안 됩니다. 사유가 있습니다.") == "안 됩니다."
    assert first_sentence("한 줄\n두 줄") == "한 줄"
    assert first_sentence("하나뿐") == "하나뿐"


def test_the_sentences_asked_for_are_found_in_a_text_without_lines() -> None:
    told = "평일 아홉 시에 엽니다. 토요일에는 쉽니다. 앱은 늘 열려 있습니다."
    assert fitting_sentences(told, "토요일에도 하나요") == ("토요일에는 쉽니다.",)
    assert fitting_sentences(told, "네?") == ()


def test_of_a_list_those_are_told_apart_that_are_named_now_or_were_before() -> None:
    plans = "플랜은 3개입니다.\n• 기본형(기본): 표준형\n• 실속형: 보장은 기본형과 같음\n• 고급형: 기본형에 특약을 더함"
    assert [line[2:5] for line in named_fields(plans, "실속 형은 얼마예요", "기본형이랑 뭐가 달라요")] == [
        "기본형",
        "실속형",
    ]
    assert named_fields(plans, "", "기본형은요") == ()
