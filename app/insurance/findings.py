"""What people tell when they ask to join, clause by clause: which finding, since when, whether it goes on, how many.

What is denied (당뇨는 없고), only feared (치매 걸리면) or the name of an insurance (치매보험) is not told.
Sources: data/reference/findings.yaml, data/reference/kcd.csv.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from app.insurance.codes import CodeBook
from app.insurance.numerals import number
from app.insurance.reference import Finding
from app.insurance.since import months_at, months_since, times_in
from app.insurance.told import Hit, asked_if, clauses, denies, joins, leads_on, taken_back

# A joint of a list: what is said of its last part is said of all (입원이나 수술, 큰 병의 진단이 없습니다).
_LISTED = re.compile(r"[,/()·]\s*$")
_IF = re.compile(r"(?<![았었했])면$")
_THEN = re.compile(r"[\s,]*(?:바로\s?)?(?:그\s?때|그\s?해|그\s?당시|당시)")  # 심근경색은 2017년. 그때 스텐트
# What was advised and is still ahead (재검 나왔는데 아직 안 갔어요).
_NOT_YET = re.compile(
    r"아직|여태|미루|미뤄|미시행|미실시|예약만|(?<![가-힣])(?:안|못)\s?(?:갔|가고|간\s|받|했|하고|뺐|빼고|뽑)"
)
_WORD = re.compile(r"\w")
_BARE = re.compile(r"[\s가-힣A-Za-z]{0,6}[\s,/()·]*")
# 유전으로 확진된 저는: inherited, and the person's own
_FAMILY = re.compile(
    r"(?!.*(?:내력|유전|가족력)(?:으로|때문에|이라)[^.,]{0,14}(?:확진|진단|판정))"
    r"(?:가족력|집안(?:\s?내력|에|이|대대)|가족\s?중|유전(?!병|성|질환)|내력|친가|외가|친척)"
)
# 병원 다닌 적도, 먹는 약도 없는데: the first part of a list, whatever it names.
_FIRST_OF_LIST = re.compile(r"(?:도|이나|나|하고|이?랑|및)[\s,/()·]*$")
_TREATMENTS = frozenset({"under_treatment", "follow_up"})
_ALL_OF_THEM = re.compile(r"모두|전부|아무|일절|일체|전혀|하나도|(?<![가-힣])다(?=\s)")
# 디스크 통원치료 중, 결절 무: the first is so.
_IS_SO = re.compile(r"(?:중|[있했받었았들]음|함|됨|옴|[가-힣]임|래요?|대요?|네요?|[다요죠])[\s,/()·]*$")
_LONG_AGO = re.compile(r"예전|옛날|오래\s?전|오래전|과거|어릴\s?때|어렸을\s?때|젊었을\s?때|한참\s?전|몇\s?년\s?전")
_OVER = re.compile(r"완치|나았|나으[셨신]|다\s?나[은아]|회복|끝났|끝나|끝냈|마쳤|종결|었었|았었|였었|앓았|앓으셨|졸업")
_ONGOING = re.compile(
    r"[가-힣]+\s?중(?:이|인|입|에|임|$|[\s,.?!])|고\s?(?:있|계)|먹(?:고|어요|는|습)|드시|복용|앓(?:고|는)|다니(?:고|는|세)|환자|투병"
    r"|(?:끼|쓰|차|달)(?:고|시|세|는|신|셔)|(?<![하했었였받])(?:있(?:어|으|는|습|다|거|대)|계[시신세])|이세요|이신데|이시|이에요|예요|인데|입니다|현재|지금"
)
_REMEMBERED = 256  # texts: reader, planner and tools ask for the same message and clauses


def is_not_yet(text: str) -> bool:
    """Whether a text says that something is not done yet (아직 안 갔어요)."""
    return bool(_NOT_YET.search(text))


@dataclass(frozen=True)
class Told:
    """One thing told. `months` since (None: untold), `count` of what was counted, `beside` the ids told with it."""

    finding: Finding
    words: str
    months: float | None
    ongoing: bool
    over: bool
    count: int | None
    beside: frozenset[str]


@dataclass(frozen=True)
class ToldClauses:
    """The whole clauses of a text, what each of them tells, and which are parts of a list that is denied at its end."""

    spans: tuple[tuple[int, int], ...]
    told: tuple[tuple[Hit, ...], ...]
    spared: tuple[bool, ...]


class FindingReader:
    """Reads texts by the findings and codes on file. Pure and thread-safe; a text is held against them once, however
    many ask what it tells."""

    def __init__(self, findings: Sequence[Finding], codes: CodeBook) -> None:
        self._findings, self._codes = tuple(findings), codes
        self._hits = lru_cache(maxsize=_REMEMBERED)(self._find)
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._clauses)

    def read(self, texts: Iterable[str], today: date | None = None) -> tuple[Told, ...]:
        """Everything that the texts tell, in order; denied, feared and inherited things left out."""
        told = _dated([fact for text in texts for fact in self._read(text, today)])
        beside = frozenset(name for fact in told for name in (fact.finding.id, *fact.finding.also))
        return tuple(replace(fact, beside=beside) for fact in told)

    def clauses(self, text: str) -> ToldClauses:
        """The clauses of a text with what each tells, two as one where a finding runs over the joint (기억력 검사했는데
        점수가 낮대요)."""
        return self._remembered(text)

    def gist(self, text: str) -> str:
        """The words that tell it, without those behind that add nothing (결절이 보인대요 → 결절)."""
        ends = [hit.end for hits in self.clauses(text).told for hit in hits]
        short = text[: max(ends, default=len(text))]
        return short if short == text or self._facts(short) == self._facts(text) else text

    def names_any(self, text: str) -> bool:
        """Whether a text names a finding at all, were it to deny it."""
        return bool(_FAMILY.search(text) or self._hits(text))

    def is_inherited(self, text: str) -> bool:
        """Whether a text tells of the family's illnesses (혈액암 가족력)."""
        return bool(_FAMILY.search(text))

    def spans_named(self, text: str) -> list[tuple[int, int]]:
        """Where a text names findings, told or denied."""
        return [(hit.start, hit.end) for hit in self._hits(text)]

    def names_alone(self, text: str, start: int, end: int) -> bool:
        """Whether the span names a finding, and no longer words around it do (치매 in 치매 검사에서 이상)."""
        around = [(a, b) for a, b in self.spans_named(text) if a <= start and end <= b]
        return bool(around) and all(text[a:b].strip() == text[start:end].strip() for a, b in around)

    def names_at(self, text: str, at: int) -> bool:
        """Whether a finding that is something to underwrite is named from there on (당뇨 in 암이랑 당뇨)."""
        return any(not f.healthy and any(p.match(text, at) for p in f.patterns) for f in self._findings)

    def _find(self, text: str) -> tuple[Hit, ...]:
        return tuple(
            Hit(match.start(), match.end(), finding, _count(match))
            for finding in self._findings
            for pattern in finding.patterns
            for match in pattern.finditer(text)
        )

    def _clauses(self, text: str) -> ToldClauses:
        spans: list[tuple[int, int]] = []
        apart = clauses(text)
        named = self._named(text, apart)
        for start, end in apart:
            if spans and any(hit.start < spans[-1][1] < hit.end for hit in named):
                start = spans.pop()[0]
            spans.append((start, end))
        if spans != apart:
            named = self._named(text, spans)
        kept, spared = _told_in(text, spans, named)
        return ToldClauses(tuple(spans), tuple(map(tuple, kept)), tuple(spared))

    def _named(self, text: str, spans: Sequence[tuple[int, int]]) -> list[Hit]:
        """What a text names, the longest words first taken, in order; a name that says more than a vague one goes
        first."""
        found = [hit for hit in self._hits(text) if hit.end > hit.start]
        for start, end in spans:
            inside = [hit for hit in found if start <= hit.start < end]
            if all(hit.finding.vague or hit.finding.healthy for hit in inside):
                codes = [code.code for code in self._codes.find(text[start:end]).codes]
                found += [Hit(start, start, finding) for finding in self._findings if any(map(finding.of_code, codes))]
        kept: list[Hit] = []
        for hit in sorted(found, key=lambda h: (h.finding.vague, h.start - h.end, h.count is None)):
            clear = all(
                hit.end <= k.start or k.end <= hit.start or (hit.start, hit.end) == (k.start, k.end) for k in kept
            )
            if clear and all(hit.finding.id != k.finding.id or hit.start != k.start for k in kept):
                kept.append(hit)
        return sorted(kept, key=lambda hit: hit.start)

    def _read(self, text: str, today: date | None) -> Iterable[Told]:
        read = self.clauses(text)
        parts = [text[start:end] for start, end in read.spans]
        over, not_yet = bool(_OVER.search(text)), is_not_yet(text)
        for index, part in enumerate(parts):
            if not read.told[index]:
                continue
            times = times_in(part, today)
            for hit in read.told[index]:
                months = months_at(times, hit.start - read.spans[index][0])
                if all(time.months is None for time in times):
                    months = next((m for m in _near_times(parts, read.told, index, today)), None)
                words = _OVER.sub("", part)
                yield Told(
                    finding=hit.finding,
                    words=part.strip(" ,.?!()/"),
                    months=months,
                    ongoing=not over and bool(_ONGOING.search(words) or (hit.finding.pending and not_yet)),
                    over=over or bool(_LONG_AGO.search(text)),
                    count=hit.count,
                    beside=frozenset(),
                )

    def _facts(self, text: str) -> list[Told]:
        return [replace(fact, words="") for fact in self._read(text, date.max)]


