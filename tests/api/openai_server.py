"""An OpenAI-compatible server on a real socket that plays what a test tells it to, piece by piece, faults included.

`python -m tests.api.openai_server --port 9000 --latency 1.0` answers every question alike, for load measurements.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

ANSWER = "무엇을 도와드릴까요? 보험에 관해 편하게 물어봐 주세요."
USAGE = {
    "prompt_tokens": 900,
    "completion_tokens": 40,
    "total_tokens": 940,
    "prompt_tokens_details": {"cached_tokens": 600},
}


@dataclass
class Line:
    """One connection as a play sees it."""

    writer: asyncio.StreamWriter
    body: dict[str, Any]
    _chunked: bool = False

    async def head(self, status: int = 200, **headers: str) -> None:
        """Status and headers; what follows is sent as chunks."""
        lines = [f"HTTP/1.1 {status} played", "Transfer-Encoding: chunked"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        self.writer.write(("\r\n".join(lines) + "\r\n\r\n").encode())
        await self.writer.drain()

    async def send(self, data: bytes) -> None:
        self.writer.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
        await self.writer.drain()

    async def event(self, data: Any) -> None:
        """One SSE event; a str goes as it is."""
        text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
        await self.send(f"data: {text}\n\n".encode())

    async def end(self) -> None:
        self.writer.write(b"0\r\n\r\n")
        await self.writer.drain()


Play = Callable[[Line], Awaitable[None]]


def piece(delta: dict[str, Any], finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One chunk of a streamed answer."""
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "p", "object": "chat.completion.chunk", "created": 1, "model": "played", "choices": [choice], **more}


def streams(pieces: Sequence[Any], *, done: bool = True, delay_s: float = 0.0) -> Play:
    """Just these chunks."""

    async def play(line: Line) -> None:
        await line.head(content_type="text/event-stream")
        await asyncio.sleep(delay_s)
        for one in pieces:
            await line.event(one)
        if done:
            await line.event("[DONE]")
        await line.end()

    return play


def says(text: str, *, step: int = 4, finish: str | None = "stop", delay_s: float = 0.0, **usage: Any) -> Play:
    """An answer of `step` characters a piece, with its usage."""
    texts = [text[at : at + step] for at in range(0, len(text), step)]
    pieces = [piece({"role": "assistant", "content": part}) for part in texts]
    if finish is not None:
        pieces.append(piece({}, finish))
    pieces.append({**piece({}), "choices": [], "usage": {**USAGE, **usage}})
    return streams(pieces, delay_s=delay_s)


def calls(
    *made: tuple[str, Any],
    ids: Sequence[str] = (),
    step: int = 7,
    one_index: bool = False,
    delay_s: float = 0.0,
    usage: Mapping[str, Any] = MappingProxyType(USAGE),
) -> Play:
    """Tool calls whose arguments (a dict, or text as it is) come in pieces."""
    pieces = []
    for place, (name, args) in enumerate(made):
        raw = args if isinstance(args, str) else json.dumps(args, ensure_ascii=False)
        call_id = ids[place] if place < len(ids) else f"c{place}"
        index = 0 if one_index else place
        start = {"index": index, "id": call_id, "type": "function", "function": {"name": name, "arguments": ""}}
        pieces.append(piece({"role": "assistant", "content": None, "tool_calls": [start]}))
        for at in range(0, len(raw), step):
            more = {"index": index, "function": {"arguments": raw[at : at + step]}}
            pieces.append(piece({"tool_calls": [more]}))
    return streams(
        [*pieces, piece({}, "tool_calls"), {**piece({}), "choices": [], "usage": dict(usage)}], delay_s=delay_s
    )


def fails(status: int, message: str = "played", **headers: str) -> Play:
    """An error status with a message that nobody may see."""

    async def play(line: Line) -> None:
        body = json.dumps({"error": {"message": message, "code": headers.pop("code", None)}}).encode()
        await line.head(status, content_type="application/json", **headers)
        await line.send(body)
        await line.end()

    return play


def breaks_after(text: str) -> Play:
    """The line is cut after these words."""

    async def play(line: Line) -> None:
        await line.head(content_type="text/event-stream")
        await line.event(piece({"role": "assistant", "content": text}))
        line.writer.close()

    return play


def hangs(seconds: float = 30.0, *, after: str | None = None) -> Play:
    """Nothing (more) comes."""

    async def play(line: Line) -> None:
        if after is not None:
            await line.head(content_type="text/event-stream")
            await line.event(piece({"role": "assistant", "content": after}))
        await asyncio.sleep(seconds)

    return play


