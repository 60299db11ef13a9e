"""GET /api/tools, POST /api/tools/{name}/invoke and POST /api/route."""

from __future__ import annotations

import asyncio
import uuid
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Request, Response

from app.api.principals import AdminCaller, StaffCaller
from app.api.schemas import InvokeRequest, RouteRequest
from app.api.state import ServicesDep
from app.errors import ToolLoadError
from app.graph.reply import approval_card
from app.toolbox.approvals import ApprovalAwaited
from app.toolbox.snapshot import ToolEntry

router = APIRouter(prefix="/api", tags=["tools"])

ModuleName = Annotated[str, Path(max_length=64, description="도구 모듈 이름, 예: premium")]
ToolName = Annotated[str, Path(max_length=64, description="도구 이름, 예: premium_estimate")]


@router.get("/tools", operation_id="list_tools", summary="등록된 도구와 카드, 인자, 역할을 보여 줍니다.")
async def list_tools(principal: StaffCaller, services: ServicesDep) -> dict[str, Any]:
    await services.changes.catch_up()
    snapshot = services.registry.snapshot()
    allowed = snapshot.allowed_for(principal)
    tools = [_shown(entry) for entry in snapshot.entries if entry.name in allowed]
    others = snapshot.allowed_for(principal, "api") - allowed
    operators = [_shown(entry) for entry in snapshot.entries if entry.name in others]
    return {
        "count": len(tools),
        "registry_version": snapshot.version,
        "tools": tools,
        "operator_tools": operators,
    }


def _shown(entry: ToolEntry) -> dict[str, Any]:
    return {
        "name": entry.name,
        "group": entry.module,
        "description": entry.description,
        "annotations": entry.annotations.as_mcp() if entry.annotations else {},
        "role": entry.role,
        "card": entry.card.model_dump(),
        "schema": entry.openai_schema["function"]["parameters"],
        "source": entry.source,
    }


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


@router.post(
    "/tools/reload-module/{module}",
    operation_id="reload_module",
    summary="도구 모듈과 카드를 다시 불러옵니다. 잘못이 하나라도 있으면 모두 알려 주고 아무것도 바꾸지 않습니다.",
)
async def reload_module(
    module: ModuleName, principal: AdminCaller, services: ServicesDep, request: Request
) -> dict[str, Any]:
    audited = partial(services.audit.record, principal.id, "tools.reload", module, request_id=_request_id(request))
    try:
        async with services.changes.changing("reload", module, principal.id):
            done = await asyncio.to_thread(services.toolbox.reload, module)
    except ToolLoadError as error:
        await audited(result="failed", details={"faults": list(error.faults)[:20]})
        raise
    version = done.snapshot.version
    await audited(details={"registry_version": version, "removed": list(done.removed)})
    return {
        "status": "ok",
        "module": module,
        "registered": list(done.registered),
        "removed": list(done.removed),
        "warnings": list(done.warnings),
        "tools_count": done.snapshot.tools_count,
        "registry_version": version,
    }


@router.delete(
    "/tools/{tool_name}",
    operation_id="delete_tool",
    summary="도구 하나를 뺍니다. 그 모듈을 다시 불러올 때까지 돌아오지 않습니다.",
)
async def delete_tool(
    tool_name: ToolName, principal: AdminCaller, services: ServicesDep, request: Request
) -> dict[str, Any]:
    async with services.changes.changing("remove", tool_name, principal.id) as change:
        change.details["module"] = services.registry.snapshot().entry(tool_name).module
        snapshot = await asyncio.to_thread(services.toolbox.remove, tool_name)
    details = {"registry_version": snapshot.version}
    await services.audit.record(
        principal.id, "tools.delete", tool_name, details=details, request_id=_request_id(request)
    )
    return {
        "status": "ok",
        "message": f"도구 {tool_name!r}의 등록을 풀었습니다. 모듈을 다시 불러오면 돌아옵니다.",
        "tools_count": snapshot.tools_count,
        "registry_version": snapshot.version,
    }


def _request_id(request: Request) -> str:
    return getattr(request.state, "request_id", "")


@router.post("/route", operation_id="route", summary="모델을 부르지 않고 어떤 도구가 골라지는지 보여 줍니다.")
async def route(body: RouteRequest, principal: StaffCaller, services: ServicesDep) -> dict[str, Any]:
    return await services.explain_route(body.query, principal, thread_id=body.thread_id, top_k=body.top_k)
