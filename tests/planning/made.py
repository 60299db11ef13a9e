"""Slots of made-up tools, and what a message tells of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from app.answering.labels import Labels
from app.answering.words import FieldWords
from app.planning.filling import Filled, SlotFiller
from app.planning.slots import Slot, slots_of
from app.planning.words import SlotWords
from tests.conftest import ROOT

WORDS = SlotWords.load(ROOT / "data" / "language" / "slots.yaml")
FIELDS = FieldWords.load(ROOT / "data" / "language" / "field_words.yaml")
TODAY = date(2026, 11, 26)  # a Thursday


def slots(properties: Any, required: Any = (), **schema: Any) -> tuple[Slot, ...]:
    """The slots of a tool whose arguments are these."""
    parameters = {"type": "object", "properties": properties, "required": required, **schema}
    return slots_of({"name": "made_up", "parameters": parameters}, WORDS, Labels(FIELDS))


def slot(described: Any, name: str = "xq", **schema: Any) -> Slot:
    """The one slot that an argument is read as."""
    return slots({name: described}, **schema)[0]


@dataclass(frozen=True)
class Form:
    """The slots of one made-up tool with its title, purpose and lines."""

    slots: tuple[Slot, ...]
    titles: Sequence[str]
    lines: Sequence[str] = ()

    def read(
        self,
        filler: SlotFiller,
        text: str,
        *,
        asked: Collection[str] = (),
        before: Mapping[str, Any] | None = None,
    ) -> Filled:
        """What `text` tells."""
        frame = filler.frame(self.lines, self.titles, self.slots)
        return filler.fill(self.slots, text, TODAY, frame, asked=asked, before=before)
