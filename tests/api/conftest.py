"""The whole application over HTTP, opened once a test process, and a client for each kind of caller."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import httpx2
import pytest
from fastapi import FastAPI

from app.api.app import create_app
from app.mcp_server.http import open_mcp, sse_routes, streamable_routes
from app.services import Services
from app.settings import Settings
from tests.api.guarded import Guarded, guarded
from tests.api.openai_server import OpenAiServer, openai_server
from tests.mcp.fixtures import fixture_server
from tests.mcp.serving import served, small_app
from tests.state import lay_out

Ask = Callable[..., Awaitable[dict[str, Any]]]


@pytest.fixture(scope="session")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The state folder of this test process."""
    return lay_out(tmp_path_factory.mktemp("var"))


@pytest.fixture(scope="session")
async def app(data_dir: Path) -> AsyncIterator[FastAPI]:
    """The application with its lifespan running; state in a folder of its own."""
    settings = Settings(_env_file=None, data_dir=data_dir)
    application = create_app(settings)
    async with application.router.lifespan_context(application) as state:
        application.state.yielded = state
        yield application


@pytest.fixture(scope="session")
async def staff(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    """A loopback caller: admin in local mode."""
    async with _client(app) as client:
        yield client


@pytest.fixture(scope="session")
def opened(app: FastAPI, staff: httpx2.AsyncClient) -> tuple[Services, httpx2.AsyncClient]:
    """The application of the test process and an admin; a module that changes it opens one of its own instead."""
    return app.state.yielded["services"], staff


@pytest.fixture
def services(opened: tuple[Services, httpx2.AsyncClient]) -> Services:
    """The services of the application that was opened."""
    return opened[0]


@pytest.fixture
def client(opened: tuple[Services, httpx2.AsyncClient]) -> httpx2.AsyncClient:
    """A loopback caller of it."""
    return opened[1]


@pytest.fixture
async def visitor(app: FastAPI) -> AsyncIterator[httpx2.AsyncClient]:
    """A caller behind a proxy: an anonymous customer with a cookie."""
    async with _client(app, {"X-Forwarded-For": "203.0.113.7"}) as client:
        yield client


@pytest.fixture
async def gate(app: FastAPI, tmp_path: Path) -> AsyncIterator[Guarded]:
    """A gate with keys of its own."""
    async with guarded(app, tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
async def server() -> AsyncIterator[OpenAiServer]:
    """A provider's model, played."""
    async with openai_server() as running:
        yield running


@pytest.fixture(scope="session")
async def mcp_urls(app: FastAPI) -> AsyncIterator[dict[str, str]]:
    """Real sockets: the whole application's `/mcp` (http), the SSE transport, and the build with fixture tools."""
    state = dict(app.state.yielded)
    async with AsyncExitStack() as stack:
        web = await stack.enter_async_context(served(app, state))
        sse = await stack.enter_async_context(served(small_app(app, sse_routes()), state))
        made = fixture_server(state["services"], state["hub"])
        face = await stack.enter_async_context(open_mcp(state["services"], state["hub"], made))
        test_build = small_app(app, streamable_routes())
        fixtures = await stack.enter_async_context(served(test_build, {**state, "mcp": face}))
        yield {"http": f"{web}/mcp", "sse": f"{sse}/sse", "fixtures": f"{fixtures}/mcp", "web": web}


def _client(app: FastAPI, headers: dict[str, str] | None = None) -> httpx2.AsyncClient:
    transport = httpx2.ASGITransport(app=_with_state(app))  # type: ignore[arg-type]
    return httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers, timeout=60)


def _with_state(app: FastAPI) -> Any:
    """httpx runs no lifespan, so what it yielded is handed to each request as a server would."""

    async def asgi(scope: dict[str, Any], receive: Any, send: Any) -> None:
        scope["state"] = dict(app.state.yielded)
        await app(scope, receive, send)

    return asgi


@pytest.fixture
def ask(staff: httpx2.AsyncClient) -> Ask:
    """`await ask("질문", thread_id)` → the reply, after checking that it is one."""

    async def asking(
        query: str, thread_id: str | None = None, client: httpx2.AsyncClient | None = None
    ) -> dict[str, Any]:
        body = {"query": query} | ({"thread_id": thread_id} if thread_id else {})
        response = await (client or staff).post("/api/chat", json=body)
        assert response.status_code == 200, response.text
        reply: dict[str, Any] = response.json()
        return reply

    return asking
