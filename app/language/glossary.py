"""English words of tool names and descriptions in Korean, so that Korean questions find tools told only in English."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

import yaml

from app.errors import DataFaults, Fault
from app.yaml_text import read_yaml

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_PLAIN = re.compile(r"[a-z]+")
_ENDINGS = (("ies", "y"), ("es", ""), ("s", ""), ("ing", ""), ("ing", "e"), ("ed", ""), ("ed", "e"))


class Glossary:
    """Korean words for English ones; plurals and verb forms are understood. Source: data/language/english.yaml."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self._words = dict(words)

    def __len__(self) -> int:
        return len(self._words)

    def korean(self, text: str) -> str:
        """The English words of `text` (also inside snake_case and camelCase) in Korean, each once; '' if none."""
        found = dict.fromkeys(told for word in _WORDS.findall(text) if (told := self._told(word.lower())))
        return " ".join(found)

    def _told(self, word: str) -> str:
        if word in self._words:
            return self._words[word]
        stems = (
            word.removesuffix(end) + put for end, put in _ENDINGS if word.endswith(end) and len(word) > len(end) + 2
        )
        return next((self._words[stem] for stem in stems if stem in self._words), "")


def load_glossary(path: Path) -> Glossary:
    """The glossary of a file. Raises DataFaults naming every entry that is not 'english: 한국어'."""
    try:
        raw = read_yaml(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError) as error:
        raise DataFaults([Fault(path.name, 0, f"읽을 수 없습니다: {error}")]) from error
    # YAML reads on, off, yes and no as truth values; such keys are faults, not words.
    pairs = raw.items() if isinstance(raw, dict) else [(raw, None)]
    wrong = [
        key for key, told in pairs if not (isinstance(key, str) and _PLAIN.fullmatch(key) and isinstance(told, str))
    ]
    if wrong:
        raise DataFaults([Fault(path.name, 0, f"'영어 낱말: 한국어' 꼴이 아닙니다: {key!r}") for key in wrong])
    return Glossary(raw)
