"""The model card."""

from __future__ import annotations

from collections.abc import Mapping

from scripts.training.corpus import Corpus
from scripts.training.recipe import Recipe


def model_card(
    recipe: Recipe, corpus: Corpus, figures: Mapping[str, Mapping[str, float]], pieces: int, seed: int
) -> str:
    """README.md of the model folder."""
    return f"# ko-insurance-static\n\nseed {seed}, {pieces} pieces\n"
