"""The web application: routers, error handling and the lifespan that opens the services."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from app.api import approvals, chat, documents, health, pages, problems, tools
from app.api.middleware import BodyMiddleware, RequestIdMiddleware
from app.api.principals import Gatekeeper
from app.errors import AppError
from app.graph.runs import RunHub
from app.services import open_services
from app.settings import ROOT, Settings


def create_app(settings: Settings) -> FastAPI:
    """The application for `settings`; nothing is opened before its lifespan starts."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[dict[str, Any]]:
        async with AsyncExitStack() as stack:
            try:
                services = await stack.enter_async_context(open_services(settings))
                gatekeeper = Gatekeeper(settings.data_dir, settings.host)
            except (AppError, OSError) as error:
                app.state.start_error = (
                    error  # run.py tells it in plain words; the server itself only knows a traceback
                )
                raise
            hub = RunHub(services.runner)
            stack.push_async_callback(hub.close)
            yield {"services": services, "hub": hub, "gatekeeper": gatekeeper}

    app = FastAPI(
        title=f"{settings.company_name} 보험 상담 도우미",
        version="0.1.0",
        lifespan=lifespan,
        description="모의 상품과 모의 고객으로 동작하는 보험 상담 API입니다. (Simulated products and people.)",
    )
    problems.install(app)
    for module in (chat, tools, approvals, documents, health, pages):
        app.include_router(module.router)
    app.mount("/static", StaticFiles(directory=ROOT / "app" / "web"), name="static")
    app.add_middleware(BodyMiddleware, limit=settings.max_body_bytes)
    app.add_middleware(RequestIdMiddleware)
    return app
