"""Diseases, KCD codes, health histories, claims and jobs: words of the catalogue found in a text."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from app.insurance.catalogue import Catalogue
from app.language.lay_words import LAY_CONFIDENCE, LayWords
from app.language.mentions import ClaimMention, JobMention, MedicalMention
from app.language.phrases import Folded, PhraseTable
from app.language.reading_words import LanguageWords

_DIGITS_SAID = str.maketrans("공영일이삼사오육칠팔구", "00123456789")
_OPERATED, _CLOSE = "수술", 14
_SHORTEST, _LONGEST = 1, 5


@dataclass(frozen=True, slots=True)
class _Disease:
    code: str | None = None
    rule_id: str | None = None
    name: str | None = None


class MedicalReader:
    """Diseases and histories by KCD names and synonyms, condition-rule keywords and lay words. Built once."""

    def __init__(self, catalogue: Catalogue, lay: LayWords, words: LanguageWords) -> None:
        self._words = words
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
        self._table: PhraseTable[_Disease] = PhraseTable(
            merged.items(), typos=True, inner=True, others=words.medical.others
        )
        self._lay, self._diseases = lay.among(merged), merged

    def find(self, folded: Folded, taken: Iterable[tuple[int, int]]) -> list[MedicalMention]:
        """Diseases and codes in order, outside the spans of `taken`."""
        words = self._words.medical
        text = folded.text
        found: list[MedicalMention] = []
        for match in words.kcd.finditer(text):
            code = f"{match.group(1).upper()}{match.group(2)}" + (f".{match.group(3)}" if match.group(3) else "")
            if match.group(3) is not None or code in self._known:
                found.append(MedicalMention(*match.span(), match.group(), 1.0, False, code, code, code))
        found += self._spoken_codes(text)
        spans = [*taken, *((m.start, m.end) for m in found)]
        for hit in self._table.find(folded, spans):
            start, end = hit.start, hit.end
            if words.only_fee.search(text[:end]) or _ends_a_word(text, start, end):
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
                    _phrase(self._words, text, start, end),
                    hit.value.code,
                    hit.value.rule_id,
                )
            )
        for told in self._lay.find(text, [*taken, *((m.start, m.end) for m in found)]):
            disease, said = self._diseases[told.term], text[told.start : told.end]
            phrase = _phrase(self._words, text, told.start, told.end).replace(said, told.term)
            found.append(
                MedicalMention(
                    told.start, told.end, said, LAY_CONFIDENCE, False, told.term, phrase, disease.code, disease.rule_id
                )
            )
        found = _operated(found)
        found.extend(_operations(self._words, text, [*taken, *((m.start, m.end) for m in found)]))
        found.extend(_unlisted(self._words, text, [*taken, *((m.start, m.end) for m in found)]))
        return sorted(found, key=lambda mention: mention.start)

    def _spoken_codes(self, text: str) -> list[MedicalMention]:
        """Codes read out by letter and digit; one without a part behind the point must be in the table."""
        words = self._words.medical
        found = []
        for match in words.spoken_code.finditer(text):
            code = words.code_letters[match["letter"]] + match["whole"].translate(_DIGITS_SAID)
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


def _operations(words: LanguageWords, text: str, taken: Iterable[tuple[int, int]]) -> list[MedicalMention]:
    """Operations undergone that no table knows (무릎 인공관절 수술하셨거든요): the part of the body or the device, and
    what was done."""
    busy = list(taken)
    found = []
    for match in words.medical.operation.finditer(text):
        parts = [word for word in match["words"].split() if not words.medical.particled.search(word)]
        said = " ".join([*parts[-2:], match["what"]]) if parts and match["words"].endswith(" ") else None
        said = said or (f"{''.join(parts[-1:])}{match['what']}" if parts else None)
        if said is None or any(s < match.end("what") and match.start("words") < e for s, e in busy):
            continue
        start = match.end("what") - len(text[match.start("words") : match.end("what")].split(parts[0], 1)[-1])
        start -= len(parts[0])
        found.append(MedicalMention(start, match.end("what"), text[start : match.end("what")], 0.7, False, said, said))
    return found


def _unlisted(words: LanguageWords, text: str, taken: Iterable[tuple[int, int]]) -> list[MedicalMention]:
    """Illnesses and operations of no table, by how such names end and by the part of the body."""
    busy, found = list(taken), []
    for pattern in (words.medical.part_operated, words.medical.named_like_illness):
        for match in pattern.finditer(text):
            start, end = match.span("name")
            if all(end <= a or start >= b for a, b in busy):
                busy.append((start, end))
                phrase = _phrase(words, text, start, end)
                found.append(MedicalMention(start, end, match["name"], 0.6, False, match["name"], phrase))
    return found


def _phrase(words: LanguageWords, text: str, start: int, end: int) -> str:
    """The history with its time and treatment: '3년 전 디스크 수술'."""
    head, word, tail = "", text[start:end], ""
    before = list(words.medical.when.finditer(text[max(0, start - 25) : start]))
    after_times = list(words.medical.when.finditer(text[end : end + 18]))
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
        and not words.medical.particled.search(named.group(1))
    ):
        word = f"{named.group(1)} {word[:2]}"  # 무지외반증 수술했고요: a disease without a rule of its own
    after = text[end : end + 16]
    if words.medical.drug.match(after):
        tail = "약 복용"
    elif (treated := words.medical.treatment.match(after)) and treated["what"] not in word:
        tail = f" {treated['what']}"
    return f"{head}{word}{tail}".strip()


def _ends_a_word(text: str, start: int, end: int) -> bool:
    """Whether the first letter of what was found ends the word before a blank (65세고 혈압도 holds no 고혈압)."""
    return text[start - 1 : start].isalnum() and text[start + 1 : end].startswith(" ")



class ClaimReader:
    """Kinds of claims by name and keyword. Built once."""

    def __init__(self, catalogue: Catalogue, words: LanguageWords) -> None:
        named = [(word, claim.name) for claim in catalogue.reference.claims for word in (claim.name, *claim.keywords)]
        self._table: PhraseTable[str] = PhraseTable(named, inner=True, others=words.medical.others)

    def find(self, folded: Folded) -> list[ClaimMention]:
        """Kinds of claims in order."""
        return [
            ClaimMention(h.start, h.end, folded.text[h.start : h.end], 0.9, False, h.value)
            for h in self._table.find(folded)
        ]


class JobReader:
    """Jobs of the table by name, synonym and lay word, and the customer's own word behind 직업. Built once."""

    def __init__(self, catalogue: Catalogue, lay: LayWords, words: LanguageWords) -> None:
        self._words = words
        named = [(word, job.name) for job in catalogue.reference.jobs for word in (job.name, *job.synonyms)]
        self._table: PhraseTable[str] = PhraseTable(named, typos=True)
        self._lay = lay.among({word for word, _ in named})

    def find(self, folded: Folded, taken: Iterable[tuple[int, int]]) -> list[JobMention]:
        """Jobs in order, outside the spans of `taken`. A doctor who said something is no job of the customer."""
        words = self._words.medical
        text = folded.text
        found = []
        for hit in self._table.find(folded, taken):
            word, after = text[hit.start : hit.end], text[hit.end : hit.end + 10]
            said = bool(words.job_said.match(after)) or "직업" in text
            if word in words.weak_jobs and (words.doctor.match(after) or not said):
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
        cue = words.job_cue.search(text)
        if cue and not found and not words.no_job.match(cue["job"].strip()):
            found.append(JobMention(*cue.span("job"), cue["job"], 0.7, False, cue["job"].strip(), False))
        return found
