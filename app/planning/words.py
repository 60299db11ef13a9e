"""The words of data/language/slots.yaml: what tells the kind of a slot, units, synonyms, yes and no, times of day."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field

from app.answering.names import name_words
from app.insurance.models import Model
from app.language.normalise import compact
from app.yaml_text import read_model

_SHORT = 2
_LATIN = re.compile(r"[A-Za-z]+")
StringKind = Literal["date", "time", "person", "place"]


class KindWords(Model):
    """What a slot of a kind is called: words of its name, and of its label."""

    names: frozenset[str]
    labels: tuple[str, ...]


class Direction(Model):
    """One end of a way: what its slot is called, and what stands before or behind the place."""

    names: frozenset[str]
    labels: tuple[str, ...]
    before: tuple[str, ...]
    behind: tuple[str, ...]


class SlotWords(Model):
    """See the head of the data file."""

    kinds: dict[StringKind, KindWords]
    not_persons: tuple[str, ...]
    units: dict[str, tuple[str, ...]]
    won: str
    man_won: str
    man: int
    synonyms: tuple[tuple[str, ...], ...]
    agrees: tuple[str, ...]
    declines: tuple[str, ...]
    turned: tuple[str, ...]
    daytimes: dict[str, int]
    midnight: tuple[str, ...]
    clock: dict[str, str]
    asking: frozenset[str]
    numbers: dict[str, dict[str, int]]
    measures: dict[str, KindWords]
    start: Direction = Field(alias="from")
    end: Direction = Field(alias="to")
    surnames: tuple[str, ...]
    after_names: tuple[str, ...]
    wonders: tuple[str, ...]
    past: tuple[str, ...]
    titles: tuple[str, ...]
    prefixes: tuple[str, ...]
    place_particles: tuple[str, ...]
    places: frozenset[str]
    feasts: dict[str, str]
    values: dict[str, str]
    place_ends: tuple[str, ...]
    hollow: frozenset[str]
    about: dict[str, tuple[int, int]]
    least: Direction
    most: Direction
    more: tuple[str, ...]
    adds: tuple[str, ...]
    any_count: tuple[str, ...]
    not_counters: frozenset[str]
    month_days: dict[str, int]
    provinces: frozenset[str]
    districts: frozenset[str]
    wide_ends: tuple[str, ...]
    letters: dict[str, str]
    quoted: KindWords
    bounds: tuple[str, ...]
    quotes: tuple[str, ...]
    lasting: tuple[str, ...]
    nights: tuple[str, ...]
    night: str
    days: dict[str, int]
    weeks: dict[str, int]
    day: str
    hour: str
    compared: tuple[str, ...]
    willing: frozenset[str]
    ordinal: tuple[str, ...]
    first: str
    last: tuple[str, ...]
    every: tuple[str, ...]
    ratios: dict[str, dict[str, int]]
    same: tuple[str, ...]
    nths: dict[str, int]
    reported: dict[str, str]
    passes_on: tuple[str, ...]
    to_whom: tuple[str, ...]
    how_many: dict[str, str]
    identifiers: KindWords
    numbered: tuple[str, ...]
    months: dict[str, int]
    tails: frozenset[str]
    only: tuple[str, ...]
    everyday: frozenset[str]
    owned: tuple[str, ...]
    callings: frozenset[str]
    sorts: dict[str, tuple[str, ...]]
    weekday: str
    copula: str
    polite: str
    possessive: str
    village: str
    and_more: tuple[str, ...]
    addressed: tuple[str, ...]
    gone: KindWords
    behind_numbers: tuple[str, ...]
    towards: tuple[str, ...]
    comes: tuple[str, ...]
    located: tuple[str, ...]
    others: frozenset[str]
    truths: tuple[str, str]

    @classmethod
    def load(cls, path: Path) -> SlotWords:
        """Read the file. Raises DataFaults when it is broken."""
        return read_model(path, cls)

    def kind_of(
        self, name: Sequence[str], label: str, described: str
    ) -> Literal["date", "time", "person", "place", "text"]:
        """What a slot without a form of its own takes, by the words of its name, else of its label (탈 곳), else of its
        description (탈 곳: 선착장 이름)."""
        described = f"{label} {described}"
        words, about = {*name, *(word.lower() for word in _LATIN.findall(described))}, compact(described)
        other = any(word in words or word in about for word in self.not_persons)
        by_name = [kind for kind, given in self.kinds.items() if given.names & words]
        by_label = [
            kind
            for told in (compact(label), about)
            for kind, given in self.kinds.items()
            if any(word in told for word in given.labels)
        ]
        kinds = [kind for kind in (*by_name, *by_label) if not (kind == "person" and other)]
        return kinds[0] if kinds else "text"

    def identifies(self, name: Sequence[str], label: str) -> bool:
        """Whether a slot of this name and label takes a number or a code that names one thing."""
        told = compact(label.partition("(")[0])
        return bool(self.identifiers.names & set(name)) or told.endswith(self.identifiers.labels)

    @property
    def moneys(self) -> tuple[str, str]:
        """The units of money: 원 and 만원."""
        return self.won, self.man_won

    def in_man(self, name: Sequence[str], described: str) -> str:
        """만원 where a slot counts sums in them: by its name (price_manwon), or by what describes it; else ''."""
        given = self.measures[self.man_won]
        counts = bool(given.names & set(name)) or any(word in described for word in given.labels)
        return self.man_won if counts else ""

    def called(self, kind: str, unit: str) -> str:
        """What a slot of this kind, or a number in this unit, is called where nobody says; '' where nothing tells."""
        given = next((words for name, words in self.kinds.items() if name == kind), None)
        given = given or self.measures.get(unit)
        return given.labels[0] if given else ""

    def english(self, korean: str) -> tuple[str, ...]:
        """The English words for a value that is written in Korean."""
        return self._english.get(korean, ())

    @cached_property
    def _english(self) -> dict[str, tuple[str, ...]]:
        words = {korean: tuple(e for e, k in self.values.items() if k == korean) for korean in self.values.values()}
        return {korean: tuple(e for e in told if len(e) > _SHORT) for korean, told in words.items()}

    def alike(self, word: str) -> tuple[str, ...]:
        """What else is said for a word, or for the part of it that is known, and what is of its sort (푸들 is a 개)."""
        key = compact(word)
        found = [other for row in self.synonyms for known in row if self._within(compact(known), key) for other in row]
        sorts = [sort for kind, all_of in self.sorts.items() if kind in (key, *found) for sort in all_of]
        return tuple(dict.fromkeys((*found, *sorts)))

    def _within(self, known: str, word: str) -> bool:
        """Whether a word is the known one, or begins or ends with it as a compound does (대형견; 처방전 holds no
        방전, evening no EV)."""
        if known == word or len(known) < _SHORT or known.isascii():
            return known == word
        ahead, behind = len(word.removesuffix(known)), word.removeprefix(known)
        as_head = _SHORT <= ahead < len(word)
        return as_head or (behind != word and (len(behind) >= _SHORT or behind in self.tails))

    def measured_in(self, name: Sequence[str], label: str) -> str:
        """The unit of a number whose description names none; '' for none."""
        about, words = compact(label), set(name)
        named = next((unit for unit, given in self.measures.items() if given.names & words), "")
        told = (unit for unit, given in self.measures.items() if any(compact(w) in about for w in given.labels))
        return named or next(told, "")


def named_so(name: str, described: str, way: Direction | KindWords) -> bool:
    """Whether a slot of this name and description is for that end."""
    return bool({word.lower() for word in name_words(name)} & way.names) or any(w in described for w in way.labels)


def leads(text: str, span: tuple[int, int], way: Direction) -> bool:
    """Whether the words around a span say that the way begins (or ends) there."""
    before = bare(text[: span[0]])
    return text[span[1] :].lstrip().startswith(way.behind) or before.endswith(way.before or ("\0",))


def bare(text: str) -> str:
    """A text without the particle at its end that only marks what it names."""
    return text.rstrip().rstrip("은는이가을를도:")
