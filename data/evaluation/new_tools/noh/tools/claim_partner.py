"""Partners around a claim: adjuster at home, translation of foreign papers, company to the hospital."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Slot = Literal["morning", "afternoon", "evening"]
Language = Literal["english", "japanese", "chinese", "vietnamese", "thai", "german"]
Paper = Literal["진단서", "수술기록지", "영수증", "입퇴원확인서", "처방전"]

SLOT_HOURS = {"morning": "09:00~12:00", "afternoon": "13:00~17:00", "evening": "18:00~20:00"}
ADJUSTERS = (("정유라", True), ("한동수", False), ("오세림", True), ("배진호", False))

PAGE_PRICE = {"english": 18_000, "japanese": 20_000, "chinese": 20_000, "vietnamese": 28_000, "thai": 30_000, "german": 32_000}
PAPER_FACTOR = {"진단서": 10, "수술기록지": 15, "영수증": 7, "입퇴원확인서": 9, "처방전": 8}
NOTARY_FEE = 40_000

HOURLY = {"weekday": 18_000, "weekend": 23_000}


class AdjusterVisit(Model):
    """A visit of an adjuster at home."""

    claim_no: str = Field(description="접수번호")
    adjuster: str = Field(description="방문할 손해사정사")
    visit_date: date = Field(description="방문일")
    hours: str = Field(description="방문 시간대")
    district: str
    open: bool = Field(description="방문 가능 여부")


def adjuster_visit(claim_no: str, visit_date: date, slot: Slot, district: str, female: bool) -> AdjusterVisit:
    """The adjuster whose turn it is by the number of the claim; none come on a Sunday or on a Saturday evening."""
    able = [name for name, woman in ADJUSTERS if woman or not female]
    weekday = visit_date.weekday()
    return AdjusterVisit(
        claim_no=claim_no,
        adjuster=able[int(claim_no[-6:]) % len(able)],
        visit_date=visit_date,
        hours=SLOT_HOURS[slot],
        district=district,
        open=weekday < 5 or (weekday == 5 and slot != "evening"),
    )


class Translation(Model):
    """What the translation costs and when it is done."""

    source_language: Language
    doc_kind: Paper = Field(description="서류 종류")
    pages: int = Field(description="분량, 장")
    price: int = Field(description="번역료, 원")
    work_days: int = Field(description="걸리는 날, 일")
    ready_by: date = Field(description="완료 예정일")
    in_time: bool | None = Field(default=None, description="원하는 날까지 가능")


def translation(
    source_language: Language, doc_kind: Paper, pages: int, notarized: bool, due: date | None, today: date
) -> Translation:
    """Ten pages a day, a day more for a notary."""
    price = PAGE_PRICE[source_language] * PAPER_FACTOR[doc_kind] * pages // 10 + (NOTARY_FEE if notarized else 0)
    work_days = 1 + pages // 10 + (1 if notarized else 0)
    ready = today + timedelta(days=work_days)
    return Translation(
        source_language=source_language,
        doc_kind=doc_kind,
        pages=pages,
        price=price,
        work_days=work_days,
        ready_by=ready,
        in_time=None if due is None else ready <= due,
    )


class Companion(Model):
    """A companion for a day at the hospital."""

    pickup_place: str = Field(description="만나는 곳")
    escort_date: date = Field(description="동행일")
    start_time: str = Field(description="시작 시각")
    end_time: str = Field(description="끝나는 시각")
    fee: int = Field(description="이용료, 원")
    memo: str | None = Field(default=None, description="전달 사항")


def companion(pickup_place: str, escort_date: date, start_time: str, hours: int, memo: str | None) -> Companion:
    """The hours of the companion and their price."""
    end = f"{min(int(start_time[:2]) + hours, 24):02d}:{start_time[3:]}"
    rate = HOURLY["weekend" if escort_date.weekday() >= 5 else "weekday"]
    return Companion(
        pickup_place=pickup_place,
        escort_date=escort_date,
        start_time=start_time,
        end_time=end,
        fee=rate * hours,
        memo=memo,
    )


@insurance_tool()
async def adjuster_home_visit(
    runtime: ToolRuntime[ToolContext],
    claim_no: Annotated[str, Field(pattern=r"^CL-\d{6}$", description="사고 접수번호 (예: CL-204815)")],
    visit_date: Annotated[date, Field(description="방문 희망일")],
    slot: Annotated[Slot, Field(description="시간대: morning 오전, afternoon 오후, evening 저녁")],
    district: Annotated[str, Field(description="방문할 동네 (구·동)")],
    female_adjuster: Annotated[bool, Field(description="여성 손해사정사를 원하면 true")] = False,
) -> tuple[str, BaseModel]:
    """손해사정사가 집으로 찾아오는 방문 조사 일정을 잡아 본다."""
    return told(adjuster_visit(claim_no, visit_date, slot, district, female_adjuster))


@insurance_tool()
async def medical_paper_translation(
    runtime: ToolRuntime[ToolContext],
    source_language: Annotated[Language, Field(description="Language the paper is written in")],
    doc_kind: Annotated[Paper, Field(description="Kind of medical paper")],
    pages: Annotated[int, Field(ge=1, le=100, description="Number of pages (장)")],
    notarized: Annotated[bool, Field(description="True if the translation has to be notarized (공증)")] = False,
    due_date: Annotated[date | None, Field(description="Date by which the translation is needed")] = None,
) -> tuple[str, BaseModel]:
    """외국 병원에서 받은 의료 서류를 한국어로 번역하는 비용과 걸리는 날을 알려 준다."""
    return told(translation(source_language, doc_kind, pages, notarized, due_date, runtime.context.today()))


@insurance_tool()
async def hospital_companion(
    runtime: ToolRuntime[ToolContext],
    pickup_place: Annotated[str, Field(description="동행 매니저와 만날 곳. 역이나 동 이름")],
    escort_date: Annotated[date, Field(description="병원 가는 날")],
    start_time: Annotated[str, Field(pattern=r"^([01]\d|2[0-3]):[0-5]\d$", description="만나는 시각, HH:MM")],
    hours: Annotated[int, Field(ge=2, le=12, description="이용 시간(시간)")] = 3,
    memo: Annotated[str | None, Field(max_length=200, description="매니저에게 전할 말 (거동, 준비물 등)")] = None,
) -> tuple[str, BaseModel]:
    """병원에 함께 가고 곁에서 돌봐 줄 동행 매니저를 구하고 이용료를 알려 준다."""
    return told(companion(pickup_place, escort_date, start_time, hours, memo))


TOOLS = [adjuster_home_visit, medical_paper_translation, hospital_companion]
