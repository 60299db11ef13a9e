"""The living tool set: modules reloaded, tools taken out, cards exchanged, each by one swap or not at all."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from app.errors import ToolLoadError
from app.messages import worded
from app.toolbox.cards import ToolCard
from app.toolbox.loader import argument_faults, shared_lines, shared_names
from app.toolbox.modules import ToolModules
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import ToolEntry, ToolSnapshot

log = logging.getLogger(__name__)

T = TypeVar("T")


@dataclass(frozen=True)
class Reloaded:
    """What a reload came to. `warnings` name tools that came without a card."""

    module: str
    registered: tuple[str, ...]
    removed: tuple[str, ...]
    warnings: tuple[str, ...]
    snapshot: ToolSnapshot


@dataclass(frozen=True)
class Tried:
    """What a reload would come to. `changed` names by tool what of it changes: arguments, description, card, role."""

    module: str
    added: tuple[str, ...]
    removed: tuple[str, ...]
    changed: dict[str, tuple[str, ...]]
    same: int
    warnings: tuple[str, ...]


class Toolbox:
    """Changes the registry. One change at a time, each within the time limit of the registry's line: what takes longer
    is given up with ChangeTooSlow, and nothing is changed. Call it off the event loop (a reload takes some 100 ms)."""

    def __init__(
        self,
        registry: ToolRegistry,
        modules: ToolModules,
        published: Mapping[str, ToolCard] | None = None,
        off: Collection[str] = (),
    ) -> None:
        """`published`: the cards that were edited in place; they win over the cards of the files. `off`: the tools that
        are switched off, whether they are there yet or not."""
        self.registry, self.modules = registry, modules
        self._published: dict[str, ToolCard] = dict(published or {})
        self._filed: dict[str, ToolEntry] = {}
        self.off = frozenset(off)
        if self._published:
            self._apply_published()
        self.put_switches(self.off)

    def reload(self, name: str) -> Reloaded:
        """Load a module afresh and swap its tools in. Raises NotFound, and ToolLoadError with every fault."""

        def work() -> Reloaded:
            loaded = self.modules.load(name)
            entries = tuple(self._as_operated(entry) for entry in loaded)
            old = self.registry.snapshot()
            before = {entry.name for entry in old.entries if entry.module == name}
            others = [entry for entry in old.entries if entry.module != name]
            self._refuse(name, [*others, *entries])
            snapshot = self.registry.replace_module(name, entries)
            self._remember(loaded)
            named = tuple(entry.name for entry in entries)
            removed = tuple(sorted(before - set(named)))
            return Reloaded(name, named, removed, _without_cards(entries), snapshot)

        return self._within(f"reload {name}", work)

    def tried(self, name: str) -> Tried:
        """What reloading a module would come to; nothing is changed. Raises NotFound, and ToolLoadError with every
        fault."""
        loaded = self._within(f"try {name}", lambda: self.modules.load(name, kept=False))
        entries = tuple(self._as_operated(entry) for entry in loaded)
        now = self.registry.snapshot()
        self._refuse(name, [*(entry for entry in now.entries if entry.module != name), *entries])
        before = {entry.name: entry for entry in now.entries if entry.module == name}
        after = {entry.name: entry for entry in entries}
        return Tried(
            module=name,
            added=tuple(tool for tool in after if tool not in before),
            removed=tuple(sorted(before.keys() - after.keys())),
            changed={
                tool: parts for tool in after if tool in before and (parts := _changes(before[tool], after[tool]))
            },
            same=sum(tool in before and not _changes(before[tool], after[tool]) for tool in after),
            warnings=_without_cards(entries),
        )

    def remove(self, tool: str) -> ToolSnapshot:
        """Take one tool out until its module is reloaded. Raises ToolNotFound."""
        return self._within(f"remove {tool}", lambda: self.registry.remove(tool))

    def replace_source(self, source: str, entries: Sequence[ToolEntry]) -> ToolSnapshot:
        """Put imported tools in the place of everything of the same source ('openapi:…', 'mcp:…'); none takes it out.

        Raises ToolLoadError with every fault; nothing is changed then.
        """

        def work() -> ToolSnapshot:
            others = [entry for entry in self.registry.snapshot().entries if entry.source != source]
            carded = [self._as_operated(entry) for entry in entries]
            self._refuse(source, [*others, *carded])
            snapshot = self.registry.replace_source(source, carded)
            self._remember(entries)
            return snapshot

        return self._within(f"import {source}", work)

    def candidate(self, tool: str, card: ToolCard) -> ToolSnapshot:
        """The set as it would be with this card. Raises ToolNotFound, and ToolLoadError when the card does not fit."""
        current = self.registry.snapshot()
        changed = _edited(current.entry(tool), card, self.filed_card(tool))
        entries = tuple(changed if entry.name == tool else entry for entry in current.entries)
        self._refuse(tool, entries)
        return ToolSnapshot(current.version, entries)

    def put_card(self, tool: str, card: ToolCard | None) -> ToolSnapshot:
        """Swap a card in and keep it over reloads; None goes back to the card of the file. Raises as `candidate`."""

        def work() -> ToolSnapshot:
            entry = self.registry.snapshot().entry(tool)
            filed = self._filed.get(tool, entry)
            whole = replace(entry, card=filed.card, has_own_card=filed.has_own_card)
            changed = _edited(entry, card, filed.card) if card is not None else whole
            others = [other for other in self.registry.snapshot().entries if other.name != tool]
            self._refuse(tool, [*others, changed])
            snapshot = self.registry.replace_entry(changed)
            self._filed.setdefault(tool, entry)
            self._published = {name: held for name, held in self._published.items() if name != tool}
            if card is not None:
                self._published[tool] = card
            return snapshot

        return self._within(f"card of {tool}", work)

    def put_switches(self, off: frozenset[str]) -> ToolSnapshot:
        """Exactly these tools are off from now on, over reloads too. Names that are not there count once they are."""

        def work() -> ToolSnapshot:
            now = self.registry.snapshot()
            entries = tuple(_switched(entry, off) for entry in now.entries)
            snapshot = now if entries == now.entries else self.registry.replace_all(entries)
            self.off = off
            return snapshot

        return self._within("switches", work)

    def filed_card(self, tool: str) -> ToolCard:
        """The card as its file has it. Raises ToolNotFound."""
        entry = self.registry.snapshot().entry(tool)
        return self._filed.get(tool, entry).card

    def is_published(self, tool: str) -> bool:
        """True while an edited card is in force."""
        return tool in self._published

    def _apply_published(self) -> None:
        """At the start: a card that fits no more (its tool is gone, a file has its line) is left out, and told."""
        current = self.registry.snapshot()
        kept = {name: card for name, card in self._published.items() if name in current}
        entries = [_edited(e, kept[e.name], e.card) if e.name in kept else e for e in current.entries]
        clashes = shared_lines(entries)
        for name in [*(self._published.keys() - kept.keys()), *(kept if clashes else ())]:
            log.warning(worded("toolbox.card_unusable"), name, "; ".join(clashes[:3]))
        self._published = {} if clashes else kept
        if self._published:
            self._remember(current.entries)
            self.registry.replace_all(entries)

    def _as_operated(self, entry: ToolEntry) -> ToolEntry:
        """A tool of a file or source with what operators made of it: its card, and whether it is off."""
        card = self._published.get(entry.name)
        return _switched(entry if card is None else _edited(entry, card, entry.card), self.off)

    def _within(self, what: str, work: Callable[[], T]) -> T:
        return self.registry.line.run(what, work, given_up=lambda: self.modules.abandon())

    def _remember(self, entries: Sequence[ToolEntry]) -> None:
        """What the files say, under the published cards."""
        self._filed |= {entry.name: entry for entry in entries}

    @staticmethod
    def _refuse(name: str, entries: Sequence[ToolEntry]) -> None:
        own = [fault for entry in entries if entry.name == name for fault in argument_faults(entry)]
        if faults := [*own, *shared_names(entries), *shared_lines(entries)]:
            raise ToolLoadError(name, faults)


def _edited(entry: ToolEntry, card: ToolCard, filed: ToolCard) -> ToolEntry:
    """The tool with a card that was edited in place. One that says nothing of the talk (it is older, or a program wrote
    it) leaves what the file declares."""
    whole = card if card.dialogue is not None else card.model_copy(update={"dialogue": filed.dialogue})
    return replace(entry, card=whole, has_own_card=True)


def _switched(entry: ToolEntry, off: Collection[str]) -> ToolEntry:
    is_off = entry.name in off
    return entry if entry.off is is_off else replace(entry, off=is_off)


def _without_cards(entries: Sequence[ToolEntry]) -> tuple[str, ...]:
    bare = [entry.name for entry in entries if not entry.has_own_card]
    return tuple(worded("toolbox.no_card", tool=tool) for tool in bare)


def _changes(old: ToolEntry, new: ToolEntry) -> tuple[str, ...]:
    """Which parts of a tool differ; its code may differ without any of them."""
    function = "function"
    parts = {
        "arguments": old.openai_schema[function].get("parameters") != new.openai_schema[function].get("parameters"),
        "description": old.tool.description != new.tool.description,
        "card": old.card != new.card,
        "role": old.role != new.role,
        "rights": (old.annotations, old.writes_when, old.channels) != (new.annotations, new.writes_when, new.channels),
    }
    return tuple(name for name, differs in parts.items() if differs)
