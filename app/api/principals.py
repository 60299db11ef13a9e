"""Who is calling (docs/api.md, "Who is calling"): key, token, login, local mode on loopback, or a visitor by cookie."""

from __future__ import annotations

import ipaddress
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Request, Response

from app.access import LOCAL_ADMIN, Principal, Role, Scope
from app.adapters.audit_log import AuditLog, Result
from app.adapters.key_store import BOOTSTRAP, KeyRecord, KeyStore, looks_like_key
from app.adapters.secret_files import Secrets
from app.adapters.shared import Shared
from app.adapters.shared_store import EndedSessions
from app.adapters.token_verifier import TokenPerson, TokenVerifier
from app.api.limits import SharedBuckets, SharedSlots, StreamSlots, TokenBuckets
from app.api.sessions import Cookies, key_principal, token_principal
from app.errors import Forbidden, NotAuthenticated
from app.services import Services
from app.settings import Settings

log = logging.getLogger(__name__)

Way = Literal["key", "token", "session", "local", "visitor"]
FAILED_LOGINS_PER_MINUTE = 20
_FORWARDED = ("forwarded", "x-forwarded-for", "x-real-ip")
_SAFE = ("GET", "HEAD", "OPTIONS")
_SCOPES: tuple[tuple[str, Scope], ...] = (
    ("/api/chat", "chat"),
    ("/api/runs", "chat"),
    ("/api/threads", "chat"),
    ("/api/feedback", "chat"),
    ("/api/proposals", "chat"),
    ("/v1", "chat"),
    ("/api/documents", "documents"),
    ("/api/tools", "tools"),
    ("/api/route", "tools"),
    ("/mcp", "tools"),
    ("/sse", "tools"),
    ("/messages", "tools"),
    ("/api/approvals", "approvals"),
    ("/api/admin", "admin"),
)


@dataclass(frozen=True)
class VerifiedCaller:
    """A verified caller and how it was verified. `csrf_token` belongs to a login."""

    principal: Principal
    way: Way
    csrf_token: str | None = None


