"""보험나이 from a birthday that was said: pure reckoning, no tool."""

from __future__ import annotations

import re
from datetime import date

from app.insurance.ages import full_age, insurance_age
from app.language.mentions import Entities
from app.planner.facts import Facts

_ASKED = re.compile(
    r"보험\s?(?:나이|연령).{0,12}(?:몇|계산|알려|뭐|얼마|되|돼|맞)|(?:몇\s?(?:살|세)).{0,10}보험\s?나이"
)
_MONTHS = 12


def insurance_age_told(asked: str, entities: Entities, facts: Facts, today: date) -> str | None:
    """The answer to '보험나이로 몇 살이에요' once the birthday is known; None for any other question."""
    if not _ASKED.search(asked):
        return None
    births = [m for m in entities.births if not m.negated]
    whole = facts.birth_date or next((m.birth_date for m in births if m.birth_date), None)
    if whole is not None:
        return (
            f"{whole.year}년 {whole.month}월 {whole.day}일생이면 오늘 기준 만 {full_age(whole, today)}세, "
            f"보험나이는 {insurance_age(whole, today)}세예요.\n{_RULE}"
        )
    month = next(((m.year, m.month) for m in births if m.month), None)
    if month is None:
        return None
    year, of = month
    last = (date(year + of // _MONTHS, of % _MONTHS + 1, 1)).toordinal() - 1
    ages = sorted({insurance_age(day, today) for day in (date(year, of, 1), date.fromordinal(last))})
    told = f"{ages[0]}세" if len(ages) == 1 else f"태어난 날에 따라 {ages[0]}세 또는 {ages[1]}세"
    return f"{year}년 {of}월생이면 오늘 기준 보험나이는 {told}예요.\n{_RULE}"


_RULE = (
    "보험나이는 만 나이에서 6개월이 안 지났으면 그대로, 6개월이 지났으면 한 살을 더해 계산하고, "
    "보험료는 이 나이를 기준으로 해요. (근거: 약관 보험나이 조항)"
)
