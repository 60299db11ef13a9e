"""Despair: words of a person who may hurt themselves are met with a helpline, before any guard, tool or model."""

from __future__ import annotations

import re
from pathlib import Path

from pydantic import Field

from app.safety.normalise import plain
from app.word_files import Pattern, Words
from app.yaml_text import read_model

CRISIS_FILE = "safety/crisis.yaml"
_NOT_LETTERS = re.compile(r"[^0-9a-z가-힣]+")


class _CrisisWords(Words):
    answer: str
    says: Pattern
    unless: Pattern = Field(alias="except")


class CrisisCheck:
    """The patterns and the answer of data/safety/crisis.yaml."""

    def __init__(self, content_dir: Path) -> None:
        """Raises DataFaults when the file cannot be read."""
        self._words = read_model(content_dir / CRISIS_FILE, _CrisisWords)
        self.answer = self._words.answer

    def speaks(self, text: str) -> bool:
        """Whether the person speaks of ending their own life, in any spacing. Questions about contracts do not."""
        letters = _NOT_LETTERS.sub("", plain(text[:2000]).text.lower())
        return self._words.says.search(letters) is not None and self._words.unless.search(letters) is None
