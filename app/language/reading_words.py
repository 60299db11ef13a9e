"""The words by which messages are read, beside those of ages, dates, money and people: data/language/*.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from typing import get_type_hints

from app.insurance.models import Category
from app.word_files import Pattern, WordFiles, WordList, Words, WordSet


class ReferencesWords(Words):
    """references.yaml: each word is explained beside it."""

    ordinal_words: dict[str, int]
    ordinal: Pattern
    numbers: Pattern
    nth: Pattern
    last: Pattern
    that: Pattern
    former: Pattern
    latter: Pattern
    both: Pattern
    before_two: Pattern
    held_together: Pattern
    middle: Pattern
    sides: Pattern
    cheap: Pattern
    dear: Pattern
    rest: Pattern
    other: Pattern
    here: Pattern
    correction: Pattern
    undone: Pattern
    revision: Pattern
    of_product: Pattern
    count: Pattern
    told: Pattern
    non_renewing: Pattern


class ProductsWords(Words):
    """products.yaml: each word is explained beside it."""

    code: Pattern
    latin_tail: Pattern
    everyday: WordSet
    latin_head: dict[str, str]
    insurance: Pattern
    letter_names: dict[str, str]
    category_words: dict[Category, WordList]
    simple_words: WordList
    weak: Pattern
    v_around: Pattern
    v_in_row: Pattern
    v_first: Pattern
    row_before: Pattern
    how_many: Pattern
    counted: Pattern


class MedicalWords(Words):
    """medical.yaml: each word is explained beside it."""

    others: WordList
    kcd: Pattern
    when: Pattern
    treatment: Pattern
    drug: Pattern
    operation: Pattern
    part_operated: Pattern
    named_like_illness: Pattern
    code_letters: dict[str, str]
    spoken_code: Pattern
    only_fee: Pattern
    particled: Pattern
    job_cue: Pattern
    no_job: Pattern
    doctor: Pattern
    weak_jobs: WordSet
    job_said: Pattern


class ConditionsWords(Words):
    """conditions.yaml: each word is explained beside it."""

    speaker: str
    anybody: WordSet
    relatives: WordSet
    still: str
    came_from: Pattern
    titled: Pattern
    for_another: Pattern
    giver: Pattern
    given: Pattern
    takes_out: Pattern
    together: Pattern
    word: Pattern
    list: Pattern
    seen: Pattern
    aged: Pattern
    describes: Pattern


class BirthsWords(Words):
    """births.yaml: each word is explained beside it."""

    birth: Pattern
    zodiac: Pattern
    birthday: Pattern
    digits: dict[str, int]


class MotivesWords(Words):
    """motives.yaml: each word is explained beside it."""

    ill: Pattern
    me_too: Pattern


@dataclass(frozen=True)
class LanguageWords:
    """The words of several readers, each under the name of its file."""

    references: ReferencesWords
    products: ProductsWords
    medical: MedicalWords
    conditions: ConditionsWords
    births: BirthsWords
    motives: MotivesWords

    @classmethod
    def read(cls, files: WordFiles) -> LanguageWords:
        """Raises DataFaults with the file, line and key of each fault."""
        return cls(**{name: files.read(name, kind) for name, kind in get_type_hints(cls).items()})
