"""A tool whose own code fails is told alike in a talk, over REST and over MCP: not as the caller's mistake."""

from __future__ import annotations

import logging
import uuid
from collections.abc import AsyncIterator

import httpx2
import pytest
from fastapi import FastAPI
from mcp import Client

from app.access import LOCAL_ADMIN
from app.errors import ToolBroken
from app.mcp_server.call import Caller
from app.mcp_server.server import InsuranceServer, offers
from tests.api.conftest import _client
from tests.api.own_app import PARCEL_CARD, running_app

TOOL = '''
from langchain_core.tools import tool
from pydantic import BaseModel


class Parcel(BaseModel):
    weight: int


@tool
def policy_parcel(amount: int = 1) -> str:
    """보험증권 등기우편의 무게를 알려 준다."""
    return str(Parcel.model_validate({"weight": "".join(reversed("동길홍"))}))


TOOLS = [policy_parcel]
'''
TOLD = str(ToolBroken())


@pytest.fixture(scope="module")
async def broken_app(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[FastAPI]:
    extras = tmp_path_factory.mktemp("parcels")
    (extras / "parcels.py").write_text(TOOL, encoding="utf-8")
    (extras / "parcels.yaml").write_text(PARCEL_CARD, encoding="utf-8")
    async with running_app(tmp_path_factory.mktemp("parcels-var"), tool_paths=str(extras)) as application:
        yield application


@pytest.fixture
async def local(broken_app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    async with _client(broken_app) as client:
        yield client


async def over_mcp(application: FastAPI, **args: object) -> str:
    state = application.state.yielded
    made = InsuranceServer(
        state["services"], offers(state["services"], state["hub"]), Caller(LOCAL_ADMIN), page_size=10
    )
    async with Client(made.build()) as client:
        told = await client.call_tool("policy_parcel", args)
    assert told.is_error
    return str(told.content[0].text)  # type: ignore[union-attr]


async def test_every_way_to_a_tool_tells_its_own_fault_in_the_same_words(
    broken_app: FastAPI, local: httpx2.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.ERROR, logger="app"):
        invoked = await local.post("/api/tools/policy_parcel/invoke", json={"args": {"amount": 3}})
        body = {"query": "보험증권 등기우편 무게가 얼마예요", "thread_id": uuid.uuid4().hex}
        talked = (await local.post("/api/chat", json=body)).json()
        over = await over_mcp(broken_app, amount=3)
    assert invoked.status_code == 500 and invoked.json()["type"] == "tool-broken"
    assert invoked.json()["detail"] == over == TOLD
    assert "인자" not in talked["answer"] and TOLD in talked["answer"], talked["answer"]
    assert caplog.text.count("tool policy_parcel failed by itself") == 3 and "parcels.py" in caplog.text
    assert "홍길동" not in caplog.text + talked["answer"]
    counted = (await local.get("/metrics")).text
    assert 'assistant_tool_broken_total{tool="policy_parcel"} 3.0' in counted


async def test_arguments_that_do_not_fit_are_told_as_such_and_not_counted(
    broken_app: FastAPI, local: httpx2.AsyncClient
) -> None:
    before = (await local.get("/metrics")).text.count("assistant_tool_broken_total{")
    invoked = await local.post("/api/tools/policy_parcel/invoke", json={"args": {"amount": "많이"}})
    assert invoked.status_code == 422 and invoked.json()["errors"][0]["field"] == "args"
    assert "amount: 정수여야 합니다" in invoked.json()["detail"] == await over_mcp(broken_app, amount="많이")
    assert (await local.get("/metrics")).text.count("assistant_tool_broken_total{") == before
