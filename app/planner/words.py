"""The words by which the planner reads what is wanted, of whom and of which product: data/language/planner/*.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_type_hints

from app.word_files import Pattern, WordFiles, WordList, Words, WordSet

_FOLDER = "planner"


class KinWords(Words):
    """kin.yaml: each word is explained beside it."""

    same_person: dict[str, WordList]
    spouse: str
    of_a_couple: dict[str, str]
    son_or_daughter: dict[str, str]
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
    the_other: Pattern
    next_customer: Pattern


class FocusWords(Words):
    """focus.yaml: each word is explained beside it."""

    together: Pattern
    swap: Pattern
    listing: Pattern
    all: Pattern
    total: Pattern
    people: Pattern
    with_another: Pattern
    things: Pattern
    pointed: Pattern
    listed: Pattern
    rider: Pattern
    new: Pattern
    no_waiting: Pattern
    chosen: Pattern
    cheap_rank: Pattern
    own_contract: Pattern
    holds: Pattern
    looked_for: Pattern


class ReadingWords(Words):
    """reading.yaml: each word is explained beside it."""

    hypothetical: Pattern
    search: Pattern
    terse: Pattern
    goal: Pattern
    more: Pattern
    own_matter: Pattern
    also: Pattern
    name_told: Pattern
    amount_told: Pattern
    spelt_told: Pattern


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


class CoversWords(Words):
    """covers.yaml: each word is explained beside it."""

    how_often: WordSet
    called_rider: Pattern
    treatments: WordSet
    illnesses: WordSet
    claimed: WordSet
    said_as: tuple[tuple[Pattern, str], ...]
    noun: Pattern
    dying: Pattern
    led_to: Pattern
    dead: str
    any_dental: WordSet
    vague_event: Pattern
    untold: Pattern
    stage: Pattern
    rated: Pattern
    stage_of_cdr: dict[int, str]
    grade: Pattern
    operation_class: Pattern
    scale: Pattern
    also_done: Pattern
    classes_of_cancer: WordSet
    fall_together: Pattern
    any_script: WordSet
    script_subject: Pattern
    faq: Pattern
    death: Pattern
    goal_said: Pattern


class ArgumentsWords(Words):
    """arguments.yaml: each word is explained beside it."""

    despite: Pattern
    personal_data: Pattern
    something_done: Pattern
    look_up: Pattern
    this_one: Pattern
    widened: Pattern
    last_count: Pattern
    others: Pattern
    thousands: Pattern
    bare_revision: Pattern
    code_withheld: Pattern
    another_code: Pattern


class ChangesWords(Words):
    """changes.yaml: each word is explained beside it."""

    submit: Pattern
    farewell: Pattern
    registers: Pattern
    orders: Pattern
    change_it: Pattern
    how: Pattern
    place: Pattern
    part_of_address: Pattern
    to_whom: Pattern
    whose: Pattern
    go_ahead_words: Pattern
    raised: Pattern
    as_it_is: Pattern
    to: Pattern
    beneficiary_name: Pattern
    calls_off: Pattern
    save: Pattern
    not_saved: Pattern
    with_details: WordSet


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


class SubjectsWords(Words):
    """subjects.yaml: each word is explained beside it."""

    asked: dict[str, Pattern]
    word: Pattern
    tells: dict[str, Pattern]
    whole: Pattern
    no_disease: Pattern
    unnamed: Pattern
    endings: Pattern
    particles: Pattern


class ViewWords(Words):
    """view.yaml: each word is explained beside it."""

    request: Pattern
    asking: Pattern


class ContractDatesWords(Words):
    """contract_dates.yaml: each word is explained beside it."""

    joined: Pattern
    passed: Pattern
    restored: Pattern
    year_said: Pattern


class AskingWords(Words):
    """asking.yaml: each word is explained beside it."""

    why_asked: Pattern
    list_wanted: Pattern
    to_claim: Pattern
    points: Pattern
    earlier: Pattern
    like_another: Pattern
    price: Pattern
    wants_to_claim: Pattern
    may_join: Pattern
    a_child: Pattern
    registers: Pattern
    decided: Pattern


class GroupWords(Words):
    """group.yaml: each word is explained beside it."""

    counted: Pattern
    of_things_too: WordSet
    together: Pattern


class LeadsWords(Words):
    """leads.yaml: each word is explained beside it."""

    asks_whether: Pattern
    open: Pattern
    negative: Pattern
    per_piece: Pattern


class AspectsWords(Words):
    """aspects.yaml: each word is explained beside it."""

    aspects: tuple[tuple[Pattern, Pattern], ...]


class BirthdaysWords(Words):
    """birthdays.yaml: each word is explained beside it."""

    asked: Pattern


class CallsWords(Words):
    """calls.yaml: each word is explained beside it."""

    among_them: Pattern
    points_back: Pattern


class MoveWords(Words):
    """planner.yaml: each word is explained beside it."""

    how_much: Pattern
    of_a_product: Pattern


class ProductsMeantWords(Words):
    """products_meant.yaml: each word is explained beside it."""

    another: Pattern
    held_against: Pattern


class FanOutWords(Words):
    """fan_out.yaml: each word is explained beside it."""

    side_by_side: Pattern


class OwnersWords(Words):
    """owners.yaml: each word is explained beside it."""

    of_everybody: Pattern


@dataclass(frozen=True)
class PlannerWords:
    """The words of every module of the planner, each under the module's name."""

    kin: KinWords
    persons: PersonsWords
    focus: FocusWords
    reading: ReadingWords
    health: HealthWords
    covers: CoversWords
    arguments: ArgumentsWords
    changes: ChangesWords
    occupations: OccupationsWords
    histories: HistoriesWords
    subjects: SubjectsWords
    view: ViewWords
    contract_dates: ContractDatesWords
    asking: AskingWords
    group: GroupWords
    leads: LeadsWords
    aspects: AspectsWords
    birthdays: BirthdaysWords
    calls: CallsWords
    planner: MoveWords
    products_meant: ProductsMeantWords
    fan_out: FanOutWords
    owners: OwnersWords

    @classmethod
    def read(cls, files: WordFiles) -> PlannerWords:
        """Those of a folder of words (data/language). Raises DataFaults with the file, line and key of each fault."""
        return cls(**{name: files.read(f"{_FOLDER}/{name}", kind) for name, kind in get_type_hints(cls).items()})
