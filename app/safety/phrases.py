"""Finds forbidden sales expressions, except where they are denied, quoted to be criticised, or asked about."""

from __future__ import annotations

import copy
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from app.insurance.reference import ForbiddenPhrase
from app.safety.clauses import Clause, clauses
from app.safety.normalise import View, plain
from app.safety.phrase_classifier import NearestRule, PhraseClassifier, SentenceVerdict
from app.safety.sentences import sentence_around, sentences

_NOUN = r"(?:것|거|건|게|뜻|의미|구조|상품|보험|경우|수|사실|말씀|말|얘기|이야기)"
_DENIED = re.compile(
    r"[가-힣]{0,5}지(?:는|도|만은)?\s*(?:않|못)"
    r"|(?P<unsaid>[가-힣]{0,5}(?:다고|라고|이라고|다는|라는|이라는|"
    r"는다고)(?:는)?\s*(?:[가-힣]+\s+){0,3}?(?:할\s*수\s*(?:는\s*)?없|"
    r"볼\s*수\s*(?:는\s*)?없|말씀드릴\s*수\s*(?:는\s*)?없|단정|약속|확답|보장)[^.!?\n]{0,14}?(?:없|못|어렵|"
    r"않|안\s*됩|금지|마))"
    r"|[가-힣]{0,6}\s*(?:단정|장담|확답|약속|보장)[^.!?\n]{0,8}(?:없|못|어렵|않)"
    r"|(?P<untold>[가-힣]{0,5}(?:다고|라고|이라고|다는|라는)(?:는|도)?\s*(?:[가-힣]+\s+){0,2}?(?:말씀|권|안내|추천|설명)[^.!?\n]{0,8}?"
    r"(?:못|안\s*드|않|(?:건|게|것은|뜻은?)\s*아니))"
    r"|[가-힣]{0,5}(?:다고|라고)\s*하(?:거든|면|더라도|셔도)[^.!?\n]{0,14}(?:마십|마세|말고|믿지|따르지)"
    r"|[^.!?\n]{0,10}(?:는|은|인)\s*(?:사실이\s*아|오해|잘못된|틀린|금지|위법|위반|불법)"
    r"|[^.!?\n]{0,16}(?:사실과\s*다르|오해(?:입|예|이)|금지(?:되|돼|합|하|입|된|행위)|허용되지\s*않|"
    r"위반(?:입|됩|이|에\s*해당)|반려|삭제(?:했|하|"
    r"해|됩|되)|고쳐야|(?:써서는|쓰면|사용하면|말해서는|하시면|해서는|드려서는|안내하면)\s*안\s*(?:되|됩|"
    r"돼)|(?:쓸|사용할|안내할|안내드릴|제공할|드릴|"
    r"말할)\s*수\s*없)"
    rf"|[가-힣]{{0,6}}\s*{_NOUN}(?:은|는|이|가|도)?\s*(?:[가-힣]+\s+)?(?:아니(?!면|죠\?|잖)|아닙|아녜|아닌|"
    rf"없(?!이)|않|못)"
)
_ASKED = re.compile(
    r"[가-힣]{0,4}(?:나요|는지|은지|인지|을지|는가요|은가요|냐고|느냐)\s*(?:\?|궁금|문의|여쭤|물어|확인|"
    r"알아|묻)|[가-힣]{0,4}까요?\s*(?:궁금|문의|여쭤|물어)"
)
_ABOUT_WORDS = re.compile(
    r"(?:이?라는|이?란|과\s*같은|같은|등의|이?라고\s*(?:말|하|적|쓰|표현|안내|광고|설명|홍보|녹음|"
    r"녹취))\s*[^.!?\n]{0,6}?(?:말|표현|문구|멘트|문장|"
    r"설명|안내|광고|식|주장|단어|카피|제목|권유|통화|녹취|경우|민원|것은|행위|사례)"
    r"|[\"'”’」』][^.!?\n]{0,4}?(?:표현|문구|멘트|문장|말|광고|단어|카피|제목|설명)"
    r"|(?:표현|문구|멘트|문장|카피|화법|스크립트)(?:은|는|을|를|이|가|이므로|에)?[^.!?\n]{0,30}?(?:않|없|"
    r"금지|위반|삭제|반려|고치|바꾸|바꿔|마십|마세|말아|"
    r"주의|부적절|심의|수정|피하|피해|삼가|안\s*됩|오인|불완전)"
    r"|(?:압박|강요|권유)(?:받|하면|했다면)|민원(?:이|을|에|으로|입)|불완전\s*판매|녹취(?:를|"
    r"록)?\s*(?:확인|요청)|금지\s*(?:표현|행위|문구)"
)
_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"), ("‘", "’"), ("「", "」"), ("『", "』"))
_CRITICISED = re.compile(
    r"않|없|아닙|아니|금지|위반|삭제|반려|고치|고쳐|바꾸|바꿔|마십|마세|말아|주의|부적절|민원|주장|녹취|"
    r"분류|표현|문구|멘트|문장|심의|오해|오인|사실과|정확하지|라는\s*말|란\s*말|들으셨다면"
)
_CITED = re.compile(
    r"[\"“'‘「『][^\"”'’」』]{2,60}[\"”'’」』][^.!?\n]{0,40}?(?:문구|표현|멘트|문장|말|주장|설명|안내|통화|"
    r"광고)[^.!?\n]*?(?:않|없|금지|위반|"
    r"삭제|반려|고치|바꾸|마십|마세|분류|검토|민원|사실과|어렵|안 됩)"
)
_DENIES = re.compile(r"(?:것|건|뜻|게)(?:은|는)?\s*(?:아니|아닙|아녜)[가-힣]{0,5}\W{0,3}\Z")
# 소개비는 못 드려요: a denial in the middle of an expression whose rule knows of none.
_DENIED_WITHIN = re.compile(r"(?<=\s)(?:못|안)\s?(?=[가-힣]+\Z)")
_WARNS = re.compile(
    r"(?:해서는|써서는|드려서는|하면|하시면|쓰면)\s*안\s*(?:됩|되|돼)|금지(?:되|돼|된|합|입)|불공정|"
    r"위반(?:입|이|될|할)|삼가|꼭\s*(?:읽|확인|살펴)"
)
# 백 프로 나온다던데 맞아요?: what was said elsewhere is asked about.
_HEARD = re.compile(
    r"(?:[다라자냐](?:고\s*(?:하던데|하는데|들었|했는데|그러던데|하셨는데)|던데|는데|는\s*말)|는다는데|믿어도)[^.!?\n]{0,10}?"
    r"(?:사실|맞[나는아]|진짜|정말|[돼되]|괜찮|불법|근거|문제|어떡|어떻게|왜)[^.!?\n]{0,14}\?\W*\Z"
)
# How a statement ends, in the dialects too (들어갑니더, 드이소, 적지 마쇼, 나와유, 아픈께, 들어가는 거라예).
_ENDED = re.compile(
    r"(?:[다요죠네까지쇼]|[니이]더|[하이마드으있없겠었았]소|(?<![사보공소여이치])유|[니은는응한인]께|구만|구먼|[당랑]께|"
    r"[라더아해돼]예|[게지으어]라|[디니]더예|데이|잖애|[셔서]잉|수다|우다|[는던은]겨|거여|부러|[돼해려]여)\W{0,3}(?<!\?)\Z"
)
_GREETING = re.compile(
    r"\W*(?:[가-힣 ]{0,14}죄송(?:해요|합니다)|안녕하세요|감사합니다|고맙습니다|죄송합니다|반갑습니다|"
    r"말씀해 주세요|알겠습니다|네)[^가-힣]*\Z"
)
_SPACED = re.compile(r"(?:[가-힣][\s·.,_*~/|-]{1,2}){3,}[가-힣](?![가-힣])")
_SEPARATORS = re.compile(r"(?<=[가-힣])[\s·.,_*~/|-]{1,2}(?=[가-힣])")

