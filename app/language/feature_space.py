"""The space in which texts are compared: sparse counts of letters and words, and a dense vector of meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.language.features import Analysis, Tagged
from app.language.morpheme_vectors import MorphemeVectors, SimilarityModel

Floats = NDArray[np.float32]

# Shares of the blocks in the likeness of two lines, together 1. Chosen by 5-fold cross-validation over the utterance
# bank; flat around the optimum.
_BLOCKS = {"c": 0.40, "w": 0.20, "p": 0.0667}
_MEANING = 1 / 3
_LEAST_LINES = 2


@dataclass(frozen=True)
class Example:
    """One labelled line. `label` None stands for "none of the labels"."""

    analysis: Analysis
    label: str | None


@dataclass(frozen=True)
class FeatureSpace:
    """Turns an analysis into the numbers that the heads weigh: sparse words and a dense meaning vector.

    The sentence embedder is left out on purpose: it was trained on the same lines, so its nearness to them says less
    about a new question than about a known one (measured: 4 points of Hit@1 lost). It is a source of its own.
    """

    vocabulary: dict[str, int]
    idf: Floats
    word_idf: dict[Tagged, float]
    vectors: MorphemeVectors

    def sparse(self, analysis: Analysis) -> tuple[NDArray[np.intp], Floats]:
        """Rows of the vocabulary and their values; each block has its own length, together about 1."""
        rows: list[int] = []
        look_up = self.vocabulary.get
        by_block: dict[str, tuple[list[int], list[int]]] = {block: ([], []) for block in _BLOCKS}
        for name, count in analysis.features.items():
            row = look_up(name)
            if row is not None:
                found = by_block[name[0]]
                found[0].append(row)
                found[1].append(count)
        parts = []
        for block, (block_rows, counts) in by_block.items():
            if not block_rows:
                continue
            weights = (1.0 + np.log(np.asarray(counts, dtype=np.float32))) * self.idf[block_rows]
            weights *= np.sqrt(_BLOCKS[block]) / max(float(np.sqrt(weights @ weights)), 1e-9)
            rows += block_rows
            parts.append(weights)
        values = np.concatenate(parts) if parts else np.zeros(0, np.float32)
        return np.asarray(rows, dtype=np.intp), values.astype(np.float32)

    def meaning(self, analysis: Analysis) -> Floats:
        """The weighted mean of the morphemes' vectors, scaled to its share (or all zeros)."""
        total = np.zeros(self.vectors.dimension, dtype=np.float32)
        rare = max(self.word_idf.values(), default=1.0)
        for morpheme in set(analysis.tagged):
            vector = self.vectors.vector(morpheme)
            if vector is not None:
                total += self.word_idf.get(morpheme, rare) * vector
        length = float(np.sqrt(total @ total))
        return (total * (np.sqrt(_MEANING) / length)).astype(np.float32) if length > 1e-6 else total


def build_space(examples: Sequence[Example], model: SimilarityModel) -> FeatureSpace:
    """The space of these examples: words that stand in two lines or more, and the meanings of the common morphemes."""
    lines: Counter[str] = Counter()
    words: Counter[Tagged] = Counter()
    for example in examples:
        lines.update(example.analysis.features.keys())
        words.update(set(example.analysis.tagged))
    kept = [name for name, count in lines.items() if count >= _LEAST_LINES]
    total = len(examples) + 1
    idf = np.array([np.log(total / (1 + lines[name])) + 1.0 for name in kept], dtype=np.float32)
    word_idf = {word: float(np.log(total / (1 + count))) for word, count in words.items()}
    common = [word for word, _ in sorted(words.items(), key=lambda item: (-item[1], item[0]))]
    vectors = MorphemeVectors.span(model, common)
    return FeatureSpace({name: row for row, name in enumerate(kept)}, idf, word_idf, vectors)
