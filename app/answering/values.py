"""Single values as Korean people read them. No figure changes: what is said stands in the result."""

from __future__ import annotations

import math
import re
from datetime import date, datetime
from typing import Any

from app.language.formatting import date_ko

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?")
_SEOUL = ("", "+09:00", "+0900")
_LEAST_PARTED = 10_000
_PARTED_UNITS = ("원", "만원", "천원")
_DIGITS = 6


def is_empty(value: Any) -> bool:
    """Whether there is nothing to say: None, '', [] and {}, and records and lists of nothing else, however deep."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif item is not None and not (isinstance(item, str) and not item.strip()):
            return False
    return True


def said(value: Any, unit: str = "", *, measured: bool = True) -> str:
    """A scalar: 2024-01-31 → '2024년 1월 31일', True → '예', 20625 with 원 → '20,625원'; text as it is, in one line.
    `unit` follows numbers; those of at least five digits, and all sums in 원, are parted by commas where they are
    `measured`."""
    if isinstance(value, bool):
        return "예" if value else "아니요"
    if isinstance(value, int | float):
        return _number(value, measured, unit) + unit if math.isfinite(value) else ""
    return "" if value is None else _text(str(value))


def _number(value: float, measured: bool, unit: str) -> str:
    whole = isinstance(value, int) or value.is_integer()
    shown = f"{int(value):,}" if whole else f"{value:,.{_DIGITS}f}".rstrip("0").rstrip(".")
    parted = measured and (abs(value) >= _LEAST_PARTED or unit in _PARTED_UNITS)
    return shown if parted else shown.replace(",", "")


def _text(value: str) -> str:
    line = " ".join(value.split())
    try:
        if _DAY.fullmatch(line):
            return date_ko(date.fromisoformat(line))
        if found := _MOMENT.fullmatch(line):
            day, moment, zone = date.fromisoformat(found[1]), datetime.strptime(found[2], "%H:%M"), found[3] or ""  # noqa: DTZ007
            at = f"{moment.hour}시 {moment.minute}분" if moment.minute else f"{moment.hour}시"
            return f"{date_ko(day)} {at}{'' if zone in _SEOUL else '(UTC)' if _utc(zone) else '(현지 시각)'}"
    except ValueError:  # 2024-02-31 is text
        pass
    return line


def _utc(zone: str) -> bool:
    return zone == "Z" or not zone.strip("+-0:")
