"""The part of a passage that is quoted: whole sentences or list items that say most about the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.language.normalise import compact

QUOTE_CHARS = 200
# a sentence ends in 다. 요. and the like (a figure such as 1.5 does not), clauses begin with ①
_BORDERS = re.compile(r"(?<=[다요음임함]\.)\s+|\s+(?=[①-⑳])")
_WORD = 1.5
"""A word of the question, or of the trade for it, counts as much as so many of its letter pairs."""


@dataclass(frozen=True)
class Quotation:
    """What is quoted, and the offset in the passage where it begins."""

    text: str
    at: int


@dataclass(frozen=True)
class Asked:
    """A question as it is looked for in a passage: its letter pairs, and stems of the words that mean it."""

    pairs: frozenset[str]
    stems: frozenset[str]

    @classmethod
    def read(cls, query: str, words: Iterable[str]) -> Asked:
        """`words` as the index has them: a verb's 다 is dropped."""
        stems = (word[:-1] if len(word) > 2 and word.endswith("다") else word for word in words)
        return cls(_pairs(query), frozenset(stem for stem in stems if len(stem) >= 2 and not stem.startswith("§")))


def quotation(text: str, asked: Asked, room: int = QUOTE_CHARS) -> Quotation:
    """Whole sentences of up to `room` letters; only a longer sentence is cut, at a space, with '…' behind."""
    places = _parts(text)
    parts = [part for part, _ in places]
    if not parts:
        return Quotation("", 0)
    best, found, most = 0, 1, -1.0
    for begin in range(len(parts)):
        count = _fitting(parts, begin, room)
        value = _value(" ".join(parts[begin : begin + count]), asked)
        # the one that begins with what is asked, not with what stands before it
        if value > most or (value == most and _value(parts[begin], asked) > _value(parts[best], asked)):
            best, found, most = begin, count, value
    quoted = " ".join(parts[best : best + found])
    if len(quoted) > room:
        end = quoted.rfind(" ", 0, room)
        quoted = f"{quoted[: end if end > 0 else room - 1].rstrip(' ,')}…"
    return Quotation(quoted, places[best][1])


def _parts(text: str) -> list[tuple[str, int]]:
    """Sentences and list items, each with its offset."""
    found: list[tuple[str, int]] = []
    offset = 0
    for line in text.split("\n"):
        at = 0
        for border in (*(match.span() for match in _BORDERS.finditer(line)), (len(line), len(line))):
            part = " ".join(line[at : border[0]].split())
            if part:
                found.append((part, offset + at))
            at = border[1]
        offset += len(line) + 1
    return found


def _fitting(parts: Sequence[str], begin: int, room: int) -> int:
    """How many parts from `begin` fit, at least one."""
    used = len(parts[begin])
    for count, part in enumerate(parts[begin + 1 :], 1):
        used += 1 + len(part)
        if used > room:
            return count
    return len(parts) - begin


def _value(text: str, asked: Asked) -> float:
    plain = compact(text)
    return len(asked.pairs & _pairs(text)) + _WORD * sum(stem in plain for stem in asked.stems)


def _pairs(text: str) -> frozenset[str]:
    words = (compact(word) for word in text.split())
    return frozenset(word[at : at + 2] for word in words for at in range(len(word) - 1))
