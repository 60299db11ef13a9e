"""The rule that makes a premium from a table line, and which sums insured and plans may be chosen.

The rule, auditable line by line: `premium = table × (sum insured / default sum insured) × plan factor`, rounded to the
nearest 1원 (halves up) in exact fractions. At the default plan and sum insured it is the table's own number.
Tables are by 보험나이 (세) and gender (data/premiums/{code}.csv) and hold the main contract; chosen riders come on top.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from app.errors import Ambiguous, BadRequest
from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import EntryAge
from app.insurance.models import Gender, Plan, Product, Rider
from app.insurance.names import name_key
from app.insurance.wording import money, nominative, round_half_up


def monthly_premium(product: Product, table_premium: int, sum_insured: int, plan: Plan) -> int:
    """The module's rule (원 a month). `table_premium` is the table's number at default plan and default sum insured."""
    return monthly_premiums(product, (table_premium,), sum_insured, plan)[0]


def monthly_premiums(product: Product, table: Iterable[int], sum_insured: int, plan: Plan) -> tuple[int, ...]:
    """The module's rule for several lines of a table (원 a month each)."""
    share = Fraction(sum_insured, product.sum_insured.default) * Fraction(str(plan.premium_factor))
    # As round_half_up, in whole numbers: a curve has 60 lines, whose fractions took half of a quote's time.
    over, under = share.as_integer_ratio()
    return tuple((2 * line * over + under) // (2 * under) for line in table)


def rider_premium(rider: Rider, table_premium: int) -> int:
    """What a rider adds (원 a month): its share of the main contract's line of the table."""
    return round_half_up(table_premium * Fraction(str(rider.premium_share)))


def default_premium(catalogue: Catalogue, product: Product, age: int, gender: Gender, plan: Plan | None = None) -> int:
    """The premium (원 a month) of a plan, else the default one, at this age's usual sum insured. Raises RuleMissing."""
    table = catalogue.premium(product.code, age, gender)
    return monthly_premium(product, table, usual_sum_insured(product, age), plan or product.default_plan)


def usual_sum_insured(product: Product, age: int) -> int:
    """The product's default sum insured (원), or the cap of this age where that is lower."""
    return min(product.sum_insured.default, max_sum_insured(product, age))


def max_sum_insured(product: Product, age: int) -> int:
    """The greatest sum insured at an age (원): the product's, or the lowest cap that already holds."""
    caps = [cap.max for cap in product.sum_insured.caps_by_age if age >= cap.from_age]
    return min([product.sum_insured.max, *caps])


def check_sum_insured(product: Product, amount: int, age: EntryAge) -> None:
    """Raises BadRequest unless the amount lies in the range at this age and on a step."""
    rule, most = product.sum_insured, max_sum_insured(product, age.years)
    span = f"{money(rule.min)}~{money(most)}"
    if not rule.min <= amount <= most:
        raise BadRequest(
            f"{product.name}의 가입금액은 {age.told} 기준 {span} 안에서 고를 수 있습니다. "
            f"말씀하신 금액은 {money(amount)}입니다."
        )
    if amount not in (rule.default, most) and (amount - rule.min) % rule.step:
        lower = rule.min + (amount - rule.min) // rule.step * rule.step
        raise BadRequest(
            f"{product.name}의 가입금액은 {money(rule.step)} 단위로 고를 수 있습니다. "
            f"{money(amount)} 대신 {nominative(money(lower))} 가장 가깝습니다."
        )


def find_plan(product: Product, words: str | None) -> Plan:
    """The plan meant by words such as '20년납', '미지급형' or a plan's name; the default plan when none are given.

    Several fit: the default plan when it is one of them. Raises Ambiguous otherwise, BadRequest when none fits.
    """
    key = name_key(words or "")
    if not key:
        return product.default_plan
    exact = [plan for plan in product.plans if name_key(plan.name) == key]
    fitting = exact or [p for p in product.plans if key in name_key(p.name + p.payment_term + p.surrender)]
    if not fitting:  # several words, as in '20년납 미지급형': every one of them has to fit
        fitting = [
            p
            for p in product.plans
            if all(
                name_key(w) in name_key(p.name + p.payment_term + p.coverage_term + p.surrender)
                for w in (words or "").split()
            )
        ]
    names = [plan.name for plan in fitting or product.plans]
    if not fitting:
        raise BadRequest(f"{product.name}에는 {words!r} 플랜이 없습니다. 고를 수 있는 플랜: {', '.join(names)}")
    if len(fitting) > 1 and product.default_plan not in fitting:
        # '기본형' of a product with three payment terms: the one that pays as long as the default plan.
        same_term = [plan for plan in fitting if plan.payment_term == product.default_plan.payment_term]
        if len(same_term) == 1:
            return same_term[0]
        raise Ambiguous(f"{words!r}에 맞는 플랜이 여러 개입니다. 하나를 골라 주세요: {', '.join(names)}", names)
    return product.default_plan if len(fitting) > 1 else fitting[0]
