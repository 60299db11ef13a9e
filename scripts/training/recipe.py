"""The numbers of one training run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Recipe:
    """What was chosen on the development set. Sizes in pieces, dimensions, texts; `weights` are shares of the steps."""

    pieces: int = 25_000
    dimension: int = 256
    steps: int = 1000
    runs: int = 3
    """Runs over other draws of batches from one start; their vectors are averaged, which is better than the best."""
    batch: int = 512
    rate: float = 2e-3
    warm_up: int = 20
    token_dropout: float = 0.1
    tool_dropout: float = 0.4
    joined_words: float = 0.15
    """Share of short texts shown without spaces, as people type them."""
    scale: float = 20.0
    short_dimension: int = 64
    short_weight: float = 0.3
    tool_loss: Literal["neighbour", "all_pairs"] = "neighbour"
    tool_scale: float = 16.0
    tool_lines: int = 8
    other_lines: int = 24
    weights: dict[str, float] = field(
        default_factory=lambda: {
            "tools": 0.25,
            "articles": 0.22,
            "stylekqc": 0.12,
            "sae4k": 0.14,
            "graded": 0.15,
            "parakqc": 0.08,
            "question_pair": 0.04,
        }
    )
