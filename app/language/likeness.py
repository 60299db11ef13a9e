"""Finds lines that are written almost like others: Levenshtein, within a fixed amount of work."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from rapidfuzz.distance import Levenshtein

WHOLE_LIKENESS = 0.85
LINE_LIKENESS = 0.6
_LEAST_CHARS = 6
# One unit is about 10 ns of comparing; the whole search ends after a second or two at the worst.
_MOST_UNITS = 60_000_000
_UNITS_A_CALL = 60
_UNITS_A_STEP = 40
_MOST_SPANS = 10
_DIGITS = re.compile(r"\d+")
_BLANKS = re.compile(r"\s+")
_LINES = re.compile(r"[^\r\n]+")

Line = tuple[str, int, int]


class FuzzyLimit(Exception):
    """There is too much to compare."""


def alike_windows(content: str, target: str) -> list[tuple[int, int]]:
    """The spans of whole lines that read like the lines of `target`: at least 85 % alike, no line under 60 %.

    Figures are never slips of the pen: they must be the same. Blank lines do not count. Raises FuzzyLimit.
    """
    wanted = [text for text, _, _ in _lines(target)]
    if sum(map(len, wanted)) < _LEAST_CHARS:
        return []
    lines = _lines(content)
    units = 0

    @cache
    def distance(mine: str, theirs: str) -> int | None:
        nonlocal units
        longest = max(len(mine), len(theirs))
        allowed = int(longest * (1 - LINE_LIKENESS))
        if abs(len(mine) - len(theirs)) > allowed:
            return None
        units += _UNITS_A_CALL + len(mine) * len(theirs) // 64
        if units > _MOST_UNITS:
            raise FuzzyLimit
        if sorted(_DIGITS.findall(mine)) != sorted(_DIGITS.findall(theirs)):
            return None
        found = Levenshtein.distance(mine, theirs, score_cutoff=allowed)
        return found if found <= allowed else None

    # The longest line is the rarest: it says where it is worth looking.
    anchor = max(range(len(wanted)), key=lambda place: len(wanted[place]))
    spans = []
    for place in range(anchor, len(lines) - len(wanted) + anchor + 1):
        if distance(wanted[anchor], lines[place][0]) is None:
            continue
        window = lines[place - anchor : place - anchor + len(wanted)]
        apart = together = 0
        for mine, (theirs, _, _) in zip(wanted, window, strict=True):
            found = distance(mine, theirs)
            units += _UNITS_A_STEP
            if units > _MOST_UNITS:
                raise FuzzyLimit
            if found is None:
                break
            apart, together = apart + found, together + max(len(mine), len(theirs))
        else:
            if apart <= together * (1 - WHOLE_LIKENESS):
                spans.append((window[0][1], window[-1][2]))
        if len(spans) == _MOST_SPANS:
            break
    return spans


def _lines(text: str) -> list[Line]:
    """The lines that hold something: (as they are compared, start, end without the blanks around)."""
    found = []
    for match in _LINES.finditer(text):
        line = match.group()
        bare = line.strip()
        if bare:
            start = match.start() + len(line) - len(line.lstrip())
            shown = bare if bare.isascii() else unicodedata.normalize("NFKC", bare)
            found.append((_BLANKS.sub(" ", shown), start, start + len(bare)))
    return found
