"""Diseases, KCD codes, health histories, claims and jobs: words of the catalogue found in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.insurance.catalogue import Catalogue
from app.language.lay_words import LAY_CONFIDENCE, LayWords
from app.language.mentions import ClaimMention, JobMention, MedicalMention
from app.language.phrases import Folded, PhraseTable

_KCD = re.compile(r"(?<![A-Za-z0-9])([A-TV-Za-tv-z])\s?(\d{2})(?:\s?\.\s?(\d{1,2}))?(?![\dA-Za-z])")
_WHEN = re.compile(
    r"(?:(?:\d{1,2}\s?년\s)?(?:\d{1,2}|[일이삼사오육칠팔구십한두세네]|다섯|열)\s?(?:년|달|개월|주|일)\s?(?:전|이내|안|내|됐|된"
    r"|정도\s?전)|작년|재작년|지난해|올해|지난달|지난주|어제|얼마 전|최근|예전|옛날)(?:에|쯤|쯤에)?"
)
_TREATMENT = re.compile(
    r"^(?:으로|로|이|가|을|를|은|는|도|증|약|질환|염|제|진단|판정)?\s?(?:때문에\s?)?(?P<what>조직검사|수술"
    r"|입원|시술|절제|제거(?:\s?수술)?|치료|복용|투석|검사|진단|방사선|항암|완치|스텐트)"
)
_DRUG = re.compile(r"^\s?약")
_OPERATION = re.compile(
    r"(?P<words>(?:[가-힣]{1,7}\s){0,2}[가-힣]{0,7}\s?)(?P<what>수술|시술|이식술?|절제술?)\s?(?:을|를|도)?\s?(?:[가-힣\d]{1,4}\s?전(?:에)?\s)?"
    r"(?=했|하셨|하신|한\s|하고|받았|받으|받고|받은)"
)
# 갑상선 수술 3년 지남, 허리 시술: a part of the body names the operation, whenever it was.
_PART = (
    "갑상선|자궁|난소|허리|목|무릎|어깨|손목|발목|심장|위|대장|간|폐|눈|코|귀|유방|전립선|방광|척추|관절|연골|인대|힘줄"
    "|쓸개|담낭|맹장|췌장|비장|혈관|머리|뇌|신장|콩팥|식도|항문|고관절"
)
_PART_OPERATED = re.compile(
    rf"(?<![가-힣])(?P<name>(?:{_PART})\s?(?:수술|시술|절제술?|이식술?))(?!비|금|보험|특약|급여|종|코드)"
)
# 폐결절, 족저근막염: names of illnesses that no table holds, told by how such names end.
_NAMED_LIKE_ILLNESS = re.compile(
    r"(?<![가-힣])(?P<name>[가-힣]{1,7}(?:결절|낭종|물혹|낭포|종양|협착증?|탈출증|파열|항진증|저하증|부전증?|무력증|결석증?|과다증"
    r"|증후군|위축증?|탈구|염좌|동맥류|판막증?|(?:관절|피부|인대|건초|근막|기관지|방광|신우|중이|췌장|척추|신경|갑상선|골수|늑막)염"
    r"|부정맥|불면증|공황장애|우울증))"
    r"(?=$|[\s,.?!/]|이|은|는|을|를|으로|로|도|에|과|와|약|때|있|수|진|앓|인|라|판|추)"
)
# 디공일점삼, 씨 칠삼: a KCD code as it is read out.
_CODE_LETTERS = {
    **{"에이": "A", "비": "B", "씨": "C", "디": "D", "에프": "F", "지": "G", "에이치": "H", "아이": "I", "제이": "J"},
    **{"케이": "K", "엘": "L", "엠": "M", "엔": "N", "에스": "S", "티": "T"},
}
_DIGITS_SAID = str.maketrans("공영일이삼사오육칠팔구", "00123456789")
_SPOKEN_CODE = re.compile(
    rf"(?<![가-힣])(?P<letter>{'|'.join(sorted(_CODE_LETTERS, key=len, reverse=True))})\s?"
    r"(?P<whole>[공영일이삼사오육칠팔구]{2})(?:\s?(?:점|쩜|닷)\s?(?P<part>[공영일이삼사오육칠팔구]{1,2}))?"
    r"(?=$|[\s,.?!]|이?[라래예요]|인데|입니|코드|은|는|로|으로|도)"
)
# 검사비만 육십 썼거든요: the fee alone, no obesity.
_ONLY_FEE = re.compile(r"(?:검사|병원|치료|수술|입원|진료|약|진단|상담|관리)\s?비만$")
_OPERATED, _CLOSE = "수술", 14
_PARTICLED = re.compile(r"(?:에|은|는|이|가|께서|도|때|전|년|살|세|님|고|서|데)$|^(?:저|제|그|이|아|암|큰|작은)$")
_JOB_CUE = re.compile(
    r"직업(?:은|이|군은|군이)?\s?:?\s?(?!도\s|에\s|을\s|과\s|별)(?P<job>[가-힣A-Za-z ]{2,10}?)(?:인데|이고|이에요"
    r"|예요|입니다|이신데|이라"
    r"|라서|요|이(?=\s)|인(?=\s|가|지)|으로|,|$)"
)
# 직업 걸리나, 직업 위험한가요, 직업부터 좀 봐주시고: words of asking behind 직업 name none.
_NO_JOB = re.compile(
    r"(?:뭐|무엇|상관?|변경|급수?|등급|걸리|걸려|위험|확인|조회|부터|도\s|때문|문제|괜찮|되|돼|따라|좀|먼저|안\s|봐|이?랑|알려|물어)"
)
_SHORTEST, _LONGEST = 1, 5
_DOCTOR = re.compile(r"^\s?(?:가|이|선생|샘|쌤|한테|소견|말|진단|께|의\s)")
_WEAK_JOBS = frozenset(
    {"의사", "설계사", "상담원", "상담사", "보험설계사", "사장", "기사", "학생", "주부", "교수", "가수", "모델"}
)
_JOB_SAID = re.compile(
    r"^\s?(?:이에요|예요|입니다|인데|이고|이신데|신데|으로|로|일|하|요$|는\s?$|은\s?$|은\?|는\?|$|직업|해도"
    r"|도\s|이면|면|거든|인가|세요|이세요)"
)


@dataclass(frozen=True, slots=True)
class _Disease:
    code: str | None = None
    rule_id: str | None = None
    name: str | None = None


class MedicalReader:
    """Diseases and histories by KCD names and synonyms, condition-rule keywords and lay words. Built once."""

    def __init__(self, catalogue: Catalogue, lay: LayWords) -> None:
        reference = catalogue.reference
        self._known = {code.code: code.name for code in reference.kcd}
        phrases: list[tuple[str, _Disease]] = []
        for rule in reference.condition_rules:
            phrases += [(word, _Disease(rule_id=rule.id)) for word in (*rule.keywords, rule.name)]
        for code in reference.kcd:
            phrases += [(word, _Disease(code=code.code)) for word in (code.name, *code.synonyms)]
        merged: dict[str, _Disease] = {}
        # 대장에 암이 보인다고: told by the organ.
        phrases += [
            (f"{word[:-1]}에 암", replace(disease, name=word))
            for word, disease in phrases
            if word.endswith("암") and _SHORTEST < len(word) <= _LONGEST
        ]
        for phrase, disease in phrases:
            known = merged.get(phrase, disease)
            merged[phrase] = _Disease(
                known.code or disease.code, known.rule_id or disease.rule_id, known.name or disease.name
            )
        self._table: PhraseTable[_Disease] = PhraseTable(merged.items(), typos=True, inner=True)
        self._lay, self._diseases = lay.among(merged), merged

    def find(self, folded: Folded, taken: Iterable[tuple[int, int]]) -> list[MedicalMention]:
        """Diseases and codes in order, outside the spans of `taken`."""
        text = folded.text
        found: list[MedicalMention] = []
        for match in _KCD.finditer(text):
            code = f"{match.group(1).upper()}{match.group(2)}" + (f".{match.group(3)}" if match.group(3) else "")
            if match.group(3) is not None or code in self._known:
                found.append(MedicalMention(*match.span(), match.group(), 1.0, False, code, code, code))
        found += self._spoken_codes(text)
        spans = [*taken, *((m.start, m.end) for m in found)]
        for hit in self._table.find(folded, spans):
            start, end = hit.start, hit.end
            if _ONLY_FEE.search(text[:end]):
                continue
            term = hit.value.name or (text[start:end] if hit.confidence == 1.0 else hit.phrase)
            found.append(
                MedicalMention(
                    start,
                    end,
                    text[start:end],
                    hit.confidence,
                    False,
                    term,
                    _phrase(text, start, end),
                    hit.value.code,
                    hit.value.rule_id,
                )
            )
        for told in self._lay.find(text, [*taken, *((m.start, m.end) for m in found)]):
            disease, said = self._diseases[told.term], text[told.start : told.end]
            phrase = _phrase(text, told.start, told.end).replace(said, told.term)
            found.append(
                MedicalMention(
                    told.start, told.end, said, LAY_CONFIDENCE, False, told.term, phrase, disease.code, disease.rule_id
                )
            )
        found = _operated(found)
        found.extend(_operations(text, [*taken, *((m.start, m.end) for m in found)]))
        found.extend(_unlisted(text, [*taken, *((m.start, m.end) for m in found)]))
        return sorted(found, key=lambda mention: mention.start)

    def _spoken_codes(self, text: str) -> list[MedicalMention]:
        """Codes read out by letter and digit; one without a part behind the point must be in the table."""
        found = []
        for match in _SPOKEN_CODE.finditer(text):
            code = _CODE_LETTERS[match["letter"]] + match["whole"].translate(_DIGITS_SAID)
            code += "." + match["part"].translate(_DIGITS_SAID) if match["part"] else ""
            if match["part"] or code in self._known:
                found.append(MedicalMention(*match.span(), match.group(), 0.8, False, code, code, code))
        return found


def _operated(found: list[MedicalMention]) -> list[MedicalMention]:
    """쓸개에 돌이 생겨서 수술했어요: an operation behind an illness in lay words is that illness's."""
    kept: list[MedicalMention] = []
    for mention in sorted(found, key=lambda m: m.start):
        before = kept[-1] if kept else None
        lay = before is not None and before.confidence == LAY_CONFIDENCE
        if before and lay and mention.term.startswith(_OPERATED) and mention.start - before.end <= _CLOSE:
            kept[-1] = replace(before, end=mention.end, phrase=f"{before.phrase} {_OPERATED}")
        else:
            kept.append(mention)
    return kept


