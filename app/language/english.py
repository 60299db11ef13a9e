"""English messages: whether one is English, and what it asks as a plain question in Korean, read by a lexicon."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal

from pydantic import Field

from app.language.english_asking import Asked, Asking, Slot
from app.language.english_numbers import Numbers, NumberWords
from app.language.english_values import EnglishValues
from app.word_files import Pattern, WordFiles, Words, WordSet

_PLURALS = (("ies", "y"), ("es", ""), ("s", ""), ("'s", ""))
_LONGEST = 7
_LETTERS = 3  # English words to one in Hangul that is no name of ours

Mask = Literal[
    "product", "kind", "plan", "cover", "illness", "job", "person", "gender", "term", "cycle", "channel", "ref", "news",
]  # fmt: skip
_MASKS: Mapping[str, Mask] = {
    "products": "product", "kinds": "kind", "plans": "plan", "covers": "cover", "illnesses": "illness", "jobs": "job",
    "people": "person", "genders": "gender", "terms": "term", "actions": "cycle", "channels": "channel", "refs": "ref",
    "news": "news",
}  # fmt: skip

Named = dict[str, tuple[str, ...]]


class Names(Words):
    """Names of what is sold, in Korean, with what people who write English call it."""

    products: Named
    kinds: Named
    plans: Named


class Things(Words):
    """What else is asked about, in Korean, with its English words."""

    covers: Named
    illnesses: Named
    jobs: Named
    people: Named
    genders: Named
    terms: Named
    actions: Named
    channels: Named
    refs: Named
    news: Named


class Spelling(NumberWords):
    """How an English sentence is told and spelled out before it is read."""

    word: Pattern
    hangul: Pattern
    token: Pattern
    joint: Pattern
    small: Pattern
    taken: Pattern
    place: Pattern
    function_words: WordSet
    alone: frozenset[str]
    korean_end: Pattern
    spelled: tuple[tuple[Pattern, str], ...] = Field(min_length=1)
    notes: dict[str, Pattern]
    neutral: WordSet
    tails: tuple[str, ...]


@dataclass(frozen=True)
class EnglishReading:
    """An English message read: `korean` asks the same, `masked` is the message with what it names taken for its
    kind; `known` where the lexicon knows what is asked or named, `strange` the number of words that it does not know
    and that are no everyday words: no order to a model can be said without any."""

    korean: str
    masked: str
    known: bool
    strange: int


class EnglishReader:
    """Built once from the files of a folder. What a catalogue does not sell is left out of the names."""

    def __init__(self, folder: Path, sold: Collection[str], knowledge: Iterable[tuple[str, str]] = ()) -> None:
        """`sold`: names of products; `knowledge`: what its entries say in Korean, behind their names."""
        files = WordFiles(folder)
        names, things = files.read("names", Names), files.read("things", Things)
        self._words = files.read("reading", Spelling)
        self._asking = Asking(folder)
        self._numbers = Numbers(self._words)
        self._named = names.model_copy(update={"products": {k: v for k, v in names.products.items() if k in sold}})
        self._things, self._sold = things, frozenset(sold)
        self.values = EnglishValues(folder, knowledge)

    @cached_property
    def _lexicon(self) -> dict[str, tuple[Mask, str]]:
        """Each English phrase with its class and the Korean for it; of two the one declared first."""
        found: dict[str, tuple[Mask, str]] = {}
        for group in (self._named, self._things):
            for name, entries in group:
                for korean, phrases in entries.items():
                    for phrase in (*phrases, korean.lower()):
                        for form in self._forms(name, " ".join(phrase.split())):
                            found.setdefault(form, (_MASKS[name], korean))
        return found

    def _forms(self, name: str, phrase: str) -> Iterator[str]:
        """A phrase, and what is sold by its other ends: X insurance, X policy, X plan."""
        yield phrase
        first, *others = self._words.tails
        stem = phrase.removesuffix(f" {first}")
        if name in ("products", "kinds") and stem != phrase:
            yield from (f"{stem} {tail}" for tail in others)
            yield from [stem] if name == "products" and " " in stem else ()

    def is_english(self, text: str, *, in_talk: bool = False) -> bool:
        """Words in Latin letters and none in Hangul but names of ours; a code or two (B00115023, C73) are no English.
        `in_talk`: the talk is held in English, so that whatever has no Hangul goes on with it."""
        words, hangul = self._words.word.findall(text), self._words.hangul
        if not hangul.search(text):
            return len(words) > 1 or in_talk or " ".join(text.lower().split()).strip(" .!?") in self._words.alone
        grammar = [word for word in words if word.lower() in self._words.function_words]
        if not grammar and not in_talk:
            return False
        rest = text
        for name in sorted((*self._sold, *self._things.terms, *self._named.kinds), key=len, reverse=True):
            rest = rest.replace(name, " ")
        left = hangul.findall(rest)
        if not left:
            return len(words) > 1 or in_talk
        return len(left) * _LETTERS <= len(words) and len(grammar) > 1 and not self._words.korean_end.search(rest)

    def read(self, text: str) -> EnglishReading:
        """What an English message asks, in Korean; as it came where no word of it is known."""
        plain = self._spelled(text)
        slots: list[Slot] = []
        masked = self._numbers.masked(self._named_in(plain, slots), slots)
        masked = self._in_order(masked, slots)
        told = [korean for korean, pattern in self._words.notes.items() if pattern.search(masked)]
        asked: Asked = self._asking.korean(masked, slots, told)
        left = set(self._words.small.findall(self._words.taken.sub(" ", masked)))
        strange = len(left - self._words.neutral - self._words.function_words)
        return EnglishReading(asked.text or text, masked, bool(asked.text), strange)

    def _spelled(self, text: str) -> str:
        plain = " ".join(text.lower().split())
        for pattern, put in self._words.spelled:
            plain = pattern.sub(put, plain)
        return plain

    def _named_in(self, text: str, slots: list[Slot]) -> str:
        """The text with each phrase of the lexicon taken for its class, the longest first."""
        tokens = list(self._words.token.finditer(text))
        kept: list[str] = []
        at = end = 0
        while at < len(tokens):
            size, found = self._longest(text, tokens, at)
            if found is not None:
                kept += (text[end : tokens[at].start()], f" <{len(slots)}> ")
                slots.append(Slot(*found))
                end = tokens[at + size - 1].end()
            at += size
        return " ".join("".join([*kept, text[end:]]).split())

    def _longest(
        self, text: str, tokens: Sequence[re.Match[str]], at: int
    ) -> tuple[int, tuple[Mask, str] | None]:
        most = 1
        while most < _LONGEST and at + most < len(tokens):
            if not self._words.joint.fullmatch(text, tokens[at + most - 1].end(), tokens[at + most].start()):
                break
            most += 1
        for size in range(most, 0, -1):
            for phrase in _singulars(" ".join(token.group() for token in tokens[at : at + size])):
                if phrase in self._lexicon:
                    return size, self._lexicon[phrase]
        return 1, None

    def _in_order(self, masked: str, slots: list[Slot]) -> str:
        """The slots in the order of the text, and each place taken by the name of its class."""
        places = [int(number) for number in self._words.place.findall(masked)]
        slots[:] = [slots[place] for place in places]
        return self._words.place.sub(lambda found: _label(slots[places.index(int(found[1]))]), masked)


def _label(slot: Slot) -> str:
    return f"<term:{slot.korean}>" if slot.kind == "term" else f"<{slot.kind}>"


def _singulars(phrase: str) -> Iterator[str]:
    yield phrase
    for ending, put in _PLURALS:
        if phrase.endswith(ending) and len(phrase) > len(ending) + 2:
            yield phrase.removesuffix(ending) + put
