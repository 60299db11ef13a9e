"""The readers of ages and people over the shipped words, for tests that call them alone."""

from __future__ import annotations

from pathlib import Path

from app.language.ages import AgeReader
from app.language.numbers import NUMERALS, format_native, format_sino
from app.language.people import PeopleReader
from app.word_files import WordFiles

LANGUAGE = Path(__file__).resolve().parent.parent / "data" / "language"
_FILES = WordFiles(LANGUAGE, NUMERALS)
AGES = AgeReader(_FILES)
PEOPLE = PeopleReader(_FILES)


def age_forms(age: int) -> tuple[str, ...]:
    """The ways to say an age (1-120 세) that are read back: 45세, 만 45세, 45살, 마흔다섯 살, 사십오 세."""
    forms = [f"{age}세", f"만 {age}세", f"{age}살", f"만으로 {age}살"]
    if age <= 99:
        forms.append(f"{format_native(age, before_noun=True)} 살")
    if 20 <= age <= 99 and age % 10:
        forms.append(format_native(age))
    if 10 <= age <= 99:
        forms.append(f"{format_sino(age)} 세")
    return tuple(forms)
