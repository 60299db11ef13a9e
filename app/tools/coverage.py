"""Coverage tools: what is covered, for how much, how often, in which event, and riders that serve a goal."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from langgraph.prebuilt import ToolRuntime
from pydantic import Field

import app.tools.blocks_coverage  # noqa: F401  registers the blocks of these results
from app.insurance.benefits import insured_for
from app.insurance.bundles import RiderBundles, recommend_riders
from app.insurance.coverage import (
    BenefitAmounts,
    BenefitLimits,
    ConflictRules,
    CoverageDetail,
    CoverageSummary,
    benefit_limits,
    conflict_rules,
    detail_coverage,
    look_up_amount,
    summarise_coverage,
)
from app.insurance.diagnosis import CodeMapping, DefinitionAnswer, define, map_codes
from app.insurance.entry_age import entry_age
from app.insurance.events import EventJudgement, judge_event
from app.tools.arguments import AgeArg, BirthDateArg, CodeArg, GenderArg, WonArg
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.needs import need_person
from app.tools.results import NeedsInput, told

Runtime = ToolRuntime[ToolContext]
BenefitArg = Annotated[
    str, Field(min_length=1, description="급부나 치료, 병의 이름 (예: 임플란트, 암 진단비, 갑상선암, 입원비)")
]
HeldSumArg = Annotated[
    int, Field(gt=0, description="보장금액의 기준이 되는 가입금액, 원. 말하지 않으면 기본 가입금액 (예: 50000000)")
]


@insurance_tool()
async def coverage_summary(
    product_code: CodeArg, runtime: Runtime, sum_insured: HeldSumArg | None = None
) -> tuple[str, CoverageSummary]:
    """한 상품의 모든 보장과 특약을 금액, 면책기간, 감액과 함께 요약한다."""
    return told(summarise_coverage(insured_for(runtime.context.catalogue.product(product_code), sum_insured)))


@insurance_tool()
async def coverage_detail(
    product_code: CodeArg,
    coverage_type: Annotated[
        str, Field(min_length=1, description="보장 종류: 진단, 수술, 입원, 통원, 치료, 치과치료, 간병, 사망, 장해 등")
    ],
    runtime: Runtime,
    sum_insured: HeldSumArg | None = None,
) -> tuple[str, CoverageDetail]:
    """한 상품의 보장 한 종류(진단, 수술, 입원, 치과치료 등)를 지급 조건과 한도까지 자세히 알려 준다."""
    catalogue = runtime.context.catalogue
    product = insured_for(catalogue.product(product_code), sum_insured)
    return told(detail_coverage(catalogue.reference, product, coverage_type))


@insurance_tool()
async def benefit_amount_lookup(
    product_code: CodeArg, benefit: BenefitArg, runtime: Runtime, sum_insured: HeldSumArg | None = None
) -> tuple[str, BenefitAmounts]:
    """한 상품에서 특정 보장이 얼마를 지급하는지(금액, 1회·1개당·1일당, 감액) 찾는다."""
    catalogue = runtime.context.catalogue
    product = insured_for(catalogue.product(product_code), sum_insured)
    return told(look_up_amount(catalogue.reference, product, benefit))


@insurance_tool()
async def benefit_limit_rules(
    product_code: CodeArg, runtime: Runtime, benefit: BenefitArg | None = None
) -> tuple[str, BenefitLimits]:
    """보험금의 연간·횟수·총 한도를 알려 준다. 보장을 지정하지 않으면 한도가 있는 보장을 모두 알려 준다."""
    catalogue = runtime.context.catalogue
    return told(benefit_limits(catalogue.reference, catalogue.product(product_code), benefit))


@insurance_tool()
async def event_eligibility_check(
    product_code: CodeArg,
    event: Annotated[
        str, Field(min_length=1, description="생긴 일: 병, 사고, 치료 (예: 유방암, 손목 골절, 충치 레진)")
    ],
    runtime: Runtime,
    event_date: Annotated[date | None, Field(description="진단이나 사고가 있었던 날, YYYY-MM-DD")] = None,
    contract_date: Annotated[date | None, Field(description="계약일, YYYY-MM-DD")] = None,
    sum_insured: HeldSumArg | None = None,
) -> tuple[str, EventJudgement]:
    """어떤 병·사고·치료에 보험금이 나올 가능성이 있는지, 면책·감액을 적용해 판단하고 더 확인할 것을 알려 준다."""
    catalogue, today = runtime.context.catalogue, runtime.context.today()
    product = insured_for(catalogue.product(product_code), sum_insured)
    return told(judge_event(catalogue, product, event, event_date, contract_date, today))


@insurance_tool()
async def diagnosis_definition_lookup(
    term: Annotated[str, Field(min_length=1, description="뜻을 알고 싶은 용어 (예: 유사암, 경도치매, 보장개시일)")],
    runtime: Runtime,
) -> tuple[str, DefinitionAnswer]:
    """보험 약관에서 질병이나 용어를 어떻게 정의하는지와 근거 조항을 찾는다."""
    return told(define(runtime.context.catalogue.reference, term))


@insurance_tool()
async def icd_mapping_lookup(
    code_or_name: Annotated[str, Field(min_length=1, description="질병분류코드(KCD) 또는 병 이름 (예: C73, 갑상선암)")],
    runtime: Runtime,
) -> tuple[str, CodeMapping]:
    """질병분류코드(KCD)와 병 이름을 서로 찾고, 상품마다 어떤 분류(일반암, 유사암 등)로 보는지 알려 준다."""
    return told(map_codes(runtime.context.catalogue, code_or_name))


@insurance_tool()
async def multi_benefit_conflict_rule(
    product_code: CodeArg,
    runtime: Runtime,
    treatments: Annotated[
        list[str] | None, Field(description="함께 받은 치료나 진단 (예: ['임플란트', '크라운'])")
    ] = None,
) -> tuple[str, ConflictRules]:
    """여러 치료나 진단이 겹칠 때 보험금을 모두 지급하는지, 하나만 지급하는지 알려 준다."""
    return told(conflict_rules(runtime.context.catalogue.product(product_code), treatments))


@insurance_tool()
async def rider_bundle_recommend(
    goal: Annotated[str, Field(min_length=1, description="보장 목적 (예: 항암, 수술비, 입원비, 간병, 임플란트)")],
    runtime: Runtime,
    product_code: CodeArg | None = None,
    monthly_budget: Annotated[WonArg, Field(description="주계약을 포함한 한 달 예산, 원")] | None = None,
    age: AgeArg | None = None,
    birth_date: BirthDateArg | None = None,
    gender: GenderArg | None = None,
) -> tuple[str, RiderBundles | NeedsInput]:
    """보장 목적에 맞는 특약 조합을 이유와 함께 추천한다. 나이·성별을 알면 예상 보험료도 알려 준다."""
    catalogue, of_age = runtime.context.catalogue, entry_age(age, birth_date, runtime.context.today())
    products = (catalogue.product(product_code),) if product_code else catalogue.products
    if monthly_budget is not None and (asked := need_person(of_age, gender, "예산에 맞는 특약을 고르려면")):
        return told(asked)
    return told(recommend_riders(catalogue, products, goal, monthly_budget, of_age, gender))


TOOLS = [
    coverage_summary, coverage_detail, benefit_amount_lookup, benefit_limit_rules, event_eligibility_check,
    diagnosis_definition_lookup, icd_mapping_lookup, multi_benefit_conflict_rule, rider_bundle_recommend,
]  # fmt: skip
