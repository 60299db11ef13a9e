"""The words that documents and questions are matched by: content morphemes, bigrams and whole article references."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from app.documents.bounds import Patience
from app.documents.headings import label_of
from app.language.normalise import nfc

_REFERENCE = re.compile(r"제\s?(\d{1,4})\s?조(?:의\s?(\d{1,3}))?|별표\s?(\d{1,3})")
# '12조' without 제 counts in questions only; in documents it is the paper of another law now and then.
_LOOSE = re.compile(r"(?<![\d.])(\d{1,4})\s?조(?:\s?의\s?(\d{1,3}))?(?![가-힣]{2}원|원|\d)")
_MARKS = re.compile(r"[①-⑳㉑-㉟]")
_WORD = re.compile(r"[가-힣]+|[a-z]+|\d+")
_EXPANDED = ("NNG", "NNP", "XR", "VV", "VA")
_ASKING = frozenset(
    """
    하 되 있 없 이 아니 어떻 어떡 어찌 얼마 얼마나 언제 어디 누구 무엇 뭐 뭣 뭘 왜 몇 어느 무슨 어떤 경우 때
    수 것 거 게 건 걸 가능 알 알리 알려주 궁금 궁금하 싶 말 말하 보 보이 보여주 주 받 대하 관하 통하 위하
    따르 나오 적히 적 쓰 쓰이 찾 찾아주 확인 설명 문의 질문 내용 부분 대목 구절 문구 원문 조항 조문 약관
    규정 안내 요약서 상품요약서 그 이것 그것 저 제 좀 혹시 그냥 다 더 또 정말 진짜 나 내 저희 우리 분 데 곳
    식 중 등 점 번 조 항 호 답 답변 자료 문서 책자 정하 묻 물어보 가르치 부탁 부탁드리 해당
    실리 싣 박히 풀 정리 발췌 뒤지 읽 들여다보 그대로
    """.split()  # noqa: SIM905  one word a quote would fill a page
)
NEIGHBOURS = 10
LEAST_LIKENESS = 0.45
MEANT_WEIGHT = 0.4
"""Of a word of the trade in the vector of what a question is about, beside 1 for its own words."""
_MEMORY = 20_000
_LINES, _TOGETHER = 5_000, 50


class MorphemeReader(Protocol):
    """The part of the tokenizer that is used here."""

    def tagged(self, text: str) -> tuple[tuple[str, str], ...]:
        """Content morphemes with their tags."""
        ...

    def neighbours(self, morpheme: tuple[str, str], top: int) -> tuple[tuple[str, str, float], ...]:
        """The most alike morphemes with tag and likeness."""
        ...


class BatchReader(Protocol):
    """The part of the tokenizer that reads documents."""

    def tagged_many(self, texts: Sequence[str]) -> list[tuple[tuple[str, str], ...]]:
        """Content morphemes of each text with their tags."""
        ...


@dataclass(frozen=True)
class QueryTerms:
    """A question as words, none in two places: its own, those of insurance concepts it names, those that the glossary
    gives for its words, and morphemes alike (by likeness). `bigrams` are its letter pairs."""

    words: tuple[str, ...]
    concepts: tuple[str, ...]
    trade: tuple[str, ...]
    alike: dict[str, float]
    bigrams: tuple[int, ...]

    @property
    def meant(self) -> dict[str, float]:
        """What the question is about: words of the trade count less than its own."""
        return dict.fromkeys((*self.concepts, *self.trade), MEANT_WEIGHT) | dict.fromkeys(self.words, 1.0)


class Lexicon(Protocol):
    """Words of the trade for customers' words."""

    def concepts(self, text: str) -> tuple[str, ...]:
        """Terms of the concepts that a text names."""
        ...

    def trade(self, words: frozenset[str]) -> tuple[str, ...]:
        """Words of the trade for a text's content words."""
        ...


def references(text: str, *, loose: bool = False) -> tuple[str, ...]:
    """Article and annex labels in order, each once: '제12조의2', '별표 3'."""
    found = [
        f"별표 {int(match[3])}" if match[3] else label_of(match[1], match[2]) for match in _REFERENCE.finditer(text)
    ]
    if loose and not found:
        found = [label_of(match[1], match[2]) for match in _LOOSE.finditer(text)]
    return tuple(dict.fromkeys(found))


def index_terms(reader: BatchReader, lines: Sequence[str]) -> list[list[str]]:
    """Morphemes of each line plus one whole token an article reference ('§제12조의2')."""
    plain = [_MARKS.sub(" ", nfc(line)) for line in lines]
    tagged = reader.tagged_many([_REFERENCE.sub(" ", line) for line in plain])
    return [
        # one object a word: a long document repeats the same few thousand
        [*(sys.intern(term_of(form, tag)) for form, tag in morphemes), *(f"§{label}" for label in references(line))]
        for line, morphemes in zip(plain, tagged, strict=True)
    ]


