"""Dates and lengths of time: 2025년 8월 1일, 작년 3월, 어제, 지난달 10일, 2024-03-15; 3년째, 두 달, 열흘, 20년 뒤.

Relative words count from `today`. A month without a year is the latest one not after today. A date is whole or it is no
`value`: '작년 3월' gives year and month only, so nobody computes with an invented day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, timedelta

from app.language.mentions import DateMention, DateRole, DurationMention, DurationRole
from app.language.numbers import NATIVE_PATTERN, format_sino, parse_number

_WORD_YEARS = {"재작년": -2, "지지난해": -2, "작년": -1, "지난해": -1, "올해": 0, "금년": 0, "올 ": 0, "내년": 1}
_WORD_MONTHS = {
    "지지난달": -2,
    "지지난 달": -2,
    "저번달": -1,
    "저번 달": -1,
    "지난달": -1,
    "지난 달": -1,
    "이번달": 0,
    "이번 달": 0,
    "이달": 0,
}
_WORD_DAYS = {
    "그끄저께": -3,
    "그저께": -2,
    "그제": -2,
    "엊그제": -2,
    "어저께": -1,
    "어제": -1,
    "오늘": 0,
    "내일": 1,
    "모레": 2,
}
_WEEKDAYS = "월화수목금토일"
_NUMERIC = re.compile(
    r"(?<![\d.-])(?P<y>(?:19|20)\d{2})\s?[.\-/]\s?(?P<m>\d{1,2})\s?[.\-/]\s?(?P<d>\d{1,2})(?!\d)"
    r"|(?<![\d-])(?P<c>20\d{6})(?![\d-])"
    # 23.8.29: two digits of a year, where month and day are such.
    r"|(?<![\d.\-/])'?(?P<yy>[0-3]\d)\.\s?(?P<mm>1[0-2]|0?[1-9])\.\s?(?P<dd>3[01]|[12]\d|0?[1-9])(?!\d|\.\d)"
)
_YEAR = r"(?P<y>(?:(?:19|20)\d{2}|\d{2}(?!\d)))\s?년"
_WORD_YEAR = r"(?P<wy>재작년|지지난해|작년|지난해|올해|금년|내년)"
_MONTH = r"(?P<m>1[0-2]|0?[1-9]|(?:십[일이]?|[일이삼사오칠팔구]|유|시|육))\s?월(?!납|급|보|에\s?얼마|요일|세)"
_DAY = r"(?P<d>3[01]|[12]\d|0?[1-9]|(?:[이삼]?십)?[일이삼사오육칠팔구]?)\s?일(?!반|당|시납|년|하)"
_WRITTEN = re.compile(rf"(?<![\d가-힣])(?:(?:{_YEAR}|{_WORD_YEAR})\s?)?{_MONTH}(?:\s?{_DAY})?")
_YEAR_ONLY = re.compile(rf"(?<![\d가-힣])(?:(?P<y>(?:19|20)\d{{2}})\s?년(?!\s?생|생)|{_WORD_YEAR})")
_WORD_MONTH = re.compile(rf"(?P<wm>{'|'.join(_WORD_MONTHS)})(?:\s?{_DAY})?")
_WORD_DAY = re.compile(rf"(?<![가-힣])(?P<wd>{'|'.join(_WORD_DAYS)})(?!까지의)")
_WEEK = re.compile(r"(?P<week>지지난\s?주|지난\s?주|저번\s?주|이번\s?주)(?:\s?(?P<day>[월화수목금토일])요일)?")
_EVENT = re.compile(
    r"진단|수술|입원|사고|다쳤|다쳐|치료|넘어|골절|받았|걸렸|발병|돌아가|퇴원|때[웠우운]|뽑|발견|아팠|확진|씌[웠우운]"
    r"|임플란트|크라운|레진|심[었은]|판정|암(?:이래|이라|으로|에\s?걸)|통원|사망|부러|쓰러|조직\s?검사"
)
_CONTRACT = re.compile(
    r"가입|(?<!라고 )(?<!다고 )(?<!고 )(?<!말을 )(?<!소식을 )들었|든\s|든게"
    r"|들어|들고(?!\s?있)|드셨|계약|개시|시작|청약|체결|산\s|넣었"
)
_CLAUSE_ENDS = re.compile(r"고|는데|지만|,|어서|아서|해서|다가|\s$")
_LAPSE = re.compile(r"실효|효력|연체|미납|못\s?내|못\s?냈|안\s?냈|밀렸|밀린|끊겼|끊긴|끊어|정지|죽어\s?(?:있|버)")
# 가입, 2026년 …: a stroke between a word and a date parts them.
_CUT = re.compile(r"[,.;·/\n]|에|고")
# … 이고 진단은 5월 1일: the topic in front of the next date is that date's.
_OF_NEXT = re.compile(
    r"(?:일|일자|받은\s?(?:건|게|날)|한\s?(?:건|게|날))?(?:은|는|:)\s?$|받은\s?(?:건|게)\s$|한\s?(?:건|게)\s$"
)

_SPECIAL_DAYS = {
    "하루": 1,
    "이틀": 2,
    "사흘": 3,
    "나흘": 4,
    "닷새": 5,
    "엿새": 6,
    "이레": 7,
    "일주일": 7,
    "열흘": 10,
    "보름": 15,
    "스무날": 20,
}
# 반년, 석 달, 넉 달
_COUNTED = {"반": 0.5, "석": 3, "넉": 4}
_SINO_YEARS = r"(?:[일이삼사오육칠팔구]?십[일이삼사오육칠팔구]?|[일이삼사오육칠팔구])"
_DURATION = re.compile(
    rf"(?<![\d.,])(?P<n>\d{{1,3}}|(?<![가-힣])(?:{NATIVE_PATTERN}|{_SINO_YEARS}|반|석|넉))\s?(?P<unit>년|해|개월|게월|달"
    rf"|주일|주(?!택|담|부|요|장|민|치|세|계|말)|일(?!당|반|시납|부터|곱|세))"
    r"(?!생|도|월|납입면)(?:(?<=[년해])\s?(?P<half>반)(?![만드액값씩반]))?"
)
_SPECIAL = re.compile(rf"(?<![가-힣])(?P<w>{'|'.join(_SPECIAL_DAYS)})")
_PAID = re.compile(
    r"^\s?(?:째|동안|간|치|쯤|정도|넘게|이나|을|를)?\s?(?:꼬박|쭉|계속|넘게)?\s?(?:넣|냈|내고|내온|납입했"
    r"|납입하|납입한|부었|붓|부은|부음|불입|납입(?=$|[\s,.!?])|낸\s|내면|내다|내던|내니)"
)
_ROLES: tuple[tuple[DurationRole, re.Pattern[str]], ...] = (
    ("term", re.compile(r"^\s?(?:납(?!입)|만기|갱신|짜리|단위)")),
    ("paid", _PAID),
    ("paid", re.compile(r"^\s?차에?\s?(?:해지|해약|깨)")),
    ("ago", re.compile(r"^\s?(?:쯤|정도)?\s?(?:전|됐|된|되었|지났|지나|넘었|만에)")),
    ("within", re.compile(r"^\s?(?:이내|안|내(?!다|고|면|니|던|ㄹ|서))")),
    ("horizon", re.compile(r"^\s?(?:뒤|후|간의?\s?추이|추이|동안)")),
    ("paid", re.compile(r"^\s?째")),
)


def find_dates(text: str, today: date, taken: Iterable[tuple[int, int]] = ()) -> list[DateMention]:
    """Dates in order, outside the spans of `taken`, each with the role its clause gives it."""
    busy = bytearray(len(text) + 1)
    for start, end in taken:
        busy[start:end] = b"\1" * (end - start)
    found: list[tuple[int, int, date | None, int | None, int | None]] = []

    def add(start: int, end: int, year: int | None, month: int | None, day: int | None) -> None:
        if any(busy[start:end]):
            return
        value = _whole(year, month, day)
        if day is not None and value is None:
            return
        busy[start:end] = b"\1" * (end - start)
        found.append((start, end, value, year, month))

    for match in _NUMERIC.finditer(text):
        compact = match["c"]
        parts = (compact[:4], compact[4:6], compact[6:]) if compact else (match["y"], match["m"], match["d"])
        if match["yy"]:
            parts = (f"20{match['yy']}", match["mm"], match["dd"])
        add(*match.span(), *map(int, parts))
    for match in _WRITTEN.finditer(text):
        month = _number({"유": "육", "시": "십"}.get(match["m"], match["m"]))
        if month is not None and 1 <= month <= 12:
            day = _number(match["d"]) if match["d"] else None
            add(*match.span(), _year_of(match, today, month, day), month, day)
    for match in _WORD_MONTH.finditer(text):
        index = today.year * 12 + today.month - 1 + _WORD_MONTHS[match["wm"]]
        add(*match.span(), index // 12, index % 12 + 1, _number(match["d"]) if match["d"] else None)
    for match in _WORD_DAY.finditer(text):
        day_ = today + timedelta(days=_WORD_DAYS[match["wd"]])
        add(*match.span(), day_.year, day_.month, day_.day)
    for match in _WEEK.finditer(text):
        if match["day"]:
            weeks = {"지지": 2, "이번": 0}.get(match["week"][:2], 1)
            monday = today - timedelta(days=today.weekday() + 7 * weeks)
            that = monday + timedelta(days=_WEEKDAYS.index(match["day"]))
            add(*match.span(), that.year, that.month, that.day)
    for match in _YEAR_ONLY.finditer(text):
        add(*match.span(), _year_of(match, today, None, None), None, None)
    found.sort(key=lambda item: item[0])
    stops = [*(item[0] for item in found[1:]), len(text)]
    mentions: list[DateMention] = []
    begin = 0
    for (start, end, value, year, month), stop in zip(found, stops, strict=False):
        role, begin = _role(text, start, end, begin, stop)
        sure = 1.0 if value else 0.7
        mentions.append(DateMention(start, end, text[start:end], sure, False, value, year, month, role))
    return mentions


def _number(word: str | None) -> int | None:
    return parse_number(word) if word else None


def _whole(year: int | None, month: int | None, day: int | None) -> date | None:
    if year is None or month is None or day is None:
        return None
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _year_of(match: re.Match[str], today: date, month: int | None, day: int | None) -> int | None:
    groups = match.groupdict()
    if groups.get("y"):
        year = int(groups["y"])
        return year if year >= 100 else 2000 + year if 2000 + year <= today.year + 1 else 1900 + year
    if groups.get("wy"):
        return today.year + _WORD_YEARS[groups["wy"]]
    if month is None or day is None:
        return None
    try:
        this_year = date(today.year, month, day)
    except ValueError:
        return today.year
    return today.year if this_year <= today else today.year - 1


# 계약일은 3월 2일: two syllables and a blank.
_NEXT_TO = 3


def _role(text: str, start: int, end: int, begin: int, stop: int) -> tuple[DateRole, int]:
    """The role by the nearest telling word between this date and the next, and where the words of this date end;
    without one it is the word in front, unless that word already tells of the date before ('3월에 가입했고 5월 2일에
    임플란트')."""
    before = text[max(begin, start - 40) : start]
    told = [(found.end(), role) for role, pattern in _DATE_ROLES for found in pattern.finditer(before)]
    place, named = max(told, default=(0, "date"))
    if told and len(before) - place <= _NEXT_TO and not _CUT.search(before[place:]):
        return named, end  # 계약일 2026년 3월 2일이고 치료는 …: the word right before it names it
    after = text[end:stop]
    hits = [
        (found.start(), role, found.end())
        for role, pattern in _DATE_ROLES
        if (found := pattern.search(after)) and not (stop < len(text) and _OF_NEXT.match(after[found.end() :]))
    ]
    if hits:
        _, role, last = min(hits)
        return role, end + last
    # '가입했고 5월 2일': the clause of the word ends before this date, and it had a date of its own.
    return ("date" if begin and _CLAUSE_ENDS.search(before[place:]) else named), end


_DATE_ROLES: tuple[tuple[DateRole, re.Pattern[str]], ...] = (
    ("lapse", _LAPSE),
    ("event", _EVENT),
    ("contract", _CONTRACT),
)


def find_durations(text: str, taken: Iterable[tuple[int, int]] = ()) -> list[DurationMention]:
    """Lengths of time in order, outside the spans of `taken`. '한 달에 얼마' is a rate, not a length, and is left
    out."""
    busy = bytearray(len(text) + 1)
    for start, end in taken:
        busy[start:end] = b"\1" * (end - start)
    found: list[DurationMention] = []
    for match in _DURATION.finditer(text):
        if any(busy[match.start() : match.end()]):
            continue
        word, unit = match["n"], match["unit"]
        count = _COUNTED.get(word) or parse_number(word)
        if count is None or _is_rate(text, match):
            continue
        found.append(_duration(text, match.start(), match.end(), count + (0.5 if match["half"] else 0.0), unit))
    for match in _SPECIAL.finditer(text):
        if not any(busy[match.start() : match.end()]) and not any(m.start <= match.start() < m.end for m in found):
            role = _duration_role(text, match.start(), match.end())
            found.append(
                DurationMention(match.start(), match.end(), match["w"], 1.0, False, 0, _SPECIAL_DAYS[match["w"]], role)
            )
    return sorted(found, key=lambda mention: mention.start)


def _is_rate(text: str, match: re.Match[str]) -> bool:
    """한 달에, 일 년에 몇 개: how often, not how long."""
    one = match["n"] in ("한", "일", "1", "하나")
    return (
        one
        and match["unit"] in ("달", "년", "해", "개월")
        and bool(re.match(r"에(?!는\s?넣)|치|\s?(?:얼마|보험료)", text[match.end() : match.end() + 5]))
    )


def _duration(text: str, start: int, end: int, count: float, unit: str) -> DurationMention:
    role = _duration_role(text, start, end)
    months, days = 0, 0
    if unit in ("년", "해"):
        months = round(count * 12)
    elif unit in ("개월", "게월", "달"):
        months = int(count)
    else:
        days = int(count) * (7 if unit.startswith("주") else 1)
    return DurationMention(start, end, text[start:end], 1.0, False, months, days, role)


def _duration_role(text: str, start: int, end: int) -> DurationRole:
    after = text[end : end + 14]
    for role, pattern in _ROLES:
        if pattern.search(after):
            return role
    before = text[max(0, start - 10) : start]
    if re.search(r"앞으로|향후\s?$", before):
        return "horizon"
    if re.search(r"(?:납입|낸\s?지|넣은\s?지|부은\s?지)(?:\s?기간)?\s?(?:은|이|만)?\s?$", before):
        return "paid"
    return "span"


def date_forms(value: date) -> tuple[str, ...]:
    """The ways to write a date that `find_dates` reads back."""
    return (
        value.isoformat(),
        f"{value.year}년 {value.month}월 {value.day}일",
        f"{value.year}.{value.month:02d}.{value.day:02d}",
        f"{value.year}/{value.month}/{value.day}",
        f"{value.year:04d}{value.month:02d}{value.day:02d}",
    )


def duration_forms(months: int) -> tuple[str, ...]:
    """The ways to say a length of whole months (1-599) that `find_durations` reads back."""
    forms = [f"{months}개월", f"{months} 개월"]
    if months % 12 == 0:
        forms += [f"{months // 12}년", f"{format_sino(months // 12)} 년"]
    return tuple(forms)
