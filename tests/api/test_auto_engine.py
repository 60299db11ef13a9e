"""Planner and model together: who answers which turn, what the model is told, and what becomes of one that it fails."""

from __future__ import annotations

import uuid
from datetime import date
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.adapters.turn_store import TurnStore
from app.editing.lessons import lesson_of, write_lessons
from app.evaluation.dialogues import Call
from app.evaluation.hearing import calls_of
from app.graph.spending import DayBudget
from app.language.normalise import compact
from app.planner.model import ENGINE_NAME
from app.services import Services
from tests.api.openai_server import OpenAiServer, calls, fails, says
from tests.api.own_app import PLAYED, opened_with_model
from tests.api.test_approvals import CANCEL

SURE = "뉴스타트암보험 45세 남자 보험료 알려줘"
UNSURE = "남편이 실직해서 치아보험이랑 암보험 중에 뭘 줄여야 할지 모르겠어요"
WHOLE = "무엇을 도와드릴까요? 보험에 관해 편하게 말씀해 주세요."


opened = opened_with_model(
    llm_retry_budget_s=0.0, llm_price_input_usd=1.0, llm_price_output_usd=2.0, auto_error_rate=0.05,
    model_budget_usd_day=10.0,
)  # fmt: skip


async def ask(client: httpx2.AsyncClient, question: str, thread: str | None = None) -> dict[str, Any]:
    body = {"query": question, "thread_id": thread or uuid.uuid4().hex}
    response = await client.post("/api/chat", json=body)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def sent(server: OpenAiServer, role: str) -> list[str]:
    return [str(m.get("content")) for m in server.streamed[0]["messages"] if m["role"] == role]


