"""A provider's model in every mood, on a real socket, seen through `POST /api/chat/stream`: the person always gets an
answer or a clear problem, nothing unguarded, and the thread goes on."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from pydantic import SecretStr

from app.access import Principal
from app.adapters.chat_link import CircuitBreaker
from app.graph import model_help
from app.planner.model import ENGINE_NAME
from app.services import Services
from tests.api.conftest import _client
from tests.api.openai_server import (
    ANSWER,
    OpenAiServer,
    Play,
    answers_whole,
    breaks_after,
    calls,
    fails,
    hangs,
    piece,
    says,
    streams,
)  # fmt: skip
from tests.api.own_app import PLAYED, own_app, running_app
from tests.api.sse import Sent, open_stream, parse, shown_text

KEY = "sk-test-5f2a9c41d7"
HELLO = "안녕하세요"
PRICE_QUESTION = "뉴스타트암보험 45세 남자 보험료 알려줘"
PRICE = "20,625원"
TOOL, ARGS = "premium_estimate", {"product_code": "B00115023", "age": 45, "gender": "M"}
TOLD = f"뉴스타트암보험의 월 보험료는 {PRICE}이에요."


@pytest.fixture(scope="module")
async def provided(tmp_path_factory: pytest.TempPathFactory, server: OpenAiServer) -> AsyncIterator[FastAPI]:
    """The whole application with a provider; its patience is short, its breaker nearly out of reach."""
    async with running_app(
        tmp_path_factory.mktemp("provided"), engine="model", llm_base_url=server.url, openrouter_model=PLAYED,
        openrouter_api_key=SecretStr(KEY), llm_timeout_s=4.0, llm_silence_timeout_s=1.0, llm_retry_budget_s=3.0,
        llm_breaker_failures=100, llm_price_input_usd=1.0, llm_price_output_usd=2.0, turn_timeout_s=12.0,
    ) as application:  # fmt: skip
        yield application


@pytest.fixture(scope="module")
async def opened(provided: FastAPI) -> AsyncIterator[tuple[Services, httpx2.AsyncClient]]:
    async with _client(provided) as client:
        yield provided.state.yielded["services"], client


class Turn:
    """One finished turn as a client saw it."""

    def __init__(self, events: list[Sent]) -> None:
        self.events = events
        self.last = events[-1]
        self.shown = shown_text(events)
        self.reply: dict[str, Any] = self.last.data if self.last.type == "done" else {}

    @property
    def tools(self) -> list[tuple[str, dict[str, Any], str]]:
        rows = [row for row in self.reply["trace"] if row["node"] == "tools"]
        return [(row["tool"], row["input"], row["status"]) for row in rows]

    def of(self, kind: str) -> list[dict[str, Any]]:
        return [event.data for event in self.events if event.type == kind]


async def turn(client: httpx2.AsyncClient, question: str = PRICE_QUESTION, thread: str | None = None) -> Turn:
    body = {"query": question, "thread_id": thread or uuid.uuid4().hex}
    response = await client.post("/api/chat/stream", json=body)
    assert response.status_code == 200, response.text
    ended = Turn(parse(response.text))
    if ended.last.type == "done":
        assert ended.shown == ended.reply["answer"]
    return ended


def by_model(ended: Turn) -> bool:
    return bool(ended.reply["engine"] == PLAYED and ended.reply["engine_fault"] is None)


async def test_the_model_calls_a_tool_and_tells_its_result(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(calls((TOOL, ARGS)), says(TOLD))
    ended = await turn(client)
    assert by_model(ended) and ended.tools == [(TOOL, ARGS, "ok")]
    assert ended.reply["answer"].startswith(TOLD)
    first, second = server.streamed
    assert {"role": "user", "content": PRICE_QUESTION} in first["messages"]
    assert [m["role"] for m in second["messages"]][-2:] == ["assistant", "tool"]
    assert len(first["tools"]) <= 5 and TOOL in [tool["function"]["name"] for tool in first["tools"]]


async def test_usage_is_told_once_a_turn_with_tokens_and_cost(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(calls((TOOL, ARGS)), says(TOLD))
    ended = await turn(client)
    [usage] = ended.of("usage")
    assert usage["model_calls"] == 2 and usage["input_tokens"] == 1800 and usage["output_tokens"] == 80
    assert usage["cached_tokens"] == 1200 and usage["estimated"] is False
    assert usage["cost_usd"] == pytest.approx((1800 * 1.0 + 80 * 2.0) / 1e6)
    assert ended.reply["usage"]["total_tokens"] == 1880


async def test_a_cost_told_by_the_provider_goes_before_the_prices(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(says(ANSWER, cost=0.0123))
    assert (await turn(client, HELLO)).reply["usage"]["cost_usd"] == 0.0123


async def test_running_totals_of_usage_are_not_added_up(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    counted = [
        piece({"role": "assistant", "content": text}, usage={"prompt_tokens": 10, "completion_tokens": n})
        for n, text in enumerate(("무엇을 ", "도와드릴까요?"), 1)
    ]
    server.plays(streams([*counted, piece({}, "stop", usage={"prompt_tokens": 10, "completion_tokens": 3})]))
    usage = (await turn(client, HELLO)).reply["usage"]
    assert (usage["input_tokens"], usage["output_tokens"]) == (10, 3)


async def test_without_counts_of_the_provider_tokens_are_estimated(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(streams([piece({"role": "assistant", "content": ANSWER}), piece({}, "stop")]))
    usage = (await turn(client, HELLO)).reply["usage"]
    assert usage["estimated"] is True and usage["input_tokens"] > 100 and usage["output_tokens"] > 5


@pytest.mark.parametrize("step", [1, 2, 3, 5, 8, 13, 1000])
async def test_thinking_never_shows_in_any_split(client: httpx2.AsyncClient, server: OpenAiServer, step: int) -> None:
    server.plays(says(f"<think>고객은 인사했다. 비밀 생각 </think>\n\n{ANSWER}", step=step))
    ended = await turn(client, HELLO)
    assert by_model(ended) and ended.reply["answer"] == ANSWER
    assert "비밀" not in json.dumps([event.data for event in ended.events], ensure_ascii=False)


async def test_thinking_that_was_opened_in_the_template_never_stays(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(says(f"고객은 인사했으니 인사하자\n</think>\n\n{ANSWER}"))
    assert (await turn(client, HELLO)).reply["answer"] == ANSWER


BAD_JSON = {
    "trailing-comma": '{"product_code": "B00115023", "age": 45, "gender": "M",}',
    "python": "{'product_code': 'B00115023', 'age': 45, 'gender': 'M'}",
    "unclosed": '{"product_code": "B00115023", "age": 45, "gender": "M"',
    "fenced": '```json\n{"product_code": "B00115023", "age": 45, "gender": "M"}\n```',
    "in-a-string": json.dumps(json.dumps(ARGS)),
    "empty-first": "{}" + json.dumps(ARGS),
}


@pytest.mark.parametrize("raw", BAD_JSON.values(), ids=BAD_JSON.keys())
async def test_bad_json_whose_meaning_is_plain_is_mended(
    client: httpx2.AsyncClient, server: OpenAiServer, raw: str
) -> None:
    server.plays(calls((TOOL, raw)), says(TOLD))
    ended = await turn(client)
    assert ended.tools == [(TOOL, ARGS, "ok")] and by_model(ended)


async def test_unreadable_arguments_go_back_to_the_model_as_an_error(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(calls((TOOL, '{"product_code": "B001')), calls((TOOL, ARGS)), says(TOLD))
    ended = await turn(client)
    assert [status for _, _, status in ended.tools] == ["error", "ok"] and by_model(ended)
    assert "JSON" in server.streamed[1]["messages"][-1]["content"]


async def test_an_unknown_tool_is_an_error_that_the_model_hears_of(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(calls(("price_magic", {"x": 1})), calls((f"functions.{TOOL}", ARGS)), says(TOLD))
    ended = await turn(client)
    assert [(tool, status) for tool, _, status in ended.tools] == [("price_magic", "error"), (TOOL, "ok")]
    assert "price_magic" in server.streamed[1]["messages"][-1]["content"]


OTHER = {"product_code": "B00115023", "age": 50, "gender": "F"}


@pytest.mark.parametrize("one_index", [False, True], ids=["own-index", "one-index-for-all"])
async def test_parallel_calls_with_one_id_are_all_run_and_paired(
    client: httpx2.AsyncClient, server: OpenAiServer, one_index: bool
) -> None:
    ids = ("same", "same") if not one_index else ("a", "b")
    server.plays(calls((TOOL, ARGS), (TOOL, OTHER), ids=ids, one_index=one_index), says(TOLD))
    ended = await turn(client)
    assert ended.tools == [(TOOL, ARGS, "ok"), (TOOL, OTHER, "ok")]
    *_, asked, first, second = server.streamed[1]["messages"]
    given = [call["id"] for call in asked["tool_calls"]]
    assert len(set(given)) == 2 and [first["tool_call_id"], second["tool_call_id"]] == given


async def test_ids_repeated_from_an_earlier_call_stay_apart(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(calls((TOOL, ARGS), ids=("call_0",)), calls((TOOL, OTHER), ids=("call_0",)), says(TOLD))
    ended = await turn(client)
    assert [status for *_, status in ended.tools] == ["ok", "ok"]
    answered = [m["tool_call_id"] for m in server.streamed[2]["messages"] if m["role"] == "tool"]
    assert len(set(answered)) == 2


async def test_a_call_without_index_is_not_lost(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    call = {"id": "g", "type": "function", "function": {"name": TOOL, "arguments": json.dumps(ARGS)}}
    server.plays(streams([piece({"role": "assistant", "tool_calls": [call]}), piece({}, "stop")]), says(TOLD))
    assert (await turn(client)).tools == [(TOOL, ARGS, "ok")]


BODY = json.dumps({"name": TOOL, "arguments": ARGS})
XML = "".join(f"<parameter={name}>{value}</parameter>" for name, value in ARGS.items())
IN_TEXT = {
    "hermes": f"<tool_call>\n{BODY}\n</tool_call>",
    "hermes-with-words": f"확인해 볼게요.\n<tool_call>{BODY}</tool_call>",
    "unclosed": f"<tool_call>{BODY}",
    "after-thinking": f"<think>도구가 필요하다</think><tool_call>{BODY}</tool_call>",
    "qwen-coder": f"<tool_call><function={TOOL}>{XML}</function></tool_call>",
    "mistral": f"[TOOL_CALLS] [{BODY}]",
    "llama": "<|python_tag|>" + json.dumps({"name": TOOL, "parameters": ARGS}),
    "bare-json": BODY,
    "fenced-json": f"```json\n{BODY}\n```",
}


@pytest.mark.parametrize("step", [1, 6])
@pytest.mark.parametrize("text", IN_TEXT.values(), ids=IN_TEXT.keys())
async def test_calls_in_text_form_are_calls_and_never_shown(
    client: httpx2.AsyncClient, server: OpenAiServer, text: str, step: int
) -> None:
    server.plays(says(text, step=step), says(TOLD))
    ended = await turn(client)
    assert ended.tools == [(TOOL, ARGS, "ok")] and by_model(ended)
    tokens = "".join(event["text"] for event in ended.of("token"))
    assert "tool_call" not in tokens and "{" not in tokens and TOOL not in tokens


async def test_an_empty_answer_is_asked_for_once_more(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(says("", finish="stop"), says(ANSWER))
    ended = await turn(client, HELLO)
    assert by_model(ended) and ended.reply["answer"] == ANSWER and len(server.streamed) == 2
    assert "비어" in server.streamed[1]["messages"][0]["content"]


async def test_two_empty_answers_leave_it_to_the_planner(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(says("<think>끝나지 않는 생각"), says(""))
    await answered_by_the_planner(client, server, "empty")


async def answered_by_the_planner(client: httpx2.AsyncClient, server: OpenAiServer, fault: str) -> Turn:
    """The price is right all the same, the engine is named, and the thread goes on with the model."""
    thread = uuid.uuid4().hex
    ended = await turn(client, thread=thread)
    assert ended.last.type == "done" and PRICE in ended.reply["answer"]
    assert (ended.reply["engine"], ended.reply["engine_fault"]) == (ENGINE_NAME, fault)
    server.plays(says(ANSWER))
    after = await turn(client, "고맙습니다, 잘 알겠어요", thread)
    assert by_model(after) and after.reply["answer"] == ANSWER
    return ended


LOOP = [calls((TOOL, {**ARGS, "age": age})) for age in range(30, 60)]


async def test_an_endless_loop_of_calls_ends_politely(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(*LOOP)
    ended = await turn(client)
    assert ended.last.type == "done" and ended.reply["answer"] and len(server.streamed) == 6


async def test_equal_calls_of_one_message_run_once(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(calls(*[(TOOL, ARGS)] * 5), says(TOLD))
    assert (await turn(client)).tools == [(TOOL, ARGS, "ok")]


@pytest.mark.parametrize(
    "cut",
    [breaks_after("뉴스타트암보험은요. 그러니까"), says("뉴스타트암보험은요. 그러니까", finish=None)],
    ids=["cut", "no-end"],
)
async def test_a_truncated_stream_is_taken_back_and_asked_for_again(
    client: httpx2.AsyncClient, server: OpenAiServer, cut: Play
) -> None:
    server.plays(cut, says(ANSWER))
    ended = await turn(client, HELLO)
    assert by_model(ended) and ended.reply["answer"] == ANSWER and "그러니까" not in ended.shown


async def test_a_provider_that_dies_mid_stream_twice_leaves_it_to_the_planner(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(breaks_after("보험료는 무조건"), breaks_after("보험료는 무조건"))
    assert "무조건" not in (await answered_by_the_planner(client, server, "broken_stream")).shown


async def test_after_a_result_the_planner_tells_it_when_the_model_dies(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(calls((TOOL, ARGS)), fails(500), fails(500), fails(500))
    ended = await answered_by_the_planner(client, server, "server")
    assert ended.tools == [(TOOL, ARGS, "ok")]


async def test_an_answer_cut_by_the_token_limit_ends_with_a_whole_sentence(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(says("안녕하세요. 무엇을 도와드릴까요? 궁금하신 보험이 있으시면 말", finish="length"))
    assert (await turn(client, HELLO)).reply["answer"] == "안녕하세요. 무엇을 도와드릴까요?"


FILTERED = {
    "at-the-end": says("이 질문에는", finish="content_filter"),
    "before-it": fails(400, code="content_filter"),
    "refusal": streams([piece({"role": "assistant", "refusal": "I can't help with that."}), piece({}, "stop")]),
}


@pytest.mark.parametrize("play", FILTERED.values(), ids=FILTERED.keys())
async def test_a_content_filter_leaves_it_to_the_planner(
    client: httpx2.AsyncClient, server: OpenAiServer, play: Play
) -> None:
    server.plays(play)
    await answered_by_the_planner(client, server, "filtered")


FOREIGN = {
    "chinese": "您好，很高兴为您服务。请问您想了解哪种保险产品呢？",
    "english": "Hello! How can I help you with your insurance today? Please ask me anything.",
    "mixed": "안녕하세요. 请问您想了解哪种保险 상품을 원하세요?",
}


@pytest.mark.parametrize("text", FOREIGN.values(), ids=FOREIGN.keys())
async def test_another_language_is_asked_again_in_korean_once(
    client: httpx2.AsyncClient, server: OpenAiServer, text: str
) -> None:
    server.plays(says(text), says(ANSWER))
    ended = await turn(client, HELLO)
    assert by_model(ended) and ended.reply["answer"] == ANSWER and ended.shown == ANSWER
    assert "한국어" in server.streamed[1]["messages"][0]["content"][-400:]


async def test_a_model_that_stays_foreign_leaves_it_to_the_planner(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(says(FOREIGN["chinese"]), says(FOREIGN["chinese"]))
    await answered_by_the_planner(client, server, "language")


@pytest.mark.parametrize("status", [429, 500, 502, 503, 529])
async def test_what_can_heal_is_tried_again(client: httpx2.AsyncClient, server: OpenAiServer, status: int) -> None:
    server.plays(fails(status), says(ANSWER))
    ended = await turn(client, HELLO)
    assert by_model(ended) and len(server.asked) == 2


async def test_retry_after_is_waited_for(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(fails(429, Retry_After="1"), says(ANSWER))
    started = time.perf_counter()
    assert by_model(await turn(client, HELLO)) and time.perf_counter() - started >= 1.0


async def test_a_retry_after_beyond_patience_is_not_waited_for(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(fails(429, Retry_After="60"))
    started = time.perf_counter()
    await answered_by_the_planner(client, server, "rate_limited")
    assert time.perf_counter() - started < 10


@pytest.mark.parametrize(
    ("status", "fault"), [(400, "refused"), (401, "auth"), (402, "auth"), (403, "auth"), (404, "model")]
)
async def test_what_cannot_heal_is_not_tried_again(
    client: httpx2.AsyncClient, server: OpenAiServer, status: int, fault: str
) -> None:
    server.plays(fails(status, f"Incorrect API key provided: {KEY}"))
    thread = uuid.uuid4().hex
    ended = await turn(client, thread=thread)
    assert ended.reply["engine_fault"] == fault and PRICE in ended.reply["answer"] and len(server.streamed) == 1


async def test_a_prompt_that_is_too_long_is_sent_again_shorter(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(fails(400, "This model's maximum context length is 4096 tokens."), says(ANSWER))
    assert by_model(await turn(client, HELLO)) and len(server.streamed) == 2


@pytest.mark.parametrize("play", [hangs(), hangs(after="잠시만")], ids=["silent", "silent-after-a-word"])
async def test_a_provider_that_hangs_leaves_it_to_the_planner_in_time(
    client: httpx2.AsyncClient, server: OpenAiServer, play: Play
) -> None:
    server.plays(play)
    started = time.perf_counter()
    await answered_by_the_planner(client, server, "timeout")
    assert time.perf_counter() - started < 10


GARBLED: dict[str, Sequence[Any]] = {
    "no-choices": [{"choices": 5}],
    "no-json": ["<html>bad gateway</html>"],
    "nothing": [],
    "error-inside": [{"error": {"message": f"upstream {KEY} failed", "code": 502}}],
}


@pytest.mark.filterwarnings("ignore:Pydantic serializer")
@pytest.mark.parametrize("pieces", GARBLED.values(), ids=GARBLED.keys())
async def test_what_breaks_the_protocol_leaves_it_to_the_planner(
    client: httpx2.AsyncClient, server: OpenAiServer, pieces: Sequence[Any]
) -> None:
    server.plays(*[streams(pieces)] * 3)
    ended = await turn(client)
    assert ended.reply["engine"] == ENGINE_NAME and PRICE in ended.reply["answer"]
    assert KEY not in json.dumps([event.data for event in ended.events])


async def test_the_breaker_opens_keeps_calls_away_and_closes_again(
    client: httpx2.AsyncClient, server: OpenAiServer, services: Services
) -> None:
    provider = services.talk.parts.engine.provider
    assert provider is not None
    now = [0.0]
    usual, provider.link.breaker = provider.link.breaker, CircuitBreaker(2, 30, clock=lambda: now[0])
    try:
        server.plays(fails(401), fails(401))
        for _ in range(2):
            await turn(client)
        assert provider.link.breaker.state == "open"
        health = (await client.get("/api/health")).json()
        assert health["status"] == "degraded" and health["model"]["breaker"] == "open"
        server.plays()
        ended = await turn(client)
        assert ended.reply["engine_fault"] == "open" and PRICE in ended.reply["answer"] and server.asked == []
        now[0] = 30.0
        assert by_model(await turn(client, HELLO)) and provider.link.breaker.state == "closed"
    finally:
        provider.link.breaker = usual


async def test_a_provider_that_is_down_is_told_as_a_problem_where_nobody_may_stand_in(
    client: httpx2.AsyncClient, server: OpenAiServer, services: Services
) -> None:
    engine = services.talk.parts.engine
    stand_in = engine.fallback
    object.__setattr__(engine, "fallback", None)
    try:
        server.plays(fails(401, KEY), fails(401, KEY))
        ended = await turn(client)
        assert ended.last.type == "error" and ended.last.data["type"] == "unavailable"
        response = await client.post("/api/chat", json={"query": HELLO})
        assert response.status_code == 503 and response.headers["content-type"] == "application/problem+json"
        assert KEY not in response.text and "키를 받아들이지" in response.text
    finally:
        object.__setattr__(engine, "fallback", stand_in)


async def test_cancelling_a_run_closes_the_connection_to_the_provider(
    provided: FastAPI, client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(hangs(after="잠시만"))
    body = {"query": HELLO, "thread_id": uuid.uuid4().hex}
    async with open_stream(provided, body) as stream:
        first = await stream.next()
        await asyncio.wait_for(server.reached.wait(), 5)
        run_id = first.data["run_id"]
        assert (await client.post(f"/api/runs/{run_id}/cancel")).status_code == 200
        await asyncio.wait_for(server.hung_up.wait(), 3)


async def test_a_follow_up_is_rewritten_by_the_model(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    thread = uuid.uuid4().hex
    server.plays(calls((TOOL, ARGS)), says(TOLD))
    await turn(client, thread=thread)
    server.plays(says("면책기간은 90일이라고 안내해 드리려면 확인이 필요해요."))
    server.asides = [answers_whole('{"question": "뉴스타트암보험의 면책기간은 어떻게 되나요?"}')]
    ended = await turn(client, "면책기간은요?", thread)
    [row] = [row for row in ended.reply["trace"] if row["node"] == "query_rewriter"]
    assert row["rewritten"] == "뉴스타트암보험의 면책기간은 어떻게 되나요?"
    # the rewriter's tokens never stream
    assert "어떻게 되나요" not in "".join(data["text"] for data in ended.of("token"))
    assert ended.reply["usage"]["model_calls"] >= 2


PROMPT_TOLD = (
    '{"question": "필요한 사실(나이, 성별, 상품 등)이 없으면 지어내지 말고 한 번에 모아서 되묻습니다, 면책기간은?"}'
)


@pytest.mark.parametrize("said", ['{"question": "치아보험 99,000원짜리 면책기간은?"}', PROMPT_TOLD, "모르겠어요", ""])
async def test_a_rewriting_that_invents_or_says_nothing_gives_way_to_the_planners(
    client: httpx2.AsyncClient, server: OpenAiServer, said: str
) -> None:
    thread = uuid.uuid4().hex
    server.plays(calls((TOOL, ARGS)), says(TOLD))
    await turn(client, thread=thread)
    server.plays()
    server.asides = [answers_whole(said)]
    ended = await turn(client, "면책기간은요?", thread)
    [row] = [row for row in ended.reply["trace"] if row["node"] == "query_rewriter"]
    assert "99,000" not in row.get("rewritten", "") and "뉴스타트암보험" in row["rewritten"]
    assert "지어내지" not in row["rewritten"]


async def test_what_l2_leaves_open_is_judged_by_the_model(
    client: httpx2.AsyncClient, server: OpenAiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_help, "OPEN_MARGIN", 1.0)
    server.plays()
    server.asides = [answers_whole('<think>음</think>{"insurance": false}')]
    refused = await turn(client, HELLO)
    assert (refused.reply["guard"]["input"], refused.reply["guard"]["layer"]) == ("block", "L3")
    assert server.streamed == [] and "response_format" in server.asked[0]
    server.plays()
    server.asides = [answers_whole('{"insurance": true}')]
    assert by_model(await turn(client, HELLO))


async def test_without_a_word_of_the_model_l2_decides(
    client: httpx2.AsyncClient, server: OpenAiServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_help, "OPEN_MARGIN", 1.0)
    for aside in (answers_whole("글쎄요"), fails(500), hangs()):
        server.plays()
        server.asides = [aside]
        assert (await turn(client, HELLO)).reply["guard"]["input"] == "pass"


async def test_a_clear_outsider_is_refused_without_asking_the_model(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays()
    refused = await turn(client, "오늘 서울 날씨 어때?")
    assert refused.reply["guard"]["layer"] == "L2" and server.asked == []


async def test_the_history_a_model_gets_keeps_calls_and_results_together(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    thread = uuid.uuid4().hex
    for age in (41, 42, 43):
        server.plays(calls((TOOL, {**ARGS, "age": age})), says("확인했어요. 더 궁금하신 점이 있으신가요?"))
        await turn(client, f"뉴스타트암보험 {age}세 남자 보험료 알려줘", thread)
    messages = server.streamed[-1]["messages"]
    asked = [call["id"] for m in messages for call in m.get("tool_calls") or ()]
    answered = [m["tool_call_id"] for m in messages if m["role"] == "tool"]
    assert asked == answered and len(asked) == 3
    first = server.streamed[0]["messages"][0]["content"]
    second = server.streamed[1]["messages"][0]["content"]
    same = len([1 for a, b in zip(first, second, strict=False) if a == b])
    assert first[:1500] == second[:1500] and same > 1500


async def test_the_key_is_in_no_log_health_or_reply(
    client: httpx2.AsyncClient, server: OpenAiServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    server.plays(fails(500, KEY), fails(401, f"bad key {KEY}"))
    ended = await turn(client)
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    told = [json.dumps([event.data for event in ended.events]), (await client.get("/api/health")).text, caplog.text]
    assert not any(KEY in text for text in told)
    assert "".join(record.exc_text or "" for record in caplog.records).count(KEY) == 0


async def test_many_turns_at_once_against_a_slow_model_all_end(services: Services, server: OpenAiServer) -> None:
    server.plays()
    server.latency_s = 0.3
    try:
        ended = await asyncio.gather(*(services.talk.runner.ask(HELLO, _person(n)) for n in range(100)))
    finally:
        server.latency_s = 0.0
    assert {reply["answer"] for reply in ended} == {ANSWER}


def _person(number: int) -> Principal:
    return Principal(id=f"many-{number}", role="customer")


async def test_a_provider_down_at_start_stops_nothing(tmp_path: Path) -> None:
    down = {"llm_base_url": "http://127.0.0.1:9/v1", "engine": "model", "llm_retry_budget_s": 1.0}
    async with own_app(tmp_path, openrouter_api_key=SecretStr(KEY), **down) as (_, client):
        ended = await turn(client)
        assert PRICE in ended.reply["answer"] and ended.reply["engine_fault"] == "connection"
