"""MCP as a program of its own (run_mcp.py): SSE or streamable HTTP on a port, or stdio for a client that starts it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any, Literal

from mcp.server.stdio import stdio_server
from starlette.applications import Starlette

from app.access import LOCAL_ADMIN, Principal, Role
from app.api.app import guard
from app.api.principals import open_gatekeeper
from app.composition import open_services
from app.errors import AppError
from app.mcp_server.call import Caller
from app.mcp_server.http import open_mcp, sse_routes, streamable_routes
from app.mcp_server.server import InsuranceServer, offers
from app.settings import Settings

HttpTransport = Literal["sse", "http"]


def create_mcp_app(settings: Settings, transport: HttpTransport) -> Starlette:
    """The application of one transport; nothing is opened before its lifespan starts."""

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[dict[str, Any]]:
        async with AsyncExitStack() as stack:
            try:
                services = await stack.enter_async_context(open_services(settings))
                gatekeeper = await open_gatekeeper(services)
            except (AppError, OSError) as error:
                app.state.start_error = error  # run_mcp.py tells it in plain words
                raise
            hub = services.open_hub()
            stack.push_async_callback(hub.close)
            face = await stack.enter_async_context(open_mcp(services, hub))
            yield {"services": services, "hub": hub, "gatekeeper": gatekeeper, "mcp": face}

    app = Starlette(routes=sse_routes() if transport == "sse" else streamable_routes(), lifespan=lifespan)
    guard(app, settings)
    return app


async def serve_stdio(settings: Settings, role: Role = "admin") -> None:
    """Serve the program that started this one until it closes the pipe. It is trusted as the person at the machine."""
    principal = LOCAL_ADMIN if role == "admin" else Principal(id=f"stdio-{role}", role=role)
    async with AsyncExitStack() as stack:
        # One caller keeps no second process busy.
        alone = settings.model_copy(update={"twin_process": False})
        services = await stack.enter_async_context(open_services(alone))
        hub = services.open_hub()
        stack.push_async_callback(hub.close)
        made = InsuranceServer(services, offers(services, hub), Caller(principal))
        stack.callback(made.notices.follow(services.tools.registry))
        stack.push_async_callback(made.notices.close)
        server = made.build()
        reading, writing = await stack.enter_async_context(stdio_server())
        await server.run(reading, writing, server.create_initialization_options())
