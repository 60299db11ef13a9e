"""A light text classifier: logistic regression over hashed character and jamo n-grams, numpy alone at run time."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.errors import Unavailable
from app.packed import Int8Rows, open_packed, write_packed

Floats = NDArray[np.float32]
Indices = NDArray[np.int64]
Concepts = Callable[[str], list[int]]

BITS = 17
_N_GRAMS, _CONCEPTS = 1 << BITS, 1 << 14
SIZE = _N_GRAMS + _CONCEPTS
_SYLLABLES = (1, 2, 3, 4, 5)
_JAMO = (3, 4, 5, 6)
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(64 - BITS)
# So many weights are rounded together: of fewer the scales took more room, of more the small ones were lost.
_RUN = 64


@dataclass(frozen=True)
class TextClassifier:
    """Scores squeezed text (log-odds). `restrict_at` and `block_at` decide alone; `rule_at` is enough beside a rule."""

    weights: Floats
    bias: float
    restrict_at: float
    block_at: float
    rule_at: float

    def scores(
        self, texts: Sequence[str], concepts: Concepts, most: int | None = None, least: float = -np.inf
    ) -> list[float]:
        """The score of each text; -99 for an empty one.

        Only texts whose letters alone score `least`, at most `most` of them, the likeliest, are asked what they speak
        of; the others score -99.
        """
        scores = [-99.0] * len(texts)
        held = [number for number, text in enumerate(texts) if text]
        if not held:
            return scores
        grams, owners = _grams([texts[number] for number in held])
        sums = np.bincount(owners, weights=self.weights[grams], minlength=len(held))
        counts = np.bincount(owners, minlength=len(held))
        by_letters = sums / np.sqrt(np.maximum(counts, 1))
        for place in np.argsort(-by_letters)[:most]:
            if by_letters[place] + self.bias < least:
                break
            named = concepts(texts[held[place]])
            extra = float(self.weights[named].sum()) / len(named) ** 0.5 if named else 0.0
            scores[held[place]] = float(by_letters[place]) + extra + self.bias
        return scores

    @classmethod
    def load(cls, path: Path) -> TextClassifier:
        """Reads what `save` wrote. Raises Unavailable when the file is missing or damaged."""
        try:
            with open_packed(path) as stored:
                bias, restrict_at, block_at, rule_at = stored.array("numbers").tolist()
                weights = stored.rows("weights").whole().reshape(SIZE)
                return cls(weights, bias, restrict_at, block_at, rule_at)
        except (OSError, ValueError) as error:
            raise Unavailable(
                f"입력 가드의 분류기 파일을 읽을 수 없습니다: {path}. 저장소에서 다시 받아 주세요."
            ) from error

    def save(self, path: Path) -> None:
        """Writes one packed file, neighbouring weights under one scale. Raises OSError."""
        numbers = np.array([self.bias, self.restrict_at, self.block_at, self.rule_at])
        write_packed(path, {"weights": Int8Rows.of(self.weights.reshape(-1, _RUN)), "numbers": numbers})


def concept_place(name: str) -> int:
    """Where the weight of a named concept stands."""
    return _N_GRAMS + zlib.crc32(name.encode()) % _CONCEPTS


class ConceptPlaces:
    """Weights' places of word groups and of every pair of them, looked up instead of hashed each time."""

    def __init__(self, names: Sequence[str]) -> None:
        self._single = [concept_place(name) for name in names]
        self._pair = {
            (i, j): concept_place(f"{names[i]}&{names[j]}") for i in range(len(names)) for j in range(i + 1, len(names))
        }

    def __call__(self, held: Sequence[int]) -> list[int]:
        """The places for the groups with these numbers (ascending)."""
        return [self._single[i] for i in held] + [self._pair[pair] for pair in combinations(held, 2)]


def features(text: str, concepts: Concepts) -> tuple[Indices, Floats]:
    """Places and values: the text's n-grams of syllables and of jamo, and its concepts."""
    if not text:
        return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
    grams, _ = _grams([text])
    named = np.array(concepts(text), dtype=np.int64)
    values = np.concatenate(
        [
            np.full(len(grams), 1 / np.sqrt(len(grams)), dtype=np.float32),
            np.full(len(named), 1 / np.sqrt(max(len(named), 1)), dtype=np.float32),
        ]
    )
    return np.concatenate([grams, named]), values


def _grams(texts: Sequence[str]) -> tuple[Indices, Indices]:
    """Hash places of all n-grams of all texts, and the number of the text that each belongs to."""
    marked = [f"^{text}$" for text in texts]
    letters = np.frombuffer("".join(marked).encode("utf-32-le"), dtype=np.uint32).astype(np.uint64)
    owners = np.repeat(np.arange(len(marked)), [len(text) for text in marked])
    rows = [*_hashed(letters, owners, _SYLLABLES, 1), *_hashed(*_jamo(letters, owners), _JAMO, 2)]
    return np.concatenate([places for places, _ in rows]), np.concatenate([owner for _, owner in rows])


def _hashed(
    codes: NDArray[np.uint64], owners: Indices, sizes: Collection[int], kind: int
) -> Iterator[tuple[Indices, Indices]]:
    """The n-grams of each size; each longer one goes on from the hash of the shorter one at its place."""
    total = np.full(len(codes), np.uint64(kind), dtype=np.uint64)
    several = owners[-1] > 0
    for more in range(min(max(sizes), len(codes))):
        total = total[: len(codes) - more] ^ codes[more:]
        total *= _MULTIPLIER
        total ^= total >> np.uint64(29)
        if more + 1 in sizes:
            whole = owners[: len(total)] == owners[more:] if several else slice(None)
            yield ((total[whole] * _MULTIPLIER) >> _SHIFT).astype(np.int64), owners[: len(total)][whole]


def _jamo(letters: NDArray[np.uint64], owners: Indices) -> tuple[NDArray[np.uint64], Indices]:
    """Syllables taken apart (이 → ㅇㅣ), so that a wrong vowel spoils few n-grams; other letters stay."""
    narrow = letters.astype(np.int32)
    syllable = (narrow >= 0xAC00) & (narrow <= 0xD7A3)
    code = np.where(syllable, narrow - 0xAC00, 0)
    first, rest = np.divmod(code, 588)
    second, third = np.divmod(rest, 28)
    row = np.zeros((len(narrow), 3), dtype=np.int32)
    row[:, 0] = np.where(syllable, first + 0x1100, narrow)
    row[:, 1] = np.where(syllable, second + 0x1161, 0)
    row[:, 2] = np.where(third > 0, third + 0x11A7, 0)
    flat = row.ravel()
    kept = flat != 0
    return flat[kept].astype(np.uint64), np.repeat(owners, 3)[kept]
