"""What a field of a result is called, and what its numbers measure: from its schema, its tool's card, or its name."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from app.answering.schema import SchemaView
from app.answering.values import said
from app.answering.words import FieldWords, plain_name
from app.safety.figures import said_figures

HANGUL = re.compile(r"[가-힣]")
_FIRST_PHRASE = re.compile(r"[.,:;(\[\n]|\s[-–—]\s")
_MARKS = re.compile(r"[*_`|<>#\[\]{}\\~\s]+")
_DATA_KEY = re.compile(r"[^A-Za-z0-9_\-]|^\d|^[A-Z0-9]+$")
_ASIDE = re.compile(r"[(\[,]\s*([^()\[\],]{1,6}?)\s*(?=[)\],.]|$)")
_MOST_KOREAN, _MOST_OTHER = 24, 40


@dataclass(frozen=True)
class Labels:
    """Names fields. `card` holds the labels that the tool's card gives by field name."""

    words: FieldWords
    card: Mapping[str, str] = field(default_factory=dict)

    def of(self, name: str, view: SchemaView, parent: SchemaView | None = None) -> str:
        """What people call the field: Korean words of its schema, the card's, those of its name, then the schema's own
        in another language; '' when nothing tells. It holds no figure: those come from results alone. A key that is
        data itself (`parent` is a map, 2024, 서울) is its own label, in Korean where its words are known."""
        if (parent is not None and parent.is_map(name)) or _DATA_KEY.search(name):
            return self.words.translated(name) or said(_MARKS.sub(" ", name))
        own = plain_name(name)
        told = [_phrase(text) for key, text in view.told() if key == "description" or plain_name(text) != own]
        korean = (text for text in told if HANGUL.search(text) and len(text) <= _MOST_KOREAN)
        others = (text for text in told if not HANGUL.search(text) and len(text) <= _MOST_OTHER)
        found = (*korean, self.card.get(name, ""), self.words.translated(name), *others)
        return next((text for text in found if text and not said_figures(text)), "")

    def unit(self, name: str, view: SchemaView, currency: str = "") -> str:
        """What stands behind a number of this field: the unit that its description names ('보험료, 원'), the currency
        of a sum of money (원 where none is told); '' for none."""
        for _, text in view.told():
            if found := next((unit for unit in _ASIDE.findall(text) if unit in self.words.units), ""):
                return str(found)
        parts = set(plain_name(name).split())
        if not parts & self.words.money or parts & self.words.counted:
            return self.words.measured_in(name)
        return "원" if not currency or currency.lower() in self.words.won else f" {currency}"

    def measured(self, name: str) -> bool:
        """Whether numbers of this field are amounts, not numbers that only name something (id, year)."""
        return not set(plain_name(name).split()) & self.words.unmeasured


def _phrase(text: str) -> str:
    return " ".join(_MARKS.sub(" ", _FIRST_PHRASE.split(text, maxsplit=1)[0]).split())
