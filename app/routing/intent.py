"""Does a question want to read, write or undo? Counted by keyword (data/language/intent.yaml).

A question without any keyword is neutral, and then annotations have no say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from app.word_files import WordFiles, WordList, Words

Kind = Literal["read", "write", "delete"]
KINDS: tuple[Kind, ...] = ("read", "write", "delete")

_LETTERS = re.compile(r"[a-z]+")


@dataclass(frozen=True)
class QueryIntent:
    """Shares of read, write and delete words; all zero when there is none."""

    read: float = 0.0
    write: float = 0.0
    delete: float = 0.0

    @property
    def neutral(self) -> bool:
        """No keyword at all."""
        return self.read == self.write == self.delete == 0.0


class WordsOfKind(Words):
    """The words of one language or trade, by what they want."""

    read: WordList
    write: WordList
    delete: WordList


class IntentWords(Words):
    """intent.yaml: each word is explained beside it."""

    english: WordsOfKind
    korean: WordsOfKind
    trade: WordsOfKind


class Intents:
    """Counts the words of intent.yaml. Built once; raises DataFaults."""

    def __init__(self, files: WordFiles) -> None:
        self._words = files.read("intent", IntentWords)

    def of(self, text: str) -> QueryIntent:
        """Each keyword counts once; the shares add up to 1."""
        lowered = text.lower()
        english = set(_LETTERS.findall(lowered))
        hits = [self._hits(kind, lowered, english) for kind in KINDS]
        total = sum(hits)
        return QueryIntent(*(count / total for count in hits)) if total else QueryIntent()

    def _hits(self, kind: Kind, text: str, english: set[str]) -> int:
        in_hangul = (*getattr(self._words.korean, kind), *getattr(self._words.trade, kind))
        return sum(word in english for word in getattr(self._words.english, kind)) + sum(w in text for w in in_hangul)