async def test_a_turn_that_the_planner_is_sure_of_costs_nothing(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays()
    reply = await ask(client, SURE)
    decision = reply["decision"]
    assert (reply["engine"], reply["engine_fault"], reply["usage"]) == (ENGINE_NAME, None, None)
    assert (decision["engine"], decision["why"]) == ("planner", "sure")
    assert decision["threshold"] <= decision["confidence"] <= 1 and "20,625원" in reply["answer"]
    assert server.asked == []


async def test_an_unsure_turn_goes_to_the_model_with_what_the_planner_found(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(says(WHOLE))
    reply = await ask(client, UNSURE)
    assert (reply["engine"], reply["engine_fault"]) == (PLAYED, None)
    assert reply["answer"].startswith(WHOLE)
    assert reply["decision"]["why"] == "unsure" and reply["decision"]["confidence"] < reply["decision"]["threshold"]
    assert len(server.streamed) == 1, "the planner's results spare the model a call"
    assert "candidates" in sent(server, "system")[0]
    assert sent(server, "tool"), "the results of the planner's calls"
    decided = [row["decision"] for row in reply["trace"] if row.get("decision")]
    assert decided == [reply["decision"]]


async def test_the_models_own_calls_take_the_place_of_what_the_planner_found(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(says(WHOLE))
    planned = await ask(client, UNSURE)
    server.plays(calls(("product_search", {"category": "암"})), says(WHOLE))
    reply = await ask(client, UNSURE)
    assert 0 < len(reply["blocks"]) < len(planned["blocks"])
    assert [block["data"]["category"] for block in reply["blocks"]] == ["암"] * len(reply["blocks"])
    assert calls_of(reply) == (Call("product_search", {"category": "암"}),)


async def test_a_model_that_is_down_loses_nothing(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(fails(500), fails(500), fails(500))
    reply = await ask(client, UNSURE)
    assert (reply["engine"], reply["engine_fault"]) == (ENGINE_NAME, "server")
    assert reply["answer"] and reply["blocks"] and reply["decision"]["engine"] == "model"


async def test_a_used_up_budget_leaves_the_turn_to_the_planner_and_says_so(
    client: httpx2.AsyncClient, server: OpenAiServer, services: Services
) -> None:
    budget = services.talk.parts.budget
    assert budget is not None
    server.plays(says(WHOLE))
    before = budget.spent_usd
    await ask(client, UNSURE)
    assert budget.spent_usd == pytest.approx(before + 980e-6, abs=1e-6), "900 tokens in, 40 out"
    budget.add(10.0)
    try:
        server.plays(says(WHOLE))
        reply = await ask(client, UNSURE)
    finally:
        budget.add(-10.0)
    assert (reply["engine"], reply["engine_fault"]) == (ENGINE_NAME, "budget")
    assert reply["answer"] and server.asked == []


async def test_what_a_person_approved_is_not_begun_anew_by_the_model(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    thread = uuid.uuid4().hex
    for question in CANCEL:
        server.plays()
        reply = await ask(client, question, thread)
    assert reply["approval"], reply["answer"]
    assert server.asked == []
    yes = await client.post(f"/api/approvals/{reply['approval']['id']}", json={"decision": "approve"})
    assert yes.status_code == 200, yes.text
    assert yes.json()["reply"]["decision"]["why"] == "approved"
    assert server.asked == []


async def test_metrics_tell_who_answered_and_how_sure_the_planner_is(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(says(WHOLE))
    await ask(client, SURE)
    await ask(client, UNSURE)
    text = (await client.get("/metrics")).text
    assert 'assistant_decisions_total{engine="planner",why="sure"}' in text
    assert 'assistant_decisions_total{engine="model",why="unsure"}' in text
    for gauge in ("assistant_confidence ", "assistant_confidence_usual ", "assistant_model_spent_usd "):
        line = next(line for line in text.splitlines() if line.startswith(gauge))
        assert 0 < float(line.split()[1]) < 1


async def test_staff_may_ask_the_model_again_whoever_answered(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays()
    thread = uuid.uuid4().hex
    await ask(client, SURE, thread)
    run_id = (await ask(client, "그럼 50세 여자는요?", thread))["run_id"]
    server.plays(says(WHOLE))
    response = await client.post(f"/api/admin/conversations/{run_id}/replay", params={"by": "model"})
    assert response.status_code == 200, response.text
    found = response.json()
    assert found["reply"]["engine"] == PLAYED and found["reply"]["answer"].startswith(WHOLE)
    assert found["earlier"] == 1 and len(server.streamed) == 1, "what was asked before costs nothing"


async def test_the_console_is_told_how_sure_the_planner_may_be(client: httpx2.AsyncClient) -> None:
    found = (await client.get("/api/admin/evaluation/confidence")).json()
    assert (found["engine"], found["model"], found["error_rate"]) == ("auto", PLAYED, 0.05)
    # Within talks nothing is sure enough for an error rate of 5 %, which is told as 1.
    assert 0.2 < found["threshold_first"] < found["threshold"] == 1
    for told in found["report"]["sets"].values():
        assert told["reliability"] and [p["kept"] for p in told["curve"]] == sorted(p["kept"] for p in told["curve"])


async def test_a_question_that_a_model_got_wrong_becomes_a_training_line_after_a_yes(
    client: httpx2.AsyncClient, server: OpenAiServer, services: Services, tmp_path: Path
) -> None:
    server.plays(says(WHOLE), says(WHOLE))
    question = "김민수 고객 010-1234-5678인데 치아보험이랑 암보험 같이 들면 깎아 주나요"
    thread = (await ask(client, UNSURE))["thread_id"]
    run_id = (await ask(client, question, thread))["run_id"]
    where = f"/api/admin/lessons/{run_id}"
    unjudged = await client.put(where, json={"tool": "product_faq_lookup"})
    assert unjudged.status_code == 400
    await client.put(f"/api/admin/conversations/{run_id}/review", json={"verdict": "wrong", "tags": ["할인"]})
    assert (await client.put(where, json={"tool": "no_such_tool"})).status_code == 404
    kept = (await client.put(where, json={"tool": "product_faq_lookup"})).json()
    [row] = [one for one in (await client.get("/api/admin/lessons")).json()["lessons"] if one["run_id"] == run_id]
    assert row == kept and row["tool"] == "product_faq_lookup"
    turn = await TurnStore(services.storage.database).one(run_id)
    assert turn.review is not None and "할인" in turn.review.tags
    lesson = lesson_of(turn, services.desks.veil, lambda text: services.talk.threads.masker.mask(text).text)
    assert lesson is not None and "김민수" not in lesson.line and "1234" not in lesson.line
    assert write_lessons(tmp_path, [lesson, lesson], frozenset()) == [lesson]
    assert write_lessons(tmp_path, [lesson], frozenset()) == []
    remark, line = (tmp_path / "product_faq_lookup.txt").read_text(encoding="utf-8").splitlines()
    assert remark.startswith("#") and run_id in remark and line == lesson.line
    assert write_lessons(tmp_path / "aside", [lesson], frozenset([compact(lesson.line)])) == []


def test_a_day_begins_with_its_budget_whole() -> None:
    today = [date(2026, 3, 1)]
    budget = DayBudget(1.0, lambda: today[0])
    budget.begin(0.4)
    budget.add(0.7)
    budget.add(None)
    assert budget.used_up and budget.spent_usd == pytest.approx(1.1)
    today[0] = date(2026, 3, 2)
    assert not budget.used_up and budget.spent_usd == 0
    assert not DayBudget(0.0, lambda: today[0]).used_up
