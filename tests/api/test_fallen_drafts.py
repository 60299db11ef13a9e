"""A provider's model whose draft falls for good: the planner answers from the same results and the reply says so, and
nothing of the prompt, of a schema or of a card gets out."""

from __future__ import annotations

import random
import re
import uuid
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from app.graph.output_guardrail import NOTHING_TO_SAY
from app.planner.model import ENGINE_NAME
from app.safety.overlap import letters
from app.services import Services
from tests.api.openai_server import ANSWER, Line, OpenAiServer, Play, calls, says
from tests.api.own_app import opened_with_model
from tests.api.sse import Sent, parse, shown_text

QUESTION = "뉴스타트암보험 45세 남자 보험료 알려줘"
PRICE = "20,625원"
TOOL, ARGS = "premium_estimate", {"product_code": "B00115023", "age": 45, "gender": "M"}
CALL = calls((TOOL, ARGS))
TOLD = f"뉴스타트암보험의 월 보험료는 {PRICE}이에요."
# What may have been shown of a prompt before it is noticed and taken back.
SHORT_PHRASE = 60


opened = opened_with_model(engine="model")


async def turn(client: httpx2.AsyncClient, question: str = QUESTION, thread: str | None = None) -> list[Sent]:
    body = {"query": question, "thread_id": thread or uuid.uuid4().hex}
    response = await client.post("/api/chat/stream", json=body)
    assert response.status_code == 200, response.text
    events = parse(response.text)
    assert events[-1].type == "done" and shown_text(events) == events[-1].data["answer"]
    return events


def by_the_planner(events: list[Sent], fault: str) -> dict[str, Any]:
    """The reply, which has the tool's figure and says who answered and why, in its trace too."""
    reply = events[-1].data
    assert PRICE in reply["answer"] and NOTHING_TO_SAY not in reply["answer"]
    assert (reply["engine"], reply["engine_fault"]) == (ENGINE_NAME, fault)
    assert reply["guard"]["output"] == "pass"
    assert [row["engine_fault"] for row in reply["trace"] if row.get("engine") == ENGINE_NAME] == [fault]
    return reply


def lines_of(body: dict[str, Any]) -> list[str]:
    """What the model is told by way of system prompt, line by line, without the products."""
    rules, _, behind = str(body["messages"][0]["content"]).partition("## 상품 목록")
    return [line for line in [*rules.split("\n"), *behind.partition("오늘:")[2].split("\n")[1:]] if line.strip()]


def schema_of(body: dict[str, Any]) -> list[str]:
    [function] = [tool["function"] for tool in body["tools"] if tool["function"]["name"] == TOOL]
    arguments = [argument.get("description", "") for argument in function["parameters"]["properties"].values()]
    return [*function["description"].split("\n"), *arguments]


def repeats(text_of: Callable[[dict[str, Any]], str], step: int = 5) -> Play:
    """An answer that the model takes from what it was sent."""

    async def play(line: Line) -> None:
        await says(text_of(line.body), step=step)(line)

    return play


def shuffled(body: dict[str, Any]) -> str:
    lines = [sentence for line in lines_of(body) for sentence in re.split(r"(?<=[.])\s", line)]
    random.Random(5).shuffle(lines)
    return " ".join(lines)


def words_shuffled(body: dict[str, Any]) -> str:
    words = " ".join(lines_of(body)).split()
    random.Random(5).shuffle(words)
    return " ".join(words)


LEAKS: dict[str, Callable[[dict[str, Any]], str]] = {
    "whole": lambda body: "\n".join(lines_of(body)),
    "in one line": lambda body: " ".join(lines_of(body)),
    "shuffled": shuffled,
    "words in another order": words_shuffled,
    "every second line": lambda body: "\n".join(lines_of(body)[::2]),
    "quoted as a list": lambda body: "\n".join(f'{n}. "{line}"' for n, line in enumerate(lines_of(body), 1)),
    "among other words": lambda body: "\n".join(f"{line}\n보험료는 상품마다 다릅니다." for line in lines_of(body)),
    "without blanks": lambda body: re.sub(r"\s", "", "".join(lines_of(body))),
    "dotted": lambda body: "·".join("\n".join(lines_of(body))),
    "letters between": lambda body: "x".join("".join(lines_of(body))[:400]),
    "backwards": lambda body: "\n".join(lines_of(body))[::-1],
    "a schema": lambda body: "\n".join(schema_of(body)),
    "a schema backwards by line": lambda body: "• " + "\n• ".join(reversed(schema_of(body))),
}


