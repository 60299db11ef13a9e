"""What the trained vectors are worth: graded likeness, title to article, and tool routing on the development lines."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from scipy.stats import spearmanr

from scripts.training.corpus import Article, Graded

Encode = Callable[[Sequence[str]], np.ndarray]
Lines = Mapping[str, Sequence[str]]
TOP_LINES = 5


def graded_correlation(encode: Encode, pairs: Sequence[Graded]) -> dict[str, float]:
    """Spearman correlation between cosine and people's grades, times 100."""
    first = encode([pair.first for pair in pairs])
    second = encode([pair.second for pair in pairs])
    found = spearmanr((first * second).sum(1), [pair.score for pair in pairs]).statistic
    return {"Spearman×100": 100 * float(found), "쌍": len(pairs)}


def article_search(encode: Encode, articles: Sequence[Article]) -> dict[str, float]:
    """Law and title as the query, article texts as the documents: recall at 1 and 10, in percent."""
    likeness = encode([f"{a.law} {a.title}" for a in articles]) @ encode([a.text for a in articles]).T
    rank = (likeness > np.diag(likeness)[:, None]).sum(1)
    return {"R@1": 100 * float((rank < 1).mean()), "R@10": 100 * float((rank < 10).mean()), "조문": len(articles)}


def routing(encode: Encode, cards: Lines, questions: Lines) -> dict[str, dict[str, float]]:
    """Hit@1 and recall at 3 and 5, in percent, by a tool's best line and by the mean of its five best lines."""
    names, texts, truth = _asked(cards, questions)
    vectors = encode(texts)
    return _by_lines({name: vectors @ encode(cards[name]).T for name in names}, truth)


def routing_by_letters(cards: Lines, questions: Lines) -> dict[str, dict[str, float]]:
    """The same by character 1- to 4-grams (TF-IDF): what the embedder must beat."""
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415

    names, texts, truth = _asked(cards, questions)
    letters = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4), sublinear_tf=True)
    letters.fit([line for name in names for line in cards[name]])
    vectors = letters.transform(texts)
    return _by_lines({name: (vectors @ letters.transform(cards[name]).T).toarray() for name in names}, truth)


def _asked(cards: Lines, questions: Lines) -> tuple[list[str], list[str], np.ndarray]:
    names = list(cards)
    asked = [(names.index(name), text) for name, texts in questions.items() if name in cards for text in texts]
    return names, [text for _, text in asked], np.asarray([tool for tool, _ in asked])


def _by_lines(likeness: Mapping[str, np.ndarray], truth: np.ndarray) -> dict[str, dict[str, float]]:
    sorted_lines = [np.sort(found, axis=1)[:, ::-1] for found in likeness.values()]
    best = np.stack([lines[:, 0] for lines in sorted_lines], axis=1)
    mean = np.stack([lines[:, :TOP_LINES].mean(1) for lines in sorted_lines], axis=1)
    return {"가장 가까운 한 줄": _hits(best, truth), "가까운 다섯 줄의 평균": _hits(mean, truth)}


def _hits(scores: np.ndarray, truth: np.ndarray) -> dict[str, float]:
    rank = (scores > scores[np.arange(len(truth)), truth][:, None]).sum(1)
    shares = {f"R@{k}" if k > 1 else "Hit@1": 100 * float((rank < k).mean()) for k in (1, 3, 5)}
    return {**shares, "질문": len(truth)}
