"""The registry: one reference to the current snapshot; readers take it, writers replace it under a lock."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from app.errors import ToolNotFound
from app.toolbox.snapshot import ToolEntry, ToolSnapshot

Prepare = Callable[[ToolSnapshot, ToolSnapshot], None]


class ToolRegistry:
    """Holds the current ToolSnapshot.

    `prepare(old, new)` runs before the swap (index new lines; an exception keeps the old set),
    `settle(old, new)` after it (prune what only the old set used).
    """

    def __init__(
        self, entries: Sequence[ToolEntry] = (), prepare: Prepare | None = None, settle: Prepare | None = None
    ) -> None:
        self._lock = threading.Lock()
        self._prepare, self._settle = prepare, settle
        self._snapshot = ToolSnapshot(1, tuple(entries))

    def snapshot(self) -> ToolSnapshot:
        """The current set; valid for as long as the caller holds it."""
        return self._snapshot

    def replace_module(self, module: str, entries: Sequence[ToolEntry]) -> ToolSnapshot:
        """Put `entries` in the place of everything loaded from `module`, where it stood.

        Raises ValueError on a name clash; then, and when `prepare` fails, the old set stays.
        """
        with self._lock:
            old = self._snapshot.entries
            first = next((place for place, entry in enumerate(old) if entry.module == module), len(old))
            before = [entry for entry in old[:first] if entry.module != module]
            after = [entry for entry in old[first:] if entry.module != module]
            return self._swap((*before, *entries, *after))

    def remove(self, name: str) -> ToolSnapshot:
        """Take one tool out. Raises ToolNotFound."""
        with self._lock:
            if name not in self._snapshot:
                raise ToolNotFound(name)
            return self._swap(tuple(entry for entry in self._snapshot.entries if entry.name != name))

    def _swap(self, entries: tuple[ToolEntry, ...]) -> ToolSnapshot:
        old = self._snapshot
        new = ToolSnapshot(old.version + 1, entries)
        if self._prepare:
            self._prepare(old, new)
        self._snapshot = new
        if self._settle:
            self._settle(old, new)
        return new
