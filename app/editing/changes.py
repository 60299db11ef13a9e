"""One logical tool set over several workers: every change is numbered, written down and applied by each of them before
it answers its next turn.

The log in the database is the truth. Redis holds the newest number, so that a turn asks for it in a fraction of a
millisecond; where Redis cannot be trusted (away, empty, or a change is under way) the database is asked instead.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from app.adapters.shared import Shared, key
from app.adapters.shared_store import Change, ChangeLog, Kind
from app.errors import AppError, Conflict, ToolNotFound, Unavailable
from app.messages import worded
from app.toolbox.cards import ToolCard
from app.toolbox.toolbox import Toolbox

log = logging.getLogger(__name__)

_CHANGING_WAIT_S, _SAME_FILES_S, _MEND_EVERY_S = 10.0, 3.0, 5.0
_UNSETTLED = "?"
_PLACE = key("version")


@dataclass
class Underway:
    """A change that is being made; `details` is what the other workers need."""

    details: dict[str, Any] = field(default_factory=dict)


class Changes:
    """Changes of one process alone: nothing to number, nobody to tell."""

    works = True

    @asynccontextmanager
    async def changing(self, kind: Kind, name: str, author: str) -> AsyncIterator[Underway]:
        """Make a change inside. Raises Conflict when somebody else changes the same thing."""
        yield Underway()

    async def catch_up(self) -> None:
        """Apply what other workers changed. Raises Unavailable where that cannot be done now."""


class SharedChanges(Changes):
    """Changes that every worker applies."""

    def __init__(self, shared: Shared, changes: ChangeLog) -> None:
        """Nothing can be changed before `start`."""
        self._shared, self._log = shared, changes
        self._applied = 0
        self._applying = asyncio.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self.works = True

    async def start(
        self,
        toolbox: Toolbox,
        *,
        source: Callable[[str], Awaitable[None]],
        knowledge: Callable[[str], Awaitable[None]],
        documents: Callable[[str], Awaitable[None]],
        guard: Callable[[str], Awaitable[None]],
    ) -> None:
        """Stand where the others stand: this worker has just read files and database, while nobody changed them.

        `source`, `knowledge`, `documents` and `guard` read anew what is named, from where all workers find it.
        """
        self._toolbox = toolbox
        self._apply_other: dict[str, Callable[[str], Awaitable[None]]] = {
            "source": source, "knowledge": knowledge, "documents": documents, "guard": guard,
        }  # fmt: skip
        self._shared.on("version", lambda news: self._soon())
        self._shared.on("connected", lambda news: self._soon())
        changes = await self._log.since(0)
        await asyncio.to_thread(self._take_out_deleted, changes)
        self._applied = changes[-1].version if changes else 0
        await asyncio.to_thread(self._toolbox.registry.renumber, self._applied + 1)
        self._keep(asyncio.create_task(self._mending()))

    async def close(self) -> None:
        """Stop mending."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @asynccontextmanager
    async def changing(self, kind: Kind, name: str, author: str) -> AsyncIterator[Underway]:
        """Make a change inside, alone over all workers; it is in force for all when this ends without an error.

        Raises Conflict when another worker changes, or changed the same thing since this call began, and Unavailable
        while Redis is away: the others could not be kept from answering by the old set.
        """
        seen = await self._log.newest()
        async with self._log.alone(_CHANGING_WAIT_S):
            since = await self._log.since(seen)
            if any((change.kind, change.name) == (kind, name) for change in since):
                raise Conflict(worded("card_changes.changed_since", name=name))
            await self.catch_up()
            await self._applying.acquire()  # a turn of this worker must not take the change for somebody else's
            try:
                async with self._made(kind, name, author) as underway:
                    yield underway
            finally:
                self._applying.release()

    @asynccontextmanager
    async def _made(self, kind: Kind, name: str, author: str) -> AsyncIterator[Underway]:
        # From here on nobody trusts the number in Redis, however this ends.
        await self._shared.call("version", lambda redis: redis.set(_PLACE, _UNSETTLED))
        underway = Underway()
        before = self._toolbox.registry.snapshot()
        try:
            yield underway
            change = Change(self._applied + 1, kind, name, self._detailed(kind, name, underway))
            await self._log.add(change, author, self._shared.worker)
        except BaseException:
            if self._toolbox.registry.snapshot() is not before and kind in ("reload", "remove"):
                await asyncio.to_thread(self._toolbox.registry.replace_all, before.entries)
            await asyncio.to_thread(self._toolbox.registry.renumber, self._applied + 1)
            with suppress(Unavailable):  # the log says whether it was kept after all; without it nobody trusts Redis
                await self._put_number(await self._log.newest())
            raise
        self._applied = change.version
        await asyncio.to_thread(self._toolbox.registry.renumber, self._applied + 1)
        await self._settle()

    async def catch_up(self) -> None:
        """Apply what other workers changed, before a turn. Raises Unavailable where that cannot be done now."""
        if await self._newest() == self._applied:
            self.works = True
            if self._toolbox.registry.snapshot().version != self._applied + 1 and not self._applying.locked():
                # a source that listed its tools anew by itself: the set has the number that it has for all
                await asyncio.to_thread(self._toolbox.registry.renumber, self._applied + 1)
            return
        async with self._applying:
            changes = await self._log.since(self._applied)
            try:
                for change in _worth_applying(changes):
                    await self._apply(change)
            except (AppError, OSError) as error:
                self.works = False
                log.error("a change of the tools cannot be applied here: %s", error)
                raise Unavailable(worded("card_changes.not_yet")) from error
            if changes:
                await asyncio.to_thread(self._toolbox.registry.renumber, changes[-1].version + 1)
                self._applied = changes[-1].version
                log.info("tools brought to version %d", self._applied + 1)
            self.works = True

    async def _newest(self) -> int:
        try:
            told = await self._shared.call("version", lambda redis: redis.get(_PLACE))
        except Unavailable:
            told = None
        return int(told) if told not in (None, _UNSETTLED) else await self._log.newest()

    async def _apply(self, change: Change) -> None:
        match change.kind:
            case "reload":
                await self._same_files(change.name, change.details["digest"])
                await asyncio.to_thread(self._toolbox.reload, change.name)
            case "remove":
                if change.name in self._toolbox.registry.snapshot():
                    await asyncio.to_thread(self._toolbox.remove, change.name)
            case "card":
                card = change.details["card"]
                read = ToolCard.model_validate(card) if card is not None else None
                try:
                    await asyncio.to_thread(self._toolbox.put_card, change.name, read)
                except ToolNotFound:
                    log.info("the card of %s is kept for when the tool comes back", change.name)
            case "switch":
                await asyncio.to_thread(self._toolbox.put_switches, frozenset(change.details["off"]))
            case other:
                await self._apply_other[other](change.name)

    async def _same_files(self, module: str, digest: str) -> None:
        """The files of a shared folder may arrive a moment later than the news."""
        deadline = asyncio.get_running_loop().time() + _SAME_FILES_S
        while await asyncio.to_thread(self._toolbox.modules.digest, module) != digest:
            if asyncio.get_running_loop().time() > deadline:
                raise Unavailable(worded("card_changes.other_file", module=module))
            await asyncio.sleep(0.1)

    def _detailed(self, kind: Kind, name: str, underway: Underway) -> dict[str, Any]:
        if kind == "reload":
            return {**underway.details, "digest": self._toolbox.modules.digest(name)}
        return underway.details

    def _take_out_deleted(self, changes: Sequence[Change]) -> None:
        """A deleted tool stays deleted until its module is reloaded, at workers that start later too."""
        gone: dict[str, str] = {}
        for change in changes:
            if change.kind == "remove":
                gone[change.name] = change.details.get("module", "")
            elif change.kind == "reload":
                gone = {tool: module for tool, module in gone.items() if module != change.name}
        for tool in gone:
            if tool in self._toolbox.registry.snapshot():
                self._toolbox.remove(tool)

    async def _settle(self) -> None:
        """The number in Redis may be trusted again, and the others hear of it; else they ask the database."""
        try:
            await self._put_number(self._applied)
            await self._shared.tell("version", version=self._applied)
        except Unavailable:
            log.warning("Redis is away: version %d is read from the database", self._applied)

    async def _put_number(self, number: int) -> None:
        """Only the one who holds the log may call this."""
        await self._shared.call("version", lambda redis: redis.set(_PLACE, str(number)))

    async def _mending(self) -> None:
        """Put the number back where Redis lost it or the worker that changed died."""
        while True:
            await asyncio.sleep(_MEND_EVERY_S)
            try:
                told = await self._shared.call("version", lambda redis: redis.get(_PLACE))
                if told in (None, _UNSETTLED):
                    async with self._log.alone(0):
                        await self._put_number(await self._log.newest())
                await self.catch_up()
            except (Unavailable, Conflict):
                continue

    def _soon(self) -> None:
        """Catch up in the background; a turn that comes first does it itself."""
        self._keep(asyncio.create_task(self._quietly()))

    async def _quietly(self) -> None:
        try:
            await self.catch_up()
        except Unavailable as error:
            log.warning("not up to date yet: %s", error)

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _worth_applying(changes: Sequence[Change]) -> list[Change]:
    """Of several reloads of a module, or rereadings of one thing, only the last counts; the order is kept. A deletion
    before a reload of its module counts for nothing either."""
    kept: list[Change] = []
    later: set[tuple[str, str]] = set()
    for change in reversed(changes):
        if change.kind == "remove":
            if ("reload", change.details.get("module", "")) in later:
                continue
        elif (change.kind, change.name) in later:
            continue
        later.add((change.kind, change.name))
        kept.append(change)
    return kept[::-1]
