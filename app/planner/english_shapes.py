"""Results of tools without an English template: each field by its name, values in English where they have one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment

from app.answering.shapes import Spoken, Telling
from app.answering.words import FieldWords
from app.language.english_values import EnglishValues, has_hangul
from app.planner.moves import Done
from app.planner.speak import Speaker

QUOTED = "§"
"""Before a line that is Korean on purpose: a source, a clause or a value that has no English."""
_MOST_ROWS, _MOST_FIELDS, _MOST_LETTERS = 8, 14, 80


class EnglishSpeaker(Speaker):
    """Renders results into English: by template, else by shape."""

    def __init__(self, templates: Path, words: FieldWords, environment: Environment, values: EnglishValues) -> None:
        super().__init__(templates, words, environment)
        self._values = values

    def _by_shape(self, item: Done, tellings: Mapping[str, Telling]) -> Spoken:
        return Spoken("\n".join(self._lines(item.data)), ())

    def _lines(self, record: Mapping[str, Any]) -> Iterator[str]:
        """A line for each field that says something; rows of a table are lines of their own."""
        for key, value in self._fields(record):
            label = key.replace("_", " ").capitalize()
            if isinstance(value, dict):
                yield self._line(label, self._row(value))
            elif isinstance(value, list) and value and isinstance(value[0], dict):
                yield f"{label}:"
                yield from (self._line("", self._row(row)) for row in value[:_MOST_ROWS])
            else:
                yield self._line(label, self._said(key, value))

    def _fields(self, record: Mapping[str, Any]) -> Sequence[tuple[str, Any]]:
        hidden = self._values.words.hidden_keys
        told = [(key, value) for key, value in record.items() if value not in (None, "", [], {}) and key not in hidden]
        return told[:_MOST_FIELDS]

    def _row(self, record: Mapping[str, Any]) -> str:
        plain = [(k, v) for k, v in self._fields(record) if not isinstance(v, dict | list)]
        return ", ".join(f"{key.replace('_', ' ')} {self._said(key, value)}" for key, value in plain)

    def _said(self, key: str, value: Any) -> str:
        if isinstance(value, list):
            return ", ".join(self._said(key, item) for item in value[:_MOST_ROWS])
        told = self._values.text(value) if isinstance(value, str) else self._values.said(key, value)
        return told if len(told) <= _MOST_LETTERS or not has_hangul(told) else f"{told[:_MOST_LETTERS]}…"

    @staticmethod
    def _line(label: str, told: str) -> str:
        line = f"• {label}: {told}" if label else f"• {told}"
        return f"{QUOTED}{line}" if has_hangul(line) else line
