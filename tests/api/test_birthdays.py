"""Conversations in which a birth was told: entry and premiums go by 보험나이, which is told with the rule."""

from __future__ import annotations

from datetime import date
from typing import Any

import httpx2
import pytest

from app.composition import today_in_seoul
from app.evaluation.hearing import calls_of
from tests.api.conftest import Ask


def born(years: int, months: int) -> date:
    """The first of the month in which somebody of so many full years and months was born."""
    today = today_in_seoul()
    count = (today.year - years) * 12 + today.month - 1 - months
    return date(count // 12, count % 12 + 1, 1)


def words(day: date) -> str:
    return f"{day.year % 100:02}년 {day.month}월 {day.day}일생"


PAST, BEFORE = born(65, 8), born(65, 2)


async def test_who_is_too_old_by_insurance_age_is_refused_though_the_full_age_fits(ask: Ask) -> None:
    reply = await ask(f"엄마 {words(PAST)}이신데 뉴스타트암보험 되나요??", "birth-mother")
    assert "보험나이 66세" in reply["answer"] and "만 66세" not in reply["answer"]
    assert "가입할 수 없습니다" in reply["answer"] and "만 65세, 보험나이 66세라" in reply["answer"]
    [call] = calls_of(reply)
    assert call.args["birth_date"] == PAST.isoformat() and call.args["age"] == 65
    why = await ask("만으로 65세 맞는데 왜요", "birth-mother")
    assert "만 65세" in why["answer"] and "보험나이는 66세" in why["answer"] and "6개월" in why["answer"]
    assert why["facts"]["birth_date"] == PAST.isoformat()
    again = await ask("그럼 첫날부터암보험은요?", "birth-mother")
    assert calls_of(again)[-1].args["birth_date"] == PAST.isoformat()


async def test_half_a_year_is_not_over_before_the_day(ask: Ask) -> None:
    reply = await ask(f"엄마 {words(BEFORE)}이신데 뉴스타트암보험 되나요??", "birth-before")
    assert "가입할 수 있습니다" in reply["answer"] and "보험나이도 65세" in reply["answer"]


async def test_each_of_a_couple_is_reckoned_by_their_own_birth(ask: Ask) -> None:
    his, hers = born(50, 8), born(48, 1)
    reply = await ask(
        f"남편은 {words(his)}이고 저는 {words(hers)} 여자예요. 둘 다 뉴스타트암보험 보험료 알려주세요", "birth-couple"
    )
    told = {call.args["gender"]: call.args for call in calls_of(reply)}
    assert (told["M"]["birth_date"], told["M"]["age"]) == (his.isoformat(), 50)
    assert (told["F"]["birth_date"], told["F"]["age"]) == (hers.isoformat(), 48)
    assert "보험나이 51세 남성" in reply["answer"] and "보험나이 48세 여성" in reply["answer"]


async def test_a_month_alone_is_enough_where_all_of_its_days_agree(ask: Ask) -> None:
    reply = await ask(f"저 {PAST.year}년 {PAST.month}월생인데 뉴스타트암보험 가입돼요?", "birth-month")
    assert "보험나이 66세" in reply["answer"] and "가입할 수 없습니다" in reply["answer"]
    assert calls_of(reply)[-1].args["birth_date"] == f"{PAST:%Y-%m}"


async def test_staff_ask_for_a_customer_whose_birth_they_tell(ask: Ask, staff: httpx2.AsyncClient) -> None:
    reply = await ask(f"고객 {words(PAST)} 여자분인데 뉴스타트암보험 월 보험료요", "birth-staff", staff)
    assert "보험나이 66세" in reply["answer"] and calls_of(reply)[-1].args["birth_date"] == PAST.isoformat()
    looked = await ask("김민수 고객 계약 조회해줘", "birth-staff", staff)
    assert "birth_date" not in looked["facts"]
    other = await ask("그 고객님 첫날부터암보험 보험료 얼마예요", "birth-staff", staff)
    assert all("birth_date" not in call.args for call in calls_of(other))


async def test_the_birth_wins_over_an_age_told_beside_it(ask: Ask) -> None:
    reply = await ask(f"아버지 {words(born(60, 8))}이고 58세인데 뉴스타트암보험 보험료 얼마예요?", "birth-against")
    assert "보험나이 61세 남성" in reply["answer"] and "말씀하신 나이(58세)" in reply["answer"]


async def test_an_age_told_later_takes_the_place_of_the_birth(ask: Ask) -> None:
    await ask(f"저 {words(born(40, 8))} 남자인데 뉴스타트암보험 얼마예요?", "birth-later")
    reply = await ask("그럼 50세면요?", "birth-later")
    assert "만 50세 남성" in reply["answer"] and "birth_date" not in calls_of(reply)[-1].args


async def test_a_birth_to_come_is_told_not_reckoned(staff: httpx2.AsyncClient) -> None:
    coming = date(today_in_seoul().year + 1, 3, 10).isoformat()
    args: dict[str, Any] = {"product_code": "B00115023", "birth_date": coming, "gender": "M"}
    response = await staff.post("/api/tools/premium_estimate/invoke", json={"args": args})
    assert response.status_code == 422 and "뒤입니다" in response.text


@pytest.mark.parametrize(
    ("thread", "question"), [("birth-how", "보험나이로 몇 살이에요?"), ("birth-why", "왜 66세로 계산해요?")]
)
async def test_how_the_age_was_reckoned_is_answered_by_the_rule(ask: Ask, thread: str, question: str) -> None:
    await ask(f"저 {words(PAST)} 여자인데 뉴스타트암보험 보험료요", thread)
    reply = await ask(question, thread)
    assert "보험나이는 66세" in reply["answer"] and "6개월" in reply["answer"]
