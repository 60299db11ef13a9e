"""Years and dates of birth as people say them: 81년생, 85년 3월 2일생, 68년 원숭이띠, 생년월일 850302."""

from __future__ import annotations

from datetime import date

from app.language.mentions import BirthMention
from app.language.numbers import parse_number
from app.language.reading_words import LanguageWords


def find_births(words: LanguageWords, text: str, today: date) -> list[BirthMention]:
    """Years and dates of birth in order. A two-digit year is the latest one not after `today`."""
    found: list[BirthMention] = []
    for match in words.births.birth.finditer(text):
        year = _year(words, match["year"], today)
        month = int(match["month"]) if match["month"] else None
        day = int(match["day"]) if match["day"] else None
        if year is None or (month is not None and not 1 <= month <= 12):
            continue
        found.append(
            BirthMention(match.start(), match.end(), match.group(), 1.0, False, year, month, _date(year, month, day))
        )
    for match in words.births.zodiac.finditer(text):
        year = _year(words, match["year"], today)
        if year is not None and not _overlaps(match.start(), found):
            found.append(BirthMention(match.start(), match.end(), match.group(), 0.95, False, year))
    for match in words.births.birthday.finditer(text):
        digits = match["digits"] or match["bare"]
        year = _year(words, digits[:-4], today)
        birth = _date(year, int(digits[-4:-2]), int(digits[-2:])) if year else None
        if birth is not None and not _overlaps(match.start(), found):
            found.append(
                BirthMention(match.start(), match.end(), match.group(), 1.0, False, birth.year, birth.month, birth)
            )
    return sorted(found, key=lambda mention: mention.start)


def _year(words: LanguageWords, word: str, today: date) -> int | None:
    if word.isdigit():
        year = int(word)
    elif all(letter in words.births.digits for letter in word):
        year = int("".join(str(words.births.digits[letter]) for letter in word))
    else:
        read = parse_number(word)
        if read is None:
            return None
        year = read
    if year < 100:
        year += 2000 if 2000 + year <= today.year else 1900
    return year if 1900 <= year <= today.year else None


def _date(year: int, month: int | None, day: int | None) -> date | None:
    if month is None or day is None:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _overlaps(at: int, mentions: list[BirthMention]) -> bool:
    return any(mention.start <= at < mention.end for mention in mentions)
