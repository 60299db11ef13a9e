"""General knowledge without tools: glossary terms and frequently asked questions, each answered with its source."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from app.insurance.catalogue import Reference
from app.insurance.reference import GlossaryTerm
from app.language.tokenizer import Tokenizer

# Measured on the general questions of data/routing/no_tool.jsonl: below 0.67 entries answered that merely share a word
# with the question; above it nearly every answer given was the one asked for.
ENOUGH = 0.67
# A match must rest on words that are rarer than 보험 or 보험료, which stand in most entries.
_LEAST_WEIGHT = 2.5
_NAMED_SHARE = 0.5
_NOUNS = frozenset({"NNG", "NNP", "XR", "SL"})
_CONTENT = _NOUNS | {"SN", "XPN", "XSN", "VV", "VA"}
# Words of asking, saying and being carry no subject.
_FILLER = frozenset(
    re.findall(
        r"\S+",
        "하 되 있 없 알 알리 말하 묻 주 보 쓰 이러 그러 어떻 그렇 같 다르 다른 싶 좋 생기 나오 쉽 들 드 부르 오 가 "
        "적 뜻 의미 말 용어 설명 차이 비교 구분 개념 정의 이유 원리 배경 제도 일반 보통 경우 정도 예 예시 사람 때 것 거 "
        "일 방법 상식 소리 간단 질문 답 답변 관계 상관 목적 성격 상 형태 식 요즘 한마디 초등학생 얘기 이야기 이름 처음 시작 "
        "나중 괜찮 궁금 어머니 아버지 엄마 아빠 부모",
    )
)
_DIFFERENCE = re.compile(r"차이|다르|다른|달라|비교|구분|구별|헷갈|뭐가 맞|어느 쪽|관계|vs", re.IGNORECASE)


@dataclass(frozen=True)
class Knowledge:
    """An answer with its source; `share` is how much of the question it covers, 0..1."""

    title: str
    text: str
    source: str
    share: float


@dataclass(frozen=True)
class _Faq:
    title: str
    text: str
    source: str
    phrasings: tuple[frozenset[str], ...]


@dataclass(frozen=True)
class _Term:
    term: GlossaryTerm
    names: tuple[frozenset[str], ...]


class KnowledgeBase:
    """Finds the glossary term or question that a general question asks about."""

    def __init__(self, reference: Reference, tokenizer: Tokenizer) -> None:
        self._tokenizer = tokenizer
        self._faqs = tuple(
            _Faq(
                faq.question,
                faq.answer,
                faq.source,
                tuple(filter(None, map(self._words, (faq.question, *faq.variants, " ".join(faq.keywords))))),
            )
            for faq in reference.knowledge
        )
        self._terms = tuple(
            _Term(term, tuple(filter(None, (self._words(name) for name in (term.term, *term.aliases)))))
            for term in reference.glossary
        )
        entries = [frozenset().union(*faq.phrasings) for faq in self._faqs]
        entries += [frozenset().union(*term.names) for term in self._terms]
        counts = Counter(word for words in entries for word in words)
        self._weights = {word: math.log(1 + len(entries) / count) for word, count in counts.items()}
        self._unknown = math.log(1 + len(entries))
        texts = (text for faq in reference.knowledge for text in (faq.question, *faq.variants, *faq.keywords))
        self._nouns = frozenset(form for text in texts for form, tag in tokenizer.tagged(text) if tag in _NOUNS)

    def answer(self, question: str) -> Knowledge | None:
        """The best entry, or None when none covers enough of the question."""
        asked = self._words(question)
        if not asked:
            return None
        named = self._named(asked)
        terms, faq = self._of_terms(named, asked, question), self._of_faqs(asked)
        # Of equals the question about the difference wins over two definitions, a definition over other questions.
        order = (faq, terms) if _DIFFERENCE.search(question) else (terms, faq)
        best = max((item for item in order if item), key=lambda item: item.share, default=None)
        return best if best and best.share >= ENOUGH else None

    def _of_faqs(self, asked: frozenset[str]) -> Knowledge | None:
        """The question that is worded most like this one, either way round."""
        scored = [(max(self._likeness(asked, phrasing) for phrasing in faq.phrasings), faq) for faq in self._faqs]
        score, faq = max(scored, key=lambda pair: pair[0])
        return Knowledge(faq.title, faq.text, faq.source, round(score, 3)) if score else None

    def _likeness(self, asked: frozenset[str], phrasing: frozenset[str]) -> float:
        shared = self._weight(asked & phrasing)
        if shared < _LEAST_WEIGHT or not asked & phrasing & self._nouns:
            return 0.0
        return 0.7 * shared / self._weight(asked) + 0.3 * shared / self._weight(phrasing)

    def _named(self, asked: frozenset[str]) -> list[tuple[GlossaryTerm, frozenset[str]]]:
        """The glossary terms in the question, weightiest first; not one inside another's (갱신형 in 비갱신형)."""
        hits: list[tuple[GlossaryTerm, frozenset[str]]] = []
        for item in self._terms:
            names = [name for name in item.names if name <= asked]
            if names:
                hits.append((item.term, max(names, key=self._weight)))
        hits.sort(key=lambda hit: -self._weight(hit[1]))
        return [hit for hit in hits if not any(hit[1] < other[1] for other in hits)]

    def _of_terms(
        self, named: Sequence[tuple[GlossaryTerm, frozenset[str]]], asked: frozenset[str], question: str
    ) -> Knowledge | None:
        """The term that takes up most of the question; two terms when it asks how they differ."""
        if not named:
            return None
        kept = named[:2] if _DIFFERENCE.search(question) else named[:1]
        covered = self._weight(frozenset().union(*(name for _, name in kept))) / self._weight(asked)
        if covered < _NAMED_SHARE:
            return None
        terms = [term for term, _ in kept]
        # The term's own entry is the answer to 'what is it'; that half the question is the term is enough.
        share = round(0.5 + covered / 2, 3) if len(asked) <= 3 * len(kept) else round(covered, 3)
        if len(terms) == 1:
            return Knowledge(terms[0].term, terms[0].plain, terms[0].source, min(share, 1.0))
        text = "\n".join(f"• {term.term}: {term.plain}" for term in terms)
        sources = ", ".join(dict.fromkeys(term.source for term in terms))
        return Knowledge("·".join(term.term for term in terms), text, sources, min(share, 1.0))

    def _weight(self, words: Iterable[str]) -> float:
        return sum(self._weights.get(word, self._unknown) for word in words)

    def _words(self, text: str) -> frozenset[str]:
        """What a text is about: its content morphemes without the words of asking."""
        return frozenset(
            form for form, tag in self._tokenizer.tagged(text) if tag.split("-")[0] in _CONTENT and form not in _FILLER
        )
