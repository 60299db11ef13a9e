"""A message that is read for the slots of a tool: its morphemes, the tool's own words, and what was taken already."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Protocol

from app.language.references import is_negated
from app.planning.words import SlotWords

Placed = tuple[str, str, int, int]
NOUNS = ("NNG", "NNP", "XR", "SL", "NR")
CONTENT = (*NOUNS, "VV", "VA", "SN", "SH")


class PlacesMorphemes(Protocol):
    """What is needed of the tokenizer."""

    def placed(self, text: str) -> tuple[Placed, ...]:
        """`(morpheme, tag, start, end)` of everything."""
        ...

    def neighbours(self, morpheme: tuple[str, str], top: int) -> tuple[tuple[str, str, float], ...]:
        """Morphemes like this one; none for one that the dictionary does not know."""
        ...


_PARTICLE, _MARKS = 2, " 은는이가을를도"
LETTER = "[가-힣]"
WORD_BEGINS = f"(?<!{LETTER})"
"""Where a word of Hangul begins, in a pattern."""


@dataclass(frozen=True)
class Frame:
    """The words that a tool's business is spoken of in, and all that ask or name its slots: values are what is left."""

    business: frozenset[str]
    words: frozenset[str]


@dataclass
class Message:
    """A message while its words are given to slots: `taken` are the spans that one of them took, `before` is what was
    known of the call; `weekly` tells that the tool takes weekdays."""

    text: str
    tokens: tuple[Placed, ...]
    today: date
    frame: Frame
    asked: frozenset[str]
    before: Mapping[str, Any] = field(default_factory=dict)
    weekly: bool = False
    taken: list[tuple[int, int]] = field(default_factory=list)

    def free(self, start: int, end: int) -> bool:
        """Whether nothing took a part of the span."""
        return all(end <= s or e <= start for s, e in self.taken)

    def take(self, start: int, end: int) -> None:
        """Give the span to a slot."""
        self.taken.append((start, end))

    def words(self, tags: Sequence[str]) -> list[Placed]:
        """Morphemes of these tags that nothing took and that are not the tool's own words."""
        return [
            t
            for t in self.tokens
            if t[1].partition("-")[0] in tags and self.free(t[2], t[3]) and t[0] not in self.frame.words
        ]


def spans_of(spelt: str, text: str) -> list[tuple[int, int]]:
    """Where words begin that a pattern matches."""
    return [match.span() for match in re.finditer(WORD_BEGINS + spelt, text)]


def turned(words: SlotWords, text: str, end: int) -> bool:
    """Whether what stands before `end` is ruled out by the words behind it (말고, 아니고, 필요 없어요)."""
    if text[end:].startswith(words.only):
        return False  # 일요일밖에 안 돼요
    text, end = _without_owning(words, text, end)
    first, _, behind = text[end : end + 10].partition(" ")
    behind = behind if len(first) <= _PARTICLE else first
    near = (text[end : end + 8].lstrip(_MARKS), behind)
    return is_negated(text, end) or any(part.startswith(words.turned) for part in near)


def _without_owning(words: SlotWords, text: str, end: int) -> tuple[str, int]:
    """The text without the words that tell why something is ruled out (골프화는 있으니까 빼고)."""
    behind = text[end:].lstrip(_MARKS)
    reason = next((word for word in words.owned if behind.startswith(word)), "")
    return (text[:end] + behind.removeprefix(reason).lstrip(), end) if reason else (text, end)


def forms_of(tokenizer: PlacesMorphemes, text: str) -> set[str]:
    """The content morphemes of a text."""
    return {form for form, tag, _, _ in tokenizer.placed(text) if is_content(tag)}


def is_content(tag: str) -> bool:
    """Whether morphemes of this tag say something."""
    return tag.partition("-")[0] in CONTENT