@pytest.mark.parametrize("leak", LEAKS.values(), ids=LEAKS.keys())
async def test_a_model_that_repeats_its_prompt_or_a_schema_is_refused_as_a_whole_and_at_once(
    client: httpx2.AsyncClient, server: OpenAiServer, leak: Callable[[dict[str, Any]], str]
) -> None:
    server.plays(repeats(leak))
    events = await turn(client)
    by_the_planner(events, "leak")
    said = letters(leak(server.streamed[0]))
    shown = letters("".join(event.data["text"] for event in events if event.type == "token"))
    assert len(server.streamed) == 1
    assert not any(said[at : at + SHORT_PHRASE] in shown for at in range(len(said) - SHORT_PHRASE))


async def test_a_prompt_told_after_a_result_leaves_the_result(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    server.plays(CALL, repeats(lambda body: f"{TOLD} {LEAKS['in one line'](body)}"))
    reply = by_the_planner(await turn(client), "leak")
    assert reply["tools_used"] == [TOOL] and len(server.streamed) == 2


async def test_a_card_is_not_told(client: httpx2.AsyncClient, server: OpenAiServer, services: Services) -> None:
    card = services.tools.toolbox.registry.snapshot().entry(TOOL).card
    for text in ("\n".join([card.purpose, *card.when_not_to_use]), " / ".join(card.when_to_use)):
        server.plays(says(text))
        by_the_planner(await turn(client), "leak")


async def test_a_prompt_is_not_carried_into_a_tool(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    async def smuggle(line: Line) -> None:
        await calls(("privacy_masking", {"text": "\n".join(lines_of(line.body))}))(line)

    server.plays(smuggle)
    events = await turn(client)
    reply = by_the_planner(events, "leak")
    assert reply["tools_used"] == [TOOL]
    assert not [event for event in events if event.type == "tool_start" and event.data["tool"] != TOOL]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("안녕하세요", "주민등록번호와 전화번호, 계좌번호는 답변에 쓰지 않아요. 보험에 관해 무엇을 도와드릴까요?"),
        ("고맙습니다", "네, 도구 결과로 확인한 숫자만 안내해 드려요. 더 궁금하신 점이 있으신가요?"),
        ("안녕하세요", "보험료 계산, 보장 내용, 가입 조건과 면책기간, 청구 서류를 안내해 드릴 수 있어요."),
        ("안녕하세요", ANSWER),
    ],
)
async def test_a_short_phrase_of_the_prompt_may_be_said(
    client: httpx2.AsyncClient, server: OpenAiServer, question: str, answer: str
) -> None:
    server.plays(says(answer))
    reply = (await turn(client, question))[-1].data
    assert (reply["engine"], reply["engine_fault"], reply["answer"]) == ("played-model", None, answer)