def _operations(text: str, taken: Iterable[tuple[int, int]]) -> list[MedicalMention]:
    """Operations undergone that no table knows (무릎 인공관절 수술하셨거든요): the part of the body or the device, and
    what was done."""
    busy = list(taken)
    found = []
    for match in _OPERATION.finditer(text):
        words = [word for word in match["words"].split() if not _PARTICLED.search(word)]
        said = " ".join([*words[-2:], match["what"]]) if words and match["words"].endswith(" ") else None
        said = said or (f"{''.join(words[-1:])}{match['what']}" if words else None)
        if said is None or any(s < match.end("what") and match.start("words") < e for s, e in busy):
            continue
        start = match.end("what") - len(text[match.start("words") : match.end("what")].split(words[0], 1)[-1])
        start -= len(words[0])
        found.append(MedicalMention(start, match.end("what"), text[start : match.end("what")], 0.7, False, said, said))
    return found


def _unlisted(text: str, taken: Iterable[tuple[int, int]]) -> list[MedicalMention]:
    """Illnesses and operations of no table, by how such names end and by the part of the body."""
    busy, found = list(taken), []
    for pattern in (_PART_OPERATED, _NAMED_LIKE_ILLNESS):
        for match in pattern.finditer(text):
            start, end = match.span("name")
            if all(end <= a or start >= b for a, b in busy):
                busy.append((start, end))
                phrase = _phrase(text, start, end)
                found.append(MedicalMention(start, end, match["name"], 0.6, False, match["name"], phrase))
    return found


