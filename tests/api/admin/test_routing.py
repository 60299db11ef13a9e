"""The routing playground: what would happen to a question, by the cards in force and by others; nothing is kept."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select

from app.adapters.tables import approvals, threads, turns
from app.services import Services
from tests.api.guarded import Guarded, guarded
from tests.api.own_app import opened_with

TRY = "/api/admin/routing/try"


opened = opened_with()


async def tried(client: httpx2.AsyncClient, query: str, **body: Any) -> dict[str, Any]:
    answer = await client.post(TRY, json={"query": query, **body})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.requirement("console:routing:shows-every-step")
async def test_every_step_of_a_question_after_others_is_told(client: httpx2.AsyncClient) -> None:
    now = (await tried(client, "그거 얼마야?", history=["45세 남자 뉴스타트암보험 알려줘"], role="staff"))["now"]
    assert now["guard"]["input"] == "pass" and now["rewritten_query"] == "뉴스타트암보험 얼마야?"
    best = now["candidates"][0]
    assert best["tool"] == "premium_estimate" and best["matched"]
    assert {"keyword", "embedding", "graph", "head"} <= best["sources"].keys()
    (call,) = now["planned"]["calls"]
    assert call["tool"] == "premium_estimate" and call["needs_approval"] is False
    assert call["args"] == {"product_code": "B00115023", "age": 45, "gender": "M"}
    assert now["times"]["history_ms"] > 0 and now["times"]["planned_ms"] > 0


async def test_a_question_that_is_blocked_or_needs_no_tool_says_so(client: httpx2.AsyncClient) -> None:
    outside = (await tried(client, "요즘 볼 만한 영화 추천해 줘"))["now"]
    assert outside["guard"]["input"] == "block" and outside["planned"]["calls"] == []
    thanks = (await tried(client, "고맙습니다"))["now"]
    assert thanks["planned"]["calls"] == [] and thanks["planned"]["answer"]


async def test_what_lacks_a_fact_is_asked_back_without_a_call(client: httpx2.AsyncClient) -> None:
    now = (await tried(client, "뉴스타트암보험 보험료 얼마예요?"))["now"]
    assert now["planned"]["calls"] or now["planned"]["needs_input"]


@pytest.mark.requirement("console:routing:leaves-nothing-behind")
async def test_nothing_is_run_or_kept(services: Services, client: httpx2.AsyncClient) -> None:
    async def rows() -> list[int]:
        return [
            await services.storage.database.value(select(func.count()).select_from(table))
            for table in (threads, turns, approvals)
        ]

    before = await rows()
    asked = ["P000001 계약 해지 접수해 주세요"]
    found = await tried(client, "네, 접수해 주세요", history=asked, role="admin")
    assert found["now"]["planned"]["fault"] is None
    await tried(client, "P000001 계약 해지 접수해 주세요", role="admin")
    assert await rows() == before


@pytest.mark.requirement("console:routing:two-versions-side-by-side")
async def test_the_draft_of_a_card_stands_beside_the_card_in_force(
    services: Services, client: httpx2.AsyncClient
) -> None:
    tool = "privacy_masking"
    card = (await client.get(f"/api/tools/{tool}/card")).json()["card"]
    lines = [f"달무리 우산 보험료 {word} 셈해 주세요" for word in ("얼마인지", "다달이", "한 달치", "매달 낼 돈")]
    draft = {**card, "when_to_use": lines, "purpose": "달무리 우산의 보험료를 셈한다."}
    saved = await client.put(f"/api/tools/{tool}/card", json={"card": draft, "preview": False})
    assert saved.json()["faults"] == [] and saved.json()["preview"] is None
    snapshot = services.tools.registry.snapshot()
    found = await tried(client, "달무리 우산 보험료 좀 셈해 주세요", against={"tool": tool}, top_k=54)
    rank = {
        side: next(one for one in found[side]["candidates"] if one["tool"] == tool)["sources"]["keyword"]["rank"]
        for side in ("now", "against")
        if any(one["tool"] == tool and "keyword" in one["sources"] for one in found[side]["candidates"])
    }
    assert rank["against"] == 1 and rank.get("now", 99) > 1
    assert services.tools.registry.snapshot() is snapshot
    as_filed = await tried(client, "달무리 우산", against={"tool": tool, "version": 0})
    assert as_filed["against"]["candidates"] == as_filed["now"]["candidates"]
    assert (await client.delete(f"/api/tools/{tool}/card/draft")).status_code == 200
    gone = await client.post(TRY, json={"query": "달무리 우산", "against": {"tool": tool}})
    assert gone.status_code == 404 and "초안" in gone.json()["detail"]


@pytest.fixture(scope="module")
async def gate(app: FastAPI, tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Guarded]:
    async with guarded(app, tmp_path_factory.mktemp("console-roles-var")) as held:
        yield held


async def test_nobody_tries_above_the_own_role_and_cards_are_compared_by_operators(gate: Guarded) -> None:
    staff = await gate.client((await gate.key("staff")).key)
    assert (await staff.post(TRY, json={"query": "보험료", "role": "staff"})).status_code == 200
    assert (await staff.post(TRY, json={"query": "보험료", "role": "admin"})).status_code == 403
    other = {"tool": "premium_estimate", "version": 0}
    assert (await staff.post(TRY, json={"query": "보험료", "against": other})).status_code == 403
    operator = await gate.client((await gate.key("operator")).key)
    assert (await operator.post(TRY, json={"query": "보험료", "against": other})).status_code == 200
    customer = await gate.client((await gate.key("customer")).key)
    assert (await customer.post(TRY, json={"query": "보험료"})).status_code == 403


CALLS: tuple[tuple[str, str, Any], ...] = (
    ("GET", "/api/admin/cards", None),
    ("POST", "/api/tools/nothing/card/preview", {"card": {}}),
    ("DELETE", "/api/tools/nothing/card/draft", None),
    ("GET", "/api/admin/cases", None),
    ("POST", "/api/admin/cases", {"query": "보험료"}),
    ("GET", "/api/admin/evaluation/suites", None),
    ("GET", "/api/admin/evaluation/runs", None),
    ("POST", "/api/admin/evaluation/runs", {"suite": "nothing"}),
)


@pytest.mark.parametrize(("method", "path", "body"), CALLS, ids=[f"{c[0]} {c[1]}" for c in CALLS])
async def test_the_calls_of_the_evaluation_and_the_cards_are_for_operators(
    gate: Guarded, method: str, path: str, body: Any
) -> None:
    staff = await gate.client((await gate.key("staff")).key)
    assert (await staff.request(method, path, json=body)).status_code == 403
    operator = await gate.client((await gate.key("operator")).key)
    assert (await operator.request(method, path, json=body)).status_code not in (401, 403)
