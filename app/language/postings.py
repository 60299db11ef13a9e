"""Lists of lines by feature, laid out one behind the other, and what a text's features add to each line."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from app.language.feature_space import Floats, Places


class Postings(NamedTuple):
    """Feature f stands in the lines `lines[starts[f]:starts[f + 1]]` (ascending), with their `values`."""

    starts: NDArray[np.intp]
    lines: NDArray[Any]
    values: NDArray[np.float16]

    def ordered(self, features: NDArray[np.intp]) -> Postings:
        """The same of these features, in their order."""
        sizes = np.diff(self.starts)[features]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.intp)
        taken = np.arange(starts[-1]) + np.repeat(self.starts[features] - starts[:-1], sizes)
        return Postings(starts, self.lines[taken], self.values[taken])

    def alike_together(self) -> NDArray[np.intp]:
        """The features in the order of their lines: many stand in the very same ones, and then compress to nothing."""
        size, raw = 4, self.lines.astype(">u4").tobytes()
        runs = [raw[size * begin : size * end] for begin, end in pairwise(self.starts.tolist())]
        return np.array(sorted(range(len(runs)), key=runs.__getitem__), dtype=np.intp)


def by_feature(starts: NDArray[Any], features: NDArray[Any], values: NDArray[Any], width: int) -> Postings:
    """From the features of each line, `features[starts[i]:starts[i + 1]]` of `width`, with their values."""
    count = len(starts) - 1
    lines = np.repeat(np.arange(count, dtype=np.min_scalar_type(count)), np.diff(starts))
    order = np.argsort(features, kind="stable")
    begins = np.concatenate([[0], np.cumsum(np.bincount(features, minlength=width))]).astype(np.intp)
    return Postings(begins, lines[order], values[order])


def added_to_lines(held: Postings, features: Places, weights: Floats, count: int) -> NDArray[np.float64]:
    """For each of `count` lines the sum of value times weight over the `features` that it holds; `weights` belong to
    `features`."""
    begins, ends = held.starts[features], held.starts[features + 1]
    runs = [slice(begin, end) for begin, end in zip(begins.tolist(), ends.tolist(), strict=True)]
    if not runs:
        return np.zeros(count)
    added = np.concatenate([held.values[run] for run in runs]) * np.repeat(weights, ends - begins)
    lines = np.concatenate([held.lines[run] for run in runs])
    return np.bincount(lines, weights=added, minlength=count).astype(np.float64, copy=False)
