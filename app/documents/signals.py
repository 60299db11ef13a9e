"""How well each passage fits a question, seen by words, letter pairs and vectors, in values that questions share.

Words and pairs count as a share of the best that the question could score, so a question whose words stand in no
document scores low, while one that quotes a passage scores near 1 there. The weights were chosen on customer-worded
questions over statutes and on word-for-word ones (docs/documents.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.documents.bm25 import WordIndex
from app.documents.index import Snapshot
from app.documents.terms import QueryTerms

Floats = NDArray[np.float32]

WORDS = (0.2, 0.25, 0.1, 0.175)
"""Weights of a question's own words, words of concepts, of the glossary, and words alike in a passage."""
HEADINGS = (0.2, 0.3)
"""Weights of words of concepts and of the glossary in the passage's last heading."""
PAIRS, MEANING, VECTOR = 0.3, 0.5, 0.15
QUOTED = 2.0
"""Weight of the squared share of letter pairs in semantic mode: hardly felt unless the question quotes the text."""
SHARED = 2.0
"""Weight of words and letter pairs that fit both: what is quoted weighs more than what is alike."""
QUOTED_HYBRID, SHARED_HYBRID = 5.0, 4.0
"""The same in hybrid mode, which must not lose to keyword mode where a question has the document's own words."""
TERMED, ALIKE = 0.8, 0.35
"""Weights of concepts and of words alike where one value must tell how well the words fit."""
_PAIR_IDEAL = 0.7
"""A usual letter pair's weight as a share of the rarest one's."""


@dataclass(frozen=True)
class Signals:
    """One value a passage. `keyword` is the best-of-list share of words and pairs; the others are absolute.

    `text` holds one row a sort of word: own, of concepts, of the glossary, alike; `heading` those of concepts and of
    the glossary.
    """

    keyword: Floats
    text: Floats
    heading: Floats
    pairs: Floats
    meaning: Floats
    vector: Floats

    @property
    def wide(self) -> Floats:
        """How well the words fit, words of concepts and words alike counting less."""
        found: Floats = self.text[0] + TERMED * self.text[1] + ALIKE * self.text[3]
        return found

    @property
    def semantic(self) -> Floats:
        """What semantic mode ranks by."""
        return self._mixed(QUOTED, SHARED)

    @property
    def overall(self) -> Floats:
        """What hybrid mode ranks its candidates by, after fusion."""
        return self._mixed(QUOTED_HYBRID, SHARED_HYBRID)

    def _mixed(self, quoted: float, shared: float) -> Floats:
        words = np.asarray(WORDS, np.float32) @ self.text + np.asarray(HEADINGS, np.float32) @ self.heading
        mixed = words + PAIRS * self.pairs + MEANING * self.meaning + VECTOR * self.vector
        total: Floats = (mixed + (quoted * self.pairs + shared * self.text[0]) * self.pairs).astype(np.float32)
        return total


def read_signals(snapshot: Snapshot, terms: QueryTerms, meaning: Floats, vector: Floats) -> Signals:
    """The signals of a question. `meaning` is its vector among `snapshot.meanings`, `vector` among the embedder's."""
    own, concepts, trade = (dict.fromkeys(words, 1.0) for words in (terms.words, terms.concepts, terms.trade))
    text = _shares(snapshot.words, terms.words, (own, concepts, trade, terms.alike))
    pairs = snapshot.bigrams.scores(terms.bigrams)
    pair_ideal = max(len(terms.bigrams) * snapshot.bigrams.postings.unknown * _PAIR_IDEAL, 1e-6)
    return Signals(
        keyword=share_of_best(text[0]) + share_of_best(pairs),
        text=text,
        heading=_shares(snapshot.headings, terms.words, (concepts, trade)),
        pairs=(pairs / pair_ideal).astype(np.float32),
        meaning=np.maximum(cosines(snapshot.meanings, meaning), 0.0),
        vector=above_usual(cosines(snapshot.vectors, vector)),
    )


def _shares(index: WordIndex, asked: Sequence[str], sorts: Sequence[Mapping[str, float]]) -> Floats:
    """Scores of each sort of word as shares of the best that the question's own words could score."""
    ideal = np.float32(max(index.ideal(asked), 1e-6))
    return np.stack([index.scores(words) / ideal for words in sorts])


def cosines(rows: Floats, vector: Floats) -> Floats:
    """The cosine of each row with a vector; 0 everywhere when the two do not belong together."""
    if rows.shape[1:] != vector.shape:
        return np.zeros(len(rows), dtype=np.float32)
    # einsum stays on this thread: BLAS would wake its own for a product of half a millisecond, and wait for them
    found: Floats = np.einsum("ij,j->i", rows, vector)
    return found


def above_usual(values: Floats) -> Floats:
    """Cosines above their mean as a share of what is possible: embedders differ in how alike they find all texts."""
    usual = float(values.mean()) if len(values) else 0.0
    lifted: Floats = np.maximum((values - usual) / max(1.0 - usual, 1e-3), 0.0).astype(np.float32)
    return lifted


def share_of_best(values: Floats) -> Floats:
    """The values as shares of the largest."""
    best = float(values.max(initial=0.0))
    return values / best if best > 0 else values
