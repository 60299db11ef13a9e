"""Fits the confidence: boosted trees over the signs, Platt's line over their sum, the curve of thresholds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from app.understanding.confidence import ConfidenceModel, Point, Tree
from scripts.confidence.turns import JudgedTurn

Floats = NDArray[np.float64]
# On the authors that were read, one left out at a time, other sizes differ by less than their spread.
_TREES, _DEPTH, _RATE, _LEAF = 400, 3, 0.03, 25
_SEED = 1
_LINE = np.linspace(-6.0, 6.0, 25)
_POINTS = 100
_LEAST = 20
_BINS = 10


@dataclass(frozen=True)
class Table:
    """Turns as numbers: a row a turn; `right` and `author` beside it."""

    names: tuple[str, ...]
    rows: Floats
    right: NDArray[np.bool_]
    author: NDArray[np.str_]

    @classmethod
    def of(cls, turns: Sequence[JudgedTurn]) -> Table:
        """All turns, by the signs of the first."""
        names = tuple(turns[0].signs)
        rows = np.array([[turn.signs[name] for name in names] for turn in turns])
        return cls(names, rows, np.array([not t.wrong for t in turns]), np.array([t.author for t in turns]))


def grown(table: Table, use: NDArray[np.bool_]) -> GradientBoostingClassifier:
    """The trees, learned from the turns to `use`."""
    trees = GradientBoostingClassifier(
        n_estimators=_TREES, max_depth=_DEPTH, learning_rate=_RATE, subsample=0.5, min_samples_leaf=_LEAF,
        max_features=0.2, random_state=_SEED,
    )  # fmt: skip
    return trees.fit(table.rows[use], table.right[use])


def platt(scores: Floats, right: NDArray[np.bool_]) -> LogisticRegression:
    """The line that sets log odds right."""
    return LogisticRegression(C=10.0).fit(scores[:, None], right)


def cross_fitted(table: Table, apart: Sequence[str], learned: NDArray[np.bool_] | None = None) -> Floats:
    """The confidence of each turn of the authors `apart`, each told by trees that learned from none of them (or, where
    `learned` says what may be learned from, from all of that but his) and set right by the others of them; the rest is
    0."""
    of_them = np.isin(table.author, apart)
    if learned is None:
        scores = grown(table, ~of_them).decision_function(table.rows)
    else:
        scores = np.zeros(len(table.right))
        for author in apart:
            his = table.author == author
            scores[his] = grown(table, learned & ~his).decision_function(table.rows[his])
    told = np.zeros(len(table.right))
    for author in apart:
        his, others = table.author == author, of_them & (table.author != author)
        told[his] = platt(scores[others], table.right[others]).predict_proba(scores[his][:, None])[:, 1]
    return told


def curve(told: Floats, right: NDArray[np.bool_]) -> tuple[Point, ...]:
    """What each threshold comes to, the highest first."""
    order = np.argsort(-told, kind="stable")
    wrong = np.cumsum(~right[order])
    points = []
    for kept in sorted({max(int(len(right) * part / _POINTS), _LEAST) for part in range(1, _POINTS + 1)}):
        share = float(wrong[kept - 1]) / kept
        points.append(Point(threshold=float(told[order[kept - 1]]), kept=kept / len(right), wrong=share))
    return tuple(points)


def kept_at(told: Floats, right: NDArray[np.bool_], rate: float) -> float:
    """The largest share of turns, surest first, of which no more than `rate` are wrong."""
    order = np.argsort(-told, kind="stable")
    shares = np.cumsum(~right[order]) / np.arange(1, len(right) + 1)
    fit = np.flatnonzero(shares <= rate)
    return float(fit[-1] + 1) / len(right) if len(fit) else 0.0


def reliability(told: Floats, right: NDArray[np.bool_]) -> list[dict[str, float]]:
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


def ece(told: Floats, right: NDArray[np.bool_]) -> float:
    """The expected calibration error over tenths."""
    rows = reliability(told, right)
    return sum(row["n"] * abs(row["told"] - row["right"]) for row in rows) / len(right)


def measured(told: Floats, right: NDArray[np.bool_]) -> dict[str, Any]:
    """Everything that the report shows of a set."""
    return {
        "turns": len(right),
        "wrong": round(float((~right).mean()), 4),
        "auc": round(float(roc_auc_score(right, told)), 4),
        "ece": round(ece(told, right), 4),
        "kept": {str(rate): round(kept_at(told, right, rate), 4) for rate in (0.03, 0.05, 0.1, 0.15, 0.2, 0.3)},
        "reliability": [{name: round(value, 4) for name, value in row.items()} for row in reliability(told, right)],
        "curve": [
            {name: round(value, 4) for name, value in point.model_dump().items()} for point in curve(told, right)
        ],
    }


def made(
    table: Table, trees: GradientBoostingClassifier, line: LogisticRegression, points: tuple[Point, ...],
    usual: float, made_of: str,
) -> ConfidenceModel:  # fmt: skip
    """The model as the service reads it."""
    shares = line.predict_proba(_LINE[:, None])[:, 1]
    prior = float(trees.init_.class_prior_[1])
    start = float(np.log(prior / (1 - prior)))
    grown_trees = [_tree(each[0].tree_, trees.learning_rate) for each in trees.estimators_]
    return ConfidenceModel(
        signs=table.names, start=round(start, 6), trees=tuple(grown_trees), scores=tuple(map(float, _LINE)),
        shares=tuple(round(float(share), 6) for share in shares), curve=points, usual=round(usual, 4), made_of=made_of,
    )  # fmt: skip


def _tree(tree: Any, rate: float) -> Tree:
    inner = tree.children_left >= 0
    return Tree(
        sign=tuple(int(f) if i else -1 for f, i in zip(tree.feature, inner, strict=True)),
        most=tuple(round(float(t), 6) if i else 0.0 for t, i in zip(tree.threshold, inner, strict=True)),
        left=tuple(max(int(child), 0) for child in tree.children_left),
        right=tuple(max(int(child), 0) for child in tree.children_right),
        value=tuple(round(float(v) * rate, 6) for v in tree.value[:, 0, 0]),
    )
