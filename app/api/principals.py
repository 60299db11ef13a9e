"""Who is calling (docs/api.md, "Who is calling"): local mode on loopback, the operator's key elsewhere, visitors by
cookie."""

from __future__ import annotations

import ipaddress
import logging
import secrets
from pathlib import Path
from typing import Annotated

from fastapi import Depends, HTTPException, Request, Response
from itsdangerous import BadSignature, URLSafeSerializer

from app.access import LOCAL_ADMIN, Principal, Role
from app.errors import Forbidden

log = logging.getLogger(__name__)

COOKIE = "visitor"
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")


class Gatekeeper:
    """Decides the principal of a request.

    `local` is true when the server itself is bound to loopback: only then may a loopback caller be admin. Proxy
    headers are
    never believed; they only end local mode.
    """

    def __init__(self, data_dir: Path, host: str) -> None:
        self.local = _is_loopback(host)
        self._signer = URLSafeSerializer(_secret(data_dir / "secret.key"), salt="visitor")
        self._admin_key = "" if self.local else _secret(data_dir / "admin.key")
        if self._admin_key:
            log.warning("관리자 키(X-API-Key): %s", self._admin_key)

    def principal(self, request: Request, response: Response) -> Principal:
        """The caller. Raises 401 for a key that is wrong."""
        if key := _key(request):
            if self._admin_key and secrets.compare_digest(key.encode(), self._admin_key.encode()):
                return Principal(id="admin-key", role="admin")
            raise HTTPException(401, headers={"WWW-Authenticate": "Bearer"})
        if self._is_local(request):
            return LOCAL_ADMIN
        return Principal(id=self._visitor(request, response), role="customer")

    def _is_local(self, request: Request) -> bool:
        """A loopback caller that named a loopback host: a page of another site that resolves to 127.0.0.1 names its
        own."""
        forwarded = any(name in request.headers for name in _FORWARDED)
        caller_ip = request.client.host if request.client else ""
        return self.local and not forwarded and _is_loopback(caller_ip) and _is_loopback(request.url.hostname or "")

    def _visitor(self, request: Request, response: Response) -> str:
        try:
            return f"visitor:{self._signer.loads(request.cookies.get(COOKIE, ''))}"
        except BadSignature:
            fresh = secrets.token_urlsafe(16)
            secure = request.url.scheme == "https"
            response.set_cookie(COOKIE, str(self._signer.dumps(fresh)), httponly=True, samesite="lax", secure=secure)
            return f"visitor:{fresh}"


def _key(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else request.headers.get("x-api-key", "")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _secret(path: Path) -> str:
    """The secret in `path`, made once and readable by its owner only."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(secrets.token_urlsafe(32), encoding="ascii")
    return path.read_text(encoding="ascii").strip()


async def caller(request: Request, response: Response) -> Principal:
    """FastAPI dependency: the verified principal."""
    gatekeeper: Gatekeeper = request.state.gatekeeper
    return gatekeeper.principal(request, response)


Caller = Annotated[Principal, Depends(caller)]


def require(role: Role) -> object:
    """FastAPI dependency: refuses principals below `role` with 403."""

    async def check(principal: Caller) -> Principal:
        if not principal.at_least(role):
            raise Forbidden("이 작업을 할 권한이 없습니다. 권한이 있는 키로 다시 요청해 주세요.")
        return principal

    return Depends(check)


StaffCaller = Annotated[Principal, require("staff")]
