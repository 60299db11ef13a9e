"""Linear heads over text features: one score a label, learned in closed form (ridge regression) in seconds on a CPU.

Training needs scipy; scoring needs numpy alone. The closed form also gives, for nothing, the score that each training
line would have had if it had not been trained on, which is what thresholds are calibrated with.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from app.language.features import Analysis, Tagged
from app.language.morpheme_vectors import MorphemeVectors, SimilarityModel

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = NDArray[np.float32]

# Chosen by 5-fold cross-validation over the utterance bank; flat around the optimum.
_BLOCKS = {"c": 0.60, "w": 0.30, "p": 0.10}
_MEANING = 0.5
_LEAST_LINES = 2
_RIDGE = 1.0
_BACKGROUND = 800
_FORMAT = 5


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


@dataclass(frozen=True)
class LinearHeads:
    """A score for each label. Scores are near 1 for a sure line of the label and near 0 otherwise."""

    labels: tuple[str, ...]
    space: FeatureSpace
    sparse_weights: Floats
    dense_weights: Floats
    background: tuple[NDArray[np.intp], NDArray[np.intp], Floats, Floats]

    def scores(self, analysis: Analysis) -> Floats:
        """One score a label, in the order of `labels` (about 0.2 ms)."""
        rows, values = self.space.sparse(analysis)
        result: Floats = values @ self.sparse_weights[rows] + self.space.meaning(analysis) @ self.dense_weights
        return result

    def with_label(self, label: str, examples: Sequence[Example]) -> LinearHeads:
        """The same heads and one more, learned from a few lines against a sample of all other lines (about 0.1 s)."""
        starts, rows, values, dense = self.background
        space = self.space
        sparse = [space.sparse(example.analysis) for example in examples]
        count = len(starts) - 1
        width = len(space.vocabulary)
        matrix = _stack(
            [(rows[starts[i] : starts[i + 1]], values[starts[i] : starts[i + 1]]) for i in range(count)] + sparse, width
        )
        both = np.concatenate([dense, [space.meaning(e.analysis) for e in examples]]).astype(np.float32)
        target = np.full((len(both), 1), -1.0 / max(len(self.labels), 1), dtype=np.float32)
        target[count:] = 1.0
        alpha, _ = _solve(_kernel(matrix, both), target, np.ones(len(both), np.float32))
        return replace(
            self,
            labels=(*self.labels, label),
            sparse_weights=np.hstack([self.sparse_weights, np.asarray(matrix.T @ alpha, dtype=np.float32)]),
            dense_weights=np.hstack([self.dense_weights, both.T @ alpha]),
        )

    def save(self, path: Path) -> None:
        """Write everything but the similarity model to one .npz file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        starts, rows, values, dense = self.background
        words = [[form, tag, weight] for (form, tag), weight in self.space.word_idf.items()]
        known = self.space.vectors.known()
        header = {
            "known": list(known),
            "format": _FORMAT,
            "labels": self.labels,
            "words": words,
            "basis": self.space.vectors.basis,
            "vocabulary": list(self.space.vocabulary),
        }
        temporary = path.with_suffix(".tmp.npz")
        np.savez(
            temporary,
            header=np.frombuffer(json.dumps(header, ensure_ascii=False).encode(), dtype=np.uint8),
            idf=self.space.idf,
            sparse=self.sparse_weights.astype(np.float16),
            dense=self.dense_weights,
            projection=self.space.vectors.projection,
            centre=self.space.vectors.centre,
            starts=starts,
            rows=rows,
            values=values,
            background=dense,
            known=np.stack(list(known.values())) if known else np.zeros((0, 0), np.float32),
        )
        temporary.replace(path)

    @classmethod
    def load(cls, path: Path, model: SimilarityModel) -> LinearHeads | None:
        """What `save` wrote; None when there is no file of this format, so that the caller trains anew."""
        try:
            with np.load(path) as stored:
                header: dict[str, Any] = json.loads(stored["header"].tobytes().decode())
                if header.get("format") != _FORMAT:
                    return None
                basis = [(form, tag) for form, tag in header["basis"]]
                vectors = MorphemeVectors(model, basis, stored["projection"], stored["centre"])
                known = [(form, tag) for form, tag in header["known"]]
                vectors.remember(dict(zip(known, stored["known"], strict=True)))
                space = FeatureSpace(
                    {name: row for row, name in enumerate(header["vocabulary"])},
                    stored["idf"],
                    {(form, tag): weight for form, tag, weight in header["words"]},
                    vectors,
                )
                background = (stored["starts"], stored["rows"], stored["values"], stored["background"])
                sparse = stored["sparse"].astype(np.float32)
                return cls(tuple(header["labels"]), space, sparse, stored["dense"], background)
        except (OSError, ValueError, KeyError, EOFError):
            return None


