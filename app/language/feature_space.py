"""The space in which texts are compared: sparse counts of letters and words, and a dense vector of meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from app.language.features import Analysis, Tagged
from app.language.morpheme_vectors import MorphemeVectors, SimilarityModel, half
from app.language.vocabulary import Vocabulary

Floats = NDArray[np.float32]
Places = NDArray[np.intp]
Row = tuple[Places, Floats]

# Shares of the blocks in the likeness of two lines, together 1. Chosen by 5-fold cross-validation over the utterance
# bank; flat around the optimum.
_BLOCKS = {"c": 0.40, "w": 0.20, "p": 0.0667}
BLOCK_LENGTHS = np.sqrt(np.array(list(_BLOCKS.values()), dtype=np.float32))
_BLOCK_OF = {name: number for number, name in enumerate(_BLOCKS)}
_MEANING = 1 / 3
# The first axes hold all that helps: 64 to 203 of them give the same Hit@1, and fewer are quicker to compare.
_MEANING_AXES = 64
_LEAST_LINES = 2


@dataclass(frozen=True)
class Example:
    """One labelled line. `label` None stands for "none of the labels"."""

    analysis: Analysis
    label: str | None


class Rows(Sequence[Row]):
    """The rows of many lines, end to end: a third of the memory that a pair of arrays a line takes. Values are kept at
    half precision, as they are stored."""

    def __init__(self, starts: NDArray[np.int32], places: NDArray[np.int32], values: NDArray[np.float16]) -> None:
        """Row i is places[starts[i]:starts[i + 1]] with their values."""
        self.starts, self.places, self.values = starts, places, values

    @classmethod
    def of(cls, rows: Sequence[Row]) -> Rows:
        """From a pair of arrays a line."""
        starts = np.cumsum([0, *(len(places) for places, _ in rows)], dtype=np.int32)
        places = np.concatenate([np.zeros(0, np.intp), *(places for places, _ in rows)]).astype(np.int32)
        values = np.concatenate([np.zeros(0, np.float32), *(values for _, values in rows)]).astype(np.float16)
        return cls(starts, places, values)

    def __len__(self) -> int:
        return len(self.starts) - 1

    @overload
    def __getitem__(self, number: int) -> Row: ...
    @overload
    def __getitem__(self, number: slice) -> list[Row]: ...
    def __getitem__(self, number: int | slice) -> Row | list[Row]:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        begin, end = self.starts[number], self.starts[number + 1]
        return self.places[begin:end].astype(np.intp), self.values[begin:end].astype(np.float32)


@dataclass
class Readings:
    """Analyses boiled down to numbers while they stream by, so that thousands of lines do not fill the memory."""

    features: list[NDArray[np.int32]] = field(default_factory=list)
    counts: list[NDArray[np.uint8]] = field(default_factory=list)
    morphemes: list[NDArray[np.int32]] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    words: dict[Tagged, int] = field(default_factory=dict)

    def add(self, analysis: Analysis) -> None:
        """Take one line in."""
        number, word_number = self.names.setdefault, self.words.setdefault
        found = analysis.features
        self.features.append(np.array([number(name, len(self.names)) for name in found], dtype=np.int32))
        self.counts.append(np.minimum(np.fromiter(found.values(), np.int64, len(found)), 255).astype(np.uint8))
        self.morphemes.append(
            np.array([word_number(item, len(self.words)) for item in set(analysis.tagged)], dtype=np.int32)
        )


@dataclass(frozen=True)
class FeatureSpace:
    """Turns an analysis into the numbers that the heads weigh: sparse words and a dense meaning vector.

    The sentence embedder is left out on purpose: it was trained on the same lines, so its nearness to them says less
    about a new question than about a known one (measured: 4 points of Hit@1 lost). It is a source of its own.
    """

    vocabulary: Vocabulary
    """By Python's own hash of a feature's name, which holds for this process and its copies."""
    idf: Floats
    word_idf: dict[Tagged, float]
    vectors: MorphemeVectors
    rarest: float
    names: tuple[str, ...] = ()
    """The features in order, for who stores what was trained; what was loaded has none."""

    def sparse(self, analysis: Analysis) -> Row:
        """Rows of the vocabulary and their values; each block has its own length, together about 1."""
        found = analysis.features
        places = self.vocabulary.places([hash(name) for name in found])
        known = places >= 0
        counts = np.fromiter(found.values(), np.float32, len(found))
        blocks = blocks_of(list(found))
        return places[known], _weighed(self.idf[places[known]], counts[known], blocks[known])

    def meaning(self, analysis: Analysis) -> Floats:
        """The weighted mean of the morphemes' vectors, scaled to its share (or all zeros)."""
        total = np.zeros(self.vectors.dimension, dtype=np.float32)
        for morpheme in set(analysis.tagged):
            vector = self.vectors.vector(morpheme)
            if vector is not None:
                total += self.word_idf.get(morpheme, self.rarest) * vector
        length = float(np.sqrt(total @ total))
        return (total * (np.sqrt(_MEANING) / length)).astype(np.float32) if length > 1e-6 else total


