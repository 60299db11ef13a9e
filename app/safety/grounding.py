"""Grounding: every figure and product name of an answer must occur in what the answer may rest on."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from app.safety.evidence import Evidence
from app.safety.figures import Figure, said_figures
from app.safety.records import OUTSIDE, tight
from app.safety.sentences import sentences

_TO = re.compile(r"\s?[~∼〜]\s?")
_LEAST_QUOTE = 24  # letters: shorter ones say too little to be a result's very words
_BULLET = re.compile(r"(?m)^\s*(?:[•\-*·]|\d{1,2}[.)])\s")
_LISTED = re.compile(r"\d{1,2}\s?(?:가지|개|종|곳|건|항목|단계)")
_PRODUCT_LIKE = re.compile(
    r"(?<![가-힣A-Za-z0-9])([가-힣A-Za-z0-9]{2,18}?)보험(?:[VX]|\d|플러스|\(|(?=[^가-힣A-Za-z0-9]|"
    r"[은는이가을를과와의에로도]|입니다|이에|"
    r"예요|이며|이고|$))"
)
_GENERIC = re.compile(
    r"(?:THE|무배당|유배당|개인|단체|암|치아|치매|간병|종신|정기|건강|국민|실손|의료|실비|운전자|자동차|"
    r"생명|손해|화재|여행자?|해외|어린이|자녀|태아|연금|저축|변액|유니버셜|유니버설|"
    r"보장성?|순수|성|갱신형?|비|간편|고지|심사|가입|유병자|고용|산재|사회|민영|상해|질병|재해|사망|노후|"
    r"실버|펫|반려동물|배상책임|일상생활|주택|장기|단기|요양|노인|소득|소액|미니|온라인|"
    r"다이렉트|표준형?|무해지|저해지|환급형?|환급|없는|지급|모든|다른|기존|해당|여러|현재|새로운|각|우리|"
    r"타사|본인|대표|주력|주요|이런|그런|어떤|같은|인기|추천|맞춤|여성|남성|부모님?|효도|"
    r"종합|통합|수술|입원|골절|뇌|심장|혈관|질환|중대|CI|GI|형|및|또는|과|와|의|한|두|세|가지|개의?|신규|"
    r"현행|공적|사적|보증|신용|책임|의무|일반|특정|전용|관련|제|"
    r"당사|저희|있는|하신|가입하신|갖고|보유|"
    r"중복|수령|예금|적금|3대|5대|\d+세?)+"
)


@dataclass(frozen=True)
class Loose:
    """A figure or name of the answer that rests on nothing: offsets and text."""

    start: int
    end: int
    text: str


class ProductNames:
    """The names of the catalogue, so that each is recognised wherever it stands."""

    def __init__(self, names: Sequence[str] = ()) -> None:
        ordered = sorted({name for name in names if name}, key=len, reverse=True)
        spelled = [r"\s?".join(map(re.escape, name.replace(" ", ""))) for name in ordered]
        self.pattern = re.compile("|".join(spelled)) if spelled else None


def ungrounded(
    answer: str, evidence: Sequence[str] | Evidence, products: ProductNames | None = None
) -> tuple[Loose, ...]:
    """The figures, dates, codes and product names that occur nowhere in `evidence` in any equal form.

    A figure that occurs is loose, too, where the results give it to something else: to another record than the sentence
    names, beside another figure (3년 7%), or where they say the very words around it of other numbers only.
    """
    known_names = products or ProductNames()
    asserted = said_figures(answer)
    names = list(_names(answer, known_names))
    if not asserted and not names:
        return ()
    given = evidence if isinstance(evidence, Evidence) else Evidence(evidence)
    found = [f for f in asserted if not given.has(f) and not _counts_list(answer, f)]
    found += _misplaced(answer, asserted, given)
    loose = [Loose(f.start, f.end, f.text) for f in dict.fromkeys(found)]
    loose += [name for name in names if not given.names(name.text)]
    inside_names = [(name.start, name.end) for name in names]
    # 채우는335 건강: the figure that begins within a name is the name's own, whatever unit seems to stand behind it.
    kept = [x for x in loose if not any(a <= x.start < b and (x.start, x.end) != (a, b) for a, b in inside_names)]
    return tuple(sorted(kept, key=lambda x: x.start))


def _misplaced(answer: str, asserted: Sequence[Figure], given: Evidence) -> Iterator[Figure]:
    """Figures that are given, but not for what the answer says."""
    denied = given.denied(answer)
    listing = tight(answer) if _BULLET.search(answer) else None
    spans = sentences(answer)
    for (start, end), apart in zip(spans, given.others(answer, spans), strict=True):
        inside = [f for f in asserted if start <= f.start and f.end <= end]
        for figure in inside:
            reworded = any(figure.start <= at < figure.end for at in denied) and not given.stated(figure)
            # 암진단보험금 3,000만원 says nothing of 유사암진단보험금: what the record itself gives counts more.
            reworded = reworded and not (apart and given.has(figure, apart | OUTSIDE))
            elsewhere = apart and not given.has(figure, apart)
            # A sentence of the terms may speak of another clause by its name (제30조에 따른 …).
            misread = (reworded or elsewhere) and not _quoted(answer[start:end], given)
            if misread or (listing and given.miscounted(figure, listing)):
                yield figure
        for first, second in pairwise(inside):
            if _backwards(answer, first, second):
                yield first
            elif answer[first.end : second.start] == " " and _parted(given, first, second):
                yield second


def _quoted(sentence: str, given: Evidence) -> bool:
    """Whether the whole sentence stands in the results word for word."""
    return len(sentence) >= _LEAST_QUOTE and given.names(sentence)


def _backwards(answer: str, first: Figure, last: Figure) -> bool:
    """Whether a range runs down or nowhere (90~75세), which no result says."""
    if not _TO.fullmatch(answer, first.end, last.start) or first.kind != last.kind:
        return False
    return isinstance(first.value, float) and isinstance(last.value, float) and first.value >= last.value


def _parted(given: Evidence, first: Figure, second: Figure) -> bool:
    """Whether two figures that belong together (3년 7%) are given apart from each other."""
    numbers = isinstance(first.value, float) and isinstance(second.value, float) and first.kind != second.kind
    return numbers and given.parted(first, second)


def _counts_list(answer: str, figure: Figure) -> bool:
    """Whether the figure only counts what the answer lists itself (다음 3가지)."""
    if figure.kind != "count" or not _LISTED.match(answer, figure.start):
        return False
    return figure.value == len(_BULLET.findall(answer))


def _names(answer: str, known: ProductNames) -> Iterator[Loose]:
    taken: list[tuple[int, int]] = []
    if known.pattern is not None:
        for match in known.pattern.finditer(answer):
            taken.append(match.span())
            yield Loose(match.start(), match.end(), match.group())
    for match in _PRODUCT_LIKE.finditer(answer):
        if any(match.start() < b and a < match.end() for a, b in taken) or _GENERIC.fullmatch(match.group(1)):
            continue
        yield Loose(match.start(), match.end(1) + 2, answer[match.start() : match.end(1) + 2])
