"""펫보험: 보험료, 받는 보험금, 가입할 수 있는지, 면책기간."""

from __future__ import annotations

from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.errors import RuleMissing
from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told
from app.tools.tables import read_table

Species = Literal["강아지", "고양이"]
Size = Literal["소형", "중형", "대형"]
Plan = Literal["실속", "표준", "고급"]
Treatment = Literal["통원", "입원", "수술"]
Illness = Literal["슬개골 탈구", "피부병", "구강 질환", "종양", "심장병", "당뇨", "귓병", "상해"]
_OLDEST = 10


class PetRow(Model):
    """월 보험료(원)."""

    species: Species
    size: Size
    plan: Plan
    age_from: int
    age_to: int
    premium: int


class PlanRow(Model):
    """치료비 가운데 percent %를, 자기부담금을 뺀 뒤 한도까지 지급한다(원)."""

    plan: Plan
    treatment: Treatment
    percent: int
    deductible: int
    limit: int
    times_a_year: int


class IllnessRow(Model):
    """면책기간(일)과, 앓은 적이 있어도 가입할 수 있는지."""

    illness: Illness
    waiting_days: int
    joins: Literal["yes", "no"]
    note: str


_PRICES = read_table(__file__, "pet.csv", PetRow)
_PLANS = read_table(__file__, "pet_plans.csv", PlanRow)
_ILLNESSES = read_table(__file__, "pet_illnesses.csv", IllnessRow)


class PetQuote(Model):
    """펫보험료."""

    species: Species = Field(description="반려동물")
    size: Size = Field(description="크기")
    age: int = Field(description="나이, 살")
    plan: Plan = Field(description="플랜")
    premium: int = Field(description="월 보험료, 원")


class PetPay(Model):
    """받는 보험금."""

    treatment: Treatment = Field(description="치료")
    plan: Plan = Field(description="플랜")
    cost: int = Field(description="병원비, 원")
    deductible: int = Field(description="자기부담금, 원")
    percent: int = Field(description="보장 비율, %")
    limit: int = Field(description="한 번의 한도, 원")
    paid: int = Field(description="받는 보험금, 원")
    times_a_year: int = Field(description="연간 보장 횟수, 회")


class PetJoin(Model):
    """가입 판단."""

    species: Species = Field(description="반려동물")
    age: int = Field(description="나이, 살")
    illness: str = Field(description="앓은 병")
    joins: bool = Field(description="가입 가능")
    reason: str = Field(description="이유")


class PetWaiting(Model):
    """면책기간."""

    illness: Illness = Field(description="병")
    waiting_days: int = Field(description="면책기간, 일")
    note: str = Field(description="알아둘 것")


@insurance_tool()
async def pet_quote(
    runtime: ToolRuntime[ToolContext],
    species: Annotated[Species, Field(description="강아지인지 고양이인지")],
    pet_age: Annotated[int, Field(ge=0, le=_OLDEST, description="반려동물의 나이(살)")],
    size: Annotated[Size, Field(description="크기")] = "소형",
    plan: Annotated[Plan, Field(description="플랜")] = "표준",
) -> tuple[str, BaseModel]:
    """반려동물의 종류와 나이, 크기를 받아 펫보험의 월 보험료를 알려 준다."""
    row = next(
        row
        for row in _PRICES
        if (row.species, row.size, row.plan) == (species, size, plan) and row.age_from <= pet_age <= row.age_to
    )
    return told(PetQuote(species=species, size=size, age=pet_age, plan=plan, premium=row.premium))


@insurance_tool()
async def pet_pay(
    runtime: ToolRuntime[ToolContext],
    treatment: Annotated[Treatment, Field(description="받은 치료")],
    cost: Annotated[int, Field(ge=1_000, le=50_000_000, description="동물병원에 낸 돈(원)")],
    plan: Annotated[Plan, Field(description="플랜")] = "표준",
) -> tuple[str, BaseModel]:
    """동물병원에 낸 돈에서 펫보험으로 얼마를 돌려받는지 계산한다."""
    row = next(row for row in _PLANS if row.plan == plan and row.treatment == treatment)
    paid = min(max(cost - row.deductible, 0) * row.percent // 100, row.limit)
    return told(
        PetPay(
            treatment=treatment, plan=plan, cost=cost, deductible=row.deductible, percent=row.percent,
            limit=row.limit, paid=paid, times_a_year=row.times_a_year,
        )
    )  # fmt: skip


@insurance_tool()
async def pet_join(
    runtime: ToolRuntime[ToolContext],
    species: Annotated[Species, Field(description="강아지인지 고양이인지")],
    pet_age: Annotated[int, Field(ge=0, le=30, description="반려동물의 나이(살)")],
    illness: Annotated[Illness | None, Field(description="앓은 적이 있는 병")] = None,
) -> tuple[str, BaseModel]:
    """반려동물의 나이와 앓은 병을 받아 펫보험에 가입할 수 있는지 알려 준다."""
    row = next((row for row in _ILLNESSES if row.illness == illness), None)
    young = pet_age <= _OLDEST
    if not young:
        reason = f"만 {_OLDEST}세까지 가입할 수 있습니다"
    elif row is None:
        reason = f"만 {_OLDEST}세까지 가입할 수 있고, 앓은 병이 있으면 함께 심사합니다"
    else:
        reason = row.note
    joins = young and (row is None or row.joins == "yes")
    return told(PetJoin(species=species, age=pet_age, illness=illness or "없음", joins=joins, reason=reason))


@insurance_tool()
async def pet_waiting(
    runtime: ToolRuntime[ToolContext],
    illness: Annotated[Illness, Field(description="병이나 다친 일")],
) -> tuple[str, BaseModel]:
    """펫보험에 가입하고 며칠 뒤부터 그 병을 보장하는지, 면책기간을 알려 준다."""
    row = next((row for row in _ILLNESSES if row.illness == illness), None)
    if row is None:
        raise RuleMissing(f"{illness}의 면책기간이 표에 없습니다.")
    return told(PetWaiting(illness=illness, waiting_days=row.waiting_days, note=row.note))


TOOLS = [pet_quote, pet_pay, pet_join, pet_waiting]
