"""Trains the L1 classifier: `python -m scripts.train_injection [--report]`. Writes data/safety/injection.npz.

Texts: data/safety/development/*.jsonl (attacks, look-alikes, documents, ordinary questions). Thresholds come from
scores of texts that were left out of training (5 folds), so they hold for texts the classifier has not seen.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression

from app.safety.disguises import squeezed, views
from app.safety.injection import MODEL_FILE, RULES_FILE, InjectionRules
from app.safety.text_classifier import SIZE, Floats, Indices, TextClassifier, features
from app.settings import Settings

_FOLDS = 5
_STRENGTH = 30.0
# How much one text of a kind counts.
_WEIGHTS = {"attacks": 2.0, "lookalikes": 2.0, "documents": 2.0, "ordinary": 1.5, "drawn": 0.4}
_DRAWN = 90
# Shares of unseen benign texts that may be restricted and blocked by the classifier.
_LOOKALIKES_RESTRICTED, _ORDINARY_RESTRICTED = 0.045, 0.012
_BLOCK_MARGIN = 1.0
# The score that a rule needs beside it: below, the text as a whole speaks against it.
_RULE_AT = 0.25


@dataclass(frozen=True)
class Example:
    """One text as the classifier meets it: the features of its views."""

    kind: str
    attack: bool
    rows: tuple[tuple[Indices, Floats], ...]


def main() -> int:
    """Trains, saves and prints what was found in left-out texts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", action="store_true", help="재기만 하고 저장하지 않습니다")
    options = parser.parse_args()
    content = Settings().content_dir
    rules = InjectionRules(content / RULES_FILE)
    examples = read_examples(content / "safety" / "development", rules)
    scores = left_out_scores(examples)
    restrict_at = _threshold(examples, scores)
    model = replace(fit(examples), restrict_at=restrict_at, block_at=restrict_at + _BLOCK_MARGIN, rule_at=_RULE_AT)
    for kind in _WEIGHTS:
        for attack in (True, False):
            held = np.array([e.kind == kind and e.attack == attack for e in examples])
            if held.any():
                share = float((scores[held] >= restrict_at).mean())
                print(f"{kind:11} {'공격' if attack else '정상'} {held.sum():5}개 중 {share:.1%} 검출")
    print(f"문턱: 제한 {restrict_at:.2f}, 차단 {restrict_at + _BLOCK_MARGIN:.2f}")
    if not options.report:
        model.save(content / MODEL_FILE)
    return 0


def read_examples(folder: Path, rules: InjectionRules) -> list[Example]:
    """Every development text with its label."""
    examples = []
    for kind in (kind for kind in _WEIGHTS if kind != "drawn"):
        for line in (folder / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            attack = kind == "attacks" or row.get("label") == "injected"
            examples.append(_example(kind, attack, row["text"], rules))
    examples += [_example("drawn", attack, text, rules) for attack, text in drawn_texts(folder / "templates.yaml")]
    return examples


def drawn_texts(path: Path) -> list[tuple[bool, str]]:
    """Sentences drawn from the templates, the same ones each time."""
    data = yaml.safe_load(path.read_text(encoding="utf-8"))
    draw = random.Random(20)
    texts = {}
    for label in ("attacks", "benign"):
        for template in data[label]:
            for _ in range(_DRAWN):
                text = re.sub(r"\{(\w+)\}", lambda match: draw.choice(data["slots"][match.group(1)]), template)
                texts[text] = label == "attacks"
    return [(attack, text) for text, attack in texts.items()]


def _example(kind: str, attack: bool, text: str, rules: InjectionRules) -> Example:
    seen = [squeezed(view) for view in views(text, rules.hanja)]
    return Example(kind, attack, tuple(features(view, rules.concepts) for view in seen if view))


def left_out_scores(examples: list[Example]) -> NDArray[np.float64]:
    """The score of each text under a model trained without it."""
    folds = np.random.default_rng(20).integers(0, _FOLDS, len(examples))
    folds[[e.kind == "drawn" for e in examples]] = _FOLDS
    scores = np.zeros(len(examples))
    for fold in range(_FOLDS):
        model = fit([e for e, f in zip(examples, folds, strict=True) if f != fold])
        for place in np.flatnonzero(folds == fold):
            scores[place] = max(
                (float(model.weights[p] @ v + model.bias) for p, v in examples[place].rows), default=-99.0
            )
    return scores


def fit(examples: list[Example]) -> TextClassifier:
    """Logistic regression over all texts; of an attack's further views each counts half."""
    rows: list[tuple[Indices, Floats]] = []
    labels: list[bool] = []
    weights: list[float] = []
    for example in examples:
        for number, row in enumerate(example.rows[: 3 if example.attack else 1]):
            rows.append(row)
            labels.append(example.attack)
            weights.append(_WEIGHTS[example.kind] * (1.0 if number == 0 else 0.5))
    return fit_rows(rows, np.array(labels), np.array(weights))


def fit_rows(
    rows: list[tuple[Indices, Floats]], labels: NDArray[np.bool_], weights: NDArray[np.float64]
) -> TextClassifier:
    """Logistic regression over feature rows; thresholds are left at 0."""
    starts = np.concatenate([[0], np.cumsum([len(places) for places, _ in rows])])
    matrix = csr_matrix(
        (np.concatenate([values for _, values in rows]), np.concatenate([places for places, _ in rows]), starts),
        shape=(len(rows), SIZE),
    )
    regression = LogisticRegression(C=_STRENGTH, solver="liblinear", max_iter=500, random_state=20)
    regression.fit(matrix, labels, sample_weight=weights)
    return TextClassifier(regression.coef_[0].astype(np.float32), float(regression.intercept_[0]), 0.0, 0.0, 0.0)


def _threshold(examples: list[Example], scores: NDArray[np.float64]) -> float:
    """The lowest score at which few enough benign texts are touched."""
    kinds = np.array([e.kind for e in examples])
    benign = ~np.array([e.attack for e in examples])
    lookalikes = float(np.quantile(scores[benign & (kinds == "lookalikes")], 1 - _LOOKALIKES_RESTRICTED))
    ordinary = float(np.quantile(scores[benign & (kinds == "ordinary")], 1 - _ORDINARY_RESTRICTED))
    return round(max(lookalikes, ordinary), 3)


if __name__ == "__main__":
    sys.exit(main())