def _phrase(text: str, start: int, end: int) -> str:
    """The history with its time and treatment: '3년 전 디스크 수술'."""
    head, word, tail = "", text[start:end], ""
    before = list(_WHEN.finditer(text[max(0, start - 25) : start]))
    after_times = list(_WHEN.finditer(text[end : end + 18]))
    if before:
        head = re.sub(r"(?:에|쯤|쯤에)$", "", before[-1].group()) + " "
    elif after_times:
        head = re.sub(r"(?:에|쯤|쯤에)$", "", after_times[0].group()) + " "
    stem = re.search(r"[가-힣A-Za-z]+$", text[:start])
    if stem and len(stem.group()) <= 4 and text[start - 1] != " ":
        word = stem.group() + word
    if (
        re.match(r"수술|입원|치료|시술", word)
        and (named := re.search(r"([가-힣]{2,8}?)(?:으로|로|을|를)?\s$", text[:start]))
        and not _PARTICLED.search(named.group(1))
    ):
        word = f"{named.group(1)} {word[:2]}"  # 무지외반증 수술했고요: a disease without a rule of its own
    after = text[end : end + 16]
    if _DRUG.match(after):
        tail = "약 복용"
    elif (treated := _TREATMENT.match(after)) and treated["what"] not in word:
        tail = f" {treated['what']}"
    return f"{head}{word}{tail}".strip()


