"""Training pairs for the meaning of clauses: article titles and texts, clauses and the rest, sentences that say the
same."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.documents.glossary import read_entries
from app.documents.terms import term_of
from app.language.tokenizer import Tokenizer
from scripts.training.corpus import read_corpus

KEPT_OUT = frozenset(
    (
        "국민연금법",
        "여신전문금융업법",
        "전자금융거래법",
        "의료급여법",
        "의료사고피해구제및의료분쟁조정등에관한법률",
        "약관의규제에관한법률",
        "할부거래에관한법률",
        "전기통신금융사기피해방지및피해금환급에관한특별법",
        "기초연금법",
        "장애인연금법",
        "학교안전사고예방및보상에관한법률",
        "예금자보호법",
        "응급의료에관한법률",
        "개인금융채권의관리및개인금융채무자의보호에관한법률",
        "고용보험및산업재해보상보험의보험료징수등에관한법률",
        "공무원재해보상법",
        "상속세및증여세법",
        "의료법",
    )
)
"""Laws that are never trained on, besides those that the corpus holds out: questions about them measure the search."""
Words = tuple[str, ...]
Tagged = tuple[str, str]
_CLAUSE = re.compile(r"(?=[①-⑳])")
_LEAST_CLAUSE = 15
_GROUP_LINES = 6
_GROUPS = 12_000
TOOL_SHARE, GLOSSARY_SHARE = 0.1, 0.12


@dataclass(frozen=True)
class Article:
    """One article of a statute as words."""

    law: Words
    title: Words
    clauses: tuple[Words, ...]


@dataclass(frozen=True)
class Material:
    """Everything that is trained on. `tags` gives each word's most frequent morpheme, `counts` in how many texts it
    stands."""

    articles: tuple[Article, ...]
    groups: tuple[tuple[tuple[Words, ...], ...], ...]
    tools: tuple[tuple[Words, ...], ...]
    glossary: tuple[tuple[Words, tuple[Words, ...]], ...]
    counts: Counter[str]
    tags: dict[str, Tagged]


def read_material(korean: Path, utterances: Path, glossary: Path) -> Material:
    """Analyse the public sets, the utterance bank and the glossary; laws of KEPT_OUT and the held-out ones are left
    out."""
    corpus = read_corpus(korean, utterances)
    reader = _Reader()
    articles = tuple(
        made for a in corpus.articles if a.law not in KEPT_OUT and (made := reader.article(a.law, a.title, a.text))
    )
    groups = tuple(reader.groups(group[:_GROUPS], _GROUP_LINES) for group in corpus.groups.values())
    tools = reader.groups(corpus.tools.values())
    told = tuple(
        (reader.words(entry.term), tuple(words for say in entry.says if (words := reader.words(say))))
        for entry in read_entries(glossary)
    )
    tags = {word: seen.most_common(1)[0][0] for word, seen in reader.seen.items()}
    return Material(articles, groups, tools, told, reader.counts, tags)


class _Reader:
    """Analyses texts and counts their words."""

    def __init__(self) -> None:
        self._tokenizer = Tokenizer()
        self.counts: Counter[str] = Counter()
        self.seen: dict[str, Counter[Tagged]] = {}

    def words(self, text: str) -> Words:
        found: list[str] = []
        for form, tag in self._tokenizer.tagged(text):
            if tag == "SN":
                continue
            word = term_of(form, tag)
            self.seen.setdefault(word, Counter())[form, tag.split("-")[0]] += 1
            found.append(word)
        self.counts.update(set(found))
        return tuple(found)

    def article(self, law: str, title: str, text: str) -> Article | None:
        parts = [part.strip() for part in _CLAUSE.split(text) if len(part.strip()) > _LEAST_CLAUSE]
        clauses = tuple(words for part in parts if len(words := self.words(part)) > 3)
        heading = self.words(title)
        return Article(self.words(law), heading, clauses) if clauses and heading else None

    def groups(self, groups: Iterable[Sequence[str]], lines: int | None = None) -> tuple[tuple[Words, ...], ...]:
        """Groups of at least two sentences each, of the first `lines` of each group."""
        made = (tuple(words for text in group[:lines] if (words := self.words(text))) for group in groups)
        return tuple(group for group in made if len(group) > 1)


class Pairs:
    """Draws batches of (question, passage) pairs, one kind a batch."""

    def __init__(
        self, material: Material, batch: int, article_share: float, drop: float, shared_drop: float, seed: int
    ) -> None:
        self._material, self._batch = material, batch
        self._article_share, self._drop, self._shared_drop = article_share, drop, shared_drop
        self._dice = random.Random(seed)
        self._sizes = [len(group) ** 0.5 for group in material.groups]

    def draw(self) -> list[tuple[Words, Words]]:
        """The next batch."""
        kind = self._dice.random()
        if kind < self._article_share:
            return [self._article() for _ in range(self._batch)]
        if kind < self._article_share + TOOL_SHARE:
            return [self._sentences(group) for group in self._material.tools]
        if kind < self._article_share + TOOL_SHARE + GLOSSARY_SHARE:
            return [self._told(entry) for entry in self._material.glossary]
        groups = self._dice.choices(self._material.groups, self._sizes)[0]
        return [self._sentences(self._dice.choice(groups)) for _ in range(self._batch)]

    def _article(self) -> tuple[Words, Words]:
        """Title to text, or some words of a clause to the other clauses; words of both sides are often taken out."""
        dice = self._dice
        article = dice.choice(self._material.articles)
        if dice.random() < 0.6 or len(article.clauses) < 2:
            question = article.title if dice.random() < 0.6 else article.title + article.law
            passage = sum(article.clauses, ())
        else:
            chosen = dice.randrange(len(article.clauses))
            whole = article.clauses[chosen]
            length = dice.randrange(3, 16)
            start = dice.randrange(max(1, len(whole) - length))
            question = whole[start : start + length]
            passage = sum((c for at, c in enumerate(article.clauses) if at != chosen), ())
            if dice.random() < 0.5:
                passage += article.title
        asked = set(question)
        apart = tuple(word for word in passage if word not in asked or dice.random() > self._shared_drop)
        return self._thinned(question), self._thinned(apart or passage)

    def _sentences(self, group: tuple[Words, ...]) -> tuple[Words, Words]:
        one, other = self._dice.sample(group, 2)
        return self._thinned(one), self._thinned(other)

    def _told(self, entry: tuple[Words, tuple[Words, ...]]) -> tuple[Words, Words]:
        """A customer's way of saying it, to the words of the trade."""
        term, says = entry
        return self._thinned(self._dice.choice(says)), self._thinned(term)

    def _thinned(self, words: Words) -> Words:
        return tuple(word for word in words if self._dice.random() > self._drop) or words
