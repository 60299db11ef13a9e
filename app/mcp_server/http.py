"""MCP over HTTP: who calls is decided by the same gate as for REST, then the SDK's transports go on."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import Request, Response
from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from mcp.server.lowlevel.server import Server
from mcp.server.sse import SseServerTransport
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from app.access import SCOPES
from app.api.principals import Gatekeeper, VerifiedCaller, is_loopback
from app.errors import AppError, Forbidden, NotAuthenticated, TooManyRequests
from app.graph.runs import RunHub
from app.mcp_server.call import CALLER_KEY, Caller
from app.mcp_server.server import InsuranceServer, offers
from app.services import Services
from app.settings import Settings, listed

MCP_PATH, SSE_PATH, MESSAGES_PATH = "/mcp", "/sse", "/messages/"
METADATA_PATH = "/.well-known/oauth-protected-resource"
_LOCAL_NAMES = ("127.0.0.1", "localhost", "[::1]")
_STATUS = {NotAuthenticated: 401, Forbidden: 403, TooManyRequests: 429}
_NOBODY = "키나 토큰이 필요합니다. Authorization: Bearer 헤더로 보내 주세요."


class McpFace:
    """The server of this process with its HTTP transports. Made by `open_mcp`."""

    def __init__(self, made: InsuranceServer, settings: Settings) -> None:
        self.made = made
        self.server: Server[dict[str, Any]] = made.build()
        security = transport_security(settings)
        self.manager = StreamableHTTPSessionManager(
            app=self.server,
            security_settings=security,
            session_idle_timeout=settings.mcp_session_idle_s,
            max_sessions=settings.mcp_max_sessions,
            max_request_body_size=settings.max_body_bytes,
        )
        self.sse = SseServerTransport(MESSAGES_PATH, security, settings.max_body_bytes)

    @property
    def sessions(self) -> int:
        """How many clients are connected or may come back: streamable sessions and SSE connections."""
        return len(self.manager._server_instances) + len(self.sse._read_stream_writers)


@asynccontextmanager
async def open_mcp(services: Services, hub: RunHub, made: InsuranceServer | None = None) -> AsyncIterator[McpFace]:
    """The HTTP face of MCP, open until the block ends; `made` stands in for the product's own server."""
    made = made or InsuranceServer(services, offers(services, hub))
    face = McpFace(made, services.settings)
    ready, ending = asyncio.Event(), asyncio.Event()

    async def own() -> None:
        # The SDK's task group must be entered and left by one task; lifespans may be left by another.
        async with face.manager.run():
            ready.set()
            await ending.wait()

    owner = asyncio.create_task(own(), name="mcp-sessions")
    unfollow = made.notices.follow(services.tools.registry)
    try:
        await ready.wait()
        yield face
    finally:
        unfollow()
        await made.notices.close()
        ending.set()
        await asyncio.gather(owner, return_exceptions=True)


class _Guarded:
    """Lets verified callers through to `inner`; anybody else is told where the way in is described."""

    def __init__(self, inner: str) -> None:
        self._inner = inner

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, response = Request(scope, receive), Response()
        gate: Gatekeeper = scope["state"]["gatekeeper"]
        try:
            found = await gate.caller(request, response)
            if found.way == "visitor":
                raise NotAuthenticated(_NOBODY)
        except (NotAuthenticated, Forbidden, TooManyRequests) as error:
            await _refused(request, error)(scope, receive, send)
            return
        _vouch(scope, found, gate)
        face: McpFace = scope["state"]["mcp"]
        app: ASGIApp = getattr(self, f"_{self._inner}")(face)
        await app(scope, receive, send)

    @staticmethod
    def _streamable(face: McpFace) -> ASGIApp:
        return face.manager.handle_request

    @staticmethod
    def _messages(face: McpFace) -> ASGIApp:
        return face.sse.handle_post_message

    @staticmethod
    def _events(face: McpFace) -> ASGIApp:
        async def connect(scope: Scope, receive: Receive, send: Send) -> None:
            async with face.sse.connect_sse(scope, receive, send) as (reading, writing):
                await face.server.run(reading, writing, face.server.create_initialization_options())

        return connect


def streamable_routes() -> list[BaseRoute]:
    """`/mcp` and its metadata."""
    return [
        Route(MCP_PATH, _Guarded("streamable"), include_in_schema=False),
        Route(METADATA_PATH, metadata, include_in_schema=False),
        Route(METADATA_PATH + MCP_PATH, metadata, include_in_schema=False),
    ]


def sse_routes() -> list[BaseRoute]:
    """The older transport: `/sse` for events, `/messages/` for what the client says."""
    return [
        Route(SSE_PATH, _Guarded("events"), include_in_schema=False),
        Mount(MESSAGES_PATH.rstrip("/"), app=_Guarded("messages")),
        Route(METADATA_PATH, metadata, include_in_schema=False),
    ]


async def metadata(request: Request) -> JSONResponse:
    """RFC 9728: how to get a token for this server."""
    settings: Settings = request.state.services.settings
    told: dict[str, Any] = {
        "resource": f"{_base(request)}{MCP_PATH}",
        "resource_name": f"{settings.company_name} 보험 상담 도우미",
        "bearer_methods_supported": ["header"],
        "scopes_supported": list(SCOPES),
    }
    if settings.oidc_issuer:
        told["authorization_servers"] = [settings.oidc_issuer]
    return JSONResponse(told)


def transport_security(settings: Settings) -> TransportSecuritySettings:
    """Which hosts and origins may be named: on loopback only loopback and ALLOWED_HOSTS, against DNS rebinding.

    On other addresses the hosts are GateMiddleware's to judge, as for every other path.
    """
    if not is_loopback(settings.host):
        return TransportSecuritySettings(enable_dns_rebinding_protection=False)
    names = [*_LOCAL_NAMES, *listed(settings.allowed_hosts)]
    origins = [f"http://{name}" for name in names]
    return TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=[pattern for name in names for pattern in (name, f"{name}:*")],
        allowed_origins=[*(o for origin in origins for o in (origin, f"{origin}:*")), *listed(settings.cors_origins)],
    )


def _vouch(scope: Scope, found: VerifiedCaller, gate: Gatekeeper) -> None:
    """Hand the caller on: to our handlers, and to the SDK, which binds a session to the one who opened it."""
    principal = found.principal

    async def spend_turn() -> None:
        if found.way != "local":
            await gate.spend_turn(principal)

    scope["state"][CALLER_KEY] = Caller(principal, spend_turn)
    token = AccessToken(token="", client_id=principal.id, scopes=sorted(principal.scopes), subject=principal.id)
    scope["user"] = AuthenticatedUser(token)


def _refused(request: Request, error: AppError) -> Response:
    status = _STATUS[type(error)]
    problem = {"type": error.code, "title": error.code, "status": status, "detail": str(error)}
    problem["request_id"] = getattr(request.state, "request_id", "")
    headers = {}
    if isinstance(error, TooManyRequests):
        headers["Retry-After"] = str(error.retry_after_s)
    if status in (401, 403):
        kind = "invalid_token" if status == 401 else "insufficient_scope"
        where = f"{_base(request)}{METADATA_PATH}{MCP_PATH}"
        headers["WWW-Authenticate"] = f'Bearer error="{kind}", resource_metadata="{where}"'
    body = json.dumps(problem, ensure_ascii=False).encode()
    return Response(body, status, headers, "application/problem+json")


def _base(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"
