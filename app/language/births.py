"""Years and dates of birth as people say them: 81년생, 85년 3월 2일생, 68년 원숭이띠, 생년월일 850302."""

from __future__ import annotations

import re
from datetime import date

from app.language.mentions import BirthMention
from app.language.numbers import parse_number

_BIRTH = re.compile(
    r"(?<![\d.,])(?P<year>(?:19|20)\d{2}|\d{2}|[영공일이삼사오육칠팔구]{2}"
    r"|(?:[이삼사오육칠팔구]?십[일이삼사오육칠팔구]?))\s?(?:년|[.\-/])\s?"
    r"(?:(?P<month>\d{1,2})\s?(?:월|[.\-/])\s?)?(?:(?P<day>\d{1,2})일?\s?)?(?:생(?!각|활|명|기|겼|긴)|태생"
    r"|출생|에 태어|에 나(?![왔와온올옴오가갔]))"
)
_ZODIAC = re.compile(r"(?<!\d)(?P<year>(?:19)?\d{2})년\s?(?:쥐|소|호랑이|범|토끼|용|뱀|말|양|원숭이|닭|개|돼지)띠")
_BIRTHDAY = re.compile(
    r"(?:생년월일|생일|생년)\s?(?:은|는|이|가|:)?\s?(?P<digits>(?:19|20)?\d{6})(?!\d|-\d)"
    r"|(?<![\d-])(?P<bare>(?:19|20)?\d{6})\s?(?:생|년생)"
)
_DIGITS = {**{d: i for i, d in enumerate("영일이삼사오육칠팔구")}, "공": 0}


def find_births(text: str, today: date) -> list[BirthMention]:
    """Years and dates of birth in order. A two-digit year is the latest one not after `today`."""
    found: list[BirthMention] = []
    for match in _BIRTH.finditer(text):
        year = _year(match["year"], today)
        month = int(match["month"]) if match["month"] else None
        day = int(match["day"]) if match["day"] else None
        if year is None or (month is not None and not 1 <= month <= 12):
            continue
        found.append(
            BirthMention(match.start(), match.end(), match.group(), 1.0, False, year, month, _date(year, month, day))
        )
    for match in _ZODIAC.finditer(text):
        year = _year(match["year"], today)
        if year is not None and not _overlaps(match.start(), found):
            found.append(BirthMention(match.start(), match.end(), match.group(), 0.95, False, year))
    for match in _BIRTHDAY.finditer(text):
        digits = match["digits"] or match["bare"]
        year = _year(digits[:-4], today)
        birth = _date(year, int(digits[-4:-2]), int(digits[-2:])) if year else None
        if birth is not None and not _overlaps(match.start(), found):
            found.append(
                BirthMention(match.start(), match.end(), match.group(), 1.0, False, birth.year, birth.month, birth)
            )
    return sorted(found, key=lambda mention: mention.start)


def _year(word: str, today: date) -> int | None:
    if word.isdigit():
        year = int(word)
    elif all(letter in _DIGITS for letter in word):
        year = int("".join(str(_DIGITS[letter]) for letter in word))
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
