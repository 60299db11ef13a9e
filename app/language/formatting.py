"""Figures and particles in Korean answers: the filters of templates/answers and the environment that renders them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from app.insurance import wording
from app.insurance.entry_age import FULL_AGE, AgeKind, age_words

_TAIL = re.compile(r"\s*\([^()]*\)$|[\s\"'”’」』.]+$")
# Last sounds of digits and Latin letters as Koreans read them; 'ㄹ' matters for 으로/로, 'x' is any other consonant.
_DIGIT_FINALS = {"0": "x", "1": "ㄹ", "3": "x", "6": "x", "7": "ㄹ", "8": "ㄹ"}
_LETTER_FINALS = {"l": "ㄹ", "m": "x", "n": "x", "r": "ㄹ"}
_GENDERS = {"M": "남성", "F": "여성"}

# Particles by the end of the word before them: with a final consonant, without.
PARTICLE_PAIRS = (
    ("으로", "로"),
    ("이랑", "랑"),
    ("이에요", "예요"),
    ("은", "는"),
    ("이", "가"),
    ("을", "를"),
    ("과", "와"),
)


def won(amount: int) -> str:
    """20625 → '20,625원'."""
    return wording.won(int(amount))


def money(amount: int) -> str:
    """30000000 → '3,000만원'; sums that are no multiple of 만원 as `won`."""
    return wording.money(int(amount))


def percent(share: float, digits: int = 1) -> str:
    """0.5 → '50%', 0.125 → '12.5%'."""
    return wording.percent(share, digits)


def age(years: int, kind: AgeKind = FULL_AGE) -> str:
    """45 → '만 45세', by 보험나이 '보험나이 45세'."""
    return age_words(years, kind)


def ages(span: Mapping[str, int]) -> str:
    """{'min': 20, 'max': 65} → '20~65세'."""
    return f"{span['min']}세" if span["min"] == span["max"] else f"{span['min']}~{span['max']}세"


def gender(code: str) -> str:
    """'M' → '남성', 'F' → '여성'."""
    return _GENDERS[code]


def date_ko(value: date | str) -> str:
    """A date, or its ISO text, → '2026년 1월 1일'. Raises ValueError for other text."""
    day = datetime.fromisoformat(value).date() if isinstance(value, str) else value
    return wording.day(day)


def josa(word: str, pair: str) -> str:
    """The word with the particle that fits its last sound: josa('암보험', '은/는') → '암보험은'.

    `pair` is 'closed/open': 은/는, 이/가, 을/를, 과/와, 으로/로, 이에요/예요 … A closing bracket is read over.
    """
    closed, _, opened = pair.partition("/")
    final = _final_sound(word)
    if closed == "으로" and final == "ㄹ":
        return word + opened
    return word + (closed if final else opened)


def code_suffix(item: Mapping[str, Any], show_codes: bool = True) -> str:
    """'(B00115023)' behind a name for staff, nothing for customers. Reads `code`, else `product_code`."""
    code = item.get("code") or item.get("product_code")
    return f"({code})" if show_codes and code else ""


def answer_environment(directory: Path) -> Environment:
    """The Jinja environment of the answer templates: filters above, blocks trimmed, a missing value is an error.

    Render with `r` (the result as JSON), `show_codes`, `facts` and `codes` (`code_suffix` bound to `show_codes`).
    """
    environment = Environment(
        loader=FileSystemLoader(directory),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    environment.filters.update(FILTERS)
    return environment


def _final_sound(word: str) -> str:
    bare = word
    while (shorter := _TAIL.sub("", bare)) != bare and shorter:
        bare = shorter
    last = bare[-1:].lower()
    if "가" <= last <= "힣":
        final = (ord(last) - ord("가")) % 28
        return "" if final == 0 else "ㄹ" if final == 8 else "x"
    return _DIGIT_FINALS.get(last) or _LETTER_FINALS.get(last, "")


FILTERS: Mapping[str, Callable[..., str]] = {
    "won": won,
    "money": money,
    "percent": percent,
    "age": age,
    "ages": ages,
    "gender": gender,
    "date_ko": date_ko,
    "josa": josa,
}
