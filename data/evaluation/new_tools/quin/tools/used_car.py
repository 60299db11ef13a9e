"""Used-car partner: the history of a car, an inspector on the spot, what the transfer of ownership costs."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Check = Literal["accident", "flood", "mileage", "lien"]
Slot = Literal["morning", "afternoon", "evening"]
Fuel = Literal["가솔린", "디젤", "LPG", "하이브리드", "전기"]
CarClass = Literal["compact", "passenger", "van", "truck"]
City = Literal["SEOUL", "BUSAN", "DAEGU", "INCHEON", "ETC"]
Relief = Literal["disabled", "multi_child", "veteran", "ev"]

_SLOT_HOURS = {"morning": "09:00~12:00", "afternoon": "12:00~18:00", "evening": "18:00~20:00"}
_SLOT_FEES = {"morning": 0, "afternoon": 0, "evening": 20000}
_FUEL_FEES = {"가솔린": 0, "디젤": 10000, "LPG": 10000, "하이브리드": 25000, "전기": 40000}
# percent of the price
_TAX = {"compact": 4, "passenger": 7, "van": 5, "truck": 5}
_BOND = {"SEOUL": 9, "BUSAN": 4, "DAEGU": 4, "INCHEON": 3, "ETC": 4}
# won taken off the tax at most
_RELIEFS = {"disabled": 2_000_000, "multi_child": 1_400_000, "veteran": 2_000_000, "ev": 1_400_000}
_DAYS_TO_REGISTER = 15


class CarHistory(Model):
    """What is on record for one car."""

    plate_no: str = Field(description="차량번호")
    checked: tuple[str, ...] = Field(description="확인한 항목")
    accidents: int | None = Field(default=None, description="보험 사고 건수, 건")
    repair_cost: int | None = Field(default=None, description="수리비 합계, 원")
    flooded: bool | None = Field(default=None, description="침수 이력")
    recorded_km: int | None = Field(default=None, description="기록상 주행거리, km")
    mileage_doubtful: bool | None = Field(default=None, description="주행거리 조작 의심")
    liens: int | None = Field(default=None, description="압류·저당 건수, 건")
    years: int | None = Field(default=None, description="조회 기간, 년")


class Inspection(Model):
    """An inspector who was sent for."""

    place: str = Field(description="점검 장소")
    inspect_on: date = Field(description="점검일")
    hours: str = Field(description="방문 시간대")
    contact: str = Field(description="연락처")
    lift_check: bool = Field(description="하부 리프트 점검")
    fee: int = Field(description="출장 점검료, 원")


class TransferCost(Model):
    """What the transfer costs beside the price."""

    acquisition_tax: int = Field(description="취득세, 원")
    relief: int = Field(description="감면액, 원")
    bond: int = Field(description="공채 매입비, 원")
    agent_fee: int = Field(description="대행료, 원")
    total: int = Field(description="이전 비용 합계, 원")
    register_by: date | None = Field(default=None, description="이전등록 마감일")


def history(plate_no: str, odometer_km: int, checks: list[str] | None, years: int | None) -> CarHistory:
    """The record follows from the digits of the plate."""
    number = int(plate_no[-4:])
    asked = tuple(checks) if checks else ("accident", "flood", "mileage", "lien")
    accidents = number % 4 if years is None else min(number % 4, years)
    recorded = (number % 12 + 1) * 8000
    seen_accident, seen_mileage = "accident" in asked, "mileage" in asked
    return CarHistory(
        plate_no=plate_no,
        checked=asked,
        accidents=accidents if seen_accident else None,
        repair_cost=accidents * (700_000 + number % 9 * 50_000) if seen_accident else None,
        flooded=number % 11 == 0 if "flood" in asked else None,
        recorded_km=recorded if seen_mileage else None,
        mileage_doubtful=odometer_km < recorded if seen_mileage else None,
        liens=number % 3 % 2 if "lien" in asked else None,
        years=years,
    )


def inspection(
    place: str, inspect_on: date, slot: str, contact: str, fuel: str | None, lift_check: bool | None
) -> Inspection:
    """A fee for the way, the hour, the fuel and the lift."""
    fee = 60_000 + _SLOT_FEES[slot] + (_FUEL_FEES[fuel] if fuel else 0) + (15_000 if lift_check else 0)
    if inspect_on.weekday() >= 5:
        fee += 10_000
    return Inspection(
        place=place,
        inspect_on=inspect_on,
        hours=_SLOT_HOURS[slot],
        contact=contact,
        lift_check=bool(lift_check),
        fee=fee,
    )


def transfer(
    price_manwon: int, car_class: str, region: str, contract_date: date | None, relief: list[str] | None, agent: bool
) -> TransferCost:
    """Tax less the greatest relief, the bond, the agent."""
    price = price_manwon * 10_000
    tax = price * _TAX[car_class] // 100
    allowed = max((_RELIEFS[name] for name in relief or ()), default=0)
    if car_class == "compact":
        allowed = max(allowed, 750_000)
    off = min(tax, allowed)
    bond = 0 if car_class == "compact" else price * _BOND[region] // 1000
    fee = 45_000 if agent else 0
    return TransferCost(
        acquisition_tax=tax - off,
        relief=off,
        bond=bond,
        agent_fee=fee,
        total=tax - off + bond + fee,
        register_by=contract_date + timedelta(days=_DAYS_TO_REGISTER) if contract_date else None,
    )


@insurance_tool()
async def usedcar_history_check(
    runtime: ToolRuntime[ToolContext],
    plate_no: Annotated[str, Field(pattern=r"^\d{2,3}[가-힣]\d{4}$", description="차량번호, 띄어쓰기 없이 (예: 12가3456)")],
    odometer_km: Annotated[int, Field(ge=0, le=600_000, description="계기판에 나온 주행거리(km)")],
    checks: Annotated[
        list[Check] | None,
        Field(description="확인할 항목만 고를 때: accident 사고, flood 침수, mileage 주행거리 조작, lien 압류·저당. 비우면 전부"),
    ] = None,
    years: Annotated[int | None, Field(ge=1, le=20, description="최근 몇 년 치만 볼지(년)")] = None,
) -> tuple[str, BaseModel]:
    """중고차의 차량번호와 주행거리를 받아 사고·침수·주행거리 조작·압류 이력을 조회한다."""
    return told(history(plate_no, odometer_km, checks, years))


@insurance_tool()
async def usedcar_inspection_visit(
    runtime: ToolRuntime[ToolContext],
    place: Annotated[str, Field(min_length=2, description="차가 있는 곳: 매매단지나 상사 이름, 주소")],
    inspect_on: Annotated[date, Field(description="점검받을 날")],
    slot: Annotated[
        Slot, Field(description="방문 시간대: morning 오전 9~12시, afternoon 오후 12~6시, evening 저녁 6~8시")
    ],
    contact: Annotated[str, Field(pattern=r"^010-\d{4}-\d{4}$", description="점검원이 연락할 휴대전화 번호 010-0000-0000")],
    fuel: Annotated[Fuel | None, Field(description="차의 연료")] = None,
    lift_check: Annotated[bool | None, Field(description="리프트로 띄워 하부까지 점검. false면 하부 점검 안 함")] = None,
) -> tuple[str, BaseModel]:
    """살 중고차가 있는 곳으로 점검원을 보내는 출장(동행) 점검을 예약한다."""
    return told(inspection(place, inspect_on, slot, contact, fuel, lift_check))


@insurance_tool()
async def usedcar_transfer_cost(
    runtime: ToolRuntime[ToolContext],
    price_manwon: Annotated[int, Field(ge=50, le=50_000, description="Sale price in units of 10,000 won (15,000,000 won = 1500)")],
    car_class: Annotated[
        CarClass,
        Field(description="Registered class: compact = up to 1,000 cc, passenger = ordinary car, van = 11 seats or more, truck = cargo"),
    ],
    region: Annotated[City, Field(description="City in which the buyer registers the car; ETC = anywhere else")],
    contract_date: Annotated[date | None, Field(description="Day on which the sale contract was signed")] = None,
    relief: Annotated[
        list[Relief] | None,
        Field(description="Tax reliefs: disabled = registered disability, multi_child = many children, veteran = person of national merit, ev = electric car"),
    ] = None,
    agent: Annotated[bool, Field(description="Whether our agent files the transfer for the buyer")] = False,
) -> tuple[str, BaseModel]:
    """중고차를 살 때 드는 명의이전 비용(취득세, 공채, 대행료)을 계산한다."""
    return told(transfer(price_manwon, car_class, region, contract_date, relief, agent))


TOOLS = [usedcar_history_check, usedcar_inspection_visit, usedcar_transfer_cost]
