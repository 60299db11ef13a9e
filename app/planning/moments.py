"""Days and times of day that lie ahead, as people say them: 다음 주 월요일, 12월 3일, 글피, 오후 세 시 반, 14:30."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date, timedelta

from app.language.numbers import NATIVE_PATTERN, parse_number
from app.planning.words import SlotWords

_DAYS = {
    "오늘": 0,
    "금일": 0,
    "내일": 1,
    "낼": 1,
    "명일": 1,
    "모레": 2,
    "모래": 2,
    "내일모레": 2,
    "낼모레": 2,
    "글피": 3,
}
_WEEKDAYS = "월화수목금토일"
_WEEKS = {"차": 1, "이번": 0, "요번": 0, "금": 0, "다음": 1, "담": 1, "다담": 2, "다다음": 2}
_DAY = re.compile(rf"(?<![가-힣])(?:{'|'.join(sorted(_DAYS, key=len, reverse=True))})(?!말)")
_NUMERIC = re.compile(
    r"(?<![\d.\-])(?:(?P<y>20\d{2})\s?[.\-/]\s?(?P<m>1[0-2]|0?[1-9])\s?[.\-/]|(?P<mm>1[0-2]|0?[1-9])\s?(?:/|\.(?=\d{1,2}(?:에|부터|까지))))"
    r"\s?(?P<d>3[01]|[12]\d|0?[1-9])(?![\d.]\d|\d|-)"
)
_SINO = r"(?:[이삼]?십)?[일이삼사오육칠팔구]?"
_WRITTEN = re.compile(
    rf"(?<![\d가-힣])(?:(?:(?P<y>20\d{{2}})\s?년|(?P<wy>올해|내년))\s?)?(?:(?P<m>1[0-2]|0?[1-9]|십[일이]?|[일이삼사오칠팔구유시육])\s?월"
    rf"|(?P<wm>이번\s?달|이달|다음\s?달|담\s?달|내달))(?:에)?\s?(?P<d>3[01]|[12]\d|0?[1-9]|{_SINO})\s?일(?!\s?(?:동안|간))"
)
_WEEKDAY = re.compile(
    r"(?:(?P<week>차|이번|요번|금|다음|담|다담|다다음)\s?주\s?(?:에\s?)?(?P<a>[월화수목금토일])(?:요일|욜)?(?![가-힣]{2}요일)"
    r"|(?<![가-힣])(?:(?:오는|돌아오는|이번)\s)?(?P<b>[월화수목금토일])(?:요일|욜))"
)
_ONLY_DAY = re.compile(
    r"(?<![\d가-힣.])(?<!박 )(?P<d>3[01]|[12]\d|0?[1-9])\s?일(?!\s?(?:동안|간|치|정도|이나))(?![가-힣]*(?:박|전|후|뒤))"
)
_SPANS = {"하루": 1, "이틀": 2, "사흘": 3, "나흘": 4, "닷새": 5, "일주일": 7, "열흘": 10, "보름": 15}
_LATER = re.compile(
    rf"(?<![가-힣\d])(?:(?P<w>{'|'.join(_SPANS)})|(?P<n>\d{{1,2}}|{NATIVE_PATTERN})\s?(?P<u>일|주|주일))\s?(?:뒤|후|있다)"
)
_CLOCK = re.compile(r"(?<!\d)(?P<h>[01]?\d|2[0-3])\s?:\s?(?P<m>[0-5]\d)(?!\d)")
_SPOKEN = re.compile(
    rf"(?P<h>(?<!\d)(?:[01]?\d|2[0-4])|(?<![가-힣]){NATIVE_PATTERN}|(?<=[가-힣]\s){NATIVE_PATTERN})\s?시(?!간|군|도|청|내|민|설|작|스)"
    rf"(?:\s?(?P<m>[0-5]?\d|(?:[이삼사오]?십)?[일이삼사오육칠팔구]?)\s?분|\s?(?P<half>반))?"
)
_OPENS, _AFTERNOON, _SMALL = 8, 12, 5
_BESIDE = 2


def find_days(
    text: str, today: date, feasts: Mapping[str, str], past: tuple[str, ...] = ()
) -> list[tuple[int, int, date]]:
    """(start, end, day) in order. A weekday, and a day of a month without its year, is the next one to come."""
    found: dict[int, tuple[int, int, date]] = {}

    def add(start: int, end: int, day: date | None) -> None:
        if text[:start].rstrip().endswith(past):
            return  # 작년 12월 3일
        if day is not None and not any(s < end and start < e for s, e, _ in found.values()):
            found[start] = (start, end, day)

    for match in _WRITTEN.finditer(text):
        add(*match.span(), _written(match, today))
    for match in _NUMERIC.finditer(text):
        add(*match.span(), _ahead(match["y"], int(match["m"] or match["mm"]), int(match["d"]), today))
    for name, told in feasts.items():
        for match in re.finditer(re.escape(name), text):
            month, day_of_month = map(int, told.split("-"))
            add(*match.span(), _ahead(None, month, day_of_month, today))
    for match in _WEEKDAY.finditer(text):
        if match["b"] and any(0 <= match.start() - end <= _BESIDE for _, end, _ in found.values()):
            continue  # 12월 4일 금욜: it only says again which day that is
        weekday = _WEEKDAYS.index(match["a"] or match["b"])
        if match["week"]:
            monday = today - timedelta(days=today.weekday()) + timedelta(weeks=_WEEKS[match["week"]])
            add(*match.span(), monday + timedelta(days=weekday))
        else:
            add(*match.span(), today + timedelta(days=(weekday - today.weekday()) % 7))
    for match in _DAY.finditer(text):
        add(*match.span(), today + timedelta(days=_DAYS[match.group()]))
    for match in _LATER.finditer(text):
        days = _SPANS.get(match["w"] or "") or (parse_number(match["n"]) or 0) * (1 if match["u"] == "일" else 7)
        add(*match.span(), today + timedelta(days=days))
    for match in _ONLY_DAY.finditer(text):
        day = int(match["d"])
        before = [known for _, end, known in sorted(found.values()) if end <= match.start()]
        base = before[-1] if before else today
        later = base.replace(day=1) + timedelta(days=32) if day < base.day else base
        add(*match.span(), _whole(later.year, later.month, day))
    return [found[start] for start in sorted(found)]


def _written(match: re.Match[str], today: date) -> date | None:
    day = parse_number(match["d"]) if match["d"] else None
    if day is None:
        return None
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


def find_times(text: str, words: SlotWords) -> list[tuple[int, int, str]]:
    """(start, end, 'HH:MM') in order. Without 오전 or 오후, one to seven o'clock is in the afternoon."""
    found: list[tuple[int, int, str]] = []
    for match in _CLOCK.finditer(text):
        start, hour = _of_the_day(text, match.start(), int(match["h"]), words)
        found.append((start, match.end(), f"{hour % 24:02d}:{match['m']}"))
    for match in _SPOKEN.finditer(text):
        spoken = parse_number(match["h"])
        minute = 30 if match["half"] else parse_number(match["m"]) if match["m"] else 0
        if spoken is None or minute is None or any(s < match.end() and match.start() < e for s, e, _ in found):
            continue
        start, told = _of_the_day(text, match.start(), spoken, words)
        if start == match.start() and 0 < spoken < _OPENS:
            told += _AFTERNOON
        found.append((start, match.end(), f"{told % 24:02d}:{minute:02d}"))
    for word, clock in words.clock.items():
        found += [(m.start(), m.end(), clock) for m in re.finditer(re.escape(word), text)]
    return sorted(found)


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
