"""What was said earlier in the talk and is asked for again: the sentence that tells it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import yaml
from pydantic import Field, ValidationError

from app.answering.repeating import NOTICE
from app.errors import DataFaults, Fault
from app.insurance.models import Model
from app.language.normalise import nfc
from app.yaml_text import read_yaml


class _RecallData(Model):
    says: re.Pattern[str]
    unless: re.Pattern[str]
    sentence_ends: re.Pattern[str]
    words: tuple[str, ...]
    share: float = Field(gt=0, le=1)
    front: str


class Recall:
    """Built once from data/language/recalled.yaml; raises DataFaults when it is missing or broken."""

    def __init__(self, path: Path, words: Callable[[str], Collection[str]]) -> None:
        """`words` reads the content words of a text."""
        try:
            self._data = _RecallData.model_validate(read_yaml(path.read_text(encoding="utf-8")))
        except (OSError, yaml.YAMLError, ValidationError) as error:
            raise DataFaults([Fault(str(path), 0, str(error))]) from error
        self._words = words

    def sentence(self, asked: str, answers: Sequence[str]) -> str | None:
        """The sentence of earlier answers (newest last) that holds what is asked for again; None where none does."""
        plain = nfc(asked)
        if not self._data.says.search(plain) or self._data.unless.search(plain):
            return None
        wanted = set(self._words(plain)) - set(self._data.words)
        sentences = [
            s.strip()
            for answer in answers
            for s in self._data.sentence_ends.split(answer.split(NOTICE)[0])
            if s.strip()
        ]
        held = {sentence: wanted & set(self._words(sentence)) for sentence in sentences}
        weights = {word: 1 / sum(word in words for words in held.values()) for word in set().union(*held.values())}
        best = max(sentences, key=lambda s: (self._weight(held[s], weights), sentences.index(s)), default=None)
        if best is None or not wanted or len(held[best]) < self._data.share * len(wanted):
            return None
        return f"{self._data.front} {best}"

    def _weight(self, words: Collection[str], weights: Mapping[str, float]) -> float:
        return len(words) + sum(weights[word] for word in words)
