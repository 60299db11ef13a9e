"""The features that a trained space knows, by their hashes: a tenth of the memory of a dict of names, and nothing that
a process which was copied would write to."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray


class Vocabulary:
    """Where each feature stands. Two of one hash would be taken for one: once in 10⁹ vocabularies of 64 bits."""

    def __init__(self, hashes: Sequence[int] | NDArray[np.int64], first: int = 0) -> None:
        """`hashes` in the order of their places, the first of which is `first`."""
        given = np.asarray(hashes, dtype=np.int64)
        order = np.argsort(given, kind="stable")
        self._sorted = given[order]
        self._places = (order + first).astype(np.int32)

    def __len__(self) -> int:
        return len(self._sorted)

    def places(self, hashes: Collection[int]) -> NDArray[np.intp]:
        """The place of each; -1 for those that it does not know."""
        asked = np.fromiter(hashes, np.int64, len(hashes))
        if not len(self._sorted):
            return np.full(len(asked), -1, dtype=np.intp)
        near = np.minimum(np.searchsorted(self._sorted, asked), len(self._sorted) - 1)
        return np.where(self._sorted[near] == asked, self._places[near], -1).astype(np.intp)

    def hashes(self) -> NDArray[np.int64]:
        """In the order of their places."""
        return self._sorted[np.argsort(self._places)]
