"""/api/admin/audit/…: the audit log by page and by filter, and as a file. Looking into it is open to operators."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Response

from app.adapters.audit_log import AuditEntry, AuditFilter, Result
from app.api.admin.conversations import EXPORTED, Moment, begins, ends
from app.api.admin.shown_turns import csv_response
from app.api.principals import ActsDep, OperatorCaller
from app.api.state import StorageDep

router = APIRouter(prefix="/api/admin/audit", tags=["admin"])


async def asked_for(
    actor: Annotated[str | None, Query(max_length=200, description="누가")] = None,
    action: Annotated[str | None, Query(max_length=64, description="무엇을")] = None,
    target: Annotated[str | None, Query(max_length=200, description="대상에 이 글자가 든 것")] = None,
    outcome: Annotated[Result | None, Query()] = None,
    since: Annotated[Moment | None, Query(description="이 날부터(서울)")] = None,
    until: Annotated[Moment | None, Query(description="이 날까지(서울)")] = None,
) -> AuditFilter:
    """FastAPI dependency: the filter of a list. A day is one of Seoul."""
    return AuditFilter(actor, action, target, outcome, begins(since) if since else None, ends(until) if until else None)


Wanted = Annotated[AuditFilter, Depends(asked_for)]


@router.get("/entries", operation_id="audit_entries", summary="감사 기록을 걸러서 쪽으로 봅니다.")
async def entries(
    principal: OperatorCaller,
    storage: StorageDep,
    wanted: Wanted,
    order: Literal["asc", "desc"] = "desc",
    offset: Annotated[int, Query(ge=0, le=10_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    found, total = await storage.audit.page(wanted, down=order == "desc", offset=offset, limit=limit)
    facets = await storage.audit.facets()
    return {"total": total, "offset": offset, "entries": [_shown(entry) for entry in found], "facets": facets}


@router.get(
    "/export",
    operation_id="export_audit",
    response_class=Response,
    responses={200: {"content": {"text/csv": {}, "application/json": {}}}},
    summary="걸러 낸 감사 기록을 파일로 내려받습니다. 10,000건까지이며, 내려받은 일도 기록됩니다.",
)
async def exported(
    acts: ActsDep,
    principal: OperatorCaller,
    storage: StorageDep,
    wanted: Wanted,
    kind: Annotated[Literal["csv", "json"], Query(alias="format")] = "csv",
) -> Response:
    found, _ = await storage.audit.page(wanted, limit=EXPORTED)
    await acts.note("audit.export", kind, count=len(found))
    rows = [_shown(entry) for entry in found]
    if kind == "json":
        text = json.dumps({"count": len(rows), "entries": rows}, ensure_ascii=False, indent=1)
        headers = {"Content-Disposition": 'attachment; filename="audit.json"', "Cache-Control": "no-store"}
        return Response(text, media_type="application/json", headers=headers)
    told = [{**row, "details": json.dumps(row["details"], ensure_ascii=False)} for row in rows]
    return csv_response(
        "audit.csv", ("entry_id", "at", "actor", "action", "target", "result", "details", "request_id"), told
    )


def _shown(entry: AuditEntry) -> dict[str, Any]:
    return {**entry.__dict__, "at": entry.at.isoformat()}
