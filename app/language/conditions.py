"""What a message tells of the person to insure: 어머니가 치매신데 제가 들 수 있나요 tells nothing of the speaker.

The words themselves are read by insurance (`app.insurance.told`); here it is settled whose they are.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from app.insurance.catalogue import Reference
from app.insurance.findings import ToldClauses, is_not_yet
from app.insurance.since import months_since, time_in
from app.insurance.told import (
    Hit,
    clauses,
    is_denied,
    is_had,
    is_told,
    leads_on,
    told_until,
)
from app.language.insured import Clause, insured_in, owners_of, same
from app.language.lay_words import LAY_CONFIDENCE
from app.language.mentions import (
    CategoryMention,
    ConditionMention,
    Entities,
    JobMention,
    MedicalMention,
    Mention,
    PersonMention,
)
from app.language.reading_words import LanguageWords

_OF_A_MOTIVE = ("people", "medical", "claims", "ages", "births", "jobs")

# 당뇨 없고, 치매는 아니신데: said not to be so.
_DENIED = re.compile(
    r"^\s?(?:병력|약|진단|이력|증세|증상)?(?:은|는|이|가|도)?\s?(?:전혀\s|아직\s|따로\s)?"
    r"(?:없(?:고|는데|어서|으시|으신|으며|지만|습니다)|아니(?:고|시고|신데|지만|라서|에요|예요|거든))"
)


def denied(text: str, end: int) -> bool:
    """Whether an illness named up to `end` is said not to be there."""
    return bool(_DENIED.match(text[end:]))


def is_said_not(entities: Entities, mention: MedicalMention) -> bool:
    """Whether an illness is named to say that it is not so; what is told of the person in the same words is so."""
    if mention.negated or any(told.start <= mention.start < told.end for told in entities.conditions):
        return mention.negated
    return is_denied(entities.text, mention.end)


@dataclass(frozen=True)
class Whose:
    """What is told of the person to insure; `well`: nothing but that they are in good health, and their work.
    `motives` are the clauses of somebody else's illness that made the speaker ask for themselves (아내가 당뇨인데 제가
    들 수 있나요)."""

    conditions: tuple[ConditionMention, ...] = ()
    motives: tuple[ConditionMention, ...] = ()
    unread: tuple[tuple[int, int], ...] = ()
    denied: tuple[str, ...] = ()
    well: bool = False


def find_conditions(
    words: LanguageWords,
    reference: Reference,
    text: str,
    people: Sequence[PersonMention],
    named: Iterable[tuple[int, int]],
    kinds: Sequence[CategoryMention],
    medical: Sequence[MedicalMention],
    jobs: Sequence[JobMention],
) -> Whose:
    """What is told of the insured, a mention for each clause that tells it. `named` are spans that name products and
    kinds of insurance; `kinds` are words that may name one (암) or an illness."""
    plain = text
    named = [*named, *_of_insurance(words, reference, text, kinds, people)]
    for start, end in named:
        plain = plain[:start] + " " * (end - start) + plain[end:]
    read = reference.told.clauses(plain)
    named = [*named, *(span for span in read.spans if reference.told.is_inherited(plain[slice(*span)]))]
    medical = [m for m in medical if all(m.end <= start or end <= m.start for start, end in named)]
    everybody = sorted(_who_may_have_it(words, plain, people), key=lambda m: m.start)
    told = zip(read.spans, read.told, _denied_to(read), strict=True)
    parts = [_clause(plain, span, hits, everybody, medical, jobs, until) for span, hits, until in told]
    parts = [part for part in parts if words.conditions.word.search(part.text)]
    insured = None if words.conditions.together.search(plain) else insured_in(words, plain, parts)
    owners = owners_of(words, parts)
    unread = tuple(
        (part.start, max(part.end, part.denied_to))
        for part, owner in zip(parts, owners, strict=True)
        if not part.underwritten
        and not part.aside
        and (owner is None or insured is None or same(words, owner, insured))
    )
    denied = tuple(plain[a:b] for a, b in reference.told.spans_named(plain) if is_denied(plain, b))
    if all(part.told_at is None for part in parts):
        return Whose(unread=unread, denied=denied, well=bool(denied) or any(part.names for part in parts))
    whose = [owner for part, owner in zip(parts, owners, strict=True) if part.told_at is not None]
    own_told = any(owner is not None and same(words, owner, insured) for owner in whose)
    found: list[ConditionMention] = []
    motives: list[ConditionMention] = []
    for part, owner in zip(parts, owners, strict=True):
        if part.aside or (part.told_at is None and not part.names):
            continue
        if owner is not None and insured is not None and not same(words, owner, insured):
            elsewhere = any(same(words, m.who, insured) for other in parts if other != part for m in other.people)
            apart = elsewhere or all(not same(words, m.who, insured) for m in part.people)
            if not own_told and part.told_at is not None and apart:
                motives.append(ConditionMention(part.start, part.end, text[part.start : part.end], 0.8, until=part.end))
            continue
        until = part.start + told_until(part.text, part.told_to - part.start)
        telling = _words(plain[part.start : until], part.start, medical, jobs)
        beside = _time_beside(parts, part)
        ahead = words.conditions.still if _still_ahead(parts, part, medical) else ""
        if telling:
            said = text[part.start : part.end]
            short = reference.told.gist(telling)
            told_here = (f"{telling}{beside}{ahead}", f"{short}{beside}", until, part.of_work)
            found.append(ConditionMention(part.start, part.end, said, 0.8, False, *told_here))
    well = all(m.of_work for m in found) and (bool(denied) or any(part.names for part in parts))
    return Whose(tuple(found), tuple(motives), unread, denied, bool(found) and well)


def _who_may_have_it(words: LanguageWords, text: str, people: Sequence[PersonMention]) -> list[PersonMention]:
    """Everybody who is spoken of, but for whom something came from (엄마한테 물려받은)."""
    spoken = [*people, *_somebody(words, text, people)]
    return [mention for mention in spoken if not words.conditions.came_from.match(text, mention.end)]


def without_motives(entities: Entities, whose: Whose) -> Entities:
    """The entities without the people and illnesses of the motives, and with the conditions."""
    changed: dict[str, Any] = {
        name: tuple(m for m in getattr(entities, name) if not any(_within(m, (w.start, w.end)) for w in whose.motives))
        for name in _OF_A_MOTIVE
        if whose.motives
    }
    return replace(
        entities, conditions=whose.conditions, motives=whose.motives, unread=whose.unread, denied=whose.denied,
        well=whose.well, **changed,
    )  # fmt: skip


def _denied_to(read: ToldClauses) -> list[int]:
    """Where the denial ends that takes in each clause with those behind it (병원 다닌 적도, 먹는 약도 없는데); 0 where
    none does."""
    ends: list[int] = []
    for spared, (_, end) in zip(read.spared[::-1], [(0, 0), *read.spans[::-1]], strict=False):
        ends.append(max(end, ends[-1] if ends else 0) if spared else 0)
    return ends[::-1]


def _of_insurance(
    words: LanguageWords,
    reference: Reference,
    text: str,
    kinds: Sequence[CategoryMention],
    people: Sequence[PersonMention],
) -> Iterable[tuple[int, int]]:
    """The kinds that are no illness told: 암이랑 치아 함께 들면 얼마예요 asks for insurances, 암이세요 tells of one."""
    behind: CategoryMention | None = None
    illness = False
    for kind in reversed(kinds):
        if behind is None or not words.conditions.list.fullmatch(text[kind.end : behind.start]):
            listed = words.conditions.list.match(text, kind.end)
            illness = is_had(text, kind.end) or _of_somebody(text, kind, people)
            illness = illness or (listed is not None and reference.told.names_at(text, listed.end()))
        behind = kind
        if not illness and reference.told.names_alone(text, kind.start, kind.end):
            yield kind.start, kind.end


def _of_somebody(text: str, kind: Mention, people: Sequence[PersonMention]) -> bool:
    """치매 어머니, 암 3년 전: somebody right behind it, or since when in its clause."""
    start, end = next(span for span in clauses(text) if span[0] <= kind.start < span[1])
    person = any(not text[kind.end : m.start].strip() for m in people if m.start >= kind.end)
    return person or months_since(text[start:end]) is not None


def _somebody(words: LanguageWords, text: str, people: Sequence[PersonMention]) -> list[PersonMention]:
    """Others told of by a title (팀장님이 암 수술하셔서), but who treats or sells."""
    return [
        PersonMention(match.start(), match.end(), match.group(), 0.6, False, match["who"])
        for match in words.conditions.titled.finditer(text)
        if all(match.end() <= m.start or m.end <= match.start() for m in people)
    ]


def _clause(
    text: str,
    span: tuple[int, int],
    hits: Sequence[Hit],
    people: Sequence[PersonMention],
    medical: Iterable[MedicalMention],
    jobs: Iterable[JobMention],
    denied_to: int,
) -> Clause:
    start, end = span
    words = text[start:end]
    at = next((hit.start - start for hit in hits if not hit.finding.healthy), None)
    told_to = max((hit.end for hit in hits), default=start)
    fine = [hit for hit in hits if hit.finding.healthy]  # 치매 검사에서 정상 names no illness
    there = [m for m in (*medical, *jobs) if _within(m, span) and not m.negated and not denied_to]
    named = [
        m
        for m in there
        if not any(hit.start <= m.start and m.end <= hit.end for hit in fine)
        and (isinstance(m, JobMention) or is_told(words, m.end - start))
    ]
    where = [place for place in (at, *(m.start - start for m in named)) if place is not None]
    here = tuple(m for m in people if _within(m, span) and m.role != "aside")
    read = any(not hit.finding.healthy for hit in hits)
    told_at = start + min(where) if where else None
    aside = not here and any(_within(m, span) and m.role == "aside" for m in people)
    of_work = at is None and all(isinstance(m, JobMention) for m in named)
    return Clause(start, end, words, here, told_at, told_to, bool(hits), read, aside, denied_to, of_work)


def _within(mention: Mention, span: tuple[int, int]) -> bool:
    return span[0] <= mention.start < span[1]


def _time_beside(parts: Sequence[Clause], part: Clause) -> str:
    """Since when, told in a clause that tells nothing else (수술했는데 가입되나요? 7년 지났어요), or in that of what
    came of it or led to it (뇌를 다쳐서 작년에 수술했어요)."""
    if time_in(part.text):
        return ""
    of_another = [other for other in parts if other.told_at is None]
    led_to = [after for before, after in pairwise(parts) if before == part and leads_on(before.text)]
    led_from = [before for before, after in pairwise(parts) if after == part and leads_on(before.text)]
    told = next((time for other in (*led_to, *led_from, *of_another) if (time := time_in(other.text))), "")
    return f", {told}" if told else ""


def _still_ahead(parts: Sequence[Clause], part: Clause, medical: Iterable[MedicalMention]) -> bool:
    """Whether a clause that tells nothing else says that something is not done yet (재검 나왔는데 아직 안 갔어요).

    수술은 안 했고 tells of the operation alone."""
    named = [m.start for m in medical]
    later = (other for other in parts if other.told_at is None and other.start >= part.end)
    return any(is_not_yet(p.text) and not any(p.start <= at < p.end for at in named) for p in later)


def _words(words: str, start: int, medical: Iterable[MedicalMention], jobs: Iterable[JobMention]) -> str:
    """The words at `start` of a text, what was told in lay ones called by its name (머리에 피가 터져서 -> 뇌출혈)."""
    end = start + len(words)
    lay: list[tuple[Mention, str]] = [(m, m.term) for m in medical if m.confidence == LAY_CONFIDENCE]
    lay += [(m, m.job) for m in jobs if m.job not in m.text]
    inside = [(m, term) for m, term in lay if start <= m.start and m.end <= end]
    for mention, term in sorted(inside, key=lambda pair: -pair[0].start):
        at = mention.start - start
        words = f"{words[:at]}{term}({words[at : mention.end - start]}){words[mention.end - start :]}"
    # 투석하면 가입 안 되죠: asked of somebody who has it
    return re.sub(r"으?면$", "", re.sub(r"\s+", " ", words).strip(" ,.?!~()/"))
