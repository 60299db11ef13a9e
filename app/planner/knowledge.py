"""General knowledge without tools: glossary terms and frequently asked questions, each answered with its source."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from app.insurance.catalogue import Reference
from app.insurance.reference import GlossaryTerm
from app.language.normalise import compact, nfc
from app.language.tokenizer import Tokenizer
from app.planner.facets import Facets
from app.planner.wordings import Encode, Wordings

# Measured on the general questions of data/routing/no_tool.jsonl: below 0.67 entries answered that merely share a word
# with the question; above it nearly every answer given was the one asked for.
ENOUGH = 0.67
# Likeness to a known wording. Of 3,000 lines that ask for a tool or are of something else, 3 of 1,000 reach .7 (most of
# them are of an entry, too), 30 reach .5; of wordings left out those above have the right entry in 100 and 81 of 100.
SURELY, LIKELY, NEARLY = 0.7, 0.6, 0.5
# So far before all other entries .25 is enough for 78 of 100.
AHEAD = 0.08
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
        "적 뜻 의미 말 용어 설명 차이 비교 구분 개념 정의 이유 원리 배경 제도 일반 보통 경우 정도 예 예시 사람 때 것 "
        "거 일 방법 상식 소리 간단 질문 답 답변 관계 상관 목적 성격 상 형태 식 요즘 한마디 초등학생 얘기 이야기 이름 "
        "처음 시작 나중 괜찮 궁금 어머니 아버지 엄마 아빠 부모",
    )
)
_DIFFERENCE = re.compile(r"차이|다르|다른|달라|비교|구분|구별|헷갈|뭐가 맞|어느 쪽|관계|vs", re.IGNORECASE)

_DEFINITION = re.compile(r"뭐|뭔|머에요|머예요|무엇|뜻|의미|무슨|개념|정의|설명|이?란\s?[?？]?$")
# A term ends where a particle, a verb of being or no Hangul follows: 부활이 is the term 부활, 부활절 is not.
_AFTER_NAME = (
    r"(?=$|[^가-힣]|이|가|은|는|을|를|의|란|도|만|랑|와|과|하고|에|로|으로|뜻|라는|라고|요|인|뭐|무슨|들|된|되|할|하)"
)
_PARTICLES = re.compile(r"^(?:이?란|이?랑|이?라는|이?라고|[이가은는을를의도만와과에들]|하고|으?로)+(?![가-힣])")
_MARKS = re.compile(r"[\s·.()-]+")


@dataclass(frozen=True)
class Knowledge:
    """An answer with its source; `share` is how much of the question it covers, 0..1, `tool` whose business it is."""

    title: str
    text: str
    source: str
    share: float
    tool: str | None = None


@dataclass(frozen=True)
class _Faq:
    id: str
    title: str
    text: str
    source: str
    tool: str | None
    facets: Mapping[str, str]
    phrasings: tuple[frozenset[str], ...]
    wordings: tuple[frozenset[str], ...]

    def known(self, share: float = 1.0, text: str | None = None) -> Knowledge:
        """The answer, or `text` instead of it."""
        return Knowledge(self.title, text or self.text, self.source, share, self.tool)

    def told_in(self, before: str) -> bool:
        """Whether it, or a side of it, was answered there."""
        return any(text in before for text in (self.text, *self.facets.values()))


@dataclass(frozen=True)
class _Cue:
    faq: _Faq
    says: re.Pattern[str] | None
    unless: re.Pattern[str] | None
    about: re.Pattern[str] | None
    then: re.Pattern[str] | None

    def may_fit(self, asked: str) -> bool:
        """Whether there is anything that, said before, would make it fit."""
        if self.unless and self.unless.search(asked):
            return False
        return any(words is not None and words.search(asked) for words in (self.says, self.then))

    def fits(self, asked: str, before: str) -> bool:
        """Of a question that it may fit."""
        if self.says and self.says.search(asked):
            return True
        return bool(self.about and self.then and self.about.search(before) and self.then.search(asked))


@dataclass(frozen=True)
class _Term:
    term: GlossaryTerm
    name: re.Pattern[str]


class KnowledgeBase:
    """Finds the glossary term or question that a general question asks about."""

    def __init__(
        self, reference: Reference, tokenizer: Tokenizer, facets: Facets | None = None, encode: Encode | None = None
    ) -> None:
        """`facets`: which sides of an answer may be asked on about (none: no side); `encode` makes vectors of texts."""
        self._tokenizer, self._facets, self._encode = tokenizer, facets, encode
        self._faqs = tuple(
            _Faq(
                faq.id,
                faq.question,
                faq.answer,
                faq.source,
                faq.tool,
                faq.facets,
                tuple(filter(None, map(self._words, (faq.question, *faq.variants, " ".join(faq.keywords))))),
                tuple(map(self._all_words, (faq.question, *faq.variants))),
            )
            for faq in reference.knowledge
        )
        self._cues = tuple(
            _Cue(faq, *(re.compile(said) if said else None for said in (item.says, item.unless, item.about, item.then)))
            for faq, item in zip(self._faqs, reference.knowledge, strict=True)
            if item.says or item.then
        )
        said = list(zip(self._faqs, reference.knowledge, strict=True))
        self._literal = {compact(text): item for item, faq in said for text in (faq.question, *faq.variants)}
        self._lines = [(text, item) for item, faq in said for text in dict.fromkeys((faq.question, *faq.variants))]
        self._worded = Wordings([text for text, _ in self._lines], tokenizer, encode)
        self._terms = tuple(_Term(term, _pattern((term.term, *term.aliases))) for term in reference.glossary)
        entries = [frozenset().union(*faq.wordings, *faq.phrasings) for faq in self._faqs]
        entries += [self._words(" ".join((term.term, *term.aliases))) for term in reference.glossary]
        counts = Counter(word for words in entries for word in words)
        self._weights = {word: math.log(1 + len(entries) / count) for word, count in counts.items()}
        self._unknown = math.log(1 + len(entries))
        texts = (text for faq in reference.knowledge for text in (faq.question, *faq.variants, *faq.keywords))
        self._nouns = frozenset(form for text in texts for form, tag in tokenizer.tagged(text) if tag in _NOUNS)

    def reload(self, reference: Reference) -> None:
        """Answer from these entries from now on; a question under way sees the old ones or the new ones."""
        self.__dict__ = KnowledgeBase(reference, self._tokenizer, self._facets, self._encode).__dict__

    def words(self, text: str) -> frozenset[str]:
        """What a text is about: its content morphemes without the words of asking."""
        return self._words(text)

    def meant(self, question: str, *before: str) -> Knowledge | None:
        """The entry whose plain words stand in the question (이체일을 옮기고 싶어요), or that goes on with what was
        asked and answered `before` it, the newest exchange first; None for any other."""
        plain = nfc(question)
        possible = [cue for cue in self._cues if cue.may_fit(plain)]
        tried = ((cue, earlier) for earlier in map(nfc, before or ("",)) for cue in possible)
        side, own = self._side(plain, before)
        if side and own:
            return side
        faq = next((cue.faq for cue, earlier in tried if cue.fits(plain, earlier)), None)
        return faq.known() if faq else side

    def inside(self, question: str, *before: str) -> bool:
        """Whether a message is of what entries are kept for, whatever else it may be taken for."""
        return self.meant(question, *before) is not None or self.nearest(question, SURELY) is not None

    def nearest(self, question: str, least: float = NEARLY, ahead: float = math.inf) -> Knowledge | None:
        """The entry that a known wording of is at least so like the question, or so far `ahead` of all other entries'
        while it is half as like; its share is the likeness."""
        if not self._lines or not self._words(question):
            return None
        likeness = self._worded.likeness(nfc(question))
        best = self._lines[int(likeness.argmax())][1]
        share = round(float(likeness.max()), 3)
        if share >= least:
            return best.known(share)
        others = (float(value) for value, (_, faq) in zip(likeness, self._lines, strict=True) if faq is not best)
        return best.known(share) if share >= least / 2 and share - max(others, default=0.0) >= ahead else None

    def _side(self, asked: str, before: Sequence[str]) -> tuple[Knowledge | None, bool]:
        """The side of the entry told last, in what was said `before`, that a few words ask for (서류는요), and whether
        the entry itself tells it."""
        facets, entry = self._facets, self._told(before[0]) if before else None
        if facets and len(before) > 1 and (facets.unknown_in(before[0]) or (entry and entry.id in facets.instead)):
            entry = self._told(before[1]) or entry
        if entry is None or facets is None:
            return None, False
        about = frozenset().union(self._all_words(entry.text), *entry.wordings)
        facet = facets.asked(asked, about, self._named)
        if facet is None:
            return None, False
        if text := entry.facets.get(facet.name) or entry.facets.get(facet.also):
            return entry.known(text=text), True
        if entry.tool:
            return None, False  # the tool tells its sides
        if instead := next((faq for faq in self._faqs if faq.id == facet.instead), None):
            return (None if instead is entry else instead.known(NEARLY)), False
        return (entry.known(NEARLY, text=facet.unknown) if facet.unknown else None), False

    def _named(self, text: str) -> frozenset[str]:
        return frozenset(form for form, tag in self._tokenizer.tagged(text) if tag in _NOUNS)

    def _told(self, before: str) -> _Faq | None:
        """The entry told in an exchange, else the one that its question is nearly worded as."""
        if told := next((faq for faq in self._faqs if faq.told_in(before)), None):
            return told
        question, _, answer = before.partition("\n")
        near = None if answer else self.nearest(question)
        return next((faq for faq in self._faqs if near and faq.title == near.title), None)

    def answer(self, question: str, before: str = "") -> Knowledge | None:
        """The best entry, or None when none covers enough of the question."""
        if meant := self.meant(question, before):
            return meant
        asked = self._words(question)
        if not asked:
            return None
        if literal := self._literal.get(compact(question)):
            return literal.known()
        terms, faq = self._of_terms(question), self._of_faqs(asked, self._all_words(question))
        # Of equals a term wins where it is asked what it is, an entry where more is asked: the difference above all.
        defines = _DEFINITION.search(question) and not _DIFFERENCE.search(question)
        order = (terms, faq) if defines else (faq, terms)
        best = max((item for item in order if item), key=lambda item: item.share, default=None)
        return best if best and best.share >= ENOUGH else self.nearest(question)

    def _of_faqs(self, asked: frozenset[str], said: frozenset[str]) -> Knowledge | None:
        """The entry that is about the same, or worded the same where words of asking tell entries apart."""

        def score(faq: _Faq) -> tuple[float, float]:
            about = max(self._likeness(asked, phrasing) for phrasing in faq.phrasings)
            worded = max(self._likeness(said, wording) for wording in faq.wordings)
            return max(about, worded), worded

        best = max(self._faqs, key=score)
        share = score(best)[0]
        return best.known(round(share, 3)) if share else None

    def _likeness(self, asked: frozenset[str], phrasing: frozenset[str]) -> float:
        both = asked & phrasing
        about = both - _FILLER
        if self._nouns.isdisjoint(about) or self._weight(about) < _LEAST_WEIGHT:
            return 0.0
        shared = self._weight(both)
        return 0.7 * shared / self._weight(asked) + 0.3 * shared / self._weight(phrasing)

    def _of_terms(self, question: str) -> Knowledge | None:
        """The term that takes up most of the question; two terms when it asks how they differ."""
        plain = nfc(question).lower()
        named = _longest([(item.term, match) for item in self._terms if (match := item.name.search(plain))])
        if not named:
            return None
        kept = named[:2] if _DIFFERENCE.search(question) else named[:1]
        rest = plain
        for _, match in sorted(kept, key=lambda hit: -hit[1].start()):
            rest = f"{rest[: match.start()]} {_PARTICLES.sub('', rest[match.end() :], count=1)}"
        beside = self._words(rest)
        whole = self._unknown * len(kept)
        covered = whole / (whole + self._weight(beside))
        if covered < _NAMED_SHARE:
            return None
        # Asked with a word or two beside it, the term's own entry is still the answer.
        share = round(0.5 + covered / 2 if len(beside) <= 2 * len(kept) else covered, 3)
        terms = [term for term, _ in kept]
        if len(terms) == 1:
            return Knowledge(terms[0].term, terms[0].plain, terms[0].source, share)
        text = "\n".join(f"• {term.term}: {term.plain}" for term in terms)
        sources = ", ".join(dict.fromkeys(term.source for term in terms))
        return Knowledge("·".join(term.term for term in terms), text, sources, share)

    def _weight(self, words: Iterable[str]) -> float:
        return sum(self._weights.get(word, self._unknown) for word in words)

    def _words(self, text: str) -> frozenset[str]:
        """What a text is about: its content morphemes without the words of asking."""
        return self._all_words(text) - _FILLER

    def _all_words(self, text: str) -> frozenset[str]:
        return frozenset(form for form, tag in self._tokenizer.tagged(text) if tag.split("-")[0] in _CONTENT)


def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    """Any of the names as a word of its own, spaces and marks inside it optional; the longest first."""
    spelt = sorted({_MARKS.sub("", nfc(name).lower()) for name in names}, key=len, reverse=True)
    joined = "|".join(r"[\s·.-]?".join(map(re.escape, name)) for name in spelt if len(name) > 1)
    return re.compile(rf"(?<![가-힣0-9a-z])(?:{joined}){_AFTER_NAME}")


def _longest(hits: list[tuple[GlossaryTerm, re.Match[str]]]) -> list[tuple[GlossaryTerm, re.Match[str]]]:
    """Longest names first, without those that stand inside another's."""
    ordered = sorted(hits, key=lambda hit: hit[1].start() - hit[1].end())
    kept: list[tuple[GlossaryTerm, re.Match[str]]] = []
    for term, match in ordered:
        if all(match.end() <= other.start() or match.start() >= other.end() for _, other in kept):
            kept.append((term, match))
    return kept
