"""The words of a text, folded so that case, width and composition do not matter, each with its place."""

from __future__ import annotations

import re
import unicodedata

# Combining marks belong to their letter.
_WORD = re.compile(r"[^\W_][\w\u0300-\u036f]*|_+[^\W_][\w\u0300-\u036f]*")


def folded_words(text: str) -> list[tuple[str, int, int]]:
    """`(folded word, start, end)` of every run of letters and digits."""
    return [(fold(match.group()), match.start(), match.end()) for match in _WORD.finditer(text)]


def fold(text: str) -> str:
    """NFKC without case."""
    return text.casefold() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
