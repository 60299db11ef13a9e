"""/api/admin/reload: the tool modules, what reloading one would come to, and the turns that go on with older sets.

The reload itself is POST /api/tools/reload-module/{module}.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path

from app.adapters.tool_records import ToolRecords
from app.api.principals import AdminCaller
from app.api.state import StorageDep, TalkDep, ToolsDep
from app.errors import ToolLoadError
from app.services import Tools

router = APIRouter(prefix="/api/admin/reload", tags=["admin"])

ModuleName = Annotated[str, Path(max_length=64, description="도구 모듈 이름, 예: premium")]
_ACTIONS = ("tools.reload", "tools.delete")


@router.get("", operation_id="list_modules", summary="도구 모듈과 지금 도는 도구 판, 다시 불러온 기록입니다.")
async def modules(principal: AdminCaller, storage: StorageDep, toolset: ToolsDep, talk: TalkDep) -> dict[str, Any]:
    await toolset.changes.catch_up()
    snapshot = toolset.registry.snapshot()
    events = await ToolRecords(storage.database).events(_ACTIONS, limit=30)
    return {
        "registry_version": snapshot.version,
        "tools_count": snapshot.tools_count,
        "worker": storage.shared.worker if storage.shared is not None else None,
        "in_use": [{"version": version, "turns": turns} for version, turns in talk.runner.versions_in_use().items()],
        "modules": await asyncio.to_thread(_modules, toolset),
        "events": [asdict(event) for event in events],
    }


@router.post(
    "/{module}/check",
    operation_id="check_module",
    summary="모듈을 다시 불러오면 무엇이 달라지는지 미리 봅니다. 아무것도 바꾸지 않습니다.",
)
async def check(module: ModuleName, principal: AdminCaller, toolset: ToolsDep) -> dict[str, Any]:
    await toolset.changes.catch_up()
    try:
        tried = await asyncio.to_thread(toolset.toolbox.tried, module)
    except ToolLoadError as error:
        return {"module": module, "ok": False, "faults": list(error.faults)}
    return {**asdict(tried), "ok": True, "faults": []}


def _modules(toolset: Tools) -> list[dict[str, Any]]:
    entries = toolset.registry.snapshot().entries
    found = []
    for name in toolset.toolbox.modules.names():
        place = toolset.toolbox.modules.find(name)
        try:
            changed, fault = toolset.toolbox.modules.changed(name), None
        except ToolLoadError as error:
            changed, fault = True, "; ".join(error.faults)
        own = [entry for entry in entries if entry.module == name]
        found.append(
            {
                "name": name,
                "source": place.source,
                "file": place.file.name,
                "cards": place.cards.name if place.cards.is_file() else None,
                "tools": len(own),
                "off": sum(entry.off for entry in own),
                "changed": changed,
                "fault": fault,
            }
        )
    return found
