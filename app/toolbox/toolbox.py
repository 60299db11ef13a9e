"""The living tool set: modules reloaded, tools taken out, cards exchanged, each by one swap or not at all."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from app.errors import ToolLoadError
from app.toolbox.cards import ToolCard
from app.toolbox.loader import shared_lines, shared_names
from app.toolbox.modules import ToolModules
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import ToolEntry, ToolSnapshot

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Reloaded:
    """What a reload came to. `warnings` name tools that came without a card."""

    module: str
    registered: tuple[str, ...]
    removed: tuple[str, ...]
    warnings: tuple[str, ...]
    snapshot: ToolSnapshot


class Toolbox:
    """Changes the registry. One change at a time; call it off the event loop (a reload takes some 100 ms)."""

    def __init__(
        self,
        registry: ToolRegistry,
        modules: ToolModules,
        published: Mapping[str, ToolCard] | None = None,
    ) -> None:
        """`published`: the cards that were edited in place; they win over the cards of the files."""
        self.registry, self.modules = registry, modules
        self._published: dict[str, ToolCard] = dict(published or {})
        self._filed: dict[str, ToolEntry] = {}
        self._lock = threading.Lock()
        if self._published:
            self._apply_published()

    def reload(self, name: str) -> Reloaded:
        """Load a module afresh and swap its tools in. Raises NotFound, and ToolLoadError with every fault."""
        with self._lock:
            loaded = self.modules.load(name)
            entries = tuple(self._with_published(entry) for entry in loaded)
            old = self.registry.snapshot()
            before = {entry.name for entry in old.entries if entry.module == name}
            others = [entry for entry in old.entries if entry.module != name]
            self._refuse(name, [*others, *entries])
            snapshot = self.registry.replace_module(name, entries)
            self._remember(loaded)
        named = tuple(entry.name for entry in entries)
        bare = [entry.name for entry in entries if not entry.has_own_card]
        return Reloaded(
            module=name,
            registered=named,
            removed=tuple(sorted(before - set(named))),
            warnings=tuple(f"도구 {tool}에 카드가 없어 설명으로 색인했습니다" for tool in bare),
            snapshot=snapshot,
        )

    def remove(self, tool: str) -> ToolSnapshot:
        """Take one tool out until its module is reloaded. Raises ToolNotFound."""
        with self._lock:
            return self.registry.remove(tool)

    def replace_source(self, source: str, entries: Sequence[ToolEntry]) -> ToolSnapshot:
        """Put imported tools in the place of everything of the same source ('openapi:…', 'mcp:…'); none takes it out.

        Raises ToolLoadError with every fault; nothing is changed then.
        """
        with self._lock:
            others = [entry for entry in self.registry.snapshot().entries if entry.source != source]
            carded = [self._with_published(entry) for entry in entries]
            self._refuse(source, [*others, *carded])
            snapshot = self.registry.replace_source(source, carded)
            self._remember(entries)
            return snapshot

    def candidate(self, tool: str, card: ToolCard) -> ToolSnapshot:
        """The set as it would be with this card. Raises ToolNotFound, and ToolLoadError when the card does not fit."""
        current = self.registry.snapshot()
        changed = replace(current.entry(tool), card=card, has_own_card=True)
        entries = tuple(changed if entry.name == tool else entry for entry in current.entries)
        self._refuse(tool, entries)
        return ToolSnapshot(current.version, entries)

    def put_card(self, tool: str, card: ToolCard | None) -> ToolSnapshot:
        """Swap a card in and keep it over reloads; None goes back to the card of the file. Raises as `candidate`."""
        with self._lock:
            entry = self.registry.snapshot().entry(tool)
            filed = self._filed.get(tool, entry)
            changed = replace(entry, card=card or filed.card, has_own_card=card is not None or filed.has_own_card)
            others = [other for other in self.registry.snapshot().entries if other.name != tool]
            self._refuse(tool, [*others, changed])
            snapshot = self.registry.replace_entry(changed)
            self._filed.setdefault(tool, entry)
            self._published = {name: held for name, held in self._published.items() if name != tool}
            if card is not None:
                self._published[tool] = card
            return snapshot

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
        entries = [replace(e, card=kept[e.name], has_own_card=True) if e.name in kept else e for e in current.entries]
        clashes = shared_lines(entries)
        for name in [*(self._published.keys() - kept.keys()), *(kept if clashes else ())]:
            log.warning("편집해 둔 카드 %s을(를) 쓸 수 없어 파일의 카드를 씁니다. %s", name, "; ".join(clashes[:3]))
        self._published = {} if clashes else kept
        if self._published:
            self._remember(current.entries)
            self.registry.replace_all(entries)

    def _with_published(self, entry: ToolEntry) -> ToolEntry:
        card = self._published.get(entry.name)
        return entry if card is None else replace(entry, card=card, has_own_card=True)

    def _remember(self, entries: Sequence[ToolEntry]) -> None:
        """What the files say, under the published cards."""
        self._filed |= {entry.name: entry for entry in entries}

    @staticmethod
    def _refuse(name: str, entries: Sequence[ToolEntry]) -> None:
        if faults := [*shared_names(entries), *shared_lines(entries)]:
            raise ToolLoadError(name, faults)
