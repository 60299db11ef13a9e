"""The words around a number: 최초 3회만 지급 is wrong where the results say 최초 1회만 지급 and nowhere otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

# One between two numbers stays: E11.9 2형 당뇨병.
_BLANKS = re.compile(r"[\s\"'*`\\](?:(?<=\\)n|(?<!\d.)[\s\"'*`\\]*|[\s\"'*`\\]*(?!\d))", re.DOTALL)
_NUMBER = re.compile(r"\d[\d,.]*")
_HANGUL = re.compile(r"[가-힣]")
# Letters before and behind a number that must be the same, and how many of them must be Hangul.
_SHAPES = ((6, 2), (4, 4), (2, 6), (0, 8))
_WORDY = re.compile(r"(?:[^가-힣]*[가-힣]){4}")
_LEAST_LETTERS = min(left + right for left, right in _SHAPES)

Spot = tuple[int, str, str]


class Wording:
    """What tool results say word for word."""

    def __init__(self) -> None:
        self._told: dict[str, set[str]] = {}

    def add(self, text: str) -> None:
        """Something that a result says."""
        for number, words in _remembered(text):
            self._told.setdefault(words, set()).add(number)

    def denied(self, answer: str) -> list[int]:
        """Where a number of the answer stands whose words are only said around other numbers."""
        if not self._told:
            return []
        denied: dict[int, bool] = {}
        for at, number, words in _spots(answer):
            if known := self._told.get(words):
                denied[at] = denied.get(at, True) and number not in known
        return [at for at, alone in denied.items() if alone]


@lru_cache(maxsize=8192)  # results mostly repeat the catalogue's own sentences
def _remembered(text: str) -> tuple[tuple[str, str], ...]:
    if len(text) <= _LEAST_LETTERS:
        return ()
    return tuple((number, words) for _, number, words in _spots(text) if _WORDY.match(words))


def _spots(text: str) -> Iterator[Spot]:
    """Offset, number and surrounding words (a blank for the number) of each number among words, in each shape."""
    tight, removed, kept = "", [], 0
    for match in _BLANKS.finditer(text):
        tight += text[kept : match.start()]
        kept = match.end()
        removed.append((len(tight), kept - match.start()))
    tight += text[kept:]
    shift = place = 0
    for match in _NUMBER.finditer(tight):
        start, end = match.span()
        if not _HANGUL.search(tight, max(0, start - 6), end + 8):
            continue
        while place < len(removed) and removed[place][0] <= start:
            shift += removed[place][1]
            place += 1
        number = match.group().replace(",", "").strip(".")
        for left, right in _SHAPES:
            if start >= left and end + right <= len(tight):
                yield start + shift, number, f"{tight[start - left : start]} {tight[end : end + right]}"
