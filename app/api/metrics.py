"""GET /metrics for Prometheus, and the middleware that times HTTP answers."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from fastapi import APIRouter, Request, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.adapters.metrics import CONTENT_TYPE, Metrics
from app.api.principals import GatekeeperDep, KnownCaller
from app.api.state import HubDep, ServicesDep
from app.errors import Forbidden

router = APIRouter(tags=["health"])


@router.get(
    "/metrics",
    operation_id="metrics",
    response_class=Response,
    responses={200: {"content": {"text/plain": {}}}},
    summary="프로메테우스 지표. 운영자 키로, 또는 같은 컴퓨터에서 바로 부를 때만 답합니다.",
)
async def metrics(
    request: Request, known: KnownCaller, gate: GatekeeperDep, services: ServicesDep, hub: HubDep
) -> Response:
    if not known.principal.at_least("operator") and not gate.on_this_machine(request):
        raise Forbidden("지표를 볼 권한이 없습니다. 운영자 키로 다시 요청해 주세요.")
    services.metrics.state(await services.health())
    services.metrics.runs_held.set(len(hub))
    return Response(services.metrics.text(), media_type=CONTENT_TYPE)


class MeasuringMiddleware:
    """Counts answers by route (its pattern, never the path itself) and times them to their first byte."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app, self._metrics = app, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started = time.perf_counter()

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                took = time.perf_counter() - started
                self._metrics.http(_route(scope), _method(scope), message["status"], took)
            await send(message)

        await self._app(scope, receive, sending)


def _route(scope: Mapping[str, Any]) -> str:
    return str(getattr(scope.get("route"), "path", None) or ("/static" if "/static" in scope["path"] else "other"))


def _method(scope: Mapping[str, Any]) -> str:
    method = str(scope["method"])
    return method if method in ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS") else "other"
