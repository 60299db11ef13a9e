"""What was said earlier in the talk and is asked for again: the sentence that tells it."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from pydantic import Field

from app.answering.repeating import NOTICE
from app.insurance.models import Model
from app.language.normalise import nfc
from app.yaml_text import read_model


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
        self._data = read_model(path, _RecallData)
        self._words = words

    def sentence(self, asked: str, talk: Sequence[tuple[str, str]]) -> str | None:
        """The sentence that holds what is asked for again, of a `talk` of questions with their answers, newest last;
        None where none does."""
        plain = nfc(asked)
        if not self._data.says.search(plain) or self._data.unless.search(plain):
            return None
        wanted = set(self._words(plain)) - set(self._data.words)
        best, most = None, (0, 0)
        for question, answer in talk:
            about = wanted & set(self._words(question))
            for sentence in filter(None, map(str.strip, self._data.sentence_ends.split(answer.split(NOTICE)[0]))):
                own = wanted & set(self._words(sentence))
                if own and (len(own | about), len(own)) >= most:
                    best, most = sentence, (len(own | about), len(own))
        enough = best is not None and most[0] >= self._data.share * len(wanted)
        return f"{self._data.front} {best}" if enough else None
