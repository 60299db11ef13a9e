"""Does a premium fit a monthly budget, and if not, what does."""

from __future__ import annotations

from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.models import Gender, Model, Product
from app.insurance.plans import PlanLine, plan_line
from app.insurance.premium import EntryRefused, quote
from app.insurance.pricing import default_premium, monthly_premium
from app.insurance.products import Alternative, same_kind_enterable


class SmallerSum(Model):
    """The greatest sum insured (원) whose premium keeps within the budget, at the default plan."""

    sum_insured: int
    premium: int


class AffordabilityCheck(Model):
    """Premium against budget (원 a month). `difference` = budget - premium; negative when the budget falls short.

    The ways out stand only when it does not fit: a cheaper plan, a smaller sum insured, products of the same kind.
    """

    code: str
    name: str
    age: int
    age_kind: AgeKind = FULL_AGE
    gender: Gender
    monthly_budget: int
    premium: int
    plan: str
    sum_insured: int
    fits: bool
    difference: int
    gap: int
    cheaper_plan: PlanLine | None
    smaller_sum: SmallerSum | None
    cheaper_products: tuple[Alternative, ...]
    source: str
    age_note: str


def check_affordability(
    catalogue: Catalogue, product: Product, monthly_budget: int, age: EntryAge, gender: Gender
) -> AffordabilityCheck | EntryRefused:
    """Compares the default plan's premium with the budget and looks for what fits when it does not."""
    answer = quote(catalogue, product, age, gender)
    if isinstance(answer, EntryRefused):
        return answer
    fits = answer.premium <= monthly_budget
    return AffordabilityCheck(
        code=product.code,
        name=product.name,
        age=answer.age,
        age_kind=answer.age_kind,
        gender=gender,
        monthly_budget=monthly_budget,
        premium=answer.premium,
        plan=answer.plan,
        sum_insured=answer.sum_insured,
        fits=fits,
        difference=monthly_budget - answer.premium,
        gap=abs(monthly_budget - answer.premium),
        cheaper_plan=None if fits else _cheaper_plan(product, answer.table_premium, answer.sum_insured, monthly_budget),
        smaller_sum=None if fits else _smaller_sum(product, answer.table_premium, answer.sum_insured, monthly_budget),
        cheaper_products=() if fits else _cheaper_products(catalogue, product, monthly_budget, age, gender),
        source=answer.source,
        age_note=answer.age_note,
    )


def _cheaper_plan(product: Product, table: int, sum_insured: int, budget: int) -> PlanLine | None:
    lines = (plan_line(product, plan, table, sum_insured) for plan in product.plans if not plan.default)
    fitting = [line for line in lines if line.premium is not None and line.premium <= budget]
    return max(fitting, key=lambda line: line.premium or 0, default=None)


def _smaller_sum(product: Product, table: int, now: int, budget: int) -> SmallerSum | None:
    rule = product.sum_insured
    for steps in range(-(-(now - rule.min) // rule.step) - 1, -1, -1):
        amount = rule.min + steps * rule.step
        if (premium := monthly_premium(product, table, amount, product.default_plan)) <= budget:
            return SmallerSum(sum_insured=amount, premium=premium)
    return None


def _cheaper_products(
    catalogue: Catalogue, product: Product, budget: int, age: EntryAge, gender: Gender
) -> tuple[Alternative, ...]:
    priced = (
        Alternative(
            code=other.code,
            name=other.name,
            entry_age=other.entry_age,
            premium=default_premium(catalogue, other, age.within(other.entry_age).years, gender),
        )
        for other in same_kind_enterable(catalogue, product, age)
    )
    return tuple(
        sorted((a for a in priced if a.premium is not None and a.premium <= budget), key=lambda a: a.premium or 0)
    )
