"""Roadside: emergency help for cars and drivers for hire."""

from __future__ import annotations

from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Help = Literal["견인", "배터리", "타이어", "잠금해제", "비상급유"]
Car = Literal["sedan", "suv", "van", "imported"]
Topic = Literal["arrival", "driver", "cost"]

HELP = {"견인": (35, 0), "배터리": (20, 0), "타이어": (25, 0), "잠금해제": (25, 10_000), "비상급유": (30, 5_000)}
FREE_KM = 10
KM_WON = 2_000
CAR_WON = {"sedan": 0, "suv": 3_000, "van": 10_000, "imported": 5_000}
STATES = ("접수", "기사 배정", "이동 중", "작업 중", "완료")
DRIVERS = ("김기사", "이기사", "박기사")


class Dispatch(Model):
    """When help arrives and what it costs."""

    kind: str = Field(description="출동 종류")
    place: str = Field(description="위치")
    minutes: int = Field(description="도착까지 예상 시간, 분")
    fee: int = Field(description="본인 부담금, 원")
    note: str | None = None


class DriverFare(Model):
    """The fare of a driver for hire."""

    origin: str = Field(description="출발지")
    destination: str = Field(description="도착지")
    pickup_time: str
    fare: int = Field(description="예상 대리운전 요금, 원")


class CaseStatus(Model):
    """How far a case is."""

    case_no: str = Field(description="접수번호")
    caller_name: str = Field(description="접수자")
    state: str = Field(description="진행 상태")
    minutes_left: int | None = Field(default=None, description="도착까지 남은 시간, 분")
    driver: str | None = Field(default=None, description="출동 기사")
    cost: int | None = Field(default=None, description="비용, 원")
    text_sent: bool = Field(description="문자 발송 여부")


def dispatch(kind: str, place: str, ev: bool, tow_km: int | None, memo: str | None) -> Dispatch:
    """Ten kilometres of towing are free; help for electric cars takes ten minutes more."""
    minutes, fee = HELP[kind]
    if kind == "견인":
        fee += max(0, (tow_km or 0) - FREE_KM) * KM_WON
    return Dispatch(kind=kind, place=place, minutes=minutes + (10 if ev else 0), fee=fee, note=memo)


def driver_fare(origin: str, destination: str, time: str, car: str | None, manual: bool) -> DriverFare:
    """A base fare that follows from the two names; dearer from midnight to five."""
    fare = 20_000 + (sum(map(ord, origin + destination)) % 16) * 1_000 + CAR_WON[car or "sedan"]
    if time < "05:00":
        fare += 5_000
    return DriverFare(origin=origin, destination=destination, pickup_time=time, fare=fare + (3_000 if manual else 0))


def case_status(case_no: str, name: str, topic: str | None, by_text: bool) -> CaseStatus:
    """The state follows from the digits of the number."""
    number = int(case_no[3:])
    return CaseStatus(
        case_no=case_no,
        caller_name=name,
        state=STATES[number % len(STATES)],
        minutes_left=5 + number % 30 if topic in (None, "arrival") else None,
        driver=DRIVERS[number % len(DRIVERS)] if topic in (None, "driver") else None,
        cost=(number % 6) * 10_000 if topic in (None, "cost") else None,
        text_sent=by_text,
    )


@insurance_tool()
async def roadside_dispatch(
    runtime: ToolRuntime[ToolContext],
    kind: Annotated[Help, Field(description="출동 종류")],
    place: Annotated[str, Field(description="차가 있는 곳(시/구/동 또는 역)")],
    ev: Annotated[bool, Field(description="전기차이면 true")] = False,
    tow_km: Annotated[int | None, Field(description="견인할 거리, km", ge=1, le=300)] = None,
    memo: Annotated[str | None, Field(description="기사에게 전할 말")] = None,
) -> tuple[str, BaseModel]:
    """긴급출동 차량이 도착하는 데 걸리는 시간과 본인 부담금을 알려 준다."""
    return told(dispatch(kind, place, ev, tow_km, memo))


@insurance_tool()
async def designated_driver_fare(
    runtime: ToolRuntime[ToolContext],
    origin: Annotated[str, Field(description="출발지. 시/구/동 또는 역")],
    destination: Annotated[str, Field(description="도착지")],
    pickup_time: Annotated[str, Field(description="출발 시각 HH:MM (24시간)", pattern=r"^([01]\d|2[0-3]):[0-5]\d$")],
    car: Annotated[Car | None, Field(description="차종: sedan 승용차, suv SUV, van 승합차, imported 외제차")] = None,
    manual: Annotated[bool, Field(description="수동 변속기(스틱) 차")] = False,
) -> tuple[str, BaseModel]:
    """대리운전 기사를 부를 때의 예상 요금을 알려 준다."""
    return told(driver_fare(origin, destination, pickup_time, car, manual))


@insurance_tool()
async def roadside_case_status(
    runtime: ToolRuntime[ToolContext],
    case_no: Annotated[str, Field(description="긴급출동 접수번호. 예: RS-240113", pattern=r"^RS-\d{6}$")],
    caller_name: Annotated[str, Field(description="접수한 사람 이름")],
    topic: Annotated[Topic | None, Field(description="알고 싶은 것: arrival 도착 시간, driver 기사 연락처, cost 비용. 없으면 전부")] = None,
    by_text: Annotated[bool, Field(description="결과를 문자로도 받기")] = False,
) -> tuple[str, BaseModel]:
    """접수한 긴급출동이 어디까지 진행되었는지 조회한다."""
    return told(case_status(case_no, caller_name, topic, by_text))


TOOLS = [roadside_dispatch, designated_driver_fare, roadside_case_status]
