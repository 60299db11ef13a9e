"""Requests for the personal data of many customers at once: refused by words alone, whoever asks.

No tool could answer them (phone and registration numbers never leave the store, lists show names in part), so this is
about saying so clearly and about the audit log, not about what could be reached.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from app.word_files import Pattern, Words
from app.yaml_text import read_model

MASS_DATA_FILE = "safety/mass_data.yaml"
FAMILY = "mass_data"
_MOST_LETTERS = 1500
# The three parts of a request stand near each other; a long text that holds them far apart is about something else.
_LETTERS_BEFORE, _LETTERS_AFTER = 15, 30


class _MassDataWords(Words):
    apart: Pattern
    people: Pattern
    datum: Pattern
    all: Pattern
    take: Pattern
    set: Pattern
    unless: Pattern = Field(alias="except")
    staff: str
    customer: str


class MassData:
    """The patterns and the answers of data/safety/mass_data.yaml."""

    def __init__(self, content_dir: Path) -> None:
        """Raises DataFaults when the file cannot be read."""
        self._words = read_model(content_dir / MASS_DATA_FILE, _MassDataWords)

    def asks(self, letters: str) -> bool:
        """Whether squeezed text (letters and digits only, lower case) asks for many people's personal data."""
        words = self._words
        told = words.apart.sub("_", letters[:_MOST_LETTERS])
        if words.unless.search(told):
            return False
        if words.set.search(told):
            return True
        for found in words.people.finditer(told):
            near = told[max(found.start() - _LETTERS_BEFORE, 0) : found.end() + _LETTERS_AFTER]
            datum = words.datum.search(near)
            if datum and words.all.search(near) and words.take.search(near, datum.start()):
                return True
        return False

    def answer(self, *, insider: bool) -> str:
        """What is said instead, to people of the company (`insider`) or to anybody else."""
        return self._words.staff if insider else self._words.customer