def trickles(text: str, gap_s: float, *, step: int = 1, key: str = "content") -> Play:
    """`step` letters every `gap_s` seconds; under another key, they are thoughts or what an endpoint calls them."""
    parts = [text[at : at + step] for at in range(0, len(text), step)]

    async def play(line: Line) -> None:
        await line.head(content_type="text/event-stream")
        await line.event(piece({"role": "assistant", "content": ""}))
        for part in parts:
            await line.event(piece({key: part}))
            await asyncio.sleep(gap_s)
        await line.event(piece({}, "stop"))
        await line.event("[DONE]")
        await line.end()

    return play


def one_after_another(*plays: Play) -> Play:
    """Thoughts, then words: all in one answer; the ends of all but the last are left out."""

    async def play(line: Line) -> None:
        await line.head(content_type="text/event-stream")
        for place, each in enumerate(plays):
            await each(_Part(line, last=place == len(plays) - 1))  # type: ignore[arg-type]

    return play


@dataclass
class _Part:
    """A line whose head is sent already, and whose end is another's."""

    line: Line
    last: bool

    @property
    def body(self) -> dict[str, Any]:
        return self.line.body

    async def head(self, status: int = 200, **headers: str) -> None:
        """Sent already."""

    async def event(self, data: Any) -> None:
        ends = data == "[DONE]" or (isinstance(data, dict) and data["choices"] and data["choices"][0]["finish_reason"])
        if self.last or not ends:
            await self.line.event(data)

    async def end(self) -> None:
        if self.last:
            await self.line.end()


def answers_whole(text: str) -> Play:
    """An answer that is no stream, as side questions get it."""

    async def play(line: Line) -> None:
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        data = {"id": "p", "object": "chat.completion", "created": 1, "model": "played", "choices": [choice]}
        await line.head(content_type="application/json")
        await line.send(json.dumps({**data, "usage": USAGE}).encode())
        await line.end()

    return play


@dataclass
class OpenAiServer:
    """`script` plays one entry a streamed question, `asides` one a side question; the defaults come after them."""

    port: int = 0
    latency_s: float = 0.0
    script: list[Play] = field(default_factory=list)
    asides: list[Play] = field(default_factory=list)
    asked: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    reached: asyncio.Event = field(default_factory=asyncio.Event)
    hung_up: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def streamed(self) -> list[dict[str, Any]]:
        """The bodies of the streamed questions."""
        return [body for body in self.asked if body.get("stream")]

    def plays(self, *entries: Play) -> None:
        """Begin a new scene."""
        self.script, self.asides = list(entries), []
        self.asked.clear()
        self.headers.clear()
        self.reached.clear()
        self.hung_up.clear()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (request := await _request(reader)) is not None:
                headers, body = request
                self.asked.append(body)
                self.headers.append(headers)
                self.reached.set()
                play = self._next(body)
                playing = asyncio.create_task(play(Line(writer, body)))
                gone = asyncio.create_task(reader.read(1))
                # Whoever hangs up while a play goes on is noticed as a provider would.
                await asyncio.wait({playing, gone}, return_when=asyncio.FIRST_COMPLETED)
                if gone.done() and not playing.done():
                    self.hung_up.set()
                    playing.cancel()
                gone.cancel()
                await asyncio.gather(playing, gone, return_exceptions=True)
                if self.hung_up.is_set() or writer.is_closing():
                    return
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            writer.close()

    def _next(self, body: dict[str, Any]) -> Play:
        if body.get("stream"):
            return self.script.pop(0) if self.script else says(ANSWER, delay_s=self.latency_s)
        return self.asides.pop(0) if self.asides else answers_whole("")


async def _request(reader: asyncio.StreamReader) -> tuple[dict[str, str], dict[str, Any]] | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    lines = head.split("\r\n")[1:]
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines) if name}
    return headers, json.loads(await reader.readexactly(int(headers.get("content-length", 0))) or b"{}")


@asynccontextmanager
async def openai_server(
    port: int = 0, latency_s: float = 0.0, served: OpenAiServer | None = None
) -> AsyncIterator[OpenAiServer]:
    """A running server on a free port; `served` in place of one that plays scenes."""
    played = served or OpenAiServer(latency_s=latency_s)
    server = await asyncio.start_server(played.serve, "127.0.0.1", port)
    played.port = server.sockets[0].getsockname()[1]
    try:
        yield played
    finally:
        server.close()


async def _main(port: int, latency_s: float) -> None:
    async with openai_server(port, latency_s):
        await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--latency", type=float, default=0.0)
    options = parser.parse_args()
    asyncio.run(_main(options.port, options.latency))