class TermReader:
    """`index_terms` of passages with a memory: policies repeat whole paragraphs, and the analyser is what costs."""

    def __init__(self, reader: BatchReader) -> None:
        self._reader = reader
        self._known: dict[str, list[str]] = {}

    def terms(self, text: str) -> list[str]:
        """The terms of a passage."""
        return self.all([text])[0]

    def all(self, texts: Sequence[str], patience: Patience | None = None) -> list[list[str]]:
        """The terms of each passage; new lines are analysed together. Raises what `Patience.check` raises."""
        found: list[list[str]] = []
        for start in range(0, len(texts), _TOGETHER):
            if patience is not None:
                patience.check(start / len(texts))
            parts = [text.split("\n") for text in texts[start : start + _TOGETHER]]
            lines = dict.fromkeys(line for part in parts for line in part)
            new = [line for line in lines if line not in self._known]
            if len(self._known) + len(new) > _LINES:
                self._known = {line: self._known[line] for line in lines if line in self._known}
            self._known.update(zip(new, index_terms(self._reader, new), strict=True))
            found += [[term for line in part for term in self._known[line]] for part in parts]
        return found


class NeighbourCache:
    """A tokenizer whose morpheme likenesses are remembered: 1 ms the first time, then a look-up. Safe to share."""

    def __init__(self, reader: MorphemeReader) -> None:
        self._reader = reader
        self._known: dict[tuple[str, str], tuple[tuple[str, str, float], ...]] = {}

    def tagged(self, text: str) -> tuple[tuple[str, str], ...]:
        """Content morphemes with their tags."""
        return self._reader.tagged(text)

    def neighbours(self, morpheme: tuple[str, str], top: int) -> tuple[tuple[str, str, float], ...]:
        """The most alike morphemes with tag and likeness."""
        known = self._known.get(morpheme)
        if known is None:
            if len(self._known) >= _MEMORY:
                self._known = {}
            known = self._known[morpheme] = self._reader.neighbours(morpheme, top)
        return known


def query_terms(reader: MorphemeReader, text: str, lexicon: Lexicon) -> QueryTerms:
    """The words of a question: question verbs and fillers dropped, words of the trade and likenesses added."""
    plain = _MARKS.sub(" ", nfc(text))
    labels = [f"§{label}" for label in references(plain, loose=True)]
    tagged = reader.tagged(_LOOSE.sub(" ", _REFERENCE.sub(" ", plain)))
    kept = [(form, tag) for form, tag in tagged if form not in _ASKING] or list(tagged)
    words = dict.fromkeys([*(term_of(form, tag) for form, tag in kept), *labels])
    named = (term_of(form, tag) for concept in lexicon.concepts(text) for form, tag in reader.tagged(concept))
    concepts = dict.fromkeys(word for word in named if word not in words)
    every = lexicon.trade(frozenset(term_of(form, tag) for form, tag in tagged))
    trade = [word for word in every if word not in words and word not in concepts]
    known = words.keys() | concepts.keys() | set(trade)
    alike: dict[str, float] = {}
    for form, tag in kept:
        if not tag.startswith(_EXPANDED):
            continue
        for other, other_tag, likeness in reader.neighbours((form, tag.split("-")[0]), NEIGHBOURS):
            word = term_of(other, other_tag)
            if likeness >= LEAST_LIKENESS and word not in known:
                alike[word] = max(alike.get(word, 0.0), likeness)
    return QueryTerms(
        tuple(words), tuple(concepts), tuple(trade), alike, tuple(np.unique(bigram_codes(plain)).tolist())
    )


def content_words(reader: MorphemeReader, text: str) -> list[str]:
    """Every content word of a text in order, fillers too."""
    return [term_of(form, tag) for form, tag in reader.tagged(text)]


def bigram_codes(text: str) -> NDArray[np.int64]:
    """One number for each pair of neighbouring letters inside a word; a word of one letter pairs with nothing."""
    codes = np.frombuffer(text.lower().encode("utf-32-le"), dtype=np.uint32).astype(np.int64)
    if len(codes) < 2:
        return np.zeros(0, dtype=np.int64)
    hangul = (codes >= 0xAC00) & (codes <= 0xD7A3)
    plain = hangul | ((codes >= 0x30) & (codes <= 0x39)) | ((codes >= 0x61) & (codes <= 0x7A))
    both = plain[:-1] & plain[1:]
    return (codes[:-1][both] << 16) | codes[1:][both]


def term_of(form: str, tag: str) -> str:
    """Verbs and adjectives get 다, so that 깨(다) and the noun 깨 stay apart."""
    return f"{form}다" if tag.startswith(("VV", "VA")) else form
