"""What search and the classifiers see of a text: character n-grams, morphemes, their neighbours, and concepts.

One `Analysis` a text serves every source of the router and the domain check, so nothing is tokenised twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from app.language.normalise import nfc

Tagged = tuple[str, str]

_DIGITS = re.compile(r"\d")
_SPACES = re.compile(r"\s+")
# Nouns, verbs, adjectives, roots, adverbs, numbers, foreign words; particles and endings carry style, not subject.
_CONTENT = frozenset(
    (
        "NNG",
        "NNP",
        "NNB",
        "NP",
        "NR",
        "XR",
        "VV",
        "VA",
        "VX",
        "VCN",
        "MM",
        "MAG",
        "MAJ",
        "IC",
        "SL",
        "SN",
        "SH",
        "XPN",
        "XSN",
    )
)
_VERBS = frozenset(("VV", "VA", "VX"))
_CHAR_SIZES = (1, 2, 3)


class TaggingTokenizer(Protocol):
    """A morphological analyser; `fully_tagged` gives (form, tag) of every morpheme in order."""

    def fully_tagged(self, text: str) -> tuple[Tagged, ...]:
        """Every morpheme with its Sejong tag."""
        ...


@dataclass(frozen=True)
class Analysis:
    """One text, read once. `terms` are for keyword search, `features` for the linear heads (name → count)."""

    text: str
    tagged: tuple[Tagged, ...]
    terms: tuple[str, ...]
    concepts: tuple[str, ...]
    features: dict[str, int]


class TextAnalyser:
    """Reads texts. `mask` replaces what must not steer (ages, amounts, product names); `concepts` adds meanings."""

    def __init__(
        self,
        tokenizer: TaggingTokenizer,
        mask: Callable[[str], str] | None = None,
        concepts: Callable[[str, tuple[Tagged, ...]], Iterable[str]] | None = None,
    ) -> None:
        self._tokenizer, self._mask, self._concepts = tokenizer, mask, concepts

    def tagged(self, text: str) -> tuple[Tagged, ...]:
        """The morphemes of a text as it stands, with nothing masked."""
        return self._tokenizer.fully_tagged(nfc(text))

    def analyse(self, text: str) -> Analysis:
        """About 0.3 ms for a question."""
        plain = nfc(text)
        masked = self._mask(plain) if self._mask else plain
        tagged = self._tokenizer.fully_tagged(masked)
        concepts = tuple(dict.fromkeys(self._concepts(plain, tagged))) if self._concepts else ()
        words = tuple(_word(form, tag) for form, tag in tagged if is_content_tag(tag))
        terms = (*words, *(f"#{concept}" for concept in concepts))
        return Analysis(plain, tagged, terms, concepts, _features(masked, tagged, words))


def is_content_tag(tag: str) -> bool:
    """Whether morphemes of this tag carry subject rather than style."""
    return tag.split("-")[0] in _CONTENT


def _word(form: str, tag: str) -> str:
    """Verbs get 다, so that 깨(다) and the noun 깨 stay apart."""
    return f"{form}다" if tag[:2] in _VERBS else form.lower()


def _features(text: str, tagged: tuple[Tagged, ...], words: tuple[str, ...]) -> dict[str, int]:
    """Counts by name; the first letter names the block: c characters, w words, p pairs of words or morphemes."""
    found: dict[str, int] = {}
    line = f" {_DIGITS.sub('0', text.lower())} "
    joined = _SPACES.sub("", line)
    grams = [line[i : i + size] for size in _CHAR_SIZES for i in range(len(line) - size + 1)]
    # The same trigrams without spaces: 띄어쓰기 differs from person to person.
    grams += [f"~{joined[i : i + 3]}" for i in range(len(joined) - 2)]
    for gram in grams:
        key = f"c{gram}"
        found[key] = found.get(key, 0) + 1
    for word in words:
        key = f"w{word}"
        found[key] = found.get(key, 0) + 1
    forms = [form for form, _ in tagged]
    pairs = [*pairwise(words), *zip(words, words[2:], strict=False)]
    found.update({f"p{a}_{b}": 1 for a, b in pairs})
    found.update({f"pm{a}_{b}": 1 for a, b in pairwise(forms)})
    if forms:
        found["pe" + "_".join(forms[-2:])] = 1
    return found
