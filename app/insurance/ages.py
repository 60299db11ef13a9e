"""The two Korean ages: 만 나이 (what a person says) and 보험나이 (what premium tables are by).

보험나이 rests on the standard policy conditions, 생명보험 표준약관 제22조(보험나이 등): the full age on the contract
date, where less than six further months are dropped and six months or more count as one year; afterwards it rises on
every contract anniversary. Months and years are counted as 민법 제160조 does: where the last month has no such day, the
period ends with that month, so somebody born on 31 August is six months older on 1 March, and somebody born on
29 February a year older on 1 March.
"""

from __future__ import annotations

from datetime import date

from app.errors import BadRequest


def full_age(birth: date, on: date) -> int:
    """만 나이 (세) on the day `on`; the birthday itself counts (민법 제158조).

    Raises BadRequest when `on` lies before `birth`.
    """
    return _full_months(birth, on) // 12


def insurance_age(birth: date, on: date) -> int:
    """보험나이 (세) of a contract made on `on`: 만 나이, plus one from six months after the birthday on.

    Born 1988-10-02, contract 2014-04-13: 25 years 6 months -> 26. Raises BadRequest when `on` lies before `birth`.
    """
    years, months = divmod(_full_months(birth, on), 12)
    return years + (months >= 6)


def years_before(on: date, years: int) -> date:
    """The same day so many years earlier; of 29 February, the 28th where that year has none."""
    try:
        return on.replace(year=on.year - years)
    except ValueError:
        return on.replace(year=on.year - years, day=28)


def _full_months(start: date, end: date) -> int:
    if end < start:
        order = f"{start.isoformat()} 다음에 {end.isoformat()}"
        raise BadRequest(f"날짜의 앞뒤가 바뀌었습니다({order}). 생년월일과 기준일을 확인해 주세요.")
    return (end.year - start.year) * 12 + end.month - start.month - (end.day < start.day)
