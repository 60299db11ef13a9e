"""Who may do what over MCP: bearer keys on HTTP, sessions that belong to their key, nothing without one."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from app.mcp_server.http import METADATA_PATH, transport_security
from app.settings import Settings
from tests.api.guarded import Guarded, guarded
from tests.mcp.serving import served

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}
HEADERS = {"Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
async def gate(app: FastAPI, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    folder: Path = tmp_path_factory.mktemp("mcp-gate")
    async with guarded(app, folder, customers=True, rate_limit_turns_per_minute=2) as made:
        await made.key("admin")
        yield made


@pytest.fixture(scope="module")
async def url(gate: Guarded) -> AsyncIterator[str]:
    async with served(gate.app, gate.state) as address:
        yield f"{address}/mcp"


async def asked(url: str, key: str, tool: str, args: dict[str, Any], era: str = "auto") -> Any:
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}) as http,
        Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        names = {item.name for item in (await client.list_tools()).tools}
        resources = {item.name for item in (await client.list_resources()).resources}
        prompts = {item.name for item in (await client.list_prompts()).prompts}
        return names, resources, prompts, await client.call_tool(tool, args)


@pytest.mark.requirement("mcp:access:bearer-roles")
async def test_without_a_key_the_way_in_is_named(url: str) -> None:
    async with httpx2.AsyncClient(headers=HEADERS) as http:
        refused = await http.post(url, json=HELLO)
        assert refused.status_code == 401
        way = refused.headers["www-authenticate"]
        assert way.startswith("Bearer ") and f"{METADATA_PATH}/mcp" in way
        where = way.partition('resource_metadata="')[2].rstrip('"')
        told = (await http.get(where)).json()
        assert told["resource"] == url and told["bearer_methods_supported"] == ["header"]
        wrong = await http.post(url, json=HELLO, headers={"Authorization": "Bearer ia_wrong"})
        assert wrong.status_code == 401 and 'error="invalid_token"' in wrong.headers["www-authenticate"]


@pytest.mark.requirement("mcp:access:bearer-roles")
async def test_customers_have_the_assistant_and_the_search_staff_the_tools(url: str, gate: Guarded) -> None:
    customer, staff = (await gate.key("customer", customer_id="C0001")).key, (await gate.key("staff")).key
    quote = {"product_code": "B00115023", "age": 45, "gender": "M"}
    names, resources, prompts, told = await asked(url, customer, "premium_estimate", quote)
    assert names == {"insurance_chat", "search_documents", "make_proposal"}
    assert told.is_error and "insurance_chat" in told.content[0].text
    assert "forbidden-phrases" not in resources and "underwriting_review" not in prompts
    names, resources, prompts, told = await asked(url, staff, "premium_estimate", quote)
    assert len(names) == 57 and told.structured_content["premium"] == 20625
    assert "forbidden-phrases" in resources and "underwriting_review" in prompts
    _, _, _, answer = await asked(url, customer, "insurance_chat", {"query": "암보험 상품 코드 알려줘"})
    assert "B00" not in answer.content[0].text, "product codes are for staff"


@pytest.mark.requirement("mcp:access:bearer-roles")
async def test_scopes_and_rate_limits_of_a_key_hold(url: str, gate: Guarded) -> None:
    chat_only = (await gate.key("staff", scopes=("chat",))).key
    async with httpx2.AsyncClient(headers={**HEADERS, "Authorization": f"Bearer {chat_only}"}) as http:
        assert (await http.post(url, json=HELLO)).status_code == 403
    tools_only = (await gate.key("staff", scopes=("tools",))).key
    names, _, _, told = await asked(url, tools_only, "insurance_chat", {"query": "안녕하세요"})
    assert "insurance_chat" not in names and told.is_error and "권한" in told.content[0].text
    eager = (await gate.key("staff")).key
    limited = [(await asked(url, eager, "insurance_chat", {"query": "안녕하세요"}))[3] for _ in range(3)]
    assert [bool(one.is_error) for one in limited] == [False, False, True]


@pytest.mark.requirement("mcp:access:sessions-belong-to-their-key")
async def test_a_session_is_another_keys_nothing(url: str, gate: Guarded) -> None:
    mine, other = (await gate.key("staff")).key, (await gate.key("staff")).key
    async with httpx2.AsyncClient(headers=HEADERS) as http:
        opened = await http.post(url, json=HELLO, headers={"Authorization": f"Bearer {mine}"})
        session = {"Mcp-Session-Id": opened.headers["mcp-session-id"]}
        ping = {"jsonrpc": "2.0", "id": 2, "method": "ping"}
        theirs = await http.post(url, json=ping, headers={**session, "Authorization": f"Bearer {other}"})
        assert theirs.status_code == 404
        own = await http.post(url, json=ping, headers={**session, "Authorization": f"Bearer {mine}"})
        assert own.status_code == 200
        ended = await http.delete(url, headers={**session, "Authorization": f"Bearer {mine}"})
        assert ended.status_code == 200
        gone = await http.post(url, json=ping, headers={**session, "Authorization": f"Bearer {mine}"})
        assert gone.status_code == 404


@pytest.mark.requirement("mcp:access:no-rebinding")
async def test_a_page_of_another_site_cannot_reach_a_local_server(mcp_urls: dict[str, str]) -> None:
    async with httpx2.AsyncClient(headers=HEADERS) as http:
        evil = await http.post(mcp_urls["http"], json=HELLO, headers={"Host": "evil.example"})
        assert evil.status_code in (401, 421)
        cross = await http.post(mcp_urls["http"], json=HELLO, headers={"Origin": "http://evil.example"})
        assert cross.status_code == 403
    public = transport_security(Settings(_env_file=None, host="0.0.0.0"))
    assert public.enable_dns_rebinding_protection is False


async def test_plain_curl_can_ask(mcp_urls: dict[str, str]) -> None:
    body = (
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"premium_estimate",'
        '"arguments":{"product_code":"B00115023","age":45,"gender":"M"},"_meta":{'
        '"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}'
    )
    headers = (
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: tools/call",
        "Mcp-Name: premium_estimate",
    )
    given = [part for header in headers for part in ("-H", header)]
    command = ("curl", "-sS", mcp_urls["http"], *given, "-d", body)
    curl = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)
    output, _ = await curl.communicate()
    assert curl.returncode == 0 and b'"premium":20625' in output
