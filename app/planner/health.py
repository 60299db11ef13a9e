"""Which illness, treatment and job a message tells of, and of whom: '아빠는 당뇨, 엄마는 고혈압' tells of two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.language.conditions import is_said_not
from app.language.mentions import DurationMention, Entities, MedicalMention
from app.planner.facts import Facts
from app.planner.occupations import current
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations

HISTORY_MAX = 6


@dataclass(frozen=True)
class Health:
    """What a message says of health and work. `of` are histories that surely belong to one named person each, `mine`
    those of whoever is spoken of; `gone` are diseases taken back (고혈압은 아니고)."""

    mine: tuple[str, ...] = ()
    of: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    diagnosis: str | None = None
    job: str | None = None
    healthy: bool = False


def read_health(words: PlannerWords, entities: Entities, facts: Facts, declared: Declarations) -> Health:
    """A disease counts as a claim event or as a health history by the words around it."""
    own = words.health
    text = entities.text
    gone = frozenset((*(m.term for m in entities.medical if m.negated), *entities.denied))
    told = _told_diseases(words, entities)
    mine: tuple[str, ...] = ()
    of: dict[str, tuple[str, ...]] = {}
    diagnosis = None
    if told:
        personal = bool(entities.people or entities.durations or entities.dates or facts.who)
        longest = max(told, key=lambda m: len(m.phrase))
        event = bool(own.event.search(text)) or any(m.code == m.text.upper() for m in told)
        if event:
            typed = next((m.code for m in told if m.code and m.text[:1].isascii()), None)
            diagnosis = typed or longest.term
        paid_for = bool(own.payment.search(text))
        joins = bool(own.underwriting.search(text)) or (declared.requires(facts.last_tool, "history") and personal)
        # 담석 제거 수술했는데 수술비 나와요: it happened to the person, so a later check of health knows it too.
        if (joins and not paid_for) or (event and own.past_treatment.search(text)):
            mine, of = _by_person(told, entities)
    return Health(
        mine,
        of,
        gone,
        diagnosis,
        _job(words, entities, of_jobs=declared.requires(facts.last_tool, "job")),
        bool(own.healthy.search(text)),
    )


def merged(before: str | None, news: Sequence[str], gone: frozenset[str], *, replace: bool) -> str | None:
    """The history of a person with the news: added to what was told before unless `replace` (아니 당뇨가 아니라)."""
    held = [] if replace or not before else [part for part in before.split(", ") if part]
    held = [part for part in held if not any(term in part for term in gone)]
    for phrase in news:
        # 고혈압 and 고혈압약 복용 are one illness: the fuller words stay.
        held = [part for part in held if part not in phrase]
        if not any(phrase in part for part in held):
            held.append(phrase)
    return ", ".join(held[-HISTORY_MAX:]) or None


def _told_diseases(words: PlannerWords, entities: Entities) -> list[MedicalMention]:
    text = entities.text
    kinds = [(m.start, m.end) for m in entities.categories]
    diseases = [
        m
        for m in entities.medical
        if not is_said_not(entities, m)
        and m.confidence >= 0.7
        and not any(s <= m.start < e for s, e in kinds)
        and not text[m.end :].lstrip().startswith(("보험", "쪽", "담보", "특약"))
    ]
    treated = [(m.start, m.end) for m in (*entities.benefits, *entities.riders, *entities.goals)]
    # A treatment that a product pays for (틀니, 표적항암) is asked about, not suffered, unless it is a disease with a
    # code.
    undergone = bool(words.health.undergone.search(text))
    judged = bool(words.health.judged.search(text))
    return [
        m
        for m in diseases
        if undergone or m.code or (judged and m.rule_id) or not any(s < m.end and m.start < e for s, e in treated)
    ]


def _by_person(
    diseases: Sequence[MedicalMention], entities: Entities
) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Each disease with its person where several are named; else all of them belong to whoever is spoken of."""
    people = [m for m in entities.people if not m.negated and m.role == "insured"]
    if len({m.who for m in people}) < 2:
        return tuple(dict.fromkeys(_with_length(m, entities.durations) for m in diseases)), {}
    of: dict[str, list[str]] = {}
    for disease in diseases:
        before = [m for m in people if m.end <= disease.start]
        owner = before[-1] if before else people[0]
        of.setdefault(owner.who, []).append(_with_length(disease, entities.durations))
    return (), {who: tuple(dict.fromkeys(phrases)) for who, phrases in of.items()}


def _with_length(disease: MedicalMention, durations: Sequence[DurationMention]) -> str:
    """'위염약을 한 달 먹었는데': how long a medicine was taken belongs to the history, in days."""
    if not disease.phrase.endswith("복용"):
        return disease.phrase
    taken = next((d for d in durations if 0 <= d.start - disease.end <= 6 and d.role == "span"), None)
    if taken is None:
        return disease.phrase
    days = taken.days or taken.months * 30
    return f"{disease.phrase.removesuffix('복용')}{days}일 복용"


def _job(words: PlannerWords, entities: Entities, *, of_jobs: bool) -> str | None:
    jobs = [m for m in current(words, entities) if m.confidence >= 0.7 or of_jobs]
    if not jobs and of_jobs and (asked := words.health.job_ellipsis.match(entities.text)):
        return asked["job"]
    return jobs[-1].job if jobs else None
