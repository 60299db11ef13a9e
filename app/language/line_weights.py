"""The features of many lines in a file: which lines hold each, and how often. What they weigh is reckoned again.

In a line a feature weighs (1 + log of how often it stands there) times how rare it is, each block of features brought
to a length of its own. Counts are mostly 1, so that they take next to nothing, and the weights come back as they were.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.language.feature_space import Floats
from app.language.postings import Postings
from app.packed import Packed, Part, narrow

# A weight is stored at half precision, its rarity too: two ratios that differ by less are the same.
_NEAR = 2e-3
_FEWEST = 8
_MOST_COUNTED = 255
_DAMPED = (1.0 + np.log(np.maximum(np.arange(_MOST_COUNTED + 1), 1))).astype(np.float32)


@dataclass(frozen=True)
class Weighing:
    """What the weights follow from: how rare each feature is (`idf`), the block that it belongs to, and how long each
    block of a line is (`lengths`)."""

    idf: Floats
    blocks: NDArray[np.uint8]
    lengths: Floats

    def groups(self, held: Postings) -> NDArray[np.int32]:
        """The number of line and block together, of each weight in the order of the postings."""
        groups = held.lines.astype(np.int32) * np.int32(len(self.lengths))
        groups += np.repeat(self.blocks, np.diff(held.starts))
        return groups

    def weights(self, held: Postings, counts: NDArray[np.uint8], lines: int) -> NDArray[np.float16]:
        """What each feature weighs in each line that holds it so often."""
        weights = _DAMPED[counts]
        weights *= np.repeat(self.idf, np.diff(held.starts))
        groups = self.groups(held)
        squares = np.bincount(groups, weights=weights * weights, minlength=lines * len(self.lengths))
        scale = np.tile(self.lengths, lines) / np.maximum(np.sqrt(squares), 1e-9)
        weights *= scale.astype(np.float32)[groups]
        return weights.astype(np.float16)

    def counts(self, held: Postings, lines: int) -> NDArray[np.uint8]:
        """How often each line holds each feature, read out of the weights; where a line holds all of a block several
        times over, the fewest that weigh the same."""
        groups, size = self.groups(held), lines * len(self.lengths)
        ratio = held.values.astype(np.float64) / np.repeat(self.idf, np.diff(held.starts))
        least = np.full(size, np.inf)
        np.minimum.at(least, groups, ratio)
        ratio /= least[groups]
        found, best = np.ones(len(ratio)), np.full(size, np.inf)
        for fewest in range(1, _FEWEST + 1):
            damped = ratio * (1.0 + np.log(fewest))
            counts = np.clip(np.rint(np.exp(damped - 1.0)), 1, _MOST_COUNTED)
            worst = np.zeros(size)
            np.maximum.at(worst, groups, np.abs((1.0 + np.log(counts)) / damped - 1.0))
            better = (best > _NEAR) & (worst < best)
            found = np.where(better[groups], counts, found)
            best = np.where(better, worst, best)
        return found.astype(np.uint8)


def lines_to_parts(held: Postings, weighing: Weighing, lines: int) -> dict[str, Part]:
    """The postings of so many lines as parts of a file."""
    gaps = np.diff(held.lines.astype(np.int64), prepend=0).astype(np.int64)
    holders = np.diff(held.starts)
    firsts = held.starts[:-1][holders > 0]
    gaps[firsts] = held.lines[firsts]
    return {"holders": narrow(holders), "gaps": narrow(gaps), "counts": weighing.counts(held, lines)}


def holders_of(stored: Packed) -> NDArray[Any]:
    """How many lines hold each feature."""
    return stored.array("holders").astype(np.intp)


def lines_from_parts(stored: Packed, weighing: Weighing, lines: int) -> Postings:
    """The postings that `lines_to_parts` took apart. Raises KeyError or ValueError for a damaged file."""
    holders, gaps, counts = holders_of(stored), stored.array("gaps"), stored.array("counts")
    starts = np.concatenate([[0], np.cumsum(holders)]).astype(np.intp)
    if len(holders) != len(weighing.idf) or not len(gaps) == len(counts) == starts[-1]:
        raise ValueError("the features of the lines do not fit together")
    # Sums run over: only what they differ by is wanted.
    sums = np.cumsum(gaps, dtype=np.min_scalar_type(lines))
    before = np.concatenate([np.zeros(1, sums.dtype), sums])[starts[:-1]]
    owners = sums - np.repeat(before, holders)
    if owners.max(initial=0) >= lines:
        raise ValueError("a feature stands in a line that is not there")
    bare = Postings(starts, owners, np.zeros(0, np.float16))
    return bare._replace(values=weighing.weights(bare, counts, lines))
