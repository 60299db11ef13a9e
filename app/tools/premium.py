"""Premium tools: quotes, comparisons, plans, renewals, budgets, payment cycles and surrender values."""

from __future__ import annotations

from typing import Annotated

from langgraph.prebuilt import ToolRuntime
from pydantic import Field

import app.tools.blocks_premium  # noqa: F401  registers the blocks of these results
from app.insurance.affordability import AffordabilityCheck, check_affordability
from app.insurance.ages import years_before
from app.insurance.amounts import GOALS, AmountSuggestion, Goal, needs_income, read_goal, suggest_amount
from app.insurance.comparison import read_codes
from app.insurance.entry_age import EntryAge, entry_age
from app.insurance.models import CycleName
from app.insurance.plans import PaymentCycles, PlanOptions, payment_cycles
from app.insurance.plans import plan_options as options_of
from app.insurance.premium import EntryRefused, PremiumComparison, PremiumQuote, compare_premiums, quote, refuse_entry
from app.insurance.renewal import RenewalProjection, project_renewals
from app.insurance.surrender import SurrenderExplanation, explain_surrender
from app.tools.arguments import AgeArg, BirthDateArg, CodeArg, CodesArg, GenderArg, WonArg
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.needs import choice_field, known_person, need_person, number_field
from app.tools.results import NeedsInput, told

Runtime = ToolRuntime[ToolContext]
PlanArg = Annotated[str, Field(description="플랜 이름이나 특징 (예: 20년납, 미지급형, 종합형)")]
# Who tells of debts and of nothing else wants them paid when they die.
_DEBT_GOAL: Goal = "사망보장"


@insurance_tool()
async def premium_estimate(
    product_code: CodeArg,
    runtime: Runtime,
    age: AgeArg | None = None,
    birth_date: BirthDateArg | None = None,
    gender: GenderArg | None = None,
    sum_insured: Annotated[WonArg, Field(description="가입금액, 원 (예: 30000000)")] | None = None,
    plan: PlanArg | None = None,
    riders: Annotated[list[str], Field(max_length=8, description="더할 특약의 이름이나 보장 (예: ['표적항암'])")]
    | None = None,
) -> tuple[str, PremiumQuote | EntryRefused | NeedsInput]:
    """나이와 성별로 한 상품의 예상 월 보험료(원)를 계산한다. 가입금액과 플랜을 바꾸고 특약을 더해 볼 수 있다."""
    catalogue, of_age = runtime.context.catalogue, _of_age(runtime, age, birth_date)
    product = catalogue.product(product_code)
    if of_age is not None and gender is None and of_age.fits(product.entry_age) is False:
        return told(refuse_entry(catalogue, product, of_age, gender))  # no gender would change it
    if of_age is None or gender is None:
        return told(_person(of_age, gender, f"{product.name}의 보험료를 계산하려면"))
    return told(quote(catalogue, product, of_age, gender, sum_insured=sum_insured, plan=plan, riders=riders or ()))


@insurance_tool()
async def premium_compare(
    product_codes: CodesArg,
    runtime: Runtime,
    age: AgeArg | None = None,
    birth_date: BirthDateArg | None = None,
    gender: GenderArg | None = None,
) -> tuple[str, PremiumComparison | NeedsInput]:
    """여러 상품(2~4개)의 월 보험료를 같은 나이·성별로 비교해 낮은 순서로 알려 준다."""
    catalogue, of_age = runtime.context.catalogue, _of_age(runtime, age, birth_date)
    products = read_codes(catalogue, product_codes)
    if of_age is None or gender is None:
        return told(_person(of_age, gender, "보험료를 비교하려면"))
    return told(compare_premiums(catalogue, products, of_age, gender))


@insurance_tool()
async def plan_options(product_code: CodeArg, runtime: Runtime) -> tuple[str, PlanOptions]:
    """한 상품에서 고를 수 있는 플랜과 납입 기간, 해약환급금 유형을 알려 준다. 나이·성별을 알면 보험료도 알려 준다."""
    catalogue, person = runtime.context.catalogue, known_person(runtime.state, runtime.context.today())
    return told(options_of(catalogue, catalogue.product(product_code), *person))


@insurance_tool()
async def amount_suggest(
    runtime: Runtime,
    product_code: CodeArg | None = None,
    monthly_income: Annotated[WonArg, Field(description="월 소득, 원")] | None = None,
    goal: Annotated[
        str | None, Field(description="보장 목적 (예: 사망보장, 암 진단, 간병, 치과치료, 가족 생활비)")
    ] = None,
    debt: Annotated[WonArg, Field(description="갚아야 할 부채, 원")] | None = None,
) -> tuple[str, AmountSuggestion | NeedsInput]:
    """월 소득, 부채, 보장 목적으로 알맞은 가입금액을 계산 과정과 함께 제안한다."""
    product = runtime.context.catalogue.product(product_code) if product_code else None
    aim = read_goal(goal or (_DEBT_GOAL if debt and product is None else None), product)
    asked = [] if aim else [choice_field("goal", "보장 목적", GOALS)]
    if monthly_income is None and (aim is None or needs_income(aim)):
        asked.append(number_field("monthly_income", "월 소득(원)"))
    if aim is None or asked:
        return told(NeedsInput(fields=tuple(asked), reason="알맞은 가입금액을 계산하려면"))
    return told(suggest_amount(aim, product, monthly_income, debt))


