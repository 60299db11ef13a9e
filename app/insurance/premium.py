"""Monthly premiums: from the table, by sum insured and plan; compared; by plan.

The rule, auditable line by line: `premium = table × (sum insured / default sum insured) × plan factor`, rounded to the
nearest 1원 (halves up) in exact fractions. At the default plan and sum insured it is the table's own number.
Tables are by age and gender (data/premiums/{code}.csv) and hold the main contract; chosen riders come on top.
Ages are the 만 나이 a person says. The table is by 보험나이, which may be one year more: results say so in `age_note`.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import TYPE_CHECKING, Literal

from app.errors import Ambiguous, BadRequest
from app.insurance.models import AgeRange, Category, Gender, Model, Plan, Product, RenewalKind, SurrenderKind
from app.insurance.products import Alternative, same_kind_enterable
from app.insurance.search import FallenOut, age_refusal, waiting_days
from app.insurance.wording import day, fold, gender_word, money, nominative, round_half_up, waiting

if TYPE_CHECKING:
    from app.insurance.catalogue import Catalogue

AGE_NOTE = "말씀하신 나이로 계산했으며, 보험나이(6개월 기준)로는 한 살 달라질 수 있습니다."


class PremiumQuote(Model):
    """A monthly premium (원) and everything it rests on."""

    code: str
    name: str
    category: Category
    age: int
    gender: Gender
    premium: int
    sum_insured: int
    sum_insured_default: int
    plan: str
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
    age_note: str = AGE_NOTE


class EntryRefused(Model):
    """The person's age lies outside the product's entry ages; other products of the kind that fit."""

    refused: Literal[True] = True
    code: str
    name: str
    category: Category
    age: int
    gender: Gender | None
    entry_age: AgeRange
    reason: str
    alternatives: tuple[Alternative, ...]


class PremiumComparison(Model):
    """Premiums at the same age and gender, cheapest first, each at its default plan and sum insured."""

    age: int
    gender: Gender
    quotes: tuple[PremiumQuote, ...]
    not_enterable: tuple[FallenOut, ...]
    cheapest: str | None
    spread: int | None
    age_note: str = AGE_NOTE


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
    gender: Gender | None
    entry_age: AgeRange
    entry_ok: bool | None
    sum_insured: int
    renewal: RenewalKind
    plans: tuple[PlanLine, ...]


def monthly_premium(product: Product, table_premium: int, sum_insured: int, plan: Plan) -> int:
    """The module's rule (원 a month). `table_premium` is the table's number at default plan and default sum insured."""
    share = Fraction(sum_insured, product.sum_insured.default)
    return round_half_up(table_premium * share * Fraction(str(plan.premium_factor)))


def quote(
    catalogue: Catalogue, product: Product, age: int, gender: Gender, *, sum_insured: int | None = None,
    plan: str | None = None,
) -> PremiumQuote | EntryRefused:
    """A premium for a person, or the refusal when the age may not enter.

    Raises BadRequest (sum insured outside its range), Ambiguous (plan), RuleMissing (no table line for an entry age).
    """
    chosen = find_plan(product, plan)
    if age not in product.entry_age:
        return refuse_entry(catalogue, product, age, gender)
    amount = product.sum_insured.default if sum_insured is None else sum_insured
    check_sum_insured(product, amount, age)
    base = catalogue.premium(product.code, age, gender)
    return PremiumQuote(
        code=product.code, name=product.name, category=product.category, age=age, gender=gender,
        premium=monthly_premium(product, base, amount, chosen), sum_insured=amount,
        sum_insured_default=product.sum_insured.default, plan=chosen.name, payment_term=chosen.payment_term,
        coverage_term=chosen.coverage_term, surrender=chosen.surrender, renewal=product.renewal.kind,
        renewal_period_years=product.renewal.period_years, renewal_max_age=product.renewal.max_age,
        waiting_days=waiting_days(product), waiting=waiting(waiting_days(product)), table_premium=base,
        plan_factor=chosen.premium_factor, table_date=product.effective_date, source=source_of(product, age, gender),
    )


def source_of(product: Product, age: int, gender: Gender) -> str:
    """The table line a premium rests on, in words: '2026년 1월 1일 시행 보험료표의 45세 남성'."""
    return f"{day(product.effective_date)} 시행 보험료표의 {age}세 {gender_word(gender)}"


def refuse_entry(catalogue: Catalogue, product: Product, age: int, gender: Gender | None) -> EntryRefused:
    """The refusal of an age, with the products of the same kind that take it (priced when the gender is known)."""
    others = tuple(
        Alternative(code=other.code, name=other.name, entry_age=other.entry_age,
                    premium=catalogue.premium(other.code, age, gender) if gender else None)
        for other in same_kind_enterable(catalogue, product, age)
    )
    return EntryRefused(
        code=product.code, name=product.name, category=product.category, age=age, gender=gender,
        entry_age=product.entry_age, reason=age_refusal(product, age), alternatives=others,
    )


def max_sum_insured(product: Product, age: int) -> int:
    """The greatest sum insured at an age (원): the product's, or the lowest cap that already holds."""
    caps = [cap.max for cap in product.sum_insured.caps_by_age if age >= cap.from_age]
    return min([product.sum_insured.max, *caps])


