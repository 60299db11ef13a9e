"""How well each passage fits a question, seen by words, letter pairs and vectors, in values that questions share.

Words and pairs count as a share of the best that the question could score, so a question whose words stand in no
document scores low, while one that quotes a passage scores near 1 there. The weights were chosen on customer-worded
questions over statutes and on word-for-word ones (docs/documents.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.documents.index import Snapshot
from app.documents.terms import QueryTerms

Floats = NDArray[np.float32]

WIDE, PAIRS, MEANING, VECTOR = 0.5, 0.3, 0.5, 0.15
QUOTED = 2.0
"""Weight of the squared share of letter pairs in semantic mode: hardly felt unless the question quotes the text."""
QUOTED_HYBRID = 3.0
_PAIR_IDEAL = 0.7
"""A usual letter pair's weight as a share of the rarest one's."""


@dataclass(frozen=True)
class Signals:
    """One value a passage. `keyword` is the best-of-list share of words and pairs; the others are absolute."""

    keyword: Floats
    wide: Floats
    pairs: Floats
    meaning: Floats
    vector: Floats

    @property
    def semantic(self) -> Floats:
        """What semantic mode ranks by."""
        return self._mixed(QUOTED)

    @property
    def overall(self) -> Floats:
        """What hybrid mode ranks its candidates by, after fusion."""
        return self._mixed(QUOTED_HYBRID)

    def _mixed(self, quoted: float) -> Floats:
        mixed = WIDE * self.wide + PAIRS * self.pairs + MEANING * self.meaning + VECTOR * self.vector
        total: Floats = (mixed + quoted * self.pairs * self.pairs).astype(np.float32)
        return total


def read_signals(snapshot: Snapshot, terms: QueryTerms, meaning: Floats, vector: Floats) -> Signals:
    """The signals of a question. `meaning` is its vector among `snapshot.meanings`, `vector` among the embedder's."""
    ideal = max(snapshot.words.ideal(terms.words), 1e-6)
    own = snapshot.words.scores(dict.fromkeys(terms.words, 1.0))
    pairs = snapshot.bigrams.scores(terms.bigrams)
    pair_ideal = max(len(terms.bigrams) * snapshot.bigrams.postings.unknown * _PAIR_IDEAL, 1e-6)
    return Signals(
        keyword=share_of_best(own) + share_of_best(pairs),
        wide=(snapshot.words.scores(terms.wide) / ideal).astype(np.float32),
        pairs=(pairs / pair_ideal).astype(np.float32),
        meaning=np.maximum(cosines(snapshot.meanings, meaning), 0.0),
        vector=above_usual(cosines(snapshot.vectors, vector)),
    )


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
