"""Text in one form: NFC, plain spaces, and a compact form for comparing lines."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_NOT_WRITTEN_OUT = re.compile(r"[^가-힣A-Za-z0-9]")
_NOT_LETTERS = re.compile(r"[^0-9a-z가-힣ㄱ-ㅎㅏ-ㅣ]+")


def letters(text: str) -> str:
    """Syllables, Latin letters and digits only, as they were written; lone jamo (ㅋㅋ) go."""
    return _NOT_WRITTEN_OUT.sub("", text)


def nfc(text: str) -> str:
    """NFC with runs of white space made one space."""
    return _SPACES.sub(" ", unicodedata.normalize("NFC", text)).strip()


def compact(text: str) -> str:
    """Letters and digits only, NFKC, lower case: equal for lines that differ in spacing and punctuation alone."""
    return _NOT_LETTERS.sub("", unicodedata.normalize("NFKC", text).lower())
