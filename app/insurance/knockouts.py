"""Who may join by what they tell: every knock-out of a product read against it, and a verdict that promises nothing.

Sources: the knock-outs of data/products/*.yaml and data/reference/knockouts.yaml, data/reference/findings.yaml.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from math import ceil
from typing import Literal

from app.insurance.catalogue import Reference
from app.insurance.findings import Told
from app.insurance.health import read_history
from app.insurance.jobs import JobRisk, named_job
from app.insurance.models import Knockout, KnockoutSign, Model, Product
from app.insurance.reference import RiskClass

Answer = Literal["met", "open", "clear"]
Entry = Literal["가입 가능", "심사 필요", "가입 불가"]
_DONE_ONCE = frozenset({"operation", "hospital_stay"})
_WORK_WORDS = 3
_LONG_AGO_MONTHS = 12  # told of such a time ago and not said to go on, it need not be there any more
_PLAIN_JOBS: tuple[RiskClass, ...] = ("1급", "2급")


class RuleMet(Model):
    """A knock-out that what was told meets (`certain`) or may meet. `part`: it declines this part of the cover.
    `within_months`: it looks back so far only, and `months_left` is how long what was told still lies within; None
    where no time was told, or none ends it."""

    id: str
    rule: str
    reason: str
    told: str
    certain: bool
    part: str | None = None
    within_months: int | None = None
    months_left: int | None = None


@dataclass(frozen=True)
class Heard:
    """What was told, read once for every product: findings, risky jobs, and the names of all that is underwritten."""

    told: tuple[Told, ...]
    jobs: tuple[JobRisk, ...]
    names: tuple[str, ...]


class Acceptance(Model):
    """What was told (by name), read against a product's knock-outs: declined, to be underwritten, or nothing told."""

    entry: Entry
    told: tuple[str, ...]
    knockouts: tuple[RuleMet, ...]

    @property
    def decisive(self) -> RuleMet | None:
        """The knock-out that declines the whole contract; None where none surely does."""
        return next((rule for rule in self.knockouts if rule.certain and not rule.part), None)


def knockouts_of(reference: Reference, product: Product) -> tuple[Knockout, ...]:
    """The product's own knock-outs and those of every product."""
    return (*product.knockouts, *reference.knockouts)


def hear(reference: Reference, conditions: Iterable[str], today: date | None = None, *, noted: str = "") -> Heard:
    """Reads `conditions`, each what was told of the person to insure, in free words. `noted` is a shorter note of it:
    what it names again of which they tell since when adds nothing."""
    own = tuple(text for text in conditions if text.strip())
    told = reference.told.read(own, today)
    dated = {fact.finding.id for fact in told if fact.months is not None}
    both = reference.told.read((*own, noted), today)
    told = tuple(f for n, f in enumerate(both) if n < len(told) or f.finding.id not in dated)
    texts = (*own, noted) if noted.strip() else own
    jobs = [risk for text in texts if (risk := named_job(reference, text)) is not None]
    risky = tuple(job for job in jobs if job.risk_class not in _PLAIN_JOBS)
    named = [fact for fact in told if not fact.finding.healthy]
    names = [fact.finding.name for fact in named if not fact.finding.vague]
    names += [*(str(job.job) for job in risky), *_unread(reference, texts, told, jobs)]
    # 투약 beside 고혈압 adds nothing; alone it is what was told.
    return Heard(told, risky, tuple(dict.fromkeys(names or [fact.finding.name for fact in named])))


def accept(reference: Reference, product: Product, heard: Heard) -> Acceptance:
    """The verdict of one product on what was told."""
    met = _rules_met(knockouts_of(reference, product), product, heard.told, heard.jobs)
    declined = any(rule.certain and not rule.part for rule in met)
    entry: Entry = "가입 불가" if declined else "심사 필요" if heard.names else "가입 가능"
    return Acceptance(entry=entry, told=heard.names, knockouts=met)