def build_space(
    analyses: Iterable[Analysis], model: SimilarityModel, vectors: MorphemeVectors | None = None
) -> tuple[FeatureSpace, list[Row], Floats]:
    """The space of these lines (features that stand in two lines or more), each line's row, and their meanings.

    `vectors` of an earlier space are taken over if given: they come from the tokenizer's model, not from the lines.
    """
    readings = Readings()
    for analysis in analyses:
        readings.add(analysis)
    count = len(readings.features)
    holders = np.bincount(np.concatenate([*readings.features, np.zeros(0, np.int32)]), minlength=len(readings.names))
    kept = holders >= _LEAST_LINES
    place = np.where(kept, np.cumsum(kept) - 1, -1)
    names = [name for name, keep in zip(readings.names, kept, strict=True) if keep]
    idf = rarity(holders[kept], count)
    block = blocks_of(names)
    rows: list[Row] = []
    for found, counts in zip(readings.features, readings.counts, strict=True):
        places = place[found]
        held = places >= 0
        places = places[held].astype(np.intp)
        rows.append((places, _weighed(idf[places], counts[held].astype(np.float32), block[places])))
    words = np.bincount(np.concatenate([*readings.morphemes, np.zeros(0, np.int32)]), minlength=len(readings.words))
    weights = np.log((count + 1) / (1 + words)).astype(np.float32)
    word_idf = {word: float(weight) for word, weight in zip(readings.words, weights, strict=True)}
    fresh = vectors is None
    if vectors is None:
        common = sorted(zip(readings.words, words, strict=True), key=lambda item: (-item[1], item[0]))
        vectors = MorphemeVectors.span(model, [word for word, _ in common])
    means = _means(readings, vectors, weights)
    if fresh and means.shape[1] > _MEANING_AXES:
        _, axes = np.linalg.eigh(means.T @ means)
        turned = half(np.ascontiguousarray(axes[:, ::-1][:, :_MEANING_AXES]))
        vectors, means = vectors.onto(turned), means @ turned
    lengths = np.linalg.norm(means, axis=1, keepdims=True)
    means = np.where(lengths > 1e-6, means * (np.sqrt(_MEANING) / np.maximum(lengths, 1e-6)), 0.0).astype(np.float32)
    rarest = max(word_idf.values(), default=1.0)
    vocabulary = Vocabulary(list(map(hash, names)))
    return FeatureSpace(vocabulary, idf, word_idf, vectors, rarest, tuple(names)), rows, means


def rarity(holders: NDArray[np.integer[Any]], lines: int) -> Floats:
    """How much a feature that so many of the lines hold weighs: 1 and more, the rarer the more."""
    return (np.log((lines + 1) / (1 + holders)) + 1.0).astype(np.float32)


def blocks_of(names: Sequence[str]) -> NDArray[np.uint8]:
    """The block of each feature: letters, words, pairs."""
    return np.fromiter((_BLOCK_OF[name[0]] for name in names), np.uint8, len(names))


def _means(readings: Readings, vectors: MorphemeVectors, weights: Floats) -> Floats:
    table = np.zeros((len(readings.words), vectors.dimension), dtype=np.float32)
    for number, word in enumerate(readings.words):
        vector = vectors.vector(word)
        if vector is not None:
            table[number] = vector
    table *= weights[:, None]
    means = np.zeros((len(readings.morphemes), vectors.dimension), dtype=np.float32)
    for row, found in enumerate(readings.morphemes):
        if len(found):
            means[row] = table[found].sum(axis=0)
    return means


def _weighed(idf: Floats, counts: Floats, block: NDArray[np.uint8]) -> Floats:
    """Each block brought to its share of the length."""
    weights = (1.0 + np.log(np.maximum(counts, 1.0))) * idf
    lengths = np.sqrt(np.bincount(block, weights=weights * weights, minlength=len(BLOCK_LENGTHS)))
    scale = BLOCK_LENGTHS / np.maximum(lengths, 1e-9)
    return (weights * scale[block]).astype(np.float32)
