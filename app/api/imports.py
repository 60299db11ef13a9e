"""POST /api/tools/import, and the sources of imported tools: list, refresh, remove."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import Discriminator, Field, model_validator

from app.access import Role
from app.adapters.mcp_client import McpServer
from app.api.principals import ActsDep, AdminCaller, OperatorCaller
from app.api.schemas import Body
from app.api.state import ToolsDep
from app.toolbox.imports import Imported

router = APIRouter(prefix="/api/tools", tags=["imports"])

_NAME = r"^[a-z][a-z0-9_]{1,31}$"
SourceName = Annotated[
    str, Field(pattern=_NAME, description="가져올 곳의 이름. 도구의 태그가 되고, 이름이 겹치면 앞에 붙습니다.")
]
NamePath = Annotated[str, Path(max_length=64, description="가져온 곳의 이름, 예: petstore")]
RoleField = Annotated[Role, Field(description="이 도구를 쓸 수 있는 가장 낮은 역할")]


class OpenApiImport(Body):
    """An API by its description, given (JSON data, or JSON or YAML text) or fetched from `url`."""

    kind: Literal["openapi"]
    name: SourceName
    spec: dict[str, Any] | str | None = None
    url: Annotated[str | None, Field(max_length=2000, description="설명의 주소. TOOL_SOURCE_HOSTS에 있는 서버만")] = (
        None
    )
    base_url: Annotated[str | None, Field(max_length=2000, description="설명의 서버 주소 대신 부를 주소")] = None
    include: Annotated[
        tuple[str, ...], Field(max_length=300, description="가져올 operationId, 태그, 또는 /로 시작하는 주소 앞부분")
    ] = ()
    role: RoleField = "staff"


class McpImport(Body):
    """An MCP server: `url` for http and sse, `command` with `args` for stdio (only command lines of MCP_COMMANDS)."""

    kind: Literal["mcp"]
    name: SourceName
    transport: Literal["stdio", "http", "sse"]
    url: Annotated[str, Field(max_length=2000)] = ""
    command: Annotated[str, Field(max_length=500)] = ""
    args: Annotated[tuple[str, ...], Field(max_length=50)] = ()
    role: RoleField = "staff"

    @model_validator(mode="after")
    def _reachable(self) -> McpImport:
        if self.transport == "stdio" and (not self.command or self.url):
            raise ValueError("stdio에는 url 없이 command를 적어 주세요.")
        if self.transport != "stdio" and (not self.url or self.command or self.args):
            raise ValueError("http와 sse에는 command 없이 url을 적어 주세요.")
        return self


ImportRequest = Annotated[OpenApiImport | McpImport, Discriminator("kind")]


@router.post(
    "/import",
    operation_id="import_tools",
    summary="OpenAPI 설명이나 MCP 서버에서 도구를 가져옵니다. 같은 이름으로 다시 가져오면 바꿉니다.",
)
async def import_tools(body: ImportRequest, principal: AdminCaller, toolset: ToolsDep, acts: ActsDep) -> dict[str, Any]:
    async with toolset.changes.changing("source", body.name, principal.id):
        if isinstance(body, OpenApiImport):
            done = await toolset.imports.import_openapi(
                body.name, principal.id, spec=body.spec, url=body.url, base_url=body.base_url, include=body.include,
                role=body.role,
            )  # fmt: skip
        else:
            command = (body.command, *body.args) if body.command else ()
            server = McpServer(body.name, body.transport, body.url, command)
            done = await toolset.imports.import_mcp(server, principal.id, role=body.role)
    await _noted(acts, "tools.import", done)
    return _shown(done)


@router.get("/sources", operation_id="list_tool_sources", summary="도구를 가져온 곳과 그 상태.")
async def list_sources(principal: OperatorCaller, toolset: ToolsDep) -> dict[str, Any]:
    found = toolset.imports.sources()
    return {"count": len(found), "sources": found}


@router.post("/sources/{name}/refresh", operation_id="refresh_tool_source", summary="가져온 곳을 다시 읽습니다.")
async def refresh_source(name: NamePath, principal: AdminCaller, toolset: ToolsDep, acts: ActsDep) -> dict[str, Any]:
    async with toolset.changes.changing("source", name, principal.id):
        done = await toolset.imports.refresh(name)
    await _noted(acts, "tools.refresh", done)
    return _shown(done)


@router.delete("/sources/{name}", operation_id="remove_tool_source", summary="가져온 곳과 그 도구를 모두 뺍니다.")
async def remove_source(name: NamePath, principal: AdminCaller, toolset: ToolsDep, acts: ActsDep) -> dict[str, Any]:
    async with toolset.changes.changing("source", name, principal.id):
        snapshot = await toolset.imports.remove(name)
    await acts.note("tools.source_remove", name, registry_version=snapshot.version)
    return {
        "status": "ok",
        "message": f"{name}에서 가져온 도구를 모두 뺐습니다.",
        "tools_count": snapshot.tools_count,
        "registry_version": snapshot.version,
    }


async def _noted(acts: ActsDep, action: str, done: Imported) -> None:
    await acts.note(action, done.source, registry_version=done.snapshot.version, registered=len(done.registered))


def _shown(done: Imported) -> dict[str, Any]:
    return {
        "status": "ok",
        "source": done.source,
        "registered": [
            {
                "name": entry.name,
                "description": entry.tool.description,
                "annotations": entry.annotations.as_mcp() if entry.annotations else {},
                "role": entry.role,
                "tags": list(entry.tool.tags or ()),
            }
            for entry in done.registered
        ],
        "removed": list(done.removed),
        "skipped": [{"operation": item.operation, "reason": item.reason} for item in done.skipped],
        "warnings": list(done.warnings),
        "tools_count": done.snapshot.tools_count,
        "registry_version": done.snapshot.version,
    }
