"""English words of tool names and descriptions in Korean, so that Korean questions find tools told only in English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import yaml

from app.errors import DataFaults, Fault
from app.messages import worded
from app.yaml_text import read_yaml

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PLAIN = re.compile(r"[a-z]+(?: [a-z]+)?")
_ENDINGS = (("ies", "y"), ("es", ""), ("s", ""), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"))


class Glossary:
    """Korean words for English ones; plurals and verb forms are understood. Source: data/language/english.yaml."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self._words = dict(words)

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def korean(self, text: str) -> str:
        """The English words of `text` (also inside snake_case and camelCase) in Korean, each once; '' if none. A word
        that the text tells in Korean itself is left to it: its other meanings are not meant (book … 예약)."""
        words = [word.lower() for word in _WORDS.findall(text)]
        found: dict[str, None] = {}
        skip = False
        for word, behind in zip(words, [*words[1:], ""], strict=False):
            if skip:
                skip = False
                continue
            phrase = self._told(word, f" {behind}") if behind else ""
            skip = bool(phrase)
            told = phrase or self._told(word)
            if told and not any(one.removesuffix("다") in text for one in told.split()):
                found[told] = None
        return " ".join(found)

    def _told(self, word: str, behind: str = "") -> str:
        """The Korean of a word with what stands `behind` it (turn off)."""
        if word + behind in self._words:
            return self._words[word + behind]
        stems = (
            word.removesuffix(end) + put for end, put in _ENDINGS if word.endswith(end) and len(word) > len(end) + 2
        )
        return next((self._words[stem + behind] for stem in stems if stem + behind in self._words), "")


def load_glossary(path: Path) -> Glossary:
    """The glossary of a file. Raises DataFaults naming every entry that is not 'english: 한국어'."""
    try:
        raw = read_yaml(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise DataFaults([Fault(path.name, 0, worded("files.unreadable", error=error))]) from error
    # YAML reads on, off, yes and no as truth values; such keys are faults, not words.
    pairs = raw.items() if isinstance(raw, dict) else [(raw, None)]
    wrong = [
        key for key, told in pairs if not (isinstance(key, str) and _PLAIN.fullmatch(key) and isinstance(told, str))
    ]
    if wrong:
        raise DataFaults([Fault(path.name, 0, worded("glossary.not_pair", key=key)) for key in wrong])
    return Glossary(raw)
