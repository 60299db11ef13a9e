"""Korean words for the figures of the business: money, ages, days, rates. Pure functions, no data."""

from __future__ import annotations

import unicodedata
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import lru_cache

from app.insurance.models import AgeRange, ChannelName, Gender
from app.insurance.names import name_key

CHANNEL_WORDS: dict[ChannelName, str] = {
    "TM": "전화 상담(TM)",
    "CM": "다이렉트(CM)",
    "대면": "설계사 대면",
    "온라인": "온라인",
    "방카": "은행(방카슈랑스)",
}
_GENDERS: dict[Gender, str] = {"M": "남성", "F": "여성"}


def won(amount: int) -> str:
    """20625 → '20,625원'."""
    return f"{amount:,}원"


def money(amount: int) -> str:
    """Round sums in words: 30000000 → '3,000만원', 120000000 → '1억 2,000만원'; others as `won`."""
    if amount == 0 or amount % 10_000:
        return won(amount)
    sign, units = ("-" if amount < 0 else ""), abs(amount) // 10_000
    parts = []
    if units >= 10_000:
        parts.append(f"{units // 10_000:,}억")
    if units % 10_000:
        parts.append(f"{units % 10_000:,}만")
    return sign + " ".join(parts) + "원"


def percent(share: float, digits: int = 1) -> str:
    """0.5 → '50%', 0.125 → '12.5%' (at most `digits` decimals)."""
    value = (Decimal(str(share)) * 100).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)
    text = f"{value:f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + "%"


def gender_word(gender: Gender) -> str:
    """M → '남성', F → '여성'."""
    return _GENDERS[gender]


def age_span(span: AgeRange) -> str:
    """'20~65세'; one single age as '50세'."""
    return f"{span.min}세" if span.min == span.max else f"{span.min}~{span.max}세"


def waiting(days: int) -> str:
    """'90일 면책', '면책 없음'."""
    return f"{days}일 면책" if days else "면책 없음"


def yes(flag: bool, if_true: str = "예", if_false: str = "아니요") -> str:
    """One of two words."""
    return if_true if flag else if_false


def day(value: date) -> str:
    """'2026년 1월 1일'."""
    return f"{value.year}년 {value.month}월 {value.day}일"


@lru_cache(maxsize=8192)  # as `name_key`: mostly the catalogue's own words
def jamo(text: str) -> str:
    """`name_key` taken apart into jamo, so that one wrong vowel is one wrong letter."""
    return unicodedata.normalize("NFD", name_key(text))


def topic(word: str) -> str:
    """The word with 은 or 는, by its last syllable."""
    return word + ("은" if _ends_closed(word) else "는")


def nominative(word: str) -> str:
    """The word with 이 or 가."""
    return word + ("이" if _ends_closed(word) else "가")


def _ends_closed(word: str) -> bool:
    last = word[-1:]
    return "가" <= last <= "힣" and (ord(last) - ord("가")) % 28 != 0


def round_half_up(value: Fraction) -> int:
    """To the nearest 원, halves up: no binary rounding error."""
    return (value * 2 + 1).numerator // ((value * 2 + 1).denominator * 2)
