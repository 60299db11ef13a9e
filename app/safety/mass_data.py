"""Requests for the personal data of many customers at once: refused by words alone, whoever asks.

No tool could answer them (phone and registration numbers never leave the store, lists show names in part), so this is
about saying so clearly and about the audit log, not about what could be reached.
"""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from app.errors import DataFaults, Fault
from app.yaml_text import read_yaml

MASS_DATA_FILE = "safety/mass_data.yaml"
FAMILY = "mass_data"
_MOST_LETTERS = 1500
# The three parts of a request stand near each other; a long text that holds them far apart is about something else.
_LETTERS_BEFORE, _LETTERS_AFTER = 15, 30


class MassData:
    """The patterns and the answers of data/safety/mass_data.yaml."""

    def __init__(self, content_dir: Path) -> None:
        """Raises DataFaults when the file cannot be read."""
        path = content_dir / MASS_DATA_FILE
        try:
            data = read_yaml(path.read_text(encoding="utf-8"))
            self._apart, self._people, self._datum, self._all, self._take, self._except = (
                re.compile(data[key]) for key in ("apart", "people", "datum", "all", "take", "except")
            )
            self._sets = tuple(re.compile(pattern) for pattern in data["set"])
            self._answers: dict[bool, str] = {True: data["staff"], False: data["customer"]}
        except (OSError, ValueError, yaml.YAMLError, re.error, KeyError, TypeError) as error:
            raise DataFaults([Fault(str(path), 0, f"고객 자료 요청의 규칙을 읽을 수 없습니다: {error}")]) from error

    def asks(self, letters: str) -> bool:
        """Whether squeezed text (letters and digits only, lower case) asks for many people's personal data."""
        told = self._apart.sub("_", letters[:_MOST_LETTERS])
        if self._except.search(told):
            return False
        if any(pattern.search(told) for pattern in self._sets):
            return True
        for found in self._people.finditer(told):
            near = told[max(found.start() - _LETTERS_BEFORE, 0) : found.end() + _LETTERS_AFTER]
            datum = self._datum.search(near)
            if datum and self._all.search(near) and self._take.search(near, datum.start()):
                return True
        return False

    def answer(self, *, insider: bool) -> str:
        """What is said instead, to people of the company (`insider`) or to anybody else."""
        return self._answers[insider]