_SENTENCES = 4096
_HALVED = 10

Found = tuple[ForbiddenPhrase, int, int]


@dataclass(frozen=True)
class PhraseHit:
    """One forbidden expression: offsets into the text as given, the rule's grounds and a sentence to say instead."""

    start: int
    end: int
    text: str
    rule_id: str
    category: str
    why: str
    basis: str
    rewording: str


class PhraseChecker:
    """Checks text against the rules of data/safety/forbidden_phrases.yaml, also when letters are spaced out.

    With a `classifier`, sentences that no pattern names are found too; they are given the rule they come nearest to.
    """

    def __init__(self, rules: Sequence[ForbiddenPhrase], classifier: PhraseClassifier | None = None) -> None:
        self._rules = tuple((rule, re.compile(rule.pattern)) for rule in rules)
        # Most sentences match none, and answers repeat sentences. One search of all patterns joined takes half as long
        # again: by itself most of them begin with letters that are quickly looked for.
        self._held = lru_cache(maxsize=_SENTENCES)(self._matches)
        self._speaks = lru_cache(maxsize=_SENTENCES)(lambda sentence: _asserts(sentence) or self._held(sentence))
        self._classifier = classifier
        self._nearest = NearestRule(rules)

    @property
    def block_at(self) -> float | None:
        """The score from which the classifier alone finds a sentence; None without one."""
        return self._classifier.block_at if self._classifier is not None else None

    def put(self, block_at: float) -> None:
        """Find from this score on, from the next text on. Nothing changes without a classifier."""
        if self._classifier is not None:
            self._classifier = self._classifier.over(block_at)

    def over(self, block_at: float) -> PhraseChecker:
        """The same checker with another threshold, beside this one."""
        other = copy.copy(self)
        other.put(block_at)
        return other

    def score(self, sentence: str) -> float | None:
        """What the classifier makes of a sentence (log-odds); None without one, or for words of another language."""
        return self._classifier.score(sentence) if self._classifier is not None and _is_korean(sentence) else None

    def weight(self, text: str, low: float, high: float) -> float:
        """What `block_at` is held against, to a thousandth of [low, high]: something is found in the text from there
        down. Infinite where it is found at `high` too, minus infinity where not even at `low`."""
        if self.over(high).check(text):
            return math.inf
        if not self.over(low).check(text):
            return -math.inf
        for _ in range(_HALVED):
            middle = (low + high) / 2
            low, high = (middle, high) if self.over(middle).check(text) else (low, middle)
        return low

    def check(self, text: str, *, pitch: bool = False) -> tuple[PhraseHit, ...]:
        """The forbidden expressions in reading order; of overlapping ones the first found counts.

        A `pitch` was handed in as what a seller says or writes: its headings, hints and questions promise, too.
        """
        speaks = _pitches if pitch else _asserts
        hits: list[PhraseHit] = []
        for view in _views(text):
            for span, verdict in self._judged(view.text, pitch=pitch):
                for rule, start, end in self._in_sentence(view.text, span, verdict, speaks):
                    first, last = view.span(start, end)
                    if all(last <= hit.start or first >= hit.end for hit in hits):
                        hits.append(_hit(rule, text, first, last))
        return tuple(sorted(hits, key=lambda hit: hit.start))

    def mended(self, text: str) -> str | None:
        """The pitch with every sentence that holds a forbidden expression said otherwise, once each; passes the check.

        None where nothing is forbidden, or where not even the rewording would pass.
        """
        hits = self.check(text, pitch=True)
        pieces: list[str] = []
        said: set[str] = set()
        at = 0
        for hit in hits:
            start, end = sentence_around(text, hit.start)
            if start < at:
                continue
            lead = text[start:end][: len(text[start:end]) - len(text[start:end].lstrip())]
            pieces += (text[at:start], "" if hit.rewording in said else f"{lead}{hit.rewording}")
            said.add(hit.rewording)
            at = end
        whole = "".join([*pieces, text[at:]]).strip()
        for better in (whole, " ".join(dict.fromkeys(hit.rewording for hit in hits))):
            if hits and not self.check(better, pitch=True):
                return better
        return None

    def _matches(self, sentence: str) -> bool:
        return any(pattern.search(sentence) for _, pattern in self._rules)

    def _judged(self, text: str, *, pitch: bool) -> list[tuple[tuple[int, int], SentenceVerdict]]:
        """The sentences that promise something or hold a pattern's words; no others can be forbidden.

        Without a classifier each is open, so that the patterns decide.
        """
        spans = [span for span in sentences(text) if pitch or self._speaks(text[slice(*span)])]
        spans = [span for span in spans if not _HEARD.search(text[slice(*span)])]
        if self._classifier is None:
            return [(span, "open") for span in spans]
        judged = self._classifier.judge([text[a:b] for a, b in spans])
        # The classifier learned from Korean sentences alone, so that it overrules no pattern in others.
        return [
            (span, verdict if _is_korean(text[slice(*span)]) else "open")
            for span, verdict in zip(spans, judged, strict=True)
        ]

    def _in_sentence(
        self, text: str, span: tuple[int, int], verdict: SentenceVerdict, speaks: Callable[[str], bool]
    ) -> Iterator[Found]:
        if verdict == "allowed":
            return
        sentence = text[slice(*span)]
        parts = clauses(sentence)
        found = list(self._by_pattern(text, span, parts)) if self._held(sentence) else []
        if verdict == "unlikely" and found and self._classifier is not None and self._classifier.allows(sentence):
            # 보험료는 월 3만원이고 원금도 보장돼요: what stands beside it excuses no plain promise.
            judge = self._classifier.condemns
            found = [hit for hit in found if parts and judge(_told(sentence, parts, hit[1] - span[0]))]
        if verdict == "unlikely" and not found:
            return
        asserted = verdict == "violation" and speaks(sentence)
        if found or asserted:
            # One forbidden thing hides no second: the other clauses are judged by themselves.
            found += self._in_clauses(text, span, parts, [start for _, start, _ in found], speaks)
        if not found and asserted and (rule_like := self._nearest(sentence)) is not None:
            found.append((rule_like, *span))
        yield from found

    def _by_pattern(self, text: str, span: tuple[int, int], parts: Sequence[Clause]) -> Iterator[Found]:
        for rule, pattern in self._rules:
            for match in pattern.finditer(text, *span):
                if not match.group() or _denied_within(match.group(), pattern):
                    continue
                if not _excused(text, match.start(), match.end()):
                    yield rule, match.start(), _within_clause(pattern, match, span[0], parts)

    def _in_clauses(
        self,
        text: str,
        span: tuple[int, int],
        parts: Sequence[Clause],
        known: Sequence[int],
        speaks: Callable[[str], bool],
    ) -> Iterator[Found]:
        """Hits in the clauses in which none begins yet."""
        for part in parts:
            start, end = span[0] + part.start, span[0] + part.end
            if any(start <= place < end for place in known) or _excused(text, start, end):
                continue
            rule = next((rule for rule, pattern in self._rules if pattern.search(part.finished)), None)
            if rule is None and self._classifier is not None and speaks(part.finished):
                judged = self._classifier.judge([part.finished])[0]
                rule = self._nearest(part.finished) if judged == "violation" else None
            if rule is not None:
                yield rule, start, end


