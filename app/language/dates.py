"""Dates and lengths of time: 2025년 8월 1일, 작년 3월, 어제, 지난달 10일, 6/20; 3년째, 두 달, 20년 뒤.

Relative words count from `today`. A month without a year is the latest one not after today. A date is whole or it is no
`value`: '작년 3월' gives year and month only, so nobody computes with an invented day. The words stand in
data/language/dates.yaml.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

from app.language.mentions import DateMention, DateRole, DurationMention, DurationRole
from app.language.numbers import marked, parse_number
from app.word_files import Pattern, WordFiles, WordList, Words, WordSet

_NEXT_TO = 3  # 계약일은 3월 2일: two syllables and a blank


class DurationSaid(Words):
    """What a length of time is of, by what stands behind or before it."""

    role: DurationRole
    behind: Pattern | None = None
    before: Pattern | None = None


class Unit(Words):
    """What a unit of time counts: months or days."""

    months: int = 0
    days: int = 0


class DateWords(Words):
    """dates.yaml: each word is explained beside it."""

    numeric: Pattern
    written: Pattern
    year_only: Pattern
    word_month: Pattern
    word_day: Pattern
    week: Pattern
    word_years: dict[str, int]
    word_months: dict[str, int]
    word_days: dict[str, int]
    months_said: dict[str, str]
    weekdays: WordList
    date_roles: dict[DateRole, Pattern]
    clause_ends: Pattern
    cut: Pattern
    of_next: Pattern
    duration: Pattern
    counted: dict[str, float]
    units: dict[str, Unit]
    special: Pattern
    special_days: dict[str, int]
    once: WordSet
    rated: WordSet
    rate_after: Pattern
    duration_roles: tuple[DurationSaid, ...]


class _Said(NamedTuple):
    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None


class DateReader:
    """Reads dates and lengths of time. Built once; every method is pure. Raises DataFaults."""

    def __init__(self, files: WordFiles) -> None:
        self._words = files.read("dates", DateWords)

    def dates(self, text: str, today: date, taken: Iterable[tuple[int, int]] = ()) -> list[DateMention]:
        """Dates in order, outside the spans of `taken`, each with the role its clause gives it."""
        busy = marked(text, taken)
        found: list[_Said] = []
        for said in self._said(text, today):
            if any(busy[said.start : said.end]) or (said.day is not None and _whole(said) is None):
                continue
            busy[said.start : said.end] = b"\1" * (said.end - said.start)
            found.append(said)
        found.sort()
        stops = [*(said.start for said in found[1:]), len(text)]
        mentions: list[DateMention] = []
        begin = 0
        for said, stop in zip(found, stops, strict=False):
            role, begin = self._role(text, said.start, said.end, begin, stop)
            value, words = _whole(said), text[said.start : said.end]
            sure = 1.0 if value else 0.7
            mentions.append(DateMention(said.start, said.end, words, sure, False, value, said.year, said.month, role))
        return mentions

    def _said(self, text: str, today: date) -> Iterator[_Said]:
        """Every date that a text may say, the surest ways first."""
        words = self._words
        for match in words.numeric.finditer(text):
            compact = match["c"]
            if match["sm"]:
                of_year, on = int(match["sm"]), int(match["sd"] or match["short"])
                yield _Said(*match.span(), _latest_year(today, of_year, on), of_year, on)
                continue
            parts = (compact[:4], compact[4:6], compact[6:]) if compact else (match["y"], match["m"], match["d"])
            if match["yy"]:
                parts = (f"20{match['yy']}", match["mm"], match["dd"])
            yield _Said(*match.span(), *map(int, parts))
        for match in words.written.finditer(text):
            month = _number(words.months_said.get(match["m"], match["m"]))
            if month is not None and 1 <= month <= 12:
                day = _number(match["d"])
                yield _Said(*match.span(), self._year_of(match, today, month, day), month, day)
        for match in words.word_month.finditer(text):
            index = today.year * 12 + today.month - 1 + words.word_months[match["wm"]]
            yield _Said(*match.span(), index // 12, index % 12 + 1, _number(match["d"]))
        for match in words.word_day.finditer(text):
            then = today + timedelta(days=words.word_days[match["wd"]])
            yield _Said(*match.span(), then.year, then.month, then.day)
        for match in words.week.finditer(text):
            if match["day"]:
                weeks = 2 if match["before_last"] else 1 if match["last"] else 0
                days = words.weekdays.index(match["day"]) - today.weekday() - 7 * weeks
                then = today + timedelta(days=days)
                yield _Said(*match.span(), then.year, then.month, then.day)
        for match in words.year_only.finditer(text):
            yield _Said(*match.span(), self._year_of(match, today, None, None), None, None)

    def _year_of(self, match: re.Match[str], today: date, month: int | None, day: int | None) -> int | None:
        if match["y"]:
            year = int(match["y"])
            return year if year >= 100 else 2000 + year if 2000 + year <= today.year + 1 else 1900 + year
        if match["wy"]:
            return today.year + self._words.word_years[match["wy"]]
        if month is None or day is None:
            return None
        return _latest_year(today, month, day)

    def _role(self, text: str, start: int, end: int, begin: int, stop: int) -> tuple[DateRole, int]:
        """The role by the nearest telling word between this date and the next, and where the words of this date end;
        without one it is the word in front, unless that word already tells of the date before ('3월에 가입했고 5월
        2일에 임플란트')."""
        words, before = self._words, text[max(begin, start - 40) : start]
        told = [(found.end(), role) for role, said in words.date_roles.items() for found in said.finditer(before)]
        place, named = max(told, default=(0, "date"))
        if told and len(before) - place <= _NEXT_TO and not words.cut.search(before[place:]):
            return named, end  # 계약일 2026년 3월 2일이고 치료는 …: the word right before it names it
        after = text[end:stop]
        hits = [
            (found.start(), role, found.end())
            for role, said in words.date_roles.items()
            if (found := said.search(after)) and not (stop < len(text) and words.of_next.match(after[found.end() :]))
        ]
        if hits:
            _, role, last = min(hits)
            return role, end + last
        # '가입했고 5월 2일': the clause of the word ends before this date, and it had a date of its own.
        return ("date" if begin and words.clause_ends.search(before[place:]) else named), end

    def durations(self, text: str, taken: Iterable[tuple[int, int]] = ()) -> list[DurationMention]:
        """Lengths of time in order, outside the spans of `taken`. '한 달에 얼마' is a rate, not a length, and is left
        out."""
        words, busy = self._words, marked(text, taken)
        found: list[DurationMention] = []
        for match in words.duration.finditer(text):
            count = words.counted.get(match["n"]) or parse_number(match["n"])
            if any(busy[match.start() : match.end()]) or count is None or self._is_rate(text, match):
                continue
            unit = words.units[match["unit"]]
            months = int((count + (0.5 if match["half"] else 0.0)) * unit.months)
            found.append(self._duration(text, match, months, int(count) * unit.days))
        for match in words.special.finditer(text):
            if not any(busy[match.start() : match.end()]) and not any(m.start <= match.start() < m.end for m in found):
                found.append(self._duration(text, match, 0, words.special_days[match["w"]]))
        return sorted(found, key=lambda mention: mention.start)

    def _is_rate(self, text: str, match: re.Match[str]) -> bool:
        """한 달에, 일 년에 몇 개: how often, not how long."""
        words = self._words
        once = match["n"] in words.once and match["unit"] in words.rated and not match["half"]
        return once and words.rate_after.match(text[match.end() : match.end() + 5]) is not None

    def _duration(self, text: str, match: re.Match[str], months: int, days: int) -> DurationMention:
        start, end = match.span()
        after, before = text[end : end + 14], text[max(0, start - 10) : start]
        role: DurationRole = "span"
        for row in self._words.duration_roles:
            if (row.behind and row.behind.search(after)) or (row.before and row.before.search(before)):
                role = row.role
                break
        return DurationMention(start, end, match.group(), 1.0, False, months, days, role)


def _latest_year(today: date, month: int, day: int) -> int:
    """The year of the latest such day not after today."""
    try:
        this_year = date(today.year, month, day)
    except ValueError:
        return today.year
    return today.year if this_year <= today else today.year - 1


def _number(word: str | None) -> int | None:
    return parse_number(word) if word else None


def _whole(said: _Said) -> date | None:
    if said.year is None or said.month is None or said.day is None:
        return None
    try:
        return date(said.year, said.month, said.day)
    except ValueError:
        return None