def _rules_met(
    knockouts: Iterable[Knockout], product: Product, told: Sequence[Told], jobs: Sequence[JobRisk]
) -> tuple[RuleMet, ...]:
    met: list[RuleMet] = []
    for knockout in knockouts:
        found = [(sign, *answer) for sign in knockout.when for answer in _answers(sign, told, jobs)]
        answers = [(answer, words) for _, answer, words, _ in found]
        if knockout.judged_by and product.max_contracts > 1:
            answers = [("open", words) for _, words in answers]
        certain = next((words for answer, words in answers if answer == "met"), None)
        words = certain or next((words for answer, words in answers if answer == "open"), None)
        if words is not None:
            within, left = _ends([(sign, fact) for sign, answer, _, fact in found if certain and answer == "met"])
            met.append(
                RuleMet(
                    id=knockout.id, rule=knockout.rule, reason=knockout.reason, told=words,
                    certain=certain is not None, part=knockout.part, within_months=within, months_left=left,
                )
            )  # fmt: skip
    return tuple(sorted(met, key=lambda rule: (not rule.certain, rule.part is not None)))


def _ends(met: Sequence[tuple[KnockoutSign, Told | None]]) -> tuple[int | None, int | None]:
    """How far a knock-out looks back, and for how many months yet what was told meets it; None where that is open."""
    left = [
        (sign.within_months, ceil(sign.within_months - fact.months))
        for sign, fact in met
        if sign.within_months is not None and fact is not None and fact.months is not None
    ]
    return max(left, key=lambda pair: pair[1]) if left and len(left) == len(met) else (None, None)


def _answers(
    sign: KnockoutSign, told: Sequence[Told], jobs: Sequence[JobRisk]
) -> Iterable[tuple[Answer, str, Told | None]]:
    if sign.job_class is not None:
        yield from (("met", str(job.job), None) for job in jobs if job.risk_class == sign.job_class)
    for fact in told:
        if {fact.finding.id, *fact.finding.also} & set(sign.findings):
            yield _answer(sign, fact), fact.finding.name, fact


def _answer(sign: KnockoutSign, fact: Told) -> Answer:
    """Whether one thing told is what the sign asks for; open where the deciding part of it was not told."""
    parts = [_in_time(sign, fact), _goes_on(sign, fact), _counted(sign, fact)]
    if sign.beside:
        parts.append("met" if fact.beside & set(sign.beside) else "open")
    if "clear" in parts:
        return "clear"
    return "met" if sign.sure and "open" not in parts else "open"


def _in_time(sign: KnockoutSign, fact: Told) -> Answer:
    if sign.within_months is None:
        return "met"
    if fact.months is not None:
        return "met" if fact.months < sign.within_months else "clear"
    # An illness told without a time is there now; what was done for it once (수술했는데) may lie back long enough.
    passed = fact.finding.event or bool(fact.beside & _DONE_ONCE)
    return "open" if fact.over or (passed and not fact.ongoing) else "met"


def _goes_on(sign: KnockoutSign, fact: Told) -> Answer:
    long_ago = fact.months is not None and fact.months >= _LONG_AGO_MONTHS and not fact.ongoing
    return "open" if sign.ongoing and (fact.over or long_ago) else "met"


def _counted(sign: KnockoutSign, fact: Told) -> Answer:
    if sign.at_least is None and sign.below is None:
        return "met"
    if fact.count is None:
        return "open"
    enough = sign.at_least is None or fact.count >= sign.at_least
    few = sign.below is None or fact.count < sign.below
    return "met" if enough and few else "clear"


def _unread(
    reference: Reference, texts: Sequence[str], told: Sequence[Told], jobs: Sequence[JobRisk]
) -> tuple[str, ...]:
    """What the findings do not name: other illnesses by the condition rules, and words that no rule reads."""
    names: list[str] = []
    # A long story tells more than the work that a word of it names (AS로 3년 전 TAVI 받았습니다).
    read_jobs = {job.asked for job in jobs if len(job.asked.split()) <= _WORK_WORDS}
    for text in texts:
        here = [fact for fact in told if fact.words in text]
        if not here and reference.told.names_any(text):
            continue  # named to be denied or feared
        history = read_history(reference, text)
        if all(fact.finding.vague for fact in here):
            names += [condition.rule.name for condition in history.conditions]
        if not here and text not in read_jobs and not history.conditions:
            names.append(text.strip())
    return tuple(names)
