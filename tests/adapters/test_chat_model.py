"""The pieces behind a provider's model, without a network: text, calls, faults, retries and the breaker."""

from __future__ import annotations

import asyncio
import itertools
import json
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx2
import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import SecretStr

from app.adapters.chat_faults import ProviderFault
from app.adapters.chat_link import CircuitBreaker, ProviderLink
from app.adapters.chat_model import openai_compatible
from app.adapters.chat_text import ReplySplitter
from app.adapters.chat_tool_calls import UNREADABLE, CallCollector, WrittenCall, calls_in_text, read_args, settled
from app.adapters.provider_errors import fault_of, retry_after
from app.settings import Settings

REQUEST = httpx2.Request("POST", "http://127.0.0.1/v1/chat/completions")
TEXT = (
    '<think>속으로 <b>하는</b> 생각</think>안녕하세요. 3 < 5 이고 [참고]예요.<tool_call>{"name": "a"}</tool_call>'
    " 이어서 말씀드릴게요.<|im_end|><reasoning>또 생각</reasoning>끝"
)
SHOWN = "안녕하세요. 3 < 5 이고 [참고]예요. 이어서 말씀드릴게요.끝"


def split(text: str, cuts: list[int]) -> tuple[str, list[str]]:
    splitter = ReplySplitter()
    edges = [0, *sorted(cut % (len(text) + 1) for cut in cuts), len(text)]
    out = "".join(splitter.feed(text[a:b]) for a, b in itertools.pairwise(edges))
    return out + splitter.rest(), splitter.calls


@given(st.lists(st.integers(0, 500), max_size=30))
@settings(max_examples=300, deadline=None)
def test_every_split_of_a_text_gives_the_same_words_and_calls(cuts: list[int]) -> None:
    assert split(TEXT, cuts) == (SHOWN, ['{"name": "a"}'])


@given(st.text(max_size=80), st.integers(1, 5))
@settings(max_examples=300, deadline=None)
def test_a_text_without_marks_comes_out_whole(text: str, step: int) -> None:
    if any(mark in text for mark in ("<", "[", "{", "`")):
        return
    splitter = ReplySplitter()
    out = "".join(splitter.feed(text[at : at + step]) for at in range(0, len(text), step)) + splitter.rest()
    assert out == text


ARGS = {"a": 1, "b": ["x", None], "c": {"d": True}}


@given(st.recursive(
    st.none() | st.booleans() | st.integers(-10**9, 10**9) | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(min_size=1, max_size=6), inner, max_size=3),
    max_leaves=8,
).map(lambda value: {"value": value}))  # fmt: skip
@settings(max_examples=200, deadline=None)
def test_sound_json_is_read_as_it_is_and_python_spelling_alike(args: dict[str, object]) -> None:
    assert read_args(json.dumps(args)) == args
    assert read_args(repr(args)) == args


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_argument_text_raises(raw: str) -> None:
    found = read_args(raw)
    assert found is None or isinstance(found, dict)
    calls_in_text(raw)


@pytest.mark.parametrize("raw", ['{"a": "b', '"just words"', "[1, 2]", "premium(45)", '{"a": 1} und {', "{a: 1}"])
def test_what_nobody_can_read_is_not_guessed(raw: str) -> None:
    read = read_args(raw)
    assert read is None or read == {"a": 1}


def test_an_unreadable_call_keeps_its_name_and_says_so() -> None:
    [call] = settled([WrittenCall("t", None, '{"a": "b')], {"t"}, set())
    assert call["name"] == "t" and call["args"] == {UNREADABLE: '{"a": "b'}


def test_pieces_belong_to_a_call_until_another_id_and_name_come() -> None:
    collector = CallCollector()
    for call_id, name, args in (("a", "one", '{"x"'), (None, None, ": 1}"), ("b", "two", ""), (None, None, "{}")):
        collector.feed([{"index": 0, "id": call_id, "name": name, "args": args}])
    assert [(call.name, call.args, call.id) for call in collector.calls()] == [
        ("one", {"x": 1}, "a"),
        ("two", {}, "b"),
    ]


def test_a_name_repeated_in_every_piece_is_one_call() -> None:
    collector = CallCollector()
    for args in ('{"x"', ": 1", "}"):
        collector.feed([{"index": 0, "id": "a", "name": "one", "args": args}])
    assert [(call.name, call.args) for call in collector.calls()] == [("one", {"x": 1})]


def status_error(status: int, code: str | None = None, message: str = "no", **headers: str) -> openai.APIStatusError:
    response = httpx2.Response(status, request=REQUEST, headers=headers)
    kind = {429: openai.RateLimitError, 400: openai.BadRequestError}.get(status, openai.APIStatusError)
    return kind(message, response=response, body={"code": code})


