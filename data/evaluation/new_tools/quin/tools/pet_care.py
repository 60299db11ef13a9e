"""Pet partner: a stay at the pet hotel, a pet taxi, a sitter who comes home."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

PetKind = Literal["강아지", "고양이", "토끼", "앵무새"]
Room = Literal["standard", "deluxe", "suite"]
Extra = Literal["산책", "목욕", "실시간영상", "투약"]
Carrier = Literal["S", "M", "L"]
Weekday = Literal["MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN"]
Minutes = Literal[30, 60, 90, 120]
Entry = Literal["doorcode", "meet", "keybox"]

_NIGHT = {"강아지": 35_000, "고양이": 30_000, "토끼": 20_000, "앵무새": 18_000}
_ROOM_MORE = {"standard": 0, "deluxe": 15_000, "suite": 40_000}
_EXTRA_NIGHT = {"산책": 8_000, "실시간영상": 3_000, "투약": 2_000}
_BATH = 25_000
_COUPON_PERCENT = 10
_CARRIER = {"S": 5_000, "M": 8_000, "L": 12_000}
_VISIT = {30: 14_000, 60: 22_000, 90: 30_000, 120: 38_000}
_DAYS: tuple[Weekday, ...] = ("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN")


class Stay(Model):
    """A stay at the hotel and its price."""

    guardian_name: str = Field(description="보호자")
    pet_kind: str = Field(description="동물")
    room: str = Field(description="객실")
    check_in: date = Field(description="맡기는 날")
    check_out: date = Field(description="찾는 날")
    nights: int = Field(description="숙박, 박")
    extras: tuple[str, ...] = Field(description="추가 서비스")
    price: int = Field(description="요금, 원")
    bookable: bool = Field(description="예약 가능")


class Ride(Model):
    """A ride of the pet taxi."""

    pet_names: tuple[str, ...] = Field(description="태울 아이")
    pickup_place: str = Field(description="태울 곳")
    dropoff_place: str = Field(description="내릴 곳")
    pickup_at: datetime = Field(description="태울 일시")
    round_trip: bool = Field(description="왕복")
    fare: int = Field(description="요금, 원")


class SitterPlan(Model):
    """The visits of a sitter."""

    first_visit: date | None = Field(default=None, description="첫 방문일")
    last_visit: date | None = Field(default=None, description="마지막 방문일")
    visits: int = Field(description="방문 횟수, 회")
    minutes: int = Field(description="한 번에, 분")
    fee: int = Field(description="돌봄비 합계, 원")
    entry: str | None = Field(default=None, description="출입 방법")
    note: str | None = Field(default=None, description="남긴 말")


def stay(
    guardian_name: str,
    pet_kind: str,
    check_in: date,
    check_out: date,
    weight_kg: float | None,
    room: str,
    extras: list[str] | None,
    coupon: str | None,
) -> Stay:
    """By the night; heavy pets pay more; a bath is once; the coupon takes a tenth off."""
    nights = (check_out - check_in).days
    heavy = 10_000 if weight_kg is not None and weight_kg >= 15 else 0
    night = _NIGHT[pet_kind] + _ROOM_MORE[room] + heavy
    night += sum(_EXTRA_NIGHT.get(name, 0) for name in extras or ())
    price = night * max(nights, 0) + (_BATH if extras and "목욕" in extras else 0)
    if coupon:
        price = price * (100 - _COUPON_PERCENT) // 100
    return Stay(
        guardian_name=guardian_name,
        pet_kind=pet_kind,
        room=room,
        check_in=check_in,
        check_out=check_out,
        nights=nights,
        extras=tuple(extras or ()),
        price=price,
        bookable=1 <= nights <= 30,
    )


def ride(
    pet_names: list[str],
    pickup_place: str,
    pickup_at: datetime,
    dropoff_place: str | None,
    round_trip: bool | None,
    carrier: str | None,
) -> Ride:
    """Dearer for each more pet, at night, and twice for both ways."""
    fare = 18_000 + 4_000 * (len(pet_names) - 1)
    if not 7 <= pickup_at.hour < 21:
        fare += 6_000
    if round_trip:
        fare *= 2
    return Ride(
        pet_names=tuple(pet_names),
        pickup_place=pickup_place,
        dropoff_place=dropoff_place or "펫호텔",
        pickup_at=pickup_at,
        round_trip=bool(round_trip),
        fare=fare + (_CARRIER[carrier] if carrier else 0),
    )


def sitter(
    weekdays: list[Weekday], minutes: int, start_on: date, weeks: int, pet_count: int, entry: str | None, note: str | None
) -> SitterPlan:
    """The visits are the weekdays within the weeks that begin on the day."""
    days = [start_on + timedelta(days=step) for step in range(weeks * 7)]
    visits = [day for day in days if _DAYS[day.weekday()] in weekdays]
    each = _VISIT[minutes] + 4_000 * (pet_count - 1)
    return SitterPlan(
        first_visit=visits[0] if visits else None,
        last_visit=visits[-1] if visits else None,
        visits=len(visits),
        minutes=minutes,
        fee=each * len(visits),
        entry=entry,
        note=note,
    )


@insurance_tool()
async def pet_stay_book(
    runtime: ToolRuntime[ToolContext],
    guardian_name: Annotated[str, Field(description="보호자(예약자) 이름")],
    pet_kind: Annotated[PetKind, Field(description="맡길 동물")],
    check_in: Annotated[date, Field(description="맡기는 날(입실)")],
    check_out: Annotated[date, Field(description="찾는 날(퇴실)")],
    weight_kg: Annotated[float | None, Field(gt=0, le=90, description="몸무게(kg)")] = None,
    room: Annotated[Room, Field(description="객실: standard 일반, deluxe 디럭스, suite 스위트")] = "standard",
    extras: Annotated[list[Extra] | None, Field(description="추가 서비스(여러 개 가능)")] = None,
    coupon: Annotated[str | None, Field(pattern=r"^PH\d{4}$", description="할인 쿠폰 번호, 예: PH0001")] = None,
) -> tuple[str, BaseModel]:
    """반려동물을 펫호텔에 맡기는 숙박을 예약하고 요금을 알려 준다."""
    return told(stay(guardian_name, pet_kind, check_in, check_out, weight_kg, room, extras, coupon))


@insurance_tool()
async def pet_taxi_book(
    runtime: ToolRuntime[ToolContext],
    pet_names: Annotated[list[str], Field(min_length=1, max_length=4, description="태울 반려동물 이름, 모두")],
    pickup_place: Annotated[str, Field(description="태울 곳: 주소, 역, 건물")],
    pickup_at: Annotated[datetime, Field(description="태울 날짜와 시각")],
    dropoff_place: Annotated[str | None, Field(description="내려 줄 곳. 비우면 펫호텔")] = None,
    round_trip: Annotated[bool | None, Field(description="왕복이면 true, 편도면 false")] = None,
    carrier: Annotated[Carrier | None, Field(description="빌릴 이동장 크기: S 소형, M 중형, L 대형")] = None,
) -> tuple[str, BaseModel]:
    """반려동물을 차로 데리러 가서 호텔이나 병원까지 태워 주는 펫택시를 예약한다."""
    return told(ride(pet_names, pickup_place, pickup_at, dropoff_place, round_trip, carrier))


@insurance_tool()
async def pet_sitter_plan(
    runtime: ToolRuntime[ToolContext],
    weekdays: Annotated[list[Weekday], Field(min_length=1, max_length=7, description="Weekdays on which the sitter comes")],
    minutes: Annotated[Minutes, Field(description="Length of one visit in minutes")],
    start_on: Annotated[date, Field(description="Day from which the visits begin")],
    weeks: Annotated[int, Field(ge=1, le=26, description="For how many weeks")] = 4,
    pet_count: Annotated[int, Field(ge=1, le=6, description="How many pets")] = 1,
    entry: Annotated[
        Entry | None,
        Field(description="How the sitter gets in: doorcode = door lock code, meet = the owner opens in person, keybox = key left in a key box"),
    ] = None,
    note: Annotated[str | None, Field(max_length=200, description="Words for the sitter")] = None,
) -> tuple[str, BaseModel]:
    """펫시터가 집으로 와서 돌봐 주는 방문 돌봄의 일정과 비용을 잡아 준다."""
    return told(sitter(weekdays, minutes, start_on, weeks, pet_count, entry, note))


TOOLS = [pet_stay_book, pet_taxi_book, pet_sitter_plan]
