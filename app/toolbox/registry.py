"""The registry: one reference to the current snapshot; readers take it, writers replace it under a lock."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from app.errors import ToolNotFound
from app.toolbox.change_line import ChangeLine
from app.toolbox.snapshot import ToolEntry, ToolSnapshot

log = logging.getLogger(__name__)

CHANGE_LIMIT_S = 30.0
Prepare = Callable[[ToolSnapshot, ToolSnapshot], None]
Entries = tuple[ToolEntry, ...]


class ToolRegistry:
    """Holds the current ToolSnapshot.

    `prepare(old, new)` runs before the swap (index new lines; an exception keeps the old set),
    `settle(old, new)` after it (prune what only the old set used). Neither is waited for by readers, nor holds a lock
    that another writer needs.
    """

    def __init__(
        self,
        entries: Sequence[ToolEntry] = (),
        prepare: Prepare | None = None,
        settle: Prepare | None = None,
        line: ChangeLine | None = None,
    ) -> None:
        """`line` is where changes with a time limit come from."""
        self.line = line or ChangeLine(CHANGE_LIMIT_S)
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

        def replaced(old: Entries) -> Entries:
            first = next((place for place, entry in enumerate(old) if entry.module == module), len(old))
            before = (entry for entry in old[:first] if entry.module != module)
            after = (entry for entry in old[first:] if entry.module != module)
            return (*before, *entries, *after)

        return self._swap(replaced)

    def replace_source(self, source: str, entries: Sequence[ToolEntry]) -> ToolSnapshot:
        """Put `entries` in the place of everything of this source, at the end. Raises ValueError on a name clash."""
        return self._swap(lambda old: (*(entry for entry in old if entry.source != source), *entries))

    def replace_entry(self, entry: ToolEntry) -> ToolSnapshot:
        """Exchange the tool of this name. Raises ToolNotFound."""
        return self._swap(
            lambda old: tuple(entry if item.name == entry.name else item for item in _with(entry.name, old))
        )

    def replace_all(self, entries: Sequence[ToolEntry]) -> ToolSnapshot:
        """Exchange the whole set. Raises ValueError on a name clash."""
        return self._swap(lambda old: tuple(entries))

    def remove(self, name: str) -> ToolSnapshot:
        """Take one tool out. Raises ToolNotFound."""
        return self._swap(lambda old: tuple(entry for entry in _with(name, old) if entry.name != name))

    def renumber(self, version: int) -> ToolSnapshot:
        """The same set under the number that it has for every worker. Nobody is told: the set has not changed."""
        while (old := self._snapshot).version != version:
            self._put(old, ToolSnapshot(version, old.entries))
        return old

    def take_over(self, version: int, entries: Sequence[ToolEntry]) -> ToolSnapshot:
        """The set as another process has it, under its number."""
        new = ToolSnapshot(version, tuple(entries))
        while not self._put(self._snapshot, new):
            pass
        return new

    def subscribe(self, listener: Prepare) -> Callable[[], None]:
        """`listener(old, new)` hears of every swap, in the thread that made it; the answer ends that."""
        self._listeners = (*self._listeners, listener)

        def unsubscribe() -> None:
            self._listeners = tuple(item for item in self._listeners if item is not listener)

        return unsubscribe

    def _swap(self, changed: Callable[[Entries], Entries]) -> ToolSnapshot:
        while True:
            old = self._snapshot
            new = ToolSnapshot(old.version + 1, changed(old.entries))
            if self._put(old, new):
                break
        if self._settle:
            self._settle(old, new)
        for listener in self._listeners:
            try:
                listener(old, new)
            except Exception:  # the set has changed: it is neither the caller's fault nor the others'
                log.exception("a listener failed after version %d", new.version)
        return new

    def _put(self, old: ToolSnapshot, new: ToolSnapshot) -> bool:
        """Put `new` in the place of `old`; False where another writer was quicker. Raises GivenUp for a change that
        ran out of time."""
        if self._prepare:
            self._prepare(old, new)
        with self._lock:
            if self._snapshot is not old:
                return False
            self.line.commit()
            self._snapshot = new
            return True


def _with(name: str, entries: Entries) -> Entries:
    if all(entry.name != name for entry in entries):
        raise ToolNotFound(name)
    return entries
