"""What one may choose: plans with their terms and prices, and payment cycles with their discounts."""

from __future__ import annotations

from fractions import Fraction

from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.models import AgeRange, CycleName, Gender, Model, Plan, Product, RenewalKind, SurrenderKind
from app.insurance.pricing import check_sum_insured, monthly_premium, usual_sum_insured
from app.insurance.wording import round_half_up


class PlanLine(Model):
    """A plan and, when age and gender are known, its monthly premium and what is paid over the whole term (원).

    `relative` is its premium against the default plan's, as a share more (0.1) or less (-0.1).
    """

    name: str
    description: str
    payment_term: str
    coverage_term: str
    payment_years: int
    surrender: SurrenderKind
    default: bool
    relative: float
    premium: int | None = None
    total_paid: int | None = None


class PlanOptions(Model):
    """The plans of a product. `entry_ok` is None when no age is known."""

    code: str
    name: str
    age: int | None
    age_kind: AgeKind = FULL_AGE
    age_note: str | None = None
    gender: Gender | None
    entry_age: AgeRange
    entry_ok: bool | None
    sum_insured: int
    renewal: RenewalKind
    count: int
    plans: tuple[PlanLine, ...]


class CycleLine(Model):
    """One payment cycle: its months, its discount (share); for a known person what is paid a time and a year (원)."""

    name: str
    months: int
    discount: float
    payment: int | None = None
    per_year: int | None = None
    yearly_saving: int | None = None


class PaymentCycles(Model):
    """The payment cycles of a product. `premium` is the monthly premium the amounts rest on, None without a person.

    `asked` is the cycle that was asked for, `offered` whether the product has it, `payment` (원) what is then paid at a
    time.
    """

    code: str
    name: str
    cycles: tuple[CycleLine, ...]
    best: str | None
    best_discount: float
    premium: int | None
    age: int | None
    age_kind: AgeKind = FULL_AGE
    age_note: str | None = None
    gender: Gender | None
    asked: CycleName | None = None
    offered: bool | None = None
    payment: int | None = None


def plan_options(catalogue: Catalogue, product: Product, age: EntryAge | None, gender: Gender | None) -> PlanOptions:
    """Payment terms and plan types; premiums when the person is known and may enter."""
    age = age.within(product.entry_age) if age else None
    entry_ok = None if age is None else age.years in product.entry_age
    table = catalogue.premium(product.code, age.years, gender) if entry_ok and age is not None and gender else None
    amount = product.sum_insured.default if age is None else usual_sum_insured(product, age.years)
    return PlanOptions(
        code=product.code,
        name=product.name,
        age=age.years if age else None,
        age_kind=age.kind if age else FULL_AGE,
        age_note=age.born_note if age else None,
        gender=gender,
        entry_age=product.entry_age,
        entry_ok=entry_ok,
        sum_insured=amount,
        renewal=product.renewal.kind,
        count=len(product.plans),
        plans=tuple(plan_line(product, plan, table, amount) for plan in product.plans),
    )


def plan_line(product: Product, plan: Plan, table: int | None, sum_insured: int) -> PlanLine:
    """One plan in a line; `table` is the table premium, None when the person is unknown.

    A renewing plan has no total: its premium changes at every renewal.
    """
    premium = None if table is None else monthly_premium(product, table, sum_insured, plan)
    fixed = product.renewal.kind == "비갱신형"
    return PlanLine(
        name=plan.name,
        description=plan.description,
        payment_term=plan.payment_term,
        coverage_term=plan.coverage_term,
        payment_years=plan.payment_years,
        surrender=plan.surrender,
        default=plan.default,
        relative=round(plan.premium_factor / product.default_plan.premium_factor - 1, 4),
        premium=premium,
        total_paid=premium * 12 * plan.payment_years if premium is not None and fixed else None,
    )


def payment_cycles(
    catalogue: Catalogue,
    product: Product,
    age: EntryAge | None,
    gender: Gender | None,
    *,
    asked: CycleName | None = None,
    sum_insured: int | None = None,
) -> PaymentCycles:
    """How often one may pay and what is saved; of one cycle, whether it is offered. `sum_insured` in 원, the usual one
    where none is told. Raises BadRequest for a sum that is not sold.

    payment = monthly premium × months × (1 - discount), to the nearest 1원. A single payment has no yearly sum.
    """
    age = age.within(product.entry_age) if age else None
    if age is None or age.years not in product.entry_age or gender is None:
        age = gender = None
    premium = None
    if age and gender:
        if sum_insured is not None:
            check_sum_insured(product, sum_insured, age)
        amount = sum_insured or usual_sum_insured(product, age.years)
        table = catalogue.premium(product.code, age.years, gender)
        premium = monthly_premium(product, table, amount, product.default_plan)
    lines = []
    for cycle in product.payment_cycles:
        payment = per_year = saved = None
        if premium is not None:
            payment = round_half_up(premium * cycle.months * (1 - Fraction(str(cycle.discount))))
            if 12 % cycle.months == 0:
                per_year = payment * (12 // cycle.months)
                saved = premium * 12 - per_year
        lines.append(
            CycleLine(
                name=cycle.name,
                months=cycle.months,
                discount=cycle.discount,
                payment=payment,
                per_year=per_year,
                yearly_saving=saved,
            )
        )
    best = max(product.payment_cycles, key=lambda cycle: cycle.discount)
    return PaymentCycles(
        code=product.code,
        name=product.name,
        cycles=tuple(lines),
        best=best.name if best.discount else None,
        best_discount=best.discount,
        premium=premium,
        age=age.years if age else None,
        age_kind=age.kind if age else FULL_AGE,
        age_note=age.born_note if age else None,
        gender=gender,
        asked=asked,
        offered=None if asked is None else any(line.name == asked for line in lines),
        payment=next((line.payment for line in lines if line.name == asked), None),
    )
