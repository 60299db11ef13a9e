"""/api/admin/access: who was here, and the limits in force. Keys are made and revoked under /api/admin/keys."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from app.access import ROLE_ORDER, SCOPES
from app.adapters.people_store import Kind, PeopleStore
from app.api.principals import AdminCaller, GatekeeperDep
from app.api.state import SettingsDep, StorageDep

router = APIRouter(prefix="/api/admin/access", tags=["admin"])

LIMITS = (
    "rate_limit_per_minute", "rate_limit_turns_per_minute", "rate_limit_address_per_minute", "max_streams",
    "session_hours", "max_body_bytes", "max_upload_bytes", "max_header_bytes", "body_timeout_s",
    "turn_timeout_s", "max_tool_calls", "max_model_calls", "tool_search_top_k", "max_conversation_turns",
    "approval_ttl_s", "retention_days", "audit_retention_days",
)  # fmt: skip


@router.get("/people", operation_id="list_people", summary="질문했거나 작업이 기록된 사용자를 최근 순으로 봅니다.")
async def people(
    principal: AdminCaller,
    storage: StorageDep,
    gate: GatekeeperDep,
    kind: Annotated[Kind | None, Query(description="키, 토큰, 방문자, 이 컴퓨터")] = None,
    q: Annotated[str, Query(max_length=100, description="사용자 id의 한 부분")] = "",
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> dict[str, Any]:
    found, total = await PeopleStore(storage.database).page(kind=kind, words=q.strip(), offset=offset, limit=limit)
    keys = {f"key:{record.key_id}": record for record in await gate.keys.list()}
    shown = []
    for person in found:
        key = keys.get(person.owner)
        shown.append(
            {
                "id": person.owner,
                "kind": person.owner.partition(":")[0],
                "label": key.label if key else None,
                "role": key.role if key else person.role,
                "turns": person.turns,
                "acts": person.acts,
                "last_at": person.last,
            }
        )
    return {"total": total, "offset": offset, "people": shown}


@router.get("/rules", operation_id="access_rules", summary="역할과 범위, 들어오는 길, 지금 적용되는 한도입니다.")
async def rules(principal: AdminCaller, settings: SettingsDep, gate: GatekeeperDep) -> dict[str, Any]:
    held = [record.role for record in await gate.keys.list() if record.revoked_at is None]
    return {
        "roles": [{"role": role, "keys": held.count(role)} for role in ROLE_ORDER],
        "scopes": list(SCOPES),
        "ways": {
            "local": await gate.local_mode(),
            "token": bool(settings.oidc_issuer),
            "proxies": bool(settings.trusted_proxies),
            "other_origins": bool(settings.cors_origins),
            "widget": bool(settings.widget_origins),
        },
        "limits": {name: getattr(settings, name) for name in LIMITS},
    }
