"""The list of cards, previews of what a card would change, lines near another card's."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from app.editing.collisions import collisions
from app.services import Services
from tests.api.own_app import opened_with

TOOL = "surrender_value_explain"


opened = opened_with()


async def listed(client: httpx2.AsyncClient, **query: Any) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get("/api/admin/cards", params=query)).json()
    return found


async def card_of(client: httpx2.AsyncClient, tool: str = TOOL) -> dict[str, Any]:
    card: dict[str, Any] = (await client.get(f"/api/tools/{tool}/card")).json()["card"]
    return card


@pytest.mark.requirement("console:cards:list")
async def test_the_list_tells_versions_drafts_and_collisions(client: httpx2.AsyncClient) -> None:
    every = await listed(client, limit=1000)
    assert every["total"] == 54 == len(every["cards"])
    card = await card_of(client)
    with_line = {**card, "when_to_use": [*card["when_to_use"], "달빛 우산을 접으면 얼마를 돌려받는지요"]}
    await client.put(f"/api/tools/{TOOL}/card", json={"card": with_line, "preview": False})
    (row,) = (await listed(client, only="draft"))["cards"]
    assert row["tool"] == TOOL and row["draft_author"] == "local" and row["version"] == 0
    done = await client.put(f"/api/tools/{TOOL}/card", json={"publish": True, "note": "우산"})
    assert done.status_code == 200, done.text
    (row,) = (await listed(client, only="edited"))["cards"]
    assert row["tool"] == TOOL and row["version"] == 2 and row["author"] == "local" and row["draft_at"] is None
    assert (await client.post(f"/api/tools/{TOOL}/card/rollback", json={"version": 0})).status_code == 200
    assert (await listed(client, only="edited"))["total"] == 0


@pytest.mark.requirement("loaded-tools:arguments:card")
async def test_an_edited_card_says_how_arguments_are_told(client: httpx2.AsyncClient) -> None:
    card = await card_of(client)
    hints = {"product_code": {"label": "물어볼 상품", "ask": "어느 상품인가요?"}}
    saved = await client.put(f"/api/tools/{TOOL}/card", json={"card": {**card, "arguments": hints}, "preview": False})
    assert saved.json()["faults"] == []
    done = await client.put(f"/api/tools/{TOOL}/card", json={"publish": True, "note": "인자"})
    assert done.status_code == 200, done.text
    (newest, *_) = (await client.get(f"/api/tools/{TOOL}/card/versions")).json()["versions"]
    told = ["product_code.label: 물어볼 상품", "product_code.ask: 어느 상품인가요?"]
    assert newest["diff"] == [{"field": "arguments", "removed": [], "added": told}]
    wrong = {**card, "arguments": {"colour": {"label": "색"}}}
    refused = await client.put(f"/api/tools/{TOOL}/card", json={"card": wrong, "preview": False})
    assert refused.json()["faults"][0].startswith("arguments.colour: ")
    assert (await client.post(f"/api/tools/{TOOL}/card/rollback", json={"version": 0})).status_code == 200


async def test_the_list_is_searched_by_name_and_first_consonants_sorted_and_paged(client: httpx2.AsyncClient) -> None:
    assert [row["tool"] for row in (await listed(client, q="premium_est"))["cards"]] == ["premium_estimate"]
    assert "premium_estimate" in [row["tool"] for row in (await listed(client, q="ㅂㅎㄹㄱㅅ"))["cards"]]
    by_lines = [row["lines"] for row in (await listed(client, sort="lines", order="desc"))["cards"]]
    assert by_lines == sorted(by_lines, reverse=True)
    page = await listed(client, sort="lines", order="desc", offset=5, limit=3)
    assert [row["lines"] for row in page["cards"]] == by_lines[5:8] and page["total"] == 54
    colliding = await listed(client, only="colliding")
    assert colliding["total"] == colliding["counts"]["colliding"] > 0


@pytest.mark.requirement("console:cards:preview")
async def test_a_preview_tells_where_new_lines_lead_and_what_they_collide_with(
    services: Services, client: httpx2.AsyncClient
) -> None:
    card = await card_of(client)
    snapshot = services.tools.registry.snapshot()
    other = snapshot.entry("premium_estimate").card.when_to_use[1]
    lines = ["달빛 우산을 접으면 얼마를 돌려받는지요", f"{other}??!"[:-3] + " 요"]
    wanted = {**card, "when_to_use": [*card["when_to_use"], *lines]}
    found = (await client.post(f"/api/tools/{TOOL}/card/preview", json={"card": wanted})).json()
    assert found["faults"] == []
    preview = found["preview"]
    assert [one["line"] for one in preview["lines"]] == lines
    assert preview["lines"][1]["first_after"] == "premium_estimate"
    assert any(one["line"] == lines[1] and one["other"] == "premium_estimate" for one in preview["collisions"])
    assert preview["tools"][0]["tool"] == TOOL and preview["suite"]["cases"] >= 82
    assert services.tools.registry.snapshot() is snapshot
    assert (await client.get(f"/api/tools/{TOOL}/card")).json()["draft"] is None


async def test_a_preview_of_a_faulty_card_names_the_faults(client: httpx2.AsyncClient) -> None:
    card = await card_of(client)
    found = (await client.post(f"/api/tools/{TOOL}/card/preview", json={"card": {**card, "purpose": ""}})).json()
    assert found["preview"] is None and any(fault.startswith("purpose") for fault in found["faults"])
    assert (await client.post("/api/tools/nothing/card/preview", json={"card": card})).status_code == 404


async def test_a_draft_is_thrown_away(client: httpx2.AsyncClient) -> None:
    card = await card_of(client)
    await client.put(f"/api/tools/{TOOL}/card", json={"card": {**card, "tags": ["우산"]}, "preview": False})
    assert (await client.get(f"/api/tools/{TOOL}/card")).json()["draft"]["card"]["tags"] == ["우산"]
    assert (await client.delete(f"/api/tools/{TOOL}/card/draft")).json()["status"] == "dropped"
    assert (await client.get(f"/api/tools/{TOOL}/card")).json()["draft"] is None
    assert (await client.delete(f"/api/tools/{TOOL}/card/draft")).status_code == 404


def test_collisions_join_lines_of_different_tools_alone(services: Services) -> None:
    snapshot = services.tools.registry.snapshot()
    index = services.tools.routing.router.index(snapshot)
    every = collisions(index, least=0.8)
    assert every and all(one.tool != one.other and one.likeness >= 0.8 for one in every)
    assert [one.likeness for one in every] == sorted((one.likeness for one in every), reverse=True)
    tool = every[0].tool
    assert collisions(index, tool, least=0.8) == tuple(one for one in every if one.tool == tool)
