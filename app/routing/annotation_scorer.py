"""How well a tool's behaviour (its MCP annotations) fits what the question wants to do.

| intent | annotation | score |
|---|---|---|
| read | readOnly | 1.0 |
| read | not readOnly | 0.3 |
| write | readOnly | 0.0 |
| write | not readOnly | 1.0 |
| delete | destructive | 1.0 |
| delete | not destructive | 0.1 |
| delete | readOnly | 0.0 |
| neutral, or no annotation | | 0.5: left out |
"""

from __future__ import annotations

from collections.abc import Mapping

from app.routing.intent import QueryIntent
from app.tools.declare import Annotations

NEUTRAL = 0.5


def alignment(intent: QueryIntent, annotations: Annotations | None) -> float:
    """The table's score, weighted by the shares of a mixed intent. Hints that are not given count as 0.5."""
    if intent.neutral or annotations is None:
        return NEUTRAL
    return (
        intent.read * _reading(annotations)
        + intent.write * _writing(annotations)
        + intent.delete * _deleting(annotations)
    )


def compute_annotation_scores(intent: QueryIntent, annotations: Mapping[str, Annotations | None]) -> dict[str, float]:
    """Scores by tool name; empty for a neutral intent, and without the tools that score exactly neutral."""
    if intent.neutral:
        return {}
    scores = {name: alignment(intent, hints) for name, hints in annotations.items()}
    return {name: score for name, score in scores.items() if score != NEUTRAL}


def _reading(hints: Annotations) -> float:
    if hints.read_only is None:
        return NEUTRAL
    return 1.0 if hints.read_only else 0.3


def _writing(hints: Annotations) -> float:
    if hints.read_only is None:
        return NEUTRAL
    return 0.0 if hints.read_only else 1.0


def _deleting(hints: Annotations) -> float:
    if hints.read_only:
        return 0.0
    if hints.destructive is None:
        return NEUTRAL
    return 1.0 if hints.destructive else 0.1
