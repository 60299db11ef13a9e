"""The duty to tell before joining (계약 전 알릴 의무): the questions of a product, and what a history weighs.

Sources: data/reference/disclosure_questions.yaml, data/reference/condition_rules.yaml.
"""

from __future__ import annotations

from typing import Literal

from app.insurance.catalogue import Reference
from app.insurance.health import Condition, read_history
from app.insurance.models import DisclosureForm, Model, Product

Level = Literal["낮음", "보통", "높음", "매우 높음"]
# Bounds of the levels in points of 100.
_LEVELS: tuple[tuple[int, Level], ...] = ((20, "낮음"), (50, "보통"), (75, "높음"))
_MOST = 100
_CURRENT_POINTS, _TREATED_POINTS, _RECENT_POINTS = 10, 10, 10
_CLEARED_SHARE = 4  # beyond the asked period a quarter of a condition's points is kept


class DisclosureQuestion(Model):
    """One question of the form, the period it looks back and examples of what must be told."""

    number: int
    period: str
    question: str
    examples: tuple[str, ...]


class DisclosureQuestions(Model):
    """The questions a product asks."""

    code: str
    name: str
    disclosure_form: DisclosureForm
    simplified: bool
    questions: tuple[DisclosureQuestion, ...]
    count: int


class ScorePart(Model):
    """Points of one condition and what they are made of."""

    condition: str
    words: str
    period: str
    must_disclose: bool
    points: int
    makeup: str
    reason: str


class DisclosureScore(Model):
    """Whether a history must be told, for which period it is asked, and its weight: the parts and their sum (≤ 100)."""

    history: str
    must_disclose: bool
    healthy: bool
    score: int
    level: Level
    parts: tuple[ScorePart, ...]
    periods: tuple[str, ...]
    unknown: tuple[str, ...]
    total_before_cap: int
    most: int = _MOST


def disclosure_questions(reference: Reference, product: Product) -> DisclosureQuestions:
    """The questions of the product's form, in their order."""
    questions = tuple(
        DisclosureQuestion(number=q.number, period=q.period, question=q.question, examples=q.examples)
        for q in sorted(reference.questions, key=lambda q: q.number)
        if q.form == product.disclosure_form
    )
    return DisclosureQuestions(
        code=product.code,
        name=product.name,
        disclosure_form=product.disclosure_form,
        simplified=product.simplified,
        questions=questions,
        count=len(questions),
    )


def score_history(reference: Reference, history: str) -> DisclosureScore:
    """The weight of a history: base points of each condition, plus treatment, surgery and how recent it is."""
    read = read_history(reference, history)
    parts = tuple(map(_part, read.conditions))
    total = sum(part.points for part in parts)
    score = min(_MOST, total)
    return DisclosureScore(
        history=history,
        must_disclose=any(part.must_disclose for part in parts) or bool(read.unknown),
        healthy=read.healthy,
        score=score,
        level=next((level for bound, level in _LEVELS if score < bound), "매우 높음"),
        parts=parts,
        periods=tuple(dict.fromkeys(part.period for part in parts)),
        unknown=read.unknown,
        total_before_cap=total,
    )


def _part(condition: Condition) -> ScorePart:
    rule, years = condition.rule, condition.years
    cleared = bool(rule.years_clear) and years is not None and years >= rule.years_clear and not condition.current
    if cleared:
        points = rule.score // _CLEARED_SHARE
        makeup = f"기본 {rule.score}점의 {_CLEARED_SHARE}분의 1({rule.years_clear}년 경과)"
    else:
        extra = [
            ("현재 치료·투약", _CURRENT_POINTS if condition.current else 0),
            ("입원·수술", _TREATED_POINTS if condition.treated and "수술" not in rule.name else 0),
            ("1년 이내", _RECENT_POINTS if years is not None and years < 1 else 0),
        ]
        points = rule.score + sum(value for _, value in extra)
        makeup = " + ".join([f"기본 {rule.score}점", *(f"{label} {value}점" for label, value in extra if value)])
    return ScorePart(
        condition=rule.name,
        words=condition.words,
        period=rule.period,
        must_disclose=rule.disclose and not cleared,
        points=points,
        makeup=makeup,
        reason=rule.reason,
    )
