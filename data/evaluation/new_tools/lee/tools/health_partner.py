"""Health partner of the insurer: clinics for a checkup, a place there, coach programmes."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Checkup = Literal["basic", "cancer", "heart", "women", "senior"]
Program = Literal["영양", "운동", "금연", "수면"]
Mode = Literal["전화", "영상", "방문"]

# code, name, where, km from the middle of the place, checkups, saturday, female doctor
_CLINICS = (
    ("HC-101", "한빛검진센터", "서울 강남구 강남역 역삼동 서초구 선릉역", 2, ("basic", "cancer", "heart", "women"), True, True),
    ("HC-102", "새봄의원", "서울 마포구 홍대입구역 합정역 은평구", 3, ("basic", "women", "senior"), True, True),
    ("HC-205", "푸른내과검진", "인천 부평구 부평역 송도 부천", 5, ("basic", "cancer", "senior"), True, False),
    ("HC-230", "든든병원", "수원 영통구 용인 화성 분당구 판교역", 6, ("basic", "cancer", "heart", "women", "senior"), False, True),
    ("HC-310", "한밭검진센터", "대전 유성구 세종 청주 천안", 4, ("basic", "cancer", "heart"), True, False),
    ("HC-417", "달구벌의료원", "대구 수성구 동대구역 포항 구미", 7, ("basic", "heart", "women", "senior"), False, True),
    ("HC-508", "바다건강센터", "부산 해운대구 서면역 울산 김해", 4, ("basic", "cancer", "heart", "women", "senior"), True, True),
    ("HC-620", "무등검진의원", "광주 북구 목포 전주 여수", 8, ("basic", "cancer", "women", "senior"), False, True),
)
_WEEK_FEES = {"영양": 12000, "운동": 18000, "금연": 9000, "수면": 15000}
_MODE_FACTOR = {"전화": 1, "영상": 2, "방문": 3}


class Clinic(Model):
    """One clinic of the partner."""

    code: str = Field(description="검진기관 코드")
    name: str = Field(description="검진기관")
    km: int = Field(description="거리, km")
    saturday_open: bool = Field(description="토요일 검진")
    female_doctor: bool = Field(description="여의사")


class ClinicsFound(Model):
    """The clinics that fit."""

    region: str = Field(description="지역")
    count: int = Field(description="찾은 기관 수, 곳")
    clinics: tuple[Clinic, ...] = Field(description="검진기관 목록")


class CheckupPlace(Model):
    """A place at a clinic."""

    clinic: str = Field(description="검진기관")
    examinee_name: str = Field(description="수검자")
    checkup_date: date = Field(description="검진일")
    arrival_time: str = Field(description="도착 시각")
    fasting_from: date = Field(description="금식 시작일(밤 9시부터)")
    needs_companion: bool = Field(description="보호자 동반 필요")


class CoachPlan(Model):
    """A programme with its end and its fee."""

    program: str = Field(description="프로그램")
    start_date: date = Field(description="시작일")
    end_date: date = Field(description="마지막 날")
    mode: str = Field(description="진행 방식")
    fee: int = Field(description="이용료, 원")
    within_budget: bool = Field(description="예산 안인지")


def clinics(region: str, checkup: str, max_km: int | None, saturday_open: bool | None, female_doctor: bool | None) -> ClinicsFound:
    """The nearest first."""
    words = region.split()
    hits = [
        Clinic(code=code, name=name, km=km, saturday_open=saturday, female_doctor=female)
        for code, name, where, km, checkups, saturday, female in _CLINICS
        if checkup in checkups
        and all(any(place in word or word in place for place in where.split()) for word in words)
        and (max_km is None or km <= max_km)
        and (not saturday_open or saturday)
        and (not female_doctor or female)
    ]
    hits.sort(key=lambda clinic: (clinic.km, clinic.code))
    return ClinicsFound(region=region, count=len(hits), clinics=tuple(hits))


def place(clinic_code: str, checkup_date: date, examinee_name: str, arrival_time: str, sedation: bool | None) -> CheckupPlace:
    """No food from the evening before; sedation needs somebody to go home with."""
    name = next((row[1] for row in _CLINICS if row[0] == clinic_code), clinic_code)
    return CheckupPlace(
        clinic=name,
        examinee_name=examinee_name,
        checkup_date=checkup_date,
        arrival_time=arrival_time,
        fasting_from=checkup_date - timedelta(days=1),
        needs_companion=bool(sedation),
    )


def plan(program: str, start_date: date, weeks: int, mode: str, max_fee: int | None) -> CoachPlan:
    """Weeks times the fee of a week, dearer by video and in person."""
    fee = _WEEK_FEES[program] * _MODE_FACTOR[mode] * weeks
    end = start_date + timedelta(weeks=weeks, days=-1)
    return CoachPlan(program=program, start_date=start_date, end_date=end, mode=mode, fee=fee, within_budget=max_fee is None or fee <= max_fee)


@insurance_tool()
async def checkup_clinic_find(
    runtime: ToolRuntime[ToolContext],
    region: Annotated[str, Field(description="지역(시, 구, 동)이나 지하철역")],
    checkup: Annotated[
        Checkup,
        Field(description="검진 종류: basic 기본 종합검진, cancer 암 정밀, heart 심장·뇌혈관, women 여성 검진, senior 시니어(어르신) 검진"),
    ],
    max_km: Annotated[int | None, Field(ge=1, le=50, description="최대 거리(km)")] = None,
    saturday_open: Annotated[bool | None, Field(description="토요일 검진 되는 곳만")] = None,
    female_doctor: Annotated[bool | None, Field(description="여의사 있는 곳")] = None,
) -> tuple[str, BaseModel]:
    """지역과 검진 종류에 맞는 제휴 건강검진 기관을 찾아 준다."""
    return told(clinics(region, checkup, max_km, saturday_open, female_doctor))


@insurance_tool()
async def checkup_book(
    runtime: ToolRuntime[ToolContext],
    clinic_code: Annotated[str, Field(pattern=r"^HC-\d{3}$", description="Clinic code, e.g. HC-102")],
    checkup_date: Annotated[date, Field(description="Day of the checkup")],
    examinee_name: Annotated[str, Field(description="Name of the person examined")],
    arrival_time: Annotated[str, Field(pattern=r"^\d{2}:\d{2}$", description="Arrival time HH:MM, mornings only")] = "08:00",
    sedation: Annotated[bool | None, Field(description="Sedated endoscopy (수면내시경); false = without sedation (비수면)")] = None,
) -> tuple[str, BaseModel]:
    """제휴 검진기관에 건강검진 날짜를 예약한다."""
    return told(place(clinic_code, checkup_date, examinee_name, arrival_time, sedation))


@insurance_tool()
async def coach_program_plan(
    runtime: ToolRuntime[ToolContext],
    program: Annotated[Program, Field(description="코칭 프로그램")],
    start_date: Annotated[date, Field(description="시작일")],
    weeks: Annotated[int, Field(ge=2, le=24, description="기간(주)")],
    mode: Annotated[Mode, Field(description="코치와 만나는 방식")] = "전화",
    max_fee: Annotated[int | None, Field(ge=10000, le=2000000, description="쓸 수 있는 돈의 상한, 원")] = None,
) -> tuple[str, BaseModel]:
    """영양·운동 같은 건강 코칭 프로그램을 신청하면 언제 끝나고 얼마가 드는지 잡아 준다."""
    return told(plan(program, start_date, weeks, mode, max_fee))


TOOLS = [checkup_clinic_find, checkup_book, coach_program_plan]
