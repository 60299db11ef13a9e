"""Pure ASGI middleware: request ids, security headers, and the checks of headers and bodies."""

from __future__ import annotations

import asyncio
import codecs
import json
import logging
import uuid
from collections.abc import Sequence
from http import HTTPStatus
from ipaddress import ip_address, ip_network
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.adapters.log_context import REQUEST_ID
from app.settings import Settings, listed

log = logging.getLogger(__name__)

_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "X-Permitted-Cross-Domain-Policies": "none",
    "Permissions-Policy": "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), "
    "magnetometer=(), microphone=(), midi=(), payment=(), usb=()",
    # Pages set their own; anything else is data, in which nothing may run.
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}
_FAILED = "일시적인 오류가 발생했습니다. 같은 문제가 이어지면 요청 번호와 함께 알려 주세요."
_HSTS = "max-age=31536000; includeSubDomains"
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_MOST_HEADERS = 100


class RequestIdMiddleware:
    """Gives each request an id (shown in problems and in `X-Request-ID`) and adds the security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        REQUEST_ID.set(request_id)
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in _SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
                if scope["scheme"] == "https":
                    headers.setdefault("Strict-Transport-Security", _HSTS)
                if scope["path"].startswith(("/api/", "/v1/")):
                    headers.setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception:  # nothing between here and the browser may see it; the log has the rest
            if started:
                raise
            log.exception("request %s failed", request_id)
            await refuse(scope, sending, 500, _FAILED, kind="internal")


class GateMiddleware:
    """Refuses requests that are wrong by their headers alone: too many of them (431), a host that is not ours (400), an
    unsafe call that another site's page makes (403). Believes proxy headers from the listed proxies only.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._most_bytes = settings.max_header_bytes
        self._hosts = listed(settings.allowed_hosts.lower())
        self._origins = frozenset(listed(settings.cors_origins))
        self._proxies = [ip_network(part, strict=False) for part in listed(settings.trusted_proxies)]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        raw = scope["headers"]
        if len(raw) > _MOST_HEADERS or sum(len(name) + len(value) for name, value in raw) > self._most_bytes:
            await refuse(scope, send, 431, "요청 헤더가 너무 큽니다. 쿠키와 헤더를 줄여 다시 보내 주세요.")
            return
        headers = Headers(scope=scope)
        self._believe_proxy(scope, headers)
        if not self._host_is_ours(scope["path"], headers):
            await refuse(scope, send, 400, "이 주소로는 서비스하지 않습니다. 주소를 확인해 주세요.")
            return
        if not self._origin_is_ours(scope, headers):
            await refuse(scope, send, 403, "다른 사이트에서 보낸 요청은 받지 않습니다.")
            return
        await self._app(scope, receive, send)

    def _believe_proxy(self, scope: Scope, headers: Headers) -> None:
        """The nearest address that is no proxy of ours is the caller's."""
        if not self._proxies or not scope.get("client") or not self._is_proxy(scope["client"][0]):
            return
        hops = [hop.strip() for line in headers.getlist("x-forwarded-for") for hop in line.split(",") if hop.strip()]
        caller = next((hop for hop in reversed(hops) if not self._is_proxy(hop)), None)
        if caller is not None:
            scope["client"] = (caller, 0)
        if (scheme := headers.get("x-forwarded-proto", "").split(",")[-1].strip()) in ("http", "https"):
            scope["scheme"] = scheme

    def _is_proxy(self, address: str) -> bool:
        try:
            return any(ip_address(address) in network for network in self._proxies)
        except ValueError:
            return False

    def _host_is_ours(self, path: str, headers: Headers) -> bool:
        if not self._hosts or path.startswith("/api/health"):
            return True
        host = _host_name(headers.get("host", ""))
        return any(host == name or (name[:2] == "*." and host.endswith(name[1:])) for name in self._hosts)

    def _origin_is_ours(self, scope: Scope, headers: Headers) -> bool:
        """Browsers say where an unsafe call comes from. A key in the headers is proof enough: no browser adds it by
        itself."""
        if scope.get("method") in _SAFE_METHODS or "x-api-key" in headers or "authorization" in headers:
            return True
        origin = headers.get("origin")
        if origin in self._origins:
            return True
        # Set by the browser itself; it also holds behind a proxy that changes the host.
        if (site := headers.get("sec-fetch-site")) is not None:
            return site in ("same-origin", "none")
        return origin is None or origin.partition("://")[2] == headers.get("host")


_STREAMED = frozenset({("POST", "/api/documents")})
"""Uploads go to disk as they come; their handler knows its own limit."""


class BodyMiddleware:
    """Reads a body before anything parses it: 413 above `limit` bytes (by its declared length or as it arrives; nothing
    past the limit is kept), 408 when it takes longer than `timeout_s`, 400 for JSON that is not UTF-8. Python's parser
    would guess UTF-16 and UTF-32, RFC 8259 says no.
    """

    def __init__(self, app: ASGIApp, limit: int, timeout_s: float) -> None:
        self._app, self._limit, self._timeout_s = app, limit, timeout_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("POST", "PUT", "PATCH", "DELETE"):
            await self._app(scope, receive, send)
            return
        if (scope["method"], scope["path"]) in _STREAMED:
            await self._app(scope, receive, send)
            return
        too_large = f"본문이 너무 큽니다. {self._limit // 1024}kB 이하로 보내 주세요."
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdigit() and int(declared) > self._limit:
            await refuse(scope, send, 413, too_large)
            return
        try:
            async with asyncio.timeout(self._timeout_s):
                messages = await self._read(receive)
        except TimeoutError:
            await refuse(scope, send, 408, "본문이 제때 오지 않았습니다. 연결을 확인하고 다시 보내 주세요.")
            return
        if messages is None:
            await refuse(scope, send, 413, too_large)
            return
        if "json" in Headers(scope=scope).get("content-type", "") and not _is_utf8(messages):
            await refuse(scope, send, 400, "본문을 읽을 수 없습니다. UTF-8로 적은 JSON인지 확인해 주세요.")
            return
        waiting = iter(messages)

        async def replay() -> Message:
            message = next(waiting, None)
            return message if message is not None else await receive()

        await self._app(scope, replay, send)

    async def _read(self, receive: Receive) -> list[Message] | None:
        """The whole body as it came; None when it is too large."""
        messages: list[Message] = []
        size = 0
        while True:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            if size > self._limit:
                return None
            if message["type"] == "http.disconnect" or not message.get("more_body"):
                return messages


async def refuse(scope: Scope, send: Send, status: int, detail: str, *, kind: str | None = None) -> None:
    """Answer with a problem document and close the connection; nothing of the request is read any more."""
    title = HTTPStatus(status).phrase
    problem = {
        "type": kind or title.lower().replace(" ", "-"),
        "title": title,
        "status": status,
        "detail": detail,
        "request_id": scope.get("state", {}).get("request_id", ""),
    }
    body = json.dumps(problem, ensure_ascii=False).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _host_name(host: str) -> str:
    try:
        return (urlsplit(f"//{host}").hostname or "").lower()
    except ValueError:
        return ""


def _is_utf8(messages: Sequence[Message]) -> bool:
    """Plain UTF-8 without a byte order mark; a null byte betrays UTF-16 and UTF-32, and no JSON text holds one."""
    body = b"".join(message.get("body", b"") for message in messages)
    if b"\x00" in body or body.startswith(codecs.BOM_UTF8):
        return False
    try:
        body.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True
