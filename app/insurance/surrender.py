"""해약환급금: the rule, the refund share by year, the amount when it can be computed. Source: each product's rule."""

from __future__ import annotations

from fractions import Fraction

from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.models import AgeRange, Gender, Model, Plan, Product, RenewalKind, SurrenderKind, SurrenderYear
from app.insurance.premium import EntryRefused, refuse_entry
from app.insurance.pricing import find_plan, monthly_premium, usual_sum_insured
from app.insurance.wording import round_half_up

NO_REFUND = "해약환급금 미지급형"


class SurrenderExplanation(Model):
    """The refund rule of one plan. Rates are shares of the premiums paid; amounts 원.

    `refund` is set when years, age at entry and gender are known and the table holds for the plan's payment term
    (`table_plan`, else `table_note`). `warning` is set for 미지급형.
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
    table_plan: str
    table_note: str | None
    source: str
    entry_age: AgeRange
    years_paid: int | None
    counted_years: int | None
    rate: float | None
    age: int | None
    age_kind: AgeKind = FULL_AGE
    gender: Gender | None
    premium: int | None
    paid: int | None
    refund: int | None
    shortfall: int | None
    warning: str | None
    other_kinds: tuple[SurrenderKind, ...]
    age_note: str | None = None


def explain_surrender(
    catalogue: Catalogue,
    product: Product,
    *,
    plan: str | None = None,
    years_paid: int | None = None,
    age: EntryAge | None = None,
    gender: Gender | None = None,
    premium: int | None = None,
) -> SurrenderExplanation | EntryRefused:
    """The refund of a plan. `age` is the age at entry, `premium` what is paid a month for a contract that is held; the
    rate between two years of the table is the earlier one's.

    refund = premiums paid × rate, to the nearest 1원. Paid are 12 premiums a year, at most for the payment term. A
    renewing contract starts anew at each renewal: years, premiums and rate count from the last one (`counted_years`).
    Raises BadRequest or Ambiguous for the plan, RuleMissing when the table ends before the last renewal.
    """
    chosen = find_plan(product, plan)
    rule = next(rule for rule in product.surrender_rules if rule.kind == chosen.surrender)
    age = age.within(product.entry_age) if age else None
    if age is not None and age.years not in product.entry_age:
        return refuse_entry(catalogue, product, age, gender)
    counted, base = _counted_years(product, years_paid), _table_plan(product, chosen)
    rate = None if counted is None else _rate(rule.by_year, chosen, base, counted)
    paid = refund = None
    if premium is None and age is not None and gender is not None:
        before = (years_paid or 0) - (counted or 0) if product.renewal.kind == "갱신형" else 0
        table = catalogue.premium(product.code, age.years + before, gender)
        premium = monthly_premium(product, table, usual_sum_insured(product, age.years), chosen)
    if premium is not None and counted is not None and rate is not None:
        paid = premium * 12 * min(counted, chosen.payment_years)
        refund = round_half_up(paid * Fraction(str(rate)))
    return SurrenderExplanation(
        code=product.code,
        name=product.name,
        plan=chosen.name,
        kind=chosen.surrender,
        payment_term=chosen.payment_term,
        payment_years=chosen.payment_years,
        renewal=product.renewal.kind,
        explanation=rule.explanation,
        by_year=rule.by_year,
        table_plan=base.name,
        table_note=_table_note(chosen, base),
        source=rule.source,
        entry_age=product.entry_age,
        years_paid=years_paid,
        counted_years=counted,
        rate=rate,
        age=age.years if age else None,
        age_kind=age.kind if age else FULL_AGE,
        gender=gender,
        premium=premium,
        paid=paid,
        refund=refund,
        shortfall=paid - refund if paid is not None and refund is not None else None,
        warning=_warning(chosen.surrender, chosen.payment_years),
        other_kinds=tuple(r.kind for r in product.surrender_rules if r.kind != chosen.surrender),
        age_note=age.note if age and premium is not None else None,
    )


def _table_plan(product: Product, chosen: Plan) -> Plan:
    """The plan the refund table was made for: the default plan of this kind, else the first of this kind."""
    same = [plan for plan in product.plans if plan.surrender == chosen.surrender]
    return next((plan for plan in same if plan.default), same[0])


def _rate(by_year: tuple[SurrenderYear, ...], chosen: Plan, base: Plan, years: int) -> float | None:
    """The refund share, or None where the table, made for another payment term, does not say."""
    if chosen.surrender == NO_REFUND and years < chosen.payment_years:
        return 0.0
    return rate_after(by_year, years) if chosen.payment_years == base.payment_years else None


def _table_note(chosen: Plan, base: Plan) -> str | None:
    if chosen.payment_years == base.payment_years:
        return None
    return (
        f"환급률 예시는 {base.name} 기준입니다. 납입 기간이 다른 {chosen.name}의 환급률은 "
        "가입설계서의 해약환급금 예시표에서 확인하실 수 있습니다."
    )


def rate_after(by_year: tuple[SurrenderYear, ...], years: int) -> float:
    """The refund share after so many full years: the table's last year not above it; 0 before the first."""
    reached = [line for line in by_year if line.year <= years]
    return max(reached, key=lambda line: line.year).rate if reached else 0.0


def _counted_years(product: Product, years_paid: int | None) -> int | None:
    period = product.renewal.period_years
    if years_paid is None or product.renewal.kind == "비갱신형" or not period:
        return years_paid
    return (years_paid - 1) % period + 1 if years_paid else 0


def _warning(kind: SurrenderKind, payment_years: int) -> str | None:
    if kind != NO_REFUND:
        return None
    return (
        f"해약환급금 미지급형은 보험료 납입기간({payment_years}년) 중에 해지하면 해약환급금이 없습니다. "
        "표준형보다 보험료가 낮은 대신이니, 끝까지 유지하실 수 있는지 먼저 확인해 주세요."
    )
