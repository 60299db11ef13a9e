"""A change of the tool set that hangs ends with 503; the old set stands, talks go on and the next change works."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest

from app.adapters.vector_store import VectorCollection
from app.routing.tool_graph import ToolGraph
from app.routing.tool_index import IndexBuilder
from app.services import Services
from app.settings import Settings
from app.toolbox.checker import ModuleChecker
from tests.api.own_app import own_app

LIMIT_S = 4.0
CARD_LINE = "이번에 새로 적어 넣은 조금 색다른 문장이에요"


@pytest.fixture(scope="module")
async def opened(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[tuple[Services, httpx2.AsyncClient]]:
    async with own_app(tmp_path_factory.mktemp("hanging-var")) as both:
        await both[1].post("/api/tools/reload-module/coverage")  # the process that tries modules out has started
        yield both


@pytest.fixture
def let_go() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def hang(monkeypatch: pytest.MonkeyPatch, owner: type, name: str, let_go: threading.Event) -> None:
    """The next call of this method waits until it is let go; later ones go through."""
    real: Callable[..., Any] = getattr(owner, name)
    first = threading.Lock()

    def waiting(*args: Any, **options: Any) -> Any:
        if first.acquire(blocking=False):
            let_go.wait(60)
        return real(*args, **options)

    monkeypatch.setattr(owner, name, waiting)


async def card_of(client: httpx2.AsyncClient, tool: str) -> dict[str, Any]:
    """The card of the tool with one line more than it has."""
    card: dict[str, Any] = (await client.get(f"/api/tools/{tool}/card")).json()["card"]
    return {**card, "when_to_use": [*card["when_to_use"], f"{CARD_LINE} {len(card['when_to_use'])}"]}


async def changed(client: httpx2.AsyncClient, kind: str) -> httpx2.Response:
    match kind:
        case "reload":
            return await client.post("/api/tools/reload-module/premium")
        case "card":
            body = {"card": await card_of(client, "premium_compare"), "publish": True, "override_reason": "시험입니다"}
            return await client.put("/api/tools/premium_compare/card", json=body)
        case _:
            off = (await client.get("/api/admin/tools/premium_compare")).json()["off"]
            body = {"tools": ["premium_compare"], "off": not off, "reason": "시험 삼아 꺼 봅니다"}
            return await client.post("/api/admin/tools/switch", json=body)


@pytest.mark.parametrize(
    ("kind", "owner", "name"),
    [
        ("reload", ModuleChecker, "fault"),
        ("reload", IndexBuilder, "build"),
        ("reload", ToolGraph, "__init__"),
        ("card", VectorCollection, "upsert"),
        ("card", IndexBuilder, "build"),
        ("switch", IndexBuilder, "build"),
    ],
)
async def test_it_ends_with_a_clear_503_and_the_next_one_works(
    opened: tuple[Services, httpx2.AsyncClient],
    monkeypatch: pytest.MonkeyPatch,
    let_go: threading.Event,
    kind: str,
    owner: type,
    name: str,
) -> None:
    services, client = opened
    before, line = services.tools.registry.snapshot(), services.tools.registry.line
    patient_s = line.limit_s  # of a change that does not hang, however slow the machine
    monkeypatch.setattr(line, "limit_s", LIMIT_S)
    hang(monkeypatch, owner, name, let_go)
    begun = time.monotonic()
    answer = await changed(client, kind)
    took = time.monotonic() - begun
    assert answer.status_code == 503, answer.text
    assert took < LIMIT_S + 8
    assert "이전 도구를 그대로" in answer.json()["detail"]
    assert services.tools.registry.snapshot().entries == before.entries
    monkeypatch.setattr(line, "limit_s", patient_s)
    talked = await client.post("/api/chat", json={"query": "첫날부터암보험 마흔 남자 보험료 얼마예요?"})
    assert talked.status_code == 200 and "원" in talked.json()["answer"]
    again = await changed(client, kind)
    assert again.status_code == 200, again.text
    assert services.tools.registry.snapshot().version > before.version
    now = services.tools.registry.snapshot().version
    let_go.set()
    time.sleep(0.3)  # noqa: ASYNC251  the thread that was left behind wakes up
    assert services.tools.registry.snapshot().version == now


async def test_metrics_tell_how_long_a_change_takes_and_how_many_were_given_up(
    opened: tuple[Services, httpx2.AsyncClient],
) -> None:
    services, client = opened
    told = (await client.get("/metrics")).text
    assert "assistant_change_age_s 0.0" in told
    assert f"assistant_changes_given_up {float(services.tools.registry.line.given_up)}" in told
    assert services.tools.registry.line.given_up > 0


def test_the_limit_leaves_time_for_a_module_that_takes_long(tmp_path: Path) -> None:
    settings = Settings(_env_file=None, data_dir=tmp_path)
    assert settings.tool_change_timeout_s > 2 * settings.tool_import_timeout_s
