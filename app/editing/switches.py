"""Tools switched off and on: kept in the database, in force for every worker's next turn."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from dataclasses import dataclass

from app.adapters.switch_store import Switch, SwitchStore
from app.editing.changes import Changes
from app.toolbox.snapshot import ToolSnapshot
from app.toolbox.toolbox import Toolbox

EVERY_TOOL = "tools"


@dataclass(frozen=True)
class Switched:
    """What a switch came to: the tools that changed, and the set in force now."""

    tools: tuple[str, ...]
    snapshot: ToolSnapshot


class SwitchDesk:
    """Switches tools. A tool that is off is refused by dispatch and left out of retrieval; its card stays."""

    def __init__(self, toolbox: Toolbox, store: SwitchStore, changes: Changes) -> None:
        self._toolbox, self._store, self._changes = toolbox, store, changes

    async def off(self) -> dict[str, Switch]:
        """What is off, by tool, with who did it and why. Raises Unavailable."""
        return await self._store.off()

    async def switch(self, tools: Collection[str], *, off: bool, reason: str, author: str) -> Switched:
        """Switch tools off or on, all of them or none; those that stand so already are left alone.

        Raises ToolNotFound, and Conflict and Unavailable as every change of the tool set.
        """
        snapshot = self._toolbox.registry.snapshot()
        for tool in tools:
            snapshot.entry(tool)
        before = await self._store.off()
        turned = tuple(dict.fromkeys(tool for tool in tools if (tool in before) is not off))
        if not turned:
            return Switched((), snapshot)
        try:
            async with self._changes.changing("switch", EVERY_TOOL, author) as change:
                if off:
                    await self._store.turn_off(turned, reason, author)
                else:
                    await self._store.turn_on(turned)
                wanted = frozenset(await self._store.off())
                change.details["off"] = sorted(wanted)
                snapshot = await asyncio.to_thread(self._toolbox.put_switches, wanted)
        except BaseException:
            await self._undo(before)
            raise
        return Switched(turned, self._toolbox.registry.snapshot())

    async def _undo(self, before: dict[str, Switch]) -> None:
        """The change did not come into force everywhere: nothing of it stays here."""
        await self._store.put_back(before)
        if frozenset(before) != self._toolbox.off:
            await asyncio.to_thread(self._toolbox.put_switches, frozenset(before))