class Gatekeeper:
    """Decides the principal of a request, and whether it may go on now.

    Local mode (a loopback caller is admin) needs a server bound to loopback, no key, no provider and no proxy: proxy
    headers that nobody vouches for are never believed, they only end local mode.
    """

    def __init__(
        self,
        settings: Settings,
        signing: Secrets,
        keys: KeyStore,
        audit: AuditLog,
        ended: EndedSessions | None = None,
        shared: Shared | None = None,
    ) -> None:
        """Raises StartError when the OIDC settings are not whole."""
        self.keys, self.audit = keys, audit
        self.cookies = Cookies(signing.signing_key("cookies"), keys, settings.session_hours * 3600, ended)
        self.streams = StreamSlots(settings.max_streams)
        self._streams = SharedSlots(self.streams, shared)
        self.turns = TokenBuckets(settings.rate_limit_turns_per_minute, "질문이")
        self._turns = SharedBuckets(self.turns, shared, "turns")
        self._tokens = TokenVerifier.configured(settings)
        self._loopback = is_loopback(settings.host)
        self._may_be_local = self._loopback and self._tokens is None and not settings.trusted_proxies
        self._requests = SharedBuckets(TokenBuckets(settings.rate_limit_per_minute, "요청이"), shared, "requests")
        self._addresses = SharedBuckets(
            TokenBuckets(settings.rate_limit_address_per_minute, "이 주소에서 온 요청이"), shared, "addresses"
        )
        self._failures = SharedBuckets(
            TokenBuckets(FAILED_LOGINS_PER_MINUTE, "잘못된 키로 한 시도가"), shared, "failures"
        )

    async def make_first_key(self) -> None:
        """A server that others can reach and that has no key yet: make the admin's, and tell it once, in the log."""
        if self._loopback or self._tokens is not None or await self.keys.list():
            return
        made = await self.keys.create(label="처음 시작할 때 만든 관리자 키", role="admin", created_by=BOOTSTRAP)
        await self.audit.record("system", "key.create", made.record.prefix, details={"role": "admin"})
        log.warning(
            "관리자 키(X-API-Key): %s (지금 한 번만 보입니다. 잃으면 'python -m scripts.keys create'로 다시 만드세요.)",
            made.key,
            extra={"unmasked": True},
        )

    async def caller(self, request: Request, response: Response) -> VerifiedCaller:
        """The caller. Raises NotAuthenticated for a key that is wrong, TooManyRequests, and Forbidden for an unsafe
        call of a login without its CSRF token or outside the key's scopes."""
        found = await self._who(request, response)
        if found.way != "local":
            await self._addresses.spend(_address(request))
            await self._requests.spend(found.principal.id)
        if found.way == "session" and request.method not in _SAFE:
            sent = request.headers.get("x-csrf-token", "")
            if not secrets.compare_digest(sent.encode(), (found.csrf_token or "").encode()):
                raise Forbidden("요청을 확인할 수 없습니다. 화면을 새로 고친 뒤 다시 시도해 주세요.")
        scope = next((scope for prefix, scope in _SCOPES if _under(request.url.path, prefix)), None)
        if found.principal.scopes and scope is not None and scope not in found.principal.scopes:
            raise Forbidden("이 키로는 쓸 수 없는 기능입니다. 범위에 맞는 키로 다시 요청해 주세요.")
        return found

    async def verify(self, secret: str, request: Request) -> KeyRecord | TokenPerson:
        """Whom a key or token speaks for. Raises NotAuthenticated, and TooManyRequests after too many wrong ones."""
        address = _address(request)
        await self._failures.check(address)
        try:
            if self._tokens is not None and not looks_like_key(secret):
                return await self._tokens.verify(secret)
            record = await self.keys.verify(secret)
            if record is None:
                raise NotAuthenticated("키가 올바르지 않거나 만료되었습니다. 키를 확인해 주세요.")
            return record
        except NotAuthenticated:
            await self._failures.spend(address)
            shown = secret[:16] if looks_like_key(secret) else "-"
            await self.audit.record("-", "login", shown, result="refused", request_id=request.state.request_id)
            raise

    async def local_mode(self) -> bool:
        """True while loopback callers are admin."""
        return self._may_be_local and not await self.keys.configured()

    async def spend_turn(self, principal: Principal) -> None:
        """Count one question over all workers. Raises TooManyRequests."""
        await self._turns.spend(principal.id)

    def stream_slot(self, name: str | None) -> AbstractAsyncContextManager[None]:
        """One of the principal's streams over all workers. Raises TooManyRequests."""
        return self._streams.slot(name)

    def on_this_machine(self, request: Request) -> bool:
        """True for a caller on loopback that came through no proxy, whether or not local mode is on."""
        return self._looks_local(request)

    async def _who(self, request: Request, response: Response) -> VerifiedCaller:
        secret = _key(request)
        if secret is not None and not await self._made_up(secret, request):
            login = await self.verify(secret, request)
            if isinstance(login, KeyRecord):
                return VerifiedCaller(key_principal(login), "key")
            return VerifiedCaller(token_principal(login), "token")
        if token := request.headers.get("x-visitor"):
            stranger = self.cookies.named_visitor(token)
            if stranger is None:
                raise NotAuthenticated("대화창의 표시가 올바르지 않습니다. 페이지를 새로 고쳐 주세요.")
            return VerifiedCaller(stranger, "visitor")
        if session := await self.cookies.session(request):
            return VerifiedCaller(session.principal, "session", session.csrf_token)
        if self._looks_local(request) and await self.local_mode():
            return VerifiedCaller(LOCAL_ADMIN, "local")
        return VerifiedCaller(self.cookies.visitor(request, response), "visitor")

    async def _made_up(self, secret: str, request: Request) -> bool:
        """True for what an OpenAI client of this machine sends because it must send something: local mode needs no
        key."""
        mere_form = _under(request.url.path, "/v1") and not looks_like_key(secret)
        return mere_form and self._looks_local(request) and await self.local_mode()

    def _looks_local(self, request: Request) -> bool:
        """A loopback caller that named a loopback host: a page of another site that resolves to 127.0.0.1 names its
        own."""
        forwarded = any(name in request.headers for name in _FORWARDED)
        return not forwarded and is_loopback(_address(request)) and is_loopback(request.url.hostname or "")


