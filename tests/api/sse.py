"""Reading server-sent events in tests: whole bodies, and streams that are still open."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from fastapi import FastAPI


@dataclass(frozen=True)
class Sent:
    """One event as a client sees it."""

    id: int
    type: str
    data: dict[str, Any]


def parse(body: str) -> list[Sent]:
    """The events of a finished stream; comments are skipped as clients do."""
    return [event for frame in body.replace("\r\n", "\n").split("\n\n") if (event := _event(frame))]


def shown_text(events: list[Sent]) -> str:
    """What stands on the page at the end: tokens, cleared where the guard takes the draft back."""
    text = ""
    for event in events:
        if event.type == "guard" and event.data["stage"] == "output" and event.data["action"] in ("retry", "replaced"):
            text = ""
        elif event.type == "token":
            text += event.data["text"]
    return text


def _event(frame: str) -> Sent | None:
    fields: dict[str, str] = {}
    for line in frame.split("\n"):
        name, colon, value = line.partition(":")
        if name and colon:
            fields[name] = fields[name] + "\n" + value.removeprefix(" ") if name in fields else value.removeprefix(" ")
    return Sent(int(fields["id"]), fields["event"], json.loads(fields["data"])) if "data" in fields else None


class OpenStream:
    """A stream under way: `next()` waits for one event, `hang_up()` closes the connection as a browser tab does."""

    def __init__(self) -> None:
        self.messages: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.left = asyncio.Event()
        self._rest = ""

    async def next(self) -> Sent:
        while "\n\n" not in self._rest:
            message = await asyncio.wait_for(self.messages.get(), 20)
            if message["type"] == "http.response.start":
                assert message["status"] == 200
            self._rest += message.get("body", b"").decode().replace("\r\n", "\n")
        frame, _, self._rest = self._rest.partition("\n\n")
        return _event(frame) or await self.next()

    def hang_up(self) -> None:
        self.left.set()


@asynccontextmanager
async def open_stream(app: FastAPI, body: dict[str, Any]) -> AsyncIterator[OpenStream]:
    """`POST /api/chat/stream` from loopback, event by event: the test client would wait for the end."""
    stream = OpenStream()
    payload = json.dumps(body).encode()
    waiting = [{"type": "http.request", "body": payload, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if waiting:
            return waiting.pop()
        await stream.left.wait()
        return {"type": "http.disconnect"}

    headers = [
        (b"host", b"127.0.0.1"),
        (b"content-type", b"application/json"),
        (b"content-length", str(len(payload)).encode()),
    ]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/api/chat/stream",
        "raw_path": b"/api/chat/stream",
        "query_string": b"",
        "root_path": "",
        "headers": headers,
        "client": ("127.0.0.1", 50000),
        "server": ("127.0.0.1", 80),
        "state": dict(app.state.yielded),
    }
    task = asyncio.create_task(app(scope, receive, stream.messages.put))  # type: ignore[arg-type]
    try:
        yield stream
    finally:
        stream.hang_up()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
