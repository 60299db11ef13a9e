"""Benefits and riders of all products: their names, keywords and lay words found in a text."""

from __future__ import annotations

import re
from collections.abc import Collection

from app.insurance.catalogue import Catalogue
from app.language.lay_words import LAY_CONFIDENCE, LayWords
from app.language.mentions import BenefitMention, RiderMention
from app.language.phrases import Folded, PhraseTable

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
        self._lay = lay.among(benefits.keys() | riders.keys())
        self._paid, self._added = ({w: tuple(v) for w, v in table.items()} for table in (benefits, riders))

    def find(self, folded: Folded, taken: Collection[tuple[int, int]]) -> list[BenefitMention]:
        """Benefits and treatments in order, outside the spans of `taken`."""
        text = folded.text
        found = [
            BenefitMention(
                hit.start,
                hit.end,
                text[hit.start : hit.end],
                hit.confidence,
                False,
                hit.phrase if hit.confidence < 1 else text[hit.start : hit.end],
                hit.value,
            )
            for hit in self._benefits.find(folded, taken)
            if not _MOLAR.search(text[: hit.end])
        ]
        found += [
            BenefitMention(a, b, text[a:b], LAY_CONFIDENCE, False, term, self._paid[term])
            for a, b, term in self._lay.find(text, [*taken, *((m.start, m.end) for m in found)])
            if term in self._paid
        ]
        return sorted(found, key=lambda mention: mention.start)

    def find_riders(self, folded: Folded, taken: Collection[tuple[int, int]]) -> list[RiderMention]:
        """Riders by name, or by code (R001), in order."""
        text = folded.text
        found = [
            RiderMention(
                hit.start,
                hit.end,
                text[hit.start : hit.end],
                hit.confidence,
                False,
                hit.phrase if hit.confidence < 1 else text[hit.start : hit.end],
                hit.value,
            )
            for hit in self._riders.find(folded, taken)
        ]
        found += [
            RiderMention(a, b, text[a:b], LAY_CONFIDENCE, False, term, self._added[term])
            for a, b, term in self._lay.find(text, taken)
            if term in self._added and term not in self._paid
        ]
        codes = re.finditer(r"(?<![A-Za-z0-9])[Rr](\d{3})(?!\d)", text)
        found.extend(RiderMention(*m.span(), m.group(), 1.0, False, f"R{m.group(1)}") for m in codes)
        return sorted(found, key=lambda mention: mention.start)
