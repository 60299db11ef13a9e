"""What a person waits in a whole turn when the model hangs, trickles or thinks: the planner answers in time."""

from __future__ import annotations

import time
import uuid

import httpx2
import pytest

from app.graph import model_help
from app.planner.model import ENGINE_NAME
from tests.api.openai_server import ANSWER, OpenAiServer, Play, calls, fails, hangs, says, trickles
from tests.api.own_app import opened_with_model

QUESTION = "뉴스타트암보험 45세 남자 보험료 알려줘"
PRICE = "20,625원"
CALL = calls(("premium_estimate", {"product_code": "B00115023", "age": 45, "gender": "M"}))
TOLD = f"뉴스타트암보험의 월 보험료는 {PRICE}이에요."
# What these turns may wait for the model; the planner, the tools and the guards come on top.
WAIT_S, OTHERS_S = 2.0, 1.5


opened = opened_with_model(engine="model", llm_first_token_timeout_s=WAIT_S, llm_thinking_timeout_s=1.5 * WAIT_S)


@pytest.fixture(autouse=True)
async def greeted(client: httpx2.AsyncClient) -> None:
    """What a first turn costs is not measured."""
    await client.post("/api/chat", json={"query": "안녕하세요", "thread_id": uuid.uuid4().hex})


async def timed(client: httpx2.AsyncClient, question: str = QUESTION) -> tuple[dict[str, object], float]:
    started = time.perf_counter()
    answer = await client.post("/api/chat", json={"query": question, "thread_id": uuid.uuid4().hex})
    assert answer.status_code == 200, answer.text
    return answer.json(), time.perf_counter() - started


@pytest.mark.parametrize(
    ("plays", "fault", "most_s"),
    [
        ([hangs()], "timeout", WAIT_S),
        ([CALL, hangs()], "timeout", WAIT_S),
        ([trickles(TOLD, 0.5)], "trickle", WAIT_S),
        ([CALL, trickles(TOLD, 0.5)], "trickle", WAIT_S),
        ([says("", delay_s=0.8), hangs()], "timeout", WAIT_S),
        ([fails(429, retry_after="1.5"), hangs()], "rate_limited", WAIT_S),
        ([fails(500), hangs()], "timeout", WAIT_S),
        ([trickles("음" * 900, 0.01, key="reasoning")], "thinking", 1.5 * WAIT_S),
    ],
    ids=["hang", "hang-2nd", "trickle", "trickle-2nd", "empty-then-hang", "retry-after", "retry-then-hang", "thoughts"],
)
async def test_the_planner_answers_before_a_person_leaves(
    client: httpx2.AsyncClient, server: OpenAiServer, plays: list[Play], fault: str, most_s: float
) -> None:
    server.plays(*plays)
    reply, took = await timed(client)
    assert PRICE in str(reply["answer"]) and (reply["engine"], reply["engine_fault"]) == (ENGINE_NAME, fault)
    assert took < most_s + OTHERS_S, f"{took:.1f} s"


async def test_side_questions_that_hang_use_up_the_same_account(
    client: httpx2.AsyncClient, server: OpenAiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_help, "OPEN_MARGIN", 1.0)
    server.plays(hangs())
    server.asides = [hangs(), hangs()]
    reply, took = await timed(client)
    assert PRICE in str(reply["answer"]) and len(server.asked) >= 2
    assert took < WAIT_S + OTHERS_S, f"{took:.1f} s"


async def test_a_slow_but_healthy_model_answers_itself(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(CALL, says(TOLD, delay_s=0.6 * WAIT_S))
    reply, _ = await timed(client)
    assert (reply["engine"], reply["engine_fault"]) == ("played-model", None)
    server.plays(trickles(ANSWER, 0.15, step=2))
    reply, _ = await timed(client, "안녕하세요")
    assert (reply["answer"], reply["engine_fault"]) == (ANSWER, None)
