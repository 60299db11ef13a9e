"""The consultation in the talk: begun by a need, led to a proposal, changed and explained, over the real services."""

from __future__ import annotations

import uuid
from typing import Any

import httpx2
import pytest

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
