"""The clauses of a sentence, each as a sentence of its own: 원금 손실이 없고 … → 원금 손실이 없습니다."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Nouns that end like a joined verb.
_NOUNS = r"(?<!사)(?<!광)(?<!보)(?<!창)(?<!최)(?<!참)(?<!권)(?<!경)(?<!신)(?<!재)(?<!원)(?<!선)(?<!중)(?<!다)(?<!라)"
_JOIN = re.compile(rf"{_NOUNS}(?<=[가-힣])(?:고요?|으?니까|으며|지만)(?:\s*,\s*|\s+)")
_LEAST_LETTERS = 6
_RIEUL, _BIEUP = 8, 17


@dataclass(frozen=True)
class Clause:
    """Offsets in the sentence, and the clause with an ending of its own."""

    start: int
    end: int
    finished: str


def clauses(sentence: str) -> tuple[Clause, ...]:
    """Two or more, or none where the sentence is but one."""
    found: list[Clause] = []
    start = 0
    for match in _JOIN.finditer(sentence):
        if match.start() - start < _LEAST_LETTERS:
            continue
        stem = sentence[start : match.start()]
        found.append(Clause(start, start + len(sentence[start : match.end()].rstrip(" ,\t")), _finished(stem)))
        start = match.end()
    if not found:
        return ()
    return (*found, Clause(start, len(sentence), sentence[start:]))


def _finished(stem: str) -> str:
    """The stem with the polite ending: 없 → 없습니다, 되 → 됩니다, 팔 → 팝니다."""
    code = ord(stem[-1]) - 0xAC00
    if not 0 <= code < 11172:
        return stem + "."
    tail = code % 28
    if tail in (0, _RIEUL):
        return stem[:-1] + chr(0xAC00 + code - tail + _BIEUP) + "니다."
    return stem + "습니다."