@insurance_tool()
async def renewal_premium_projection(
    product_code: CodeArg,
    runtime: Runtime,
    age: AgeArg | None = None,
    birth_date: BirthDateArg | None = None,
    gender: GenderArg | None = None,
    horizon_years: Annotated[int | None, Field(ge=1, le=100, description="몇 년 뒤까지 볼지, 년")] = None,
) -> tuple[str, RenewalProjection | EntryRefused | NeedsInput]:
    """갱신형 상품의 갱신 시점별 나이와 예상 보험료, 인상률을 보여 준다. 비갱신형이면 그렇다고 알려 준다."""
    catalogue, of_age = runtime.context.catalogue, _of_age(runtime, age, birth_date)
    product = catalogue.product(product_code)
    if product.renewal.kind == "갱신형" and (of_age is None or gender is None):
        return told(_person(of_age, gender, f"{product.name}의 갱신 보험료를 보려면"))
    return told(project_renewals(catalogue, product, of_age, gender, horizon_years))


@insurance_tool()
async def affordability_check(
    product_code: CodeArg,
    monthly_budget: Annotated[WonArg, Field(description="한 달 예산, 원")],
    runtime: Runtime,
    age: AgeArg | None = None,
    birth_date: BirthDateArg | None = None,
    gender: GenderArg | None = None,
) -> tuple[str, AffordabilityCheck | EntryRefused | NeedsInput]:
    """보험료가 한 달 예산에 맞는지 확인하고, 넘으면 예산에 맞는 플랜·가입금액·상품을 찾는다."""
    catalogue, of_age = runtime.context.catalogue, _of_age(runtime, age, birth_date)
    product = catalogue.product(product_code)
    if of_age is None or gender is None:
        return told(_person(of_age, gender, f"{product.name}의 보험료가 예산에 맞는지 보려면"))
    return told(check_affordability(catalogue, product, monthly_budget, of_age, gender))


@insurance_tool()
async def payment_cycle_options(
    product_code: CodeArg,
    runtime: Runtime,
    cycle: Annotated[CycleName, Field(description="알고 싶은 납입 주기")] | None = None,
    age: AgeArg | None = None,
    birth_date: BirthDateArg | None = None,
    gender: GenderArg | None = None,
    sum_insured: Annotated[WonArg, Field(description="가입금액, 원 (예: 30000000)")] | None = None,
) -> tuple[str, PaymentCycles]:
    """한 상품의 납입 주기(월납, 3개월납, 6개월납, 연납 등)와 할인율, 나이·성별을 알면 한 번에 낼 보험료를 알려 준다."""
    catalogue = runtime.context.catalogue
    product = catalogue.product(product_code)
    known_age, known_gender = known_person(runtime.state, runtime.context.today())
    person = (_of_age(runtime, age, birth_date) or known_age, gender or known_gender)
    return told(payment_cycles(catalogue, product, *person, asked=cycle, sum_insured=sum_insured))


@insurance_tool()
async def surrender_value_explain(
    product_code: CodeArg,
    runtime: Runtime,
    plan: PlanArg | None = None,
    years_paid: Annotated[int | None, Field(ge=0, le=60, description="보험료를 낸 기간, 년")] = None,
    age: Annotated[AgeArg, Field(description="가입할 때의 만 나이, 세")] | None = None,
    birth_date: BirthDateArg | None = None,
    gender: GenderArg | None = None,
    premium: Annotated[WonArg, Field(description="지금 내는 월 보험료, 원 (가입한 계약일 때)")] | None = None,
) -> tuple[str, SurrenderExplanation | EntryRefused]:
    """해약환급금이 정해지는 방식과 경과 연수별 환급률을 설명한다. 나이·성별·납입 연수를 알면 예상 금액도 계산한다."""
    catalogue = runtime.context.catalogue
    product = catalogue.product(product_code)
    of_age = _at_entry(runtime, age, birth_date, years_paid)
    return told(
        explain_surrender(
            catalogue, product, plan=plan, years_paid=years_paid, age=of_age, gender=gender, premium=premium
        )
    )


def _of_age(runtime: Runtime, age: int | None, birth_date: str | None) -> EntryAge | None:
    return entry_age(age, birth_date, runtime.context.today())


def _at_entry(runtime: Runtime, age: int | None, birth_date: str | None, years_paid: int | None) -> EntryAge | None:
    """Of who has paid for years, the age on the day they began."""
    today = runtime.context.today()
    if birth_date is None or not years_paid:
        return entry_age(age, birth_date, today)
    return entry_age(None, birth_date, years_before(today, years_paid), when=f"{years_paid}년 전 기준")


def _person(age: EntryAge | None, gender: GenderArg | None, purpose: str) -> NeedsInput:
    asked = need_person(age, gender, purpose)
    assert asked is not None  # called only when one of the two is missing
    return asked


TOOLS = [
    premium_estimate, premium_compare, plan_options, amount_suggest, renewal_premium_projection, affordability_check,
    payment_cycle_options, surrender_value_explain,
]  # fmt: skip
