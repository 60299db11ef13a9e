"""GET /api/me and DELETE /api/me/data: who a caller is, and forgetting what they said here."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter

from app.api.principals import ActsDep, Caller, KnownCaller
from app.api.state import HubDep, TalkDep

router = APIRouter(prefix="/api/me", tags=["account"])


@router.get("", operation_id="me", summary="지금 누구로 접속해 있는지 보여 줍니다.")
async def me(known: KnownCaller) -> dict[str, Any]:
    principal = known.principal
    return {
        "id": principal.id,
        "role": principal.role,
        "customer_id": principal.customer_id,
        "scopes": sorted(principal.scopes),
        "way": known.way,
        "local_mode": known.way == "local",
        "csrf_token": known.csrf_token,
    }


@router.delete("/data", operation_id="forget_me", summary="내 대화, 의견, 연결 요청을 모두 지웁니다.")
async def forget(acts: ActsDep, principal: Caller, talk: TalkDep, hub: HubDep) -> dict[str, Any]:
    await hub.forget(principal.id)
    gone: dict[str, Any] = await talk.threads.forget(principal)
    await acts.note("data.forget", **gone)
    return {"status": "ok", "deleted": gone}
