"""Pet hotel: stays, grooming and the pet taxi of a partner."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Room = Literal["small", "medium", "large", "cat"]
Service = Literal["목욕", "부분미용", "전체미용", "스파"]
Extra = Literal["발톱정리", "귀청소", "양치", "항문낭"]

ROOM_WON = {"small": 35_000, "medium": 45_000, "large": 60_000, "cat": 32_000}
WEBCAM_WON = 5_000
SERVICE_WON = {"목욕": 30_000, "부분미용": 40_000, "전체미용": 65_000, "스파": 55_000}
EXTRA_WON = {"발톱정리": 5_000, "귀청소": 5_000, "양치": 7_000, "항문낭": 5_000}
SLOTS = {
    "목욕": ("10:00", "11:30", "14:00", "16:30"),
    "부분미용": ("10:30", "13:00", "15:30"),
    "전체미용": ("10:00", "14:00"),
    "스파": ("11:00", "15:00", "17:00"),
}
STATION_KM = {"사당역": 6, "강남역": 4, "잠실역": 9, "홍대입구역": 12, "수원역": 31, "판교역": 18, "노원역": 20, "서울역": 11}


class StayQuote(Model):
    """The price of a stay."""

    check_in: date = Field(description="입실일")
    check_out: date = Field(description="퇴실일")
    room: str
    pets: int = Field(description="마릿수, 마리")
    total: int = Field(description="총 숙박료, 원")


class GroomingSlots(Model):
    """The free times of a day and what the service costs."""

    region: str = Field(description="지역")
    service: str = Field(description="미용 종류")
    day: date = Field(description="날짜")
    slots: tuple[str, ...] = Field(description="예약 가능한 시간")
    price: int = Field(description="예상 요금, 원")


class TaxiFare(Model):
    """The fare of a pet taxi."""

    pickup_station: str = Field(description="픽업 역")
    day: date = Field(description="이용일")
    pickup_time: str = Field(description="픽업 시각")
    fare: int = Field(description="펫택시 요금, 원")
    round_trip: bool = Field(description="왕복 여부")


def stay_quote(check_in: date, nights: int, room: str, pets: int, webcam: bool) -> StayQuote:
    """The second pet and the ones after it pay 70 %."""
    night = ROOM_WON[room] * (10 + 7 * (pets - 1)) // 10 + (WEBCAM_WON if webcam else 0)
    check_out = date.fromordinal(check_in.toordinal() + nights)
    return StayQuote(check_in=check_in, check_out=check_out, room=room, pets=pets, total=night * nights)


def grooming_slots(region: str, service: str, day: date, weight_kg: int | None, extras: list[str]) -> GroomingSlots:
    """One slot less at weekends; 2,000 won for each kilogram over ten."""
    slots = SLOTS[service][1:] if day.weekday() >= 5 else SLOTS[service]
    price = SERVICE_WON[service] + max(0, (weight_kg or 0) - 10) * 2_000 + sum(EXTRA_WON[extra] for extra in extras)
    return GroomingSlots(region=region, service=service, day=day, slots=slots, price=price)


def taxi_fare(station: str, time: str, day: date, pets: int, round_trip: bool) -> TaxiFare:
    """8,000 won and 1,200 for each kilometre; dearer by a fifth before 9 and after 20 o'clock."""
    fare = 8_000 + 1_200 * STATION_KM.get(station, 10) + 3_000 * (pets - 1)
    if time < "09:00" or time >= "20:00":
        fare = fare * 12 // 10
    return TaxiFare(
        pickup_station=station, day=day, pickup_time=time, fare=fare * 18 // 10 if round_trip else fare, round_trip=round_trip
    )


@insurance_tool()
async def pet_hotel_quote(
    runtime: ToolRuntime[ToolContext],
    check_in: Annotated[date, Field(description="입실일")],
    nights: Annotated[int, Field(description="숙박 일수, 박", ge=1, le=30)],
    room: Annotated[
        Room,
        Field(
            description="방 종류: small 소형견(말티즈, 푸들 등 7kg 미만), medium 중형견(7~15kg), "
            "large 대형견(리트리버, 진돗개 등 15kg 이상), cat 고양이"
        ),
    ],
    pets: Annotated[int | None, Field(description="같이 맡기는 마릿수(마리)", ge=1, le=5)] = None,
    webcam: Annotated[bool, Field(description="방 카메라로 실시간 보기 추가")] = False,
) -> tuple[str, BaseModel]:
    """반려동물 호텔에 맡길 때 드는 숙박료를 계산한다."""
    return told(stay_quote(check_in, nights, room, pets or 1, webcam))


@insurance_tool()
async def pet_grooming_slots(
    runtime: ToolRuntime[ToolContext],
    region: Annotated[str, Field(description="미용샵을 찾을 시/구. 예: 수원, 마포구")],
    service: Annotated[Service, Field(description="미용 종류")],
    day: Annotated[date, Field(description="원하는 날짜")],
    weight_kg: Annotated[int | None, Field(description="몸무게, kg", ge=1, le=80)] = None,
    extras: Annotated[list[Extra] | None, Field(description="추가 관리(여러 개 가능)")] = None,
) -> tuple[str, BaseModel]:
    """반려동물 미용과 목욕을 예약할 수 있는 시간과 요금을 알려 준다."""
    return told(grooming_slots(region, service, day, weight_kg, extras or []))


@insurance_tool()
async def pet_taxi_fare(
    runtime: ToolRuntime[ToolContext],
    pickup_station: Annotated[str, Field(description="Subway or train station where the pet is picked up, e.g. 사당역")],
    pickup_time: Annotated[str, Field(description="Pick-up time, 24h HH:MM", pattern=r"^([01]\d|2[0-3]):[0-5]\d$")],
    day: Annotated[date | None, Field(description="Day of the ride; today if absent")] = None,
    pet_count: Annotated[int | None, Field(description="Number of pets (마리)", ge=1, le=4)] = None,
    round_trip: Annotated[bool, Field(description="true if the pet is brought back as well (왕복)")] = False,
) -> tuple[str, BaseModel]:
    """반려동물을 역에서 태워 가는 펫택시 요금을 알려 준다."""
    return told(taxi_fare(pickup_station, pickup_time, day or runtime.context.today(), pet_count or 1, round_trip))


TOOLS = [pet_hotel_quote, pet_grooming_slots, pet_taxi_fare]
