"""Identifiers as words, and the title that a tool of another program is shown by."""

from __future__ import annotations

import re

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+|[^\W_a-zA-Z]+")
_IDENTIFIER = re.compile(r"[A-Za-z][\w.\-/]*")
_PHRASE_END = re.compile(r"(?<=[.!?。])\s|\n")
_LEAST, _MOST = 2, 60


def name_words(identifier: str) -> tuple[str, ...]:
    """The words of a name, whatever parts them (camelCase, snake_case, kebab-case, dots), as they are written."""
    return tuple(_WORD.findall(identifier))


def words_of(identifier: str) -> str:
    """create_booking, createBooking and create-booking are 'Create booking'; abbreviations stay (get_URL: 'Get URL').
    Empty for a name without letters."""
    words = [word if len(word) > 1 and word.isupper() else word.lower() for word in name_words(identifier)]
    told = " ".join(words)
    return told[:1].upper() + told[1:]


def title_of(given: str | None, name: str) -> str:
    """What a tool is called on pages: the words it came with, cut to their first sentence, else those of its name."""
    told = " ".join(_PHRASE_END.split((given or "").strip(), maxsplit=1)[0].split()).rstrip(".。 ")
    if len(told) < _LEAST or _IDENTIFIER.fullmatch(told):
        told = words_of(told) if len(told) >= _LEAST else words_of(name)
    if len(told) > _MOST:
        told = f"{told[:_MOST].rpartition(' ')[0] or told[:_MOST]}…"
    return told if len(told) >= _LEAST else f"도구 {name}"
