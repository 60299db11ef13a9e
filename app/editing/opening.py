"""Opens the tool set: shipped modules, added ones, published cards."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from app.errors import DataFaults, Fault
from app.messages import worded
from app.settings import Settings
from app.toolbox.cards import ToolCard
from app.toolbox.loader import load_builtin_entries, shared_lines, shared_names
from app.toolbox.modules import ToolModules
from app.toolbox.snapshot import ToolEntry

log = logging.getLogger(__name__)


def load_entries(settings: Settings, modules: ToolModules) -> tuple[ToolEntry, ...]:
    """The tools of every module, with the cards of the files. Raises DataFaults with every fault of them."""
    modules.note_files()
    entries = (*load_builtin_entries(settings.content_dir), *modules.load_added())
    if faults := [Fault("tool_cards", 0, reason) for reason in (*shared_names(entries), *shared_lines(entries))]:
        raise DataFaults(faults)
    return entries


def published_cards(stored: Mapping[str, dict[str, Any]]) -> dict[str, ToolCard]:
    """The edited cards of the database; one that can no longer be read is left out, and told."""
    cards = {}
    for tool, raw in stored.items():
        try:
            cards[tool] = ToolCard.model_validate(raw)
        except ValidationError as error:
            log.warning(worded("card_opening.card_unreadable"), tool, error)
    return cards
