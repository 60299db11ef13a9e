"""Tools of other programs: imported, kept in the database, restored at the start, refreshed, taken out."""

from __future__ import annotations

import asyncio
import json
import logging
import time
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from app.access import Role
from app.adapters.mcp_client import McpConnection, McpServer
from app.adapters.outside import OutsideClient
from app.adapters.source_store import SourceStore, ToolSource, now
from app.errors import AppError, BadRequest, NotFound, ToolLoadError
from app.messages import worded
from app.toolbox.import_limits import ImportLimits
from app.toolbox.imported import speaks_to_a_model
from app.toolbox.mcp_ingest import gone, mcp_entries, parse_tools
from app.toolbox.mcp_links import McpLinks
from app.toolbox.openapi_ingest import Skipped, openapi_entries, parse_openapi, spec_as_stored
from app.toolbox.openapi_schema import MOST_BYTES
from app.toolbox.snapshot import ToolEntry, ToolSnapshot
from app.toolbox.toolbox import Toolbox

log = logging.getLogger(__name__)

MOST_SOURCES = 50


@dataclass(frozen=True)
class Imported:
    """What an import came to."""

    source: str
    registered: tuple[ToolEntry, ...]
    removed: tuple[str, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[str, ...]
    snapshot: ToolSnapshot


class ToolImports:
    """Imports sources, one change at a time. Every swap is the toolbox's own: all tools of a source or none."""

    def __init__(
        self, toolbox: Toolbox, store: SourceStore, limits: ImportLimits, suspicious: Callable[[str], bool]
    ) -> None:
        """`suspicious` says whether a sentence of a foreign description gives orders to a model."""
        self._toolbox, self._store, self._limits = toolbox, store, limits
        self._suspicious: Callable[[str], bool] = lambda text: speaks_to_a_model(text) and suspicious(text)
        self._client = OutsideClient(limits.rules, limits.call_timeout_s)
        self._sources: dict[str, ToolSource] = {}
        self._faults: dict[str, str] = {}
        self._links = McpLinks(limits, self._soon)
        self._changing = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()

    async def restore(self) -> None:
        """Put back what was imported, from the database alone: no server is asked, so a dead one never delays the
        start. A source whose tools fit no more is left out, and told."""
        for source in await self._store.all():
            self._sources[source.name] = source
            try:
                entries, _, _ = await asyncio.to_thread(self._entries, source)
                await asyncio.to_thread(self._toolbox.replace_source, source.source, entries)
            except AppError as error:
                self._faults[source.name] = str(error)
                log.warning(worded("imports.not_restored"), source.source, error)

    async def restore_one(self, name: str) -> None:
        """Take a source as the database has it now: another worker imported, refreshed or removed it."""
        stored = {source.name: source for source in await self._store.all()}.get(name)
        async with self._changing:
            known = self._sources.get(name)
            if stored is None:
                if known is not None:
                    await asyncio.to_thread(self._toolbox.replace_source, known.source, ())
                    self._sources.pop(name)
                held = self._links.drop(name)
            else:
                entries, _, _ = await asyncio.to_thread(self._entries, stored)
                await asyncio.to_thread(self._toolbox.replace_source, stored.source, entries)
                self._sources[name] = stored
                self._faults.pop(name, None)
                held = None
                if known is not None and known.config != stored.config:
                    held = self._links.drop(name)
        if held is not None:
            await held.close()

    async def close(self) -> None:
        """End every connection."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._links.close()
        await self._client.close()

    def sources(self) -> list[dict[str, Any]]:
        """Every source: what it is, how many tools it gave, whether it is connected and why not."""
        entries = self._toolbox.registry.snapshot().entries
        return [
            _shown(source, entries, self._links.get(source.name), self._faults.get(source.name, ""))
            for source in self._sources.values()
        ]

    async def import_openapi(
        self,
        name: str,
        author: str,
        *,
        spec: str | Mapping[str, Any] | None = None,
        url: str | None = None,
        base_url: str | None = None,
        include: Sequence[str] = (),
        role: Role = "staff",
    ) -> Imported:
        """Import an API's description, given or fetched. Raises BadRequest, Unavailable, ToolLoadError."""
        if (spec is None) == (url is None):
            raise BadRequest(worded("imports.spec_or_url"))
        raw: str | bytes | Mapping[str, Any] = spec if spec is not None else b""
        if url is not None:
            raw = await self._client.fetch(url, MOST_BYTES)
        text = await asyncio.to_thread(spec_as_stored, raw)
        config = {"spec": json.loads(text), "url": url, "base_url": base_url, "include": list(include)}
        source = ToolSource(
            name=name, kind="openapi", role=role, config=config, tools=[], author=author, created_at=now()
        )
        return await self._put(source)

    async def import_mcp(self, server: McpServer, author: str, *, role: Role = "staff") -> Imported:
        """Connect to a server and import what it lists. Raises BadRequest, Unavailable, ToolLoadError."""
        connection = self._links.opened(server)
        try:
            tools = await connection.tools()
            config = {"transport": server.transport, "url": server.url, "command": list(server.command)}
            source = ToolSource(
                name=server.name, kind="mcp", role=role, config=config, tools=tools, author=author, created_at=now()
            )
            return await self._put(source, connection)
        except BaseException:
            if self._links.get(server.name) is not connection:
                await connection.close()
            raise

    async def refresh(self, name: str) -> Imported:
        """Read a source anew: the description from its url, the tools from their server. Raises as the import."""
        source = self._known(name)
        if source.kind == "openapi":
            config = source.config
            given = {"url": config["url"]} if config.get("url") else {"spec": config["spec"]}
            return await self.import_openapi(
                name, source.author, base_url=config.get("base_url"), include=config.get("include") or (),
                role=source.role, **given,
            )  # fmt: skip
        tools = await self._links.connected(source).tools()
        return await self._put(source.model_copy(update={"tools": tools}), self._links.held(name))

    async def remove(self, name: str) -> ToolSnapshot:
        """Take a source and its tools out for good. Raises NotFound."""
        source = self._known(name)
        async with self._changing:
            snapshot = await asyncio.to_thread(self._toolbox.replace_source, source.source, ())
            await self._store.remove(name)
            self._sources.pop(name, None)
            self._faults.pop(name, None)
            held = self._links.drop(name)
        if held is not None:
            await held.close()
        return snapshot

    def freshen(self) -> None:
        """Called before a turn: servers not listed since the start are listed now, in the background."""
        for source in self._sources.values():
            if self._links.idle(source):
                self._soon(source.name)

    async def _put(self, source: ToolSource, connection: McpConnection | None = None) -> Imported:
        if source.name not in self._sources and len(self._sources) >= MOST_SOURCES:
            raise BadRequest(worded("imports.too_many", most_sources=MOST_SOURCES))
        async with self._changing:
            old = self._sources.get(source.name)
            if old is not None and old.kind != source.kind:
                raise BadRequest(worded("imports.name_taken", source=source.name, old=old.kind))
            replaced = self._links.get(source.name)
            if connection is not None:
                self._links.keep(source.name, connection)
                self._links.note_listed(source)
            before = [e.name for e in self._toolbox.registry.snapshot().entries if e.source == source.source]
            try:
                entries, skipped, warnings = await asyncio.to_thread(self._entries, source)
                snapshot = await asyncio.to_thread(self._toolbox.replace_source, source.source, entries)
                try:
                    await self._store.put(source)
                except BaseException:  # not kept: the tools of before stay in force
                    await asyncio.to_thread(self._restored, source, old)
                    raise
            except BaseException:
                if connection is not None and replaced is not connection:
                    self._links.keep(source.name, replaced)
                raise
            self._sources[source.name] = source
            self._faults.pop(source.name, None)
        if replaced is not None and replaced is not connection:
            await replaced.close()
        left = tuple(sorted(set(before) - {entry.name for entry in entries}))
        return Imported(source.source, entries, left, skipped, warnings, snapshot)

    def _restored(self, source: ToolSource, old: ToolSource | None) -> None:
        entries = self._entries(old)[0] if old is not None else ()
        self._toolbox.replace_source(source.source, entries)

    def _entries(self, source: ToolSource) -> tuple[tuple[ToolEntry, ...], tuple[Skipped, ...], tuple[str, ...]]:
        others = [e for e in self._toolbox.registry.snapshot().entries if e.source != source.source]
        taken = [entry.name for entry in others]
        limit = self._limits.result_chars
        auth = self._limits.auth.get(source.name)
        config = source.config
        if source.kind == "openapi":
            parsed = parse_openapi(
                config["spec"], source.name, url=config.get("url"), base_url=config.get("base_url"),
                include=config.get("include") or (), taken=taken, suspicious=self._suspicious,
            )  # fmt: skip
            for base in {operation.base_url for _, operation in parsed.tools}:
                self._limits.rules.check_name(base)
            entries = openapi_entries(
                parsed, source.name, self._client, auth, role=source.role, limit=limit, others=others
            )
            return entries, parsed.skipped, parsed.warnings
        tools, warnings = parse_tools(source.tools, source.name, taken, self._suspicious)
        if not tools and source.tools:
            raise ToolLoadError(source.source, warnings)
        entries = mcp_entries(
            tools, source.name, self._links.connected(source), role=source.role, limit=limit, others=others,
            ready=lambda tool: self._ready(source.name, tool),
        )  # fmt: skip
        return entries, (), warnings

    async def _ready(self, name: str, tool: str) -> None:
        """Before a call: the server's tools are listed on each new connection, and after it said that they changed."""
        self._links.held(name)
        if self._links.outdated(name):
            await self._relist(name)
        if not self._links.lists(name, tool):
            raise gone(name, tool)

    async def _relist(self, name: str) -> None:
        source = self._known(name)
        self._links.note_listing(name)
        tools = await self._links.connected(source).tools()
        if tools == source.tools:
            self._links.note_listed(source)
            return
        done = await self._put(source.model_copy(update={"tools": tools}), self._links.held(name))
        log.info(worded("imports.changed_tools"), name, len(done.registered))

    def _known(self, name: str) -> ToolSource:
        if name not in self._sources:
            shown = ", ".join(self._sources) or worded("files.none")
            raise NotFound(worded("imports.no_source", name=name, shown=shown))
        return self._sources[name]

    def _soon(self, name: str) -> None:
        """List a server's tools in the background; at most one such task a server."""
        if any(task.get_name() == f"relist-{name}" for task in self._tasks):
            return
        task = asyncio.create_task(self._quietly(self._relist(name)), name=f"relist-{name}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _quietly(self, work: Coroutine[Any, Any, None]) -> None:
        started = time.monotonic()
        try:
            await work
        except AppError as error:
            log.warning(worded("imports.not_reloaded"), time.monotonic() - started, error)


def _shown(source: ToolSource, entries: Sequence[ToolEntry], held: McpConnection | None, fault: str) -> dict[str, Any]:
    config = {key: value for key, value in source.config.items() if key != "spec"}
    return {
        "name": source.name,
        "kind": source.kind,
        "source": source.source,
        "role": source.role,
        **config,
        "tools": [entry.name for entry in entries if entry.source == source.source],
        "status": held.status if held else "idle" if source.kind == "mcp" else "ready",
        "problem": (held.problem if held else "") or fault,
        "author": source.author,
        "created_at": source.created_at.isoformat(),
    }
