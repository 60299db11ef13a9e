"""POST /api/login and /api/logout: a browser exchanges a key (or a provider's token) for a signed cookie."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Request, Response
from pydantic import Field, SecretStr

from app.api.principals import GatekeeperDep, KnownCaller
from app.api.schemas import Body

router = APIRouter(prefix="/api", tags=["account"])


class LoginRequest(Body):
    """What proves who somebody is."""

    key: Annotated[
        SecretStr, Field(min_length=1, max_length=8192, description="API 키 또는 로그인 서버가 준 토큰(JWT)")
    ]


@router.post("/login", operation_id="login", summary="키로 화면에 로그인합니다. 쿠키와 CSRF 토큰을 받습니다.")
async def login(body: LoginRequest, request: Request, response: Response, gate: GatekeeperDep) -> dict[str, Any]:
    person = await gate.verify(body.key.get_secret_value().strip(), request)
    session = gate.cookies.begin(request, response, person)
    principal = session.principal
    await gate.audit.record(principal.id, "login", principal.role, request_id=request.state.request_id)
    return {
        "id": principal.id,
        "role": principal.role,
        "customer_id": principal.customer_id,
        "csrf_token": session.csrf_token,
        "expires_in": gate.cookies.max_age_s,
    }


@router.post("/logout", operation_id="logout", summary="로그아웃합니다.")
async def logout(request: Request, response: Response, known: KnownCaller, gate: GatekeeperDep) -> dict[str, str]:
    await gate.cookies.end(response, await gate.cookies.session(request))
    if known.way == "session":
        await gate.audit.record(known.principal.id, "logout", request_id=request.state.request_id)
    return {"status": "ok"}
