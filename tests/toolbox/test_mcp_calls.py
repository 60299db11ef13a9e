"""Real MCP servers in processes of their own: listed, called, mended; the dead and the slow harm nobody."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from app.adapters.database import Database, open_database
from app.adapters.mcp_client import McpConnection, McpServer
from app.adapters.outside import NetworkRules
from app.adapters.source_auth import Credentials, read_auth
from app.adapters.source_store import SourceStore
from app.errors import BadRequest, NotFound, ToolFailed, Unavailable
from app.toolbox.import_limits import ImportLimits
from app.toolbox.imports import ToolImports
from app.toolbox.registry import ToolRegistry
from app.toolbox.toolbox import Toolbox

from .http_service import http_service
from .samples import named

PROGRAM = str(Path(__file__).resolve().parent / "mcp_program.py")
COMMAND = (sys.executable, PROGRAM)
LOCAL = NetworkRules(("127.0.0.1:*",), ("127.0.0.0/8",))


@asynccontextmanager
async def connected(server: McpServer, **more: Any) -> AsyncIterator[McpConnection]:
    options: dict[str, Any] = {"connect_timeout_s": 30.0, "call_timeout_s": 10.0, **more}
    held = options.pop("held", Credentials())
    made = McpConnection(server, LOCAL, held, **options)
    try:
        yield made
    finally:
        await made.close()


def stdio(name: str = "local") -> McpServer:
    return McpServer(name, "stdio", command=COMMAND)


@contextmanager
def program(kind: str, port: int = 0) -> Iterator[tuple[str, int]]:
    """The server over HTTP or SSE on a free port; its url."""
    if not port:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
    process = subprocess.Popen([*COMMAND, kind, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 30
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None and time.monotonic() < deadline, "the MCP test server did not start"
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/{'sse' if kind == 'sse' else 'mcp'}", port
    finally:
        process.kill()
        process.wait()


async def check_calls(connection: McpConnection) -> None:
    tools = {tool["name"]: tool for tool in await connection.tools()}
    assert tools["add_numbers"]["annotations"] == {"readOnlyHint": True, "idempotentHint": True}
    assert tools["add_numbers"]["inputSchema"]["required"] == ["first", "second"]
    reply = await connection.call("add_numbers", {"first": 20, "second": 22}, repeatable=True)
    assert reply.data == {"result": 42} and not reply.is_error
    refused = await connection.call("refuses", {}, repeatable=True)
    assert refused.is_error and "지금은 할 수 없습니다" in refused.text


@pytest.mark.requirement("registry:mcp:lazy-tools-of-other-servers")
async def test_over_stdio_with_its_own_environment_alone() -> None:
    held = Credentials(environment={"WEATHER_TOKEN": "tok-98765"}, secrets=("tok-98765",))
    async with connected(stdio(), held=held) as connection:
        assert connection.status == "idle" and connection.connected_times == 0  # nothing runs before it is needed
        await check_calls(connection)
        reply = await connection.call("getWeather", {"city": "서울"}, repeatable=True)
        assert reply.data == {"city": "서울", "sky": "맑음", "token": "***"} and "tok-98765" not in reply.text


@pytest.mark.parametrize("kind", ["http", "sse"])
async def test_over_the_network(kind: Any) -> None:
    with program(kind) as (url, _):
        async with connected(McpServer("net", kind, url=url)) as connection:
            await check_calls(connection)


@pytest.mark.requirement("imports:network:origin")
@pytest.mark.parametrize("kind", ["http", "sse"])
async def test_a_server_that_sends_elsewhere_is_not_followed(kind: Any) -> None:
    with http_service() as service:
        server = McpServer("net", kind, url=f"http://127.0.0.1:{service.port}/special/next-door")
        async with connected(server, connect_timeout_s=5.0) as connection:
            with pytest.raises(BadRequest, match=r"다른 서버.*따라가지 않았습니다"):
                await connection.tools()
            assert "다른 서버" in connection.problem
        assert {seen["path"] for seen in service.seen} == {"/special/next-door"}


async def test_a_program_that_dies_is_started_again_and_only_repeatable_calls_are() -> None:
    async with connected(stdio()) as connection:
        await connection.tools()
        with pytest.raises(Unavailable, match="끊어졌습니다"):
            await connection.call("dies", {}, repeatable=False)
        reply = await connection.call("add_numbers", {"first": 1, "second": 1}, repeatable=True)
        assert reply.data == {"result": 2} and connection.connected_times == 2


async def test_a_server_that_comes_back_is_found_again() -> None:
    with program("http") as (url, port):
        connection = McpConnection(
            McpServer("net", "http", url=url), LOCAL, Credentials(), connect_timeout_s=20, call_timeout_s=10
        )
        await connection.tools()
    started = time.monotonic()
    with pytest.raises(Unavailable):
        await connection.call("add_numbers", {"first": 1, "second": 1}, repeatable=True)
    with pytest.raises(Unavailable):  # during the pause nobody waits
        await connection.call("add_numbers", {"first": 1, "second": 1}, repeatable=True)
    assert time.monotonic() - started < 15 and connection.problem
    with program("http", port):
        for _ in range(20):
            try:
                reply = await connection.call("add_numbers", {"first": 1, "second": 2}, repeatable=True)
                break
            except Unavailable:
                await asyncio.sleep(0.3)
        assert reply.data == {"result": 3} and connection.status == "connected"
    await connection.close()


async def test_a_slow_call_ends_at_its_time_out_and_slows_nobody() -> None:
    async with connected(stdio(), call_timeout_s=1.0) as connection:
        await connection.tools()
        slow = asyncio.create_task(connection.call("sleeps", {"seconds": 30}, repeatable=True))
        await asyncio.sleep(0)
        reply = await connection.call("add_numbers", {"first": 1, "second": 1}, repeatable=True)
        assert reply.data == {"result": 2} and not slow.done()
        with pytest.raises(Unavailable, match="1초"):
            await slow


async def test_a_program_that_says_nothing_costs_the_connect_time_out_once() -> None:
    server = McpServer("mute", "stdio", command=(sys.executable, "-c", "import time; time.sleep(60)"))
    async with connected(server, connect_timeout_s=0.5) as connection:
        with pytest.raises(Unavailable, match=r"0\.5초"):
            await connection.tools()
        started = time.monotonic()
        with pytest.raises(Unavailable):
            await connection.tools()
        assert time.monotonic() - started < 0.1 and connection.status == "waiting"
    missing = McpServer("none", "stdio", command=("/no/such/program",))
    async with connected(missing) as connection:
        with pytest.raises(Unavailable, match="연결할 수 없습니다"):
            await connection.tools()


class Box:
    """A toolbox with imports over a database."""

    def __init__(self, database: Database, **limits: Any) -> None:
        self.registry = ToolRegistry([named("own"), named("add_numbers")])
        auth = read_auth(SecretStr('{"local": {"type": "env", "values": {"WEATHER_TOKEN": "tok-98765"}}}'))
        options: dict[str, Any] = {
            "rules": LOCAL, "auth": auth, "commands": (COMMAND,), "call_timeout_s": 10.0, "connect_timeout_s": 30.0,
            "result_chars": 2000, **limits,
        }  # fmt: skip
        box = Toolbox(self.registry, None)  # type: ignore[arg-type]
        self.imports = ToolImports(box, SourceStore(database), ImportLimits(**options), lambda _: False)

    async def call(self, name: str, **args: Any) -> Any:
        tool = self.registry.snapshot().entry(name).tool
        message = await tool.ainvoke({"name": name, "args": args, "id": "1", "type": "tool_call"})
        return message.artifact.data


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    made = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'test.db'}")
    yield made
    await made.close()


@pytest.mark.requirement("registry:mcp:lazy-tools-of-other-servers")
async def test_imported_tools_are_listed_called_restored_and_removed(database: Database) -> None:
    box = Box(database)
    done = await box.imports.import_mcp(stdio(), "key:admin")
    names = {entry.name for entry in done.registered}
    assert {"local_add_numbers", "get_weather", "delete_file", "unhinted"} <= names and "add_numbers" not in names
    assert done.snapshot.version == 2 and box.registry.snapshot().entry("own")
    assert await box.call("local_add_numbers", first=1, second=2) == 3
    assert (await box.call("get_weather", city="부산"))["city"] == "부산"
    with pytest.raises(ToolFailed, match="지금은 할 수 없습니다"):
        await box.call("refuses")
    await box.imports.close()

    again = Box(database)
    started = time.monotonic()
    await again.imports.restore()
    assert time.monotonic() - started < 1  # nobody was asked
    assert set(again.registry.snapshot().names()) == {"own", "add_numbers", *names}
    [source] = again.imports.sources()
    assert source["status"] == "idle" and source["transport"] == "stdio" and "WEATHER" not in str(source)
    assert await again.call("local_add_numbers", first=2, second=2) == 4
    assert again.imports.sources()[0]["status"] == "connected"
    assert (await again.imports.remove("local")).names() == ("own", "add_numbers")
    with pytest.raises(NotFound):
        await again.imports.refresh("local")
    await again.imports.close()
    third = Box(database)
    await third.imports.restore()
    assert third.registry.snapshot().names() == ("own", "add_numbers")
    await third.imports.close()


@pytest.mark.requirement("registry:mcp:lazy-tools-of-other-servers")
async def test_tools_that_change_are_listed_again_by_themselves(database: Database) -> None:
    box = Box(database)
    await box.imports.import_mcp(stdio(), "key:admin")
    version = box.registry.snapshot().version
    await box.call("grow")
    for _ in range(100):
        if "grown_later" in box.registry.snapshot():
            break
        await asyncio.sleep(0.1)
    assert await box.call("grown_later") == "new" and box.registry.snapshot().version == version + 1
    await box.imports.close()

    # The program that starts anew has no such tool: it is listed before the call, and the call says so.
    again = Box(database)
    await again.imports.restore()
    assert "grown_later" in again.registry.snapshot()
    with pytest.raises(NotFound, match="이제 없습니다"):
        await again.call("grown_later")
    assert "grown_later" not in again.registry.snapshot()
    await again.imports.close()


@pytest.mark.requirement("registry:mcp:lazy-tools-of-other-servers")
async def test_a_dead_source_never_slows_the_start_the_turn_or_the_others(database: Database) -> None:
    box = Box(database)
    with program("http") as (url, _):
        await box.imports.import_mcp(McpServer("far", "http", url=url), "key:admin")
    await box.imports.import_mcp(stdio(), "key:admin")
    await box.imports.close()
    again = Box(database, connect_timeout_s=2.0)
    await again.imports.restore()
    started = time.monotonic()
    again.imports.freshen()  # what the beginning of a turn does
    assert time.monotonic() - started < 0.1
    other = [name for name in again.registry.snapshot().names() if name.endswith("get_weather")]
    assert len(other) == 2
    with pytest.raises(Unavailable):
        await again.call("far_add_numbers", first=1, second=1)
    await again.imports.close()


async def test_only_listed_commands_and_servers_are_reached(database: Database) -> None:
    box = Box(database)
    for command in [(sys.executable, "-c", "print(1)"), (*COMMAND, "http"), (sys.executable,), ("/bin/sh",)]:
        with pytest.raises(BadRequest, match="MCP_COMMANDS"):
            await box.imports.import_mcp(McpServer("x", "stdio", command=command), "key:admin")
    with pytest.raises(BadRequest, match="TOOL_SOURCE_HOSTS"):
        await box.imports.import_mcp(McpServer("x", "http", url="http://localhost:1/mcp"), "key:admin")
    blocked = Box(database, rules=NetworkRules(("127.0.0.1:9",)))
    with pytest.raises(BadRequest, match="내부망"):
        await blocked.imports.import_mcp(McpServer("x", "http", url="http://127.0.0.1:9/mcp"), "key:admin")
    assert box.imports.sources() == [] and box.registry.snapshot().version == 1
    await box.imports.close()
    await blocked.imports.close()
