"""Which form a question has: a value, yes or no, which of them, how much in all, why … One linear head over the letters
and morphemes of a message, trained by `python -m scripts.train_forms` on data/forms."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from app.errors import Unavailable
from app.language.features import TextAnalyser
from app.messages import worded
from app.packed import SUFFIX, Int8Rows, open_packed, write_packed

Form = Literal[
    "lookup", "define", "yes_no", "which", "filter", "total", "per", "difference", "why", "when", "where_written",
    "how_to", "list", "recommend", "inform", "thank", "command", "complaint",
]  # fmt: skip
FORMS: tuple[Form, ...] = get_args(Form)
SHIPPED = Path("models") / "forms" / f"head{SUFFIX}"
WIDTH = 1 << 13
_MESSAGES = 256
_MAKE = worded("forms.way_out")


@dataclass(frozen=True)
class FormReading:
    """The likeliest form and its share, 0..1; `shares` of all forms."""

    form: Form
    share: float
    shares: Mapping[Form, float]


class FormReader:
    """Tells forms. Pure; about 0.4 ms a message, once a message."""

    def __init__(self, weights: NDArray[np.float32], heat: float, analyser: TextAnalyser) -> None:
        """`weights`: forms × WIDTH. `heat` turns scores into shares (calibrated on lines not learned)."""
        self._weights, self._heat, self._analyser = weights, heat, analyser
        self.read = lru_cache(maxsize=_MESSAGES)(self._read)

    def _read(self, text: str) -> FormReading:
        columns, values = hashed(self._analyser.analyse(text).features)
        scores = self._weights[:, columns] @ values * self._heat
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        best = int(shares.argmax())
        told = dict(zip(FORMS, map(float, shares), strict=True))
        return FormReading(FORMS[best], float(shares[best]), told)

    def save(self, path: Path) -> None:
        """The head alone, in one packed file. Raises OSError."""
        write_packed(path, {"weights": Int8Rows.of(self._weights.T), "meta": json.dumps([self._heat, FORMS])})

    @classmethod
    def load(cls, path: Path, analyser: TextAnalyser) -> FormReader:
        """What `save` wrote. Raises Unavailable when the file is missing, damaged or of other forms."""
        try:
            with open_packed(path) as stored:
                weights = np.ascontiguousarray(stored.rows("weights").whole().T)
                heat, forms = json.loads(stored.text("meta"))
        except (OSError, ValueError) as error:
            raise Unavailable(worded("forms.unreadable", path=path, error=error, make=_MAKE)) from error
        if tuple(forms) != FORMS or weights.shape != (len(FORMS), WIDTH):
            raise Unavailable(worded("forms.other_version", path=path, make=_MAKE))
        return cls(weights, float(heat), analyser)


def hashed(features: Mapping[str, int]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The columns that a text's features fall on, with values of length 1 in all."""
    sums: dict[int, float] = {}
    for name in features:
        column = zlib.crc32(name.encode()) % WIDTH
        sums[column] = sums.get(column, 0.0) + 1.0
    values = np.fromiter(sums.values(), np.float32, len(sums))
    return np.fromiter(sums, np.int64, len(sums)), values / (np.linalg.norm(values) or 1.0)


def stacked(rows: Sequence[tuple[NDArray[np.int64], NDArray[np.float32]]]) -> NDArray[np.float32]:
    """Rows of `hashed` as one dense matrix, for training."""
    matrix = np.zeros((len(rows), WIDTH), np.float32)
    for number, (columns, values) in enumerate(rows):
        matrix[number, columns] = values
    return matrix
