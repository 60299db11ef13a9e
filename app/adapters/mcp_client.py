"""Connections to MCP servers (stdio, streamable HTTP, SSE): opened when first needed, mended with growing pauses.

One task owns a connection from its first to its last moment; others only send requests through it. A server that is
slow or dead costs its own callers their time-out once, then nothing until the pause is over.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal, TextIO, TypeVar

import anyio
import httpx2
import mcp_types as types
from mcp import Client, MCPError, StdioServerParameters
from mcp.client.sse import sse_client
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost

from app.adapters.outside import NetworkRules, client_options
from app.adapters.source_auth import Credentials
from app.errors import AppError, ToolFailed, Unavailable
from app.messages import worded

log = logging.getLogger(__name__)

Transport = Literal["stdio", "http", "sse"]
FIRST_PAUSE_S, MOST_PAUSE_S = 0.5, 60.0
_MOST_PAGES = 50
_LISTEN_VERSION = "2026-07-28"
# The request itself was wrong; the connection is as good as before.
_OWN_FAULTS = (types.INVALID_PARAMS, types.METHOD_NOT_FOUND, types.INTERNAL_ERROR, types.INVALID_REQUEST)
_BROKEN = (httpx2.HTTPError, anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream, OSError)
_KEPT_LINES = 5
T = TypeVar("T")


@dataclass(frozen=True)
class McpServer:
    """How a server is reached: `command` with its arguments for stdio, `url` for http and sse."""

    name: str
    transport: Transport
    url: str = ""
    command: tuple[str, ...] = ()


@dataclass(frozen=True)
class McpReply:
    """What a tool answered."""

    text: str
    data: Any
    is_error: bool
    left_out: tuple[str, ...]


class McpConnection:
    """One server. Safe to use from many tasks of one event loop."""

    def __init__(
        self,
        server: McpServer,
        rules: NetworkRules,
        held: Credentials,
        *,
        connect_timeout_s: float,
        call_timeout_s: float,
        changed: Callable[[], None] = lambda: None,
    ) -> None:
        """`changed` is called when the server says that its tools have changed."""
        self.server = server
        self._rules, self._held, self._changed = rules, held, changed
        self._connect_timeout_s, self._call_timeout_s = connect_timeout_s, call_timeout_s
        self._opening = asyncio.Lock()
        self._owner: asyncio.Task[None] | None = None
        self._ending: asyncio.Event | None = None
        self._client: Client | None = None
        self._pause_s, self._not_before, self._problem = 0.0, 0.0, ""
        self._old: set[asyncio.Task[None]] = set()
        self.connected_times = 0

    @property
    def status(self) -> str:
        """'connected', 'waiting' (a pause after a failure), or 'idle' (not opened yet, or closed)."""
        if self._client is not None:
            return "connected"
        return "waiting" if time.monotonic() < self._not_before else "idle"

    @property
    def problem(self) -> str:
        """Why the last attempt failed; empty when it did not."""
        return self._problem

    async def tools(self) -> list[dict[str, Any]]:
        """Every tool as the protocol writes it (camelCase). Raises Unavailable."""

        async def listed(client: Client) -> list[dict[str, Any]]:
            found: list[types.Tool] = []
            cursor: str | None = None
            for _ in range(_MOST_PAGES):
                page = await client.list_tools(cursor=cursor, cache_mode="refresh")
                found += page.tools
                cursor = page.next_cursor
                if not cursor:
                    break
            return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in found]

        return await self._using(listed, repeatable=True)

    async def call(self, tool: str, args: dict[str, Any], *, repeatable: bool) -> McpReply:
        """Call a tool; a `repeatable` one is tried again on a fresh connection. Raises Unavailable, ToolFailed."""
        reply = await self._using(lambda client: _called(client, tool, args), repeatable=repeatable)
        if not self._held.secrets:
            return reply
        data = json.loads(self._held.hidden(json.dumps(reply.data, ensure_ascii=False)))
        return replace(reply, text=self._held.hidden(reply.text), data=data)

    async def close(self) -> None:
        """End the connection and its process."""
        self._drop("")
        if self._old:
            await asyncio.wait(self._old, timeout=8)

    async def _using(self, use: Callable[[Client], Awaitable[T]], *, repeatable: bool) -> T:
        for attempt in (1, 2):
            reused = self._client is not None
            client = await self._opened()
            try:
                async with asyncio.timeout(self._call_timeout_s):
                    return await use(client)
            except TimeoutError as error:
                raise Unavailable(
                    worded("mcp_client.no_answer_in_time", server=self.server.name, call_timeout_s=self._call_timeout_s)
                ) from error
            except MCPError as error:
                if error.error.code in _OWN_FAULTS and "terminated" not in error.error.message:
                    raise ToolFailed(f"{self.server.name}: {self._held.hidden(error.error.message)[:300]}") from error
                failure: Exception = error
            except _BROKEN as error:
                failure = error
            self._drop(str(failure), client)
            if attempt == 2 or not (repeatable and reused):
                raise Unavailable(worded("mcp_client.lost", server=self.server.name)) from failure
        raise AssertionError("unreachable")

    async def _opened(self) -> Client:
        if self._client is not None:
            return self._client
        if (wait := self._not_before - time.monotonic()) > 0:
            raise Unavailable(worded("mcp_client.retry_later", server=self.server.name, wait=wait))
        async with self._opening:
            if self._client is not None:
                return self._client
            if time.monotonic() < self._not_before:  # it failed for the one who had the lock
                raise Unavailable(worded("mcp_client.cannot_connect", server=self.server.name, problem=self._problem))
            ready: asyncio.Future[Client] = asyncio.get_running_loop().create_future()
            ending = asyncio.Event()
            owner = asyncio.create_task(self._own(ready, ending), name=f"mcp-{self.server.name}")
            self._old.add(owner)
            owner.add_done_callback(self._old.discard)
            try:
                client = await asyncio.wait_for(asyncio.shield(ready), self._connect_timeout_s)
            except TimeoutError as error:
                owner.cancel()
                raise self._failed(
                    worded("mcp_client.not_connected_in_time", connect_timeout_s=self._connect_timeout_s)
                ) from error
            except asyncio.CancelledError:
                owner.cancel()
                raise
            except AppError as error:
                self._failed(str(error))
                raise
            except (MCPError, *_BROKEN, ValueError, RuntimeError) as error:
                raise self._failed(f"{type(error).__name__}: {error}"[:200]) from error
            self._client, self._owner, self._ending = client, owner, ending
            self._pause_s, self._not_before, self._problem = 0.0, 0.0, ""
            self.connected_times += 1
            return client

    def _failed(self, reason: str) -> Unavailable:
        self._pause_s = min(max(self._pause_s * 2, FIRST_PAUSE_S), MOST_PAUSE_S)
        self._not_before = time.monotonic() + self._pause_s
        self._problem = self._held.hidden(reason)
        log.warning(worded("mcp_client.connect_failed"), self.server.name, self._problem)
        return Unavailable(worded("mcp_client.cannot_connect", server=self.server.name, problem=self._problem))

    def _drop(self, reason: str, client: Client | None = None) -> None:
        """Let the connection go; the next call opens another."""
        if client is not None and client is not self._client:
            return
        if reason:
            log.warning(worded("mcp_client.lost_log"), self.server.name, self._held.hidden(reason)[:200])
        if self._ending is not None:
            self._ending.set()
        self._client = self._owner = self._ending = None

    async def _own(self, ready: asyncio.Future[Client], ending: asyncio.Event) -> None:
        """Open, hold and close one connection, all in this task: its parts may not change tasks."""
        try:
            async with AsyncExitStack() as stack:
                transport = await stack.enter_async_context(self._transport())
                client = await stack.enter_async_context(Client(transport, message_handler=self._heard))
                if not ready.done():
                    ready.set_result(client)
                if client.protocol_version >= _LISTEN_VERSION:
                    await self._listening(client, ending)
                else:
                    await ending.wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(_first(error))
                ready.exception()  # seen here: the one who waited may have given up
            elif isinstance(error, asyncio.CancelledError):
                raise
            else:
                log.debug(worded("mcp_client.ended"), self.server.name, exc_info=error)
            if isinstance(error, asyncio.CancelledError | KeyboardInterrupt | SystemExit):
                raise

    async def _listening(self, client: Client, ending: asyncio.Event) -> None:
        """Hear of changed tools until the connection ends (from 2026-07-28 on they come by subscription)."""

        async def follow() -> None:
            try:
                async with client.listen(tools_list_changed=True) as events:
                    async for _ in events:
                        self._changed()
            except (MCPError, SubscriptionLost, TimeoutError, *_BROKEN) as error:
                log.debug(worded("mcp_client.no_changes"), self.server.name, error)

        following = asyncio.create_task(follow())
        try:
            await ending.wait()
        finally:
            following.cancel()
            await asyncio.gather(following, return_exceptions=True)

    async def _heard(self, message: Any) -> None:
        if isinstance(message, types.ToolListChangedNotification):
            self._changed()

    @asynccontextmanager
    async def _transport(self) -> AsyncIterator[AbstractAsyncContextManager[Any]]:
        headers = dict(self._held.headers)
        limits = httpx2.Timeout(self._connect_timeout_s, read=300)
        match self.server.transport:
            case "stdio":
                command, *args = self.server.command
                parameters = StdioServerParameters(command=command, args=args, env=dict(self._held.environment) or None)
                with _error_lines(self.server.name, self._held) as errors:
                    yield stdio_client(parameters, errlog=errors)
            case "http":
                self._rules.check_name(self.server.url)
                options = client_options(self._rules)
                async with httpx2.AsyncClient(headers=headers, timeout=limits, **options) as http:
                    yield streamable_http_client(self.server.url, http_client=http)
            case "sse":
                self._rules.check_name(self.server.url)

                def factory(
                    headers: dict[str, str] | None = None,
                    timeout: httpx2.Timeout | None = None,
                    auth: httpx2.Auth | None = None,
                ) -> httpx2.AsyncClient:
                    return httpx2.AsyncClient(
                        headers=headers, timeout=timeout, auth=auth, **client_options(self._rules)
                    )

                yield sse_client(
                    self.server.url, headers=headers, timeout=self._connect_timeout_s, httpx_client_factory=factory
                )


class _error_lines:
    """A file for a server's stderr whose last lines go to the log when it ends; it never grows."""

    def __init__(self, name: str, held: Credentials) -> None:
        self._name, self._held = name, held
        self._lines: deque[str] = deque(maxlen=_KEPT_LINES)

    def __enter__(self) -> TextIO:
        reading, writing = os.pipe()
        self._writing = os.fdopen(writing, "w")
        self._thread = threading.Thread(target=self._read, args=(reading,), daemon=True)
        self._thread.start()
        return self._writing

    def __exit__(self, *_: object) -> None:
        self._writing.close()
        self._thread.join(timeout=1)
        for line in self._lines:
            log.debug(worded("mcp_client.line"), self._name, self._held.hidden(line)[:300])

    def _read(self, reading: int) -> None:
        with os.fdopen(reading, errors="replace") as stream:
            self._lines.extend(line.rstrip() for line in stream)


async def _called(client: Client, tool: str, args: dict[str, Any]) -> McpReply:
    result = await client.call_tool(tool, args)
    texts = [part.text for part in result.content if isinstance(part, types.TextContent)]
    others = [part.type for part in result.content if not isinstance(part, types.TextContent)]
    return McpReply("\n".join(texts), result.structured_content, bool(result.is_error), tuple(others))


def _first(error: BaseException) -> Exception:
    """The reason inside task groups."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error if isinstance(error, Exception) else ConnectionError(worded("mcp_client.given_up"))
