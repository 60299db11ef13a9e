"""English messages: whether one is English, and what it asks as a plain question in Korean, read by a lexicon."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from pydantic import Field

from app.language.english_asking import Asked, Asking, Slot
from app.language.english_names import Called, Mask, Naming, plan_of
from app.language.english_numbers import Numbers, NumberWords
from app.language.english_spelling import Typing, plain_words
from app.language.english_values import EnglishValues
from app.word_files import Pattern, WordFiles, Words, WordSet

_PLURALS = (("ies", "y"), ("es", ""), ("s", ""), ("'s", ""))
_LONGEST = 9
_LETTERS = 3  # English words to one in Hangul that is no name of ours
_SURELY = 2  # words of ours beside names in Hangul

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
    brief: Pattern
    insurance: str
    function_words: WordSet
    alone: frozenset[str]
    korean_end: Pattern
    spelled: tuple[tuple[Pattern, str], ...] = Field(min_length=1)
    notes: dict[str, Pattern]
    neutral: WordSet
    orders: WordSet
    tails: tuple[str, ...]
    kind_tails: tuple[str, ...]
    plan_tails: tuple[str, ...]


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

    def __init__(
        self,
        folder: Path,
        sold: Collection[str],
        knowledge: Iterable[tuple[str, str]] = (),
        called: Iterable[Called] = (),
        spelt: Iterable[str] = (),
    ) -> None:
        """`sold`: names of products; `knowledge`: what its entries say in Korean, behind their names; `called`: what
        the catalogue calls by a name; `spelt`: English words that are right as they are."""
        files = WordFiles(folder)
        names, things = files.read("names", Names), files.read("things", Things)
        self._words = files.read("reading", Spelling)
        self._numbers = Numbers(self._words)
        self._named = names.model_copy(update={"products": {k: v for k, v in names.products.items() if k in sold}})
        self._things, self._called = things, tuple(called)
        self._asking = Asking(folder, self._alone())
        more = {korean: phrases[0] for group in (things.illnesses, things.jobs) for korean, phrases in group.items()}
        self.values = EnglishValues(folder, knowledge, more)
        self._naming = Naming(folder, self.values, self.values.entries)
        aimed = plain_words([*self._lexicon, self._asking.wording], self._words.small)
        self._plain = self._words.neutral | self._words.function_words
        self._typing = Typing(folder, aimed | self._plain, {*spelt})
        self._usual = self._plain | ({*spelt} - self._words.orders)

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
        for one in self._called:
            for korean, phrase in self._naming.phrases(one):
                if one.kind != "term" or phrase not in self._asking.wording:
                    found.setdefault(phrase, (one.kind, korean))
        for kind in self._named.kinds:
            found.setdefault(kind.removesuffix(self._words.insurance), ("kind", kind))
        return found

    def _alone(self) -> dict[str, str]:
        """The kinds of which one product is sold, with it."""
        of: dict[str, list[str]] = {}
        for one in self._called:
            if one.kind == "product":
                of.setdefault(f"{one.of}{self._words.insurance}", []).append(one.korean)
        return {kind: products[0] for kind, products in of.items() if len(products) == 1}

    @cached_property
    def _sounds(self) -> dict[str, tuple[Mask, str]]:
        """Names in Hangul by how they sound, also without the word for insurance."""
        found: dict[str, tuple[Mask, str]] = {}
        for korean, taken in self._lexicon.items():
            if self._words.hangul.fullmatch(korean) and (sound := self._typing.sound(korean)):
                found.setdefault(sound, taken)
        return found

    @cached_property
    def _in_hangul(self) -> list[str]:
        """What has a name in Hangul, the longest first."""
        return sorted((name for name in self._lexicon if self._words.hangul.search(name)), key=len, reverse=True)

    def _forms(self, name: str, phrase: str) -> Iterator[str]:
        """A phrase, and what is sold by its other ends: X insurance, X policy, X plan."""
        yield phrase
        tails = {"products": self._words.tails, "kinds": self._words.kind_tails, "plans": self._words.plan_tails}
        first, *others = tails.get(name, ("",))
        stem = phrase.removesuffix(f" {first}")
        if others and stem != phrase:
            yield from (f"{stem} {tail}" for tail in others)
            yield from [stem] if name == "products" and " " in stem else ()

    def is_english(self, text: str, *, in_talk: bool = False) -> bool:
        """Words in Latin letters and none in Hangul but names of ours; a code or two (B00115023, C73) are no English.
        `in_talk`: the talk is held in English, so that whatever has no Hangul goes on with it."""
        words, hangul = [word.lower() for word in self._words.word.findall(text)], self._words.hangul
        ours = [word for word in words if self._everyday(word)]
        if not hangul.search(text):
            return in_talk or len(words) > 1 or bool(ours) or self._words.brief.search(text.lower()) is not None
        grammar = [word for word in words if word in self._words.function_words]
        if not grammar and len(ours) < _SURELY and not in_talk:
            return False
        rest = text.lower()
        for name in self._in_hangul:
            rest = rest.replace(name, " ")
        left = [run for run in hangul.findall(rest) if not self._begins_a_name(run)]
        if not left:
            return len(words) > 1 or in_talk
        return len(left) * _LETTERS <= len(words) and len(grammar) > 1 and not self._words.korean_end.search(rest)

    def _begins_a_name(self, run: str) -> bool:
        return len(run) >= _LETTERS and any(name.startswith(run) for name in self._named.products)

    def _everyday(self, word: str) -> bool:
        """Whether a word is one that people write English with, and no name of a thing alone."""
        typed = self._typing.mended(word).split()[0]
        return typed in self._plain or typed in self._words.alone

    def read(self, text: str) -> EnglishReading:
        """What an English message asks, in Korean; as it came where no word of it is known."""
        plain = self._spelled(self._typing.mended(self._spelled(text)))
        slots: list[Slot] = []
        masked = self._numbers.masked(self._named_in(plain, slots), slots)
        masked = self._in_order(masked, slots)
        told = [korean for korean, pattern in self._words.notes.items() if pattern.search(masked)]
        asked: Asked = self._asking.korean(masked, slots, told)
        left = set(self._words.small.findall(self._words.taken.sub(" ", masked)))
        strange = len({word for word in left if not any(one in self._usual for one in _singulars(word))})
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
                kept += (text[end : tokens[at].start()], f" <{len(slots)}:{found[0]}> ")
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
        return self._heard(tokens, at, most)

    def _heard(
        self, tokens: Sequence[re.Match[str]], at: int, most: int
    ) -> tuple[int, tuple[Mask, str] | None]:
        """A name in Korean that is written as it sounds, or its beginning."""
        if self._typing.known(tokens[at].group()):
            return 1, None
        for size in range(most, 0, -1):
            sound = self._typing.sound("".join(token.group() for token in tokens[at : at + size]))
            if sound and (found := self._sounds.get(sound) or self._begun(sound)):
                return size, found
        return 1, None

    def _begun(self, sound: str) -> tuple[Mask, str] | None:
        """The one product whose name begins with this sound."""
        found = {taken for name, taken in self._sounds.items() if taken[0] == "product" and name.startswith(sound)}
        return found.pop() if len(found) == 1 else None

    def _in_order(self, masked: str, slots: list[Slot]) -> str:
        """The slots in the order of the text, and each place taken by the name of its class."""
        places = [int(number) for number in self._words.place.findall(masked)]
        slots[:] = [slots[place] for place in places]
        products = {slot.korean for slot in slots if slot.kind == "product"}
        plans = [one.korean for one in self._called if one.kind == "plan" and one.of in products]
        slots[:] = [
            slot._replace(korean=plan_of(slot.korean, plans)) if slot.kind == "plan" else slot
            for slot in slots
        ]
        return self._words.place.sub(lambda found: _label(slots[places.index(int(found[1]))]), masked)


def _label(slot: Slot) -> str:
    return f"<_term:{slot.korean}>" if slot.kind == "term" else f"<_{slot.kind}>"


def _singulars(phrase: str) -> Iterator[str]:
    yield phrase
    for ending, put in _PLURALS:
        if phrase.endswith(ending) and len(phrase) > len(ending) + 2:
            yield phrase.removesuffix(ending) + put
