"""The accident risk class of a job. Sources: data/reference/jobs.csv, data/reference/job_rules.yaml."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from app.insurance.catalogue import Reference
from app.insurance.matching import misspelt
from app.insurance.models import Model
from app.insurance.names import name_key
from app.insurance.reference import Job, RiskClass
from app.insurance.wording import jamo

_NEAR = 4
_NEAR_RATIO = 60.0
_FILLERS = ("으로일하고있어요", "으로일해요", "일을해요", "이에요", "예요", "입니다", "직업", "하는사람", "일")


class JobLine(Model):
    """A job and its class."""

    job: str
    risk_class: RiskClass
    group: str
    note: str


class JobRisk(Model):
    """The risk class of a job and what it means: `surcharge` a share on accident premiums, `sum_insured_share` of the
    usual limit. Several jobs may answer (`matches`); the riskiest decides, so that nobody is promised too much."""

    asked: str
    found: bool
    exact: bool
    job: str | None = None
    risk_class: RiskClass | None = None
    group: str | None = None
    note: str = ""
    effect: str | None = None
    surcharge: float | None = None
    sum_insured_share: float | None = None
    matches: tuple[JobLine, ...] = ()
    near: tuple[JobLine, ...] = ()


_ORDER: tuple[RiskClass, ...] = ("1급", "2급", "3급", "거절")


def check_job(reference: Reference, asked: str) -> JobRisk:
    """The class of a job by name, synonym, part of one, or misspelling; near jobs when none answers."""
    exact, found = _find(reference.jobs, asked)
    if not found:
        return JobRisk(asked=asked, found=False, exact=False, near=_near(reference.jobs, asked))
    job = max(found, key=lambda j: _ORDER.index(j.risk_class))
    rule = next((r for r in reference.job_rules if r.risk_class == job.risk_class), None)
    return JobRisk(
        asked=asked,
        found=True,
        exact=exact,
        job=job.name,
        risk_class=job.risk_class,
        group=job.group,
        note=job.note,
        effect=rule.effect if rule else None,
        surcharge=rule.surcharge if rule else None,
        sum_insured_share=rule.sum_insured_share if rule else None,
        matches=tuple(map(_line, found)) if len(found) > 1 else (),
    )


def named_job(reference: Reference, text: str) -> JobRisk | None:
    """The job that a text names outright, without looking for near ones; None where it names none."""
    return check_job(reference, text) if _outright(reference.jobs, _bare(text)) else None


def _find(jobs: Sequence[Job], asked: str) -> tuple[bool, tuple[Job, ...]]:
    key = _bare(asked)
    if not key:
        return False, ()
    if found := _outright(jobs, key):
        return True, found
    holding = tuple(job for job in jobs if len(key) > 1 and any(key in name for name in job.name_keys))
    if holding:
        return False, holding[:_NEAR]
    scored = [(misspelt(key, [n for n in job.name_keys if abs(len(n) - len(key)) < 2]), job) for job in jobs]
    best = max((score for score, _ in scored), default=0.0)
    return False, tuple(job for score, job in scored if best and score == best)


def _outright(jobs: Sequence[Job], key: str) -> tuple[Job, ...]:
    """Those whose name the key is, else those whose longest name stands in it."""
    if exact := tuple(job for job in jobs if key and key in job.name_keys):
        return exact
    held = [(len(name), job) for job in jobs for name in job.name_keys if len(name) > 1 and name in key]
    longest = max((length for length, _ in held), default=0)
    return tuple(dict.fromkeys(job for length, job in held if length == longest))


def _near(jobs: Sequence[Job], asked: str) -> tuple[JobLine, ...]:
    key = jamo(_bare(asked))
    scored = [(max(fuzz.ratio(key, jamo(name)) for name in job.name_keys), job) for job in jobs]
    ranked = sorted((pair for pair in scored if pair[0] >= _NEAR_RATIO), key=lambda pair: -pair[0])
    return tuple(_line(job) for _, job in ranked[:_NEAR])


def _bare(asked: str) -> str:
    key = name_key(asked)
    for filler in _FILLERS:
        if key.endswith(filler) and len(key) > len(filler) + 1:
            key = key.removesuffix(filler)
    return key


def _line(job: Job) -> JobLine:
    return JobLine(job=job.name, risk_class=job.risk_class, group=job.group, note=job.note)
