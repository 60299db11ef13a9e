"""One calibrated confidence (0 to 1) a hit, so that similarityThreshold means the same in semantic and hybrid mode.

The raw value is a share of what a passage could score at best, with words that no passage knows counted in, mixed with
the cosine of the vectors. The map is linear in two pieces with .3 where 5 % of on-topic questions lose their best hit.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

KNEE = 0.3
ON_TOPIC_LOSS = 0.05
WORD_SHARE = 0.65
"""How much the words count against the vectors in the raw value."""


@dataclass(frozen=True)
class Calibration:
    """`at_knee` is the raw value that means .3; `full` the one that means 1. The rest tells how it was found."""

    at_knee: float = 0.17
    full: float = 0.62
    on_topic: int = 0
    off_topic: int = 0
    rejected: float = 0.0

    def confidence(self, raw: NDArray[np.float32]) -> NDArray[np.float32]:
        """Monotone map of raw values to 0..1."""
        return np.interp(raw, (0.0, self.at_knee, max(self.full, self.at_knee + 0.05)), (0.0, KNEE, 1.0)).astype(
            np.float32
        )

    def dumps(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> Calibration:
        return cls(**json.loads(text))


def raw_values(word_scores: NDArray[np.float32], ideal: float, cosines: NDArray[np.float32]) -> NDArray[np.float32]:
    """The raw value of every passage."""
    share = word_scores / max(ideal, 1e-6)
    mixed: NDArray[np.float32] = WORD_SHARE * share + (1 - WORD_SHARE) * np.clip(cosines, 0.0, 1.0)
    return mixed.astype(np.float32)


def calibrate(on_topic: Sequence[float], off_topic: Sequence[float]) -> Calibration:
    """From the raw values of the best hits of on-topic and off-topic questions."""
    if len(on_topic) < 20:
        return Calibration()
    values = np.sort(np.asarray(on_topic))
    knee = float(np.quantile(values, ON_TOPIC_LOSS))
    full = float(np.quantile(values, 0.9))
    rejected = float(np.mean(np.asarray(off_topic) < knee)) if off_topic else 0.0
    return Calibration(knee, full, len(on_topic), len(off_topic), rejected)
