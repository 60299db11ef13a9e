"""Thresholds from data: when a question needs no tool, and when it lies outside the domain. Nothing is typed in.

The judges learn from the left-out scores of the training lines; the thresholds come from those and from the development
file, at the rates below. Stored beside the heads under the hash of all of it and the embedder's fingerprint.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.language.evidence import NO_TOOL, OUTSIDE, FactReader, Judge, fit_judge, threshold_for
from app.language.feature_space import Example, Floats
from app.language.features import Analysis
from app.language.kernel_heads import KernelHeads

# Of questions that need a tool, this share may lose it; of insurance questions (small talk aside), this share may be
# refused.
ROBBED_SHARE = 0.009
REFUSED_SHARE = 0.015
CLEAR_SHARE = 0.002
ENOUGH_UNSEEN = 500


@dataclass(frozen=True)
class Calibration:
    """The two judges with their thresholds, and what they were made from."""

    model: str
    data_hash: str
    reader: FactReader
    no_call: Judge
    domain: Judge
    clear_outsider: float

    def save(self, path: Path) -> None:
        """Write as JSON."""
        path.write_text(json.dumps(asdict(self), ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, path: Path, model: str, data_hash: str) -> Calibration | None:
        """What `save` wrote for the same model and data; None otherwise."""
        try:
            raw = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        if raw.get("model") != model or raw.get("data_hash") != data_hash:
            return None
        judges = {
            name: Judge(tuple(raw[name]["coefficients"]), raw[name]["intercept"], raw[name]["threshold"])
            for name in ("no_call", "domain")
        }
        reader = FactReader(**raw["reader"])
        return cls(model, data_hash, reader, judges["no_call"], judges["domain"], raw["clear_outsider"])


def calibrate(
    model: str,
    data_hash: str,
    heads: KernelHeads,
    examples: Sequence[Example],
    left_out: Floats,
    development: Sequence[Example],
) -> Calibration:
    """Fit both judges on the training lines and set their thresholds by those and the development lines."""
    reader = _reader(examples)
    facts = np.array(
        [reader.facts(row, heads.labels, e.analysis, own=1) for row, e in zip(left_out, examples, strict=True)]
    )
    labels = [example.label for example in examples]
    held_out = np.array(
        [reader.facts(heads.scores(e.analysis), heads.labels, e.analysis) for e in development]
    ).reshape(-1, facts.shape[1])
    held_labels = [example.label for example in development]

    def judge(positive: set[str], negative: NDArray[np.bool_], held: NDArray[np.bool_], share: float) -> Judge:
        truth = np.array([label in positive for label in labels])
        used = truth | negative
        weights = np.where(truth, negative.sum() / max(truth.sum(), 1), 1.0) ** 0.5
        fitted = fit_judge(facts[used], truth[used], weights[used])
        unseen = held_out[held]
        # Lines of other authors that nothing was trained on tell best; the left-out ones only where those are few.
        trusted = unseen if len(unseen) >= ENOUGH_UNSEEN else np.concatenate([facts[negative], unseen])
        return Judge(fitted.coefficients, fitted.intercept, threshold_for(_probabilities(fitted, trusted), share))

    aside = (NO_TOOL, OUTSIDE)
    tool_lines = np.array([label is not None and label not in aside for label in labels])
    held_tools = np.array([label is not None and label not in aside for label in held_labels], dtype=bool)
    inside = np.array([label != OUTSIDE for label in labels])
    held_inside = np.array([label != OUTSIDE for label in held_labels], dtype=bool)
    held_insurance = np.array([label not in aside for label in held_labels], dtype=bool)
    no_call = judge({NO_TOOL, OUTSIDE}, tool_lines, held_tools, ROBBED_SHARE)
    domain = judge({OUTSIDE}, inside, held_insurance, REFUSED_SHARE)
    trusted = np.concatenate([facts[inside], held_out[held_inside]])
    clear = max(threshold_for(_probabilities(domain, trusted), CLEAR_SHARE), domain.threshold)
    return Calibration(model, data_hash, reader, no_call, domain, clear)


def _probabilities(judge: Judge, facts: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([judge.probability(row) for row in facts])


def _reader(examples: Sequence[Example]) -> FactReader:
    known: Counter[str] = Counter()
    inside = [example.analysis for example in examples if example.label != OUTSIDE]
    for analysis in inside:
        known.update(_words(analysis))
    return FactReader(dict(known), len(inside))


def _words(analysis: Analysis) -> set[str]:
    return {term for term in analysis.terms if not term.startswith("#")}