def check_sum_insured(product: Product, amount: int, age: int) -> None:
    """Raises BadRequest unless the amount lies in the range at this age and on a step."""
    rule, most = product.sum_insured, max_sum_insured(product, age)
    span = f"{money(rule.min)}~{money(most)}"
    if not rule.min <= amount <= most:
        raise BadRequest(
            f"{product.name}의 가입금액은 만 {age}세 기준 {span} 안에서 고를 수 있습니다. 말씀하신 금액은 {money(amount)}입니다."
        )
    if amount != rule.default and (amount - rule.min) % rule.step:
        lower = rule.min + (amount - rule.min) // rule.step * rule.step
        raise BadRequest(
            f"{product.name}의 가입금액은 {money(rule.step)} 단위로 고를 수 있습니다. "
            f"{money(amount)} 대신 {nominative(money(lower))} 가장 가깝습니다."
        )


def find_plan(product: Product, words: str | None) -> Plan:
    """The plan meant by words such as '20년납', '미지급형' or a plan's name; the default plan when none are given.

    Several fit: the default plan when it is one of them. Raises Ambiguous otherwise, BadRequest when none fits.
    """
    key = fold(words or "")
    if not key:
        return product.default_plan
    exact = [plan for plan in product.plans if fold(plan.name) == key]
    fitting = exact or [p for p in product.plans if key in fold(p.name + p.payment_term + p.surrender)]
    if not fitting:  # several words, as in '20년납 미지급형': every one of them has to fit
        fitting = [p for p in product.plans
                   if all(fold(w) in fold(p.name + p.payment_term + p.coverage_term + p.surrender)
                          for w in (words or "").split())]
    names = [plan.name for plan in fitting or product.plans]
    if not fitting:
        raise BadRequest(f"{product.name}에는 {words!r} 플랜이 없습니다. 고를 수 있는 플랜: {', '.join(names)}")
    if len(fitting) > 1 and product.default_plan not in fitting:
        raise Ambiguous(f"{words!r}에 맞는 플랜이 여러 개입니다. 하나를 골라 주세요: {', '.join(names)}", names)
    return product.default_plan if len(fitting) > 1 else fitting[0]


def compare_premiums(
    catalogue: Catalogue, products: Sequence[Product], age: int, gender: Gender
) -> PremiumComparison:
    """Premiums of several products for one person, cheapest first; those the person may not enter stand apart."""
    answers = [(product, quote(catalogue, product, age, gender)) for product in products]
    quotes = sorted((a for _, a in answers if isinstance(a, PremiumQuote)), key=lambda q: q.premium)
    refused = tuple(
        FallenOut(code=p.code, name=p.name, category=p.category, entry_age=p.entry_age, reason=a.reason)
        for p, a in answers if isinstance(a, EntryRefused)
    )
    return PremiumComparison(
        age=age, gender=gender, quotes=tuple(quotes), not_enterable=refused,
        cheapest=quotes[0].name if quotes else None,
        spread=quotes[-1].premium - quotes[0].premium if len(quotes) > 1 else None,
    )


def plan_options(catalogue: Catalogue, product: Product, age: int | None, gender: Gender | None) -> PlanOptions:
    """Payment terms and plan types; premiums when the person is known and may enter."""
    entry_ok = None if age is None else age in product.entry_age
    base = catalogue.premium(product.code, age, gender) if entry_ok and age is not None and gender else None
    return PlanOptions(
        code=product.code, name=product.name, age=age, gender=gender, entry_age=product.entry_age, entry_ok=entry_ok,
        sum_insured=product.sum_insured.default, renewal=product.renewal.kind,
        plans=tuple(plan_line(product, plan, base, product.sum_insured.default) for plan in product.plans),
    )


def plan_line(product: Product, plan: Plan, base: int | None, sum_insured: int) -> PlanLine:
    """One plan in a line; `base` is the table premium, None when the person is unknown.

    A renewing plan has no total: its premium changes at every renewal.
    """
    premium = None if base is None else monthly_premium(product, base, sum_insured, plan)
    fixed = product.renewal.kind == "비갱신형"
    return PlanLine(
        name=plan.name, description=plan.description, payment_term=plan.payment_term, coverage_term=plan.coverage_term,
        payment_years=plan.payment_years, surrender=plan.surrender, default=plan.default,
        relative=round(plan.premium_factor / product.default_plan.premium_factor - 1, 4), premium=premium,
        total_paid=premium * 12 * plan.payment_years if premium is not None and fixed else None,
    )