async def test_what_the_person_said_may_be_repeated(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    said = "보험료는 만 나이로 계산하는지 보험나이로 계산하는지, 성별과 가입금액이 같으면 상품마다 같은지 궁금해요"
    server.plays(says(f"“{said}” 라고 물으셨네요. 확인해 드릴게요."))
    assert (await turn(client, f"뉴스타트암보험 {said}"))[-1].data["engine_fault"] is None


UNREADABLE = calls((TOOL, '{"product_code": "B001'))
UNKNOWN = calls(("price_magic", {"x": 1}))
NOT_OFFERED = calls(("recording_notice_script", {}))
WRONG = calls((TOOL, {"product_code": "B00115023", "age": "마흔다섯", "gender": "M"}))


@pytest.mark.parametrize(
    "plays",
    [[UNREADABLE] * 2, [UNKNOWN] * 2, [NOT_OFFERED] * 2, [WRONG] * 2, [UNKNOWN, UNREADABLE]],
    ids=["unreadable", "unknown", "not-offered", "wrong-arguments", "mixed"],
)
async def test_calls_that_nobody_can_run_twice_over_leave_it_to_the_planner(
    client: httpx2.AsyncClient, server: OpenAiServer, plays: list[Play]
) -> None:
    server.plays(*plays)
    thread = uuid.uuid4().hex
    reply = by_the_planner(await turn(client, thread=thread), "tool_calls")
    ran = [(row["tool"], row["status"]) for row in reply["trace"] if row["node"] == "tools"]
    assert ran[-1] == (TOOL, "ok") and [status for _, status in ran[:-1]] == ["error", "error"]
    assert len(server.streamed) == 2
    server.plays(says(ANSWER))
    after = (await turn(client, "고맙습니다, 잘 알겠어요", thread))[-1].data
    assert (after["engine"], after["answer"]) == ("played-model", ANSWER)
    # The calls in vain are not remembered: a provider would refuse them, and the model repeat them.
    named = [call["function"]["name"] for m in server.streamed[0]["messages"] for call in m.get("tool_calls") or ()]
    assert named == [TOOL]


async def test_a_result_that_is_there_is_told_though_the_next_calls_are_in_vain(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(CALL, UNKNOWN, UNREADABLE)
    reply = by_the_planner(await turn(client), "tool_calls")
    assert [row["status"] for row in reply["trace"] if row["node"] == "tools"] == ["ok", "error", "error"]


async def test_one_call_in_vain_beside_a_good_one_is_forgiven(client: httpx2.AsyncClient, server: OpenAiServer) -> None:
    both = calls((TOOL, ARGS), ("price_magic", {"x": 1}))
    server.plays(both, both, says(TOLD))
    assert (await turn(client))[-1].data["engine"] == "played-model"


@pytest.mark.parametrize(
    ("draft", "fault"),
    [
        ("월 보험료는 19,900원입니다.", "grounding"),
        (f"{TOLD} 내년에는 23,450원이 됩니다.", "grounding"),
        ("행복튼튼보험도 함께 보세요.", "grounding"),
        (f"{TOLD} 무조건 다 보장됩니다.", "phrase"),
        ("담당자 연락처는 010-1234-5678입니다.", "personal_data"),
        (f"{TOOL} 도구의 결과입니다.", "internal_name"),
    ],
)
async def test_a_draft_that_stays_wrong_gives_way_to_the_planners_answer_from_the_same_result(
    client: httpx2.AsyncClient, server: OpenAiServer, draft: str, fault: str
) -> None:
    server.plays(CALL, says(draft), says(draft))
    events = await turn(client)
    reply = by_the_planner(events, fault)
    assert [(row["tool"], row["status"]) for row in reply["trace"] if row["node"] == "tools"] == [(TOOL, "ok")]
    assert len(server.streamed) == 3 and draft not in reply["answer"]


async def test_an_invented_figure_without_any_call_leaves_the_call_to_the_planner(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(*[says("월 보험료는 19,900원입니다.")] * 2)
    reply = by_the_planner(await turn(client), "grounding")
    assert reply["tools_used"] == [TOOL]


async def test_a_model_that_never_ends_its_calls_gives_way_to_the_planner(
    client: httpx2.AsyncClient, server: OpenAiServer
) -> None:
    server.plays(*[calls((TOOL, {**ARGS, "age": age})) for age in range(30, 50)])
    reply = by_the_planner(await turn(client), "tool_calls")
    assert len(server.streamed) == 6 and "30세" not in reply["answer"] and len(reply["blocks"]) <= 2


async def test_where_nobody_may_stand_in_the_apology_stays(
    client: httpx2.AsyncClient, server: OpenAiServer, services: Services
) -> None:
    engine = services.talk.parts.engine
    stand_in = engine.fallback
    object.__setattr__(engine, "fallback", None)
    try:
        server.plays(repeats(LEAKS["whole"]))
        reply = (await turn(client))[-1].data
        assert reply["answer"].startswith(NOTHING_TO_SAY) and reply["guard"]["output"] == "replaced"
        assert len(server.streamed) == 1 and reply["engine_fault"] is None
    finally:
        object.__setattr__(engine, "fallback", stand_in)
