"""Connections to imported MCP servers: which are held, what they listed, and which said that their tools changed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from app.adapters.mcp_client import McpConnection, McpServer
from app.adapters.source_auth import credentials
from app.adapters.source_store import ToolSource
from app.errors import BadRequest, NotFound
from app.messages import worded
from app.toolbox.import_limits import ImportLimits


class McpLinks:
    """One connection a source, by its name. Nothing is connected before it is needed."""

    def __init__(self, limits: ImportLimits, changed: Callable[[str], None]) -> None:
        """`changed` hears of a source whose server says that its tools changed."""
        self._limits, self._changed = limits, changed
        self._held: dict[str, McpConnection] = {}
        self._listed: dict[str, frozenset[str]] = {}
        self._stale: set[str] = set()

    def get(self, name: str) -> McpConnection | None:
        """The connection of a source; None where there is none."""
        return self._held.get(name)

    def held(self, name: str) -> McpConnection:
        """The connection of a source. Raises NotFound where it was removed."""
        if name not in self._held:
            raise NotFound(worded("imports.removed", name=name))
        return self._held[name]

    def keep(self, name: str, connection: McpConnection | None) -> None:
        """Hold this connection for a source, or none."""
        if connection is None:
            self._held.pop(name, None)
        else:
            self._held[name] = connection

    def drop(self, name: str) -> McpConnection | None:
        """Hold none for a source any more; answers the one to be closed."""
        return self._held.pop(name, None)

    def opened(self, server: McpServer) -> McpConnection:
        """A new connection, held by nobody yet. Raises BadRequest for a server that may not be used."""
        if server.transport == "stdio":
            if server.command not in self._limits.commands:
                raise BadRequest(worded("imports.command_not_allowed"))
        else:
            self._limits.rules.check_name(server.url)

        def changed() -> None:
            self._stale.add(server.name)
            self._changed(server.name)

        return McpConnection(
            server,
            self._limits.rules,
            credentials(self._limits.auth.get(server.name)),
            connect_timeout_s=self._limits.connect_timeout_s,
            call_timeout_s=self._limits.call_timeout_s,
            changed=changed,
        )

    def connected(self, source: ToolSource) -> McpConnection:
        """The connection of a source, made and held where there is none. Raises as `opened`."""
        found = self._held.get(source.name)
        if found is None:
            config = source.config
            server = McpServer(source.name, config["transport"], config["url"], tuple(config["command"]))
            found = self._held[source.name] = self.opened(server)
        return found

    def idle(self, source: ToolSource) -> bool:
        """Whether a server was not listed since the start, and nobody is connected to it."""
        held = self._held.get(source.name)
        return source.kind == "mcp" and source.name not in self._listed and (held is None or held.status == "idle")

    def outdated(self, name: str) -> bool:
        """Whether the tools of a held connection must be listed before a call."""
        return name not in self._listed or name in self._stale or self._held[name].status != "connected"

    def lists(self, name: str, tool: str) -> bool:
        """Whether the server listed this tool last."""
        return tool in self._listed.get(name, frozenset())

    def note_listing(self, name: str) -> None:
        """The tools are being listed: what the server said before is known then."""
        self._stale.discard(name)

    def note_listed(self, source: ToolSource) -> None:
        """These are the tools that the server has."""
        self._listed[source.name] = frozenset(str(tool.get("name")) for tool in source.tools)

    async def close(self) -> None:
        """End every connection."""
        await asyncio.gather(*(held.close() for held in self._held.values()))
