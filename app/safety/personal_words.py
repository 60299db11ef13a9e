"""The words and patterns by which personal data are found: data/safety/personal_*.yaml."""

from __future__ import annotations

from dataclasses import dataclass

from app.word_files import Pattern, WordFiles, Words


class NumberWords(Words):
    """personal_numbers.yaml: each word is explained beside it."""

    registration: Pattern
    listed_registration: Pattern
    registration_word: Pattern
    letter_o: Pattern
    mobile: Pattern
    landline: Pattern
    desk: Pattern
    bare_landline: Pattern
    card: Pattern
    passport: Pattern
    licence: Pattern
    bare_licence: Pattern
    old_licence: Pattern
    account: Pattern
    date_first: Pattern
    bank_just_before: Pattern
    bank_just_after: Pattern
    account_word: Pattern
    account_word_after: Pattern
    other_number: Pattern
    number_of_paper: Pattern
    no_person: Pattern
    company: Pattern
    phone_word: Pattern
    passport_word: Pattern
    licence_word: Pattern
    code_word: Pattern
    other_figures: Pattern
    money_after: Pattern
    long_run: Pattern
    ordinary: Pattern
    digits: Pattern
    of_a_business: Pattern
    from_abroad: Pattern
    mobile_digits: Pattern
    phone_digits: Pattern
    desk_alone: Pattern
    card_word: Pattern
    spoken: dict[str, str]
    spoken_run: Pattern
    is_verb: Pattern


class PlaceWords(Words):
    """personal_places.yaml: each word is explained beside it."""

    email: Pattern
    at_sign: Pattern
    company_box: Pattern
    company_mail: Pattern
    addresses: tuple[Pattern, ...]
    bare: Pattern
    lives_there: Pattern
    place_word: Pattern
    public_place: Pattern
    public_behind: Pattern
    needed: Pattern
    value: Pattern


class DataWords(Words):
    """personal_data.yaml: each word is explained beside it."""

    worth_reading: Pattern


@dataclass(frozen=True)
class PersonalWords:
    """The words of numbers and places, and what makes a text worth reading at all."""

    numbers: NumberWords
    places: PlaceWords
    data: DataWords

    @classmethod
    def read(cls, files: WordFiles) -> PersonalWords:
        """Those of data/safety. Raises DataFaults with the file, line and key of each fault."""
        return cls(
            files.read("personal_numbers", NumberWords),
            files.read("personal_places", PlaceWords),
            files.read("personal_data", DataWords),
        )