def _key(request: Request) -> str | None:
    """The key or token that was sent; None when none was."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return token.strip()
    return request.headers.get("x-api-key")


def _address(request: Request) -> str:
    return request.client.host if request.client else ""


def _under(path: str, prefix: str) -> bool:
    return path == prefix or path.startswith(f"{prefix}/")


def is_loopback(host: str) -> bool:
    """True for an address or name that only this machine reaches."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


async def open_gatekeeper(services: Services) -> Gatekeeper:
    """The gatekeeper of this process; makes the first admin key where one is needed. Raises StartError."""
    keys = KeyStore(services.storage.database, services.storage.secrets.signing_key("keys"))
    ended = EndedSessions(services.storage.database)
    gate = Gatekeeper(
        services.settings, services.storage.secrets, keys, services.storage.audit, ended, services.storage.shared
    )
    await gate.make_first_key()
    return gate


async def gatekeeper(request: Request) -> Gatekeeper:
    """FastAPI dependency: the gatekeeper of this process."""
    found: Gatekeeper = request.state.gatekeeper
    return found


GatekeeperDep = Annotated[Gatekeeper, Depends(gatekeeper)]


async def known_caller(request: Request, response: Response, gate: GatekeeperDep) -> VerifiedCaller:
    """FastAPI dependency: the verified caller and how it was verified. A refusal is written to the audit log."""
    return await gate.caller(request, response)


KnownCaller = Annotated[VerifiedCaller, Depends(known_caller)]


async def caller(known: KnownCaller) -> Principal:
    """FastAPI dependency: the verified principal."""
    return known.principal


Caller = Annotated[Principal, Depends(caller)]


def require(role: Role) -> object:
    """FastAPI dependency: refuses principals below `role` with 403, and writes that down."""

    async def check(request: Request, principal: Caller, gate: GatekeeperDep) -> Principal:
        if not principal.at_least(role):
            if principal.role != "customer":
                place = f"{request.method} {request.url.path}"
                await gate.audit.record(
                    principal.id, "access", place, result="refused", request_id=request.state.request_id
                )
            raise Forbidden("이 작업을 할 권한이 없습니다. 권한이 있는 키로 다시 요청해 주세요.")
        return principal

    return Depends(check)


StaffCaller = Annotated[Principal, require("staff")]
OperatorCaller = Annotated[Principal, require("operator")]
AdminCaller = Annotated[Principal, require("admin")]


class Acts:
    """Writes down what a principal does in one request."""

    def __init__(self, audit: AuditLog, principal: Principal, request_id: str) -> None:
        self._audit, self._principal, self._request_id = audit, principal, request_id

    async def note(self, action: str, target: str = "", /, *, result: Result = "ok", **details: object) -> None:
        """One entry of the audit log. Raises Unavailable."""
        await self._audit.record(
            self._principal.id, action, target, result=result, details=details, request_id=self._request_id
        )


async def acts(request: Request, principal: Caller, gate: GatekeeperDep) -> Acts:
    """FastAPI dependency: where what the caller does is written down."""
    return Acts(gate.audit, principal, request.state.request_id)


ActsDep = Annotated[Acts, Depends(acts)]


async def asking(known: KnownCaller, gate: GatekeeperDep) -> Principal:
    """FastAPI dependency: a principal that may ask one more question now. Raises TooManyRequests."""
    if known.way != "local":
        await gate.spend_turn(known.principal)
    return known.principal


AskingCaller = Annotated[Principal, Depends(asking)]


async def stream_slot(known: KnownCaller, gate: GatekeeperDep) -> AsyncIterator[None]:
    """FastAPI dependency: one of the principal's event streams, given back when the answer is sent."""
    async with gate.stream_slot(None if known.way == "local" else known.principal.id):
        yield


StreamSlot = Annotated[None, Depends(stream_slot)]
