"""Insurance at large: what belongs to insurance in life though it is none of our products."""

from __future__ import annotations

import re
from pathlib import Path

from app.word_files import Pattern, Words
from app.yaml_text import read_model

AT_LARGE_FILE = "safety/insurance_at_large.yaml"


class _AtLargeWords(Words):
    names: Pattern
    asked: Pattern
    picture: Pattern
    aside: Pattern


class AtLarge:
    """The words of data/safety/insurance_at_large.yaml."""

    def __init__(self, content_dir: Path) -> None:
        """Raises DataFaults when the file cannot be read."""
        words = read_model(content_dir / AT_LARGE_FILE, _AtLargeWords)
        self._names, self._asked, self._picture, self._aside = (
            re.compile(pattern.pattern, re.IGNORECASE)
            for pattern in (words.names, words.asked, words.picture, words.aside)
        )

    def names(self, text: str) -> bool:
        """Whether the text speaks of insurance, and not of it as a picture, a story, a word or a share; what asks of
        insurance itself may speak of something else too (결혼식 취소되면 보상해 주는 보험 있어요?)."""
        if self._names.search(text) is None or self._picture.search(text):
            return False
        return self._aside.search(text) is None or self._asked.search(text) is not None