def fit_heads(
    examples: Sequence[Example], labels: Sequence[str], model: SimilarityModel, weights: Floats | None = None
) -> tuple[LinearHeads, Floats]:
    """Heads for `labels` and the left-out score of every example (each as if it had not been trained on).

    `weights` says how much each example counts (1 by default). Cost: the cube of the number of examples
    (about 3 s for 6,000 on two cores).
    """
    space = _space(examples, model)
    sparse = [space.sparse(example.analysis) for example in examples]
    matrix = _stack(sparse, len(space.vocabulary))
    dense = np.stack([space.meaning(example.analysis) for example in examples])
    column = {label: i for i, label in enumerate(labels)}
    target = np.full((len(examples), len(labels)), -1.0 / len(labels), dtype=np.float32)
    for row, example in enumerate(examples):
        if example.label is not None:
            target[row, column[example.label]] = 1.0
    strength = np.ones(len(examples), np.float32) if weights is None else weights
    alpha, inverse_diagonal = _solve(_kernel(matrix, dense), target, strength)
    left_out = target - alpha / inverse_diagonal[:, None]
    heads = LinearHeads(
        tuple(labels),
        space,
        # Rounded as they are stored, so that the first start and the next one score alike.
        np.asarray(matrix.T @ alpha, dtype=np.float16).astype(np.float32),
        dense.T @ alpha,
        _sample(sparse, dense),
    )
    return heads, left_out.astype(np.float32)


def _space(examples: Sequence[Example], model: SimilarityModel) -> FeatureSpace:
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


def _stack(sparse: Sequence[tuple[NDArray[np.intp], Floats]], width: int) -> csr_matrix:
    from scipy.sparse import csr_matrix  # noqa: PLC0415  (only training needs scipy)

    starts = np.concatenate([[0], np.cumsum([len(rows) for rows, _ in sparse])])
    rows = np.concatenate([rows for rows, _ in sparse]) if sparse else np.zeros(0, np.intp)
    values = np.concatenate([values for _, values in sparse]) if sparse else np.zeros(0, np.float32)
    return csr_matrix((values, rows, starts), shape=(len(sparse), width))


def _kernel(matrix: csr_matrix, dense: Floats) -> Floats:
    """Likeness of every two lines. Common features go through a dense product, which is much faster there."""
    often = np.asarray((matrix > 0).sum(axis=0)).ravel() > max(64, matrix.shape[0] // 24)
    common = np.hstack([matrix[:, often].toarray(), dense]).astype(np.float32)
    rare = matrix[:, ~often]
    gram: Floats = common @ common.T + (rare @ rare.T).toarray().astype(np.float32)
    return gram


def _solve(gram: Floats, target: Floats, strength: Floats) -> tuple[Floats, Floats]:
    """(K + λ/strength)⁻¹ target, and the diagonal of that inverse."""
    from scipy.linalg import lapack  # noqa: PLC0415  (only training needs scipy)

    gram[np.diag_indices_from(gram)] += _RIDGE / strength
    factor, failed = lapack.spotrf(gram, lower=1, overwrite_a=1)
    if failed:
        raise ValueError(f"학습 행렬을 분해할 수 없습니다 (LAPACK {failed}).")
    alpha, _ = lapack.spotrs(factor, target, lower=1)
    inverse, _ = lapack.spotri(factor, lower=1, overwrite_c=1)
    return alpha.astype(np.float32), np.diagonal(inverse).astype(np.float32).copy()


def _sample(
    sparse: Sequence[tuple[NDArray[np.intp], Floats]], dense: Floats
) -> tuple[NDArray[np.intp], NDArray[np.intp], Floats, Floats]:
    """Evenly spaced lines kept for learning one more label later."""
    picked = np.unique(np.linspace(0, len(sparse) - 1, min(_BACKGROUND, len(sparse))).astype(int))
    starts = np.concatenate([[0], np.cumsum([len(sparse[i][0]) for i in picked])]).astype(np.intp)
    rows = np.concatenate([sparse[i][0] for i in picked])
    values = np.concatenate([sparse[i][1] for i in picked])
    return starts, rows, values, dense[picked]
