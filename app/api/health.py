"""GET /api/health, /api/health/live and /api/health/ready."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Response

from app.api.state import ServicesDep

router = APIRouter(prefix="/api/health", tags=["health"])


@router.get("", operation_id="health", summary="서비스 상태와 도구 수, 색인, 엔진을 보여 줍니다.")
async def health(services: ServicesDep) -> dict[str, Any]:
    return await services.health()


@router.get("/live", operation_id="live", summary="프로세스가 살아 있으면 200.")
async def live() -> dict[str, str]:
    return {"status": "ok"}


@router.get("/ready", operation_id="ready", summary="질문을 받을 수 있으면 200, 아니면 503.")
async def ready(services: ServicesDep, response: Response) -> dict[str, Any]:
    state = await services.health()
    # Redis away or vectors lost: turns go on, degraded. Without these four they cannot, or must not.
    if not all(state["checks"].get(part, True) for part in ("disk", "database", "checkpoints", "tools_current")):
        response.status_code = 503
    return {"status": state["status"], "faults": state["faults"]}
