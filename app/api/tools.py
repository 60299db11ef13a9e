"""GET /api/tools, POST /api/tools/{name}/invoke and POST /api/route."""

from __future__ import annotations

import asyncio
import uuid
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Path, Response

from app.api.principals import ActsDep, AdminCaller, StaffCaller
from app.api.schemas import InvokeRequest, RouteRequest
from app.api.state import TalkDep, ToolsDep
from app.errors import ToolLoadError
from app.graph.reply import approval_card
from app.toolbox.approvals import ApprovalAwaited
from app.toolbox.snapshot import ToolEntry

router = APIRouter(prefix="/api", tags=["tools"])

ModuleName = Annotated[str, Path(max_length=64, description="도구 모듈 이름, 예: premium")]
ToolName = Annotated[str, Path(max_length=64, description="도구 이름, 예: premium_estimate")]


@router.get("/tools", operation_id="list_tools", summary="등록된 도구와 카드, 인자, 역할을 보여 줍니다.")
async def list_tools(principal: StaffCaller, toolset: ToolsDep) -> dict[str, Any]:
    await toolset.changes.catch_up()
    snapshot = toolset.registry.snapshot()
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
    tool_name: str, body: InvokeRequest, principal: StaffCaller, toolset: ToolsDep, talk: TalkDep, response: Response
) -> dict[str, Any]:
    try:
        return await talk.invoke(tool_name, body.args, principal, run_id=uuid.uuid4().hex)
    except ApprovalAwaited as waiting:
        response.status_code = 202
        title = toolset.registry.snapshot().entry(tool_name).card.title
        return {"status": "pending", "approval": approval_card(waiting.approvals[0], title)}


@router.post(
    "/tools/reload-module/{module}",
    operation_id="reload_module",
    summary="도구 모듈과 카드를 다시 불러옵니다. 잘못이 하나라도 있으면 모두 알려 주고 아무것도 바꾸지 않습니다.",
)
async def reload_module(module: ModuleName, principal: AdminCaller, toolset: ToolsDep, acts: ActsDep) -> dict[str, Any]:
    audited = partial(acts.note, "tools.reload", module)
    try:
        async with toolset.changes.changing("reload", module, principal.id):
            done = await asyncio.to_thread(toolset.toolbox.reload, module)
    except ToolLoadError as error:
        await audited(result="failed", faults=list(error.faults)[:20])
        raise
    version = done.snapshot.version
    await audited(registry_version=version, removed=list(done.removed))
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
async def delete_tool(tool_name: ToolName, principal: AdminCaller, toolset: ToolsDep, acts: ActsDep) -> dict[str, Any]:
    async with toolset.changes.changing("remove", tool_name, principal.id) as change:
        change.details["module"] = toolset.registry.snapshot().entry(tool_name).module
        snapshot = await asyncio.to_thread(toolset.toolbox.remove, tool_name)
    await acts.note("tools.delete", tool_name, registry_version=snapshot.version)
    return {
        "status": "ok",
        "message": f"도구 {tool_name!r}의 등록을 풀었습니다. 모듈을 다시 불러오면 돌아옵니다.",
        "tools_count": snapshot.tools_count,
        "registry_version": snapshot.version,
    }


@router.post("/route", operation_id="route", summary="모델을 부르지 않고 어떤 도구가 골라지는지 보여 줍니다.")
async def route(body: RouteRequest, principal: StaffCaller, talk: TalkDep) -> dict[str, Any]:
    return await talk.explain_route(body.query, principal, thread_id=body.thread_id, top_k=body.top_k)
