"""E-mail addresses and detailed postal addresses (road and lot grammar)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from app.safety.personal_numbers import Found
from app.safety.personal_words import PersonalWords
from app.safety.sentences import sentence_around


def emails(words: PersonalWords, text: str) -> Iterator[Found]:
    """Personal e-mail addresses; those of a company's desk are left out."""
    for match in words.places.email.finditer(text) if words.places.at_sign.search(text) else ():
        start, end = sentence_around(text, match.start())
        around = (
            text[max(start, match.start() - 20) : match.start()] + " " + text[match.end() : min(end, match.end() + 12)]
        )
        if words.places.company_box.match(match.group()) or words.places.company_mail.search(around):
            continue
        yield Found(match.start(), match.end(), "email")


def addresses(words: PersonalWords, text: str) -> Iterator[Found]:
    """Addresses that lead to a door: with a building, lot or unit number. Regions alone are not personal."""
    own = words.places
    stretches = [part.span() for part in own.value.finditer(text) if own.needed.search(text, *part.span())]
    for pattern in own.addresses:
        for match in _in(stretches, pattern, text):
            if not _public(words, text, match.start(), match.end()):
                yield _found(match)
    for match in _in(stretches, own.bare, text):
        start, _ = sentence_around(text, match.start())
        told = own.place_word.search(text[max(start, match.start() - 20) : match.start()])
        if (told or own.lives_there.match(text, match.end())) and not _public(words, text, match.start(), match.end()):
            yield _found(match)


def _in(stretches: Sequence[tuple[int, int]], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The matches within each stretch, each read with what stands before it."""
    return (match for start, end in stretches for match in pattern.finditer(text, start, end))


def _found(match: re.Match[str]) -> Found:
    value = match.group().rstrip(" ,")
    return Found(match.start(), match.start() + len(value), "address")


def _public(words: PersonalWords, text: str, start: int, end: int) -> bool:
    first, last = sentence_around(text, start)
    return bool(
        words.places.public_place.search(text[max(first, start - 15) : start])
        or words.places.public_behind.match(
            text[end : min(last, end + 20)],
        )
    )
