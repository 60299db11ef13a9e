"""Golf club of the members: tee times, lessons and rental of clubs."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Course = Literal["해솔", "달빛", "물길"]
Level = Literal["beginner", "intermediate", "advanced"]
DayKind = Literal["weekday", "saturday", "sunday"]
RentalItem = Literal["풀세트", "드라이버", "아이언", "퍼터", "골프화", "거리측정기"]

GREEN_FEE = {"weekday": 130_000, "saturday": 210_000, "sunday": 190_000}
COURSE_EXTRA = {"해솔": 0, "달빛": 10_000, "물길": 20_000}
FULL = {("해솔", 5, 7), ("해솔", 5, 8), ("달빛", 5, 8), ("해솔", 6, 8), ("물길", 2, 12)}
CADDIE_FEE = 150_000
CART_FEE = 100_000

PROS = {
    "김도윤": ("beginner", "intermediate"),
    "박세진": ("intermediate", "advanced"),
    "이하람": ("beginner",),
    "최민규": ("advanced",),
}
LESSON_FEE = {"beginner": 50_000, "intermediate": 70_000, "advanced": 100_000}
DAY_EXTRA = {"weekday": 0, "saturday": 10_000, "sunday": 15_000}

RENTAL_FEE = {"풀세트": 50_000, "드라이버": 15_000, "아이언": 25_000, "퍼터": 10_000, "골프화": 12_000, "거리측정기": 9_000}
RENTAL_DESKS = {
    "용인": "용인 클럽하우스 1층",
    "여주": "여주 프로샵",
    "가평": "가평 스타트하우스",
    "춘천": "춘천 프로샵",
    "제주": "제주공항 렌털 데스크",
    "기장": "기장 클럽하우스 지하 1층",
    "군산": "군산 프로샵",
    "송도": "송도 연습장 안내소",
}


def day_kind_of(day: date) -> DayKind:
    """The kind of day that the price list knows."""
    return "saturday" if day.weekday() == 5 else "sunday" if day.weekday() == 6 else "weekday"


class TeeTime(Model):
    """A tee time and what the round costs."""

    play_date: date = Field(description="라운드 날짜")
    tee_time: str = Field(description="티오프 시각")
    course: str = Field(description="코스")
    players: int = Field(description="인원, 명")
    open: bool = Field(description="예약 가능 여부")
    green_fee: int = Field(description="1인 그린피, 원")
    total: int = Field(description="팀 합계(카트·캐디 포함), 원")


def tee_time(play_date: date, time: str, players: int, course: Course | None, no_caddie: bool) -> TeeTime:
    """The first course with room at that hour, or the course that was asked for."""
    hour = int(time[:2])
    wanted = [course] if course else list(COURSE_EXTRA)
    free = [name for name in wanted if (name, play_date.weekday(), hour) not in FULL and 6 <= hour <= 18]
    chosen = free[0] if free else wanted[0]
    fee = GREEN_FEE[day_kind_of(play_date)] + COURSE_EXTRA[chosen]
    total = fee * players + CART_FEE + (0 if no_caddie else CADDIE_FEE)
    return TeeTime(
        play_date=play_date, tee_time=time, course=chosen, players=players, open=bool(free), green_fee=fee, total=total
    )


class Lesson(Model):
    """A lesson with a pro."""

    pro: str = Field(description="담당 프로")
    level: Level = Field(description="수준")
    count: int = Field(description="레슨 횟수, 회")
    fee_each: int = Field(description="1회 레슨비, 원")
    total: int = Field(description="레슨비 합계, 원")
    note: str | None = Field(default=None, description="안내")


def lesson(level: Level, day_kind: DayKind, count: int, pro_name: str | None) -> Lesson:
    """The pro who teaches the level; ten lessons or more cost a tenth less."""
    able = [name for name, levels in PROS.items() if level in levels]
    pro = pro_name if pro_name in able else able[0]
    note = None if pro_name in (None, pro) else f"{pro_name} 프로는 이 수준의 레슨이 없어 {pro} 프로로 안내합니다."
    each = LESSON_FEE[level] + DAY_EXTRA[day_kind]
    total = each * count * (9 if count >= 10 else 10) // 10
    return Lesson(pro=pro, level=level, count=count, fee_each=each, total=total, note=note)


class Rental(Model):
    """Clubs and gear to rent."""

    desk: str = Field(description="받는 곳")
    pickup_date: date
    days: int = Field(description="대여 기간, 일")
    items: tuple[str, ...] = Field(description="대여 품목")
    in_stock: bool = Field(description="재고 있음")
    total: int = Field(description="대여료, 원")


def rental(items: list[RentalItem], region: str, pickup_date: date, days: int, left_handed: bool) -> Rental:
    """The desk of the region and the price; left-handed irons are kept at three desks only."""
    place = next((name for name in RENTAL_DESKS if name in region), None)
    desk = RENTAL_DESKS[place] if place else "택배 대여(이틀 전까지 신청)"
    stock = not left_handed or place in {"용인", "제주", "송도"} or not {"풀세트", "드라이버", "아이언"} & set(items)
    total = sum(RENTAL_FEE[item] for item in items) * days
    return Rental(desk=desk, pickup_date=pickup_date, days=days, items=tuple(items), in_stock=stock, total=total)


@insurance_tool()
async def golf_tee_time(
    runtime: ToolRuntime[ToolContext],
    play_date: Annotated[date, Field(description="라운드 날짜")],
    tee_off: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="티오프 희망 시각 HH:MM (예: 07:30)")],
    players: Annotated[int, Field(ge=2, le=4, description="인원(명), 2~4")],
    course: Annotated[Course | None, Field(description="코스 이름")] = None,
    no_caddie: Annotated[bool, Field(description="노캐디(셀프) 라운드면 true")] = False,
) -> tuple[str, BaseModel]:
    """제휴 골프장의 티타임을 날짜·시각·인원으로 잡아 보고 비용 합계를 알려 준다."""
    return told(tee_time(play_date, tee_off, players, course, no_caddie))


@insurance_tool()
async def golf_lesson(
    runtime: ToolRuntime[ToolContext],
    level: Annotated[
        Level, Field(description="수준: beginner 입문·초보, intermediate 중급(90타대), advanced 상급(80타 이하·싱글)")
    ],
    day_kind: Annotated[DayKind, Field(description="요일 구분: weekday 평일, saturday 토요일, sunday 일요일·공휴일")],
    count: Annotated[int, Field(ge=1, le=20, description="레슨 횟수(회)")] = 1,
    pro_name: Annotated[str | None, Field(description="원하는 프로의 이름")] = None,
) -> tuple[str, BaseModel]:
    """제휴 골프장에서 받는 프로 레슨의 담당 프로와 레슨비를 알려 준다."""
    return told(lesson(level, day_kind, count, pro_name))


@insurance_tool()
async def golf_club_rental(
    runtime: ToolRuntime[ToolContext],
    items: Annotated[list[RentalItem], Field(min_length=1, description="빌릴 품목들")],
    region: Annotated[str, Field(description="골프채를 받을 지역(시·군·구·동)")],
    pickup_date: Annotated[date, Field(description="수령일")],
    days: Annotated[int, Field(ge=1, le=14, description="대여 기간(일)")] = 1,
    left_handed: Annotated[bool, Field(description="왼손잡이용이면 true")] = False,
) -> tuple[str, BaseModel]:
    """골프채와 골프용품을 지역별 대여소에서 빌릴 수 있는지와 대여료를 알려 준다."""
    return told(rental(items, region, pickup_date, days, left_handed))


TOOLS = [golf_tee_time, golf_lesson, golf_club_rental]
