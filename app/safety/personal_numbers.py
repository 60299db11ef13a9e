"""Personal numbers: 주민·외국인등록번호, phones, cards, passports, driving licences and accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import NamedTuple

from app.safety.personal_words import PersonalWords
from app.safety.sentences import sentence_around


class Found(NamedTuple):
    """A datum in the normalised text."""

    start: int
    end: int
    kind: str


_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def numbers(words: PersonalWords, text: str) -> Iterator[Found]:
    """Personal numbers written in digits, surest kinds first."""
    if not words.numbers.long_run.search(text) or not words.numbers.long_run.search(
        words.numbers.ordinary.sub("가", text)
    ):
        return  # nearly every text, at a tenth of the cost
    yield from _registrations(words, text)
    yield from _listed_registrations(words, text)
    yield from _phones(words, text)
    yield from _cards(words, text)
    yield from _documents(words, text)
    yield from _accounts(words, text)


def _before(text: str, at: int, width: int = 25) -> str:
    start, _ = sentence_around(text, at)
    return text[max(start, at - width) : at]


def _after(text: str, at: int, width: int = 25) -> str:
    _, end = sentence_around(text, max(at - 1, 0))
    return text[at : min(end, at + width)]


def registration_kind(digits: str) -> str | None:
    """rrn or frn when 13 digits have a real date and a sex digit; numbers given since 2020-10-05 have no checksum."""
    if len(digits) != 13:
        return None
    month, day, sex = int(digits[2:4]), int(digits[4:6]), int(digits[6])
    if not (1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] and 1 <= sex <= 8):
        return None
    century = 1900 if sex in (1, 2, 5, 6) else 2000
    if month == 2 and day == 29:
        year = century + int(digits[:2])
        if year % 4:
            return None
    elif century + int(digits[:2]) > date.max.year:
        return None
    return "rrn" if sex <= 4 else "frn"


def _registrations(words: PersonalWords, text: str) -> Iterator[Found]:
    for match in words.numbers.registration.finditer(text):
        kind = registration_kind(words.numbers.digits.sub("", match.group(1) + match.group(2)))
        if kind is None or words.numbers.of_a_business.search(_before(text, match.start(), 15)):
            continue
        yield Found(match.start(), match.end(), kind)


def _listed_registrations(words: PersonalWords, text: str) -> Iterator[Found]:
    for match in words.numbers.listed_registration.finditer(text):
        kind = registration_kind(match.group(1) + match.group(2))
        if kind and words.numbers.registration_word.search(_before(text, match.start())):
            yield Found(match.start(), match.end(), kind)


def _phones(words: PersonalWords, text: str) -> Iterator[Found]:
    own = words.numbers
    text = own.letter_o.sub("010", text)
    for match in own.mobile.finditer(text):
        digits = own.from_abroad.sub("0", own.digits.sub("", match.group()))
        if not own.mobile_digits.fullmatch(digits) or own.number_of_paper.search(_before(text, match.start(), 14)):
            continue
        yield Found(_opened(match), match.end(), "phone")
    for match in own.landline.finditer(text):
        # 02-1588-0058: a number of a company's desk, though somebody put an area code before it.
        if own.desk.search(match.group()):
            continue
        if not own.company.search(_before(text, match.start())) and not own.company.match(
            _after(text, match.end()).lstrip(" (은는이가")
        ):
            yield Found(_opened(match), match.end(), "phone")
    for match in own.bare_landline.finditer(text):
        before = _before(text, match.start())
        if (
            own.phone_word.search(before)
            and not own.account_word.search(before)
            and not own.company.search(before)
            and not own.no_person.search(before)
        ):
            yield Found(match.start(), match.end(), "phone")


def _opened(match: re.Match[str]) -> int:
    """Where the number starts: with its bracket only when that closes within the number, as in (02)123-4567."""
    return match.start() + (match.group()[0] == "(" and ")" not in match.group())


def luhn(digits: str) -> bool:
    """The check digit rule of payment cards."""
    total = 0
    for place, letter in enumerate(reversed(digits)):
        value = int(letter) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


_CARD_BEGINS: dict[int, tuple[str, ...]] = {
    13: ("4",),
    14: ("30", "36", "38", "39"),
    15: ("34", "37", "35", "9"),
    16: ("2", "3", "4", "5", "6", "9"),
}


_NEAR = 6


def _cards(words: PersonalWords, text: str) -> Iterator[Found]:
    own = words.numbers
    for match in own.card.finditer(text):
        digits = own.digits.sub("", match.group())
        if not (13 <= len(digits) <= 16 and digits.startswith(_CARD_BEGINS[len(digits)])):
            continue
        before = _before(text, match.start())
        named = own.card_word.search(before) or "카드" in _after(text, match.end(), _NEAR)
        if not luhn(digits) and not named:
            continue  # people mistype digits: the word 카드번호 beside a card-shaped number is enough
        if own.other_number.search(before) or own.no_person.search(before[-14:]):
            continue
        if own.bank_just_before.search(before) and "카드" not in before and "계좌" in before:
            continue
        yield Found(match.start(), match.end(), "card")


def _documents(words: PersonalWords, text: str) -> Iterator[Found]:
    own = words.numbers
    for match in own.passport.finditer(text):
        before, around = (
            _before(text, match.start(), 30),
            _before(text, match.start(), 30) + _after(text, match.end(), 20),
        )
        named = own.passport_word.search(around)
        sure = match.group()[0] in "Mm" and not match.group()[1].isalpha() and " " not in match.group()
        if named or (sure and not own.code_word.search(before)):
            yield Found(match.start(), match.end(), "passport")
    for match in own.old_licence.finditer(text):
        yield Found(match.start(), match.end(), "driver_license")
    for match in own.licence.finditer(text):
        before = _before(text, match.start())
        if not own.other_number.search(before) and not own.bank_just_before.search(before):
            yield Found(match.start(), match.end(), "driver_license")
    for match in own.bare_licence.finditer(text):
        around = _before(text, match.start(), 20) + _after(text, match.end(), 15)
        if own.licence_word.search(around):
            yield Found(match.start(), match.end(), "driver_license")


def _accounts(words: PersonalWords, text: str) -> Iterator[Found]:
    own = words.numbers
    for match in own.account.finditer(text):
        value = match.group()
        digits = own.digits.sub("", value)
        if not 9 <= len(digits) <= 16 or own.date_first.match(value) or own.money_after.match(text, match.end()):
            continue
        if own.desk_alone.match(value):
            continue
        before, after = _before(text, match.start(), 24), _after(text, match.end(), 20)
        if own.other_number.search(before) or not _near_bank(words, before, after):
            continue
        yield Found(match.start(), match.end(), "account")


def _near_bank(words: PersonalWords, before: str, after: str) -> bool:
    """A bank or an account word stands close by, and no other number's name in between."""
    own = words.numbers
    if own.bank_just_before.search(before) or own.bank_just_after.match(after):
        return True
    ends = [word.end() for word in own.account_word.finditer(before)]
    if ends and not own.no_person.search(before[ends[-1] :]) and not own.other_figures.search(before[ends[-1] :]):
        return True
    return own.account_word_after.match(after) is not None