def _is_korean(sentence: str) -> bool:
    return any("가" <= letter <= "힣" for letter in sentence)


def _within_clause(pattern: re.Pattern[str], match: re.Match[str], offset: int, parts: Sequence[Clause]) -> int:
    """Where the hit ends: with its clause, where that is enough for the pattern."""
    for part in parts:
        if part.start <= match.start() - offset < part.end < match.end() - offset and pattern.search(part.finished):
            return offset + part.end
    return match.end()


def _told(sentence: str, parts: Sequence[Clause], place: int) -> str:
    """The clause around a place in the sentence; the sentence itself where it is but one."""
    return next((part.finished for part in parts if part.start <= place < part.end), sentence)


def _hit(rule: ForbiddenPhrase, text: str, start: int, end: int) -> PhraseHit:
    return PhraseHit(start, end, text[start:end], rule.id, rule.category, rule.why, rule.basis, rule.rewording)


def _asserts(sentence: str) -> bool:
    """Whether it promises something: no question, greeting, heading, criticised quotation, warning or denial."""
    return _ENDED.search(sentence) is not None and _pitches(sentence)


def _pitches(sentence: str) -> bool:
    """Whether it promises something where whatever stands there is said to a customer, questions and headings too."""
    unsaid = _GREETING.match(sentence) or _CITED.search(sentence) or _WARNS.search(sentence) or _DENIES.search(sentence)
    return not unsaid


