"""The tool set changes under load: modules reloaded, tools deleted, broken ones refused, and nobody notices."""

from __future__ import annotations

import asyncio
import re
import textwrap
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.access import LOCAL_ADMIN
from app.services import Services
from app.settings import ROOT
from app.toolbox.snapshot import ToolSnapshot
from tests.api.own_app import own_app

TOOL = '''
from langchain_core.tools import tool


@tool
def {name}(amount: int) -> str:
    """{says}"""
    return f"{result}"


TOOLS = [{name}]
'''
CARD = """
- name: {name}
  title: 달걀 세기
  purpose: 달걀 한 판이 몇 개인지 세어 알려 준다.
  when_to_use:
    - 달걀 한 판은 몇 개예요
    - 계란 세 판이면 몇 알인지 세어 주세요
    - 달걀 개수 좀 세어 줘
  when_not_to_use: [보험료 계산 → premium_estimate 사용]
  tags: [달걀, 계란]
  disclaimers: [{disclaimer}]
"""


@pytest.fixture(scope="module")
def extras(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The TOOL_PATHS folder."""
    return tmp_path_factory.mktemp("extras")


@pytest.fixture(scope="module")
async def opened(
    extras: Path, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[tuple[Services, httpx2.AsyncClient]]:
    folder = tmp_path_factory.mktemp("reload-var")
    async with own_app(folder, tool_paths=str(extras), tool_import_timeout_s=2) as both:
        yield both


def write(extras: Path, name: str, source: str, card: str | None = None) -> None:
    (extras / f"{name}.py").write_text(source, encoding="utf-8")
    (extras / f"{name}.yaml").unlink(missing_ok=True)
    if card is not None:
        (extras / f"{name}.yaml").write_text(card, encoding="utf-8")


async def reload(client: httpx2.AsyncClient, module: str) -> httpx2.Response:
    return await client.post(f"/api/tools/reload-module/{module}")


async def first_tool(client: httpx2.AsyncClient, query: str) -> str | None:
    route = (await client.post("/api/route", json={"query": query})).json()
    return None if route["no_call"] or not route["candidates"] else route["candidates"][0]["tool"]


# --- the steps of an author ---------------------------------------------------------------------------------------


async def test_a_new_module_is_loaded_routed_described_and_called_with_no_restart(
    services: Services, client: httpx2.AsyncClient, extras: Path
) -> None:
    heard: list[tuple[int, int]] = []
    unsubscribe = services.tools.registry.subscribe(lambda old, new: heard.append((old.version, new.version)))
    before = (await client.get("/api/health")).json()
    write(
        extras, "eggs", TOOL.format(name="egg_count", says="달걀 판수를 개수로 바꾼다.", result="{amount * 30}개"),
        CARD.format(name="egg_count", disclaimer="sources"),
    )  # fmt: skip
    answer = (await reload(client, "eggs")).json()
    assert answer == {
        "status": "ok", "module": "eggs", "registered": ["egg_count"], "removed": [], "warnings": [],
        "tools_count": before["tools_count"] + 1, "registry_version": before["registry_version"] + 1,
    }  # fmt: skip
    assert heard == [(before["registry_version"], before["registry_version"] + 1)]
    unsubscribe()
    listed = (await client.get("/api/tools")).json()
    shown = next(item for item in listed["tools"] if item["name"] == "egg_count")
    assert listed["registry_version"] == answer["registry_version"]
    assert (shown["group"], shown["source"], shown["role"]) == ("eggs", "local", "staff")
    assert "쓰지 말아야 할 때: 보험료 계산" in shown["description"]
    assert await first_tool(client, "계란 두 판이면 몇 알인지 세어 주세요") == "egg_count"
    called = await client.post("/api/tools/egg_count/invoke", json={"args": {"amount": 2}})
    assert called.json()["result"] == {"text": "60개"}
    assert (await client.get("/api/health")).json()["tools_count"] == answer["tools_count"]


async def test_changed_code_and_card_take_effect_in_one_version(
    services: Services, client: httpx2.AsyncClient, extras: Path
) -> None:
    write(
        extras, "eggs", TOOL.format(name="egg_count", says="달걀 판수를 바꾼다.", result="{amount * 10}알"),
        CARD.format(name="egg_count", disclaimer="contract_change"),
    )  # fmt: skip
    held = services.tools.registry.snapshot()
    version = (await reload(client, "eggs")).json()["registry_version"]
    assert held.entry("egg_count").card.disclaimers == ("sources",), "a turn under way keeps its own set"
    now = services.tools.registry.snapshot()
    assert (now.version, now.entry("egg_count").card.disclaimers) == (version, ("contract_change",))
    called = await client.post("/api/tools/egg_count/invoke", json={"args": {"amount": 2}})
    assert called.json()["result"] == {"text": "20알"}


async def test_a_function_that_was_renamed_leaves_under_its_old_name(client: httpx2.AsyncClient, extras: Path) -> None:
    write(extras, "eggs", TOOL.format(name="egg_tally", says="달걀을 센다.", result="{amount}"))
    answer = (await reload(client, "eggs")).json()
    assert (answer["registered"], answer["removed"]) == (["egg_tally"], ["egg_count"])
    assert answer["warnings"] == ["도구 egg_tally에 카드가 없어 설명으로 색인했습니다"]
    assert (await client.post("/api/tools/egg_count/invoke", json={"args": {"amount": 2}})).status_code == 404


async def test_a_deleted_tool_is_gone_until_its_module_is_reloaded(client: httpx2.AsyncClient) -> None:
    before = (await client.get("/api/tools")).json()
    query = "뉴스타트암보험 마흔다섯 남자 월 보험료가 얼마인지 계산해 주세요"
    assert await first_tool(client, query) == "premium_estimate"
    gone = await client.delete("/api/tools/premium_estimate")
    assert gone.status_code == 200
    assert set(gone.json()) == {"status", "message", "tools_count", "registry_version"}
    assert gone.json()["tools_count"] == before["count"] - 1
    assert gone.json()["registry_version"] == before["registry_version"] + 1
    assert await first_tool(client, query) != "premium_estimate"
    assert (await client.delete("/api/tools/premium_estimate")).status_code == 404
    asked = (await client.post("/api/chat", json={"query": query})).json()
    assert "premium_estimate" not in asked["tools_used"]
    await reload(client, "product")
    assert await first_tool(client, query) != "premium_estimate", "another module's reload brings nothing back"
    assert (await reload(client, "premium")).json()["tools_count"] == before["count"]
    assert await first_tool(client, query) == "premium_estimate"


# --- broken ones --------------------------------------------------------------------------------------------------

GOOD = TOOL.format(name="egg_count", says="달걀을 세어 준다.", result="{amount}")
BROKEN: dict[str, tuple[str, str | None, list[str]]] = {
    "broken module": ("raise RuntimeError('연결 실패')", None, ["eggs.py", "1번째 줄", "연결 실패"]),
    "import that hangs": ("while True: pass", None, ["2초가 넘게"]),
    "import that exits": ("import sys; sys.exit(1)", None, ["sys.exit"]),
    "import that ends the process": ("import os; os._exit(1)", None, ["프로세스를 끝냈습니다"]),
    "card for no tool": (GOOD, CARD.format(name="nobody", disclaimer="sources"), ["카드 nobody"]),
    "name of another module": (
        TOOL.format(name="premium_estimate", says="보험료를 계산한다.", result="{amount}"), None,
        ["premium_estimate", "두 번", "premium / eggs"],
    ),
    "line of another card": (
        GOOD, CARD.format(name="egg_count", disclaimer="sources").replace("달걀 개수 좀 세어 줘", "{shared}"),
        ["같은 문장"],
    ),
    "card that is no card": (GOOD, "- name: egg_count\n  when_to_use: 3\n", ["eggs.yaml", "title", "when_to_use"]),
    "both": ("1/0", "- name: egg_count\n", ["ZeroDivisionError", "purpose", "title"]),
}  # fmt: skip


@pytest.mark.parametrize(("source", "card", "words"), BROKEN.values(), ids=BROKEN)
async def test_a_broken_module_changes_nothing_and_every_fault_is_listed(
    services: Services, client: httpx2.AsyncClient, extras: Path, source: str, card: str | None, words: list[str]
) -> None:
    write(extras, "eggs", GOOD, CARD.format(name="egg_count", disclaimer="sources"))
    assert (await reload(client, "eggs")).status_code == 200
    before = services.tools.registry.snapshot()
    shared = before.entry("premium_estimate").card.when_to_use[0]
    write(extras, "eggs", source, card and card.replace("{shared}", shared))
    refused = await reload(client, "eggs")
    assert refused.status_code == 422 and refused.headers["content-type"] == "application/problem+json"
    told = "\n".join(item["message"] for item in refused.json()["errors"])
    assert all(word in told for word in words), told
    assert services.tools.registry.snapshot() is before
    assert await first_tool(client, "계란 두 판이면 몇 알인지 세어 주세요") == "egg_count"
    called = await client.post("/api/tools/egg_count/invoke", json={"args": {"amount": 7}})
    assert called.json()["result"] == {"text": "7"}


@pytest.mark.parametrize("module", ["nothing", "context", "blocks_premium", "..%2Ferrors", "os"])
async def test_what_is_no_tool_module_is_not_found(client: httpx2.AsyncClient, module: str) -> None:
    assert (await reload(client, module)).status_code == 404


async def test_reloads_and_deletions_stand_in_the_audit_log(client: httpx2.AsyncClient, extras: Path) -> None:
    write(extras, "eggs", GOOD)
    await reload(client, "eggs")
    await client.delete("/api/tools/egg_count")
    write(extras, "eggs", "1/0")
    await reload(client, "eggs")
    entries = (await client.get("/api/admin/audit", params={"limit": 3})).json()["entries"]
    assert [(item["action"], item["target"], item["result"]) for item in entries] == [
        ("tools.reload", "eggs", "failed"), ("tools.delete", "egg_count", "ok"), ("tools.reload", "eggs", "ok"),
    ]  # fmt: skip


# --- under load ---------------------------------------------------------------------------------------------------

ROUTES, TURNS, CHANGES = 1000, 200, 50
QUESTIONS = (
    "뉴스타트암보험 45세 남자 보험료 알려 주세요",
    "치아보험 면책기간이 어떻게 되나요?",
    "암보험 특약 목록 보여 주세요",
    "입원비 청구하려면 무슨 서류가 필요한가요?",
)
CHANGED = ("premium", "coverage", "claims", "product", "compliance")


async def test_routes_and_turns_go_on_unharmed_while_the_set_changes(
    services: Services, client: httpx2.AsyncClient
) -> None:
    faults: list[str] = []
    mixed: list[str] = []
    busy = [True]

    def consistent(snapshot: ToolSnapshot) -> None:
        route = services.tools.routing.router.route(QUESTIONS[snapshot.version % len(QUESTIONS)], snapshot)
        if any(candidate.tool not in snapshot for candidate in route.candidates):
            mixed.append(f"version {snapshot.version}")

    def routing() -> None:
        for _ in range(ROUTES // 4):
            consistent(services.tools.registry.snapshot())

    async def turns() -> None:
        for number in range(TURNS // 8):
            reply = await services.talk.runner.ask(QUESTIONS[number % len(QUESTIONS)], LOCAL_ADMIN)
            if not reply["answer"] or [row for row in reply["trace"] if row.get("status") == "error"]:
                faults.append(str(reply["trace"]))

    async def changing() -> None:
        for number in range(CHANGES):
            module = CHANGED[number % len(CHANGED)]
            names = [entry.name for entry in services.tools.registry.snapshot().entries if entry.module == module]
            gone = names[number % len(names)]
            await asyncio.to_thread(services.tools.toolbox.remove, gone)
            after = services.tools.registry.snapshot()
            if gone in services.tools.routing.router.index(after).names:
                mixed.append(f"{gone} still indexed in {after.version}")
            await asyncio.sleep(0)
            done = await asyncio.to_thread(services.tools.toolbox.reload, module)
            if set(done.registered) != set(names):
                faults.append(f"{module}: {done.registered}")
            lost = [name for name in names if not found(name, done.snapshot)]
            if lost:
                faults.append(f"not found after {done.snapshot.version}: {lost}")
        busy[0] = False

    def found(name: str, snapshot: ToolSnapshot) -> bool:
        line = snapshot.entry(name).card.when_to_use[0]
        route = services.tools.routing.router.route(line, snapshot, top_k=5)
        return name in [candidate.tool for candidate in route.candidates]

    before = services.tools.registry.snapshot()
    await asyncio.gather(changing(), *(asyncio.to_thread(routing) for _ in range(4)), *(turns() for _ in range(8)))
    now = services.tools.registry.snapshot()
    assert (faults, mixed, busy) == ([], [], [False])
    assert now.version == before.version + 2 * CHANGES and set(now.names()) == set(before.names())
    stored = await asyncio.to_thread(stored_tools, services)
    assert stored == set(now.names()), "the store holds the lines of the living tools and no others"


def stored_tools(services: Services) -> set[str]:
    from app.routing.embedding_index import COLLECTION

    collection = services.storage.store.collection(COLLECTION, services.tools.embedder.fingerprint)
    return {str(row["tool_name"]) for row in collection.load().metadatas}


# --- CONTRIBUTING -------------------------------------------------------------------------------------------------


def _blocks(section: str) -> dict[str, str]:
    """The fenced blocks of a section of CONTRIBUTING.md by the file that the line before names."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    part = text.split(f"## {section}\n", 1)[1].split("\n## ", 1)[0]
    found = re.findall(r"`([\w/]+\.\w+)`[^\n]*:\n *```\w*\n(.*?)\n *```", part, re.S)
    return {name: textwrap.dedent(block) + "\n" for name, block in found}


async def test_the_walk_through_of_contributing_works_as_it_is_written(
    services: Services, client: httpx2.AsyncClient, extras: Path
) -> None:
    blocks = _blocks("Add a tool")
    (source,) = [block for name, block in blocks.items() if name.endswith(".py")]
    (cards,) = [block for name, block in blocks.items() if name.endswith(".yaml") and "tool_cards" in name]
    (cases,) = [block for name, block in blocks.items() if name.endswith(".jsonl")]
    write(extras, "reminders", source, cards)
    answer = await reload(client, "reminders")
    assert answer.status_code == 200 and answer.json()["registered"] == ["payment_day_check"], answer.text
    import json

    for line in cases.splitlines():
        case: dict[str, Any] = json.loads(line)
        assert await first_tool(client, case["query"]) == case["expected"][0]
    called = await client.post(
        "/api/tools/payment_day_check/invoke", json={"args": {"contract_date": "2024-01-31", "month": "2026-02-01"}}
    )
    assert called.json()["result"]["payment_day"] == "2026-02-28"
    reply = (await client.post("/api/chat", json={"query": json.loads(cases.splitlines()[0])["query"]})).json()
    assert "payment_day_check" in reply["tools_used"] or reply["needs_input"], reply["answer"]
