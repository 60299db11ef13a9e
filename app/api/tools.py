"""GET /api/tools, POST /api/tools/{name}/invoke and POST /api/route."""

from __future__ import annotations

import uuid
from typing import Any

from fastapi import APIRouter, Response

from app.api.principals import StaffCaller
from app.api.schemas import InvokeRequest, RouteRequest
from app.api.state import ServicesDep
from app.graph.reply import approval_card
from app.toolbox.approvals import ApprovalAwaited

router = APIRouter(prefix="/api", tags=["tools"])


@router.get("/tools", operation_id="list_tools", summary="등록된 도구와 카드, 인자, 역할을 보여 줍니다.")
async def list_tools(principal: StaffCaller, services: ServicesDep) -> dict[str, Any]:
    snapshot = services.registry.snapshot()
    allowed = snapshot.allowed_for(principal)
    shown = [entry for entry in snapshot.entries if entry.name in allowed]
    tools = [
        {
            "name": entry.name,
            "group": entry.module,
            "description": entry.description,
            "annotations": entry.annotations.as_mcp() if entry.annotations else {},
            "role": entry.role,
            "card": entry.card.model_dump(),
            "schema": entry.openai_schema["function"]["parameters"],
            "source": entry.source,
        }
        for entry in shown
    ]
    return {"count": len(tools), "registry_version": snapshot.version, "tools": tools}


@router.post("/tools/{tool_name}/invoke", operation_id="invoke_tool", summary="도구 하나를 직접 실행합니다.")
async def invoke(
    tool_name: str, body: InvokeRequest, principal: StaffCaller, services: ServicesDep, response: Response
) -> dict[str, Any]:
    try:
        return await services.invoke(tool_name, body.args, principal, run_id=uuid.uuid4().hex)
    except ApprovalAwaited as waiting:
        response.status_code = 202
        title = services.registry.snapshot().entry(tool_name).card.title
        return {"status": "pending", "approval": approval_card(waiting.approvals[0], title)}


@router.post("/route", operation_id="route", summary="모델을 부르지 않고 어떤 도구가 골라지는지 보여 줍니다.")
async def route(body: RouteRequest, principal: StaffCaller, services: ServicesDep) -> dict[str, Any]:
    return await services.explain_route(body.query, principal, thread_id=body.thread_id, top_k=body.top_k)
