"""Telling clients that the tool set changed: to open connections directly, to 2026-07-28 clients by subscription."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult
from mcp.server.subscriptions import InMemorySubscriptionBus, ResourceUpdated, ToolsListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from app.mcp_server.call import Context, connection_of
from app.mcp_server.resources import CATALOG
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import ToolSnapshot

log = logging.getLogger(__name__)

SEND_TIMEOUT_S = 5.0
_SUBSCRIBED = "subscribed"


class Notices:
    """The open connections of one server, and the bus of its subscriptions."""

    def __init__(self) -> None:
        self.bus = InMemorySubscriptionBus()
        self._live: set[Connection] = set()
        self._telling: set[asyncio.Task[None]] = set()

    @property
    def connections(self) -> int:
        """How many handshake connections are open."""
        return len(self._live)

    async def track(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Server middleware: remembers connections that notices can be pushed to, until they end."""
        connection = connection_of(ctx)
        if ctx.protocol_version not in MODERN_PROTOCOL_VERSIONS and connection not in self._live:
            self._live.add(connection)
            connection.exit_stack.callback(self._live.discard, connection)
        return await call_next(ctx)

    def subscribe(self, ctx: Context, uri: str) -> None:
        """Tell this connection when the resource changes."""
        connection_of(ctx).state.setdefault(_SUBSCRIBED, set()).add(uri)

    def unsubscribe(self, ctx: Context, uri: str) -> None:
        """Do not tell it any more."""
        connection_of(ctx).state.get(_SUBSCRIBED, set()).discard(uri)

    def follow(self, registry: ToolRegistry) -> Callable[[], None]:
        """Announce every change of the registry from now on; the answer ends that. Call it on the event loop."""
        loop = asyncio.get_running_loop()

        def changed(old: ToolSnapshot, new: ToolSnapshot) -> None:
            if not loop.is_closed():
                loop.call_soon_threadsafe(self._begin)

        return registry.subscribe(changed)

    async def announce(self) -> None:
        """The tools have changed. A client that does not read holds nobody up."""
        await self.bus.publish(ToolsListChanged())
        await self.bus.publish(ResourceUpdated(uri=CATALOG))
        await asyncio.gather(*(self._tell(connection) for connection in list(self._live)))

    async def close(self) -> None:
        """Stop what is still being told."""
        for task in list(self._telling):
            task.cancel()
        await asyncio.gather(*self._telling, return_exceptions=True)

    def _begin(self) -> None:
        task = asyncio.create_task(self.announce())
        self._telling.add(task)
        task.add_done_callback(self._telling.discard)

    async def _tell(self, connection: Connection) -> None:
        sends: list[Callable[[], Awaitable[Any]]] = [connection.send_tool_list_changed]
        if CATALOG in connection.state.get(_SUBSCRIBED, ()):
            sends.append(lambda: connection.send_resource_updated(CATALOG))
        try:
            async with asyncio.timeout(SEND_TIMEOUT_S):
                for send in sends:
                    await send()
        except TimeoutError:
            log.warning("an MCP client does not read its notices")