@pytest.mark.parametrize(
    ("error", "kind", "heals"),
    [
        (status_error(429), "rate_limited", True),
        (status_error(429, "insufficient_quota"), "auth", False),
        (status_error(500), "server", True),
        (status_error(503), "server", True),
        (status_error(408), "connection", True),
        (status_error(401), "auth", False),
        (status_error(404), "model", False),
        (status_error(400), "refused", False),
        (status_error(422), "refused", False),
        (status_error(400, "content_filter"), "filtered", False),
        (status_error(400, message="maximum context length"), "too_long", False),
        (openai.APITimeoutError(REQUEST), "timeout", False),
        (openai.APIConnectionError(request=REQUEST), "connection", True),
        (httpx2.ReadError("gone"), "connection", True),
        (TimeoutError(), "timeout", False),
        (ValueError("no json"), "garbled", False),
    ],
)
def test_faults_are_told_apart_by_what_helps(error: Exception, kind: str, heals: bool) -> None:
    fault = fault_of(error)
    assert (fault.kind, fault.retryable) == (kind, heals)
    assert "no json" not in str(fault) and any("가" <= letter <= "힣" for letter in str(fault))


def test_a_line_that_breaks_after_the_first_piece_is_not_tried_again_unseen() -> None:
    fault = fault_of(httpx2.RemoteProtocolError("gone"), begun=True)
    assert fault.kind == "broken_stream" and not fault.retryable


def test_retry_after_is_read_in_every_form() -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    assert retry_after(httpx2.Headers({"retry-after": "7"})) == 7.0
    assert retry_after(httpx2.Headers({"retry-after-ms": "250", "retry-after": "7"})) == 0.25
    assert 25 < (retry_after(httpx2.Headers({"retry-after": later})) or 0) <= 30
    assert retry_after(httpx2.Headers({"retry-after": "soon"})) is None
    assert retry_after(httpx2.Headers({})) is None


async def tried(link: ProviderLink, *faults: ProviderFault | None) -> int:
    """How often a call was tried that meets these faults one after another."""
    left, count = list(faults), 0
    async for attempt in link.retrying():
        with attempt:
            count += 1
            if (fault := left.pop(0)) is not None:
                raise fault
    return count


def link_of(attempts: int = 3, budget_s: float = 5.0) -> ProviderLink:
    return ProviderLink(attempts=attempts, retry_budget_s=budget_s, breaker=CircuitBreaker(3, 10), base_wait_s=0.001)


async def test_only_what_can_heal_is_tried_again_and_not_forever() -> None:
    server, auth = ProviderFault("server"), ProviderFault("auth")
    assert await tried(link_of(), server, server, None) == 3
    for faults in ((server,) * 3, (auth,)):
        with pytest.raises(ProviderFault):
            await tried(link_of(), *faults)


async def test_pauses_are_random_and_grow() -> None:
    waits: list[float] = []
    link = ProviderLink(attempts=6, retry_budget_s=100, breaker=CircuitBreaker(3, 10), base_wait_s=1.0)
    for _ in range(20):
        retrying = link.retrying()

        async def noted(seconds: float) -> None:
            waits.append(seconds)

        retrying.sleep = noted
        with pytest.raises(ProviderFault):
            async for attempt in retrying:
                with attempt:
                    raise ProviderFault("server")
    first, last = waits[::5], waits[4::5]
    assert len(set(waits)) > 20 and max(first) <= 1.0 and max(last) <= 4.0 and sum(last) > sum(first)


async def test_what_the_provider_asked_for_is_waited_and_not_what_is_beyond_the_budget() -> None:
    loop = asyncio.get_running_loop()
    started = loop.time()
    assert await tried(link_of(), ProviderFault("rate_limited", retry_after_s=0.3), None) == 2
    assert loop.time() - started >= 0.3
    with pytest.raises(ProviderFault):
        await tried(link_of(), ProviderFault("rate_limited", retry_after_s=60.0), None)
    assert loop.time() - started < 5


def test_the_breaker_opens_lets_one_probe_through_and_closes() -> None:
    now = [0.0]
    breaker = CircuitBreaker(2, 10.0, lambda: now[0])
    breaker.failed()
    breaker.admit()
    breaker.failed()
    assert breaker.state == "open"
    with pytest.raises(ProviderFault, match="답하지 못합니다"):
        breaker.admit()
    now[0] = 10.0
    breaker.admit()
    with pytest.raises(ProviderFault):
        breaker.admit()
    breaker.failed()
    assert breaker.state == "open"
    now[0] = 20.0
    breaker.admit()
    breaker.left()
    breaker.admit()
    breaker.succeeded()
    assert breaker.state == "closed"


def test_faults_of_one_question_do_not_open_the_breaker() -> None:
    link = link_of()
    for kind in ("filtered", "refused", "too_long", "empty", "language"):
        for _ in range(5):
            link.begin()
            link.end(ProviderFault(kind))  # type: ignore[arg-type]
    assert link.breaker.state == "closed" and link.health()["failed"] == 25


def test_without_a_key_there_is_no_provider_but_a_local_server_needs_none() -> None:
    assert openai_compatible(Settings(_env_file=None)) is None
    local = openai_compatible(Settings(_env_file=None, llm_base_url="http://127.0.0.1:11434/v1"))
    assert local is not None and local.name == "qwen/qwen3-14b"


def test_the_key_is_in_no_picture_of_the_engine() -> None:
    engine = openai_compatible(Settings(_env_file=None, openrouter_api_key=SecretStr("sk-secret-1")))
    assert engine is not None and engine.provider is not None
    assert "sk-secret-1" not in repr(engine) + str(engine.provider.link.health()) + repr(engine.model)
