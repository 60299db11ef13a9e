"""Fits the confidence: a weighted sum of the signs and boosted trees over them, Platt's line over both, the curves of
thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from app.understanding.confidence import ConfidenceModel, Point, Tree
from scripts.confidence.turns import JudgedTurn

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
# On authors that were left out, other sizes differ by less than their spread; trees alone tell less (AUC .71 for .75).
_TREES, _DEPTH, _RATE, _LEAF = 200, 2, 0.05, 15
_STRICTNESS = 0.01
# What a dialogue judged by tools and arguments counts beside a consultation judged by what the answer must hold.
_COUNTS = {"dialogue": 0.2}
_SEED = 1
_LINE = np.linspace(-6.0, 6.0, 25)
_POINTS = 100
_LEAST = 20
_BINS = 10
_RATES = (0.03, 0.05, 0.1, 0.15, 0.2, 0.3)
_DRAWS = 200


@dataclass(frozen=True)
class Table:
    """Turns as numbers: a row a turn; `right`, `author` and whether it is the `first` of its talk beside it."""

    names: tuple[str, ...]
    rows: Floats
    right: Mask
    author: NDArray[np.str_]
    first: Mask

    @classmethod
    def of(cls, turns: Sequence[JudgedTurn]) -> Table:
        """All turns, by the signs of the first."""
        names = tuple(turns[0].signs)
        rows = np.array([[turn.signs[name] for name in names] for turn in turns])
        right, first = np.array([not t.wrong for t in turns]), np.array([t.number == 1 for t in turns])
        return cls(names, rows, right, np.array([t.author for t in turns]), first)

    def by(self, *kinds: str) -> Mask:
        """The turns of sets of these kinds."""
        return np.isin(np.array([author.partition(":")[0] for author in self.author]), kinds)


@dataclass(frozen=True)
class Grown:
    """What was learned: half the log odds of the weighted sum, half those of the trees."""

    trees: GradientBoostingClassifier
    weights: Floats
    start: float

    def scores(self, rows: Floats) -> Floats:
        """Log odds, not yet set right."""
        told: Floats = self.start + rows @ self.weights + self.trees.decision_function(rows) / 2
        return told


def grown(table: Table, use: Mask) -> Grown:
    """Learned from the turns to `use`."""
    counts = np.array([_COUNTS.get(author.partition(":")[0], 1.0) for author in table.author[use]])
    trees = GradientBoostingClassifier(
        n_estimators=_TREES, max_depth=_DEPTH, learning_rate=_RATE, subsample=0.5, min_samples_leaf=_LEAF,
        max_features=0.2, random_state=_SEED,
    ).fit(table.rows[use], table.right[use], counts)  # fmt: skip
    scaled = StandardScaler().fit(table.rows[use])
    line = LogisticRegression(C=_STRICTNESS, max_iter=2000)
    line.fit(scaled.transform(table.rows[use]), table.right[use], sample_weight=counts)
    weights = line.coef_[0] / scaled.scale_ / 2
    return Grown(trees, weights, float(line.intercept_[0] / 2 - scaled.mean_ @ weights))


def platt(scores: Floats, right: Mask) -> LogisticRegression:
    """The line that sets log odds right."""
    return LogisticRegression(C=10.0).fit(scores[:, None], right)


def shares(line: LogisticRegression, scores: Floats) -> Floats:
    """The probabilities that a line makes of log odds."""
    told: Floats = line.predict_proba(scores[:, None])[:, 1]
    return told


def cross_scored(table: Table, learned: Mask) -> Floats:
    """The log odds of each turn, told by what was learned from all turns that may be `learned` from but those of its
    own author."""
    scores = np.zeros(len(table.right))
    for author in sorted(set(table.author[learned])):
        his = table.author == author
        scores[his] = grown(table, learned & ~his).scores(table.rows[his])
    if (~learned).any():
        scores[~learned] = grown(table, learned).scores(table.rows[~learned])
    return scores


def set_right(scores: Floats, table: Table, among: Mask) -> Floats:
    """The confidence of the turns `among`, each author's set right by the others of them; the rest is 0."""
    told = np.zeros(len(scores))
    for author in sorted(set(table.author[among])):
        his = table.author == author
        others = among & ~his
        told[his] = shares(platt(scores[others], table.right[others]), scores[his])
    return told


def curve(told: Floats, right: Mask, counts: Floats | None = None) -> tuple[Point, ...]:
    """What each threshold comes to, the highest first; `counts` says what each turn counts (else each one)."""
    order = np.argsort(-told, kind="stable")
    counted = np.ones(len(right)) if counts is None else counts[order]
    kept, wrong = np.cumsum(counted), np.cumsum(counted * ~right[order])
    sizes = {min(max(int(len(right) * part / _POINTS), _LEAST), len(right)) - 1 for part in range(1, _POINTS + 1)}
    return tuple(
        Point(
            threshold=float(told[order[at]]),
            kept=min(float(kept[at] / kept[-1]), 1.0),
            wrong=float(wrong[at] / kept[at]),
        )
        for at in sorted(sizes)
    )


