"""The web application: routers, error handling and the lifespan that opens the services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.staticfiles import StaticFiles
from starlette.applications import Starlette

from app.adapters.metrics import Metrics
from app.api import (
    account,
    admin_keys,
    approvals,
    assets,
    cards,
    chat,
    documents,
    health,
    imports,
    login,
    metrics,
    openai,
    openapi_doc,
    originals,
    pages,
    problems,
    proposals,
    threads,
    tools,
    webhooks,
    widget,
)
from app.api.admin import routers as admin_routers
from app.api.housekeeping import end_housekeeping, keep_house
from app.api.intake import Intake
from app.api.middleware import BodyMiddleware, GateMiddleware, RequestIdMiddleware
from app.api.principals import open_gatekeeper
from app.composition import open_services
from app.errors import AppError
from app.insurance.content_folder import named
from app.mcp_server.http import open_mcp, streamable_routes
from app.settings import ROOT, Settings, listed

# In the order in which a path is looked for.
_ROUTED = (
    chat,
    threads,
    proposals,
    tools,
    cards,
    imports,
    approvals,
    documents,
    login,
    account,
    admin_keys,
    health,
    metrics,
    pages,
    assets,
    originals,
    widget,
    openai,
    webhooks,
)


def create_app(settings: Settings) -> FastAPI:
    """The application for `settings`; nothing is opened before its lifespan starts."""
    settings = named(settings)
    measured = Metrics()

    app = FastAPI(
        title=f"{settings.company_name} 보험 상담 도우미",
        version="0.1.0",
        lifespan=partial(_lifespan, settings, measured),
        description="모의 상품과 모의 고객으로 동작하는 보험 상담 API입니다. (Simulated products and people.)",
        docs_url=None,  # pages.py: its own page works without a network and under our content policy
        redoc_url=None,
    )
    problems.install(app)
    openapi_doc.install(app)
    for module in _ROUTED:
        app.include_router(module.router)
    for router in admin_routers:
        app.include_router(router)
    app.mount("/static", StaticFiles(directory=ROOT / "app" / "web"), name="static")
    app.router.routes.extend(streamable_routes())
    guard(app, settings)
    app.add_middleware(metrics.MeasuringMiddleware, metrics=measured)
    return app


@asynccontextmanager
async def _lifespan(settings: Settings, measured: Metrics, app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    """What is open while the application runs; handlers find it in `request.state`."""
    async with AsyncExitStack() as stack:
        try:
            services = await stack.enter_async_context(open_services(settings, metrics=measured))
            gatekeeper = await open_gatekeeper(services)
        except (AppError, OSError) as error:
            app.state.start_error = error  # run.py tells it in plain words; the server itself only knows a traceback
            raise
        hub = services.open_hub()
        stack.push_async_callback(hub.close)
        sending = asyncio.create_task(services.talk.webhooks.run())
        stack.push_async_callback(_stopped, sending)
        housekeeping = asyncio.create_task(keep_house(services, gatekeeper))
        stack.push_async_callback(end_housekeeping, housekeeping, gatekeeper)
        mcp = await stack.enter_async_context(open_mcp(services, hub))
        intake = Intake(services)
        stack.push_async_callback(intake.close)
        yield {"services": services, "hub": hub, "gatekeeper": gatekeeper, "mcp": mcp, "intake": intake}


async def _stopped(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def guard(app: Starlette, settings: Settings) -> None:
    """Put the checks around `app` that every request passes before it is routed."""
    app.add_middleware(BodyMiddleware, limit=settings.max_body_bytes, timeout_s=settings.body_timeout_s)
    if origins := listed(settings.cors_origins):
        app.add_middleware(
            CORSMiddleware,
            allow_origins=origins,
            allow_methods=["GET", "POST", "PUT", "PATCH", "DELETE"],
            allow_headers=[
                "Authorization",
                "X-API-Key",
                "Content-Type",
                "Last-Event-ID",
                "Mcp-Session-Id",
                "Mcp-Protocol-Version",
            ],
            expose_headers=["X-Request-ID", "Retry-After", "Mcp-Session-Id", "WWW-Authenticate"],
        )
    app.add_middleware(GateMiddleware, settings=settings)
    app.add_middleware(RequestIdMiddleware)
