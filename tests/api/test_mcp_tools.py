"""What MCP clients are offered, and that it is the same as over REST."""

from __future__ import annotations

import random
from typing import Any

import httpx2
import jsonschema
import pytest
from fastapi import FastAPI
from mcp import Client

from app.access import LOCAL_ADMIN
from app.mcp_server.call import Caller
from app.mcp_server.paging import page
from app.mcp_server.server import InsuranceServer, offers
from app.services import Services
from tests.mcp.arguments import random_args
from tests.mcp.serving import connected

OWN = ("insurance_chat", "search_documents", "make_proposal")
ROUNDS = 3


def built_in(services: Services) -> list[str]:
    return [entry.name for entry in services.tools.registry.snapshot().entries if entry.source == "builtin"]


@pytest.mark.requirement("mcp:tools:all-and-insurance-chat")
async def test_clients_see_the_54_tools_and_the_servers_own(mcp_urls: dict[str, str], services: Services) -> None:
    async with connected(mcp_urls["http"]) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    names = built_in(services)
    assert len(names) == 54 and {*names, *OWN} <= tools.keys()
    for name in (*names, *OWN):
        tool = tools[name]
        assert tool.title and tool.description and tool.annotations is not None
        assert any("가" <= char <= "힣" for char in tool.description), name
        assert tool.input_schema["type"] == "object" and tool.output_schema is not None
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
    assert tools["contract_manage"].annotations.destructive_hint is True  # type: ignore[union-attr]
    assert tools["premium_estimate"].annotations.read_only_hint is True  # type: ignore[union-attr]


@pytest.mark.requirement("mcp:tools:equal-to-rest")
async def test_every_tool_answers_random_arguments_as_over_rest(
    mcp_urls: dict[str, str], services: Services, staff: httpx2.AsyncClient
) -> None:
    draw = random.Random(20261127)
    codes = tuple(product.code for product in services.knowledge.catalogue.products)
    answered: dict[str, int] = {}
    async with connected(mcp_urls["http"]) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        for name in built_in(services):
            for _ in range(ROUNDS):
                args = random_args(tools[name].input_schema, codes, draw)
                told = await client.call_tool(name, args)
                rest = await staff.post(f"/api/tools/{name}/invoke", json={"args": args})
                if told.is_error:
                    assert rest.status_code == 422, (name, args, rest.text)
                    assert told.content[0].text == rest.json()["detail"]  # type: ignore[union-attr]
                    continue
                assert rest.status_code == 200, (name, args, rest.text)
                assert told.structured_content == rest.json()["result"], (name, args)
                jsonschema.validate(told.structured_content, tools[name].output_schema)
                answered[name] = answered.get(name, 0) + 1
    assert len(answered) == 54, set(built_in(services)) - answered.keys()


@pytest.mark.requirement("documents:mcp:search-documents-tool")
@pytest.mark.parametrize(
    "args",
    [
        {"query": "보험료를 못 내면"},
        {"query": "면책기간", "mode": "keyword", "topK": 3},
        {"query": "암 진단비", "mode": "hybrid", "fusionStrategy": "weighted_sum", "vectorWeight": 0.8},
        {"query": "제15조", "mode": "graph", "projectId": "insurance", "kind": "terms"},
        {"query": "청약 철회", "mode": "semantic", "similarityThreshold": 0.5},
    ],
)
async def test_search_documents_takes_and_returns_the_same_as_rest(
    mcp_urls: dict[str, str], staff: httpx2.AsyncClient, args: dict[str, Any]
) -> None:
    async with connected(mcp_urls["http"]) as client:
        told = (await client.call_tool("search_documents", args)).structured_content
    rest = (await staff.post("/api/documents/search", json=args)).json()
    for reply in (told, rest):
        reply["metadata"].pop("queryTime")
    assert told == rest and rest["results"]


@pytest.mark.requirement("documents:mcp:search-documents-tool")
async def test_search_documents_tells_every_wrong_value(mcp_urls: dict[str, str]) -> None:
    async with connected(mcp_urls["http"]) as client:
        told = await client.call_tool("search_documents", {"query": "암", "mode": "magic", "topK": 0})
    text = told.content[0].text  # type: ignore[union-attr]
    assert told.is_error and "mode" in text and "topK" in text


async def test_wrong_arguments_are_told_in_korean_and_unknown_tools_are_protocol_errors(
    mcp_urls: dict[str, str],
) -> None:
    async with connected(mcp_urls["http"]) as client:
        told = await client.call_tool("premium_estimate", {"product_code": "B00115023", "age": "마흔"})
        assert told.is_error and "age: 정수여야 합니다" in told.content[0].text  # type: ignore[union-attr]
        with pytest.raises(Exception, match="등록되어 있지 않습니다"):
            await client.call_tool("no_such_tool", {})


