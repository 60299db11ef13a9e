"""Whole conversations over HTTP: each turn of dialogues/own.jsonl does what a person would expect."""

from __future__ import annotations

import re

import httpx2
import pytest
from sqlalchemy import func, select

from app.adapters.tables import followup_tasks, service_requests
from app.evaluation.dialogues import Dialogue, load_dialogues
from app.evaluation.hearing import calls_of
from app.evaluation.scoring import Heard, score_turn
from app.services import Services
from app.settings import ROOT
from tests.api.conftest import Ask

DIALOGUES = load_dialogues(ROOT / "data" / "dialogues" / "own.jsonl")
_CODE = re.compile(r"B00\d{6}|\(R\d{3}\)")


@pytest.mark.parametrize("dialogue", DIALOGUES, ids=lambda d: d.id)
async def test_the_conversation_goes_as_a_person_expects(
    ask: Ask, staff: httpx2.AsyncClient, visitor: httpx2.AsyncClient, dialogue: Dialogue
) -> None:
    of_house = dialogue.persona not in ("customer", "family")
    faults = []
    for number, turn in enumerate(dialogue.turns, 1):
        reply = await ask(turn.user, f"conversation-{dialogue.id}", staff if of_house else visitor)
        score = score_turn(dialogue.id, number, turn, Heard(reply, calls_of(reply), 0.0))
        if not of_house and _CODE.search(reply["answer"]):
            score.misses.append("고객에게 상품 코드가 보임")
        if score.misses:
            faults.append("\n    ".join([f"{number}. {turn.user}", *score.misses, f"답: {reply['answer'][:160]}"]))
    assert not faults, "\n".join(["", *faults])


async def test_the_conversations_touch_every_group_of_tools(staff: httpx2.AsyncClient) -> None:
    group_of = {tool["name"]: tool["group"] for tool in (await staff.get("/api/tools")).json()["tools"]}
    expected = {tool for dialogue in DIALOGUES for turn in dialogue.turns for tool in turn.expected_tools}
    assert {group_of[tool] for tool in expected} == set(group_of.values())
    assert len(DIALOGUES) >= 24


async def test_nothing_is_recorded_without_an_approval(app_services: Services, ask: Ask) -> None:
    async def recorded() -> int:
        return sum(
            [
                await app_services.storage.database.value(select(func.count()).select_from(t))
                for t in (service_requests, followup_tasks)
            ]
        )

    before = await recorded()
    await ask("김민수 고객님 치아보험 계약 해지하고 싶다는데 절차가 어떻게 돼요?", "unapproved")
    await ask("네 접수해 주세요", "unapproved")
    await ask("P000002 계약 해지로 접수 부탁해요", "unapproved")
    await ask("C0001 고객 기록에 재통화 할 일로 저장해 줘", "unapproved")
    assert await recorded() == before


async def test_two_threads_share_no_facts(ask: Ask) -> None:
    await ask("저는 예순둘 남자고 실버치아보험 관심 있어요", "apart-1")
    reply = await ask("보험료는 얼마예요?", "apart-2")
    assert not {"age", "gender"} & set(reply["facts"]) and "실버치아" not in reply["answer"].split("\n")[0]


async def test_the_same_thread_and_messages_give_the_same_answers(ask: Ask) -> None:
    turns = [turn.user for turn in DIALOGUES[2].turns]
    first = [(await ask(text, "same-1"))["answer"] for text in turns]
    assert [(await ask(text, "same-2"))["answer"] for text in turns] == first


@pytest.fixture
async def app_services(app: object) -> Services:
    """The services that the application under test runs on."""
    services = app.state.yielded["services"]  # type: ignore[attr-defined]
    assert isinstance(services, Services)
    return services
