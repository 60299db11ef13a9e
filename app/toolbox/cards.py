"""Tool cards: how a customer asks for a tool. The function says what it does; the card of the same name says when."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, model_validator

from app.answering.names import title_of, words_of
from app.insurance.catalogue_files import DataReader, FaultLog
from app.language.normalise import compact
from app.messages import worded
from app.toolbox.declared import Dialogue

_LEAST = 5
_MOST_LABEL, _MOST_UNIT, _MOST_EXAMPLES = 24, 8, 50


class ArgumentHint(BaseModel):
    """What a card says of one argument, over what the tool's schema tells."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    label: str = Field("", max_length=_MOST_LABEL, description=worded("cards.ask_name"))
    unit: str = Field("", max_length=_MOST_UNIT, description=worded("cards.unit"))
    examples: tuple[Annotated[str, Field(min_length=1, max_length=60)], ...] = Field(
        (), max_length=_MOST_EXAMPLES, description=worded("cards.usual_values")
    )
    synonyms: dict[str, tuple[Annotated[str, Field(min_length=1, max_length=40)], ...]] = Field(
        default_factory=dict, description=worded("cards.spoken_values")
    )
    ask: str = Field("", max_length=120, description=worded("cards.ask_sentence"))
    after: dict[str, tuple[str, ...]] = Field(
        default_factory=dict, description="the tools after which a value is meant, {value: [tool]}"
    )


class ToolCard(BaseModel):
    """One card of data/tool_cards/{module}.yaml. `when_not_to_use` reaches the model's description, never the index."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)

    name: str = Field(pattern=r"^[a-z][a-z0-9_]{2,63}$")
    title: str = Field(min_length=2, description=worded("cards.title"))
    purpose: str = Field(min_length=_LEAST, max_length=300)
    when_to_use: tuple[Annotated[str, Field(min_length=2, max_length=300)], ...] = Field(min_length=1)
    when_not_to_use: tuple[str, ...] = Field((), description=worded("cards.use_instead"))
    tags: tuple[str, ...] = ()
    disclaimers: tuple[str, ...] = Field((), description=worded("cards.disclaimers"))
    labels: dict[str, str] = Field(default_factory=dict, description=worded("cards.labels"))

    arguments: dict[str, ArgumentHint] = Field(default_factory=dict, description=worded("cards.arguments"))

    dialogue: Dialogue | None = Field(None, description=worded("cards.dialogue"))

    _line_keys: tuple[tuple[str, ...], tuple[str, ...]] = PrivateAttr(((), ()))

    @model_validator(mode="after")
    def _no_duplicate_lines(self) -> ToolCard:
        seen: set[str] = set()
        for line, key in zip(self.when_to_use, self.line_keys, strict=True):
            if key in seen:
                raise ValueError(worded("cards.twice_when", line=line))
            seen.add(key)
        return self

    @property
    def line_keys(self) -> tuple[str, ...]:
        """What tells whether two lines say the same: `when_to_use` without spaces, marks and case."""
        # Kept, because every reload compares the lines of all cards; a copy with other lines must not take it over.
        lines, keys = self._line_keys
        if lines is not self.when_to_use:
            lines, keys = self._line_keys = self.when_to_use, tuple(map(compact, self.when_to_use))
        return keys

    def lines(self) -> tuple[tuple[str, str, str], ...]:
        """`(document id, type, text)` of every line that is indexed: purpose, each use, tags."""
        head = (f"tool_{self.name}", "purpose", self.purpose)
        uses = tuple((f"tool_{self.name}__use_{i}", "use", text) for i, text in enumerate(self.when_to_use))
        tags = ((f"tool_{self.name}__tags", "tags", " ".join(self.tags)),) if self.tags else ()
        return (head, *uses, *tags)


def card_from_description(name: str, description: str, title: str | None = None) -> ToolCard:
    """The stand-in card of a tool that came without one: its name and description, and the title it came with.

    Raises pydantic's ValidationError for a name that no card may have.
    """
    told = " ".join(description.split())
    purpose = (told if len(told) >= _LEAST else f"{words_of(name)}: {told}".rstrip(": "))[:300]
    tags = tuple(part for part in name.split("_") if part)
    return ToolCard(name=name, title=title_of(title, name), purpose=purpose, when_to_use=(purpose,), tags=tags)


def load_cards(path: Path) -> dict[str, ToolCard]:
    """The cards of one file by tool name. Raises DataFaults with every fault of the file, each with its line."""
    faults = FaultLog()
    cards: dict[str, ToolCard] = {}
    for item in DataReader(path.parent, "", faults).yaml_list(path.name, ToolCard):
        card = item.value
        if card.name in cards:
            faults.add(item.place.file, item.place.line("name"), worded("cards.twice_card", card=card.name))
        cards[card.name] = card
    faults.check()
    return cards
