"""The words by which the planner reads of whom a message tells, and what: their files in data/language/planner."""

from __future__ import annotations

from app.insurance.models import Gender
from app.word_files import Pattern, WordList, Words, WordSet


class KinWords(Words):
    """kin.yaml: each word is explained beside it."""

    same_person: dict[str, WordList]
    spouse: str
    of_a_couple: dict[str, str]
    son_or_daughter: dict[str, str]
    relative_of: dict[str, Gender]
    parents: str
    of_parents: dict[Gender, str]
    of_two: dict[str, tuple[str, str]]
    siblings: WordSet
    children: WordSet
    less_told: dict[str, str]
    that_person: WordSet
    young: WordSet
    old: WordSet
    joined: Pattern
    in_a_row: Pattern
    counted: Pattern
    compared: Pattern
    errand: Pattern
    errand_word: Pattern
    dead: Pattern
    for_the_speaker: Pattern
    question: Pattern
    womens: Pattern
    expecting: Pattern
    mens: Pattern


class PersonsWords(Words):
    """persons.yaml: each word is explained beside it."""

    at_age: Pattern
    two_people: Pattern
    all: Pattern
    sum: Pattern
    couple: Pattern
    the_other: Pattern
    next_customer: Pattern


class HealthWords(Words):
    """health.yaml: each word is explained beside it."""

    event: Pattern
    payment: Pattern
    underwriting: Pattern
    job_ellipsis: Pattern
    undergone: Pattern
    judged: Pattern
    past_treatment: Pattern
    healthy: Pattern


class OccupationsWords(Words):
    """occupations.yaml: each word is explained beside it."""

    said_to_be: Pattern
    drives: Pattern
    turns_into: Pattern
    works: Pattern
    no_place: Pattern
    about_work: Pattern
    beside_work: Pattern
    no_jobs: WordSet
    job_alone: Pattern
    left: Pattern
    anothers: Pattern
    own_work: Pattern
    not_driven: WordSet


class HistoriesWords(Words):
    """histories.yaml: each word is explained beside it."""

    something: Pattern
    lead_in: Pattern
    untold: Pattern
    found: Pattern
    adds: Pattern
    check_up: Pattern


class ContractDatesWords(Words):
    """contract_dates.yaml: each word is explained beside it."""

    joined: Pattern
    passed: Pattern
    restored: Pattern
    year_said: Pattern


class GroupWords(Words):
    """group.yaml: each word is explained beside it."""

    counted: Pattern
    of_things_too: WordSet
    together: Pattern


class BirthdaysWords(Words):
    """birthdays.yaml: each word is explained beside it."""

    asked: Pattern


class OwnersWords(Words):
    """owners.yaml: each word is explained beside it."""

    of_everybody: Pattern
