"""L2: is a question about insurance at all? A classifier over words and meaning, with calibrated thresholds.

Small talk and questions about the conversation itself are inside: they are answered, only without a tool.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.language.evidence import FactReader, Judge
from app.language.features import Analysis, TextAnalyser
from app.language.kernel_heads import KernelHeads


@dataclass(frozen=True)
class DomainVerdict:
    """`score`: how surely outside (0-1). `margin`: how far below the refusal threshold (negative when refused).

    `clear_outsider`: outside whatever was said before; only these are refused on a follow-up.
    """

    in_domain: bool
    score: float
    margin: float
    clear_outsider: bool


class DomainCheck:
    """Judges texts. `judge.threshold` refuses, `clear_threshold` (higher) refuses follow-ups too."""

    def __init__(
        self, analyser: TextAnalyser, heads: KernelHeads, facts: FactReader, judge: Judge, clear_threshold: float
    ) -> None:
        self._analyser, self._heads, self._facts = analyser, heads, facts
        self.judge_model, self.clear_threshold = judge, clear_threshold

    def judge(
        self, text: str, vector: NDArray[np.float32] | None = None, analysis: Analysis | None = None
    ) -> DomainVerdict:
        """The verdict on one question, about 0.5 ms. A text without any word is inside. `vector` is not needed."""
        read = analysis or self._analyser.analyse(text)
        if not read.terms:
            return DomainVerdict(True, 0.0, self.judge_model.threshold, False)
        scores = self._heads.scores(read)
        score = self.judge_model.probability(self._facts.facts(scores, self._heads.labels, read))
        return DomainVerdict(
            in_domain=score < self.judge_model.threshold,
            score=round(score, 4),
            margin=round(self.judge_model.threshold - score, 4),
            clear_outsider=score >= self.clear_threshold,
        )