def _views(text: str) -> Iterator[View]:
    view = plain(text)
    yield view
    if _SPACED.search(view.text):
        # 무 조 건 → 무조건: a view in which spaced-out letters stand together
        yield view.replaced(_SPACED, lambda match: _SEPARATORS.sub("", match.group()))


def _excused(text: str, start: int, end: int) -> bool:
    """Whether the expression is denied, asked about, or quoted in order to be criticised."""
    first, last = sentence_around(text, start)
    if any(_unsaid(text[place + 1 : min(last, end + 60)]) for place in range(start, end) if text[place].isspace()):
        return True
    after = text[end : min(last, end + 60)]
    if _DENIED.match(after) or _ASKED.match(after) or _ABOUT_WORDS.search(text[end : min(last, end + 90)]):
        return True
    if _quoted(text[first:last], start - first, end - first):
        rest = text[end : min(len(text), end + 120)]
        return _CRITICISED.search(rest) is not None
    return False


def _denied_within(expression: str, pattern: re.Pattern[str]) -> bool:
    """Whether a denial stands in it that the rule does not ask for: without it the rule holds as well."""
    bare = _DENIED_WITHIN.sub("", expression)
    return bare != expression and pattern.search(bare) is not None


def _unsaid(words: str) -> bool:
    """무조건 된다고 말씀 못 드립니다: a denial of saying so may begin within the expression, at any of its words."""
    denied = _DENIED.match(words)
    return denied is not None and denied.lastgroup is not None


def _quoted(sentence: str, start: int, end: int) -> bool:
    """Whether a pair of quotation marks stands around [start, end)."""
    for opening, closing in _QUOTES:
        before = sentence[:start]
        open_now = (
            before.count(opening) % 2 == 1 if opening == closing else before.count(opening) > before.count(closing)
        )
        if open_now and closing in sentence[max(end - 1, 0) :]:
            return True
    return False
