"""Meaning vectors of morphemes, taken from the language model that ships inside Kiwi.

Kiwi tells how alike two morphemes are (cosine). Likeness to a few hundred fixed morphemes is enough to place any
morpheme in the space that those span, so the vectors come back exactly, with no download and no file of our own.
Source: the CoNg model of kiwipiepy_model (Apache-2.0).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from app.language.features import Tagged

Vector = NDArray[np.float32]

_LEAST_EIGENVALUE = 0.05
_CACHE_LIMIT = 20_000
_UNSIMILAR_TAGS = ("S", "W", "U")


class SimilarityModel(Protocol):
    """The part of the tokenizer that is used here."""

    def morpheme_similarities(self, a: Tagged, others: Sequence[Tagged]) -> list[float]:
        """Cosines of one morpheme with others. Raises ValueError for one it does not know."""
        ...


class MorphemeVectors:
    """Vectors of morphemes, centred, of length 1; unknown ones have none. Safe to share between threads."""

    def __init__(
        self,
        model: SimilarityModel,
        basis: Sequence[Tagged],
        projection: Vector,
        centre: Vector,
        axes: Vector | None = None,
    ) -> None:
        self._model, self.basis, self.projection, self.centre = model, tuple(basis), projection, centre
        self.axes = axes
        self._cache: dict[Tagged, Vector | None] = {}

    @classmethod
    def span(cls, model: SimilarityModel, common: Iterable[Tagged], size: int = 300) -> MorphemeVectors:
        """A space spanned by the first `size` morphemes of `common` that the model knows (about 0.2 s)."""
        basis: list[Tagged] = []
        for item in common:
            if len(basis) == size:
                break
            if not item[1].startswith(_UNSIMILAR_TAGS) and _likeness(model, item, [item]) is not None:
                basis.append(item)
        gram = np.array([_likeness(model, item, basis) for item in basis], dtype=np.float32).reshape(len(basis), -1)
        values, axes = np.linalg.eigh((gram + gram.T) / 2) if basis else (np.zeros(0), np.zeros((0, 0)))
        kept = values > _LEAST_EIGENVALUE
        projection = half(axes[:, kept] / np.sqrt(values[kept]))
        centre = (gram @ projection).mean(0) if basis else np.zeros(0, np.float32)
        return cls(model, basis, projection, centre.astype(np.float32))

    def onto(self, axes: Vector) -> MorphemeVectors:
        """The same vectors seen along these axes alone (columns); no longer of unit length."""
        turned = MorphemeVectors(self._model, self.basis, self.projection, self.centre, axes)
        turned.remember({morpheme: vector @ axes for morpheme, vector in self.known().items()})
        return turned

    @property
    def dimension(self) -> int:
        """Length of the vectors (about 200 when whole)."""
        return int(self.projection.shape[1] if self.axes is None else self.axes.shape[1])

    def vector(self, morpheme: Tagged) -> Vector | None:
        """The vector of one morpheme; about 0.3 ms the first time, then a look-up."""
        try:
            return self._cache[morpheme]
        except KeyError:
            pass
        made = self._make(morpheme)
        # One assignment each, so that threads need no lock; a copy of the process could be forked with it held.
        if len(self._cache) >= _CACHE_LIMIT:
            self._cache = {}
        self._cache[morpheme] = made
        return made

    def known(self) -> dict[Tagged, Vector]:
        """The vectors made so far."""
        return {morpheme: vector for morpheme, vector in self._cache.items() if vector is not None}

    def remember(self, vectors: Mapping[Tagged, Vector]) -> None:
        """Take over vectors of this very space, so that they need not be made again."""
        self._cache = {**self._cache, **vectors}

    def _make(self, morpheme: Tagged) -> Vector | None:
        if not self.basis or morpheme[1].startswith(_UNSIMILAR_TAGS):
            return None
        row = _likeness(self._model, morpheme, self.basis)
        if row is None:
            return None
        placed = np.asarray(row, dtype=np.float32) @ self.projection - self.centre
        length = float(np.sqrt(placed @ placed))
        if length <= 1e-6:
            return None
        unit = (placed / length).astype(np.float32)
        return unit if self.axes is None else unit @ self.axes


def half(values: NDArray[np.floating[Any]]) -> Vector:
    """Rounded to half precision, as it is stored: what is trained with and what is read are then the same."""
    return values.astype(np.float16).astype(np.float32)


def _likeness(model: SimilarityModel, item: Tagged, others: Sequence[Tagged]) -> list[float] | None:
    try:
        return model.morpheme_similarities(item, others)
    except ValueError:  # a morpheme that the model has never seen
        return None
