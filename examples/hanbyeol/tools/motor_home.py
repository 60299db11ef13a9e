"""자동차보험과 집보험: 보험료, 할인, 긴급출동."""

from __future__ import annotations

from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told
from app.tools.tables import read_table

Car = Literal["경차", "소형", "중형", "대형", "SUV", "전기차"]
Drivers = Literal["본인", "부부", "가족", "누구나"]
Discount = Literal["마일리지", "블랙박스", "자녀", "안전운전", "첨단안전장치"]
Service = Literal["긴급 견인", "배터리 충전", "타이어 교체", "비상 급유", "잠금 해제"]
House = Literal["아파트", "빌라", "단독주택"]
Plan = Literal["실속", "표준", "고급"]


class CarRow(Model):
    """1년 보험료(원), 30~64세가 혼자 몰 때."""

    car: Car
    premium: int


class DriverRow(Model):
    """그 나이의 보험료는 기준의 몇 %인지."""

    age_from: int
    age_to: int
    percent: int


class RangeRow(Model):
    """운전자 범위의 보험료는 본인의 몇 %인지."""

    drivers: Drivers
    percent: int


class DiscountRow(Model):
    """할인율(%)."""

    discount: Discount
    percent: int
    condition: str
    papers: str


class RoadsideRow(Model):
    """1년에 몇 번, 어디까지."""

    service: Service
    times_a_year: int
    free_of: str
    extra: str


class HomeRow(Model):
    """한 평의 1년 보험료와 한도(원)."""

    house: House
    plan: Plan
    premium_a_pyeong: int
    fire_limit: int
    water_limit: int


_CARS = read_table(__file__, "cars.csv", CarRow)
_DRIVERS = read_table(__file__, "car_drivers.csv", DriverRow)
_RANGES = read_table(__file__, "car_ranges.csv", RangeRow)
_DISCOUNTS = read_table(__file__, "car_discounts.csv", DiscountRow)
_ROADSIDE = read_table(__file__, "roadside.csv", RoadsideRow)
_HOMES = read_table(__file__, "homes.csv", HomeRow)


class CarQuote(Model):
    """자동차보험료."""

    car: Car = Field(description="차종")
    driver_age: int = Field(description="가장 어린 운전자 나이, 세")
    drivers: Drivers = Field(description="운전자 범위")
    premium: int = Field(description="연간 보험료, 원")


class CarDiscount(Model):
    """할인 특약 하나."""

    discount: Discount = Field(description="할인")
    percent: int = Field(description="할인율, %")
    condition: str = Field(description="조건")
    papers: str = Field(description="내야 할 것")


class Roadside(Model):
    """긴급출동 하나."""

    service: Service = Field(description="서비스")
    times_a_year: int = Field(description="연간 횟수, 회")
    free_of: str = Field(description="무료 범위")
    extra: str = Field(description="더 내는 돈")


class HomeQuote(Model):
    """집보험료."""

    house: House = Field(description="집")
    area: int = Field(description="넓이, 평")
    plan: Plan = Field(description="플랜")
    premium: int = Field(description="연간 보험료, 원")
    fire_limit: int = Field(description="화재 한도, 원")
    water_limit: int = Field(description="누수 한도, 원")


@insurance_tool()
async def car_quote(
    runtime: ToolRuntime[ToolContext],
    car: Annotated[Car, Field(description="차종")],
    driver_age: Annotated[int, Field(ge=18, le=79, description="가장 어린 운전자의 나이(세)")],
    drivers: Annotated[Drivers, Field(description="운전자 범위")] = "본인",
) -> tuple[str, BaseModel]:
    """차종과 운전자 나이, 운전자 범위를 받아 자동차보험의 1년 보험료를 계산한다."""
    base = next(row.premium for row in _CARS if row.car == car)
    by_age = next(row.percent for row in _DRIVERS if row.age_from <= driver_age <= row.age_to)
    by_range = next(row.percent for row in _RANGES if row.drivers == drivers)
    premium = base * by_age * by_range // 10_000 // 10 * 10
    return told(CarQuote(car=car, driver_age=driver_age, drivers=drivers, premium=premium))


@insurance_tool()
async def car_discount(
    runtime: ToolRuntime[ToolContext],
    discount: Annotated[Discount, Field(description="할인 종류")],
) -> tuple[str, BaseModel]:
    """자동차보험의 할인 특약이 몇 퍼센트인지, 조건과 낼 것을 알려 준다."""
    row = next(row for row in _DISCOUNTS if row.discount == discount)
    return told(CarDiscount(**row.model_dump()))


@insurance_tool()
async def car_roadside(
    runtime: ToolRuntime[ToolContext],
    service: Annotated[Service, Field(description="부를 서비스")],
) -> tuple[str, BaseModel]:
    """긴급출동 서비스를 1년에 몇 번, 어디까지 무료로 쓰는지 알려 준다."""
    row = next(row for row in _ROADSIDE if row.service == service)
    return told(Roadside(**row.model_dump()))


@insurance_tool()
async def home_quote(
    runtime: ToolRuntime[ToolContext],
    house: Annotated[House, Field(description="집의 종류")],
    area: Annotated[int, Field(ge=5, le=200, description="집의 넓이(평)")],
    plan: Annotated[Plan, Field(description="플랜")] = "표준",
) -> tuple[str, BaseModel]:
    """집의 종류와 평수를 받아 집보험의 1년 보험료와 화재·누수 한도를 알려 준다."""
    row = next(row for row in _HOMES if row.house == house and row.plan == plan)
    return told(
        HomeQuote(
            house=house, area=area, plan=plan, premium=row.premium_a_pyeong * area,
            fire_limit=row.fire_limit, water_limit=row.water_limit,
        )
    )  # fmt: skip


TOOLS = [car_quote, car_discount, car_roadside, home_quote]
