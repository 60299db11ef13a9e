"""A light text classifier: logistic regression over hashed character and jamo n-grams, numpy alone at run time."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.errors import Unavailable

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]
Concepts = Callable[[str], list[str]]

BITS = 17
_GRAMS, _CONCEPTS = 1 << BITS, 1 << 14
SIZE = _GRAMS + _CONCEPTS
_CONCEPT_WEIGHT = 1.0
_SYLLABLES = (1, 2, 3, 4, 5)
_JAMO = (3, 4, 5, 6)
_WINDOW, _STEP = 110, 55
_MOST_WINDOWS = 24
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - BITS)


@dataclass(frozen=True)
class TextClassifier:
    """Scores squeezed text (log-odds). `restrict_at` and `block_at` decide alone; `rule_at` is enough beside a rule."""

    weights: Floats
    bias: float
    restrict_at: float
    block_at: float
    rule_at: float

    def score(self, text: str, concepts: Concepts) -> float:
        """The highest score of the text and, where it is long, of its parts. `concepts` names what a text speaks of."""
        parts = [text[:2000]]
        if len(text) > _WINDOW * 2:
            parts += [text[at : at + _WINDOW] for at in range(0, len(text), _STEP)][:_MOST_WINDOWS]
        return max(self._score(part, concepts) for part in parts)

    def _score(self, text: str, concepts: Concepts) -> float:
        places, values = features(text, concepts)
        return float(self.weights[places] @ values + self.bias) if len(places) else -99.0

    @classmethod
    def load(cls, path: Path) -> TextClassifier:
        """Reads what `save` wrote. Raises Unavailable when the file is missing or damaged."""
        try:
            with np.load(path) as stored:
                bias, restrict_at, block_at, rule_at = (float(x) for x in stored["numbers"])
                weights = np.zeros(SIZE, dtype=np.float32)
                weights[stored["places"]] = stored["values"].astype(np.float32)
                return cls(weights, bias, restrict_at, block_at, rule_at)
        except (OSError, KeyError, ValueError, EOFError) as error:
            raise Unavailable(f"입력 가드의 분류기 파일을 읽을 수 없습니다: {path}. 저장소에서 다시 받아 주세요.") from error

    def save(self, path: Path) -> None:
        """Writes the weights that are not zero, at half precision."""
        places = np.flatnonzero(np.abs(self.weights) > 1e-4).astype(np.int32)
        numbers = np.array([self.bias, self.restrict_at, self.block_at, self.rule_at])
        np.savez_compressed(path, places=places, values=self.weights[places].astype(np.float16), numbers=numbers)


def features(text: str, concepts: Concepts) -> tuple[Indices, Floats]:
    """Hash places and values: the text's distinct n-grams of syllables and of jamo, and its concepts."""
    if not text:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    letters = np.frombuffer(f"^{text}$".encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    rows = [_hashed(letters, size, 1) for size in _SYLLABLES] + [_hashed(_jamo(letters), size, 2) for size in _JAMO]
    grams = np.unique(np.concatenate(rows)).astype(np.int64)
    named = concepts(text)
    places = np.array([_GRAMS + zlib.crc32(name.encode()) % _CONCEPTS for name in named], dtype=np.int64)
    values = np.concatenate([
        np.full(len(grams), 1 / np.sqrt(len(grams)), dtype=np.float32),
        np.full(len(places), _CONCEPT_WEIGHT / np.sqrt(max(len(places), 1)), dtype=np.float32),
    ])
    return np.concatenate([grams, places]), values


def _hashed(codes: NDArray[np.uint64], size: int, kind: int) -> NDArray[np.uint64]:
    count = len(codes) - size + 1
    if count <= 0:
        return np.zeros(0, dtype=np.uint64)
    total = np.full(count, np.uint64(size * 16 + kind), dtype=np.uint64)
    for offset in range(size):
        total = (total ^ codes[offset : offset + count]) * _MULTIPLIER
        total ^= total >> np.uint64(29)
    places: NDArray[np.uint64] = (total * _MULTIPLIER) >> _SHIFT
    return places


def _jamo(letters: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Syllables taken apart (이 → ㅇㅣ), so that a wrong vowel spoils few n-grams; other letters stay."""
    syllable = (letters >= 0xAC00) & (letters <= 0xD7A3)
    code = np.where(syllable, letters - np.uint64(0xAC00), np.uint64(0))
    first = np.where(syllable, code // np.uint64(588) + np.uint64(0x1100), letters)
    second = np.where(syllable, code // np.uint64(28) % np.uint64(21) + np.uint64(0x1161), np.uint64(0))
    third = np.where(syllable, code % np.uint64(28) + np.uint64(0x11A7), np.uint64(0))
    row = np.stack([first, second, third], axis=1).ravel()
    return row[(row != 0) & (row != 0x11A7)]
