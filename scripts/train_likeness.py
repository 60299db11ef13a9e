"""Fits the part of the L1 classifier that compares texts with known attacks; called by scripts/train_injection."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from app.language.features import Tagged
from app.language.morpheme_vectors import MorphemeVectors, SimilarityModel, half
from app.language.vocabulary import Vocabulary
from app.packed import rounded
from app.safety.likeness import (
    BEND,
    AttackLikeness,
    Floats,
    LikenessTokenizer,
    Reading,
    Row,
    Space,
    read,
)

_RIDGE = 0.15
_AXES = 96
_KEPT_LINES = 3000
_KNOWN_MORPHEMES = 6000


class TrainingTokenizer(LikenessTokenizer, SimilarityModel, Protocol):
    """What tags texts and knows how alike morphemes are."""


@dataclass(frozen=True)
class Line:
    """One text to learn from, or only to be scored (`strength` 0). Lines of one `group` are left out together."""

    text: str
    attack: bool
    strength: float
    group: int


class LikenessTrainer:
    """Compares every line with every other once; then fits as often as it is asked."""

    def __init__(self, lines: Sequence[Line], tokenizer: TrainingTokenizer) -> None:
        self.lines, self._tokenizer = tuple(lines), tokenizer
        readings = [read(line.text, tokenizer) for line in lines]
        self.space = build_space(readings, tokenizer)
        self._rows = [_rounded(self.space.sparse(reading)) for reading in readings]
        self._meaning = rounded(np.stack([self.space.meaning(reading) for reading in readings]))
        self._gram = _gram(self._rows, self._meaning, len(self.space.idf))
        self._target = np.array([1.0 if line.attack else -1.0 for line in lines], dtype=np.float32)
        self._strength = np.array([line.strength for line in lines], dtype=np.float32)

    def left_out(self, folds: NDArray[np.int_]) -> Floats:
        """The score of each line from lines of other folds alone."""
        scores = np.zeros(len(self._target), dtype=np.float32)
        for fold in np.unique(folds):
            kept = np.flatnonzero((folds != fold) & (self._strength > 0))
            held = np.flatnonzero(folds == fold)
            scores[held] = self._gram[np.ix_(held, kept)] @ self._solved(kept)
        return scores

    def fit(self) -> AttackLikeness:
        """Over all lines, told by the few thousand that matter most."""
        kept = np.flatnonzero(self._strength > 0)
        weight = np.abs(self._solved(kept))
        ordered = {self.lines[place].text: place for place in kept[np.argsort(weight)]}
        few = np.sort(np.array(list(ordered.values())[-_KEPT_LINES:], dtype=np.intp))
        across = self._gram[np.ix_(kept, few)]
        inner = self._gram[np.ix_(few, few)]
        weighed = across.T * self._strength[kept]
        system = weighed @ across + _RIDGE * inner + 1e-3 * np.eye(len(few), dtype=np.float32)
        alpha = scipy.linalg.solve(system.astype(np.float64), weighed @ self._target[kept], assume_a="pos")
        lines = [self._rows[i] for i in few]
        return AttackLikeness.of(self.space, self._tokenizer, lines, self._meaning[few], alpha.astype(np.float32))

    def _solved(self, kept: NDArray[np.intp]) -> Floats:
        gram = self._gram[np.ix_(kept, kept)]
        gram[np.diag_indices_from(gram)] += _RIDGE / self._strength[kept]
        solved: Floats = scipy.linalg.solve(gram, self._target[kept], assume_a="pos", overwrite_a=True)
        return solved


def build_space(readings: Sequence[Reading], tokenizer: TrainingTokenizer) -> Space:
    """Features that stand in two lines or more, and the meanings of the common morphemes along their first axes."""
    counts = [Counter[int](), Counter[int](), Counter[int]()]
    words: Counter[Tagged] = Counter()
    for reading in readings:
        words.update(reading.morphemes)
        for counter, found in zip(counts, reading.blocks, strict=True):
            counter.update(found.keys())
    total = len(readings) + 1
    blocks: list[Vocabulary] = []
    idf: list[float] = []
    for counter in counts:
        # Ascending, and all numbers as they are stored.
        kept = sorted(name for name, count in counter.items() if count >= 2)
        blocks.append(Vocabulary(kept, len(idf)))
        idf += [float(np.log(total / (1 + counter[name])) + 1.0) for name in kept]
    common = [word for word, _ in sorted(words.items(), key=lambda item: (-item[1], item[0]))]
    vectors = MorphemeVectors.span(tokenizer, common)
    weights = {word: float(np.log(total / (1 + count))) for word, count in words.items()}
    placed = {word: vector for word in common if (vector := vectors.vector(word)) is not None}
    table = np.stack([vector * weights[word] for word, vector in placed.items()])
    _, axes = np.linalg.eigh(table.T @ table)
    turned = np.ascontiguousarray(axes[:, ::-1][:, :_AXES]).astype(np.float16).astype(np.float32)
    known = {word: (placed[word] @ turned) * weights[word] for word in list(placed)[:_KNOWN_MORPHEMES]}
    return Space(tuple(blocks), half(np.array(idf)), known)


def _rounded(row: Row) -> Row:
    return row[0], row[1].astype(np.float16).astype(np.float32)


def _gram(rows: Sequence[Row], meaning: Floats, width: int) -> Floats:
    starts = np.cumsum([0, *(len(places) for places, _ in rows)])
    values = np.concatenate([held for _, held in rows])
    places = np.concatenate([held for held, _ in rows])
    matrix = csr_matrix((values, places, starts), shape=(len(rows), width))
    across = matrix.T.tocsr()
    gram: Floats = meaning @ meaning.T
    for begin in range(0, len(gram), 512):
        gram[begin : begin + 512] += (matrix[begin : begin + 512] @ across).toarray()
    gram -= 1.0
    gram *= BEND
    np.exp(gram, out=gram)
    return gram
