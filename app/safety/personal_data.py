"""Finds and masks personal data in Korean text: nine kinds, in digits, spoken digits, full width and odd spacing.

Names are not masked. Company contacts, product and KCD codes, dates and amounts are not personal.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from app.messages import worded_table
from app.safety.normalise import View, plain
from app.safety.personal_numbers import Found, numbers, spoken_numbers
from app.safety.personal_places import addresses, emails
from app.safety.personal_words import PersonalWords
from app.settings import ROOT
from app.word_files import WordFiles

KINDS = worded_table("personal_data")

# The values of results come again and again, in a turn (reply, trace, history) and from turn to turn; 4 MB at most.
_LONGEST_CLEAN, _MOST_LETTERS = 4000, 2_000_000


@dataclass(frozen=True)
class PersonalSpan:
    """One datum: Python offsets into the text as given, end exclusive; `kind` is a key of KINDS."""

    start: int
    end: int
    kind: str
    value_text: str


@dataclass(frozen=True)
class Masked:
    """The masked text, how many of each kind were masked, and where they stood in the original."""

    text: str
    counts: dict[str, int]
    spans: tuple[PersonalSpan, ...]


class PersonalDataMasker:
    """Finds personal data by their grammar and the words around them. Remembers only texts that hold none."""

    def __init__(self, words: PersonalWords) -> None:
        self._words = words
        self._clean: set[str] = set()
        self._letters = 0

    def find(self, text: str) -> tuple[PersonalSpan, ...]:
        """The data in reading order, none overlapping."""
        if text in self._clean:
            return ()
        spans = self._found(text)
        if not spans and len(text) <= _LONGEST_CLEAN:
            if self._letters > _MOST_LETTERS:
                self._clean, self._letters = set(), 0
            self._clean.add(text)
            self._letters += len(text)
        return spans

    def _found(self, text: str) -> tuple[PersonalSpan, ...]:
        view = plain(text)
        if not self._words.data.worth_reading.search(view.text):
            return ()
        taken: list[Found] = []
        for found in _candidates(self._words, view):
            if all(found.end <= other.start or found.start >= other.end for other in taken):
                taken.append(found)
        spans = []
        for found in sorted(taken, key=lambda f: f.start):
            start, end = view.span(found.start, found.end)
            spans.append(PersonalSpan(start, end, found.kind, text[start:end]))
        return tuple(spans)

    def mask(self, text: str) -> Masked:
        """Each datum replaced by its Korean label in square brackets."""
        spans = self.find(text)
        if not spans:
            return Masked(text, {}, ())
        pieces: list[str] = []
        at = 0
        for span in spans:
            pieces += (text[at : span.start], f"[{KINDS[span.kind]}]")
            at = span.end
        pieces.append(text[at:])
        return Masked("".join(pieces), dict(Counter(span.kind for span in spans)), spans)


def _candidates(words: PersonalWords, view: View) -> list[Found]:
    """Surest kinds first: an earlier one keeps its characters."""
    text = view.text
    return [*emails(words, text), *numbers(words, text), *addresses(words, text), *spoken_numbers(words, text)]


def shipped_masker() -> PersonalDataMasker:
    """One with the words that come with the program, for what runs before a company's folder is read, or without."""
    return PersonalDataMasker(PersonalWords.read(WordFiles(ROOT / "data" / "safety")))
