"""A real HTTP service for the tests of imported tools: it says back what it was asked."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route


@dataclass
class Service:
    """Where it listens and what it has seen."""

    port: int = 0
    seen: list[dict[str, Any]] = field(default_factory=list)
    failing: int = 0
    documents: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Any] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://localhost:{self.port}"


def _app(service: Service) -> Starlette:
    async def echo(request: Request) -> Response:
        body = await request.body()
        asked = {
            "method": request.method,
            "path": request.scope["raw_path"].decode().partition("?")[0],
            "query": list(request.query_params.multi_items()),
            "headers": dict(request.headers),
            "body": body.decode(),
        }
        service.seen.append(asked)
        if service.failing > 0:
            service.failing -= 1
            return PlainTextResponse("busy", status_code=503)
        return JSONResponse(service.answers.get(asked["path"], asked))

    async def special(request: Request) -> Response:
        service.seen.append({"method": request.method, "path": request.url.path, "headers": dict(request.headers)})
        match request.path_params["kind"]:
            case "slow":
                await asyncio.sleep(3)
                return PlainTextResponse("late")
            case "refused":
                return JSONResponse({"message": "no such pet"}, status_code=404)
            case "long":
                return JSONResponse([{"id": n, "name": "가" * 50} for n in range(1000)])
            case "huge":
                return PlainTextResponse("가" * 2_000_000)
            case "picture":
                return Response(b"\x89PNG", media_type="image/png")
            case "inside":
                return RedirectResponse("/echo/moved", status_code=302)
            case "outside":
                return RedirectResponse("http://169.254.169.254/latest/meta-data", status_code=302)
            case "sideways":
                return RedirectResponse(f"http://127.0.0.1:{service.port}/echo/other", status_code=302)
            case "next-door":
                return RedirectResponse(f"http://localhost:{service.port + 1}/echo/other", status_code=307)
            case "upgraded":
                return RedirectResponse(f"https://localhost:{service.port}/echo/other", status_code=308)
            case "round":
                return RedirectResponse("/special/round", status_code=302)
        return PlainTextResponse("plain words")

    async def document(request: Request) -> Response:
        return PlainTextResponse(service.documents[request.path_params["name"]])

    every = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    return Starlette(
        routes=[
            Route("/special/{kind}", special, methods=every),
            Route("/docs/{name}", document),
            Route("/{path:path}", echo, methods=every),
        ]
    )


@contextmanager
def http_service() -> Iterator[Service]:
    """The service, in a thread of its own."""
    service = Service()
    with served(_app(service)) as port:
        service.port = port
        yield service


@contextmanager
def served(app: Any, port: int = 0) -> Iterator[int]:
    """Any ASGI application on a free port of loopback."""
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=port, log_level="critical", ws="none"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the test service did not start")
        threading.Event().wait(0.01)
    try:
        yield int(server.servers[0].sockets[0].getsockname()[1])
    finally:
        server.should_exit = True
        server.force_exit = True
        thread.join(10)
