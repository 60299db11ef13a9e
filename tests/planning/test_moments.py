"""Days and times of day that lie ahead, as people say and write them, and what only looks like one."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.planning.moments import find_days, find_times
from tests.planning.made import TODAY, WORDS


def days(text: str, today: date = TODAY) -> list[str]:
    return [day.isoformat() for _, _, day in find_days(text, today, WORDS)]


def times(text: str) -> list[str]:
    return [told for _, _, told in find_times(text, WORDS)]


DAYS: list[tuple[str, str]] = [
    ("오늘이요", "2026-11-26"),
    ("낼 갈게요", "2026-11-27"),
    ("모레", "2026-11-28"),
    ("모래요", "2026-11-28"),  # mistyped
    ("내일모레", "2026-11-28"),
    ("글피", "2026-11-29"),
    ("토요일에요", "2026-11-28"),
    ("목욜", "2026-11-26"),
    ("오는 금요일", "2026-11-27"),
    ("이번 주 일요일", "2026-11-29"),
    ("다음 주 월요일이요", "2026-11-30"),
    ("다음주월요일", "2026-11-30"),
    ("담주 월욜", "2026-11-30"),
    ("다음 주 토욜", "2026-12-05"),
    ("다다음 주 화요일", "2026-12-08"),
    ("12월 3일", "2026-12-03"),
    ("12월3일에", "2026-12-03"),
    ("십이월 삼일", "2026-12-03"),
    ("유월 육일", "2027-06-06"),
    ("12월 3일 목요일", "2026-12-03"),
    ("12/3(목)", "2026-12-03"),
    ("12/24", "2026-12-24"),
    ("12.24에", "2026-12-24"),
    ("2027-01-05", "2027-01-05"),
    ("2027년 1월 5일", "2027-01-05"),
    ("내년 1월 5일", "2027-01-05"),
    ("1/2", "2027-01-02"),  # this year's has gone by
    ("11월 3일", "2027-11-03"),
    ("11월 26일", "2026-11-26"),
    ("30일", "2026-11-30"),
    ("30일이요", "2026-11-30"),
    ("3일에요", "2026-12-03"),
    ("다음 달 5일", "2026-12-05"),
    ("이번 달 30일", "2026-11-30"),
    ("이틀 뒤", "2026-11-28"),
    ("3일 뒤", "2026-11-29"),
    ("일주일 뒤", "2026-12-03"),
    ("두 주 뒤", "2026-12-10"),
    ("3주 후에", "2026-12-17"),
    ("열흘 후", "2026-12-06"),
    ("보름 뒤", "2026-12-11"),
    ("크리스마스", "2026-12-25"),
    ("크리스마스이브에", "2026-12-24"),
    ("성탄절", "2026-12-25"),
    ("어린이날", "2027-05-05"),
    ("다음 달 말에", "2026-12-31"),
    ("이달 말일", "2026-11-30"),
    ("말일에요", "2026-11-30"),
    ("2월 마지막 날", "2027-02-28"),
    ("11월 말", "2026-11-30"),
    ("다음 달 초하루", "2026-12-01"),
    ("다음 달 첫째 주 토요일", "2026-12-05"),
    ("12월 두번째 화요일", "2026-12-08"),
    ("다음 달 마지막 금요일", "2026-12-25"),
]


@pytest.mark.parametrize(("text", "day"), DAYS)
def test_a_day_is_the_next_one_of_that_name(text: str, day: str) -> None:
    assert days(text) == [day]


def test_several_days_come_in_their_order() -> None:
    assert days("12월 3일부터 5일까지") == ["2026-12-03", "2026-12-05"]
    assert days("모레 말고 내일") == ["2026-11-28", "2026-11-27"]


NO_DAYS = [
    "3일 동안", "3일 동안만요", "3일간", "3일치", "3일 정도", "세 시간 동안", "12월 3일 동안",
    "월수금", "일", "두 명", "010-1234-5678",
    "다섯 시", "토지", "수요가 많아요", "금액", "",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_DAYS)
def test_what_only_looks_like_a_day_is_none(text: str) -> None:
    assert days(text) == []


def test_a_year_and_a_month_end_where_the_calendar_ends_them() -> None:
    assert days("내일", date(2026, 12, 31)) == ["2027-01-01"]
    assert days("5일", date(2026, 12, 20)) == ["2027-01-05"]
    assert days("다음 달 5일", date(2026, 12, 20)) == ["2027-01-05"]


TIMES: list[tuple[str, str]] = [
    ("오후 세 시 반", "15:30"),
    ("오후 세시 반이요", "15:30"),
    ("오후2시반", "14:30"),
    ("오후 5시에", "17:00"),
    ("오후 12시 반", "12:30"),
    ("오전 아홉 시", "09:00"),
    ("오전 12시", "00:00"),
    ("아침 8시", "08:00"),
    ("낮 12시", "12:00"),
    ("점심 1시", "13:00"),
    ("저녁 일곱 시 십오 분", "19:15"),
    ("저녁 7시 15분", "19:15"),
    ("밤 11시", "23:00"),
    ("밤 12시", "00:00"),
    ("밤 12시 반", "00:30"),
    ("새벽 2시", "02:00"),
    ("새벽 12시", "00:00"),
    ("정오", "12:00"),
    ("정오에요", "12:00"),
    ("자정", "00:00"),
    ("14:30", "14:30"),
    ("9:05", "09:05"),
    ("14시 30분", "14:30"),
    ("오후 14시", "14:00"),
    ("두 시", "14:00"),
    ("한시", "13:00"),
    ("7시쯤", "19:00"),
    ("8시", "08:00"),
    ("열두 시", "12:00"),
    ("아홉 시 사십오 분", "09:45"),
    ("24시", "00:00"),
]


@pytest.mark.parametrize(("text", "told"), TIMES)
def test_a_time_of_day_is_told_in_hours_and_minutes(text: str, told: str) -> None:
    assert times(text) == [told]


def test_several_times_come_in_their_order() -> None:
    assert times("10시부터 12시까지") == ["10:00", "12:00"]
    assert times("오후 두 시부터 네 시까지") == ["14:00", "16:00"]


NO_TIMES = [
    "세 시간 동안", "3시간", "2시간 뒤", "30분", "시청", "다시", "혹시 몇 시예요", "일시불",
    "잠시만요", "도시", "서울시", "25:00", "두 명", "반", "",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_TIMES)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert times(text) == []


@settings(max_examples=200, deadline=None)
@given(st.dates(date(2024, 1, 1), date(2030, 12, 31)), st.integers(0, 364))
def test_every_day_of_the_coming_year_is_found_as_it_is_written(today: date, ahead: int) -> None:
    day = today + timedelta(days=ahead)
    assert days(f"{day.year}년 {day.month}월 {day.day}일", today) == [day.isoformat()]
    assert days(f"{day:%Y-%m-%d}", today) == [day.isoformat()]
    if (day.month, day.day) != (2, 29):
        assert days(f"{day.month}월 {day.day}일에요", today) == [day.isoformat()]
        assert days(f"{day.month}/{day.day}", today) == [day.isoformat()]


@settings(max_examples=200, deadline=None)
@given(st.text("오늘내일모레 월화수0123456789/.-:시분반후전", max_size=30))
def test_whatever_is_said_every_find_lies_in_the_text(text: str) -> None:
    for start, end, day in find_days(text, TODAY, WORDS):
        assert 0 <= start < end <= len(text) and isinstance(day, date)
    for start, end, told in find_times(text, WORDS):
        assert 0 <= start < end <= len(text) and len(told) == 5
