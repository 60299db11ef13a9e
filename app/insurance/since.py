"""Since when something told has been so: 3년 전, 작년에, 2024년에, 반년 사이에."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from app.insurance.numerals import NUMBER, number

_SINCE = re.compile(
    rf"(?P<last>(?:지난|최근|요|요즘)\s?)?(?:(?P<years>{NUMBER})\s?년\s?)?(?P<n>{NUMBER}|반)\s?"
    r"(?P<unit>년|해|개월|달|주일?|일)\s?(?P<half>반)?\s?(?:정도\s?|쯤\s?|넘게\s?|가까이\s?|남짓\s?)?"
    r"(?P<less>(?:이|도|은|가|도\s채|이\s채)?\s?(?:아직\s)?(?:안|못)\s?(?=[됐됬된되됨돼지넘]))?"
    r"(?P<how>전|됐|됬|된|되었|되는|(?<=[안못] )[되됨돼]|(?<=[안못])[되됨돼]|지나|지났|지난|경과|넘"
    r"|이내|안에|내에|사이|만에|째|동안|간)"
)
_YEARS = {"년": 12.0, "해": 12.0, "개월": 1.0, "달": 1.0, "주": 0.25, "주일": 0.25, "일": 1 / 30}
_HOW_LONG = frozenset({"동안", "간", "째"})
_WITHIN = frozenset({"이내", "안에", "내에", "사이"})
_IN_YEAR = re.compile(
    r"(?<!\d)(?P<year>(?:19|20)\d{2})(?:(?:\s?년(?:도)?|(?=\)))(?:\s?(?P<month>1[0-2]|[1-9])\s?월)?(?:에|쯤|경)?"
    r"|[.\-/]\s?0?(?P<dotted>1[0-2]|[1-9])(?!\d)(?!\s?[.\-/]\s?\d{1,2}\s?생)\s?월?)"
)
# 작년 5월, 올여름, 재작년 가을, 4월에: a month or a season of a year that is told, or the last one that there was.
_PART_OF_YEAR = re.compile(
    r"(?:(?<![가-힣])(?P<year>재작년|작년|지난\s?해|올해|금년|올|이번|지난|요번|저번)\s?)?"
    r"(?:(?<![\d가-힣.])(?<!\d년 )(?P<month>1[0-2]|[1-9])\s?월(?!\s?(?:\d{1,2}\s?일\s?)?생)"
    r"|(?P<part>봄|여름|가을|겨울|초(?=[에,. ])|연초))"
)
_YEARS_AGO = {"재작년": 2, "작년": 1, "지난해": 1, "올해": 0, "금년": 0, "올": 0, "이번": 0, "요번": 0}
_MIDDLE = {"봄": 4.0, "여름": 7.0, "가을": 10.0, "겨울": 1.0, "초": 1.5, "연초": 1.5}
# What a month told without its year must stand beside, to lie behind: 4월에 수술받았고, not 12월에 수술 예정.
_DONE = re.compile(r"[았었했였됐왔갔졌렸났랐]|받은|한\s")
_ABOUT = (
    (re.compile(r"재작년"), 24.0),
    (re.compile(r"(?<!재)작년|지난\s?해"), 12.0),
    (re.compile(r"올해|금년|올\s?초|(?:지난|저번|이번|요번)\s?(?:달|주)|이달|어제|그저께|엊그제|엊그저께"), 0.5),
    (re.compile(r"며칠\s?전|얼마\s?전|최근|요즘|방금|보름\s?전|지금\s?막"), 0.5),
    (re.compile(r"몇\s?달\s?전"), 4.0),
)
_NOW = re.compile(r"지금(?!\s?막|으로)|현재|아직|여전히")


@dataclass(frozen=True)
class Since:
    """A time told at a place of a text: `months` ago; None for now."""

    start: int
    end: int
    months: float | None


def times_in(text: str, today: date | None = None) -> tuple[Since, ...]:
    """The times that a text tells, in order. How long something went on (3년 동안) is none."""
    return tuple(sorted(_times(text, today), key=lambda time: time.start))


def months_since(text: str, today: date | None = None) -> float | None:
    """Months since, as told: '3년 전' → 36, '작년' → 12, '2년 이내' → a little under 24; None when no time is told."""
    return next((time.months for time in times_in(text, today) if time.months is not None), None)


def months_at(times: Sequence[Since], at: int) -> float | None:
    """Months since what is told at a place: by the last time before it, else by the first one behind. What goes on now
    (3년 전에 수술하고 지금도 치료 중) has none."""
    before = [time for time in times if time.start <= at]
    if any(time.months is not None for time in before):
        return before[-1].months
    return next((time.months for time in times if time.months is not None), None)


def time_in(text: str) -> str:
    """The words that tell since when, '' where none do."""
    said = next((text[time.start : time.end] for time in times_in(text, date.max) if time.months is not None), "")
    return f"{said}년" if said.isdigit() else said  # 유방암(2023)


def _times(text: str, today: date | None) -> Iterator[Since]:
    for match in _SINCE.finditer(text):
        if match["how"] in _HOW_LONG and not match["last"]:
            continue
        value = (0.5 if match["n"] == "반" else number(match["n"]) or 0) * _YEARS[match["unit"]]
        value += (6 if match["half"] else 0) + 12 * (number(match["years"] or "") or 0)
        within = match["how"] in _WITHIN or match["less"] or (match["last"] and match["how"] in _HOW_LONG)
        yield Since(*match.span(), value - 0.5 if within else value)
    for match in _IN_YEAR.finditer(text) if today else ():
        assert today
        month = float(match["month"] or match["dotted"] or 6.5)  # the middle of a year of which no more is told
        yield Since(*match.span(), max(0.5, (today.year - int(match["year"])) * 12 + today.month - month))
    parts = list(_parts_of_years(text, today)) if today else []
    yield from parts
    for said, months in _ABOUT:
        abouts = (Since(*match.span(), months) for match in said.finditer(text))
        yield from (about for about in abouts if not any(part.start <= about.start < part.end for part in parts))
    yield from (Since(*match.span(), None) for match in _NOW.finditer(text))


def _parts_of_years(text: str, today: date) -> Iterator[Since]:
    for match in _PART_OF_YEAR.finditer(text):
        year, part = (match["year"] or "").replace(" ", ""), match["part"]
        if (part and not year) or (not year and not _DONE.search(text, match.end())):
            continue
        month = _MIDDLE[part] if part else float(match["month"])
        ago = today.month - month
        if year in _YEARS_AGO:
            ago += 12 * _YEARS_AGO[year]
        elif ago < 0:
            ago += 12  # 지난 겨울, 10월에: the last one that there was
        if part == "겨울" and year in _YEARS_AGO and ago > 12 * _YEARS_AGO[year]:
            ago -= 11  # 작년 겨울 begins in its December
        if ago >= 0:
            yield Since(*match.span(), max(0.5, ago))
