"""Korean numerals: 마흔다섯, 육십사, 3만5천, 1억 2천만, 삼백이십 -> int, and back.

Two families: native words (하나 … 아흔아홉, used for ages and counts) and Sino-Korean (일 … 조, used for money, years
and formal ages), the latter freely mixed with Arabic digits. Nothing here knows what a number counts; see ages, money,
dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

_SINO = "일이삼사오육칠팔구"
SINO_DIGITS = {**{word: value for value, word in enumerate(_SINO, 1)}, "륙": 6}
SMALL_UNITS = {word: 10**power for power, word in enumerate("십백천", 1)}
THOUSAND, MYRIAD, HUNDRED_MILLION = "천", "만", "억"
BIG_UNITS = {word: 10**power for power, word in zip((4, 8, 12), "만억조", strict=True)}
_TENS = ["열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔"]
_ONES_FREE = ["하나", "둘", "셋", "넷", "다섯", "여섯", "일곱", "여덟", "아홉"]
_ONES_BOUND = ["한", "두", "세", "네", *_ONES_FREE[4:]]
_TWENTY_BOUND = "스무"
_MISSPELT = {"여덜": 8}
# 석 달, 서 말, 넉 달: before some nouns alone.
_BEFORE_SOME = {"석": 3, "서": 3, "넉": 4}
NATIVE_TENS = {**{word: 10 * value for value, word in enumerate(_TENS, 1)}, _TWENTY_BOUND: 20}
_ONES_SAID = {word: value for row in (_ONES_FREE, _ONES_BOUND) for value, word in enumerate(row, 1)} | _MISSPELT
NATIVE_ONES = _ONES_SAID | _BEFORE_SOME

ARABIC = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_TENS_PATTERN, _ONES_PATTERN = "|".join(_TENS), "|".join(_ONES_SAID)
NATIVE_PATTERN = (
    rf"(?:(?:{_TENS_PATTERN})\s?(?:하고도?\s)?(?:{_ONES_PATTERN})|{_TENS_PATTERN}|{_TWENTY_BOUND}|{_ONES_PATTERN})"
)
# Parts that patterns of data/language may name.
NUMERALS: Mapping[str, str] = {"native": NATIVE_PATTERN}


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number found in a text: half-open span, value, and how it was written.

    `style`: 'arabic' (12,340), 'mixed' (3만5천) or 'hangul' (삼만 오천). `unit_chars` are the unit letters used, in
    order.
    """

    start: int
    end: int
    value: int
    style: Literal["arabic", "mixed", "hangul"]
    unit_chars: str


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    text: str
    kind: Literal["arabic", "digit", "small", "big"]


def _token_at(text: str, at: int) -> _Token | None:
    if at >= len(text):
        return None
    letter = text[at]
    if letter.isascii() and letter.isdigit():
        found = ARABIC.match(text, at)
        return _Token(at, found.end(), found.group(), "arabic") if found else None
    if letter in SINO_DIGITS:
        return _Token(at, at + 1, letter, "digit")
    if letter in SMALL_UNITS:
        return _Token(at, at + 1, letter, "small")
    if letter in BIG_UNITS:
        return _Token(at, at + 1, letter, "big")
    return None


_MOST_DIGITS = 25  # longer rows of digits are no amount, and beyond 308 no float


def _evaluate(tokens: list[_Token]) -> int | None:
    """The value of a well-formed token row; None when digits touch or units do not fall."""
    total, section, number = 0, 0.0, None
    small_left, big_left = 10**4, 10**16
    for token in tokens:
        if token.kind in ("arabic", "digit"):
            if number is not None or len(token.text) > _MOST_DIGITS:
                return None
            number = float(token.text.replace(",", "")) if token.kind == "arabic" else float(SINO_DIGITS[token.text])
        elif token.kind == "small":
            unit = SMALL_UNITS[token.text]
            if unit >= small_left:
                return None
            section += (1 if number is None else number) * unit
            small_left, number = unit, None
        else:
            unit = BIG_UNITS[token.text]
            if unit >= big_left:
                return None
            section += 0 if number is None else number
            total += round((section or 1) * unit)
            section, number, small_left, big_left = 0.0, None, 10**4, unit
    return total + round(section + (number or 0))


def _continues(unit: _Token, follower: _Token) -> bool:
    """삼천 오백 and 3천 500 go on; in 5천 41남 another number begins."""
    return follower.kind == "digit" or (
        follower.kind == "arabic" and len(follower.text) >= len(str(SMALL_UNITS[unit.text])) - 1
    )


def _scan(text: str, at: int) -> list[_Token]:
    """The longest row of number tokens from `at`; one blank may follow a unit or stand before a unit of 만 and up."""
    tokens: list[_Token] = []
    while (token := _token_at(text, at)) is not None:
        tokens.append(token)
        at = token.end
        if at + 1 < len(text) and text[at] == " ":
            follower = _token_at(text, at + 1)
            after_big = follower is not None and token.kind == "big" and follower.kind != "big"
            after_small = follower is not None and token.kind == "small" and _continues(token, follower)
            at += 1 if after_big or after_small else 0
    return tokens


def quantity_at(text: str, at: int) -> Quantity | None:
    """The longest valid Sino-Korean, Arabic or mixed number that starts at `at`, or None.

    A row such as '8천이' also yields '8천' first when what follows the shorter row cannot continue it; callers that
    know which unit must follow should use `quantities_at` and choose.
    """
    rows = quantities_at(text, at)
    return rows[0] if rows else None


