"""해약환급금: the rule, the refund share by year, the amount when it can be computed. Source: each product's rule."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from app.insurance.models import AgeRange, Gender, Model, Product, RenewalKind, SurrenderKind, SurrenderYear
from app.insurance.premium import AGE_NOTE, EntryRefused, find_plan, monthly_premium, refuse_entry
from app.insurance.wording import round_half_up

if TYPE_CHECKING:
    from app.insurance.catalogue import Catalogue

NO_REFUND = "해약환급금 미지급형"


class SurrenderExplanation(Model):
    """The refund rule of one plan. Rates are shares of the premiums paid; amounts 원.

    `refund` and `paid` are set when years, age at entry and gender are known. `warning` is set for 미지급형.
    """

    code: str
    name: str
    plan: str
    kind: SurrenderKind
    payment_term: str
    payment_years: int
    renewal: RenewalKind
    explanation: str
    by_year: tuple[SurrenderYear, ...]
    source: str
    entry_age: AgeRange
    years_paid: int | None
    rate: float | None
    age: int | None
    gender: Gender | None
    premium: int | None
    paid: int | None
    refund: int | None
    shortfall: int | None
    warning: str | None
    other_kinds: tuple[SurrenderKind, ...]
    age_note: str | None = None


def explain_surrender(
    catalogue: Catalogue, product: Product, *, plan: str | None = None, years_paid: int | None = None,
    age: int | None = None, gender: Gender | None = None,
) -> SurrenderExplanation | EntryRefused:
    """The refund of a plan. `age` is the age at entry; the rate between two years of the table is the earlier one's.

    refund = premiums paid × rate, to the nearest 1원. Paid are 12 premiums a year, at most for the payment term; a
    renewing contract pays the table's premium of each renewal. Raises BadRequest or Ambiguous for the plan.
    """
    chosen = find_plan(product, plan)
    rule = next(rule for rule in product.surrender_rules if rule.kind == chosen.surrender)
    rate = None if years_paid is None else rate_after(rule.by_year, years_paid)
    premium = paid = refund = None
    if age is not None and gender is not None:
        if age not in product.entry_age:
            return refuse_entry(catalogue, product, age, gender)
        base = catalogue.premium(product.code, age, gender)
        premium = monthly_premium(product, base, product.sum_insured.default, chosen)
        if years_paid is not None and rate is not None:
            factor = Fraction(premium, base)
            paid = round_half_up(sum(
                (12 * factor * table for table in _yearly_tables(catalogue, product, age, gender,
                                                                 min(years_paid, chosen.payment_years))), Fraction(0)))
            refund = round_half_up(paid * Fraction(str(rate)))
    return SurrenderExplanation(
        code=product.code, name=product.name, plan=chosen.name, kind=chosen.surrender,
        payment_term=chosen.payment_term, payment_years=chosen.payment_years, renewal=product.renewal.kind,
        explanation=rule.explanation, by_year=rule.by_year, source=rule.source, entry_age=product.entry_age,
        years_paid=years_paid, rate=rate, age=age, gender=gender, premium=premium, paid=paid, refund=refund,
        shortfall=paid - refund if paid is not None and refund is not None else None,
        warning=_warning(chosen.surrender, chosen.payment_years),
        other_kinds=tuple(r.kind for r in product.surrender_rules if r.kind != chosen.surrender),
        age_note=AGE_NOTE if premium is not None else None,
    )


def rate_after(by_year: tuple[SurrenderYear, ...], years: int) -> float:
    """The refund share after so many full years: the table's last year not above it; 0 before the first."""
    reached = [line for line in by_year if line.year <= years]
    return max(reached, key=lambda line: line.year).rate if reached else 0.0


def _yearly_tables(catalogue: Catalogue, product: Product, age: int, gender: Gender, years: int) -> list[int]:
    """The table premium of each year paid; it changes at renewals alone."""
    period = product.renewal.period_years if product.renewal.kind == "갱신형" else None
    return [
        catalogue.premium(product.code, age + (year // period * period if period else 0), gender)
        for year in range(years)
    ]


def _warning(kind: SurrenderKind, payment_years: int) -> str | None:
    if kind != NO_REFUND:
        return None
    return (
        f"해약환급금 미지급형은 보험료 납입기간({payment_years}년) 중에 해지하면 해약환급금이 없습니다. "
        "표준형보다 보험료가 낮은 대신이니, 끝까지 유지하실 수 있는지 먼저 확인해 주세요."
    )
