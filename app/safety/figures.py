"""Reads the figures of a Korean text: money, ages, percents, spans of time, dates, counts, codes, clause references."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from operator import itemgetter
from typing import Literal, NamedTuple

from app.language.numbers import parse_native, quantity_at

FigureKind = Literal[
    "money",
    "age",
    "decade",
    "percent",
    "years",
    "months",
    "days",
    "count",
    "times",
    "pages",
    "rank",
    "clock",
    "date",
    "year",
    "month",
    "month_day",
    "code",
    "clause",
    "number",
    "phone",
]

# Patterns begin with the letter that they are looked for by, and only then look behind it: three times as quick.
_NUM = r"\d(?:\d{0,2}(?:,\d{3})+(?:\.\d+)?|\d*(?:\.\d+)?)"
_SCALE = r"(?:[천백십]?\s?[만억조](?![가-힣]*\s?(?:\d+)?\s?[세살](?![가-힣]))|[천백](?=\s?(?:원|만|억|\d)|[^가-힣]|$))"
_AMOUNT = re.compile(rf"{_NUM}(?:\s?{_SCALE})?(?:(?<=[만억조천백])\s?{_NUM}(?:\s?{_SCALE})?){{0,3}}")
_PART = re.compile(rf"({_NUM})\s?([천백십]?)\s?([만억조]?)")
_DATE = re.compile(
    r"(?P<y>(?:19|20)(?<![\d.-]..)\d{2})(?:\s?년\s?(?P<m>\d{1,2})\s?월(?:\s?(?P<d>\d{1,2})\s?일)?|"
    r"[-./]\s?(?P<m2>\d{1,2})[-./]\s?(?P<d2>\d{1,2})(?!\d)|\.(?P<m3>\d{1,2})\.(?!\d))"
)
_MONTH_DAY = re.compile(r"(?P<m>\d(?<![\d.].)\d?)\s?월\s?(?P<d>\d{1,2})\s?일")
_CODE = re.compile(r"[A-Z](?<![A-Za-z0-9].)(?:\d{8}|\d{2}(?:\.\d{1,2})?|(?:(?<=C)T?|(?<=P))-?\d{4,})(?![A-Za-z0-9])")
_CLAUSE = re.compile(r"제\s?\d{1,3}\s?(?:조|항|호|관|장|절)(?:의\s?\d{1,2})?|별표\s?\d{1,2}|부표\s?\d{1,2}")
_PHONE = re.compile(r"[01](?<!\d.)(?:(?<=1)[568]\d{2}|(?<=0)\d{1,2}-\d{3,4})-\d{4}(?!\d)")
_FORMS: tuple[tuple[re.Pattern[str], FigureKind], ...] = ((_PHONE, "phone"), (_CODE, "code"), (_CLAUSE, "clause"))
_SKIPPED = re.compile(
    r"\[\d{1,3}(?:\s?,\s?\d{1,3})*\]|(?m:^[ \t>*\-•#]*\(?\d{1,2}[.)](?=\s))|\d{1,2}\s?(?:번째|단계|순위|차 ?시|부\b)|"
    # the same where a list is quoted in one line: “6. 레진충전: … 지급합니다. 7. 아말감충전
    r"[“‘\"']\d{1,2}[.)](?=\s[가-힣])|\.(?<=[가-힣]\.)\s\d{1,2}\.(?=\s[가-힣])|"
    r"https?://\S+|\(예:[^()\n]{1,40}\)|예를 들어[^.!?\n]{0,8}['\"‘“][^'\"’”\n]{1,60}['\"’”]"
)
_UNIT = re.compile(
    r"\s?(?:(?P<money>원|달러|won\b)|(?P<percent>%|퍼센트|프로(?!그램|필|세스|모션)|%p|％)|"
    r"(?P<age>[세살](?=[^가-힣]|[가는은이의에로까부만인이로형여남]|$)|[ -]?years?[ -]old\b)"
    r"|(?P<months>개월|달(?!러)|-?months?\b)|(?P<years>년(?!도)|-?years?\b)|(?P<year>년도)|(?P<month>월(?!\s?\d))|"
    r"(?P<days>일(?!반|정|시납|부|치|상|괄|단)|영업일|(?:business )?days?\b)"
    r"|(?P<decade>대(?=[^가-힣]|[의는은가이를에부까중초후남여]|$))|(?P<times>회|번|차(?!이)|times\b)|"
    r"(?P<pages>페이지|쪽)|(?P<rank>위|등급|급|호|"
    r"점)|(?P<clock>시간|시|분|주(?!택|의|요|계))|(?P<count>개|명|건|배|가지|곳|종|장|세트|구좌|인|자리|줄))"
)
_RANGE = re.compile(rf"\s?[~∼〜–-]\s?(?={_NUM})|\s?[,·/]\s?(?={_NUM})|\s?(?:에서|부터)\s?(?={_NUM})")
_WORD_MONEY = re.compile(
    r"[일이삼사오육칠팔구십백천만억](?<![가-힣0-9,.].)[일이삼사오육칠팔구십백천만억]{0,11}(?:\s[일이삼사오육칠팔구십백천만]{1,8})?\s?원(?![가-힣]*칙)"
)
_WORD_AGE = re.compile(
    r"(?:열|스물|서른|마흔|쉰|예순|일흔|여든|아흔)\s?(?:한|두|세|네|다섯|여섯|일곱|여덟|아홉|하나|둘|셋|"
    r"넷)?\s?(?:살|세)?"
)
_FEW = re.compile(
    r"(?<![가-힣])(한|두|세|석|네|넉|다섯|여섯|일곱|여덟|아홉|열)\s?(?=개|명|번|년|달|살|가지|회|건|배|곳|채|"
    r"사람|군데|해|돌|시간)"
)
_SCALES = {"": 1, "십": 10, "백": 100, "천": 1000, "만": 10**4, "억": 10**8, "조": 10**12}
_BIG, _SCALED = re.compile("[만억조]"), re.compile("[만억조천]")
_DAY_BEFORE = re.compile(r"\d{4}-\d\d-\d\dT\Z")
_OF_MONTH = re.compile(r"월\s?\Z")
_START = itemgetter(0)
_APPROXIMATE = re.compile(r"(?:약|대략|대충|거의)\s?\Z")


class Figure(NamedTuple):
    """One figure: where it stands, what it measures and its value (numbers; text for codes and dates)."""

    start: int
    end: int
    text: str
    kind: FigureKind
    value: float | str
    approximate: bool = False


def figures(text: str) -> list[Figure]:
    """The figures of `text` in reading order. List marks, citation marks [1] and ordinals are left out."""
    found: list[Figure] = []
    covered: set[int] = set()
    for match in _SKIPPED.finditer(text):
        covered.update(range(*match.span()))
    for figure in (*_fixed_forms(text), *_words(text)):
        if covered.isdisjoint(range(figure.start, figure.end)):
            found.append(figure)
            covered.update(range(figure.start, figure.end))
    waiting: list[re.Match[str]] = []
    for match in _AMOUNT.finditer(text):
        start = match.start()
        if not covered.isdisjoint(range(start, match.end())) or _inside_word(text, match):
            waiting.clear()
            continue
        kind, end = _kind(text, match)
        if kind == "number" and _RANGE.match(text, match.end()):
            waiting.append(match)
            continue
        # In a range (20~65세) the unit stands behind the last number alone.
        for earlier in waiting:
            value = _scaled(earlier, match) if kind == "money" else amount(earlier.group())
            found.append(Figure(*earlier.span(), earlier.group(), kind, value, _approximate(text, earlier.start())))
        waiting.clear()
        found.append(Figure(start, end, text[start:end], kind, amount(match.group()), _approximate(text, start)))
    return sorted(found, key=_START)


@lru_cache(maxsize=8192)  # tool results mostly repeat the catalogue's own sentences
def remembered_figures(text: str) -> tuple[Figure, ...]:
    """The same as `figures`, kept for the next turn that is given this text."""
    return tuple(figures(text))


@lru_cache(maxsize=512)  # an answer is judged once and then stands behind the next ones of its talk
def said_figures(text: str) -> tuple[Figure, ...]:
    """The same of what was said."""
    return tuple(figures(text))


def amount(text: str) -> float:
    """3,000만 → 30000000, 1억 5천만 → 150000000, 12.5 → 12.5."""
    plain = text.replace(",", "")
    if plain.isdecimal():
        return float(plain)
    total = section = 0.0
    for number, small, big in _PART.findall(text):
        section += float(number.replace(",", "")) * _SCALES[small]
        if big:
            total += section * _SCALES[big]
            section = 0.0
    return round(total + section, 6)


@lru_cache(maxsize=512)
def said_words(text: str) -> tuple[float, ...]:
    """Values of numbers spelled in Korean (마흔다섯, 삼천만): generous, for what a person wrote."""
    return tuple(_number_words(text))


def _number_words(text: str) -> Iterator[float]:
    for match in re.finditer(
        r"(?:열|스물|스무|서른|마흔|쉰|예순|일흔|여든|아흔)\s?(?:하나|한|둘|두|셋|세|넷|네|다섯|여섯|일곱|여덟|아홉)?",
        text,
    ):
        native = parse_native(match.group())
        if native is not None:
            yield float(native)
    for match in re.finditer(r"[일이삼사오육칠팔구십백천만억]{2,14}", text):
        quantity = quantity_at(match.group(), 0)
        if quantity is not None:
            yield float(quantity.value)
    for match in _FEW.finditer(text):
        few = parse_native(match.group(1))
        if few is not None:
            yield float(few)
    if "반년" in text:
        yield 6.0


def _fixed_forms(text: str) -> Iterator[Figure]:
    """Dates, numbers, codes and clauses; each form is looked for only where the letters it needs occur at all."""
    for match in _DATE.finditer(text) if "19" in text or "20" in text else ():
        month, day = match["m"] or match["m2"] or match["m3"], match["d"] or match["d2"]
        value = f"{match['y']}-{int(month):02d}" + (f"-{int(day):02d}" if day else "")
        yield Figure(match.start(), match.end(), match.group(), "date", value)
    for match in _MONTH_DAY.finditer(text) if "월" in text else ():
        yield Figure(
            match.start(), match.end(), match.group(), "month_day", f"{int(match['m']):02d}-{int(match['d']):02d}"
        )
    for pattern, kind in _FORMS:
        for match in pattern.finditer(text):
            yield Figure(match.start(), match.end(), match.group(), kind, "".join(match.group().split()))


def _words(text: str) -> Iterator[Figure]:
    for match in _WORD_MONEY.finditer(text) if "원" in text else ():
        quantity = quantity_at(match.group(), 0)
        if quantity is not None and quantity.unit_chars:
            yield Figure(match.start(), match.end(), match.group(), "money", float(quantity.value))
    for match in _WORD_AGE.finditer(text) if "살" in text or "세" in text else ():
        word = match.group().rstrip("살세 ")
        if match.group()[-1] in "살세" and (value := parse_native(word)) is not None:
            yield Figure(match.start(), match.end(), match.group(), "age", float(value))


def _inside_word(text: str, match: re.Match[str]) -> bool:
    """Digits glued behind a letter (채우는335, v2, TOP3) belong to a name."""
    before = text[match.start() - 1 : match.start()]
    if "가" <= before <= "힣":
        return _glued_name(text, match)
    if before == "T" and _DAY_BEFORE.search(text, max(0, match.start() - 12), match.start()):
        return False  # 2026-08-01T09:30
    return before.isascii() and (before.isalpha() or before == "_")


def _glued_name(text: str, match: re.Match[str]) -> bool:
    after = text[match.end() : match.end() + 1]
    named = match.end() - match.start() >= 2 and not ("가" <= after <= "힣" or after in ("%", ","))
    return named and not _UNIT.match(text, match.end())


def _kind(text: str, match: re.Match[str]) -> tuple[FigureKind, int]:
    unit = _UNIT.match(text, match.end())
    if unit is None:
        return ("money" if _BIG.search(match.group()) else "number"), match.end()
    kind = str(unit.lastgroup)
    if kind == "years" and "." not in match.group() and 1900 <= amount(match.group()) <= 2100:
        kind = "year"
    if kind == "days" and _OF_MONTH.search(text, max(0, match.start() - 2), match.start()):
        kind = "number"
    return kind, unit.end()  # type: ignore[return-value]


def _approximate(text: str, place: int) -> bool:
    return _APPROXIMATE.search(text, max(0, place - 4), place) is not None


def _scaled(member: re.Match[str], last: re.Match[str]) -> float:
    """The first end of a money range may leave its scale to the last (3~5만원)."""
    value = amount(member.group())
    if not _SCALED.search(member.group()):
        part = _PART.search(last.group())
        if part and value < 10**4:
            value *= _SCALES[part.group(2)] * _SCALES[part.group(3)]
    return value
