"""Running tool calls: refusals, faults as messages, order, and artifacts that are plain data."""

from __future__ import annotations

import json
import logging
import time
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from langchain_core.messages import ToolCall

from app.access import Principal
from app.errors import ToolBroken
from app.insurance.catalogue import Catalogue
from app.toolbox.dispatch import dispatch
from app.toolbox.snapshot import ToolSnapshot
from app.tools.context import ToolContext

from .samples import (
    MisreadsAsItsOwnKind,
    breaks,
    double,
    entry,
    for_staff,
    misreads,
    misreads_plainly,
    misses,
    plain,
    reads_config,
    reads_facts,
    refuses,
    slow,
    steers,
    unshowable,
    writes_json,
)

MADE = (
    double, slow, for_staff, refuses, breaks, misreads, misses, misreads_plainly, MisreadsAsItsOwnKind(), unshowable,
    reads_config, reads_facts, plain, writes_json, steers,
)  # fmt: skip
SNAPSHOT = ToolSnapshot(1, tuple(map(entry, MADE)))
STAFF, CUSTOMER = Principal("tmr-1", "staff"), Principal("web-1", "customer")


@pytest.fixture
def context(catalogue: Catalogue) -> ToolContext:
    return ToolContext(
        principal=STAFF, catalogue=catalogue, customers=None, documents=None, phrases=None, masker=None,  # type: ignore[arg-type]
        today=lambda: date(2026, 3, 2),
    )  # fmt: skip


def calling(name: str, call_id: str = "c1", **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args, id=call_id, type="tool_call")


async def run_one(context: ToolContext, name: str, **args: Any) -> Any:
    (run,) = await dispatch(SNAPSHOT, [calling(name, **args)], context)
    return run


async def test_a_result_is_a_message_with_plain_json_data(context: ToolContext) -> None:
    run = await run_one(context, "double", amount=21)
    assert run.ok and run.message.tool_call_id == "c1" and run.message.name == "double"
    assert json.loads(str(run.message.content)) == {"amount": 42, "caller": "tmr-1"}
    assert run.message.artifact == {"kind": "Doubled", "data": {"amount": 42, "caller": "tmr-1"}, "blocks": []}
    assert json.loads(json.dumps(run.message.artifact)) == run.message.artifact


async def test_a_function_that_wants_langchains_config_is_handed_it_by_whatever_name(context: ToolContext) -> None:
    run = await run_one(context, "reads_config", word="설정")
    assert run.ok and "__pregel_runtime" in str(run.message.content)


async def test_calls_run_together_and_answer_in_their_own_order(context: ToolContext) -> None:
    calls = [calling("slow", "a", seconds=0.3), calling("double", "b", amount=1), calling("slow", "c", seconds=0.2)]
    started = time.perf_counter()
    runs = await dispatch(SNAPSHOT, calls, context)
    assert time.perf_counter() - started < 0.48, "one after the other they take half a second"
    assert [run.message.tool_call_id for run in runs] == ["a", "b", "c"]
    assert runs[0].duration_ms >= 290 and runs[2].duration_ms >= 190 > runs[1].duration_ms > 0


async def test_refused_and_failing_calls_keep_their_place_among_the_others(context: ToolContext) -> None:
    calls = [
        calling("nothing", "a"), calling("double", "b", amount=1), calling("breaks", "c"),
        calling("double", "d", amount=-1), calling("double", "e", amount=2),
    ]  # fmt: skip
    runs = await dispatch(SNAPSHOT, calls, context)
    assert [(run.message.tool_call_id, run.ok) for run in runs] == [
        ("a", False), ("b", True), ("c", False), ("d", False), ("e", True),
    ]  # fmt: skip


async def test_two_calls_with_one_id_each_get_their_own_answer(context: ToolContext) -> None:
    runs = await dispatch(SNAPSHOT, [calling("double", amount=1), calling("double", amount=2)], context)
    assert [run.message.artifact["data"]["amount"] for run in runs] == [2, 4]


async def test_no_calls_are_no_runs(context: ToolContext) -> None:
    assert await dispatch(SNAPSHOT, [], context) == []


@pytest.mark.parametrize(
    ("name", "offered", "word"),
    [
        ("nothing", None, "알 수 없는 도구"),
        ("double", frozenset({"slow"}), "제공되지 않은 도구"),
        ("for_staff", frozenset({"for_staff"}), "권한이 없습니다"),
        ("for_staff", None, "권한이 없습니다"),
    ],
)
async def test_what_was_not_offered_or_is_above_the_role_is_refused(
    context: ToolContext, name: str, offered: frozenset[str] | None, word: str
) -> None:
    customer = replace(context, principal=CUSTOMER)
    (run,) = await dispatch(SNAPSHOT, [calling(name)], customer, offered=offered)
    assert not run.ok and word in str(run.message.content) and run.duration_ms == 0
    assert run.message.artifact == {"kind": "Error", "data": {"message": run.message.content}, "blocks": []}


