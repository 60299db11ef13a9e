"""보험나이 from a birthday that was said: pure reckoning, no tool."""

from __future__ import annotations

from datetime import date

from app.insurance.ages import full_age, insurance_age
from app.language.mentions import Entities
from app.messages import worded
from app.planner.facts import Facts
from app.planner.words import PlannerWords

_MONTHS = 12


def insurance_age_told(words: PlannerWords, asked: str, entities: Entities, facts: Facts, today: date) -> str | None:
    """The answer to '보험나이로 몇 살이에요' once the birthday is known; None for any other question."""
    if not words.birthdays.asked.search(asked):
        return None
    births = [m for m in entities.births if not m.negated]
    whole = facts.birth_date or next((m.birth_date for m in births if m.birth_date), None)
    if whole is not None:
        return worded(
            "birthdays.insurance_age",
            year=whole.year,
            month=whole.month,
            day=whole.day,
            age=full_age(whole, today),
            told=insurance_age(whole, today),
            rule=_RULE,
        )
    month = next(((m.year, m.month) for m in births if m.month), None)
    if month is None:
        return None
    year, of = month
    last = (date(year + of // _MONTHS, of % _MONTHS + 1, 1)).toordinal() - 1
    ages = sorted({insurance_age(day, today) for day in (date(year, of, 1), date.fromordinal(last))})
    told = (
        worded("birthdays.aged", age=ages[0])
        if len(ages) == 1
        else worded("birthdays.aged_either", younger=ages[0], older=ages[1])
    )
    return worded("birthdays.month", year=year, of=of, told=told, rule=_RULE)


_RULE = worded("birthdays.rule")
