"""What staff type for short is spelled out, and nothing else is touched."""

from __future__ import annotations

import pytest

from app.language.shorthand import spelled_out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("실버 66여 P만", "실버 66여 보험료만"),
        ("월 P는요", "보험료는요"),
        ("합P랑 가입서류", "합보험료랑 가입서류"),
        ("청약 ㄱㄴ?", "청약 가능?"),
        ("나이 41→47 다시", "나이 41 말고 47 다시"),
        ("20년->30년으로", "20년 말고 30년으로"),
    ],
)
def test_short_forms_are_spelled_out(typed: str, meant: str) -> None:
    assert spelled_out(typed) == meant


@pytest.mark.parametrize(
    "text",
    [
        "P000123 계약 상태",
        "VIP 고객",
        "p.12 보여줘",
        "CP 점검",
        "ㄱㄴㄷ 순으로",
        "12-15세",
        "이 문구 점검: 월 P 하나로 평생 든든하게 지켜 드립니다",
        "'P 3만원 → 2만원' 이 표현 괜찮나",
    ],
)
def test_letters_of_numbers_and_other_words_stay(text: str) -> None:
    assert spelled_out(text) == text
