"""What the trained vectors are worth: graded likeness, title to article, and tool routing on the development lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.stats import spearmanr

from scripts.training.corpus import Article, Graded

Encode = Callable[[Sequence[str]], np.ndarray]
TOP_LINES = 5


def graded_correlation(encode: Encode, pairs: Sequence[Graded]) -> float:
    """Spearman correlation between cosine and people's grades, times 100."""
    first = encode([pair.first for pair in pairs])
    second = encode([pair.second for pair in pairs])
    return 100 * float(spearmanr((first * second).sum(1), [pair.score for pair in pairs]).statistic)


def article_search(encode: Encode, articles: Sequence[Article]) -> dict[str, float]:
    """Law and title as the query, article texts as the documents: recall at 1 and 10, in percent."""
    likeness = encode([f"{a.law} {a.title}" for a in articles]) @ encode([a.text for a in articles]).T
    rank = (likeness > np.diag(likeness)[:, None]).sum(1)
    return {"articles": len(articles), "R@1": 100 * float((rank < 1).mean()), "R@10": 100 * float((rank < 10).mean())}


def routing(
    encode: Encode, cards: Mapping[str, Sequence[str]], questions: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, float]]:
    """Hit@1 and recall at 3 and 5, in percent, by a tool's best line and by the mean of its five best lines."""
    names = list(cards)
    asked = [(names.index(name), text) for name, texts in questions.items() if name in cards for text in texts]
    vectors = encode([text for _, text in asked])
    best = np.zeros((len(asked), len(names)))
    mean = np.zeros((len(asked), len(names)))
    for column, name in enumerate(names):
        likeness = np.sort(vectors @ encode(cards[name]).T, axis=1)[:, ::-1]
        best[:, column] = likeness[:, 0]
        mean[:, column] = likeness[:, :TOP_LINES].mean(1)
    truth = np.asarray([tool for tool, _ in asked])
    return {"best line": _hits(best, truth), "mean of 5": _hits(mean, truth)}


def _hits(scores: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    rank = (scores > scores[np.arange(len(truth)), truth][:, None]).sum(1)
    return {
        "Hit@1": 100 * float((rank < 1).mean()),
        "R@3": 100 * float((rank < 3).mean()),
        "R@5": 100 * float((rank < 5).mean()),
    }
