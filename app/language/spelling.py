"""Words that were typed as they sound, or by a key beside the right one, are spelt as the house spells them."""

from __future__ import annotations

import re
from pathlib import Path

import yaml
from pydantic import ValidationError

from app.errors import DataFaults, Fault
from app.insurance.models import Model
from app.language.hangul import LEADS, TAILS, VOWELS, letters_of
from app.messages import worded
from app.yaml_text import read_yaml

_RUN = re.compile(r"[가-힣]+")
# What was pasted to be checked or masked stays to the letter.
_PASTED = re.compile(r"[\n\"“”'‘’「」]")
_LEAST = 2
# Behind one of these a syllable without a consonant is heard with another: 보험요, 보험료.
_CLOSED, _OPEN, _ROUND, _NASAL = TAILS.index("ㅁ"), LEADS.index("ㅇ"), VOWELS.index("ㅛ"), LEADS.index("ㄴ")


class SpellingData(Model):
    """data/language/spelling.yaml: letters that are taken for one another, the words that the house knows, what may
    stand behind them, beginnings that sound like one of them and are right, and rules (regex, right) of endings and of
    how people of the regions speak."""

    same_leads: dict[str, str]
    same_vowels: dict[str, str]
    same_tails: dict[str, str]
    words: tuple[str, ...]
    never: tuple[str, ...]
    after: tuple[str, ...]
    endings: tuple[tuple[str, str], ...]
    regions: tuple[tuple[str, str], ...] = ()


class Spelling:
    """Pure; some 0.1 ms a message. Raises DataFaults when its file is missing or broken."""

    def __init__(self, path: Path) -> None:
        try:
            data = SpellingData.model_validate(read_yaml(path.read_text(encoding="utf-8")))
            self._endings = tuple((re.compile(said), right) for said, right in (*data.endings, *data.regions))
        except (OSError, yaml.YAMLError, ValidationError, re.error) as error:
            raise DataFaults([Fault(str(path), 0, worded("look_up.unreadable", error=error))]) from error
        self._leads, self._vowels = _folded(data.same_leads, LEADS), _folded(data.same_vowels, VOWELS)
        self._tails = _folded(data.same_tails, TAILS)
        self._words, self._never = frozenset(data.words), data.never
        self._after = frozenset(data.after)
        self._starts = tuple(item for item in data.after if len(item) >= _LEAST)
        self._by_sound = {self._sound(word): word for word in data.words}
        self._longest = max(map(len, data.words))

    def mended(self, text: str) -> str:
        """The text with its slips of the pen put right; one that holds a passage unchanged."""
        if _PASTED.search(text):
            return text
        for said, right in self._endings:
            text = said.sub(right, text)
        return _RUN.sub(lambda run: self._right(run.group()), text)

    def _right(self, run: str) -> str:
        if run.startswith(self._never):
            return run
        reach = min(self._longest, len(run))
        known = max((size for size in range(_LEAST, reach + 1) if run[:size] in self._words), default=_LEAST - 1)
        for size in range(reach, known, -1):
            word, rest = self._by_sound.get(self._sound(run[:size])), run[size:]
            if word and (not rest or rest in self._after or rest.startswith(self._starts)):
                return word + rest
        return run

    def _sound(self, word: str) -> tuple[int, ...]:
        heard: list[int] = []
        for char in word:
            lead, vowel, tail = letters_of(char) or (-1, -1, -1)
            lead = self._leads.get(lead, lead)
            nasal = heard[-1:] == [_CLOSED] and (lead, vowel) == (_OPEN, _ROUND)
            heard += [_NASAL if nasal else lead, self._vowels.get(vowel, vowel), self._tails.get(tail, tail)]
        return tuple(heard)


def _folded(same: dict[str, str], letters: str | tuple[str, ...]) -> dict[int, int]:
    return {letters.index(other): letters.index(first) for first, others in same.items() for other in others}
