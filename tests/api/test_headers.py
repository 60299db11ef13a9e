"""HTTP hardening: the headers of every answer, CORS, hosts, sizes, times, rates."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from pathlib import Path
from typing import Any

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI

from app.api.limits import MOST_BUCKETS, StreamSlots, TokenBuckets
from app.api.server import HEAD_BYTES, GuardedProtocol
from app.errors import TooManyRequests
from tests.api.guarded import Guarded, guarded
from tests.api.test_errors import check_problem

WEB = Path(__file__).resolve().parents[2] / "web"
TEMPLATES = Path(__file__).resolve().parents[2] / "templates"


@pytest.mark.parametrize(
    "path", ["/", "/docs", "/openapi.json", "/api/me", "/api/health", "/static/api.css", "/api/nothing", "/nothing"]
)
async def test_every_answer_carries_the_security_headers(staff: httpx2.AsyncClient, path: str) -> None:
    headers = (await staff.get(path)).headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cross-origin-opener-policy"] == "same-origin"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "camera=()" in headers["permissions-policy"] and "microphone=()" in headers["permissions-policy"]
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "unsafe" not in headers["content-security-policy"]
    assert "server" not in headers and "x-powered-by" not in headers
    assert "access-control-allow-origin" not in headers
    assert "strict-transport-security" not in headers  # plain http


async def test_data_may_run_nothing_and_is_not_stored(staff: httpx2.AsyncClient) -> None:
    headers = (await staff.get("/api/me")).headers
    assert headers["content-security-policy"].startswith("default-src 'none'")
    assert headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/", "/docs"])
async def test_a_page_admits_its_own_scripts_only_and_no_text_as_html(staff: httpx2.AsyncClient, path: str) -> None:
    first, second = await staff.get(path), await staff.get(path)
    policy = first.headers["content-security-policy"]
    for part in (
        "default-src 'none'",
        "object-src 'none'",
        "base-uri 'none'",
        "form-action 'self'",
        "require-trusted-types-for 'script'",
        "trusted-types dompurify" if path == "/" else "trusted-types 'none'",
    ):
        assert part in policy.split("; ")
    nonce = re.search(r"'nonce-([\w-]{20,})'", policy)
    assert nonce and nonce[0] not in second.headers["content-security-policy"]
    for tag in re.findall(r"<script[^>]*>", first.text):
        assert f'nonce="{nonce[1]}"' in tag
    scripts = re.findall(r"<script([^>]*)>(.*?)</script>", first.text, flags=re.DOTALL)
    inline = [code for attributes, code in scripts if "src=" not in attributes and "application/json" not in attributes]
    assert all("localStorage" in code and len(code) < 200 for code in inline)  # the theme, set before the first paint
    assert not re.search(r"\son\w+\s*=|style\s*=|javascript:", first.text)
    assert not re.search(r"(?:src|href)=\"(?:https?:)?//", first.text)


def test_the_pages_scripts_use_no_way_from_text_to_code() -> None:
    """One function of one file makes HTML, of what the sanitiser passed."""
    sinks = re.compile(
        r"[iI]nnerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser|createPolicy"
    )
    found = {
        path.relative_to(WEB).as_posix(): sinks.findall(path.read_text(encoding="utf-8"))
        for part in ("shared", "chat", "console", "widget")
        for path in (WEB / part).rglob("*.js")
    }
    assert {path: uses for path, uses in found.items() if uses} == {"shared/markdown.js": ["InnerHTML"]}


async def test_behind_tls_browsers_are_told_to_stay_there(gate: Guarded) -> None:
    secure = await gate.client(base="https://127.0.0.1")
    for path in ("/", "/api/me", "/nothing"):
        assert "max-age=31536000" in (await secure.get(path)).headers["strict-transport-security"]


async def test_a_fault_of_ours_tells_nothing_and_carries_the_headers_too(gate: Guarded) -> None:
    async def boom() -> None:
        raise RuntimeError("secret /app/path 010-0123-4567")

    gate.app.add_api_route("/api/boom", boom)
    response = await (await gate.client()).get("/api/boom")
    assert response.status_code == 500 and response.headers["x-content-type-options"] == "nosniff"
    problem = response.json()
    assert problem["type"] == "internal" and problem["request_id"] == response.headers["x-request-id"]
    assert "secret" not in response.text and "RuntimeError" not in response.text


# --- CORS and hosts -----------------------------------------------------------------------------------------------

ASKS = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}


async def test_other_origins_are_shut_out_by_default(gate: Guarded) -> None:
    client = await gate.client()
    other = {"Origin": "https://other.example"}
    assert "access-control-allow-origin" not in (await client.get("/api/me", headers=other)).headers
    preflight = await client.options("/api/chat", headers={**other, **ASKS})
    assert preflight.status_code == 405 and "access-control-allow-origin" not in preflight.headers


async def test_a_listed_origin_may_call_without_cookies(app: FastAPI, tmp_path: Path) -> None:
    async with guarded(app, tmp_path, cors_origins="https://partner.example") as gate:
        client = await gate.client((await gate.key("customer")).key)
        good, bad = {"Origin": "https://partner.example"}, {"Origin": "https://partner.example.evil.example"}
        allowed = await client.options("/api/chat", headers={**good, **ASKS})
        assert allowed.headers["access-control-allow-origin"] == good["Origin"]
        assert "access-control-allow-credentials" not in allowed.headers
        reply = await client.post("/api/chat", json={"query": "암보험 종류"}, headers=good)
        assert reply.status_code == 200 and reply.headers["access-control-allow-origin"] == good["Origin"]
        refused = await client.options("/api/chat", headers={**bad, **ASKS})
        assert "access-control-allow-origin" not in refused.headers


async def test_only_listed_hosts_are_served(app: FastAPI, tmp_path: Path) -> None:
    async with guarded(app, tmp_path, allowed_hosts="chat.example, *.branch.example") as gate:
        client = await gate.client()
        for host, status in {
            "chat.example": 200,
            "CHAT.example:8443": 200,
            "seoul.branch.example": 200,
            "branch.example": 400,
            "chat.example.evil.example": 400,
            "127.0.0.1": 400,
            "[::": 400,
            "": 400,
        }.items():
            assert (await client.get("/api/me", headers={"Host": host})).status_code == status, host
        assert (await client.get("/api/health/live", headers={"Host": "127.0.0.1"})).status_code == 200


# --- sizes and times ----------------------------------------------------------------------------------------------


async def test_headers_above_the_limit_are_431(gate: Guarded) -> None:
    client = await gate.client()
    check_problem(await client.get("/api/me", headers={"X-Long": "x" * 20_000}), 431)
    check_problem(await client.get("/api/me", headers={f"X-{n}": "1" for n in range(120)}), 431)


async def test_a_body_that_does_not_come_is_408(app: FastAPI, tmp_path: Path) -> None:
    async with guarded(app, tmp_path, body_timeout_s=0.2) as gate:
        sent: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            await asyncio.sleep(0.1)
            return {"type": "http.request", "body": b"x", "more_body": True}

        async def send(message: dict[str, Any]) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "method": "POST",
            "path": "/api/chat",
            "raw_path": b"/api/chat",
            "query_string": b"",
            "headers": [(b"content-type", b"application/json")],
            "scheme": "http",
            "client": ("203.0.113.1", 1),
            "server": ("127.0.0.1", 80),
            "root_path": "",
            "http_version": "1.1",
            "state": dict(gate.state),
        }
        await gate.app(scope, receive, send)  # type: ignore[arg-type]
        assert sent[0]["status"] == 408
        assert json.loads(sent[1]["body"])["type"] == "request-timeout"


# --- rates --------------------------------------------------------------------------------------------------------


async def test_too_many_requests_of_one_principal_are_429_and_others_go_on(app: FastAPI, tmp_path: Path) -> None:
    async with guarded(app, tmp_path, rate_limit_per_minute=5) as gate:
        busy = await gate.client((await gate.key("staff")).key)
        other = await gate.client((await gate.key("staff")).key)
        answers = [await busy.get("/api/me") for _ in range(6)]
        assert [a.status_code for a in answers] == [200] * 5 + [429]
        problem = check_problem(answers[-1], 429)
        assert problem["type"] == "too-many-requests"
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 12
        assert (await other.get("/api/me")).status_code == 200


async def test_questions_have_a_limit_of_their_own(app: FastAPI, tmp_path: Path) -> None:
    async with guarded(app, tmp_path, rate_limit_turns_per_minute=2) as gate:
        visitor = await gate.client()
        answers = [await visitor.post("/api/chat", json={"query": "안녕하세요"}) for _ in range(3)]
        assert [a.status_code for a in answers] == [200, 200, 429]
        check_problem(await visitor.post("/api/chat/stream", json={"query": "안녕하세요"}), 429)
        assert (await visitor.get("/api/me")).status_code == 200


async def test_dropping_the_cookie_does_not_get_around_the_limit(app: FastAPI, tmp_path: Path) -> None:
    async with guarded(app, tmp_path, rate_limit_address_per_minute=3) as gate:
        answers = [(await (await gate.client()).get("/api/me")).status_code for _ in range(4)]
        assert answers == [200, 200, 200, 429]
        assert (await (await gate.client(address="203.0.113.10")).get("/api/me")).status_code == 200


def test_a_bucket_is_exact_and_their_number_is_bounded() -> None:
    now = 0.0
    buckets = TokenBuckets(3, "요청이", clock=lambda: now)
    for _ in range(3):
        buckets.spend("a")
    with pytest.raises(TooManyRequests) as caught:
        buckets.spend("a")
    assert caught.value.retry_after_s == 20
    now = 19.9
    with pytest.raises(TooManyRequests):
        buckets.spend("a")
    now = 20.1
    buckets.spend("a")
    for number in range(MOST_BUCKETS + 50):
        buckets.spend(f"n{number}")
    assert len(buckets._left) == MOST_BUCKETS


def test_streams_are_counted_by_principal_and_given_back() -> None:
    slots = StreamSlots(2)
    with slots.slot("a"), slots.slot("a"):
        with pytest.raises(TooManyRequests), slots.slot("a"):
            pass
        with slots.slot("b"):
            pass
    with slots.slot("a"), slots.slot(None):
        pass


async def test_a_principal_may_not_hold_more_streams_than_allowed(app: FastAPI, tmp_path: Path) -> None:
    async with guarded(app, tmp_path, max_streams=1) as gate:
        made = await gate.key("customer")
        client = await gate.client(made.key)
        with gate.gate.streams.slot(f"key:{made.record.key_id}"):
            check_problem(await client.post("/api/chat/stream", json={"query": "안녕하세요"}), 429)
        assert (await client.post("/api/chat/stream", json={"query": "안녕하세요"})).status_code == 200
        assert not gate.gate.streams._open


# --- the socket ---------------------------------------------------------------------------------------------------


async def _server(app: FastAPI, protocol: type[Any]) -> tuple[uvicorn.Server, asyncio.Task[None], int]:
    config = uvicorn.Config(app, port=0, http=protocol, ws="none", log_config=None, lifespan="off")
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve())
    async with asyncio.timeout(10):
        while not server.started:  # noqa: ASYNC110  uvicorn tells it by this flag alone
            await asyncio.sleep(0.01)
    return server, task, server.servers[0].sockets[0].getsockname()[1]


async def test_a_head_without_end_or_without_haste_is_cut_off(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.api.server.HEAD_TIMEOUT_S", 0.3)
    server, task, port = await _server(app, GuardedProtocol)
    try:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        with contextlib.suppress(ConnectionError):
            writer.write(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: " + b"a" * (HEAD_BYTES + 70_000))
            await writer.drain()
            assert b" 431 " in await asyncio.wait_for(reader.read(200), 5)
        writer.close()
        for start in (b"", b"GET / HTTP/1.1\r\nHost:"):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(start)
            assert await asyncio.wait_for(reader.read(), 5) == b""
            writer.close()
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(2):  # a second request on the same connection is as good as the first
            writer.write(b"GET /api/health/live HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
            assert b" 200 " in await asyncio.wait_for(reader.read(65_536), 5)
            await asyncio.sleep(0.05)
        writer.close()
    finally:
        server.should_exit = True
        await task
