"""From head scores to one probability: a small logistic judge over a handful of facts about a question.

Trained on the left-out scores of the heads, so that it has seen how the heads do on lines they were not trained on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.language.feature_space import Floats
from app.language.features import Analysis

NO_TOOL, OUTSIDE = "no_tool", "outside"
FACTS = ("no_tool", "outside", "best_tool", "runner_up", "unknown_share", "shortness", "outside_over_best")

_SHORT = 8.0


@dataclass(frozen=True)
class FactReader:
    """Reads the facts of a question. `known` counts, for each term, the insurance lines it stands in."""

    known: Mapping[str, int]
    total: int

    def facts(self, scores: Floats, labels: tuple[str, ...], analysis: Analysis, own: int = 0) -> NDArray[np.float64]:
        """The facts in the order of FACTS. `own` is 1 for a training line (its own words do not make it known)."""
        aside = (labels.index(NO_TOOL), labels.index(OUTSIDE))
        tools = np.delete(scores, aside)
        best, second = (float(value) for value in -np.partition(-tools, 1)[:2]) if len(tools) > 1 else (0.0, 0.0)
        no_tool, outside = float(scores[aside[0]]), float(scores[aside[1]])
        return np.array(
            [
                no_tool,
                outside,
                best,
                second,
                self._unknown(analysis, own),
                _SHORT / (_SHORT + len(analysis.text)),
                max(outside - best, 0.0),
            ]
        )

    def _unknown(self, analysis: Analysis, own: int) -> float:
        words = [term for term in dict.fromkeys(analysis.terms) if not term.startswith("#")]
        if not words:
            return 0.0
        weights = [np.log((self.total + 1) / (max(self.known.get(word, 0) - own, 0) + 1)) for word in words]
        unknown = sum(weight for word, weight in zip(words, weights, strict=True) if self.known.get(word, 0) - own <= 0)
        return float(unknown / max(sum(weights), 1e-9))


@dataclass(frozen=True)
class Judge:
    """A logistic judge: probability from facts, and the threshold that calibration set for it."""

    coefficients: tuple[float, ...]
    intercept: float
    threshold: float

    def probability(self, facts: NDArray[np.float64]) -> float:
        """Between 0 and 1."""
        return float(1.0 / (1.0 + np.exp(-(float(facts @ np.asarray(self.coefficients)) + self.intercept))))


def fit_judge(facts: NDArray[np.float64], truth: NDArray[np.bool_], weights: NDArray[np.float64]) -> Judge:
    """Newton's method with a little shrinkage; the threshold is left at 0.5 until it is calibrated."""
    mean, spread = facts.mean(0), np.maximum(facts.std(0), 1e-6)
    design = np.hstack([(facts - mean) / spread, np.ones((len(facts), 1))])
    beta = np.zeros(design.shape[1])
    penalty = np.diag([1e-2 * len(facts) ** 0.5] * facts.shape[1] + [1e-9])
    for _ in range(30):
        probability = 1.0 / (1.0 + np.exp(-design @ beta))
        gradient = design.T @ (weights * (probability - truth)) + penalty @ beta
        curvature = (design * (weights * probability * (1 - probability))[:, None]).T @ design + penalty
        step = np.linalg.solve(curvature, gradient)
        beta -= step
        if float(np.abs(step).max()) < 1e-6:
            break
    coefficients = beta[:-1] / spread
    return Judge(tuple(float(c) for c in coefficients), float(beta[-1] - coefficients @ mean), 0.5)


def threshold_for(probabilities: NDArray[np.float64], share: float) -> float:
    """The threshold that only `share` of these probabilities reach."""
    return float(np.quantile(probabilities, 1.0 - share)) if len(probabilities) else 0.5
