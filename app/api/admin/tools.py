"""/api/admin/tools: every tool with what it was called for, one tool in full, tried out, switched off and on."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query, Request, Response
from pydantic import Field, StringConstraints

from app.adapters.card_store import CardState, CardStore
from app.adapters.tool_records import ToolRecords
from app.adapters.turn_figures import ToolSums, TurnFigures
from app.api.admin.overview import span_of
from app.api.principals import ActsDep, OperatorCaller, StaffCaller
from app.api.problems import problem
from app.api.schemas import Body, InvokeRequest, PlainText
from app.api.state import DesksDep, StorageDep, TalkDep, ToolsDep
from app.editing.tool_list import HitRate, ToolFilter, ToolSort, found_tools, hit_rates
from app.graph.reply import approval_card
from app.toolbox.approvals import ApprovalAwaited, argument_problems
from app.toolbox.snapshot import ToolEntry

router = APIRouter(prefix="/api/admin/tools", tags=["admin"])

DAYS = 7
_ACTIONS = ("card.publish", "card.rollback", "tools.switch", "tools.delete", "tools.reload")

ToolName = Annotated[str, Path(max_length=64, description="도구 이름, 예: premium_estimate")]
Listed = Annotated[str, StringConstraints(min_length=1, max_length=64)]


class SwitchRequest(Body):
    """The tools to switch, and why."""

    tools: Annotated[tuple[Listed, ...], Field(min_length=1, max_length=500)]
    off: bool
    reason: Annotated[
        str, Field(min_length=2, max_length=300, description="끄거나 켜는 까닭. 감사 기록에 남습니다."), PlainText
    ]


@router.get(
    "", operation_id="list_all_tools", summary="모든 도구와 최근 7일의 호출, 오류, 적중률입니다. 꺼 둔 것도 보입니다."
)
async def tools(
    principal: StaffCaller,
    storage: StorageDep,
    toolset: ToolsDep,
    q: Annotated[
        str, Query(max_length=100, description="이름, 한국어 이름, 카드에서 찾을 말. 초성만으로도 찾습니다.")
    ] = "",
    module: Annotated[str | None, Query(max_length=64)] = None,
    state: Annotated[Literal["on", "off", "failing", "unused"] | None, Query()] = None,
    sort: ToolSort = "module",
    order: Literal["asc", "desc"] = "asc",
    offset: Annotated[int, Query(ge=0, le=100_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
) -> dict[str, Any]:
    await toolset.changes.catch_up()
    snapshot = toolset.registry.snapshot()
    sums = await TurnFigures(storage.database).tools(datetime.now(UTC) - timedelta(days=DAYS))
    hits = await hit_rates(storage.database)
    wanted = ToolFilter(q, module, state)
    rows = found_tools(snapshot.entries, sums, hits, wanted, sort, down=order == "desc")
    states = await CardStore(storage.database).states()
    return {
        "total": len(rows),
        "offset": offset,
        "registry_version": snapshot.version,
        "days": DAYS,
        "modules": list(dict.fromkeys(entry.module for entry in snapshot.entries)),
        "off": sum(entry.off for entry in snapshot.entries),
        "tools": [_line(entry, sums, hits, states) for entry in rows[offset : offset + limit]],
    }


@router.post(
    "/switch", operation_id="switch_tools", summary="도구를 끄거나 켭니다. 모든 서버의 다음 질문부터 적용됩니다."
)
async def switch(body: SwitchRequest, principal: OperatorCaller, desks: DesksDep, acts: ActsDep) -> dict[str, Any]:
    done = await desks.switches.switch(body.tools, off=body.off, reason=body.reason, author=principal.id)
    for tool in done.tools:
        await acts.note("tools.switch", tool, off=body.off, reason=body.reason, registry_version=done.snapshot.version)
    return {
        "switched": list(done.tools),
        "off": body.off,
        "tools_count": done.snapshot.tools_count,
        "registry_version": done.snapshot.version,
    }


@router.get("/{name}", operation_id="show_tool", summary="도구 하나: 인자, 카드, 호출, 바뀐 기록입니다.")
async def one(
    name: ToolName, principal: StaffCaller, storage: StorageDep, toolset: ToolsDep, desks: DesksDep
) -> dict[str, Any]:
    await toolset.changes.catch_up()
    entry = toolset.registry.snapshot().entry(name)
    figures, now = TurnFigures(storage.database), datetime.now(UTC)
    sums = await figures.tools(now - timedelta(days=DAYS))
    states, off = await CardStore(storage.database).states(), (await desks.switches.off()).get(name)
    span = span_of("month", now)
    days = await figures.tool_series(name, span)
    events = await ToolRecords(storage.database).events(_ACTIONS, (name, entry.module))
    return {
        **_line(entry, sums, await hit_rates(storage.database), states),
        "switch": asdict(off) if off else None,
        "description": entry.description,
        "card": entry.card.model_dump(mode="json"),
        "has_own_card": entry.has_own_card,
        "schema": _schema(entry),
        "output_schema": entry.output_schema,
        "hints": entry.annotations.as_mcp() if entry.annotations else {},
        "writes_when": list(entry.writes_when),
        "since": span.start,
        "series": [{"start": start, "calls": calls, "errors": errors} for start, calls, errors in days],
        "events": [asdict(event) for event in events],
    }


@router.post(
    "/{name}/try",
    operation_id="try_tool",
    summary="도구를 실행해 봅니다. 잘못된 인자는 하나씩 알려 주고, 쓰기는 승인을 기다립니다.",
)
async def attempt(
    name: ToolName,
    body: InvokeRequest,
    principal: StaffCaller,
    toolset: ToolsDep,
    talk: TalkDep,
    request: Request,
    response: Response,
) -> Any:
    await toolset.changes.catch_up()
    entry = toolset.registry.snapshot().entry(name)
    if faults := argument_problems(entry, body.args):
        told = [{"field": field, "type": "argument", "message": text} for field, text in faults]
        return problem(request, 422, "validation-error", "인자를 고친 뒤 다시 실행해 주세요.", errors=told)
    try:
        done = await talk.invoke(name, body.args, principal, run_id=uuid.uuid4().hex)
    except ApprovalAwaited as waiting:
        response.status_code = 202
        return {"status": "pending", "approval": approval_card(waiting.approvals[0], entry.card.title)}
    return {"status": "ok", **done}


def _line(
    entry: ToolEntry, sums: Mapping[str, ToolSums], hits: Mapping[str, HitRate], states: Mapping[str, CardState]
) -> dict[str, Any]:
    used, hit, card = sums.get(entry.name), hits.get(entry.name), states.get(entry.name)
    return {
        "name": entry.name,
        "title": entry.card.title,
        "module": entry.module,
        "source": entry.source,
        "role": entry.role,
        "channels": sorted(entry.channels),
        "off": entry.off,
        "card_version": card.version if card else 0,
        "calls": used.calls if used else 0,
        "errors": used.errors if used else 0,
        "p95_ms": used.took.p95 if used else None,
        "last_called_at": used.last if used else None,
        "hit": {"right": hit.right, "asked": hit.asked, "run_id": hit.run_id} if hit else None,
    }


def _schema(entry: ToolEntry) -> dict[str, Any]:
    found: dict[str, Any] = entry.openai_schema["function"].get("parameters") or {}
    return {"type": "object", "properties": {}, **found}
