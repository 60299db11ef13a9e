"""What is sold and told of, by the English names that we give it ourselves: whoever read them may ask by them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Literal, NamedTuple

from app.insurance.catalogue import Catalogue
from app.language.english_values import EnglishValues, has_hangul
from app.word_files import Pattern, WordFiles, Words

Mask = Literal[
    "product", "kind", "plan", "cover", "illness", "job", "person", "gender", "term", "cycle", "channel", "ref", "news",
]  # fmt: skip

_ALIKE = 0.6


class Called(NamedTuple):
    """Something of the catalogue: its kind, its name in Korean, what else it is called, and the product or kind that it
    is of."""

    kind: Mask
    korean: str
    also: tuple[str, ...] = ()
    of: str = ""


class NamingWords(Words):
    """The words of naming.yaml; what each is for stands there."""

    fixed: Pattern
    dropped: Pattern
    optional: tuple[Pattern, ...]
    fewest: int
    opening: Pattern
    token: Pattern


def called_in(catalogue: Catalogue) -> list[Called]:
    """What a catalogue sells: products of their kinds, their plans, benefits and riders, and the terms that it
    explains."""
    found = [Called("product", product.name, product.nicknames, product.category) for product in catalogue.products]
    for product in catalogue.products:
        found += [Called("plan", plan.name, of=product.name) for plan in product.plans]
        found += [Called("cover", benefit.name) for benefit in product.benefits]
        found += [Called("cover", rider.name) for rider in product.riders]
    return [*found, *(Called("term", term.term) for term in catalogue.reference.glossary)]


class Naming:
    """Pure. The English phrases by which something of the catalogue is called."""

    def __init__(self, folder: Path, values: EnglishValues, told: Mapping[str, str]) -> None:
        """`told`: what each term is explained by in English: it opens with the term's name."""
        self._words, self._values, self._told = WordFiles(folder).read("naming", NamingWords), values, told

    def phrases(self, one: Called) -> Iterator[tuple[str, str]]:
        """(how it is said in Korean, an English phrase for it), the fullest first."""
        korean = self._words.fixed.sub("", one.korean).strip()
        for phrase in (*self._english(one, korean), *one.also):
            if plain := " ".join(self._words.token.findall(phrase.lower())):
                yield korean, plain

    def _english(self, one: Called, korean: str) -> Iterator[str]:
        if one.kind == "term":
            opening = self._words.opening.match(self._told.get(one.korean, ""))
            yield from [opening[1]] if opening else []
        gloss = self._values.words.titles.get(korean) or self._values.value(korean)
        if has_hangul(gloss):
            return
        full = self._words.dropped.sub(" ", gloss)
        yield full
        for pattern in self._words.optional if one.kind == "cover" else ():
            full = pattern.sub(" ", full).strip()
            if len(full.split()) >= self._words.fewest:
                yield full


def plan_of(plan: str, of: Sequence[str]) -> str:
    """The plan that is meant among those of a product: itself, else the one that is named most like it."""
    if not of or any(plan in one for one in of):
        return plan
    return next(iter(get_close_matches(plan, of, n=1, cutoff=_ALIKE)), plan)
