"""MCP over real sockets: the application of the test process, and variants of its server, each on a port."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import uvicorn
from fastapi import FastAPI
from mcp import Client
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from app.api.app import guard
from app.api.server import GuardedProtocol

ERAS = ("legacy", "auto")


class _Server(uvicorn.Server):
    """Says when it is open."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.open = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.open.set()


@asynccontextmanager
async def served(application: Any, state: dict[str, Any]) -> AsyncIterator[str]:
    """`application` on a free port of loopback, with what its lifespan would have yielded; its address."""

    async def asgi(scope: dict[str, Any], receive: Any, send: Any) -> None:
        scope["state"] = dict(state)
        await application(scope, receive, send)

    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(
        asgi, log_config=None, lifespan="off", http=GuardedProtocol, ws="none", timeout_graceful_shutdown=1
    )
    server = _Server(config)
    running = asyncio.create_task(server._serve([listener]))
    try:
        await server.open.wait()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        await running
        listener.close()


def small_app(app: FastAPI, routes: list[BaseRoute]) -> Starlette:
    """Just these routes behind the same checks as the whole application."""
    made = Starlette(routes=routes)
    guard(made, app.state.yielded["services"].settings)
    return made


@asynccontextmanager
async def connected(url: str, *, era: str = "auto", key: str | None = None, **options: Any) -> AsyncIterator[Client]:
    """A client of a streamable HTTP server (`…/mcp`) or an SSE one (`…/sse`)."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    if url.endswith("/sse"):
        async with Client(sse_client(url, headers=headers), mode=era, **options) as client:
            yield client
        return
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), mode=era, **options) as client,
    ):
        yield client
