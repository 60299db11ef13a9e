"""The registry: one reference to the current snapshot; readers take it, writers replace it under a lock."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from app.errors import ToolNotFound
from app.toolbox.snapshot import ToolEntry, ToolSnapshot

log = logging.getLogger(__name__)

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
        self._listeners: tuple[Prepare, ...] = ()

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

    def replace_source(self, source: str, entries: Sequence[ToolEntry]) -> ToolSnapshot:
        """Put `entries` in the place of everything of this source, at the end. Raises ValueError on a name clash."""
        with self._lock:
            kept = tuple(entry for entry in self._snapshot.entries if entry.source != source)
            return self._swap((*kept, *entries))

    def replace_entry(self, entry: ToolEntry) -> ToolSnapshot:
        """Exchange the tool of this name. Raises ToolNotFound."""
        with self._lock:
            if entry.name not in self._snapshot:
                raise ToolNotFound(entry.name)
            old = self._snapshot.entries
            return self._swap(tuple(entry if item.name == entry.name else item for item in old))

    def replace_all(self, entries: Sequence[ToolEntry]) -> ToolSnapshot:
        """Exchange the whole set. Raises ValueError on a name clash."""
        with self._lock:
            return self._swap(tuple(entries))

    def renumber(self, version: int) -> ToolSnapshot:
        """The same set under the number that it has for every worker. Nobody is told: the set has not changed."""
        with self._lock:
            old = self._snapshot
            if old.version != version:
                new = ToolSnapshot(version, old.entries)
                if self._prepare:
                    self._prepare(old, new)
                self._snapshot = new
            return self._snapshot

    def take_over(self, version: int, entries: Sequence[ToolEntry]) -> ToolSnapshot:
        """The set as another process has it, under its number."""
        with self._lock:
            new = ToolSnapshot(version, tuple(entries))
            if self._prepare:
                self._prepare(self._snapshot, new)
            self._snapshot = new
            return new

    def subscribe(self, listener: Prepare) -> Callable[[], None]:
        """`listener(old, new)` hears of every swap, in the thread that made it; the answer ends that."""
        self._listeners = (*self._listeners, listener)

        def unsubscribe() -> None:
            self._listeners = tuple(item for item in self._listeners if item is not listener)

        return unsubscribe

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
        for listener in self._listeners:
            try:
                listener(old, new)
            except Exception:  # the set has changed: it is neither the caller's fault nor the others'
                log.exception("a listener failed after version %d", new.version)
        return new
