"""The part of a passage that is quoted: whole sentences or list items that say most about the question."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from app.language.normalise import compact

QUOTE_CHARS = 200
# a sentence ends in 다. 요. and the like (a figure such as 1.5 does not), clauses begin with ①
_BORDERS = re.compile(r"(?<=[다요음임함]\.)\s+(?!\()|\s+(?=[①-⑳])")
_WORD, _TRADE = 1.5, 0.5
"""A word of the question, or of the trade for it, counts as much as so many of its letter pairs."""
_ALMOST = 0.85
"""The first stretch that says so much of what the best one says is quoted: rules stand before their exceptions."""
_WITHIN = 0.9
"""Of a stretch that begins within a paragraph."""


@dataclass(frozen=True)
class Quotation:
    """What is quoted, and the offset in the passage where it begins."""

    text: str
    at: int


@dataclass(frozen=True)
class Asked:
    """A question as it is looked for in a passage: its letter pairs, stems of its words and of words of the trade."""

    pairs: frozenset[str]
    stems: frozenset[str]
    trade: frozenset[str]

    @classmethod
    def read(cls, query: str, words: Iterable[str], trade: Iterable[str] = ()) -> Asked:
        """Words as the index has them: a verb's 다 is dropped."""
        return cls(_pairs(query), _stems(words), _stems(trade))

    def weight(self, plain: str) -> float:
        """What the words say that stand in a text without its spaces."""
        return _WORD * sum(stem in plain for stem in self.stems) + _TRADE * sum(stem in plain for stem in self.trade)


def quotation(text: str, asked: Asked, room: int = QUOTE_CHARS) -> Quotation:
    """Whole sentences of up to `room` letters; only a longer sentence is cut, at a space, with '…' behind."""
    places = _parts(text)
    parts = [part for part, *_ in places]
    if not parts:
        return Quotation("", 0)
    counts = [_fitting(parts, begin, room) for begin in range(len(parts))]
    plain = [compact(part) for part in parts]
    pairs = [_pairs(part) & asked.pairs for part in parts]

    def value(begin: int, count: int) -> float:
        held = frozenset().union(*pairs[begin : begin + count])
        return len(held) + asked.weight("".join(plain[begin : begin + count]))

    values = [
        value(begin, count)
        # what is asked for comes first, not behind what stands before it
        * (1.0 if value(begin, 1) > 0 else _WITHIN)
        * (1.0 if places[begin][2] else _WITHIN)
        for begin, count in enumerate(counts)
    ]
    best = next(begin for begin, value in enumerate(values) if value >= _ALMOST * max(values))
    quoted = " ".join(parts[best : best + counts[best]])
    if len(quoted) > room:
        end = quoted.rfind(" ", 0, room)
        quoted = f"{quoted[: end if end > 0 else room - 1].rstrip(' ,')}…"
    return Quotation(quoted, places[best][1])


def _parts(text: str) -> list[tuple[str, int, bool]]:
    """Sentences and list items, each with its offset and whether it begins a paragraph or clause."""
    found: list[tuple[str, int, bool]] = []
    offset = 0
    for line in text.split("\n"):
        for start, end in stretches(line):
            part = " ".join(line[start:end].split())
            if part:
                found.append((part, offset + start, start == 0 or "①" <= part[0] <= "⑳"))
        offset += len(line) + 1
    return found


def stretches(line: str) -> Iterator[tuple[int, int]]:
    """Where the sentences and clauses of a line begin and end."""
    at = 0
    for border in (*(match.span() for match in _BORDERS.finditer(line)), (len(line), len(line))):
        yield at, border[0]
        at = border[1]


def _fitting(parts: Sequence[str], begin: int, room: int) -> int:
    """How many parts from `begin` fit, at least one."""
    used = len(parts[begin])
    for count, part in enumerate(parts[begin + 1 :], 1):
        used += 1 + len(part)
        if used > room:
            return count
    return len(parts) - begin


def _stems(words: Iterable[str]) -> frozenset[str]:
    stems = (word[:-1] if len(word) > 2 and word.endswith("다") else word for word in words)
    return frozenset(stem for stem in stems if len(stem) >= 2 and not stem.startswith("§"))


def _pairs(text: str) -> frozenset[str]:
    words = (compact(word) for word in text.split())
    return frozenset(word[at : at + 2] for word in words for at in range(len(word) - 1))
