"""One decision alone by the model: which of two tools, and whether what would be asked for was told. A real endpoint on
loopback; the planner's confidence is one that goes by the ranking's margin and by what was left unread alone."""

from __future__ import annotations

import json
import math
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from app.evaluation.dialogues import Call, Dialogue, Turn
from app.evaluation.hearing import calls_of
from app.planner.model import ENGINE_NAME
from app.settings import ROOT
from app.understanding.confidence import SHIPPED, ConfidenceModel, Point
from scripts.play_model import Player
from tests.api.conftest import _client
from tests.api.openai_server import OpenAiServer, answers_whole, fails, hangs, openai_server, says
from tests.api.own_app import PLAYED, running_app
from tests.api.test_auto_engine import WHOLE, ask

LINE = tuple(float(x) for x in range(-6, 7))


def by_margin(folder: Path) -> Path:
    """The shipped data with a confidence that is high where the ranking has one tool far ahead and no word of the
    message was left unread."""
    model = ConfidenceModel(
        signs=("margin", "unread_share", "in_talk"), start=-3.0, trees=(), weights=(8.0, -6.0, 0.0), scores=LINE,
        shares=tuple(1 / (1 + math.exp(-x)) for x in LINE), curve=(Point(threshold=0.9, kept=0.5, wrong=0.0),),
        usual=0.8,
    )  # fmt: skip
    apart = SHIPPED.parts
    target, source = folder, ROOT / "data"
    for part in apart[:-1]:
        target.mkdir(parents=True, exist_ok=True)
        for child in source.iterdir():
            if child.name != part:
                (target / child.name).symlink_to(child)
        target, source = target / part, source / part
    target.mkdir()
    (target / apart[-1]).write_text(model.model_dump_json(), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[OpenAiServer]:
    async with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
async def both(tmp_path_factory: pytest.TempPathFactory, server: OpenAiServer) -> AsyncIterator[FastAPI]:
    folder = tmp_path_factory.mktemp("one")
    settings: dict[str, Any] = {
        "content_dir": by_margin(folder / "content"),
        "llm_base_url": server.url,
        "openrouter_model": PLAYED,
        "llm_breaker_failures": 100,
        "llm_retry_budget_s": 0.0,
        "llm_aide_timeout_s": 1.0,
        "llm_price_input_usd": 1.0,
        "llm_price_output_usd": 2.0,
        "model_budget_usd_day": 10.0,
    }
    async with running_app(folder / "var", **settings) as application:
        yield application


@pytest.fixture
async def client(both: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async with _client(both) as opened:
        yield opened


CLAIM = ("보험금 청구 첨 해보는데 어떻게 하는 거예요?", "입원했었어요 사흘")
TWINS = "이영희 고객 계약 좀"


def answers(**value: Any) -> Any:
    return answers_whole(json.dumps(value, ensure_ascii=False))


async def claimed(client: httpx2.AsyncClient, server: OpenAiServer, *asides: Any) -> dict[str, Any]:
    """The second turn of a talk in which the planner wavers between how a claim is made and which papers it takes."""
    thread = (await ask(client, CLAIM[0]))["thread_id"]
    server.plays(says(WHOLE))
    server.asides = list(asides)
    return await ask(client, CLAIM[1], thread)


async def test_the_planner_goes_on_with_the_tool_that_the_model_names(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays()
    reply = await claimed(client, server, answers(choice="claim_guide"))
    decision, [body] = reply["decision"], server.asked
    assert (reply["engine"], decision["engine"], decision["why"]) == (ENGINE_NAME, "planner", "asked")
    assert decision["asked"] == {
        "about": "topic", "options": ["claim_required_forms", "claim_guide"], "chosen": "claim_guide",
    }  # fmt: skip
    assert decision["confidence"] >= decision["threshold"]
    assert {call.tool for call in calls_of(reply)} == {"claim_guide"}
    assert "claim_guide" in reply["tools_used"] and reply["answer"]
    assert body.get("max_tokens", body.get("max_completion_tokens")) == 200
    choice = body["response_format"]["json_schema"]["schema"]["properties"]["choice"]
    assert choice["enum"] == ["claim_required_forms", "claim_guide", "neither"]
    assert "tools" not in body and len(json.dumps(body["messages"], ensure_ascii=False)) < 3000
    usage = reply["usage"]
    assert (usage["model_calls"], usage["cost_usd"]) == (1, pytest.approx(980e-6))
    [row] = [row["asked"] for row in reply["trace"] if row.get("asked")]
    assert row["taken"] == "claim_required_forms"


async def test_a_choice_of_before_is_kept_where_the_model_agrees(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays()
    reply = await claimed(client, server, answers(choice="claim_required_forms"))
    assert reply["decision"]["why"] == "asked" and reply["tools_used"] == ["claim_required_forms"]
    assert len(server.asked) == 1


@pytest.mark.parametrize("aside", [answers(choice="neither"), answers_whole("음"), fails(500), hangs(3.0)])
async def test_without_a_usable_answer_the_whole_turn_is_the_models(
    client: httpx2.AsyncClient, server: OpenAiServer, aside: Any
) -> None:
    server.plays()
    reply = await claimed(client, server, aside)
    assert (reply["engine"], reply["engine_fault"], reply["decision"]["why"]) == (PLAYED, None, "unsure")
    assert reply["decision"]["asked"]["chosen"] is None and reply["answer"].startswith(WHOLE)


async def test_what_was_not_told_is_asked_for_by_the_planner(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays()
    server.asides = [answers(words="")]
    reply = await ask(client, TWINS)
    assert reply["engine"] == ENGINE_NAME and reply["needs_input"] == ["customer_id"]
    assert reply["decision"]["asked"] == {"about": "told", "options": ["customer_id"], "chosen": ""}


async def test_words_that_the_customer_never_said_tell_nothing(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(says(WHOLE))
    server.asides = [answers(words="C00002")]
    reply = await ask(client, TWINS)
    assert reply["decision"]["asked"]["chosen"] is None and reply["engine"] == PLAYED


async def test_a_used_up_budget_asks_nothing(client: httpx2.AsyncClient, server: OpenAiServer, both: FastAPI) -> None:
    budget = both.state.yielded["services"].talk.parts.budget
    server.plays()
    thread = (await ask(client, CLAIM[0]))["thread_id"]
    server.plays()
    budget.add(10.0)
    try:
        reply = await ask(client, CLAIM[1], thread)
    finally:
        budget.add(-10.0)
    assert (reply["engine"], reply["engine_fault"], server.asked) == (ENGINE_NAME, "budget", [])
    assert reply["tools_used"] == ["claim_required_forms"]


async def test_metrics_count_single_decisions(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays()
    await claimed(client, server, answers(choice="claim_guide"))
    text = (await client.get("/metrics")).text
    assert 'assistant_one_decisions_total{about="topic",answered="true"}' in text
    assert 'assistant_decisions_total{engine="planner",why="asked"}' in text


async def test_a_played_model_decides_by_its_labels(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    turn = Turn(user=CLAIM[1], calls=(Call("claim_guide", {}),))
    for error_rate, chosen in ((0.0, "claim_guide"), (1.0, "claim_required_forms")):
        player = Player([Dialogue("t", "", (turn,))], error_rate)
        server.plays()
        first = await ask(client, CLAIM[0])
        server.plays(says(WHOLE))
        server.asides = [lambda line, player=player: player.play(line.body)(line)]
        reply = await ask(client, CLAIM[1], first["thread_id"])
        assert reply["decision"]["asked"]["chosen"] == chosen