def _dated(told: list[Told]) -> list[Told]:
    """갑상선암이었고요. 재작년에 절제했어요: the one illness told, at the time of what was done for it, where it does
    not go on and none of its own is told."""
    named = [f for f in told if not (f.finding.vague or f.finding.pending or f.finding.healthy)]
    ill = {f.finding.id for f in named if not f.finding.event}
    done = [f.months for f in told if f.finding.event and f.months is not None]
    if len(ill) != 1 or not done:
        return told
    return [
        replace(f, months=min(done)) if f.finding.id in ill and f.months is None and not f.ongoing else f for f in told
    ]


@dataclass(frozen=True)
class _Behind:
    """What is said behind a clause: `denied` the last thing named there, `none` nothing there is so, `of_treatment`
    only treatments are denied there: 고혈압, 복용약 없음 tells of an illness."""

    denied: bool = False
    none: bool = False
    of_treatment: bool = False


def _told_in(
    text: str, spans: Sequence[tuple[int, int]], named: Sequence[Hit]
) -> tuple[list[list[Hit]], list[bool]]:
    """What each of the whole clauses tells, and whether it is denied with those behind it; a denial ends its list."""
    kept: list[list[Hit]] = []
    spared: list[bool] = []
    behind = _Behind()
    for index in reversed(range(len(spans))):
        start, end = spans[index]
        part = text[start:end]
        mine = [hit for hit in named if start <= hit.start < end]
        listed = bool(_LISTED.search(part)) and index + 1 < len(spans) and not _IS_SO.search(part)
        each = bool(_FIRST_OF_LIST.search(part))
        if behind.of_treatment and not each and any(_is_illness(hit) for hit in mine):
            behind = _Behind()
        first = each or (behind.denied and bool(_BARE.fullmatch(part[mine[-1].end - start :] if mine else part)))
        spared.append((behind.denied or behind.none) and listed and first and not denies(part))
        here, denied = _kept_of(text, end, mine, listed and behind.denied if listed else None)
        if not mine:
            denied = spared[-1] or denies(part)
        none = all(hit.finding.healthy for hit in mine) and denies(part)
        of_treatment = bool(mine) and not any(map(_is_illness, mine)) and not _ALL_OF_THEM.search(part)
        behind = _Behind(denied, none, of_treatment)
        kept.append([] if _FAMILY.search(part) else here)
    return kept[::-1], spared[::-1]


