"""부활(효력회복): until when, what to pay and declare, and that waiting starts again.

Source: data/reference/reinstatement.yaml.
"""

from __future__ import annotations

from datetime import date

from app.errors import BadRequest
from app.insurance.catalogue import Reference
from app.insurance.models import Model, Product
from app.insurance.periods import add_months
from app.insurance.wording import day


class Reinstatement(Model):
    """The rule, and with a lapse date its last day, the days left on `today` and whether it has passed."""

    code: str | None
    name: str | None
    within_years: int
    notice_days: int
    lapse_date: date | None
    until: date | None
    today: date
    days_left: int | None
    expired: bool | None
    requirements: tuple[str, ...]
    overdue_interest_note: str
    waiting_again: str
    waiting_days: int | None
    reduction_months: int | None
    clause: str


def reinstatement(reference: Reference, product: Product | None, lapse_date: date | None, today: date) -> Reinstatement:
    """The rule; the last day is `within_years` after the lapse. Raises BadRequest for a lapse still to come."""
    rule = reference.reinstatement
    if lapse_date and lapse_date > today:
        raise BadRequest(f"실효일 {day(lapse_date)}은 아직 오지 않았습니다. 실효일을 다시 확인해 주세요.")
    until = add_months(lapse_date, 12 * rule.within_years) if lapse_date else None
    waiting = [b.waiting_days for b, _ in product.all_benefits] if product else []
    reductions = [b.reduction.months for b, _ in product.all_benefits if b.reduction] if product else []
    return Reinstatement(
        code=product.code if product else None,
        name=product.name if product else None,
        within_years=rule.within_years,
        notice_days=rule.notice_days,
        lapse_date=lapse_date,
        until=until,
        today=today,
        days_left=max(0, (until - today).days) if until else None,
        expired=today > until if until else None,
        requirements=rule.requirements,
        overdue_interest_note=rule.overdue_interest_note,
        waiting_again=rule.waiting_again,
        waiting_days=max(waiting) if waiting else None,
        reduction_months=max(reductions, default=None) if product else None,
        clause=rule.clause,
    )