_LEAST_SPOKEN = 3


def spoken_numbers(words: PersonalWords, text: str) -> Iterator[Found]:
    """Numbers read out by name, wholly or in part (공일공 일이삼사 …); 다시 is the dash."""
    own = words.numbers
    for match in own.spoken_run.finditer(text):
        places = [(i, own.spoken.get(c, c)) for i, c in enumerate(match.group()) if c in own.spoken or c.isdigit()]
        spoken = sum(match.group()[i] in own.spoken for i, _ in places)
        # One or two syllables among digits (공1공-2345-6789) only disguise a mobile number's beginning.
        disguised = 0 < spoken < _LEAST_SPOKEN and match.group()[places[0][0]] in own.spoken
        if spoken < _LEAST_SPOKEN and not disguised:
            continue
        # …칠이에요: the last 이 may be a digit or the verb; kinds of a fixed length decide by themselves.
        is_verb = match.group()[places[-1][0]] == "이" and own.is_verb.match(text, match.end()) is not None
        for first in range(min(4, len(places))):
            if first and match.group()[places[first][0] - 1].isdigit() and match.group()[places[first][0]].isdigit():
                continue  # a number written in digits is not begun in its middle: 2016-05-11
            found = _spoken_kind(words, places[first:], text, match.start(), is_verb)
            if found and not (disguised and (found[0] != "phone" or first)):
                kind, count = found
                last = places[first + count - 1][0]
                yield Found(match.start() + places[first][0], match.start() + last + 1, kind)
                break


def _spoken_kind(
    words: PersonalWords, places: list[tuple[int, str]], text: str, start: int, is_verb: bool
) -> tuple[str, int] | None:
    """The kind and how many digits belong to it."""
    digits = "".join(digit for _, digit in places)
    for extra in (0, 1):
        kept = digits[: len(digits) - extra]
        if kind := registration_kind(kept):
            return kind, len(kept)
        if words.numbers.phone_digits.fullmatch(kept):
            return "phone", len(kept)
        if len(kept) in (15, 16) and kept[0] in "234569" and luhn(kept):
            return "card", len(kept)
    digits = digits[: len(digits) - is_verb]
    absolute = start + places[0][0]
    before = _before(text, absolute)
    after = _after(text, start + places[len(digits) - 1][0] + 1, 15)
    if len(digits) == 12 and words.numbers.licence_word.search(before):
        return "driver_license", len(digits)
    if 9 <= len(digits) <= 16 and _near_bank(words, before, after) and not words.numbers.other_number.search(before):
        return "account", len(digits)
    return None