async def test_the_role_comes_from_the_principal_not_from_the_arguments(context: ToolContext) -> None:
    customer = replace(context, principal=CUSTOMER)
    calls = [ToolCall(name="for_staff", args={"runtime": {"role": "admin"}, "role": "staff"}, id="x", type="tool_call")]
    (run,) = await dispatch(SNAPSHOT, calls, customer)
    assert not run.ok
    (run,) = await dispatch(SNAPSHOT, [calling("double", amount=1, runtime={"context": None})], customer)
    assert run.message.artifact["data"]["caller"] == "web-1", "an injected runtime is not the caller's to give"


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ({}, ["amount", "꼭 필요한 값입니다"]),
        ({"amount": -5}, ["amount", "0 이상이어야 합니다", "-5"]),
        ({"amount": "많이"}, ["amount", "정수여야 합니다", "많이"]),
        ({"amount": [1]}, ["amount", "정수여야 합니다"]),
    ],
)
async def test_wrong_arguments_are_told_in_korean_by_name(
    context: ToolContext, args: dict[str, Any], words: list[str]
) -> None:
    run = await run_one(context, "double", **args)
    told = str(run.message.content)
    assert not run.ok and all(word in told for word in words)
    assert "runtime" not in told and "Input should" not in told and run.message.artifact["kind"] == "Error"


async def test_our_own_errors_are_told_in_full(context: ToolContext) -> None:
    run = await run_one(context, "refuses")
    assert not run.ok and run.message.content == "나이 200세는 범위를 벗어났습니다. 0~120세로 알려 주세요."


@pytest.mark.parametrize(
    ("name", "args", "kind"),
    [
        ("breaks", {}, "RuntimeError"),
        ("misreads", {"name": "홍길동"}, "ValidationError of Person: int_parsing"),
        ("misses", {"name": "홍길동"}, "KeyError"),
        ("misreads_plainly", {"name": "홍길동"}, "ValidationError of Person: int_parsing"),
        ("misreads_as_its_own_kind", {"name": "홍길동", "age": 3}, "ValidationError of Person: int_parsing"),
        ("steers", {}, "TypeError"),
    ],
)
async def test_a_tools_own_fault_is_told_as_one_logged_with_its_trace_and_counted(
    context: ToolContext, caplog: pytest.LogCaptureFixture, name: str, args: dict[str, Any], kind: str
) -> None:
    counted: list[str] = []
    call = ToolCall(name=name, args=args, id="c1", type="tool_call")
    with caplog.at_level(logging.ERROR):
        (run,) = await dispatch(SNAPSHOT, [call], context, broke=counted.append)
    assert not run.ok and run.broken and counted == [name]
    assert run.message.content == str(ToolBroken()) and run.message.artifact["data"] == {"message": str(ToolBroken())}
    assert f"tool {name} failed by itself" in caplog.text and f"Wordless: {kind}" in caplog.text
    assert name == "steers" or "samples.py" in caplog.text
    assert "홍길동" not in caplog.text and "Input should" not in caplog.text


@pytest.mark.parametrize("name", ["misreads", "misses", "misreads_plainly", "misreads_as_its_own_kind"])
async def test_arguments_that_do_not_fit_such_a_tool_are_still_told_as_arguments(
    context: ToolContext, caplog: pytest.LogCaptureFixture, name: str
) -> None:
    counted: list[str] = []
    (run,) = await dispatch(SNAPSHOT, [calling(name)], context, broke=counted.append)
    assert not run.ok and not run.broken and counted == [] and caplog.text == ""
    assert "name: 꼭 필요한 값입니다" in str(run.message.content)


async def test_a_result_that_cannot_be_shown_is_the_tools_own_fault(context: ToolContext) -> None:
    (run,) = await dispatch(SNAPSHOT, [calling("unshowable")], context)
    assert run.broken and run.message.content == str(ToolBroken())


async def test_a_plain_tool_that_returns_text_runs(context: ToolContext) -> None:
    run = await run_one(context, "plain", words="안녕")
    assert run.ok and run.message.content == "받은 말: 안녕"
    assert run.message.artifact == {"kind": "Text", "data": {"text": "받은 말: 안녕"}, "blocks": []}


async def test_a_plain_tool_that_returns_json_gives_its_fields(context: ToolContext) -> None:
    run = await run_one(context, "writes_json", words="안녕")
    assert run.message.artifact == {"kind": "Text", "data": {"words": "안녕"}, "blocks": []}


async def test_a_tool_cannot_steer_the_graph(context: ToolContext) -> None:
    runs = await dispatch(SNAPSHOT, [calling("steers", "a"), calling("double", "b", amount=1)], context)
    assert [run.ok for run in runs] == [False, True]
    assert runs[0].message.artifact["kind"] == "Error"


async def test_tools_read_the_facts_of_the_conversation(context: ToolContext) -> None:
    (run,) = await dispatch(SNAPSHOT, [calling("reads_facts")], context, facts={"age": 45})
    assert run.message.artifact["data"]["amount"] == 45