def kept_at(told: Floats, right: Mask, rate: float) -> float:
    """The largest share of turns, surest first, of which no more than `rate` are wrong."""
    order = np.argsort(-told, kind="stable")
    wrong = np.cumsum(~right[order]) / np.arange(1, len(right) + 1)
    fit = np.flatnonzero(wrong <= rate)
    return float(fit[-1] + 1) / len(right) if len(fit) else 0.0


def most_at(right: Mask, rate: float) -> float:
    """The largest share that could be kept by who knew which are right."""
    return min(1.0, float(right.mean()) / (1 - rate))


def reliability(told: Floats, right: NDArray[Any]) -> list[dict[str, float]]:
    """By tenths of confidence: how many turns, what was told on the mean and what share was right."""
    place = np.clip((told * _BINS).astype(int), 0, _BINS - 1)
    return [
        {
            "n": int((place == at).sum()),
            "told": float(told[place == at].mean()),
            "right": float(right[place == at].mean()),
        }
        for at in range(_BINS)
        if (place == at).any()
    ]


def ece(told: Floats, right: NDArray[Any]) -> float:
    """The expected calibration error over tenths."""
    return sum(row["n"] * abs(row["told"] - row["right"]) for row in reliability(told, right)) / len(right)


def ece_by_chance(told: Floats) -> float:
    """The mean calibration error of confidences that are true, for so many turns: what cannot be told from none."""
    dice = np.random.default_rng(_SEED)
    return float(np.mean([ece(told, dice.random(len(told)) < told) for _ in range(_DRAWS)]))


def measured(told: Floats, right: Mask) -> dict[str, Any]:
    """Everything that the report shows of a set."""
    return {
        "turns": len(right),
        "wrong": round(float((~right).mean()), 4),
        "auc": round(float(roc_auc_score(right, told)), 4),
        "ece": round(ece(told, right), 4),
        "ece_by_chance": round(ece_by_chance(told), 4),
        "kept": {str(rate): round(kept_at(told, right, rate), 4) for rate in _RATES},
        "most": {str(rate): round(most_at(right, rate), 4) for rate in _RATES},
        "reliability": [{name: round(value, 4) for name, value in row.items()} for row in reliability(told, right)],
        "curve": [
            {name: round(value, 4) for name, value in point.model_dump().items()} for point in curve(told, right)
        ],
    }


def in_force(told: Floats, table: Table, among: Mask, model: ConfidenceModel) -> dict[str, Any]:
    """What the thresholds of a model keep of the turns `among` at each rate (a share), and how many of those are
    wrong."""
    found = {}
    for rate in _RATES:
        within, first = model.threshold(rate), model.threshold(rate, first=True)
        kept = among & (told >= np.where(table.first, first, within))
        wrong = float((~table.right[kept]).mean()) if kept.any() else 0.0
        found[str(rate)] = {"kept": round(float(kept.sum() / among.sum()), 4), "wrong": round(wrong, 4)}
    return found


def made(
    table: Table, found: Grown, line: LogisticRegression, points: tuple[Point, ...], first: tuple[Point, ...],
    usual: float, made_of: str,
) -> ConfidenceModel:  # fmt: skip
    """The model as the service reads it."""
    prior = float(found.trees.init_.class_prior_[1])
    start = found.start + float(np.log(prior / (1 - prior))) / 2
    return ConfidenceModel(
        signs=table.names,
        start=round(start, 6),
        trees=tuple(_tree(each[0].tree_, found.trees.learning_rate / 2) for each in found.trees.estimators_),
        weights=tuple(round(float(weight), 6) for weight in found.weights),
        scores=tuple(map(float, _LINE)),
        shares=tuple(round(float(share), 6) for share in shares(line, _LINE)),
        curve=points,
        first_curve=first,
        usual=round(usual, 4),
        made_of=made_of,
    )


def _tree(tree: Any, rate: float) -> Tree:
    inner = tree.children_left >= 0
    return Tree(
        sign=tuple(int(f) if i else -1 for f, i in zip(tree.feature, inner, strict=True)),
        most=tuple(round(float(t), 6) if i else 0.0 for t, i in zip(tree.threshold, inner, strict=True)),
        left=tuple(max(int(child), 0) for child in tree.children_left),
        right=tuple(max(int(child), 0) for child in tree.children_right),
        value=tuple(round(float(v) * rate, 6) for v in tree.value[:, 0, 0]),
    )
