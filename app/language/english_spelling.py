"""English words as they are typed: short for others, misspelt, or Korean by its sound in Latin letters."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path

from app.language.hangul import letters_of
from app.word_files import Pattern, WordFiles, Words, WordSet

_REMEMBERED = 4096
_ENDINGS = (("s", ""), ("es", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"), ("ly", ""), ("er", ""))


class TypedWords(Words):
    """The words of typing.yaml; what each is for stands there."""

    word: Pattern
    short: Mapping[str, str]
    right: WordSet
    least: int
    least_begun: int
    most_left: int
    alike: float
    alike_long: float
    long: int
    leads: tuple[str, ...]
    vowels: tuple[str, ...]
    tails: tuple[str, ...]
    sounds: tuple[tuple[Pattern, str], ...]
    least_sound: int


class Typing:
    """Pure; built once. `known` are words that are never taken for others, `aimed` those that others are taken for."""

    def __init__(self, folder: Path, aimed: Collection[str], known: Collection[str]) -> None:
        self._words = words = WordFiles(folder).read("typing", TypedWords)
        self._known = {*aimed, *known, *words.right, *words.short}
        self._by_letter: dict[str, list[str]] = defaultdict(list)
        for word in sorted(aimed, key=lambda one: (len(one), one)):
            if len(word) >= words.least:
                self._by_letter[word[0]].append(word)
        self._mended = lru_cache(maxsize=_REMEMBERED)(self._aimed_at)

    def known(self, word: str) -> bool:
        """Whether a word is one of ours, as it is or short for one."""
        return word in self._known

    def mended(self, text: str) -> str:
        """The text with each short or misspelt word as it is written out."""
        return self._words.word.sub(lambda match: self._mended(match.group()), text)

    def _aimed_at(self, word: str) -> str:
        words = self._words
        if (full := words.short.get(word)) is not None:
            return full
        if len(word) < words.least or self.known(word) or any(self.known(one) for one in _stems(word)):
            return word
        near = self._by_letter[word[0]]
        alike = words.alike_long if len(word) >= words.long else words.alike
        if found := get_close_matches(word, near, n=1, cutoff=alike):
            return found[0]
        longest = len(word) + words.most_left
        begun = (one for one in near if one.startswith(word) and len(one) <= longest)
        return next(begun, word) if len(word) >= words.least_begun else word

    def sound(self, text: str) -> str:
        """How a text sounds, in Latin letters that stand for all those that people choose between; '' for too short."""
        latin = "".join(self._romanised(letter) for letter in text.lower())
        for pattern, put in self._words.sounds:
            latin = pattern.sub(put, latin)
        return latin if len(latin) >= self._words.least_sound else ""

    def _romanised(self, letter: str) -> str:
        if (places := letters_of(letter)) is None:
            return letter
        words = self._words
        return words.leads[places[0]] + words.vowels[places[1]] + words.tails[places[2]]


def _stems(word: str) -> Iterator[str]:
    for ending, put in _ENDINGS:
        if word.endswith(ending):
            yield word.removesuffix(ending) + put


def plain_words(texts: Iterable[str], word: re.Pattern[str]) -> set[str]:
    """The words of texts or of patterns over them."""
    return {found for text in texts for found in word.findall(text)}