def _kept_of(text: str, end: int, mine: Sequence[Hit], denied_behind: bool | None) -> tuple[list[Hit], bool]:
    """What a clause up to `end` tells of what it names, and whether the first of it is denied. `denied_behind`: whether
    the rest of the list that the clause begins is; None where it begins none."""
    here: list[Hit] = []
    denied = bool(denied_behind)
    for hit in reversed(mine):
        rest = text[hit.end : end]
        bare = denied_behind is not None and _BARE.fullmatch(rest) is not None and not denies(rest)
        bare = bare and not (hit.finding.pending and is_not_yet(text[end:]))  # 재검 나옴, 아직 안 함
        only_if = bool(_IF.search(text[hit.start : hit.end])) and not asked_if("면" + rest)
        # 입원이나 수술, 큰 병의 진단이 없습니다: both of the first part
        joined = hit is mine[-1] or joins(text[hit.end : mine[mine.index(hit) + 1].start])
        denied = denied if bare and joined else only_if or taken_back(rest, hit, mine)
        if hit.finding.healthy or not denied:
            here.append(hit)
    return here[::-1], denied


def _is_illness(hit: Hit) -> bool:
    """Whether a finding is an illness itself, not what was done or advised for one."""
    finding = hit.finding
    return not (finding.event or finding.pending or finding.healthy or finding.id in _TREATMENTS)


def _near_times(parts: Sequence[str], hits: Sequence[Sequence[Hit]], index: int, today: date | None) -> Iterable[float]:
    """The times told in the clauses beside one: where those tell no finding of their own, or one led to the other."""
    worded = [n for n, part in enumerate(parts) if _WORD.search(part)]
    for near in (*[n for n in worded if n > index][:1], *[n for n in worded if n < index][-1:]):
        months = months_since(parts[near], today)
        if months is not None and (
            not hits[near] or leads_on(parts[min(index, near)]) or (near < index and _THEN.match(parts[index]))
        ):
            yield months


def _count(match: re.Match[str]) -> int | None:
    said = match.groupdict().get("n")
    return number(said) if said else None
