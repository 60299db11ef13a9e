"""The words by which the planner reads what is wanted, of whom and of which product: data/language/planner/*.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_type_hints

from app.planner.person_words import (
    BirthdaysWords,
    ContractDatesWords,
    GroupWords,
    HealthWords,
    HistoriesWords,
    KinWords,
    OccupationsWords,
    OwnersWords,
    PersonsWords,
)
from app.word_files import Pattern, WordFiles, Words, WordSet

_FOLDER = "planner"


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
    renewing: Pattern
    instead: Pattern
    no_waiting: Pattern
    chosen: Pattern
    cheap_rank: Pattern
    out_of: Pattern
    own_contract: Pattern
    holds: Pattern
    looked_for: Pattern
    falls_ill: Pattern
    to_be_had: Pattern


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


class CoversWords(Words):
    """covers.yaml: each word is explained beside it."""

    how_often: WordSet
    called_rider: Pattern
    treatments: WordSet
    diagnosed: str
    then: Pattern
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
    stage_paid: Pattern
    stage_called: dict[str, str]
    stay: str
    accident: dict[str, str]
    accident_pays: dict[str, str]
    bare_illness: Pattern
    circumstance: Pattern
    cost: Pattern
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
    kind_of_insurance: Pattern
    all_that_is_sold: Pattern
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
    minor: str


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


class ConfirmingWords(Words):
    """confirming.yaml: each word is explained beside it."""

    said_again: Pattern
    surely: Pattern
    negative: Pattern
    positive: Pattern
    front: Pattern


class LeadsWords(Words):
    """leads.yaml: each word is explained beside it."""

    asks_whether: Pattern
    open: Pattern
    negative: Pattern
    per_piece: Pattern


class AspectsWords(Words):
    """aspects.yaml: each word is explained beside it."""

    aspects: tuple[tuple[Pattern, Pattern], ...]


class CallsWords(Words):
    """calls.yaml: each word is explained beside it."""

    among_them: Pattern
    case_told: Pattern
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

    each: Pattern
    side_by_side: Pattern
    joins_later: Pattern
    than_now: Pattern


class AddedRidersWords(Words):
    """added_riders.yaml: each word is explained beside it."""

    adds: Pattern
    without: Pattern
    called: Pattern


class WantsWords(Words):
    """wants.yaml: each word is explained beside it."""

    by_noun: Pattern
    by_verb: Pattern
    sequence: Pattern
    of_a_text: Pattern
    told_apart: Pattern
    all_of_them: Pattern
    please: Pattern
    alike: Pattern


class QuestionsWords(Words):
    """questions.yaml: each word is explained beside it."""

    joined: Pattern
    apart: Pattern
    sets_scene: Pattern
    ends: Pattern
    asked: Pattern
    and_asked: Pattern
    of_noun: Pattern
    closes: tuple[str, str]
    joints: tuple[str, ...]
    goes_on: Pattern
    which_one: Pattern
    its_price: Pattern
    is_topic: Pattern
    starts_topic: Pattern
    so_many: Pattern
    numbered: Pattern
    go_ahead: Pattern


class JointsWords(Words):
    """joints.yaml: each word is explained beside it."""

    after_request: Pattern
    after_thing: Pattern
    one_question: Pattern
    bare_request: Pattern
    sentence_end: Pattern
    points_back: Pattern


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
    added_riders: AddedRidersWords
    owners: OwnersWords
    wants: WantsWords
    questions: QuestionsWords
    joints: JointsWords
    confirming: ConfirmingWords

    @classmethod
    def read(cls, files: WordFiles) -> PlannerWords:
        """Those of a folder of words (data/language). Raises DataFaults with the file, line and key of each fault."""
        return cls(**{name: files.read(f"{_FOLDER}/{name}", kind) for name, kind in get_type_hints(cls).items()})
