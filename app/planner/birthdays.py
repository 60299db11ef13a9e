"""Ages from what is known of a birth: the arguments of a person, and questions about 보험나이 that need no tool."""

from __future__ import annotations

from datetime import date
from typing import Any

from app.errors import BadRequest
from app.insurance.entry_age import Birth, EntryAge, entry_age
from app.language.mentions import BirthMention, Entities
from app.messages import worded
from app.planner.facts import Facts, PersonFacts
from app.planner.words import PlannerWords

_MID_YEAR = 7


def birth_facts(birth: BirthMention | None) -> dict[str, Any]:
    """The facts of a person whose birth was told; those of whom none is known any more."""
    if birth is None:
        return dict.fromkeys(("birth_year", "birth_month", "birth_date"))
    month = None if birth.birth_date else birth.month
    return {"birth_year": birth.year, "birth_month": month, "birth_date": birth.birth_date}


def birth_of(person: Facts | PersonFacts) -> Birth | None:
    """The day or the month that a person was born; None where at most the year is known."""
    if person.birth_date is not None:
        return Birth(person.birth_date.year, person.birth_date.month, person.birth_date.day)
    if person.birth_year is not None and person.birth_month is not None:
        return Birth(person.birth_year, person.birth_month)
    return None


def age_of(person: Facts | PersonFacts, today: date) -> int | None:
    """만 나이 (세): the one said, or what the birth tells. Of a mere year of birth, the age that more birthdays of the
    year agree with. None where nothing is known, or the birth cannot be."""
    if person.age is not None:
        return person.age
    if birth := birth_of(person):
        try:
            return birth.full_ages(today)[0]
        except BadRequest:
            return None  # the tool says why
    if person.birth_year is not None:
        return today.year - person.birth_year - (1 if today.month < _MID_YEAR else 0)
    return None


def entry_age_of(person: Facts | PersonFacts, today: date) -> EntryAge | None:
    """The age that tables are read by; None as `age_of`."""
    age, birth = age_of(person, today), birth_of(person)
    return entry_age(person.age, str(birth), today) if birth and age is not None else entry_age(age, None, today)


def persons_own(person: PersonFacts, today: date) -> dict[str, Any]:
    """The arguments of tools that are a person's own, as far as they are known."""
    birth = birth_of(person)
    own = {
        "age": age_of(person, today),
        "birth_date": str(birth) if birth else None,
        "gender": person.gender,
        "history": person.history,
        "job": person.job,
    }
    return {name: value for name, value in own.items() if value is not None}


def is_age_of(years: int, person: Facts | PersonFacts | None, today: date) -> bool:
    """Whether somebody whose birth is known is so old, by either way of counting."""
    if person is None or (birth := birth_of(person)) is None:
        return False
    try:
        return years in (*birth.full_ages(today), *birth.insurance_ages(today))
    except BadRequest:
        return False


def insurance_age_told(
    words: PlannerWords, asked: str, entities: Entities, facts: Facts, today: date, *, why: bool = False
) -> str | None:
    """The answer to '보험나이로 몇 살이에요' once the birthday is known, and to a question `why` that names an age of
    whoever was born then (만으로 65세 맞는데 왜요); None for any other question."""
    named = [m.age for m in entities.ages if m.kind == "age" and not m.negated]
    if not words.birthdays.asked.search(asked) and not (why and any(is_age_of(age, facts, today) for age in named)):
        return None
    said = next((birth_of(Facts(**birth_facts(m))) for m in entities.births if not m.negated and m.month), None)
    birth = birth_of(facts) or said
    if birth is None:
        return None
    try:
        full, ages = birth.full_ages(today), birth.insurance_ages(today)
    except BadRequest as error:
        return str(error)
    counted = worded("birthdays.aged", younger=ages[0])
    if len(ages) > 1:
        counted = worded("birthdays.aged_either", younger=ages[0], older=ages[-1])
    rule = worded("birthdays.rule")
    if len(full) == 1:
        return worded("birthdays.insurance_age", born=birth.words, age=full[0], told=counted, rule=rule)
    return worded("birthdays.month", born=birth.words, told=counted, rule=rule)


def namesake_of_age(entities: Entities, facts: Facts, today: date) -> str | None:
    """The one of the customers of one name just shown whose age or birth is told."""
    said = {m.age for m in entities.ages if m.kind == "age"}
    said |= {today.year - m.year - passed for m in entities.births for passed in (0, 1)}
    of_age = [i for i, age in zip(facts.shown_customers, facts.shown_ages, strict=False) if age in said]
    return of_age[0] if len(of_age) == 1 else None
