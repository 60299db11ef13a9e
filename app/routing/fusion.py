"""Weighted reciprocal rank fusion: each source adds weight / (k + rank). Only ranks are compared between sources."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]

RRF_K = 60

# bm25, graph, embedding and annotation as annotation-aware-retrieval.txt has them; the learned head by measurement.
WEIGHTS: dict[str, float] = {"bm25": 1.0, "graph": 1.0, "embedding": 1.0, "annotation": 0.2, "head": 6.0}


def ranks_of(scores: Floats, floor: float = -np.inf) -> NDArray[np.float32]:
    """Ranks from 1, equal scores sharing the better rank; infinity for what does not score above `floor`."""
    ordered = np.sort(scores)[::-1]
    ranks = (np.searchsorted(-ordered, -scores, side="left") + 1).astype(np.float32)
    ranks[scores <= floor] = np.inf
    return ranks


def fuse(sources: Sequence[tuple[NDArray[np.float32], float]], k: int = RRF_K) -> Floats:
    """The fused score of every tool from (ranks, weight) of each source; no rank in a source gains nothing there."""
    total = np.zeros(len(sources[0][0]) if sources else 0, dtype=np.float32)
    for ranks, weight in sources:
        total += (weight / (k + ranks)).astype(np.float32)
    return total
