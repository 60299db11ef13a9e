"""Underwriting tools: health histories, questions, papers, waiting, exclusions, limits, reinstatement and renewal."""

from __future__ import annotations

from datetime import date
from typing import Annotated

from langgraph.prebuilt import ToolRuntime
from pydantic import Field

import app.tools.blocks_underwriting  # noqa: F401  registers the blocks of these results
from app.insurance.acceptance import (
    EntryLimits,
    JoinDocuments,
    KnockoutRules,
    entry_limits,
    join_documents,
    knockout_rules,
)
from app.insurance.disclosure import DisclosureQuestions, DisclosureScore, disclosure_questions, score_history
from app.insurance.entry_age import entry_age
from app.insurance.exclusions import Exclusions, list_exclusions
from app.insurance.jobs import JobRisk, check_job
from app.insurance.reinstatement import Reinstatement, reinstatement
from app.insurance.renewal_terms import RenewalEligibility, RenewalNotice, renewal_eligibility, renewal_notice
from app.insurance.underwriting import Precheck, precheck
from app.insurance.waiting import WaitingPeriods, waiting_periods
from app.tools.arguments import AgeArg, BirthDateArg, CodeArg, ConditionsArg, GenderArg
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.needs import known_person, text_field
from app.tools.results import NeedsInput, told

Runtime = ToolRuntime[ToolContext]
HistoryArg = Annotated[
    str, Field(description="병력·치료 이력을 말한 그대로 (예: 고혈압약 복용 중, 3년 전 디스크 수술)")
]


@insurance_tool()
async def underwriting_precheck(
    history: HistoryArg,
    runtime: Runtime,
    product_code: CodeArg | None = None,
    age: AgeArg | None = None,
    birth_date: BirthDateArg | None = None,
    gender: GenderArg | None = None,
    conditions: ConditionsArg | None = None,
) -> tuple[str, Precheck | NeedsInput]:
    """병력으로 가입 가능성(가능·조건부·거절 가능성)을 미리 살펴보고 걸리는 규칙과 간편심사 대안을 알려 준다."""
    if not history.strip():
        return told(_ask_history("가입 가능성을 미리 살펴보려면"))
    context, today = runtime.context, runtime.context.today()
    product = context.catalogue.product(product_code) if product_code else None
    of_age = entry_age(age, birth_date, today)
    found = precheck(context.catalogue, product, of_age, gender, history, conditions=conditions or (), today=today)
    return told(found)


@insurance_tool(role="staff")
async def underwriting_questions_generator(product_code: CodeArg, runtime: Runtime) -> tuple[str, DisclosureQuestions]:
    """상품의 고지 유형(표준고지, 3·2·5, 3·3·5)에 맞는 건강 질문을 만든다."""
    catalogue = runtime.context.catalogue
    return told(disclosure_questions(catalogue.reference, catalogue.product(product_code)))


@insurance_tool(role="staff")
async def underwriting_knockout_rules(
    runtime: Runtime, product_code: CodeArg | None = None
) -> tuple[str, KnockoutRules]:
    """해당하면 항상 가입이 거절되는 사유를 알려 준다."""
    catalogue = runtime.context.catalogue
    return told(knockout_rules(catalogue, catalogue.product(product_code) if product_code else None))


@insurance_tool()
async def underwriting_docs_required(
    runtime: Runtime,
    product_code: CodeArg | None = None,
    case: Annotated[str | None, Field(description="가입하는 상황 (예: 자녀 가입, 외국인, 병력이 있음, 법인)")] = None,
) -> tuple[str, JoinDocuments]:
    """가입할 때 필요한 서류를 상황별로 알려 준다."""
    catalogue = runtime.context.catalogue
    return told(join_documents(catalogue.reference, catalogue.product(product_code) if product_code else None, case))


@insurance_tool()
async def underwriting_waiting_periods(
    product_code: CodeArg,
    runtime: Runtime,
    contract_date: Annotated[date | None, Field(description="계약일, YYYY-MM-DD. 알면 그 계약의 날짜로")] = None,
) -> tuple[str, WaitingPeriods]:
    """한 상품의 보장별 면책기간, 감액기간과 감액률, 보장개시일을 알려 준다."""
    context = runtime.context
    return told(waiting_periods(context.catalogue.product(product_code), contract_date, context.today()))


