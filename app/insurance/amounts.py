"""How much to insure: simple, visible arithmetic from income and debt to a sum insured.

The multipliers are this service's own rules of thumb for talking about needs, not advice: they stand below with their
meaning, and every step of the sum is told to the person.
"""

from __future__ import annotations

from typing import Literal

from app.insurance.models import Category, Model, Product
from app.insurance.names import name_key
from app.insurance.wording import money

Goal = Literal["사망보장", "암 진단", "건강 진단", "간병", "치과치료"]

INCOME_MONTHS_AFTER_DEATH = 36  # three years in which a family rearranges its life
INCOME_MONTHS_DURING_TREATMENT = 24  # two years without wages: treatment and recovery
TREATMENT_COST = 20_000_000  # 원; out-of-pocket treatment beside the lost wages, assumed
CARE_COST_A_MONTH = 1_500_000  # 원; share of a care bill that a family bears, assumed
CARE_MONTHS = 24
ROUND_TO = 10_000_000  # 원; suggestions without a product are rounded up to this

# In the order they are tried: '암 진단' is cancer before it is a diagnosis.
_GOALS: dict[Goal, tuple[str, ...]] = {
    "암 진단": ("암",),
    "치과치료": ("치아", "치과", "임플란트", "크라운", "틀니", "보철"),
    "간병": ("간병", "치매", "요양", "노후"),
    "사망보장": ("사망", "종신", "정기", "유족", "가족", "생활비", "상속", "대출", "부채"),
    "건강 진단": ("건강", "진단", "뇌", "심장", "질병", "수술", "입원", "치료"),
}
_GOAL_OF: dict[Category, Goal] = {
    "암": "암 진단",
    "치아": "치과치료",
    "치매": "간병",
    "종신": "사망보장",
    "건강": "건강 진단",
    "정기": "사망보장",
}
GOALS: tuple[Goal, ...] = tuple(_GOALS)


class AmountStep(Model):
    """One line of the sum: what, how it was worked out, and its amount (원)."""

    label: str
    formula: str
    amount: int


class AmountSuggestion(Model):
    """A suggested sum insured (원). `needed` sums the steps; range and step are the product's when one is given."""

    goal: Goal
    code: str | None
    name: str | None
    monthly_income: int | None
    debt: int | None
    steps: tuple[AmountStep, ...]
    needed: int
    suggested: int
    min: int | None
    max: int | None
    step: int | None
    adjustment: str
    note: str


def read_goal(words: str | None, product: Product | None) -> Goal | None:
    """The goal the words mean ('가족 생활비' → 사망보장), else what the product is for; None when neither tells."""
    key = name_key(words or "")
    found = next((goal for goal, words_of in _GOALS.items() if any(word in key for word in words_of)), None)
    return found or (_GOAL_OF[product.category] if product else None)


def needs_income(goal: Goal) -> bool:
    """Whether the arithmetic of this goal starts from a monthly income."""
    return goal in ("사망보장", "암 진단", "건강 진단")


def suggest_amount(
    goal: Goal, product: Product | None, monthly_income: int | None, debt: int | None
) -> AmountSuggestion:
    """The sum insured for a goal. Where `needs_income`, pass `monthly_income`; debt counts for 사망보장 alone."""
    steps = _steps(goal, product, monthly_income or 0, debt or 0)
    needed = sum(step.amount for step in steps)
    suggested, adjustment = _fit(product, needed)
    notes = ["이 계산은 필요한 금액을 가늠하기 위한 예시이며, 가족 상황과 이미 가진 보장에 따라 달라집니다."]
    if debt and goal != "사망보장":
        notes.append(f"부채 {money(debt)}은 사망보장을 계산할 때만 더합니다.")
    return AmountSuggestion(
        goal=goal,
        code=product.code if product else None,
        name=product.name if product else None,
        monthly_income=monthly_income,
        debt=debt,
        steps=steps,
        needed=needed,
        suggested=suggested,
        min=product.sum_insured.min if product else None,
        max=product.sum_insured.max if product else None,
        step=product.sum_insured.step if product else None,
        adjustment=adjustment,
        note=" ".join(notes),
    )


def _steps(goal: Goal, product: Product | None, income: int, debt: int) -> tuple[AmountStep, ...]:
    if goal == "사망보장":
        lines = [
            AmountStep(
                label="남은 가족의 생활비",
                formula=f"월 소득 {money(income)} × {INCOME_MONTHS_AFTER_DEATH}개월",
                amount=income * INCOME_MONTHS_AFTER_DEATH,
            )
        ]
        if debt:
            lines.append(AmountStep(label="갚아야 할 부채", formula="부채 전액", amount=debt))
        return tuple(lines)
    if goal == "간병":
        return (
            AmountStep(
                label="간병비 본인 부담(가정)",
                formula=f"월 {money(CARE_COST_A_MONTH)} × {CARE_MONTHS}개월",
                amount=CARE_COST_A_MONTH * CARE_MONTHS,
            ),
        )
    if goal == "치과치료":
        usual = product.sum_insured.default if product else ROUND_TO
        return (
            AmountStep(
                label="기본 가입금액",
                formula="치아 1개당 정해진 금액을 지급하므로 기본 가입금액을 기준으로 봅니다",
                amount=usual,
            ),
        )
    return (
        AmountStep(
            label="치료·회복 기간의 생활비",
            formula=f"월 소득 {money(income)} × {INCOME_MONTHS_DURING_TREATMENT}개월",
            amount=income * INCOME_MONTHS_DURING_TREATMENT,
        ),
        AmountStep(label="치료비 본인 부담(가정)", formula=f"{money(TREATMENT_COST)}으로 가정", amount=TREATMENT_COST),
    )


def _fit(product: Product | None, needed: int) -> tuple[int, str]:
    """Rounds up to what can be bought, and says what was done."""
    if product is None:
        rounded = max(ROUND_TO, -(-needed // ROUND_TO) * ROUND_TO)
        return rounded, f"{money(ROUND_TO)} 단위로 올렸습니다." if rounded != needed else "계산한 금액 그대로입니다."
    rule = product.sum_insured
    if needed <= rule.min:
        return rule.min, f"이 상품의 최소 가입금액 {money(rule.min)}에 맞췄습니다."
    if needed >= rule.max:
        return rule.max, f"이 상품의 최대 가입금액이 {money(rule.max)}이어서 그 금액에 맞췄습니다."
    stepped = min(rule.max, rule.min + -(-(needed - rule.min) // rule.step) * rule.step)
    if stepped == needed:
        return stepped, "이 상품에서 고를 수 있는 금액과 같습니다."
    return stepped, f"이 상품의 가입금액 단위 {money(rule.step)}에 맞춰 올렸습니다."
