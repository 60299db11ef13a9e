"""Lists of lines by feature, laid out one behind the other, and what a text's features add to each line."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.language.feature_space import Floats, Places


def added_to_lines(
    starts: NDArray[np.intp], lines: NDArray[Any], values: Floats, features: Places, weights: Floats, count: int
) -> NDArray[np.float64]:
    """For each of `count` lines the sum of value times weight over the `features` that it holds.

    Feature f has the postings `lines[starts[f]:starts[f + 1]]` with their `values`; `weights` belong to `features`.
    """
    begins, lengths = starts[features], starts[features + 1] - starts[features]
    # All postings in one go: each run goes on where the one before it ended.
    runs = np.arange(lengths.sum()) + np.repeat(begins - (np.cumsum(lengths) - lengths), lengths)
    added = np.bincount(lines[runs], weights=values[runs] * np.repeat(weights, lengths), minlength=count)
    return added.astype(np.float64, copy=False)
