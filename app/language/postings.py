"""Lists of lines by feature, laid out one behind the other, and what a text's features add to each line."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.language.feature_space import Floats, Places


def added_to_lines(
    starts: NDArray[np.intp], lines: NDArray[Any], values: NDArray[Any], features: Places, weights: Floats, count: int
) -> NDArray[np.float64]:
    """For each of `count` lines the sum of value times weight over the `features` that it holds.

    Feature f has the postings `lines[starts[f]:starts[f + 1]]` with their `values`; `weights` belong to `features`.
    """
    begins, ends = starts[features], starts[features + 1]
    runs = [slice(begin, end) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    if not runs:
        return np.zeros(count)
    held = np.concatenate([values[run] for run in runs]) * np.repeat(weights, ends - begins)
    added = np.bincount(np.concatenate([lines[run] for run in runs]), weights=held, minlength=count)
    return added.astype(np.float64, copy=False)
