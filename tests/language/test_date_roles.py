"""Which date of a message is the contract's, the event's or that of the lapse."""

from __future__ import annotations

from datetime import date

import pytest

from tests.language.samples import TODAY
from tests.words import DATES

FIRST, SECOND = date(2025, 9, 15), date(2026, 1, 20)


@pytest.mark.parametrize(
    "text",
    [
        "2025년 9월 15일 가입, 2026년 1월 20일 위암 진단",
        "2025-09-15 계약, 2026-01-20 수술",
        "2025.9.15 계약에 2026.1.20 진단이면",
        "계약 2025년 9월 15일 진단 2026년 1월 20일",
        "계약일은 2025년 9월 15일이고 진단일은 2026년 1월 20일이에요",
        "가입한 게 2025년 9월 15일이고 진단은 2026년 1월 20일",
        "25.9.15 가입했고 26.1.20에 입원",
        "2025년 9월 15일에 들고 2026년 1월 20일에 다쳤어요",
    ],
)
def test_each_date_has_the_role_of_its_own_words(text: str) -> None:
    assert [(m.value, m.role) for m in DATES.dates(text, TODAY)] == [(FIRST, "contract"), (SECOND, "event")]


@pytest.mark.parametrize(
    "text",
    [
        "2025.9.15에 실효됐어요",
        "실효일 25.9.15",
        "2025년 9월 15일부터 보험료가 밀렸어요",
        "2025-09-15에 효력 정지됐대요",
    ],
)
def test_the_day_of_a_lapse(text: str) -> None:
    assert [(m.value, m.role) for m in DATES.dates(text, TODAY)] == [(FIRST, "lapse")]


@pytest.mark.parametrize("text", ["1.2.3 버전", "키 170.5.3", "버전 12.13.45", "금리 3.25.1.2"])
def test_other_dotted_numbers_are_no_dates(text: str) -> None:
    assert not DATES.dates(text, TODAY)


@pytest.mark.parametrize(
    ("text", "day"), [("5/14 위암 진단", (5, 14)), ("진단은 3/22", (3, 22)), ("2/3 수술했어요", (2, 3))]
)
def test_a_month_and_a_day_with_a_stroke_are_a_date(text: str, day: tuple[int, int]) -> None:
    [found] = DATES.dates(text, TODAY)
    assert found.value is not None
    assert (found.value.month, found.value.day) == day


@pytest.mark.parametrize("text", ["10/20년납", "1/2만 지급", "3/3/5 고지", "보험료 1/3 수준", "2/3는 줘요"])
def test_other_numbers_with_a_stroke_are_no_dates(text: str) -> None:
    assert not DATES.dates(text, TODAY)
