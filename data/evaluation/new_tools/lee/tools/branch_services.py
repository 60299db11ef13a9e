"""Customer centres: which one does what, a visit, papers."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Service = Literal["보험금 청구", "대출", "계약 변경", "증명서 발급", "연금 상담"]
Branch = Literal["강남", "종로", "수원", "인천", "대전", "대구", "부산", "광주"]
Document = Literal["납입증명서", "가입증명서", "지급내역서", "계약사항확인서", "부채증명서"]

# name, where (words of the address and the stations near), services, saturday, parking
_CENTRES = (
    ("강남", "서울 서울시 서울특별시 강남구 역삼동 강남역 잠실역 사당역 신사역", ("보험금 청구", "대출", "계약 변경", "증명서 발급", "연금 상담"), True, False),
    ("종로", "서울 서울시 서울특별시 종로구 노원구 서울역 신촌역 종각역 광화문역", ("보험금 청구", "대출", "계약 변경", "증명서 발급"), True, True),
    ("수원", "수원 수원시 분당 분당구 성남 성남시 안양 안양시 일산 수원역 경기", ("보험금 청구", "대출", "증명서 발급", "연금 상담"), False, True),
    ("인천", "인천 인천시 인천광역시 부평구 남동구 송도 부평역", ("보험금 청구", "계약 변경", "증명서 발급"), False, True),
    ("대전", "대전 대전시 대전광역시 서구 둔산동 천안 천안시 청주 청주시", ("보험금 청구", "대출", "연금 상담"), False, True),
    ("대구", "대구 대구시 대구광역시 수성구 동대구역 포항 포항시", ("보험금 청구", "대출", "증명서 발급", "연금 상담"), True, True),
    ("부산", "부산 부산시 부산광역시 해운대구 해운대 서면역 울산 울산시 창원 창원시", ("보험금 청구", "대출", "계약 변경", "연금 상담"), True, True),
    ("광주", "광주 광주시 광주광역시 상무지구 전주 전주시 제주 제주시", ("보험금 청구", "대출", "계약 변경", "증명서 발급", "연금 상담"), False, True),
)
_FEES = {"visit": 0, "email": 0, "fax": 0, "post": 2500}
_DAYS = {"visit": 0, "email": 0, "fax": 1, "post": 4}


class Centre(Model):
    """One customer centre."""

    name: str = Field(description="고객센터")
    services: tuple[str, ...] = Field(description="보는 업무")
    saturday: bool = Field(description="토요일 운영")
    parking: bool = Field(description="주차 가능")


class CentresFound(Model):
    """The centres that fit."""

    region: str = Field(description="찾은 곳")
    service: str = Field(description="업무")
    count: int = Field(description="찾은 센터 수, 곳")
    centres: tuple[Centre, ...] = Field(description="고객센터 목록")


class Visit(Model):
    """A visit that was put down."""

    branch: str = Field(description="방문할 센터")
    visit_date: date = Field(description="방문일")
    visit_time: str = Field(description="방문 시각")
    people: int = Field(description="방문 인원, 명")
    open_that_day: bool = Field(description="그날 문을 여는지")
    memo: str | None = Field(default=None, description="남긴 말")


class Issue(Model):
    """What the papers cost and when they come."""

    holder_name: str = Field(description="계약자")
    documents: tuple[str, ...] = Field(description="발급 서류")
    method: str
    total_copies: int = Field(description="모두 몇 통, 통")
    fee: int = Field(description="수수료, 원")
    days: int = Field(description="걸리는 날, 일")
    masked: bool = Field(description="주민번호 뒷자리 가림")


def centres(region: str, service: str, day: str | None, parking: bool | None) -> CentresFound:
    """The centres whose address has every word of the place."""
    words = region.split()
    hits = tuple(
        Centre(name=name, services=services, saturday=saturday, parking=park)
        for name, where, services, saturday, park in _CENTRES
        if service in services
        and all(any(word in known for known in where.split()) for word in words)
        and (day != "saturday" or saturday)
        and (not parking or park)
    )
    return CentresFound(region=region, service=service, count=len(hits), centres=hits)


def visit(branch: str, visit_date: date, visit_time: str, people: int, memo: str | None) -> Visit:
    """Saturdays only where the centre has them, never on a Sunday."""
    saturday = next(row[3] for row in _CENTRES if row[0] == branch)
    weekday = visit_date.weekday()
    is_open = weekday < 5 or (weekday == 5 and saturday)
    return Visit(branch=branch, visit_date=visit_date, visit_time=visit_time, people=people, open_that_day=is_open, memo=memo)


def issue(holder_name: str, documents: list[str], method: str, copies: int, masked: bool | None) -> Issue:
    """The fee is the way's, not the paper's."""
    return Issue(
        holder_name=holder_name,
        documents=tuple(documents),
        method=method,
        total_copies=copies * len(documents),
        fee=_FEES[method],
        days=_DAYS[method],
        masked=masked is not False,
    )


@insurance_tool()
async def branch_find(
    runtime: ToolRuntime[ToolContext],
    region: Annotated[str, Field(description="찾을 곳: 시·구·동 또는 역 이름")],
    service: Annotated[Service, Field(description="창구에서 볼 업무")],
    day: Annotated[Literal["weekday", "saturday"] | None, Field(description="요일 구분: weekday 평일, saturday 토요일")] = None,
    parking: Annotated[bool | None, Field(description="주차되는 곳만")] = None,
) -> tuple[str, BaseModel]:
    """지역과 업무를 받아 그 업무를 보는 고객센터를 찾아 준다."""
    return told(centres(region, service, day, parking))


@insurance_tool()
async def branch_visit_book(
    runtime: ToolRuntime[ToolContext],
    branch: Annotated[Branch, Field(description="방문할 고객센터")],
    visit_date: Annotated[date, Field(description="방문 날짜")],
    visit_time: Annotated[str, Field(pattern=r"^\d{2}:\d{2}$", description="방문 시각 HH:MM, 영업시간 09:00~16:00")],
    people: Annotated[int, Field(ge=1, le=6, description="같이 오는 사람 포함 인원(명)")] = 1,
    memo: Annotated[str | None, Field(description="창구 직원에게 미리 남길 말")] = None,
) -> tuple[str, BaseModel]:
    """고객센터 방문 상담을 날짜와 시각을 정해 예약한다."""
    return told(visit(branch, visit_date, visit_time, people, memo))


@insurance_tool()
async def branch_document_issue(
    runtime: ToolRuntime[ToolContext],
    documents: Annotated[list[Document], Field(min_length=1, description="떼려는 서류(여러 개 가능)")],
    method: Annotated[
        Literal["visit", "email", "fax", "post"],
        Field(description="받는 방법: visit 창구 방문 수령, email 이메일, fax 팩스, post 우편"),
    ],
    holder_name: Annotated[str, Field(description="계약자 이름")],
    copies: Annotated[int, Field(ge=1, le=10, description="서류마다 몇 통")] = 1,
    masked: Annotated[bool | None, Field(description="주민등록번호 뒷자리를 가릴지. false면 전부 표시")] = None,
) -> tuple[str, BaseModel]:
    """고객센터에서 떼는 증명 서류의 발급을 접수하고 수수료와 걸리는 날을 알려 준다."""
    return told(issue(holder_name, documents, method, copies, masked))


TOOLS = [branch_find, branch_visit_book, branch_document_issue]
