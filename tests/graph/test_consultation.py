"""The consultation in the talk: begun by a need, led to a proposal, changed and explained, over the real services."""

from __future__ import annotations

import uuid
from datetime import UTC, datetime
from typing import Any

import httpx2
import pytest

from app.insurance.entry_age import entry_age
from tests.api.conftest import Ask


@pytest.fixture
def thread() -> str:
    return uuid.uuid4().hex


async def talked(ask: Ask, thread: str, *said: str) -> dict[str, Any]:
    """The reply to the last of these messages."""
    reply: dict[str, Any] = {}
    for text in said:
        reply = await ask(text, thread)
    return reply


def named(reply: dict[str, Any]) -> dict[str, Any]:
    """The proposal that a reply is of."""
    [block] = [block["data"] for block in reply["blocks"] if block["type"] == "proposal"]
    found: dict[str, Any] = block
    return found


async def shown(staff: httpx2.AsyncClient, reply: dict[str, Any]) -> dict[str, Any]:
    """The proposal of a reply as the API shows it."""
    answer = await staff.get(f"/api/proposals/{named(reply)['id']}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


async def test_a_first_insurance_is_led_to_by_two_questions_at_most(
    ask: Ask, staff: httpx2.AsyncClient, thread: str
) -> None:
    asked = await ask("직장인 첫 보험 추천해줘", thread)
    assert asked["blocks"] == [] and asked["answer"].count("?") <= 2 and "나이와 성별" in asked["answer"]
    reply = await ask("29살 여자, 월 5만원 안쪽이요", thread)
    proposal = await shown(staff, reply)
    [person] = proposal["household"]["people"]
    assert (person["age"], person["sex"], proposal["thread_id"]) == (29, "F", thread)
    assert proposal["household"]["budget"] == {"amount": 50_000, "per": "household"}
    chosen = next(variant for variant in proposal["variants"] if variant["chosen"])
    assert f"{chosen['premium']:,}원" in reply["answer"] and reply["guard"]["output"] == "pass"
    assert all(duty["text"] in reply["answer"] for duty in proposal["disclosures"])


async def test_a_couple_by_their_decade_is_proposed_to_and_the_guess_is_said(ask: Ask, thread: str) -> None:
    reply = await talked(ask, thread, "월 5만원 정도로 50대 부부 둘 다 들 만한 거 추천해줘", "그냥 보여줘")
    assert named(reply) and "55세" in reply["answer"] and "어림" in reply["answer"]


async def test_a_family_changes_its_proposal_in_the_talk(ask: Ask, staff: httpx2.AsyncClient, thread: str) -> None:
    first = await talked(ask, thread, "우리 식구 보험 좀 짜줘", "저 45 남자, 아내 43, 월 20만원")
    before = await shown(staff, first)
    left_out = await ask("치아 빼고", thread)
    after = await shown(staff, left_out)
    assert after["id"] == before["id"] and after["version"] == before["version"] + 1
    assert not any(line["need"] == "dental" for v in after["variants"] for p in v["people"] for line in p["lines"])
    await ask("아내 것만 암 3천으로", thread)
    sums = (await shown(staff, await ask("예산 15만원으로", thread)))["wishes"]["sums"]
    assert [(wish["need"], wish["amount"], wish["person"]) for wish in sums] == [("cancer", 30_000_000, "p2")]
    more = await shown(staff, await ask("엄마도 넣어줘 68세", thread))
    assert [person["age"] for person in more["household"]["people"]] == [45, 43, 68]
    fixed = await shown(staff, await ask("갱신 안 되는 걸로만", thread))
    assert fixed["wishes"]["renewal"] == "fixed"


async def test_a_question_about_the_proposal_is_answered_from_it(
    ask: Ask, staff: httpx2.AsyncClient, thread: str
) -> None:
    made = await talked(ask, thread, "보험 추천 좀 해주세요", "35살 남자고 월 10만원이요")
    chosen = next(v for v in (await shown(staff, made))["variants"] if v["chosen"])
    total = await ask("총합 얼마예요?", thread)
    assert f"{chosen['premium']:,}원" in total["answer"] and total["blocks"] == []
    why = await ask("왜 이걸 권해요?", thread)
    assert all(line["reason"] in why["answer"] for part in chosen["people"] for line in part["lines"])
    left = await ask("빠진 게 뭐예요?", thread)
    assert all(item["text"] in left["answer"] for item in chosen["left_open"])


async def test_another_question_is_answered_as_ever_and_the_proposal_stays(ask: Ask, thread: str) -> None:
    made = await talked(ask, thread, "보험 추천 좀 해주세요", "35살 남자고 월 10만원이요")
    other = await ask("뉴스타트암보험 면책기간이 며칠이에요?", thread)
    assert other["tools_used"] and other["blocks"] != made["blocks"]
    again = await ask("두 번째 안으로 해주세요", thread)
    assert named(again)["id"] == named(made)["id"]


async def test_an_impossible_edit_is_told_and_loses_nothing(ask: Ask, staff: httpx2.AsyncClient, thread: str) -> None:
    made = await talked(ask, thread, "보험 추천 좀 해주세요", "35살 남자고 월 10만원이요")
    reply = await ask("예산 3천원으로", thread)
    assert "5,000원" in reply["answer"] and reply["blocks"] == []
    assert (await shown(staff, made))["version"] == named(made)["version"]


async def test_one_kind_of_insurance_for_one_person_stays_a_search(ask: Ask, thread: str) -> None:
    reply = await ask("50세 여자 암보험 추천해줘", thread)
    assert reply["tools_used"] == ["product_search"]


async def test_what_is_told_by_the_way_begins_a_consultation(ask: Ask, staff: httpx2.AsyncClient, thread: str) -> None:
    first = await ask("당뇨가 있는데 들 수 있는 암보험 있어요?", thread)
    assert first["tools_used"] and "맞춤 제안" not in first["answer"]
    await ask("63세 남자예요", thread)
    proposal = await shown(staff, await ask("한 달에 8만원까지는 괜찮아요", thread))
    [person] = proposal["household"]["people"]
    assert (person["age"], person["sex"], person["worries"]) == (63, "M", ["cancer"]) and person["told"]
    assert proposal["household"]["budget"]["amount"] == 80_000


async def test_a_price_or_a_product_asked_for_is_answered_and_begins_nothing(ask: Ask, thread: str) -> None:
    asked = await ask("저 36살 남자인데 사망보험 들려고요. 종신이랑 정기 5천만원짜리 가격 알려주세요", thread)
    assert "맞춤 제안" not in asked["answer"] and asked["tools_used"]
    other = await ask("뉴스타트암보험 40세 여자 보험료 얼마예요?", uuid.uuid4().hex)
    assert other["tools_used"] == ["premium_estimate"]


def by_need(proposal: dict[str, Any]) -> dict[str, set[str]]:
    """The products of all variants by the need that they were taken for."""
    lines = [line for variant in proposal["variants"] for part in variant["people"] for line in part["lines"]]
    return {need: {line["product"]["name"] for line in lines if line["need"] == need} for need in
            {line["need"] for line in lines}}  # fmt: skip


@pytest.mark.requirement("advice:talk:first-day")
async def test_cover_wanted_from_the_first_day_is_never_one_that_waits(
    ask: Ask, staff: httpx2.AsyncClient, thread: str
) -> None:
    begun = await talked(ask, thread, "우리 부부 보험 좀 짜줘", "저 41 남자, 아내 40이고 월 9만원, 암이랑 치아요")
    before = by_need(await shown(staff, begun))
    assert before["cancer"] == {"뉴스타트암보험"}
    reply = await ask("암은 면책 없는 걸로 바꿔주세요", thread)
    proposal = await shown(staff, reply)
    assert proposal["wishes"]["at_once"] == [{"need": "cancer", "person": None}]
    after = by_need(proposal)
    assert after["cancer"] == {"첫날부터암보험"} and after["dental"] <= before["dental"]
    assert "면책 기간 없이 첫날부터" in reply["answer"] and reply["guard"]["output"] == "pass"
    again = await shown(staff, await ask("면책기간 있어도 괜찮아요", thread))
    assert not again["wishes"]["at_once"] and by_need(again) == before


@pytest.mark.requirement("advice:talk:first-day")
@pytest.mark.parametrize(
    "wish",
    (
        "가입하고 기다리는 거 싫으니 첫날부터 보장되는 암보험으로요",
        "암은 가입하자마자 바로 보장받고 싶어요",
        "대기기간 없이 암 위주로요",
    ),
)
async def test_a_first_proposal_keeps_to_cover_from_the_first_day(
    ask: Ask, staff: httpx2.AsyncClient, thread: str, wish: str
) -> None:
    reply = await talked(ask, thread, "우리 부부 보험 좀 짜줘", f"저 44 남자, 아내 43이고 월 12만원이요. {wish}")
    found = by_need(await shown(staff, reply))
    assert found["cancer"] == {"첫날부터암보험"}


async def test_two_ages_in_a_row_are_a_couples(ask: Ask, staff: httpx2.AsyncClient, thread: str) -> None:
    reply = await talked(ask, thread, "저희 부부 보험 추천해 주세요", "52, 50이요", "그냥 보여줘")
    people = (await shown(staff, reply))["household"]["people"]
    assert [person["age"] for person in people] == [52, 50]


async def test_everybodys_age_is_read_behind_their_name(ask: Ask, staff: httpx2.AsyncClient, thread: str) -> None:
    reply = await talked(
        ask,
        thread,
        "할매랑 엄마랑 저랑 보험 추천해 주세요",
        "할매 일흔여덟 엄마 쉰둘 저는 스물여섯 여자",
        "월 15만원이요",
    )
    people = (await shown(staff, reply))["household"]["people"]
    assert sorted(person["age"] for person in people) == [26, 52, 78]


async def test_a_proposal_tells_the_tools_that_it_rests_on(ask: Ask, thread: str) -> None:
    reply = await talked(ask, thread, "보험 추천 좀 해주세요", "35살 남자고 월 10만원이요")
    assert {"product_search", "premium_estimate"} <= set(reply["tools_used"])


async def test_what_is_refused_is_told_a_person_a_line(ask: Ask, thread: str) -> None:
    reply = await talked(ask, thread, "보험 추천해줘", "저 48 여자고 3년 전에 위암 수술했어요. 월 10만원이요")
    refusals = [line for line in reply["answer"].splitlines() if "권하지 않는 것" in line]
    assert len(refusals) == 1 and refusals[0].startswith("본인")


async def test_a_day_of_birth_gives_the_age_that_tables_are_read_by(
    ask: Ask, staff: httpx2.AsyncClient, thread: str
) -> None:
    reply = await talked(ask, thread, "보험 추천해줘", "1985년 3월 10일생 남자고 월 10만원이요")
    [person] = (await shown(staff, reply))["household"]["people"]
    facts = entry_age(None, "1985-03-10", datetime.now(tz=UTC).date())
    assert facts is not None and person["age"] == facts.years
