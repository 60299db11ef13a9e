"""The readers and the words of the planner over the shipped words, for tests that call them alone."""

from __future__ import annotations

from datetime import date
from pathlib import Path

from app.language.ages import AgeReader
from app.language.dates import DateReader
from app.language.money import MoneyReader
from app.language.numbers import NUMERALS, format_mixed, format_native, format_short, format_sino
from app.language.people import PeopleReader
from app.language.reading_words import LanguageWords
from app.planner.words import PlannerWords
from app.safety.personal_words import PersonalWords
from app.word_files import WordFiles

LANGUAGE = Path(__file__).resolve().parent.parent / "data" / "language"
_FILES = WordFiles(LANGUAGE, NUMERALS)
AGES = AgeReader(_FILES)
PEOPLE = PeopleReader(_FILES)
DATES = DateReader(_FILES)
MONEY = MoneyReader(_FILES)
PERSONAL = PersonalWords.read(WordFiles(LANGUAGE.parent / "safety"))
PLANNER = PlannerWords.read(_FILES)
READING = LanguageWords.read(_FILES)


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


def date_forms(value: date) -> tuple[str, ...]:
    """The ways to write a date that are read back."""
    return (
        value.isoformat(),
        f"{value.year}년 {value.month}월 {value.day}일",
        f"{value.year}.{value.month:02d}.{value.day:02d}",
        f"{value.year}/{value.month}/{value.day}",
        f"{value.year:04d}{value.month:02d}{value.day:02d}",
    )


def duration_forms(months: int) -> tuple[str, ...]:
    """The ways to say a length of whole months (1-599) that are read back."""
    forms = [f"{months}개월", f"{months} 개월"]
    if months % 12 == 0:
        forms += [f"{months // 12}년", f"{format_sino(months // 12)} 년"]
    return tuple(forms)


def won_forms(amount: int) -> tuple[str, ...]:
    """The ways to write an amount (원, 1 or more) that are read back: 35,000원, 3만 5,000원, 삼만 오천 원,
    3만5천원."""
    forms = [f"{amount:,}원", f"{amount}원", f"{format_mixed(amount)}원", f"{format_mixed(amount)} 원"]
    if amount >= 10:
        forms += [f"{format_sino(amount)}원", f"{format_sino(amount, spaced=True)} 원"]
    short = f"{format_short(amount)}원"
    # '1억5천원' is said for 150,000,000, so it is no form of 100,005,000.
    colloquial = amount >= 10**8 and 100 <= amount % 10**8 < 10**4 and "천" in short[-3:]
    return (*forms,) if colloquial else (*forms, short)
