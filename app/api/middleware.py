"""Pure ASGI middleware: request ids, security headers and the check of bodies."""

from __future__ import annotations

import codecs
import json
import uuid
from collections.abc import Sequence
from http import HTTPStatus

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


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

        async def sending(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in _SECURITY_HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        await self._app(scope, receive, sending)


class BodyMiddleware:
    """Reads a body before anything parses it: 413 above `limit` bytes (by its declared length or as it arrives; nothing
    past the limit is kept), 400 for JSON that is not UTF-8. Python's parser would guess UTF-16 and UTF-32, RFC 8259
    says no.
    """

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app, self._limit = app, limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in ("POST", "PUT", "PATCH"):
            await self._app(scope, receive, send)
            return
        declared = Headers(scope=scope).get("content-length", "")
        if declared.isdigit() and int(declared) > self._limit:
            await self._refuse(scope, send, 413)
            return
        messages: list[Message] = []
        size = 0
        while True:
            message = await receive()
            messages.append(message)
            size += len(message.get("body", b""))
            if size > self._limit:
                await self._refuse(scope, send, 413)
                return
            if message["type"] == "http.disconnect" or not message.get("more_body"):
                break
        if "json" in Headers(scope=scope).get("content-type", "") and not _is_utf8(messages):
            await self._refuse(scope, send, 400)
            return
        waiting = iter(messages)

        async def replay() -> Message:
            message = next(waiting, None)
            return message if message is not None else await receive()

        await self._app(scope, replay, send)

    async def _refuse(self, scope: Scope, send: Send, status: int) -> None:
        details = {
            413: f"본문이 너무 큽니다. {self._limit // 1024}kB 이하로 보내 주세요.",
            400: "본문을 읽을 수 없습니다. UTF-8로 적은 JSON인지 확인해 주세요.",
        }
        title = HTTPStatus(status).phrase
        problem = {
            "type": title.lower().replace(" ", "-"),
            "title": title,
            "status": status,
            "detail": details[status],
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
