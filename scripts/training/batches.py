"""Batches of piece ids. One source a batch; within a batch every pair comes from another group."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer

from scripts.training.corpus import Article, Corpus
from scripts.training.pieces import Encoded
from scripts.training.recipe import Recipe

_SENTENCE_END = re.compile(r"(?<=다\.)\s+")
_MARKS = re.compile(r"[①-⑳]\s*")


@dataclass(frozen=True)
class Bag:
    """Many texts for `embedding_bag`: flat ids and where each text starts."""

    ids: torch.Tensor
    starts: torch.Tensor


@dataclass(frozen=True)
class Pairs:
    """Row i of both bags say the same; `scores` when people graded the likeness instead."""

    first: Bag
    second: Bag
    scores: torch.Tensor | None = None


@dataclass(frozen=True)
class Labelled:
    """Texts with a group number; -1 stands alone: nothing pulls it, everything may push it."""

    texts: Bag
    labels: torch.Tensor


class Batches:
    """Draws batches by source. Reproducible: one generator, seeded once."""

    def __init__(self, corpus: Corpus, tokenizer: Tokenizer, recipe: Recipe, seed: int) -> None:
        self._recipe = recipe
        self._rng = np.random.default_rng(seed)
        self._index: dict[str, int] = {}
        self._groups = {
            name: [[self._number(text) for text in group] for group in groups] for name, groups in corpus.groups.items()
        }
        self._graded = [(self._number(p.first), self._number(p.second), p.score) for p in corpus.graded]
        self._articles = [
            (article.title, [(self._number(q), self._number(p)) for q, p in article_pairs(article)])
            for article in corpus.articles
        ]
        self._tools = [[self._number(text) for text in lines] for lines in corpus.tools.values()]
        self._others = {name: [self._number(text) for text in lines] for name, lines in corpus.others.items()}
        self._wordless = [self._number(text) for text in corpus.wordless]
        texts = list(self._index)
        self._plain = Encoded(tokenizer, texts)
        self._joined = Encoded(tokenizer, [text.replace(" ", "") if len(text) < 80 else text for text in texts])

    def draw(self, source: str) -> Pairs | Labelled:
        """One batch of a source named in the recipe's weights."""
        if source == "tools":
            return self._draw_tools()
        if source == "graded":
            return self._draw_graded()
        if source == "articles":
            return self._draw_articles()
        groups = self._groups[source]
        chosen = self._rng.choice(len(groups), min(self._recipe.batch, len(groups)), replace=False)
        two = [self._rng.choice(groups[i], 2, replace=False) for i in chosen]
        return Pairs(self._bag([pair[0] for pair in two]), self._bag([pair[1] for pair in two]))

    def _draw_graded(self) -> Pairs:
        rows = [self._graded[i] for i in self._rng.choice(len(self._graded), self._recipe.batch, replace=False)]
        scores = torch.tensor([score for _, _, score in rows], dtype=torch.float32)
        return Pairs(self._bag([row[0] for row in rows]), self._bag([row[1] for row in rows]), scores)

    def _draw_articles(self) -> Pairs:
        first: list[int] = []
        second: list[int] = []
        titles: set[str] = set()
        for i in self._rng.permutation(len(self._articles)):
            title, pairs = self._articles[i]
            # '목적' of two laws would be each other's false negatives
            if title in titles:
                continue
            titles.add(title)
            query, passage = pairs[self._rng.integers(len(pairs))]
            first.append(query)
            second.append(passage)
            if len(first) == self._recipe.batch:
                break
        return Pairs(self._bag(first), self._bag(second))

    def _draw_tools(self) -> Labelled:
        rows: list[int] = []
        labels: list[int] = []
        for label, lines in enumerate(self._tools):
            chosen = self._rng.choice(lines, min(self._recipe.tool_lines, len(lines)), replace=False)
            rows.extend(chosen)
            labels.extend([label] * len(chosen))
        for label, lines in enumerate(self._others.values(), len(self._tools)):
            chosen = self._rng.choice(lines, min(self._recipe.other_lines, len(lines)), replace=False)
            rows.extend(chosen)
            labels.extend([label] * len(chosen))
        if self._wordless:
            chosen = self._rng.choice(self._wordless, min(self._recipe.other_lines, len(self._wordless)), replace=False)
            rows.extend(chosen)
            labels.extend([-1] * len(chosen))
        return Labelled(self._bag(rows, self._recipe.tool_dropout), torch.tensor(labels))

    def _number(self, text: str) -> int:
        return self._index.setdefault(text, len(self._index))

    def _bag(self, rows: Sequence[int], dropout: float | None = None) -> Bag:
        dropout = self._recipe.token_dropout if dropout is None else dropout
        joined = self._rng.random(len(rows)) < self._recipe.joined_words
        kept = []
        for row, together in zip(rows, joined, strict=True):
            (ids,) = (self._joined if together else self._plain).rows([row])
            mask = self._rng.random(len(ids)) >= dropout
            kept.append(ids[mask] if mask.any() else ids)
        starts = np.concatenate([[0], np.cumsum([len(ids) for ids in kept])[:-1]])
        return Bag(torch.from_numpy(np.concatenate(kept)), torch.from_numpy(starts.astype(np.int64)))


def article_pairs(article: Article) -> list[tuple[str, str]]:
    """`(query, passage)`: the title to the text, the law and title to the text, one sentence to the rest."""
    text = _MARKS.sub("", article.text)
    titled = f"{article.title} {text}"
    pairs = [(article.title, text), (f"{article.law} {article.title}", text), (article.title, text)]
    sentences = [sentence for sentence in _SENTENCE_END.split(text) if 15 <= len(sentence) <= 160]
    long_enough = [sentence for sentence in sentences[:3] if len(text) > 2 * len(sentence)]
    pairs.extend((sentence, titled.replace(sentence, " ")) for sentence in long_enough)
    return pairs
