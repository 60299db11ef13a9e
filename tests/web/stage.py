"""The real application with a stage in front: questions that have a script get its events, everything else is real.

A script is a list of events and holds. The page meets it as it meets a run: over POST, again with `Last-Event-ID` after
a cut, and with a cancel.
"""

from __future__ import annotations

import asyncio
import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote

WEB = Path(__file__).resolve().parents[2] / "web"


class Hold:
    """A place where the script waits for the test: `release()` lets it go on."""

    def __init__(self) -> None:
        self._go = asyncio.Event()

    def release(self) -> None:
        self._go.set()

    async def wait(self) -> None:
        await self._go.wait()


class Cut:
    """A place where the connection breaks, once."""

    done = False


Step = tuple[str, dict[str, Any]] | Hold | Cut


@dataclass
class Refusal:
    """An answer other than a stream, for the first request only."""

    status: int
    problem: dict[str, Any]
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class ScriptedRun:
    """One run of a script: what was told so far."""

    steps: Sequence[Step]
    id: str = field(default_factory=lambda: uuid.uuid4().hex)
    cancelled: asyncio.Event = field(default_factory=asyncio.Event)


class Stage:
    """ASGI in front of the application."""

    def __init__(self, app: Any, state: dict[str, Any]) -> None:
        self._app, self.state = app, state
        self.scripts: dict[str, Sequence[Step] | Refusal] = {}
        self.runs: dict[str, ScriptedRun] = {}
        self._by_message: dict[str, ScriptedRun] = {}
        self.asked: list[dict[str, Any]] = []
        self.cancels: list[str] = []
        self.cut_real_after: int | None = None
        self.pages: dict[str, tuple[str, bytes]] = {}

    def reset(self) -> None:
        self.scripts, self.asked, self.cancels, self.cut_real_after, self.pages = {}, [], [], None, {}

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            return
        path, method = unquote(scope["path"]), scope["method"]
        if path.startswith("/src/"):
            await _send(send, 200, "text/javascript", (WEB / path.removeprefix("/src/")).read_bytes())
        elif path in self.pages:
            await _send(send, 200, *self.pages[path])
        elif path == "/api/chat/stream" and method == "POST":
            await self._ask(scope, receive, send)
        elif path.startswith("/api/runs/") and path.split("/")[3] in self.runs:
            await self._run(self.runs[path.split("/")[3]], path, scope, receive, send)
        else:
            await self._real(scope, receive, send)

    async def _ask(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        body = await _body(receive)
        asked = json.loads(body)
        self.asked.append(asked)
        found = self.scripts.get(asked.get("query", ""))
        if isinstance(found, Refusal):
            del self.scripts[asked["query"]]
            problem = {"title": "", "request_id": "0123456789abcdef", "errors": [], **found.problem}
            await _send(send, found.status, "application/problem+json", json.dumps(problem).encode(), found.headers)
        elif found is not None:
            run = self._by_message.get(asked["message_id"])
            if run is None or run.cancelled.is_set():
                run = ScriptedRun(found)
                self.runs[run.id] = self._by_message[asked["message_id"]] = run
            await self._play(run, 0, receive, send)
        else:
            await self._real(scope, _replay(body, receive), self._cutting(send))

    async def _run(self, run: ScriptedRun, path: str, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if path.endswith("/cancel"):
            self.cancels.append(run.id)
            run.cancelled.set()
            await _send(send, 200, "application/json", json.dumps({"run_id": run.id, "status": "cancelled"}).encode())
            return
        after = next((int(value) for name, value in scope["headers"] if name == b"last-event-id"), 0)
        await self._play(run, after, receive, send)

    async def _play(self, run: ScriptedRun, after: int, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"text/event-stream; charset=utf-8"), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        number = 0
        for step in run.steps:
            if isinstance(step, Hold):
                if number >= after:
                    waits = [asyncio.create_task(step.wait()), asyncio.create_task(run.cancelled.wait())]
                    await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
                    for task in waits:
                        task.cancel()
            elif isinstance(step, Cut):
                if not step.done:
                    step.done = True
                    return  # the body ends without its last chunk: the browser sees a broken connection
            else:
                number += 1
                if number > after:
                    await send(_frame(number, run.id, *step))
            if run.cancelled.is_set():
                stopped = {"error": "사용자가 답변을 멈췄습니다.", "type": "cancelled", "request_id": run.id}
                await send(_frame(number + 1, run.id, "error", stopped))
                break
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _real(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        scope["state"] = dict(self.state)
        await self._app(scope, receive, send)

    def _cutting(self, send: Any) -> Any:
        """Breaks the connection of a real run after so many events, once."""
        if self.cut_real_after is None:
            return send
        left, self.cut_real_after = self.cut_real_after, None

        async def cutting(message: dict[str, Any]) -> None:
            nonlocal left
            if message["type"] == "http.response.body" and message.get("body"):
                if left <= 0:
                    raise ConnectionAbortedError("cut by the test")
                left -= message["body"].count(b"\n\n")
            await send(message)

        return cutting


def _frame(number: int, run_id: str, name: str, data: dict[str, Any]) -> dict[str, Any]:
    text = json.dumps({**data, "run_id": run_id}, ensure_ascii=False)
    return {
        "type": "http.response.body",
        "body": f"event: {name}\ndata: {text}\nid: {number}\n\n".encode(),
        "more_body": True,
    }


async def _body(receive: Any) -> bytes:
    whole = b""
    while True:
        message = await receive()
        whole += message.get("body", b"")
        if not message.get("more_body"):
            return whole


def _replay(body: bytes, receive: Any) -> Any:
    first = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Any:
        return first.pop() if first else await receive()

    return again


async def _send(send: Any, status: int, kind: str, body: bytes, headers: dict[str, str] | None = None) -> None:
    given = {"content-type": kind, "content-length": str(len(body)), **(headers or {})}
    raw = [(name.lower().encode(), value.encode()) for name, value in given.items()]
    await send({"type": "http.response.start", "status": status, "headers": raw})
    await send({"type": "http.response.body", "body": body})
