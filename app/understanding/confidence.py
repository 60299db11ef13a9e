"""How likely an answer of the embedded planner is right: a weighted sum of the signs of a turn and boosted trees over
them, set right by data that they did not learn from. Made by `python -m scripts.calibrate`, which also measures it."""

from __future__ import annotations

import json
import math
from bisect import bisect_right
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, model_validator

from app.errors import Unavailable
from app.insurance.models import Model
from app.messages import worded

SHIPPED = Path("models") / "confidence" / "trees.json"
REPORT = Path("models") / "confidence" / "report.json"
NEVER = 1.01
"""A threshold that no confidence reaches."""

Share = Annotated[float, Field(ge=0, le=1)]


class Tree(Model):
    """A node a place: the sign that it asks for (-1: a leaf), up to which value it goes left, where left and right
    are, and what a leaf adds."""

    sign: tuple[int, ...]
    most: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    value: tuple[float, ...]

    @model_validator(mode="after")
    def _goes_down(self) -> Tree:
        size = len(self.sign)
        if not size or any(len(part) != size for part in (self.most, self.left, self.right, self.value)):
            raise ValueError("a tree's parts differ in length")
        for place, sign in enumerate(self.sign):
            if sign >= 0 and not (place < self.left[place] < size and place < self.right[place] < size):
                raise ValueError("a node does not lead down")
        return self

    def score(self, values: list[float]) -> float:
        """What the leaf adds that these values lead to."""
        place = 0
        while (sign := self.sign[place]) >= 0:
            place = self.left[place] if values[sign] <= self.most[place] else self.right[place]
        return self.value[place]


class Point(Model):
    """From this confidence on, so many of the calibration's turns are kept (a share), and so many of those are wrong (a
    share)."""

    threshold: float
    kept: Share
    wrong: Share


class ConfidenceModel(Model):
    """Tells the probability that a turn's answer is right, 0 to 1. Pure; about 0.1 ms a turn.

    `weights` are one a sign (none: trees alone). `scores` and `shares` set the sum right; `curve` is what each
    threshold came to on turns within talks that were not learned from, the highest threshold first, `first_curve` the
    same for first questions (none: as within talks); `usual` the mean confidence there.
    """

    signs: tuple[str, ...]
    start: float
    trees: tuple[Tree, ...]
    weights: tuple[float, ...] = ()
    scores: tuple[float, ...] = Field(min_length=1)
    shares: tuple[Share, ...]
    curve: tuple[Point, ...]
    first_curve: tuple[Point, ...] = ()
    usual: Share
    made_of: str = ""

    @model_validator(mode="after")
    def _whole(self) -> ConfidenceModel:
        if len(self.scores) != len(self.shares) or list(self.scores) != sorted(self.scores):
            raise ValueError("scores must rise, one share each")
        if self.weights and len(self.weights) != len(self.signs):
            raise ValueError("one weight a sign, or none")
        if any(sign >= len(self.signs) for tree in self.trees for sign in tree.sign):
            raise ValueError("a tree asks for a sign that is none")
        return self

    def score(self, signs: Mapping[str, float]) -> float:
        """Log odds, not yet set right. Raises KeyError for a sign that was not told."""
        values = [signs[name] for name in self.signs]
        weighed = sum(weight * value for weight, value in zip(self.weights, values, strict=False))
        return self.start + weighed + sum(tree.score(values) for tree in self.trees)

    def confidence(self, signs: Mapping[str, float]) -> float:
        """The probability that the answer is right."""
        score = self.score(signs)
        if score <= self.scores[0] or math.isnan(score):
            return self.shares[0]
        if score >= self.scores[-1]:
            return self.shares[-1]
        place = bisect_right(self.scores, score)
        low, high = self.scores[place - 1], self.scores[place]
        part = (score - low) / (high - low)
        return self.shares[place - 1] + part * (self.shares[place] - self.shares[place - 1])

    def threshold(self, error_rate: float, *, first: bool = False) -> float:
        """The lowest confidence from which on no more than `error_rate` of the answers were wrong, within talks or to
        `first` questions; NEVER where there is none."""
        curve = self.first_curve or self.curve if first else self.curve
        fit = [point.threshold for point in curve if point.wrong <= error_rate]
        return min(fit, default=NEVER)

    @classmethod
    def load(cls, path: Path) -> ConfidenceModel:
        """What `scripts.calibrate` wrote. Raises Unavailable when the file is missing, damaged or of another kind."""
        try:
            return cls.model_validate_json(path.read_text(encoding="utf-8"))
        except (OSError, ValidationError, UnicodeDecodeError) as error:
            raise Unavailable(worded("confidence.unreadable", path=path, error=type(error).__name__)) from error


def read_report(path: Path) -> dict[str, Any] | None:
    """The last calibration's report as `scripts.calibrate` wrote it; None where there is none to read."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) else None