@insurance_tool()
async def underwriting_exclusions(product_code: CodeArg, runtime: Runtime) -> tuple[str, Exclusions]:
    """한 상품이 보장하지 않는 사항(상품 고유와 공통)을 알려 준다."""
    catalogue = runtime.context.catalogue
    return told(list_exclusions(catalogue.reference, catalogue.product(product_code)))


@insurance_tool()
async def underwriting_limitations(
    product_code: CodeArg, runtime: Runtime, age: AgeArg | None = None, birth_date: BirthDateArg | None = None
) -> tuple[str, EntryLimits]:
    """가입금액의 최소·최대와 단위, 나이에 따른 가입 한도를 알려 준다."""
    of_age = entry_age(age, birth_date, runtime.context.today())
    return told(entry_limits(runtime.context.catalogue.product(product_code), of_age))


@insurance_tool()
async def underwriting_reinstatement_rule(
    runtime: Runtime,
    product_code: CodeArg | None = None,
    lapse_date: Annotated[date | None, Field(description="계약이 실효된 날, YYYY-MM-DD")] = None,
) -> tuple[str, Reinstatement]:
    """실효된 계약을 언제까지 부활할 수 있는지, 무엇을 내고 알려야 하는지, 면책이 다시 시작되는지 알려 준다."""
    context = runtime.context
    product = context.catalogue.product(product_code) if product_code else None
    return told(reinstatement(context.catalogue.reference, product, lapse_date, context.today()))


@insurance_tool()
async def underwriting_renewal_eligibility(
    product_code: CodeArg, runtime: Runtime, age: AgeArg | None = None, birth_date: BirthDateArg | None = None
) -> tuple[str, RenewalEligibility]:
    """상품을 갱신할 수 있는지와 마지막 갱신 나이를 알려 준다."""
    of_age = entry_age(age, birth_date, runtime.context.today())
    return told(renewal_eligibility(runtime.context.catalogue.product(product_code), of_age))


@insurance_tool()
async def underwriting_renewal_premium_notice(
    product_code: CodeArg, runtime: Runtime, age: AgeArg | None = None, birth_date: BirthDateArg | None = None
) -> tuple[str, RenewalNotice]:
    """다음 갱신 때 보험료가 오를 수 있는 범위와 이유를 알려 준다. 나이를 알면 보험료표로 예상 금액도 보여 준다."""
    catalogue, today = runtime.context.catalogue, runtime.context.today()
    known_age, gender = known_person(runtime.state, today)
    product = catalogue.product(product_code)
    return told(renewal_notice(catalogue, product, entry_age(age, birth_date, today) or known_age, gender))


@insurance_tool()
async def underwriting_high_risk_job_check(
    job: Annotated[str, Field(description="직업이나 하는 일 (예: 배달 라이더, 용접공, 사무직)")], runtime: Runtime
) -> tuple[str, JobRisk | NeedsInput]:
    """직업의 상해위험등급과 가입 한도·할증을 확인한다."""
    if not job.strip():
        return told(NeedsInput(fields=(text_field("job", "직업"),), reason="상해위험등급을 확인하려면"))
    return told(check_job(runtime.context.catalogue.reference, job))


@insurance_tool()
async def underwriting_disclosure_risk_score(
    history: HistoryArg, runtime: Runtime
) -> tuple[str, DisclosureScore | NeedsInput]:
    """병력을 청약할 때 알려야 하는지와 묻는 기간, 심사 영향 점수와 그 내역을 알려 준다."""
    if not history.strip():
        return told(_ask_history("고지해야 하는 병력인지 확인하려면"))
    return told(score_history(runtime.context.catalogue.reference, history))


def _ask_history(reason: str) -> NeedsInput:
    examples = ("고혈압약 복용 중", "3년 전 디스크 수술", "병력 없음")
    return NeedsInput(fields=(text_field("history", "병력과 치료 이력", examples),), reason=reason)


TOOLS = [
    underwriting_precheck, underwriting_questions_generator, underwriting_knockout_rules, underwriting_docs_required,
    underwriting_waiting_periods, underwriting_exclusions, underwriting_limitations, underwriting_reinstatement_rule,
    underwriting_renewal_eligibility, underwriting_renewal_premium_notice, underwriting_high_risk_job_check,
    underwriting_disclosure_risk_score,
]  # fmt: skip
