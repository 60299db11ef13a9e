"""Likeness of a text to the few lines of texts' owners that no head was trained for: no training, one comparison."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from app.language.feature_space import Floats, Places, Row
from app.language.kernel_heads import Reading, Supports


@dataclass(frozen=True)
class Prototypes:
    """The lines of some owners, those of one owner side by side. `places[i]` says which owner (caller's number)."""

    places: Places
    starts: Places
    supports: Supports
    rows: Mapping[str, tuple[Row, Floats]]

    @classmethod
    def of(cls, owners: Mapping[int, Sequence[str]], rows: Mapping[str, tuple[Row, Floats]], width: int) -> Prototypes:
        """`owners` maps a number to its texts (one at least); `rows` holds the features and meaning of every text."""
        texts = [text for lines in owners.values() for text in lines]
        meaning = np.stack([rows[text][1] for text in texts])
        supports = Supports.of([rows[text][0] for text in texts], meaning, width)
        starts = np.cumsum([0, *(len(lines) for lines in owners.values())])[:-1]
        kept = {text: rows[text] for text in texts}
        return cls(np.fromiter(owners, np.intp, len(owners)), starts.astype(np.intp), supports, kept)

    def scores(self, reading: Reading) -> Floats:
        """For each owner the cosine of its best line, in the order of `places`."""
        likeness = self.supports.likeness(*reading)
        best: Floats = np.maximum.reduceat(likeness, self.starts)
        return best
