"""BM25 in memory: postings in flat arrays, built with numpy alone and never changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
_K1, _B = 1.2, 0.75


@dataclass(frozen=True)
class Bm25:
    """Postings by term number. `ideal` is the most a term can add to a score (its weight at great frequency)."""

    starts: NDArray[np.int64]
    documents: NDArray[np.int32]
    weights: Floats
    ideal: Floats
    count: int
    unknown: float

    @classmethod
    def build(cls, documents: NDArray[np.int64], terms: NDArray[np.int64], vocabulary: int, count: int) -> Bm25:
        """From one (document, term) pair an occurrence."""
        pairs, frequencies = np.unique(terms * max(count, 1) + documents, return_counts=True)
        term_of, document_of = np.divmod(pairs, max(count, 1))
        length = np.bincount(documents, minlength=count).astype(np.float32)
        holders = np.bincount(term_of, minlength=vocabulary)
        idf = np.log1p((count - holders + 0.5) / (holders + 0.5)).astype(np.float32)
        norm = _K1 * (1 - _B + _B * length / max(float(length.mean()) if count else 1.0, 1e-6))
        weights = idf[term_of] * frequencies * (_K1 + 1) / (frequencies + norm[document_of])
        starts = np.concatenate([[0], np.cumsum(holders)]).astype(np.int64)
        ideal = idf * (_K1 + 1)
        unknown = float(np.log1p((count + 0.5) / 0.5) * (_K1 + 1))
        return cls(starts, document_of.astype(np.int32), weights.astype(np.float32), ideal, count, unknown)

    def scores(self, terms: Iterable[tuple[int, float]]) -> Floats:
        """The score of every document for weighted term numbers."""
        total = np.zeros(self.count, dtype=np.float32)
        for term, weight in terms:
            begin, end = self.starts[term], self.starts[term + 1]
            total[self.documents[begin:end]] += self.weights[begin:end] * np.float32(weight)
        return total


@dataclass(frozen=True)
class WordIndex:
    """BM25 over words."""

    vocabulary: Mapping[str, int]
    postings: Bm25

    @classmethod
    def build(cls, texts: Sequence[Sequence[str]]) -> WordIndex:
        """From the terms of each passage."""
        vocabulary: dict[str, int] = {}
        numbers = [vocabulary.setdefault(term, len(vocabulary)) for terms in texts for term in terms]
        lengths = np.fromiter((len(terms) for terms in texts), dtype=np.int64, count=len(texts))
        documents = np.repeat(np.arange(len(texts), dtype=np.int64), lengths)
        return cls(vocabulary, Bm25.build(documents, np.asarray(numbers, dtype=np.int64), len(vocabulary), len(texts)))

    def scores(self, words: Mapping[str, float]) -> Floats:
        """The score of every passage."""
        return self.postings.scores(
            (self.vocabulary[word], weight) for word, weight in words.items() if word in self.vocabulary
        )

    def ideal(self, words: Iterable[str]) -> float:
        """The most that a passage could score; words that no passage holds count as the rarest."""
        total = 0.0
        for word in words:
            number = self.vocabulary.get(word)
            total += self.postings.unknown if number is None else float(self.postings.ideal[number])
        return total


@dataclass(frozen=True)
class BigramIndex:
    """BM25 over letter pairs; `codes` are the sorted pairs that occur."""

    codes: NDArray[np.int64]
    postings: Bm25

    @classmethod
    def build(cls, pairs: Sequence[NDArray[np.int64]]) -> BigramIndex:
        """From the pairs of each passage."""
        lengths = np.fromiter((len(row) for row in pairs), dtype=np.int64, count=len(pairs))
        flat = np.concatenate(pairs) if pairs else np.zeros(0, dtype=np.int64)
        codes, numbers = np.unique(flat, return_inverse=True)
        documents = np.repeat(np.arange(len(pairs), dtype=np.int64), lengths)
        return cls(codes, Bm25.build(documents, numbers.astype(np.int64), len(codes), len(pairs)))

    def scores(self, codes: Sequence[int]) -> Floats:
        """The score of every passage."""
        wanted = np.asarray(codes, dtype=np.int64)
        if not len(self.codes) or not len(wanted):
            return np.zeros(self.postings.count, dtype=np.float32)
        places = np.minimum(np.searchsorted(self.codes, wanted), len(self.codes) - 1)
        known = places[self.codes[places] == wanted]
        return self.postings.scores((int(number), 1.0) for number in known)
