"""What people tell when they ask to join, clause by clause: which finding, since when, whether it goes on, how many.

What is denied (당뇨는 없고), only feared (치매 걸리면) or the name of an insurance (치매보험) is not told.
Sources: data/reference/findings.yaml, data/reference/kcd.csv.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from app.insurance.diagnosis import find_codes
from app.insurance.numerals import number
from app.insurance.reference import Finding, KcdCode
from app.insurance.since import months_at, months_since, times_in

# A clause ends behind what joins it to the next: 당뇨는 없고 | 고혈압만 있는데 | 가입돼요?
_JOINT = re.compile(
    r"(?<=[가-힣])(?:[는은인던한운신][데대디]|ㄴ데|지만|거든요?|(?<![하먹받고앓쓰끼])고요?(?!\s?(?:있|계|싶|나서|다니|살))"
    r"|(?<=[먹받앓쓰끼하])고(?=,|요)|(?<=하)고(?=\s)(?!\s?(?:있|계|싶|나서|다니|살))"
    r"|[아어해셔라가와려여켜겨쳐져]서|니까|으며|이며|이고요?)(?:요|유|예|도)?(?=[\s,.?!~]|$)"
    r"|(?<=[가-힣])[요죠](?=\s)|(?<=\s)(?:걸|거|것을?)\s?보(?:니|면서)(?=\s)|[,.;?!\n/()]+"
)
# A joint of a list: what is said of its last part is said of all (입원이나 수술, 큰 병의 진단이 없습니다).
_LISTED = re.compile(r"[,/()·]\s*$")
# What denies the finding right before it, within the clause. '가입 안 되나요' and '방법이 없나요' deny nothing told.
_DENIED = re.compile(
    r"(?<!의심이 )아니(?!면)|아닙|아닌(?!가|지)|아이(?:고|다|라)|않|음성|정상|이상\s?무|전무"
    r"|(?<![가-힣])무(?![가-힣])|(?<![A-Za-z])[xX×✕](?![A-Za-z])"
    r"|업(?:고|어|습|는|다|답|슈|시|대|심)|(?<!수 )(?<!수가 )(?<!문제 )(?<!문제)(?<!상관)(?<!방법이 )(?<!수는 )"
    r"없(?!이|어지|애)"
)
# Not done. What was advised and not done yet is still ahead (재검 통보받고 아직 안 갔어요).
_UNDONE = re.compile(
    r"(?<![가-힣])안\s?(?:받|했|햇|함|해|하|걸|앓|먹|머|써|쓰|맞|끼|다쳤|나왔|났|피|마)|(?:전혀|아직)\s?안|못\s?받"
)
# 백내장 수술 말곤 없어요, 이가 여덟 개밖에 안 남았어요: all else is denied, and this is so.
_ONLY = re.compile(
    r"(?:(?:말고|빼고|제외하고|이?외에|그것)는?|말곤|빼곤|이?외엔)\s?[^.,?!]{0,24}?(?:없|안\s|못|않|아무)"
    r"|밖에(?:는|도)?\s?[^.,?!]{0,8}(?:안|없|못)"
)
_ONLY_REACH = 8  # letters between what is so and the words that except it (백내장 수술하신 거 말곤)
_NEVER_ADVISED = re.compile(r"[가-힣]{0,3}\s?(?:안|못)\s?받")
_ASKED = re.compile(
    r"가입|들\s?수|들어\s?(?:도|드|주|줄)|들려|들까|들고\s?싶|되나|돼요|될까|되는|되죠|돼나|가능|받아\s?(?:주|줄)|보험(?!\s?사기|금)"
)
# Behind the name of an illness that is also a kind of insurance: it is the illness of somebody.
_HAD = re.compile(
    r"^\s*(?:이|가|을|를|으?로|도|은|는|에|만)?\s*(?:또\s|한\s?번\s|이미\s|벌써\s|지금\s)?(?:걸[렸려린렷]|걸리[고신셨]|앓|투병|완치|선고|판정|확진|가[셨신]|돌아가|떠[나났]|사망|별세|숨"
    r"|(?:진단|수술|시술|치료|입원|제거|절제)(?!비|금|자금|보험|보장|특약|급여|일당|\s?시\s)|재발|전이|이력|병력|환자|유병|경험|생존|겪|생[겼겨긴]|왔|온\s|오[셨신]"
    r"|나[왔온]|나와서|발견|때문|[초중말]기|[중경]증\s?(?:이|인|으로|세)|\d\s?기|덩어리|세포|떼|항암|의심|증상|증세|기운|끼|약(?!관|속)|나[았은아]|이겨|극복|싸우|심[하해]"
    r"|있(?!나|냐|는지|을까|습니까|(?:어|으세|으신가)요\?|는\s?(?:보험|상품|거|걸|게)))"
    r"|^이(?:에요|예요|신|시|세|셔|었|래|라(?=[고는서네더\s])|고|거든|지만|며|니)|^(?:였|입니다|인(?=\s|데|지|가|분|걸)|임(?=[\s,.]))"
    r"|^(?:예요|에요|세요|셔|신|시(?=[고라니다])|래|라(?=[고는서네더\s])|고(?=[\s,])|거든|지만)"
)
# Behind a finding: an insurance or a cover of that name, or a thing only feared.
_NOT_TOLD = re.compile(
    r"^(?:비|금)(?:[\s이가을를도는은]|$)|^\s*(?:간병\s*|치료\s*|진단\s*|수술\s*|입원\s*)?(?:(?:이|가|도|은|는|을|를|까지|만|에)?\s*(?:보장|보상|나오(?:나|는지|죠)|나와요|나올|지급|커버)|보험|보장|특약|진단비|보험금|담보|상품|수술비|입원비|치료비|일당|급여금"
    r"|(?:이|가|에|으로|를)?\s*(?:걱정|무서|무섭|두려|대비|예방|걸리면|걸렸을\s?때|걸릴|생기면|생길|생겼을\s?때|되면|오면|올까|나면"
    r"|[가-힣\s]{0,6}지면|필요하면|받으면|하면|하게\s?되면|진단받으면|진단되면))"
)
# A condition that the asking follows is of somebody who has it: 투석하면 가입 안 되죠, 암 걸리면 암보험 못 드나요.
_ASKED_IF = re.compile(
    r"[가-힣\s]{0,8}면\s*(?:\S{0,12}보험(?:에|은|을)?\s*)?(?:가입|인수|심사|거절|(?:안|못)\s?(?:들|드|되|돼|받)|들\s?수|되나|돼요|될까|받아\s?주)"
)
_IF = re.compile(r"(?<![았었했])면$")
_LEADS_ON = re.compile(r"[아어해셔라가와려여켜겨쳐져]서[\s,]*$")
# Dialect and haste in the words that deny or tell, letter by letter, so that places stay.
_SPELT = str.maketrans("읎혔햇", "없했했")
_WORD = re.compile(r"\w")
_BARE = re.compile(r"[\s가-힣A-Za-z]{0,6}[\s,/()·]*")
# 입원이나 수술, 입원한 적도 수술한 적도: what is said behind the second is said of both.
_AND = re.compile(
    r"\s*(?:(?:한|하신|받은|받으신|간|된|했던)?\s?(?:적|일|경험|이력|기록))?(?:이나|나|도|또는|하고|이랑|랑|과|와|및|·|/)?\s*"
)
_FAMILY = re.compile(r"가족력|집안(?:\s?내력|에|이|대대)|가족\s?중|유전|내력|친가|외가|친척")
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
    told = [fact for text in texts for fact in _read_text(findings, kcd, text, today)]
    beside = frozenset(name for fact in told for name in (fact.finding.id, *fact.finding.also))
    return tuple(replace(fact, beside=beside) for fact in told)


def gist(findings: Sequence[Finding], kcd: Sequence[KcdCode], text: str) -> str:
    """The words that tell it, without those behind that add nothing (결절이 보인대요 → 결절)."""
    spans = whole_clauses(findings, kcd, text)
    ends = [hit.end for hits in told_in(findings, kcd, text, spans) for hit in hits]
    short = text[: max(ends, default=len(text))]
    return short if _facts(findings, kcd, short) == _facts(findings, kcd, text) else text


def names_any(findings: Sequence[Finding], text: str) -> bool:
    """Whether a text names a finding at all, were it to deny it."""
    return bool(_FAMILY.search(text)) or any(p.search(text) for finding in findings for p in finding.patterns)


def spans_named(findings: Sequence[Finding], text: str) -> list[tuple[int, int]]:
    """Where a text names findings, told or denied."""
    return [match.span() for finding in findings for pattern in finding.patterns for match in pattern.finditer(text)]


def denies(text: str) -> bool:
    """Whether a clause says of something that it is not so."""
    return _denies(_before_asking(text))


def only_that(behind: str) -> bool:
    """Whether the words behind something named deny everything but it (말곤 없어요)."""
    found = _ONLY.search(behind)
    return found is not None and found.start() <= _ONLY_REACH


def is_told(text: str, end: int) -> bool:
    """Whether a thing named up to `end` is told, not denied, feared or the name of an insurance."""
    return not _taken_back(text[end:], Hit(end, end, _NOTHING), ())


def is_had(text: str, end: int) -> bool:
    """Whether words behind the name of an illness, up to `end`, say that somebody has or had it (암에 걸려)."""
    return bool(_HAD.match(text[end:]) or _ASKED_IF.match(text[end:]))


def names_alone(findings: Sequence[Finding], text: str, start: int, end: int) -> bool:
    """Whether the span names a finding, and no longer words around it do (치매 in 치매 검사에서 이상)."""
    found = spans_named(findings, text)
    around = [(a, b) for a, b in found if a <= start and end <= b]
    return bool(around) and all(text[a:b].strip() == text[start:end].strip() for a, b in around)


def names_at(findings: Sequence[Finding], text: str, at: int) -> bool:
    """Whether a finding that is something to underwrite is named from there on (당뇨 in 암이랑 당뇨)."""
    return any(not f.healthy and any(p.match(text, at) for p in f.patterns) for f in findings)


def is_denied(text: str, end: int) -> bool:
    """Whether the clause in which something is named up to `end` says that it is not so (수술한 적도 없는)."""
    clause_end = next((stop for start, stop in clauses(text) if start < end <= stop), len(text))
    return denies(text[end:clause_end])


def told_until(text: str, told_to: int = 0) -> int:
    """Where a clause stops telling and asks to join; not before `told_to` (또 들 수 있나요 tells of one held)."""
    return max(told_to, len(_before_asking(text)))


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


def whole_clauses(findings: Sequence[Finding], kcd: Sequence[KcdCode], text: str) -> list[tuple[int, int]]:
    """The clauses of a text, two as one where a finding runs over the joint (기억력 검사했는데 점수가 낮대요)."""
    spans: list[tuple[int, int]] = []
    named = _named(findings, kcd, text, clauses(text))
    for start, end in clauses(text):
        if spans and any(hit.start < spans[-1][1] < hit.end for hit in named):
            start = spans.pop()[0]
        spans.append((start, end))
    return spans


def leads_on(clause: str) -> bool:
    """Whether a clause tells what led to the next (뇌를 다쳐서): what is told of both happened at one time."""
    return bool(_LEADS_ON.search(clause))


def _read_text(findings: Sequence[Finding], kcd: Sequence[KcdCode], text: str, today: date | None) -> Iterable[Told]:
    spans = whole_clauses(findings, kcd, text)
    parts = [text[start:end] for start, end in spans]
    hits = told_in(findings, kcd, text, spans)
    over = bool(_OVER.search(text))
    for index, part in enumerate(parts):
        times = times_in(part, today)
        for hit in hits[index]:
            months = months_at(times, hit.start - spans[index][0])
            if all(time.months is None for time in times):
                months = next((m for m in _near_times(parts, hits, index, today)), None)
            words = _OVER.sub("", part)
            yield Told(
                finding=hit.finding,
                words=part.strip(" ,.?!()/"),
                months=months,
                ongoing=bool(_ONGOING.search(words)) and not over,
                over=over or bool(_LONG_AGO.search(text)),
                count=hit.count,
                beside=frozenset(),
            )


def _facts(findings: Sequence[Finding], kcd: Sequence[KcdCode], text: str) -> list[Told]:
    return [replace(fact, words="") for fact in _read_text(findings, kcd, text, date.max)]


def told_in(
    findings: Sequence[Finding], kcd: Sequence[KcdCode], text: str, spans: Sequence[tuple[int, int]]
) -> list[list[Hit]]:
    """What each of the whole clauses tells; a denial ends its list."""
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
            rest = text[hit.end : end]
            bare = listed and _BARE.fullmatch(rest) is not None
            only_if = bool(_IF.search(text[hit.start : hit.end])) and not _ASKED_IF.match("면" + rest)
            # 입원이나 수술, 큰 병의 진단이 없습니다: both of the first part, too
            joined = hit is mine[-1] or _AND.fullmatch(text[hit.end : mine[mine.index(hit) + 1].start]) is not None
            gone = denied if bare and joined else only_if or _taken_back(rest, hit, mine)
            if hit.finding.healthy or not gone:
                here.append(hit)
            denied = gone
        if not mine:
            denied = denied if listed and _BARE.fullmatch(part) else denies(part)
        kept.append([] if _FAMILY.search(part) else here[::-1])
    return kept[::-1]


def _near_times(parts: Sequence[str], hits: Sequence[Sequence[Hit]], index: int, today: date | None) -> Iterable[float]:
    """The times told in the clauses beside one: where those tell no finding of their own, or one led to the other."""
    worded = [n for n, part in enumerate(parts) if _WORD.search(part)]
    for near in (*[n for n in worded if n > index][:1], *[n for n in worded if n < index][-1:]):
        months = months_since(parts[near], today)
        if months is not None and (not hits[near] or leads_on(parts[min(index, near)])):
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
    behind = behind.translate(_SPELT)
    if _ASKED_IF.match(behind) or only_that(behind):
        return False
    if _NOT_TOLD.match(behind):
        return True
    later = [k.start - hit.end for k in hits if k.start >= hit.end > hit.start and not k.finding.healthy]
    following = min(later, default=len(behind))
    window = behind[:following]
    if later and _AND.fullmatch(window):
        window = behind  # 입원이나 수술한 적 없어요: the denial is of both
    said = _before_asking(window)
    return bool(_DENIED.search(said)) or bool(
        _NEVER_ADVISED.match(said) if hit.finding.pending else _UNDONE.search(said)
    )


def _denies(text: str) -> bool:
    text = text.translate(_SPELT)
    if _ONLY.search(text):
        return False
    return bool(_DENIED.search(text) or _UNDONE.search(text))


def _before_asking(text: str) -> str:
    asked = _ASKED.search(text)
    return text[: asked.start()] if asked else text
