"""Monthly premiums of a person: quoted, refused, compared. The arithmetic stands in `pricing`.

Tables and entry ages are by 보험나이 (`entry_age`): results say in `age_note` what theirs rests on.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal

from pydantic import Field

from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.models import AgeRange, Category, Gender, Model, Product, RenewalKind, SurrenderKind
from app.insurance.pricing import (
    check_sum_insured,
    default_premium,
    find_plan,
    monthly_premium,
    monthly_premiums,
    usual_sum_insured,
)
from app.insurance.products import Alternative, same_kind_enterable
from app.insurance.rider_premiums import RiderPremium, rider_premiums
from app.insurance.search import FallenOut, age_refusal, waiting_days
from app.insurance.wording import day, gender_word, waiting


class PremiumQuote(Model):
    """A monthly premium (원) and everything it rests on. `with_riders` is told where each of the words that name riders
    means one alone; `riders_unknown` are those that mean none."""

    code: str
    name: str
    category: Category
    age: int
    age_kind: AgeKind = FULL_AGE
    gender: Gender
    premium: int
    sum_insured: int
    sum_insured_default: int
    plan: str
    plan_description: str
    plan_default: bool
    payment_term: str
    coverage_term: str
    surrender: SurrenderKind
    renewal: RenewalKind
    renewal_period_years: int | None
    renewal_max_age: int | None
    waiting_days: int
    waiting: str
    table_premium: int
    plan_factor: float
    table_date: date
    source: str
    age_note: str
    riders: tuple[RiderPremium, ...] = ()
    with_riders: int | None = None
    riders_unknown: tuple[str, ...] = ()
    by_age: tuple[tuple[int, int], ...] = Field(
        (), exclude=True, description="나이별 월 보험료(세, 원). 그래프에만 쓰고 모델에는 보내지 않습니다."
    )


class EntryRefused(Model):
    """The person's age lies outside the product's entry ages; other products of the kind that fit."""

    refused: Literal[True] = True
    code: str
    name: str
    category: Category
    age: int
    age_kind: AgeKind = FULL_AGE
    age_note: str | None = None
    gender: Gender | None
    entry_age: AgeRange
    reason: str
    alternatives: tuple[Alternative, ...]


class PremiumComparison(Model):
    """Premiums at the same age and gender, cheapest first, each at its default plan and sum insured."""

    age: int
    age_kind: AgeKind = FULL_AGE
    gender: Gender
    quotes: tuple[PremiumQuote, ...]
    not_enterable: tuple[FallenOut, ...]
    cheapest: str | None
    spread: int | None
    age_note: str


def quote(
    catalogue: Catalogue,
    product: Product,
    age: EntryAge,
    gender: Gender,
    *,
    sum_insured: int | None = None,
    plan: str | None = None,
    riders: Sequence[str] = (),
) -> PremiumQuote | EntryRefused:
    """A premium for a person, or the refusal when the age may not enter.

    Raises BadRequest (sum insured outside its range), Ambiguous (plan), RuleMissing (no table line for an entry age).
    """
    chosen = find_plan(product, plan)
    age = age.within(product.entry_age)
    if age.years not in product.entry_age:
        return refuse_entry(catalogue, product, age, gender)
    amount = usual_sum_insured(product, age.years) if sum_insured is None else sum_insured
    check_sum_insured(product, amount, age)
    base = catalogue.premium(product.code, age.years, gender)
    curve = catalogue.premium_curve(product.code, gender)
    by_age = monthly_premiums(product, (line for _, line in curve), amount, chosen)
    premium = monthly_premium(product, base, amount, chosen)
    added = rider_premiums(product, base, age, gender, riders)
    costs = [rider.costs for rider in added if rider.costs is not None]
    one_each = len({rider.of for rider in added}) == len(added) == len(costs)
    return PremiumQuote(
        code=product.code,
        name=product.name,
        category=product.category,
        age=age.years,
        age_kind=age.kind,
        gender=gender,
        premium=premium,
        sum_insured=amount,
        sum_insured_default=product.sum_insured.default,
        plan=chosen.name,
        plan_description=chosen.description,
        plan_default=chosen.default,
        payment_term=chosen.payment_term,
        coverage_term=chosen.coverage_term,
        surrender=chosen.surrender,
        renewal=product.renewal.kind,
        renewal_period_years=product.renewal.period_years,
        renewal_max_age=product.renewal.max_age,
        waiting_days=waiting_days(product),
        waiting=waiting(waiting_days(product)),
        table_premium=base,
        plan_factor=chosen.premium_factor,
        table_date=product.effective_date,
        source=source_of(product, age.years, gender),
        age_note=age.note,
        riders=added,
        with_riders=premium + sum(costs) if added and one_each else None,
        riders_unknown=tuple(words for words in riders if words not in {rider.of for rider in added}),
        by_age=tuple((at, premium) for (at, _), premium in zip(curve, by_age, strict=True)),
    )


def source_of(product: Product, age: int, gender: Gender) -> str:
    """The table line a premium rests on, in words: '2026년 1월 1일 시행 보험료표의 45세 남성'."""
    return f"{day(product.effective_date)} 시행 보험료표의 {age}세 {gender_word(gender)}"


def refuse_entry(catalogue: Catalogue, product: Product, age: EntryAge, gender: Gender | None) -> EntryRefused:
    """The refusal of an age, with the products of the same kind that take it (priced when the gender is known)."""
    others = tuple(
        Alternative(
            code=other.code,
            name=other.name,
            entry_age=other.entry_age,
            premium=default_premium(catalogue, other, age.within(other.entry_age).years, gender) if gender else None,
        )
        for other in same_kind_enterable(catalogue, product, age)
    )
    return EntryRefused(
        code=product.code,
        name=product.name,
        category=product.category,
        age=age.years,
        age_kind=age.kind,
        age_note=age.born_note,
        gender=gender,
        entry_age=product.entry_age,
        reason=age_refusal(product, age),
        alternatives=others,
    )


def compare_premiums(
    catalogue: Catalogue, products: Sequence[Product], age: EntryAge, gender: Gender
) -> PremiumComparison:
    """Premiums of several products for one person, cheapest first; those the person may not enter stand apart."""
    answers = [(product, quote(catalogue, product, age, gender)) for product in products]
    quotes = sorted((a for _, a in answers if isinstance(a, PremiumQuote)), key=lambda q: q.premium)
    refused = tuple(
        FallenOut(code=p.code, name=p.name, category=p.category, entry_age=p.entry_age, reason=a.reason)
        for p, a in answers
        if isinstance(a, EntryRefused)
    )
    return PremiumComparison(
        age=age.years,
        age_kind=age.kind,
        gender=gender,
        quotes=tuple(quotes),
        not_enterable=refused,
        cheapest=quotes[0].name if quotes else None,
        spread=quotes[-1].premium - quotes[0].premium if len(quotes) > 1 else None,
        age_note=age.note,
    )