class ClaimReader:
    """Kinds of claims by name and keyword. Built once."""

    def __init__(self, catalogue: Catalogue) -> None:
        words = [(word, claim.name) for claim in catalogue.reference.claims for word in (claim.name, *claim.keywords)]
        self._table: PhraseTable[str] = PhraseTable(words, inner=True)

    def find(self, folded: Folded) -> list[ClaimMention]:
        """Kinds of claims in order."""
        return [
            ClaimMention(h.start, h.end, folded.text[h.start : h.end], 0.9, False, h.value)
            for h in self._table.find(folded)
        ]


class JobReader:
    """Jobs of the table by name, synonym and lay word, and the customer's own word behind 직업. Built once."""

    def __init__(self, catalogue: Catalogue, lay: LayWords) -> None:
        words = [(word, job.name) for job in catalogue.reference.jobs for word in (job.name, *job.synonyms)]
        self._table: PhraseTable[str] = PhraseTable(words, typos=True)
        self._lay = lay.among({word for word, _ in words})

    def find(self, folded: Folded, taken: Iterable[tuple[int, int]]) -> list[JobMention]:
        """Jobs in order, outside the spans of `taken`. A doctor who said something is no job of the customer."""
        text = folded.text
        found = []
        for hit in self._table.find(folded, taken):
            word, after = text[hit.start : hit.end], text[hit.end : hit.end + 10]
            said = bool(_JOB_SAID.match(after)) or "직업" in text
            if word in _WEAK_JOBS and (_DOCTOR.match(after) or not said):
                continue
            found.append(
                JobMention(
                    hit.start,
                    hit.end,
                    word,
                    hit.confidence if said else 0.6,
                    False,
                    word if hit.confidence == 1 else hit.phrase,
                )
            )
        found += [
            JobMention(a, b, text[a:b], LAY_CONFIDENCE, False, term)
            for a, b, term in self._lay.find(text, [*taken, *((m.start, m.end) for m in found)])
        ]
        found.sort(key=lambda mention: mention.start)
        cue = _JOB_CUE.search(text)
        if cue and not found and not _NO_JOB.match(cue["job"].strip()):
            found.append(JobMention(*cue.span("job"), cue["job"], 0.7, False, cue["job"].strip(), False))
        return found
