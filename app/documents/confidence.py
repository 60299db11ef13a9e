"""One calibrated confidence (0 to 1) a hit, so that similarityThreshold means the same in semantic and hybrid mode.

A question's value mixes the likeness of meaning with the share of what a passage could score by words at best, words
that no passage knows counted in, over the best passages. The map is linear in two pieces; where .3 lies is calibrated
for each set of documents.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from app.documents.signals import Signals

KNEE = 0.3
ON_TOPIC_LOSS = 0.05
MOST_REJECTED = 0.55
"""Share of the off-topic examples that is turned away at most: they are not all there is."""
HIGHEST_KNEE = 0.3
LEAST_EXAMPLES = 20
MEANING_SHARE, WIDE_SHARE, VECTOR_SHARE, TRADE_SHARE = 0.6, 0.2, 0.2, 0.15
MOST_TRADE = 0.6
"""The glossary's words are many for a long question: they count up to this."""
BEST = 3
"""One passage may look alike by chance; of an answered question several do."""
SHORT, A_WORD = 0.6, 0.08
"""A question of one word finds something alike everywhere: it is believed less, by so much a word."""


@dataclass(frozen=True)
class Calibration:
    """`at_knee` is the raw value that means .3; `full` the one that means 1. The rest tells how it was found."""

    at_knee: float = 0.2
    full: float = 0.5
    on_topic: int = 0
    off_topic: int = 0
    rejected: float = 0.0

    def confidence(self, value: float, shares: NDArray[np.float32]) -> NDArray[np.float32]:
        """Of each passage: from the question's value, and the passage's rank value as a share of the best one's.

        Whether anything is answered at all is a matter of the question, so no passage of an answered one falls below
        the knee; above it a passage is believed less the further down it stands.
        """
        full = max(self.full, self.at_knee + 0.05)
        sure = float(np.interp(value, (0.0, self.at_knee, full), (0.0, KNEE, 1.0)))
        floor = min(sure, KNEE)
        found: NDArray[np.float32] = np.where(shares > 0, floor + (sure - floor) * shares, 0.0).astype(np.float32)
        return found

    def dumps(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def loads(cls, text: str) -> Calibration:
        return cls(**json.loads(text))


def question_value(signals: Signals, words: int) -> float:
    """How sure it is that the documents answer a question at all."""
    mixed = MEANING_SHARE * signals.meaning + WIDE_SHARE * signals.wide + VECTOR_SHARE * signals.vector
    if not len(mixed):
        return 0.0
    told = _best_mean(mixed) + TRADE_SHARE * min(MOST_TRADE, _best_mean(signals.text[2]))
    return told * min(1.0, SHORT + A_WORD * words)


def _best_mean(values: NDArray[np.float32]) -> float:
    return float(np.partition(values, -min(BEST, len(values)))[-BEST:].mean())


def calibrate(on_topic: Sequence[float], off_topic: Sequence[float]) -> Calibration:
    """From the raw values of the best hits of on-topic and off-topic questions; either may be missing.

    .3 lies where ON_TOPIC_LOSS of the on-topic questions fall below, but no higher than needed to turn away most of
    the others: examples are worded closer to the documents than customers' questions are.
    """
    limits, knee = [], Calibration.at_knee
    if len(on_topic) >= LEAST_EXAMPLES:
        limits.append(float(np.quantile(np.asarray(on_topic), ON_TOPIC_LOSS)))
    if len(off_topic) >= LEAST_EXAMPLES:
        limits.append(float(np.quantile(np.asarray(off_topic), MOST_REJECTED)))
    if limits:
        # documents about the very things that the outsiders ask for must not lift the limit
        knee = min(*limits, HIGHEST_KNEE)
    full = float(np.quantile(np.asarray(on_topic), 0.9)) if len(on_topic) >= LEAST_EXAMPLES else Calibration.full
    rejected = float(np.mean(np.asarray(off_topic) < knee)) if off_topic else 0.0
    return Calibration(knee, full, len(on_topic), len(off_topic), rejected)