def quantities_at(text: str, at: int) -> tuple[Quantity, ...]:
    """Every valid number starting at `at`, longest first (삼백이 -> 삼백이, 삼백, 삼)."""
    tokens = _scan(text, at)
    found: list[Quantity] = []
    for count in range(len(tokens), 0, -1):
        row = tokens[:count]
        value = _evaluate(row)
        if value is None:
            continue
        has_arabic = any(token.kind == "arabic" for token in row)
        units = "".join(token.text for token in row if token.kind in ("small", "big"))
        pure = has_arabic and not units and count == 1
        style: Literal["arabic", "mixed", "hangul"] = "arabic" if pure else "mixed" if has_arabic else "hangul"
        found.append(Quantity(row[0].start, row[-1].end, value, style, units))
    return tuple(found)


_MISTYPED = {"설흔": "서른", "마은": "마흔", "예슨": "예순"}


def parse_native(word: str) -> int | None:
    """마흔다섯 -> 45, 쉰 -> 50, 두 -> 2, 오십하나 -> 51 (1-99). None when the word is no native numeral."""
    letters = re.sub(r"\s|하고도?\s", "", word)
    letters = _MISTYPED.get(letters[:2], letters[:2]) + letters[2:]
    if letters in NATIVE_ONES:
        return NATIVE_ONES[letters]
    for tens, value in NATIVE_TENS.items():
        if letters == tens:
            return value
        if letters.startswith(tens) and letters[len(tens) :] in NATIVE_ONES and tens != _TWENTY_BOUND:
            return value + NATIVE_ONES[letters[len(tens) :]]
    if len(letters) > 2 and letters[0] in SINO_DIGITS and letters[1] == "십" and letters[2:] in NATIVE_ONES:
        return SINO_DIGITS[letters[0]] * 10 + NATIVE_ONES[letters[2:]]  # 오십하나: the two families mixed
    return None


def marked(text: str, taken: Iterable[tuple[int, int]]) -> bytearray:
    """A byte a letter of the text, 1 where one of the spans `taken` stands: nothing is read there again."""
    busy = bytearray(len(text) + 1)
    for start, end in taken:
        busy[start:end] = b"\1" * (end - start)
    return busy


def parse_number(word: str) -> int | None:
    """Any one numeral, whole string: 45, 12,340, 마흔다섯, 사십오, 3만5천, 1억 2천만. None when it is none."""
    stripped = word.strip()
    native = parse_native(stripped)
    if native is not None:
        return native
    found = quantity_at(stripped, 0)
    return found.value if found is not None and found.end == len(stripped) else None


def format_native(value: int, *, before_noun: bool = False) -> str:
    """45 -> 마흔다섯; with `before_noun` the form before 살, 개, 번: 21 -> 스물한, 20 -> 스무. Raises ValueError
    outside 1-99."""
    if not 1 <= value <= 99:
        raise ValueError(f"고유어 수사는 1에서 99까지입니다: {value}")
    tens, ones = divmod(value, 10)
    if before_noun and value == NATIVE_TENS[_TWENTY_BOUND]:
        return _TWENTY_BOUND
    return ["", *_TENS][tens] + ["", *(_ONES_BOUND if before_noun else _ONES_FREE)][ones]


def _format_section(value: int) -> str:
    words = []
    for name, unit in reversed(SMALL_UNITS.items()):
        digit, value = divmod(value, unit)
        if digit:
            words.append(("" if digit == 1 else _SINO[digit - 1]) + name)
    return "".join(words) + (_SINO[value - 1] if value else "")


def format_sino(value: int, *, spaced: bool = False) -> str:
    """35000 -> 삼만오천 (`spaced`: 삼만 오천). 0 -> 영. Raises ValueError below 0 or from 10**16."""
    if not 0 <= value < 10**16:
        raise ValueError(f"읽을 수 있는 범위를 벗어난 수입니다: {value}")
    if value == 0:
        return "영"
    parts = []
    for name, unit in (*reversed(BIG_UNITS.items()), ("", 1)):
        section, value = divmod(value, unit)
        if section:
            # 만 drops its 일 (만 오천), 억 and 조 keep it (일억).
            parts.append(("" if section == 1 and name == MYRIAD else _format_section(section)) + name)
    return (" " if spaced else "").join(parts)


def format_mixed(value: int) -> str:
    """35000 -> 3만 5,000; 120000000 -> 1억 2,000만. Raises ValueError below 0 or from 10**16."""
    if not 0 <= value < 10**16:
        raise ValueError(f"읽을 수 있는 범위를 벗어난 수입니다: {value}")
    parts = []
    for name, unit in (*reversed(BIG_UNITS.items()), ("", 1)):
        section, value = divmod(value, unit)
        if section:
            parts.append(f"{section:,}{name}")
    return " ".join(parts) or "0"


def format_short(value: int) -> str:
    """35000 -> 3만5천, 150000000 -> 1억5천만: the way people type amounts; falls back to digits within a section."""
    parts = []
    for name, unit in (*reversed(BIG_UNITS.items()), ("", 1)):
        section, value = divmod(value, unit)
        if section:
            thousand = section >= 1000 and section % 1000 == 0
            parts.append(f"{section // 1000}{THOUSAND}{name}" if thousand else f"{section}{name}")
    return "".join(parts) or "0"


def format_korean_number(value: int, style: Literal["native", "sino", "mixed", "arabic"] = "sino") -> str:
    """`value` in one of the styles that `parse_number` reads back."""
    if style == "native":
        return format_native(value)
    if style == "sino":
        return format_sino(value)
    if style == "mixed":
        return format_mixed(value)
    return f"{value:,}"
