"""GET /api/admin/overview: how the service stands and what its turns of the last day, week or month come to."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query

from app.adapters.turn_figures import Span, TurnFigures
from app.api.principals import OperatorCaller
from app.api.state import ServicesDep
from app.clock import SEOUL

router = APIRouter(prefix="/api/admin/overview", tags=["admin"])

Window = Literal["day", "week", "month"]


@router.get("", operation_id="overview", summary="상태와, 최근 하루(또는 한 주, 한 달)의 상담을 숫자로 보여 줍니다.")
async def overview(
    principal: OperatorCaller,
    services: ServicesDep,
    window: Annotated[Window, Query(description="어느 기간을 보는지")] = "day",
) -> dict[str, Any]:
    await services.tools.changes.catch_up()
    figures, span = TurnFigures(services.storage.database), span_of(window, datetime.now(UTC))
    sums = await figures.sums(span)
    parts = await figures.series(span)
    snapshot = services.tools.registry.snapshot()
    return {
        "window": window,
        "since": span.start,
        "step_s": int(span.step.total_seconds()),
        "turns": asdict(sums),
        "calls": await figures.calls(span),
        "engines": list(await figures.engines(span)),
        "series": [asdict(part) for part in parts],
        "waiting": await figures.waiting(),
        "health": await services.health(),
        "tools": {
            "count": snapshot.tools_count,
            "off": sum(entry.off for entry in snapshot.entries),
            "registry_version": snapshot.version,
        },
    }


def span_of(window: Window, now: datetime) -> Span:
    """The window that ends with the step in which `now` lies. Steps begin on full hours, and days where people are."""
    local = now.astimezone(SEOUL)
    hour = local.replace(minute=0, second=0, microsecond=0)
    match window:
        case "day":
            step, parts, newest = timedelta(hours=1), 24, hour
        case "week":
            step, parts, newest = timedelta(hours=6), 28, hour.replace(hour=local.hour // 6 * 6)
        case "month":
            step, parts, newest = timedelta(days=1), 30, hour.replace(hour=0)
    return Span((newest - step * (parts - 1)).astimezone(UTC), step, parts)
