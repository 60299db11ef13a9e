"""Benefits and riders of all products: their names, keywords and lay words found in a text."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from app.insurance.catalogue import Catalogue
from app.language.lay_words import LAY_CONFIDENCE, LayWords
from app.language.mentions import BenefitMention, RiderMention
from app.language.phrases import Folded, PhraseMatch, PhraseTable

_Places = tuple[tuple[str, str], ...]
_Hit = PhraseMatch[_Places]
_Span = tuple[int, int]
_Row = tuple[int, int, str, float, bool, str, _Places]

_MOLAR = re.compile(r"어\s?금니$")  # a molar is no 금니, a crown of gold


class BenefitReader:
    """Benefits and riders of all products by name, keyword and lay word. Built once."""

    def __init__(self, catalogue: Catalogue, lay: LayWords) -> None:
        benefits: dict[str, list[tuple[str, str]]] = {}
        riders: dict[str, list[tuple[str, str]]] = {}
        for product in catalogue.products:
            for benefit, _ in product.all_benefits:
                for word in (benefit.name, *benefit.keywords):
                    benefits.setdefault(word, []).append((product.code, benefit.id))
            for rider in product.riders:
                stem = re.sub(r"\s|특별약관|특약|\(.*?\)", "", rider.name)
                for word in {rider.name, f"{stem}특약", f"{stem} 특약"}:
                    riders.setdefault(word, []).append((product.code, rider.code))
        self._benefits = PhraseTable(((w, tuple(v)) for w, v in benefits.items()), typos=True, inner=True)
        self._riders = PhraseTable(((w, tuple(v)) for w, v in riders.items()), typos=True)
        self._lay_benefits, self._lay_riders = lay.among(benefits), lay.among(riders.keys() - benefits.keys())
        self._places = {word: tuple(places) for word, places in (*riders.items(), *benefits.items())}

    def find(self, folded: Folded, taken: Collection[tuple[int, int]]) -> list[BenefitMention]:
        """Benefits and treatments in order, outside the spans of `taken`."""
        hits = [hit for hit in self._benefits.find(folded, taken) if not _MOLAR.search(folded.text[: hit.end])]
        found = [BenefitMention(*row) for row in self._told(hits, self._lay_benefits, folded.text, taken)]
        return sorted(found, key=lambda mention: mention.start)

    def find_riders(self, folded: Folded, taken: Collection[tuple[int, int]]) -> list[RiderMention]:
        """Riders by name, or by code (R001), in order."""
        text, hits = folded.text, self._riders.find(folded, taken)
        found = [RiderMention(*row) for row in self._told(hits, self._lay_riders, text, taken)]
        codes = re.finditer(r"(?<![A-Za-z0-9])[Rr](\d{3})(?!\d)", text)
        found.extend(RiderMention(*m.span(), m.group(), 1.0, False, f"R{m.group(1)}") for m in codes)
        return sorted(found, key=lambda mention: mention.start)

    def _told(self, hits: Sequence[_Hit], lay: LayWords, text: str, taken: Collection[_Span]) -> Iterator[_Row]:
        """The fields of a mention for each hit by name, and for what lay words tell outside them."""
        for hit in hits:
            said = text[hit.start : hit.end]
            name = hit.phrase if hit.confidence < 1 else said
            yield hit.start, hit.end, said, hit.confidence, False, name, hit.value
        for start, end, term in lay.find(text, [*taken, *((hit.start, hit.end) for hit in hits)]):
            yield start, end, text[start:end], LAY_CONFIDENCE, False, term, self._places[term]
