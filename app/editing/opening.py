"""Opens the tool set: shipped modules, added ones, published cards, and the router over them."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from app.adapters.embeddings import Embedder
from app.adapters.vector_store import ChromaStore
from app.errors import DataFaults, Fault
from app.language.tokenizer import Tokenizer
from app.routing.opening import Routing, open_routing
from app.settings import Settings
from app.toolbox.cards import ToolCard
from app.toolbox.loader import load_builtin_entries, shared_lines, shared_names
from app.toolbox.modules import ToolModules
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import ToolEntry, ToolSnapshot
from app.toolbox.toolbox import Toolbox

log = logging.getLogger(__name__)


def open_toolbox(
    settings: Settings,
    embedder: Embedder,
    tokenizer: Tokenizer,
    store: ChromaStore,
    modules: ToolModules,
    published: Mapping[str, ToolCard],
    others: Sequence[ToolEntry] = (),
    off: Collection[str] = (),
) -> tuple[Toolbox, Routing]:
    """The living tool set and the router over it; `others` stand beside it, for no conversation to use; `off` are
    the tools that are switched off.

    Raises DataFaults with every fault of modules and cards.
    """
    modules.note_files()
    entries = (*load_builtin_entries(settings.content_dir), *modules.load_added())
    if faults := [Fault("tool_cards", 0, reason) for reason in (*shared_names(entries), *shared_lines(entries))]:
        raise DataFaults(faults)
    # Trained on the cards of the files, so that an edited card routes after a restart as it did when it was published.
    routing = open_routing(
        settings.content_dir, settings.data_dir, ToolSnapshot(1, entries), embedder, tokenizer, store
    )
    registry = ToolRegistry((*entries, *others), prepare=routing.router.prepare, settle=routing.router.settle)
    return Toolbox(registry, modules, published, off), routing


def published_cards(stored: Mapping[str, dict[str, Any]]) -> dict[str, ToolCard]:
    """The edited cards of the database; one that can no longer be read is left out, and told."""
    cards = {}
    for tool, raw in stored.items():
        try:
            cards[tool] = ToolCard.model_validate(raw)
        except ValidationError as error:
            log.warning("편집해 둔 카드 %s을(를) 읽을 수 없어 파일의 카드를 씁니다: %s", tool, error)
    return cards
