"""The words of data/language/field_words.yaml: what fields of foreign results are called, and what only wraps them."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path

from pydantic import Field

from app.answering.names import name_words
from app.insurance.models import Model
from app.messages import worded
from app.yaml_text import read_model


class Envelope(Model):
    """What wraps a result. `carriers` hold it, `aside` never matters, `states` do unless they say one of `fine`;
    `remarks` are told behind it; `totals` may only say how long its list is."""

    carriers: frozenset[str]
    aside: frozenset[str]
    states: frozenset[str]
    fine: frozenset[str]
    remarks: frozenset[str]
    totals: frozenset[str]


class FieldWords(Model):
    """See the head of the data file. All words are in lower case, those of one name with blanks between."""

    words: dict[str, str]
    skipped: frozenset[str]
    envelope: Envelope
    money: frozenset[str]
    counted: frozenset[str]
    currency: frozenset[str]
    won: frozenset[str]
    unmeasured: frozenset[str]
    measures: dict[str, tuple[str, ...]] = Field(default_factory=dict, description=worded("field_words.units"))
    sums: tuple[str, ...] = Field((), description=worded("field_words.money"))
    values: dict[str, str] = Field(default_factory=dict, description=worded("field_words.statuses"))
    units: tuple[str, ...] = Field((), description=worded("field_words.units_said"))

    @classmethod
    def load(cls, path: Path) -> FieldWords:
        """Read the file. Raises DataFaults when it is broken."""
        return read_model(path, cls)

    def measured_in(self, name: str) -> str:
        """The unit that a number's name ends in (days, distance_km); '' for none."""
        last = _lower(name)[-1:]
        return next((unit for unit, names in self.measures.items() if last and last[0] in names), "")

    def translated(self, name: str) -> str:
        """The Korean words of a field's name; '' unless every word is known."""
        words = [word for word in _lower(name) if word not in self.skipped]
        found: list[str] = []
        counting: list[str] = []
        at = 0
        while at < len(words):
            ends = range(min(len(words), at + self._longest), at, -1)
            end = next((end for end in ends if self._known(words[at:end])), None)
            if end is None:
                return ""
            # number_of_holes: what is counted goes first.
            (counting if words[end - 1] == "of" else found).append(self._known(words[at:end]))
            at = end
        return " ".join([*found, *counting])

    def _known(self, words: list[str]) -> str:
        key = " ".join(words)
        return self.words.get(key) or (self.words.get(key[:-1], "") if key.endswith("s") else "")

    @cached_property
    def _longest(self) -> int:
        return max((key.count(" ") + 1 for key in self.words), default=1)


def plain_name(name: str) -> str:
    """A field's name as the data file writes it: requestId → 'request id'."""
    return " ".join(_lower(name))


def _lower(name: str) -> list[str]:
    return [word.lower() for word in name_words(name)]