@pytest.mark.requirement("mcp:protocol:pagination")
async def test_lists_come_in_pages_with_cursors_that_hold_for_one_version() -> None:
    items = list(range(25))
    seen: list[int] = []
    cursor: str | None = None
    for _ in range(3):
        found, cursor = page(items, cursor, 10, version=7)
        seen += found
    assert seen == items and cursor is None
    _, cursor = page(items, None, 10, version=7)
    for wrong, version in ((cursor, 8), ("bm9uZQ==", 7), ("%%%", 7), ("WzcsIDk5XQ==", 7)):
        with pytest.raises(Exception, match="처음부터 다시"):
            page(items, wrong, 10, version=version)


@pytest.mark.requirement("mcp:protocol:pagination")
async def test_a_client_reaches_every_tool_page_by_page(services: Services, app: FastAPI) -> None:
    made = InsuranceServer(services, offers(services, app.state.yielded["hub"]), Caller(LOCAL_ADMIN), page_size=10)
    names: list[str] = []
    async with Client(made.build()) as client:
        cursor: str | None = None
        while True:
            found = await client.list_tools(cursor=cursor)
            assert 0 < len(found.tools) <= 10
            names += [tool.name for tool in found.tools]
            if (cursor := found.next_cursor) is None:
                break
    assert len(names) == len(set(names)) >= 57 and {*built_in(services), *OWN} <= set(names)


@pytest.mark.requirement("mcp:resources:nineteen")
async def test_the_19_resources_are_read_for_every_product(mcp_urls: dict[str, str], services: Services) -> None:
    async with connected(mcp_urls["http"]) as client:
        fixed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
        own = [template for template in templates if "proposal_id" in template.uri_template]
        assert len(fixed) + len(templates) - len(own) == 19
        for resource in fixed:
            assert await _json(client, str(resource.uri))
        for template in (template for template in templates if template not in own):
            for product in services.knowledge.catalogue.products:
                data = await _json(client, template.uri_template.replace("{product_code}", product.code))
                assert data["code"] == product.code
        table = await _json(client, "insurance://products/B00115023/premium-table")
        assert {"age": 45, "premium": 20625} in table["premiums"]["M"]
        with pytest.raises(Exception, match="B99999999"):
            await _json(client, "insurance://products/B99999999")
        with pytest.raises(Exception, match="찾을 수 없습니다"):
            await _json(client, "insurance://secrets")


async def _json(client: Client, uri: str) -> Any:
    import json

    [contents] = (await client.read_resource(uri)).contents
    assert contents.mime_type == "application/json"
    return json.loads(contents.text)  # type: ignore[union-attr]


@pytest.mark.requirement("mcp:prompts:eight")
async def test_the_8_prompts_are_filled_with_arguments_and_data(mcp_urls: dict[str, str]) -> None:
    given = {
        "product_code": "B00115023", "product_codes": "B00115023,B00355005", "customer_words": "암이 걱정돼요",
        "age": "45", "gender": "F", "history": "고혈압", "text": "무조건 이득입니다", "event": "맹장 수술",
    }  # fmt: skip
    async with connected(mcp_urls["http"]) as client:
        prompts = (await client.list_prompts()).prompts
        assert len(prompts) == 8
        names = {tool.name for tool in (await client.list_tools()).tools}
        for prompt in prompts:
            assert prompt.title and prompt.description
            args = {argument.name: given[argument.name] for argument in prompt.arguments or () if argument.required}
            filled = await client.get_prompt(prompt.name, args)
            words = filled.messages[-1].content.text  # type: ignore[union-attr]
            assert all(value in words for value in args.values() if len(value) > 2 or value == "45")
            assert "{{" not in words and "{%" not in words
            named = {word.strip("(),.로으과와를을은는에") for word in words.split() if "_" in word}
            assert not [name for name in named if name.isascii() and name not in names], named
            assert any(message.content.type == "resource" for message in filled.messages)
        with pytest.raises(Exception, match="product_code"):
            await client.get_prompt("analyze_product", {})


@pytest.mark.requirement("mcp:completions:product-codes")
async def test_product_codes_are_completed_by_code_and_by_name(mcp_urls: dict[str, str], services: Services) -> None:
    from mcp_types import PromptReference, ResourceTemplateReference

    analyse = PromptReference(name="analyze_product")
    riders = ResourceTemplateReference(uri="insurance://products/{product_code}/riders")
    async with connected(mcp_urls["http"]) as client:
        found = await client.complete(analyse, {"name": "product_code", "value": "B001"})
        codes = found.completion.values
        assert codes and all(code.startswith("B001") for code in codes)
        by_name = (await client.complete(riders, {"name": "product_code", "value": "치아"})).completion.values
        assert by_name and all("치아" in services.knowledge.catalogue.product(code).name for code in by_name)
        several = PromptReference(name="compare_products")
        second = await client.complete(several, {"name": "product_codes", "value": "B00115023, B0035"})
        assert "B00115023,B00355005" in second.completion.values
        gender = await client.complete(analyse, {"name": "gender", "value": ""})
        assert gender.completion.values == ["M", "F"]
        with pytest.raises(Exception, match="찾을 수 없습니다"):
            await client.complete(PromptReference(name="nothing"), {"name": "x", "value": ""})
