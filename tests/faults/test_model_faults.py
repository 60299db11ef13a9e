"""A provider that fails in every way, played by a real HTTP server: safe words, no text of its own, and it recovers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from pydantic import SecretStr

from app.access import LOCAL_ADMIN
from app.composition import open_services
from app.services import Services
from app.settings import Settings
from tests.faults.conftest import QUESTION, last_event, told_in_korean
from tests.state import lay_out

SECRET = "internal-stack-trace-of-the-provider"
ANSWER = "무엇을 도와드릴까요?"


class Provider(ThreadingHTTPServer):
    """Speaks the OpenAI protocol over a socket, badly when told to."""

    daemon_threads = True
    mode = "well"
    asked = 0


class Handler(BaseHTTPRequestHandler):
    server: Provider

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.asked += 1
        getattr(self, f"_{self.server.mode}")()

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""

    def _plain(self, status: int, body: bytes, kind: str = "application/json") -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _too_many(self) -> None:
        self._plain(429, json.dumps({"error": {"message": SECRET}}).encode())

    def _broken(self) -> None:
        self._plain(500, json.dumps({"error": {"message": SECRET}}).encode())

    def _garbage(self) -> None:
        self._plain(200, b"\x00\xff" * 400, "text/event-stream")

    def _html(self) -> None:
        self._plain(200, f"<html>{SECRET}</html>".encode(), "text/html")

    def _wrong_json(self) -> None:
        self._plain(200, b'data: {"choices": 5}\n\ndata: [DONE]\n\n', "text/event-stream")

    def _nothing(self) -> None:
        self._plain(200, b"data: [DONE]\n\n", "text/event-stream")

    def _hangs(self) -> None:
        time.sleep(8)

    def _closes(self) -> None:
        self.connection.close()

    def _stops_midway(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write(_chunk("월 보험료는 무조건 만 원입니다. 그리고"))
        self.wfile.flush()
        self.connection.close()

    def _well(self) -> None:
        self._plain(200, _chunk(ANSWER) + _chunk("", "stop") + b"data: [DONE]\n\n", "text/event-stream")


def _chunk(text: str, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": finish}
    data = {"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "played", "choices": [choice]}
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    server = Provider(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture(scope="module")
async def provided(tmp_path_factory: pytest.TempPathFactory, provider: Provider) -> AsyncIterator[Services]:
    settings = Settings(
        _env_file=None,
        data_dir=lay_out(tmp_path_factory.mktemp("var")),
        engine="model",
        llm_base_url=f"http://127.0.0.1:{provider.server_port}/v1",
        openrouter_api_key=SecretStr("sk-test"),
        llm_timeout_s=1.0,
        turn_timeout_s=6.0,
    )
    async with open_services(settings) as opened:
        yield opened


@pytest.mark.parametrize(
    "mode", ["too_many", "broken", "garbage", "html", "wrong_json", "nothing", "hangs", "closes", "stops_midway"]
)
async def test_a_failing_provider_ends_the_turn_safely_and_the_next_one_works(
    provided: Services, provider: Provider, mode: str
) -> None:
    provider.mode = mode
    started = time.perf_counter()
    events = [event async for event in provided.talk.runner.stream(QUESTION, LOCAL_ADMIN, f"thread-{mode}")]
    assert time.perf_counter() - started < 25
    everything = json.dumps([event.data for event in events], ensure_ascii=False)
    assert SECRET not in everything and "무조건" not in everything
    last = events[-1]
    if last.type == "error":
        assert told_in_korean(last)
    else:
        # A provider that says nothing gets our own words in its place, never an empty answer.
        assert last.type == "done" and last.data["answer"].strip()
    provider.mode = "well"
    after = await last_event(provided, "안녕하세요", f"thread-{mode}")
    assert after.type == "done" and after.data["answer"].startswith(ANSWER)
