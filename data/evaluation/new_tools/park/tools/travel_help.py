"""Travel and roadside help of the partner: towing, airport lounge, lost luggage."""

from __future__ import annotations

from datetime import date, time
from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Vehicle = Literal["compact", "sedan", "suv", "truck", "motorcycle"]
Airport = Literal["인천", "김포", "김해", "제주", "대구"]
BagState = Literal["missing", "delayed", "damaged"]

# base fee, fee of a km past the free 10 km
TOW_FEES: dict[str, tuple[int, int]] = {
    "compact": (51_600, 2_000),
    "sedan": (58_400, 2_200),
    "suv": (66_000, 2_500),
    "truck": (82_000, 3_200),
    "motorcycle": (40_000, 1_800),
}
FREE_KM = 10
FLATBED = 30_000
ARRIVAL = {"서울": 25, "강남": 20, "부산": 30, "대전": 28, "인천": 27, "제주": 40}

# opens, closes, fee of a companion, shower room
LOUNGES: dict[str, tuple[str, str, int, bool]] = {
    "인천": ("04:00", "23:30", 39_000, True),
    "김포": ("06:00", "21:00", 28_000, False),
    "김해": ("06:30", "21:30", 30_000, True),
    "제주": ("06:30", "20:30", 28_000, False),
    "대구": ("07:00", "19:00", 25_000, False),
}
PEAK_MONTHS = (1, 7, 8, 12)

BAG_LIMITS = {"missing": (400_000, 21), "delayed": (100_000, 4), "damaged": (200_000, 7)}


class TowQuote(Model):
    """What a tow costs and when the truck comes."""

    location: str = Field(description="차가 있는 곳")
    arrival_minutes: int = Field(description="도착까지, 분")
    fee: int = Field(description="견인 요금, 원")
    free_km: int = Field(description="무료 견인 거리, km")
    night: bool = Field(description="야간 할증")


class LoungePass(Model):
    """Whether the lounge takes the guest then."""

    airport: str = Field(description="공항")
    day: date = Field(description="이용일")
    open_then: bool = Field(description="그 시각에 이용 가능")
    companion_fee: int = Field(description="동반자 요금, 원")
    shower: bool | None = Field(default=None, description="샤워실")
    crowded: bool


class LuggageReport(Model):
    """The slip of a luggage report."""

    report_no: str = Field(description="신고 번호")
    owner: str = Field(description="짐 주인")
    flight: str = Field(description="항공편")
    limit: int = Field(description="보상 한도, 원")
    due_days: int = Field(description="서류 내는 기한, 일")


def tow_quote(location: str, vehicle: str, distance_km: int, at: str | None, flatbed: bool) -> TowQuote:
    """Base fee and the kilometres past the free ones; a third more from 20:00 to 06:00."""
    base, per_km = TOW_FEES[vehicle]
    paid = max(distance_km - FREE_KM, 0) * per_km
    night = at is not None and not (time(6) <= time.fromisoformat(at) < time(20))
    fee = (base if distance_km > FREE_KM else 0) + paid + (FLATBED if flatbed else 0)
    minutes = next((m for name, m in ARRIVAL.items() if name in location), 35)
    return TowQuote(
        location=location,
        arrival_minutes=minutes + (10 if night else 0),
        fee=fee * 13 // 10 if night else fee,
        free_km=FREE_KM,
        night=night,
    )


def lounge_pass(airport: str, day: date, at: str, companions: int, shower: bool) -> LoungePass:
    """The lounge of an airport at that time of the day."""
    opens, closes, fee, has_shower = LOUNGES[airport]
    return LoungePass(
        airport=airport,
        day=day,
        open_then=opens <= at < closes,
        companion_fee=fee * companions,
        shower=has_shower if shower else None,
        crowded=day.month in PEAK_MONTHS,
    )


def luggage_report(owner: str, flight: str, state: str, bags: int) -> LuggageReport:
    """The slip: a number made of the flight and the state, and what is paid at most."""
    limit, due = BAG_LIMITS[state]
    return LuggageReport(
        report_no=f"{flight}-{state[:2].upper()}{bags:02d}",
        owner=owner,
        flight=flight,
        limit=limit * bags,
        due_days=due,
    )


@insurance_tool()
async def tow_quote_check(
    runtime: ToolRuntime[ToolContext],
    location: Annotated[str, Field(min_length=2, description="차가 서 있는 곳. 구·동이나 역 이름")],
    vehicle: Annotated[
        Vehicle,
        Field(description="차종: compact 경차, sedan 승용차, suv SUV, truck 화물차(트럭), motorcycle 오토바이"),
    ],
    distance_km: Annotated[int, Field(ge=1, le=500, description="끌고 갈 거리, km")],
    at: Annotated[
        str | None, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="견인차가 올 시각 HH:MM")
    ] = None,
    flatbed: Annotated[bool, Field(description="차를 통째로 싣는 셀프로더 사용")] = False,
) -> tuple[str, BaseModel]:
    """차가 멈춘 곳과 차종, 거리로 견인 요금과 견인차 도착까지 걸리는 시간을 알려 준다."""
    return told(tow_quote(location, vehicle, distance_km, at, flatbed))


@insurance_tool()
async def lounge_pass_check(
    runtime: ToolRuntime[ToolContext],
    airport: Annotated[Airport, Field(description="공항")],
    day: Annotated[date, Field(description="라운지 이용일")],
    at: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="들어갈 시각, HH:MM (24시간)")],
    companions: Annotated[int, Field(ge=0, le=5, description="본인 말고 함께 들어갈 동반자 수, 명")] = 0,
    shower: Annotated[bool, Field(description="샤워실 쓸지")] = False,
) -> tuple[str, BaseModel]:
    """공항 라운지를 그 날짜와 시각에 쓸 수 있는지, 동반자 요금이 얼마인지 알려 준다."""
    return told(lounge_pass(airport, day, at, companions, shower))


@insurance_tool()
async def luggage_loss_report(
    runtime: ToolRuntime[ToolContext],
    owner: Annotated[str, Field(min_length=2, max_length=20, description="Name of the luggage owner")],
    flight: Annotated[str, Field(pattern=r"^[A-Z]{2}\d{3,4}$", description="Flight number, e.g. KE703")],
    state: Annotated[
        BagState,
        Field(
            description="What happened: missing 분실(없어짐), delayed 지연(늦게 도착), damaged 파손(깨지거나 찢어짐)"
        ),
    ],
    bags: Annotated[int, Field(ge=1, le=9, description="Number of bags, 개")] = 1,
    features: Annotated[
        str | None, Field(max_length=200, description="Colour, brand or other marks of the bag (짐 생김새)")
    ] = None,
) -> tuple[str, BaseModel]:
    """여행 중 부친 짐이 없어지거나 늦거나 깨졌을 때 신고 번호와 보상 한도를 알려 준다."""
    return told(luggage_report(owner, flight, state, bags))


TOOLS = [tow_quote_check, lounge_pass_check, luggage_loss_report]
