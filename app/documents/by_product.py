"""Which product a row, a labelled item or a sentence of a document of several products is about: the one that it begins
with."""

from __future__ import annotations

import re
from collections.abc import Mapping

from app.documents.quotes import stretches
from app.language.normalise import compact

_MARK = re.compile(r"\s*(?:[•·▪-]|[①-⑳]|\d{1,2}[.)]|\[[^\]]{1,20}\])?\s*")
_LABEL = re.compile(r"[^.:—]{2,40}(?:—|:)")
_FAR = 60
"""Letters within which a name ends."""


def product_of(text: str, names: Mapping[str, str]) -> str:
    """The code of the product whose name stands at the beginning, behind a mark (①, •, 1., [상품]); '' where none does.

    `names` maps compact names to codes; the longest that fits wins.
    """
    plain = compact(text[_begin(text) :][:_FAR])
    fitting = [name for name in names if plain.startswith(name)]
    return names[max(fitting, key=len)] if fitting else ""


def owner_of(line: str, names: Mapping[str, str]) -> str:
    """The product that a whole line belongs to: a table row or a list item that its name labels (뉴스타트암보험 — 보장:
    …, • 실버치아보험 순수보장형: …); '' for running text, though it may begin with a product."""
    return product_of(line, names) if _LABEL.match(line, _begin(line)) else ""


def only_of(text: str, code: str, names: Mapping[str, str]) -> str:
    """`text` with blanks in the place of the rows, items and sentences that are another product's than `code`, so that
    every letter that stays keeps its offset."""
    kept = list(text)
    at = 0
    for line in text.split("\n"):
        if owner_of(line, names) not in ("", code):
            kept[at : at + len(line)] = " " * len(line)
        else:
            for start, end in stretches(line):
                if product_of(line[start:end], names) not in ("", code):
                    kept[at + start : at + end] = " " * (end - start)
        at += len(line) + 1
    return "".join(kept)


def _begin(text: str) -> int:
    found = _MARK.match(text)
    return found.end() if found else 0
