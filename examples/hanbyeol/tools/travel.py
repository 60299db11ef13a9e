"""여행보험: 보험료, 보장 한도, 지연 보상, 기간 연장."""

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

Region = Literal["국내", "일본·중국", "동남아", "미주·유럽"]
Plan = Literal["실속", "표준", "고급"]
Cover = Literal["해외 의료비", "휴대품 손해", "항공기 지연", "여행 취소", "배상책임"]
Delay = Literal["항공기 지연", "수하물 지연"]


class PriceRow(Model):
    """days_to일까지의 한 사람 보험료(원), 15~39세 기준."""

    region: Region
    plan: Plan
    days_to: int
    premium: int


class AgeRow(Model):
    """그 나이의 보험료는 기준의 몇 %인지."""

    age_from: int
    age_to: int
    percent: int


class CoverRow(Model):
    """한도와 자기부담금(원)."""

    item: Cover
    plan: Plan
    limit: int
    deductible: int
    excluded: str


class DelayRow(Model):
    """hours_from시간부터의 보상 한도(원)."""

    kind: Delay
    hours_from: int
    amount: int
    receipts: str


class DayRow(Model):
    """하루 연장하는 보험료(원)와 가장 긴 기간(일)."""

    region: Region
    premium_a_day: int
    longest_days: int


_PRICES = read_table(__file__, "travel.csv", PriceRow)
_AGES = read_table(__file__, "travel_ages.csv", AgeRow)
_COVERS = read_table(__file__, "travel_covers.csv", CoverRow)
_DELAYS = read_table(__file__, "delays.csv", DelayRow)
_DAYS = read_table(__file__, "travel_days.csv", DayRow)


class TravelQuote(Model):
    """여행보험료."""

    region: Region = Field(description="여행 지역")
    plan: Plan = Field(description="플랜")
    days: int = Field(description="여행 기간, 일")
    age: int = Field(description="나이, 세")
    people: int = Field(description="인원, 명")
    premium: int = Field(description="한 사람 보험료, 원")
    total: int = Field(description="모두 더한 보험료, 원")


class TravelCover(Model):
    """한 담보의 한도."""

    item: Cover = Field(description="보장")
    plan: Plan = Field(description="플랜")
    limit: int = Field(description="보장 한도, 원")
    deductible: int = Field(description="자기부담금, 원")
    excluded: str = Field(description="보장하지 않는 것")


class DelayPay(Model):
    """지연 보상."""

    kind: Delay = Field(description="지연 종류")
    hours: int = Field(description="지연된 시간, 시간")
    paid: bool = Field(description="보상 여부")
    amount: int = Field(description="보상 한도, 원")
    least_hours: int = Field(description="보상이 시작되는 시간, 시간")
    receipts: str = Field(description="내야 할 영수증")


class TravelExtension(Model):
    """기간 연장."""

    region: Region = Field(description="여행 지역")
    extra_days: int = Field(description="늘리는 날, 일")
    premium_a_day: int = Field(description="하루 보험료, 원")
    extra_premium: int = Field(description="더 내는 보험료, 원")
    longest_days: int = Field(description="가장 긴 여행 기간, 일")


@insurance_tool()
async def travel_quote(
    runtime: ToolRuntime[ToolContext],
    region: Annotated[Region, Field(description="여행 가는 지역")],
    days: Annotated[int, Field(ge=1, le=90, description="여행 기간(일), 출발일과 도착일을 함께 셈")],
    age: Annotated[int, Field(ge=0, le=79, description="여행하는 사람의 나이(세)")],
    plan: Annotated[Plan, Field(description="플랜")] = "표준",
    people: Annotated[int, Field(ge=1, le=9, description="함께 가는 인원(명)")] = 1,
) -> tuple[str, BaseModel]:
    """여행 지역과 기간, 나이를 받아 여행자보험 보험료를 계산한다."""
    fitting = [row for row in _PRICES if row.region == region and row.plan == plan and days <= row.days_to]
    share = next(row.percent for row in _AGES if row.age_from <= age <= row.age_to)
    premium = round(fitting[0].premium * share / 100 / 10) * 10
    quote = TravelQuote(
        region=region, plan=plan, days=days, age=age, people=people, premium=premium, total=premium * people
    )
    return told(quote)


@insurance_tool()
async def travel_cover(
    runtime: ToolRuntime[ToolContext],
    item: Annotated[Cover, Field(description="알고 싶은 보장")],
    plan: Annotated[Plan, Field(description="플랜")] = "표준",
) -> tuple[str, BaseModel]:
    """여행보험의 담보 하나가 얼마까지 보장하는지, 자기부담금과 보장하지 않는 것을 알려 준다."""
    row = next(row for row in _COVERS if row.item == item and row.plan == plan)
    return told(TravelCover(**row.model_dump()))


@insurance_tool()
async def travel_delay_pay(
    runtime: ToolRuntime[ToolContext],
    hours: Annotated[int, Field(ge=1, le=240, description="지연된 시간(시간)")],
    kind: Annotated[Delay, Field(description="무엇이 늦었는지: 비행기 또는 짐")] = "항공기 지연",
) -> tuple[str, BaseModel]:
    """비행기나 짐이 늦게 왔을 때 얼마까지 보상하는지 알려 준다."""
    rows = [row for row in _DELAYS if row.kind == kind]
    reached = [row for row in rows if row.hours_from <= hours]
    best = reached[-1] if reached else rows[0]
    return told(
        DelayPay(
            kind=kind, hours=hours, paid=bool(reached), amount=best.amount if reached else 0,
            least_hours=rows[0].hours_from, receipts=best.receipts,
        )
    )  # fmt: skip


@insurance_tool()
async def travel_extend(
    runtime: ToolRuntime[ToolContext],
    region: Annotated[Region, Field(description="여행 중인 지역")],
    extra_days: Annotated[int, Field(ge=1, le=90, description="더 머무는 날(일)")],
) -> tuple[str, BaseModel]:
    """여행 중에 보험 기간을 며칠 늘리면 얼마를 더 내는지 알려 준다."""
    row = next(row for row in _DAYS if row.region == region)
    if extra_days > row.longest_days:
        raise RuleMissing(
            f"{region} 여행은 {row.longest_days}일까지만 가입할 수 있어 {extra_days}일을 늘릴 수 없습니다."
        )
    return told(
        TravelExtension(
            region=region, extra_days=extra_days, premium_a_day=row.premium_a_day,
            extra_premium=row.premium_a_day * extra_days, longest_days=row.longest_days,
        )
    )  # fmt: skip


TOOLS = [travel_quote, travel_cover, travel_delay_pay, travel_extend]
