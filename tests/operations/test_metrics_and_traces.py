"""Turns are counted, timed and traced from what they tell, and nobody's words are in it."""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client.parser import text_string_to_metric_families

from app.adapters.log_context import REQUEST_ID, RUN_ID
from app.adapters.metrics import Metrics
from app.adapters.tracing import Tracing, open_tracing
from app.api.app import create_app
from app.api.logs import JsonFormatter
from app.graph.measuring import TurnMeter
from app.settings import Settings
from tests.state import lay_out

QUESTION = "실속치매보험 쉰여섯 여자 보험료요"


@pytest.fixture(scope="module")
async def app(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FastAPI]:
    made = create_app(Settings(_env_file=None, data_dir=lay_out(tmp_path_factory.mktemp("metrics"))))
    async with made.router.lifespan_context(made) as state:
        made.state.yielded = state
        yield made


def client(app: FastAPI, **headers: str) -> httpx2.AsyncClient:
    async def asgi(scope, receive, send):  # type: ignore[no-untyped-def]
        scope["state"] = dict(app.state.yielded)
        await app(scope, receive, send)

    transport = httpx2.ASGITransport(app=asgi)
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60)


def values(text: str) -> dict[str, float]:
    """Every sample as `name{a=b}`."""
    found = {}
    for family in text_string_to_metric_families(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            found[f"{sample.name}{{{labels}}}"] = sample.value
    return found


async def test_a_turn_is_counted_and_timed_in_every_stage(app: FastAPI) -> None:
    async with client(app) as local:
        for question in (QUESTION, "오늘 서울 날씨 어때?", "안녕하세요"):
            assert (await local.post("/api/chat", json={"query": question})).status_code == 200
        answer = await local.get("/metrics")
    assert answer.status_code == 200 and answer.headers["content-type"].startswith("text/plain")
    seen = values(answer.text)
    assert seen["assistant_turns_total{engine=embedded-planner,outcome=answered}"] >= 2
    assert sum(v for k, v in seen.items() if k.startswith("assistant_turns_total")) == 3
    assert seen["assistant_tool_calls_total{status=ok,tool=premium_estimate}"] == 1
    for stage in ("input_guardrail", "query_rewriter", "agent", "tools", "output_guardrail"):
        assert seen[f"assistant_stage_seconds_count{{stage={stage}}}"] >= 1
    assert seen["assistant_http_requests_total{method=POST,route=/api/chat,status=200}"] == 3
    assert seen["assistant_part_up{part=database}"] == 1 and seen["assistant_tools{}"] == 54
    assert seen["assistant_turns_running{}"] == 0 and seen["assistant_turns_waiting{}"] == 0
    assert QUESTION not in answer.text


async def test_metrics_are_for_operators_and_for_this_machine(app: FastAPI) -> None:
    async with client(app, **{"X-Forwarded-For": "203.0.113.9"}) as visitor:
        assert (await visitor.get("/metrics")).status_code == 403
    keys = app.state.yielded["gatekeeper"].keys
    for role, status in (("staff", 403), ("operator", 200)):
        made = await keys.create(label=role, role=role, created_by="test")
        async with client(app, **{"X-Forwarded-For": "203.0.113.9", "Authorization": f"Bearer {made.key}"}) as caller:
            assert (await caller.get("/metrics")).status_code == status
        await keys.revoke(made.record.key_id)


async def test_ready_says_no_while_the_database_is_away(app: FastAPI) -> None:
    services = app.state.yielded["services"]
    async with client(app) as local:
        assert (await local.get("/api/health/ready")).status_code == 200
        connection = services.storage.checkpoints.conn
        services.storage.checkpoints.conn = _Gone()
        try:
            assert (await local.get("/api/health/ready")).status_code == 503
        finally:
            services.storage.checkpoints.conn = connection
        assert (await local.get("/api/health/ready")).status_code == 200


class _Gone:
    """A connection whose file is gone."""

    def cursor(self) -> None:
        raise OSError("disk I/O error")


def test_a_turn_is_one_trace_of_nodes_tools_and_the_model() -> None:
    exporter = InMemorySpanExporter()
    tracing = Tracing(exporter)
    meter = TurnMeter(Metrics(), tracing, "run1", "planner")
    meter.began()
    meter.heard("node_start", {"node": "tools"})
    meter.heard("tool_start", {"tool": "rag_terms_query_engine", "input": {"query": "비밀 질문"}})
    meter.heard("tool_end", {"tool": "rag_terms_query_engine", "status": "ok", "duration_ms": 3.0})
    meter.heard("node_end", {"node": "tools", "duration_ms": 4.0})
    meter.heard("usage", {"model": "m", "input_tokens": 10, "output_tokens": 5, "cost_usd": 0.1})
    meter.heard("error", {"type": "timeout"})
    meter.close()
    tracing.flush()
    spans = {span.name: span for span in exporter.get_finished_spans()}
    assert set(spans) == {"turn", "node tools", "retrieval rag_terms_query_engine", "model m"}
    assert spans["node tools"].parent.span_id == spans["turn"].context.span_id
    assert spans["retrieval rag_terms_query_engine"].parent.span_id == spans["node tools"].context.span_id
    assert spans["turn"].attributes["outcome"] == "timeout" and not spans["turn"].status.is_ok
    assert "비밀" not in str([(span.name, dict(span.attributes or {})) for span in spans.values()])
    tracing.close()


def test_nothing_is_traced_by_default(tmp_path: Path) -> None:
    assert open_tracing(Settings(_env_file=None, data_dir=tmp_path)).tracer is None


def test_json_log_lines_name_request_and_run_and_hide_people() -> None:
    REQUEST_ID.set("req-1")
    RUN_ID.set("run-1")
    record = logging.makeLogRecord(
        {"name": "a", "levelname": "INFO", "msg": "전화 %s\n거짓", "args": ("010-1234-5678",)}
    )
    line = JsonFormatter().format(record)
    told = json.loads(line)
    assert "\n" not in line and told["request_id"] == "req-1" and told["run_id"] == "run-1"
    assert "1234-5678" not in told["message"] and told["level"] == "INFO"
