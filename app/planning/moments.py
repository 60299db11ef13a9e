"""Days and times of day that lie ahead, as people say them: 다음 주 월요일, 12월 3일, 글피, 오후 세 시 반, 14:30."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

from app.language.numbers import NATIVE_PATTERN, parse_number
from app.planning.words import SlotWords

_WEEKDAYS = "월화수목금토일"
_NUMERIC = re.compile(
    r"(?:(?<![\d.\-])|(?<=/\d-)|(?<=/\d\d-))(?:(?P<y>20\d{2})\s?[.\-/]\s?(?P<m>1[0-2]|0?[1-9])\s?[.\-/]|(?P<mm>1[0-2]|0?[1-9])\s?(?:/|\.(?=\d{1,2}(?:에|부터|까지))))"
    r"\s?(?P<d>3[01]|[12]\d|0?[1-9])(?![\d.]\d|\d|-(?!\d{1,2}/))"
)
_SINO = r"(?:[이삼]?십)?[일이삼사오육칠팔구]?"
_MONTH = (
    r"(?:(?:(?P<y>20\d{2})\s?년|(?P<wy>올해|내년))\s?)?(?:(?P<m>1[0-2]|0?[1-9]|십[일이]?|[일이삼사오칠팔구유시육])\s?월"
    r"|(?P<wm>이번\s?달|이달|다음\s?달|담\s?달|내달))(?:에|의)?"
)
_WRITTEN = re.compile(rf"(?<![\d가-힣]){_MONTH}\s?(?P<d>3[01]|[12]\d|0?[1-9]|{_SINO})\s?일(?!\s?(?:동안|간))")
_WEEKDAY = re.compile(
    r"(?:(?P<week>차|이번|요번|금|다음|담|다담|다다음)\s?주\s?(?:에\s?)?(?P<a>[월화수목금토일])(?:요일|욜)?(?![가-힣]{2}요일)"
    r"|(?<![가-힣])(?:(?:오는|돌아오는|이번)\s)?(?P<b>[월화수목금토일])(?:요일|욜))"
)
_ONLY_DAY = re.compile(
    r"(?<![\d가-힣.])(?<!박 )(?P<d>3[01]|[12]\d|0?[1-9])\s?일"
    r"(?!\s?(?:동안|간|치|정도|이나|짜리))(?![가-힣]*(?:박|전|후|뒤))"
)
_CLOCK = re.compile(r"(?<!\d)(?P<h>[01]?\d|2[0-3])\s?:\s?(?P<m>[0-5]\d)(?!\d)")
_SPOKEN = re.compile(
    rf"(?P<h>(?<!\d)(?:[01]?\d|2[0-4])|(?<![가-힣]){NATIVE_PATTERN}|(?<=[가-힣]\s){NATIVE_PATTERN})\s?시(?!간|군|도|청|내|민|설|작|스)"
    rf"(?:\s?(?P<m>[0-5]?\d|(?:[이삼사오]?십)?[일이삼사오육칠팔구]?)\s?분|\s?(?P<half>반))?"
)
_MONTH_ALONE = re.compile(
    r"(?:(?P<y>20\d{2})\s?(?:년|[-./])\s?)?(?<![\d.])(?P<m>1[0-2]|0?[1-9])\s?월(?!\s?\d{1,2}\s?일)"
)
_OPENS, _AFTERNOON, _SMALL = 8, 12, 5
_BESIDE, _YEAR = 2, 4


def find_days(text: str, today: date, words: SlotWords) -> list[tuple[int, int, date]]:
    """(start, end, day) in order. A weekday, and a day of a month without its year, is the next one to come."""
    found: dict[int, tuple[int, int, date]] = {}

    def add(start: int, end: int, day: date | None) -> None:
        if text[:start].rstrip().endswith(words.past):
            return  # 작년 12월 3일
        if day is not None and not any(s < end and start < e for s, e, _ in found.values()):
            found[start] = (start, end, day)

    for match in _WRITTEN.finditer(text):
        add(*match.span(), _written(match, today))
    names = _any_of(words.month_days)
    for match in re.finditer(rf"(?<![\d가-힣])(?:{_MONTH}\s?(?P<in>{names})|(?P<alone>말일))(?!고)", text):
        add(*match.span(), _named(match, words.month_days, today))
    nths = _any_of(words.nths)
    for match in re.finditer(rf"(?<![\d가-힣]){_MONTH}\s?(?P<nth>{nths})\s?주?\s?(?P<wd>[{_WEEKDAYS}])요일", text):
        add(*match.span(), _nth(match, words.nths, today))
    for match in _NUMERIC.finditer(text):
        add(*match.span(), _ahead(match["y"], int(match["m"] or match["mm"]), int(match["d"]), today))
    for name, told in words.feasts.items():
        for match in _said(name, text, but=words.village):  # 신정동 is a place
            month, day_of_month = map(int, told.split("-"))
            add(*match.span(), _ahead(None, month, day_of_month, today))
    for match in _WEEKDAY.finditer(text):
        if match["b"] and any(0 <= match.start() - end <= _BESIDE for _, end, _ in found.values()):
            continue  # 12월 4일 금욜: it only says again which day that is
        weekday = _WEEKDAYS.index(match["a"] or match["b"])
        if match["week"]:
            monday = today - timedelta(days=today.weekday()) + timedelta(weeks=words.weeks[match["week"]])
            add(*match.span(), monday + timedelta(days=weekday))
        else:
            add(*match.span(), today + timedelta(days=(weekday - today.weekday()) % 7))
    for match in re.finditer(rf"(?<![가-힣])(?:{_any_of(words.days)})(?!말)", text):
        add(*match.span(), today + timedelta(days=words.days[match.group()]))
    lengths = words.numbers[words.day]
    length = rf"(?P<w>{_any_of(lengths)})|(?P<n>\d{{1,2}}|{NATIVE_PATTERN})\s?(?P<u>일|주|주일)"
    for match in re.finditer(rf"(?<![가-힣\d])(?:{length})\s?(?:뒤|후|있다)", text):
        days = lengths.get(match["w"] or "") or (parse_number(match["n"]) or 0) * (1 if match["u"] == words.day else 7)
        add(*match.span(), today + timedelta(days=days))
    for match in _ONLY_DAY.finditer(text):
        day = int(match["d"])
        before = [known for _, end, known in sorted(found.values()) if end <= match.start()]
        base = before[-1] if before else today
        within = base.replace(day=1) + timedelta(days=32) if day < base.day else base
        add(*match.span(), _whole(within.year, within.month, day))
    return [found[start] for start in sorted(found)]


def find_months(text: str, today: date, words: SlotWords) -> list[tuple[int, int, str]]:
    """(start, end, 'YYYY-MM') in order; a month without its year is the last one of that name."""
    found: list[tuple[int, int, str]] = []
    for match in re.finditer(rf"(?<![가-힣])(?:{'|'.join(map(_blanks, words.months))})", text):
        ahead = words.months["".join(match.group().split())]
        year, month = divmod(today.year * 12 + today.month - 1 + ahead, 12)
        found.append((*match.span(), f"{year}-{month + 1:02d}"))
    for match in _MONTH_ALONE.finditer(text):
        month = int(match["m"])
        year = int(match["y"] or (today.year if month <= today.month else today.year - 1))
        found.append((*match.span(), f"{year}-{month:02d}"))
    return sorted(found)


def _said(name: str, text: str, but: str = "\0") -> Iterator[re.Match[str]]:
    """Where a name stands, but for where `but` follows it."""
    return re.finditer(rf"{re.escape(name)}(?!{but})", text)


def _blanks(name: str) -> str:
    return r"\s?".join((name[:-1], name[-1]))


def in_figures(parts: Sequence[str], today: date) -> date | None:
    """The day of month and day, or of year, month and day; None where there is none."""
    if len(parts) not in (2, 3) or any(len(part) > _YEAR for part in parts):
        return None
    year = parts[0] if len(parts) > len(("month", "day")) else None
    if year is not None and len(year) < _YEAR:
        year = f"{str(today.year)[:2]}{year}"
    return _ahead(year, int(parts[-2]), int(parts[-1]), today)


def _any_of(names: Iterable[str]) -> str:
    """A pattern of any of these, the longest first, with blanks where people leave them out."""
    return "|".join(name.replace(" ", r"\s?") for name in sorted(names, key=len, reverse=True))


def _named(match: re.Match[str], month_days: Mapping[str, int], today: date) -> date | None:
    """A day of a month by its name; the last one where the month is shorter."""
    if match["alone"]:
        return _last(today)
    day = _meant(match["in"], month_days)
    first = _in_month(match, 1, today)
    if first is None or day == 1:
        return first
    if not (match["y"] or match["wy"] or match["wm"]) and first.month == today.month:
        first = today
    return _last(first)


def _meant(said: str, names: Mapping[str, int]) -> int:
    """What one of the names stands for, however its blanks are set."""
    return next(meant for name, meant in names.items() if "".join(name.split()) == "".join(said.split()))


def _nth(match: re.Match[str], nths: Mapping[str, int], today: date) -> date | None:
    """A weekday of a month by its number; 5 is the last one."""
    first = _in_month(match, 1, today)
    if first is None:
        return None
    nth = _meant(match["nth"], nths)
    found = first + timedelta(days=(_WEEKDAYS.index(match["wd"]) - first.weekday()) % 7 + 7 * (nth - 1))
    return found if found.month == first.month else found - timedelta(days=7)


def _last(day: date) -> date:
    """The last day of its month."""
    return (day.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)


def _written(match: re.Match[str], today: date) -> date | None:
    day = parse_number(match["d"]) if match["d"] else None
    return None if day is None else _in_month(match, day, today)


def _in_month(match: re.Match[str], day: int, today: date) -> date | None:
    if match["wm"]:
        month = today.replace(day=1)
        if not match["wm"].startswith("이"):
            month = (month + timedelta(days=32)).replace(day=1)
        return _whole(month.year, month.month, day)
    month_number = parse_number({"유": "육", "시": "십"}.get(match["m"], match["m"]))
    year = match["y"] or {"올해": str(today.year), "내년": str(today.year + 1)}.get(match["wy"] or "")
    return _ahead(year, month_number or 0, day, today)


def _ahead(year: str | None, month: int, day: int, today: date) -> date | None:
    if year:
        return _whole(int(year), month, day)
    this = _whole(today.year, month, day)
    return this if this is None or this >= today else _whole(today.year + 1, month, day)


def _whole(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def find_times(text: str, words: SlotWords, hours: tuple[str, str] | None = None) -> list[tuple[int, int, str]]:
    """(start, end, 'HH:MM') in order. What does not say the part of the day lies within `hours` where they decide,
    behind the time that it follows (3시부터 5시), and from one to seven o'clock in the afternoon."""
    found: list[tuple[int, int, str]] = []
    unsure: set[int] = set()
    for match in _CLOCK.finditer(text):
        start, hour = _of_the_day(text, match.start(), int(match["h"]), words)
        found.append((start, match.end(), f"{hour % 24:02d}:{match['m']}"))
    for match in _SPOKEN.finditer(text):
        spoken = parse_number(match["h"])
        minute = 30 if match["half"] else parse_number(match["m"]) if match["m"] else 0
        if spoken is None or minute is None or any(s < match.end() and match.start() < e for s, e, _ in found):
            continue
        start, told = _of_the_day(text, match.start(), spoken, words)
        if start == match.start() and 0 < spoken <= _AFTERNOON:
            unsure.add(start)
            told = spoken % _AFTERNOON + (_AFTERNOON if spoken < _OPENS or spoken == _AFTERNOON else 0)
        found.append((start, match.end(), f"{told % 24:02d}:{minute:02d}"))
    for word, clock in words.clock.items():
        found += [(*match.span(), clock) for match in _said(word, text)]
    told_last: tuple[int, str] | None = None
    found.sort()
    for place, (start, end, clock) in enumerate(found):
        if start in unsure:
            follows = told_last and text[told_last[0] : start].strip() in words.bounds
            clock = _decided(clock, hours, told_last[1] if told_last and follows else "")
        told_last = (end, clock)
        found[place] = (start, end, clock)
    return found


def _decided(clock: str, hours: tuple[str, str] | None, after: str) -> str:
    """Of a time and the one half a day away, the one that fits."""
    other = f"{(int(clock[:2]) + _AFTERNOON) % 24:02d}{clock[2:]}"
    fitting = [told for told in (clock, other) if (hours is None or hours[0] <= told <= hours[1]) and told > after]
    return fitting[0] if fitting else clock


def _of_the_day(text: str, start: int, hour: int, words: SlotWords) -> tuple[int, int]:
    """Where a time begins and its hour of 24, by the part of the day named before it; as it is where none is."""
    before = text[:start].rstrip()
    daytime = next((word for word in words.daytimes if before.endswith(word)), "")
    if not daytime:
        return start, hour
    start = len(before) - len(daytime)
    if hour == _AFTERNOON:
        return start, 0 if daytime in words.midnight else hour
    if hour < _SMALL and daytime in words.midnight:
        return start, hour  # 밤 1시
    return start, hour + words.daytimes[daytime] if hour < _AFTERNOON else hour
