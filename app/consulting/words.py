"""The words that a consultation is heard by: data/advice/talk.yaml."""

from __future__ import annotations

from pathlib import Path

from app.insurance.models import Gender
from app.word_files import Pattern, WordFiles, Words, WordSet


class TalkWords(Words):
    """talk.yaml: each word is explained beside it."""

    advise: Pattern
    wanting: Pattern
    household: Pattern
    couple: Pattern
    unease: Pattern
    unease_need: str
    business: Pattern
    prices: Pattern
    worry: Pattern
    noted: Pattern
    sexes: dict[str, Gender]
    mine: Pattern
    speaker: Pattern
    age_is: Pattern
    ill: Pattern
    two_ages: Pattern
    late: Pattern
    korean_age: Pattern
    groups: dict[str, tuple[str, ...]]
    same: dict[str, str]
    partner: str
    partners: WordSet
    children: WordSet
    parents: WordSet
    labels: dict[str, str]
    skip: Pattern
    no_budget: Pattern
    healthy: Pattern
    has_none: Pattern
    per_person: Pattern
    at_once: Pattern
    waits: Pattern
    fixed: Pattern
    any_renewal: Pattern
    not_needs: Pattern
    drop: Pattern
    add: Pattern
    only: Pattern
    has: Pattern
    only_me: Pattern
    variant: Pattern
    ordinals: dict[str | int, int]
    leanest: Pattern
    widest: Pattern
    total: Pattern
    why: Pattern
    open: Pattern
    again: Pattern
    stop: Pattern


def load_talk_words(folder: Path) -> TalkWords:
    """The words of a company's advice folder. Raises DataFaults."""
    return WordFiles(folder).read("talk", TalkWords)
