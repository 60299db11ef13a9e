"""What a passage or a question is about, as one vector: a weighted sum of the meaning vectors of its words.

The words are those of the keyword index, so a passage is never analysed twice. A word that was seen in training has a
vector of its own in data/models/ko-clause-meaning; any other gets one from Kiwi's language model through the trained
map, so that the vocabulary has no end. Made by scripts/train_documents.py.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.errors import IndexBuildError
from app.language.morpheme_vectors import MorphemeVectors, SimilarityModel
from app.messages import worded
from app.packed import SUFFIX, Int8Rows, open_packed

Floats = NDArray[np.float32]

FOLDER = "ko-clause-meaning"
FILE = f"meaning{SUFFIX}"
_VERB_TAGS, _NOUN_TAGS = ("VV", "VA"), ("NNG", "NNP", "XR", "MAG", "NNB", "NP")
_MEMORY = 8_000
_WAY_OUT = worded("meaning.way_out")


class MeaningSpace:
    """Unit vectors of bags of words (terms as `index_terms` makes them). Safe to share between threads."""

    def __init__(
        self,
        rows: Mapping[str, int],
        table: Int8Rows,
        morphemes: MorphemeVectors,
        onto: Floats,
        rare: float,
        name: str,
    ) -> None:
        """A word's vector is its row of `table`; `onto` maps Kiwi's vectors into the space, `rare` is
        the weight of a word that training has not seen."""
        self._rows, self._table = rows, table
        self._morphemes, self._onto, self._rare = morphemes, onto, rare
        self.fingerprint = name
        self.dimension = table.shape[1]
        self._unseen: dict[str, Floats] = {}

    @classmethod
    def load(cls, folder: Path, model: SimilarityModel) -> MeaningSpace:
        """Read the folder's file (about 30 ms, 6 MB): `vectors`, a row a word, and the words in their order; basis,
        projection and centre of Kiwi's vectors, and `onto`. Raises IndexBuildError naming the file and the way out."""
        path = folder / FILE
        try:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
            with open_packed(path) as stored:
                listed, table = json.loads(stored.text("listed")), stored.rows("vectors")
                rows = {word: row for row, word in enumerate(listed["words"])}
                basis = [(form, tag) for form, tag in listed["basis"]]
                projection, onto = (stored.array(name).astype(np.float32) for name in ("projection", "onto"))
                morphemes = MorphemeVectors(model, basis, projection, stored.array("centre"))
                rare = float(listed["rare"])
        except OSError as error:
            raise IndexBuildError(worded("meaning.cannot_read", filename=error.filename, way_out=_WAY_OUT)) from error
        except ValueError as error:
            raise IndexBuildError(worded("meaning.damaged", folder=folder, way_out=_WAY_OUT)) from error
        return cls(rows, table, morphemes, onto, rare, f"{folder.name}:{digest}")

    def encode(self, words: Mapping[str, float]) -> Floats:
        """The unit vector of weighted words; zero when none has a meaning."""
        known = [(row, weight) for word, weight in words.items() if (row := self._rows.get(word)) is not None]
        total = np.zeros(self.dimension, dtype=np.float32)
        if known:
            rows = np.array([row for row, _ in known], dtype=np.intp)
            total += self._table.weighed(rows, np.array([weight for _, weight in known], dtype=np.float32))
        for word, weight in words.items():
            if word not in self._rows:
                total += self._unseen_word(word) * np.float32(weight)
        length = float(np.sqrt(total @ total))
        return total / np.float32(length) if length > 1e-6 else total

    def encode_passage(self, words: Iterable[str]) -> Floats:
        """The unit vector of a passage: a word that stands in it often counts by the root of its number."""
        return self.encode({word: count**0.5 for word, count in Counter(words).items()})

    def _unseen_word(self, word: str) -> Floats:
        found = self._unseen.get(word)
        if found is None:
            if len(self._unseen) >= _MEMORY:
                self._unseen = {}
            found = self._unseen[word] = self._of_morpheme(word)
        return found

    def _of_morpheme(self, word: str) -> Floats:
        """Numbers and article references mean nothing by themselves."""
        if not word.startswith("§") and not word[:1].isdigit():
            verb = len(word) > 1 and word.endswith("다")
            tries = [(word[:-1], tag) for tag in _VERB_TAGS] if verb else []
            for form, tag in (*tries, *((word, tag) for tag in _NOUN_TAGS)):
                vector = self._morphemes.vector((form, tag))
                if vector is not None:
                    mapped: Floats = (vector @ self._onto) * np.float32(self._rare)
                    return mapped
        return np.zeros(self.dimension, dtype=np.float32)
