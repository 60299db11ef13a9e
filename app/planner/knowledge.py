"""General knowledge without tools: glossary terms and frequently asked questions, each answered with its source."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from app.insurance.catalogue import Reference
from app.language.normalise import compact
from app.language.tokenizer import Tokenizer

# An item answers when its words carry at least this share of the question's weight. Measured on the development dialogues:
# below one half, questions that merely share a word with an entry were answered with it.
ENOUGH = 0.5


@dataclass(frozen=True)
class Knowledge:
    """An answer with its source; `share` is how much of the question it covers, 0..1."""

    title: str
    text: str
    source: str
    share: float


@dataclass(frozen=True)
class _Item:
    title: str
    text: str
    source: str
    words: frozenset[str]
    names: tuple[str, ...]


class KnowledgeBase:
    """Finds the glossary term or question that a general question asks about."""

    def __init__(self, reference: Reference, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._items = (*self._faqs(reference), *self._terms(reference))
        counts = Counter(word for item in self._items for word in item.words)
        total = len(self._items)
        self._weight = {word: math.log(1 + total / count) for word, count in counts.items()}
        self._unknown = math.log(1 + total)

    def _faqs(self, reference: Reference) -> Iterable[_Item]:
        for faq in reference.knowledge:
            words = self._tokenizer.morphemes(" ".join((faq.question, *faq.variants, *faq.keywords)))
            yield _Item(faq.question, faq.answer, faq.source, frozenset(words), ())

    def _terms(self, reference: Reference) -> Iterable[_Item]:
        for term in reference.glossary:
            words = self._tokenizer.morphemes(" ".join((term.term, *term.aliases, "뜻 무엇 의미 말 용어 설명")))
            names = tuple(compact(name) for name in (term.term, *term.aliases))
            yield _Item(term.term, term.plain, term.source, frozenset(words), names)

    def answer(self, question: str) -> Knowledge | None:
        """The best entry, or None when none covers enough of the question."""
        asked = dict.fromkeys(self._tokenizer.morphemes(question))
        if not asked:
            return None
        full = sum(self._weight.get(word, self._unknown) for word in asked)
        bare = compact(question)
        best: tuple[float, _Item] | None = None
        for item in self._items:
            share = sum(self._weight[word] for word in asked if word in item.words) / full
            # A term named in the question counts by the letters it takes up: '갱신형이 뭐예요' is mostly the term itself.
            named = max((len(name) for name in item.names if len(name) > 1 and name in bare), default=0)
            score = max(share, min(1.0, 0.35 + named / max(len(bare), 1))) if named else share
            if best is None or score > best[0]:
                best = (score, item)
        if best is None or best[0] < ENOUGH:
            return None
        score, item = best
        return Knowledge(item.title, item.text, item.source, round(score, 3))
