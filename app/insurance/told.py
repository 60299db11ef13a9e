"""What people tell when they ask to join, clause by clause: which finding, since when, whether it goes on, how many.

What is denied (당뇨는 없고), only feared (치매 걸리면) or the name of an insurance (치매보험) is not told.
Sources: data/reference/findings.yaml, data/reference/kcd.csv.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from app.insurance.diagnosis import find_codes
from app.insurance.numerals import NUMBER, number
from app.insurance.reference import Finding, KcdCode

# A clause ends behind what joins it to the next: 당뇨는 없고 | 고혈압만 있는데 | 가입돼요?
_JOINT = re.compile(
    r"(?<=[가-힣])(?:[는은인던한운신][데대디]|ㄴ데|지만|거든요?|(?<![하먹받고앓쓰끼])고요?(?!\s?(?:있|계|싶|나서|다니|살))"
    r"|(?<=[먹받앓쓰끼하])고(?=,|요)|(?<=하)고(?=\s)(?!\s?(?:있|계|싶|나서|다니|살))"
    r"|[아어해셔라가와려여켜겨쳐져]서|니까|으며|이며|이고요?)(?:요|유|예|도)?(?=[\s,.?!~]|$)|[,.;?!\n/()]+"
)
# A joint of a list: what is said of its last part is said of all (입원이나 수술, 큰 병의 진단이 없습니다).
_LISTED = re.compile(r"[,/()·]\s*$")
# What denies the finding right before it, within the clause. '가입 안 되나요' and '방법이 없나요' deny nothing told.
_DENIED = re.compile(
    r"아니(?!면)|아닙|아닌(?!가|지)|아이(?:고|다|라)|않|음성|정상|이상\s?무|전무"
    r"|(?<![가-힣])무(?![가-힣])|(?<![A-Za-z])[xX×✕](?![A-Za-z])"
    r"|업(?:고|어|습|는|다|답|슈|시|대|심)|(?<!수 )(?<!수가 )(?<!문제 )(?<!문제)(?<!상관)(?<!방법이 )(?<!수는 )"
    r"없(?!이|어지|애)"
    r"|(?<![가-힣])안\s?(?:받|했|햇|함|해|하|걸|앓|먹|머|써|쓰|맞|끼|다쳤|나왔|났|피|마)|(?:전혀|아직)\s?안|못\s?받"
)
_ASKED = re.compile(
    r"가입|들\s?수|들어\s?(?:도|드|주|줄)|들려|들까|되나|돼요|될까|되는|되죠|돼나|가능|받아\s?(?:주|줄)|보험(?!\s?사기|금)"
)
# Behind a finding: an insurance or a cover of that name, or a thing only feared.
_NOT_TOLD = re.compile(
    r"^(?:비|금)(?:[\s이가을를도는은]|$)|^\s*(?:간병\s*|치료\s*|진단\s*|수술\s*|입원\s*)?(?:(?:이|가|도|은|는|을|를|까지|만|에)?\s*(?:보장|보상|나오(?:나|는지|죠)|나와요|나올|지급|커버)|보험|보장|특약|진단비|보험금|담보|상품|수술비|입원비|치료비|일당|급여금"
    r"|(?:이|가|에|으로|를)?\s*(?:걱정|무서|무섭|두려|대비|예방|걸리면|걸렸을\s?때|걸릴|생기면|생길|생겼을\s?때|되면|오면|올까|나면"
    r"|받으면|하면|하게\s?되면|진단받으면|진단되면))"
)
_BARE = re.compile(r"[\s가-힣A-Za-z]{0,6}[\s,/()·]*")
_AND = re.compile(r"\s*(?:이나|나|도|또는|하고|이랑|랑|과|와|및|·|/)?\s*")
_FAMILY = re.compile(r"가족력|집안\s?내력|유전|내력")
_SINCE = re.compile(
    rf"(?:(?P<years>{NUMBER})\s?년\s?)?(?P<n>{NUMBER})\s?(?P<unit>년|해|개월|달|주일?|일)"
    r"\s?(?P<half>반)?\s?(?:정도\s?|쯤\s?|넘게\s?|가까이\s?)?"
    r"(?P<how>전|됐|됬|된|되었|되는|지나|지났|지난|경과|넘|이내|안에|내에|사이|만에|째|동안|간)"
)
_YEARS = {"년": 12.0, "해": 12.0, "개월": 1.0, "달": 1.0, "주": 0.25, "주일": 0.25, "일": 1 / 30}
_IN_YEAR = re.compile(r"(?<!\d)(?P<year>(?:19|20)\d{2})\s?년(?:도)?(?:에|쯤|경)?")
_ABOUT = (
    (re.compile(r"재작년"), 24.0),
    (re.compile(r"작년|지난\s?해"), 12.0),
    (re.compile(r"반년\s?전"), 6.0),
    (re.compile(r"올해|올\s?초|올봄|올여름|(?:지난|저번|이번)\s?(?:달|주)|어제|그저께|엊그제|엊그저께"), 0.5),
    (re.compile(r"며칠\s?전|얼마\s?전|최근|요즘|방금|보름\s?전|지금\s?막"), 0.5),
)
_LONG_AGO = re.compile(r"예전|옛날|오래\s?전|오래전|과거|어릴\s?때|어렸을\s?때|젊었을\s?때|한참\s?전|몇\s?년\s?전")
_OVER = re.compile(r"완치|나았|나으[셨신]|다\s?나[은아]|회복|끝났|끝나|끝냈|마쳤|종결|었었|았었|였었|앓았|앓으셨|졸업")
_ONGOING = re.compile(
    r"[가-힣]+\s?중(?:이|인|입|에|임|$|[\s,.?!])|고\s?(?:있|계)|먹(?:고|어요|는|습)|드시|복용|앓(?:고|는)|다니(?:고|는|세)|환자|투병"
    r"|(?:끼|쓰|차|달)(?:고|시|세|는|신|셔)|(?<![하했었였받])(?:있(?:어|으|는|습|다|거|대)|계[시신세])|이세요|이신데|이시|이에요|예요|인데|입니다|현재|지금"
)


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
class Hit:
    """A finding named in a text."""

    start: int
    end: int
    finding: Finding
    count: int | None = None


_NOTHING = Finding(id="none", name="", says=("-",))


def read_told(
    findings: Sequence[Finding], kcd: Sequence[KcdCode], texts: Iterable[str], today: date | None = None
) -> tuple[Told, ...]:
    """Everything that the texts tell, in order; denied, feared and inherited things left out."""
    return tuple(told for text in texts for told in _read_text(findings, kcd, text, today))


def names_any(findings: Sequence[Finding], text: str) -> bool:
    """Whether a text names a finding at all, were it to deny it."""
    return bool(_FAMILY.search(text)) or any(p.search(text) for finding in findings for p in finding.patterns)


def is_told(text: str, end: int) -> bool:
    """Whether a thing named up to `end` is told, not denied, feared or the name of an insurance."""
    return not _taken_back(text[end:], Hit(end, end, _NOTHING), ())


def is_denied(text: str, end: int) -> bool:
    """Whether the clause in which something is named up to `end` says that it is not so (수술한 적도 없는)."""
    clause_end = next((stop for start, stop in clauses(text) if start < end <= stop), len(text))
    return bool(_DENIED.search(_before_asking(text[end:clause_end])))


def without_asking(text: str) -> str:
    """A clause up to where it asks to join."""
    return _before_asking(text).strip(" ,.?!~()/")


def time_in(text: str) -> str:
    """The words that tell since when, '' where none do."""
    every = (_SINCE, _IN_YEAR, *(pattern for pattern, _ in _ABOUT))
    return next((found.group() for pattern in every if (found := pattern.search(text))), "")


def asks_to_join(text: str) -> bool:
    """Whether a clause speaks of joining."""
    return bool(_ASKED.search(text))


def clauses(text: str) -> list[tuple[int, int]]:
    """The spans of the clauses of a text, without what joins them."""
    spans, at = [], 0
    for joint in _JOINT.finditer(text):
        if text[at : joint.end()].strip():
            spans.append((at, joint.end()))
        at = joint.end()
    if text[at:].strip():
        spans.append((at, len(text)))
    return spans


def months_since(text: str, today: date | None = None) -> float | None:
    """Months since, as told: '3년 전' → 36, '작년' → 12, '2년 이내' → a little under 24; None when no time is told."""
    if match := _SINCE.search(text):
        if match["how"] in ("동안", "간", "째"):
            return None
        value = (number(match["n"]) or 0) * _YEARS[match["unit"]] + (6 if match["half"] else 0)
        value += 12 * (number(match["years"] or "") or 0)
        return value - 0.5 if match["how"] in ("이내", "안에", "내에", "사이") else value
    if today and (match := _IN_YEAR.search(text)):
        return max(0.5, (today.year - int(match["year"])) * 12.0 + today.month - 6.5)
    return next((months for said, months in _ABOUT if said.search(text)), None)


def _read_text(findings: Sequence[Finding], kcd: Sequence[KcdCode], text: str, today: date | None) -> Iterable[Told]:
    spans = clauses(text)
    parts = [text[start:end] for start, end in spans]
    hits = told_in(findings, kcd, text, spans)
    beside = frozenset(name for group in hits for hit in group for name in (hit.finding.id, *hit.finding.also))
    over = bool(_OVER.search(text))
    for index, part in enumerate(parts):
        for hit in hits[index]:
            months = months_since(part, today)
            if months is None:
                months = next((m for m in _near_times(parts, hits, index, today)), None)
            words = _OVER.sub("", part)
            yield Told(
                finding=hit.finding,
                words=part.strip(" ,.?!()/"),
                months=months,
                ongoing=bool(_ONGOING.search(words)) and not over,
                over=over or bool(_LONG_AGO.search(text)),
                count=hit.count,
                beside=beside,
            )


def told_in(
    findings: Sequence[Finding], kcd: Sequence[KcdCode], text: str, spans: Sequence[tuple[int, int]]
) -> list[list[Hit]]:
    """What each clause tells. Words may run over a joint (기억력 검사했는데 점수가 낮대요); a denial ends its list."""
    named = _named(findings, kcd, text, spans)
    kept: list[list[Hit]] = []
    denied = False
    for index in reversed(range(len(spans))):
        start, end = spans[index]
        part = text[start:end]
        mine = [hit for hit in named if start <= hit.start < end]
        listed = bool(_LISTED.search(part)) and index + 1 < len(spans)
        here: list[Hit] = []
        for hit in reversed(mine):
            rest = text[min(hit.end, end) : end] if hit.end <= end else text[hit.end : _clause_end(spans, hit.end)]
            bare = listed and _BARE.fullmatch(rest) is not None
            gone = denied if bare and hit is mine[-1] else _taken_back(rest, hit, mine)
            if hit.finding.healthy or not gone:
                here.append(hit)
            denied = gone
        if not mine:
            denied = denied if listed and _BARE.fullmatch(part) else bool(_DENIED.search(_before_asking(part)))
        kept.append([] if _FAMILY.search(part) else here[::-1])
    return kept[::-1]


def _clause_end(spans: Sequence[tuple[int, int]], at: int) -> int:
    return next((end for start, end in spans if start <= at <= end), at)


def _near_times(parts: Sequence[str], hits: Sequence[Sequence[Hit]], index: int, today: date | None) -> Iterable[float]:
    """The times told in the clauses beside one, where those tell no finding of their own."""
    for near in (index + 1, index - 1):
        if 0 <= near < len(parts) and not hits[near] and (months := months_since(parts[near], today)) is not None:
            yield months


def _named(
    findings: Sequence[Finding], kcd: Sequence[KcdCode], text: str, spans: Sequence[tuple[int, int]]
) -> list[Hit]:
    """What a text names, the longest words first taken, in order; a name that says more than a vague one goes first."""
    found = [
        Hit(match.start(), match.end(), finding, _count(match))
        for finding in findings
        for pattern in finding.patterns
        for match in pattern.finditer(text)
        if match.end() > match.start()
    ]
    for start, end in spans:
        inside = [hit for hit in found if start <= hit.start < end]
        if all(hit.finding.vague or hit.finding.healthy for hit in inside):
            codes = [code.code for code in find_codes(kcd, text[start:end]).codes]
            found += [Hit(start, start, finding) for finding in findings if any(map(finding.of_code, codes))]
    kept: list[Hit] = []
    for hit in sorted(found, key=lambda h: (h.finding.vague, h.start - h.end, h.count is None)):
        clear = all(hit.end <= k.start or k.end <= hit.start or (hit.start, hit.end) == (k.start, k.end) for k in kept)
        if clear and all(hit.finding.id != k.finding.id or hit.start != k.start for k in kept):
            kept.append(hit)
    return sorted(kept, key=lambda hit: hit.start)


def _count(match: re.Match[str]) -> int | None:
    said = match.groupdict().get("n")
    return number(said) if said else None


def _taken_back(behind: str, hit: Hit, hits: Sequence[Hit]) -> bool:
    """Whether the words behind a finding, up to the end of its clause, deny it or only name an insurance or a fear."""
    if _NOT_TOLD.match(behind):
        return True
    later = [k.start - hit.end for k in hits if k.start >= hit.end > hit.start and not k.finding.healthy]
    following = min(later, default=len(behind))
    window = behind[:following]
    if later and _AND.fullmatch(window):
        window = behind  # 입원이나 수술한 적 없어요: the denial is of both
    return bool(_DENIED.search(_before_asking(window)))


def _before_asking(text: str) -> str:
    asked = _ASKED.search(text)
    return text[: asked.start()] if asked else text
