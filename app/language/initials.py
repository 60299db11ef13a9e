"""Text as people search it: without spaces and signs, or by first consonants (ㅂㅎㄹ for 보험료)."""

from __future__ import annotations

import re
import unicodedata

from app.language.hangul import LEADS, letters_of

_NOT_LETTERS = re.compile(r"[^0-9a-z가-힣ㄱ-ㅎㅏ-ㅣ]+")
_ONLY = re.compile(rf"[{LEADS}]{{2,}}")


def searchable(text: str) -> str:
    """Letters and digits only, NFC, lower case; lone consonants stay what they are."""
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFC", text).lower())


def initials(text: str) -> str:
    """Each syllable as its first consonant; other letters as they are."""
    return "".join(map(_first, text))


def all_initials(text: str) -> bool:
    """True for a search by two or more first consonants alone."""
    return _ONLY.fullmatch(text) is not None


def _first(letter: str) -> str:
    places = letters_of(letter)
    return LEADS[places[0]] if places else letter
