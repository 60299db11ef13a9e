"""Health check-up centre of the partner: packages, free slots, results by post."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from langgraph.prebuilt import ToolRuntime
from pydantic import BaseModel, Field

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import insurance_tool
from app.tools.results import told

Gender = Literal["남성", "여성"]
Focus = Literal["위", "대장", "심장", "뇌", "갑상선", "유방"]
Half = Literal["morning", "afternoon"]
Way = Literal["등기", "일반우편", "이메일"]

# name, least age, price, organs
PACKAGES: tuple[tuple[str, int, int, tuple[str, ...]], ...] = (
    ("베이직", 19, 180_000, ("위",)),
    ("스탠더드", 30, 350_000, ("위", "갑상선")),
    ("플러스", 40, 520_000, ("위", "대장", "갑상선", "유방")),
    ("하트브레인", 45, 880_000, ("심장", "뇌")),
    ("프리미엄", 50, 1_350_000, ("위", "대장", "심장", "뇌", "갑상선", "유방")),
)
SEDATION = 70_000

# branch, seats of a morning, seats of an afternoon, woman doctors on these weekdays
BRANCHES: dict[str, tuple[int, int, tuple[int, ...]]] = {
    "강남": (12, 6, (0, 2, 4)),
    "여의도": (10, 4, (1, 3)),
    "수원": (8, 5, (0, 1, 2)),
    "인천": (7, 3, (2, 4)),
    "대전": (9, 4, (0, 3)),
    "대구": (6, 4, (1, 4)),
    "부산": (11, 5, (0, 2, 5)),
    "광주": (6, 2, (3,)),
}

POSTAGE = {"등기": (3_500, 4), "일반우편": (0, 7), "이메일": (0, 1)}


class CheckupPackage(Model):
    """The package that fits best."""

    package: str = Field(description="패키지")
    price: int = Field(description="검진비, 원")
    organs: tuple[str, ...] = Field(description="들어 있는 부위")
    within_budget: bool | None = Field(default=None, description="예산 안에 드는지")


class CheckupSlots(Model):
    """Free seats of a branch on a day."""

    branch: str = Field(description="지점")
    day: date = Field(description="검진일")
    open_that_day: bool = Field(description="문 여는 날")
    free_seats: int = Field(description="남은 자리, 명")
    enough: bool = Field(description="신청 인원이 다 들어가는지")
    woman_doctor: bool | None = Field(default=None, description="여성 의료진 가능")


class ResultPost(Model):
    """How and when the result sheet arrives."""

    receipt_no: str = Field(description="접수번호")
    recipient: str = Field(description="받는 분")
    way: str = Field(description="받는 방법")
    copies: int = Field(description="부수, 부")
    fee: int = Field(description="발송료, 원")
    days: int = Field(description="걸리는 날, 일")


def best_package(age: int, gender: str, focus: tuple[str, ...], budget: int | None, sedation: bool) -> CheckupPackage:
    """The cheapest package of the age that has every organ asked for, else the richest one."""
    fit = [row for row in PACKAGES if row[1] <= age]
    chosen = next((row for row in fit if set(focus) <= set(row[3])), fit[-1])
    organs = tuple(o for o in chosen[3] if not (gender == "남성" and o == "유방"))
    price = chosen[2] + (SEDATION if sedation else 0)
    return CheckupPackage(
        package=chosen[0], price=price, organs=organs, within_budget=None if budget is None else price <= budget
    )


def free_slots(branch: str, day: date, half: str | None, people: int, woman_doctor: bool) -> CheckupSlots:
    """Seats left; closed on Sundays, mornings only on Saturdays."""
    name = next((key for key in BRANCHES if key in branch), None)
    morning, afternoon, women = BRANCHES.get(name or "", (0, 0, ()))
    taken = day.day % 5
    week = day.weekday()
    seats_am = 0 if week == 6 else max(morning - taken, 0)
    seats_pm = 0 if week >= 5 else max(afternoon - taken, 0)
    seats = {"morning": seats_am, "afternoon": seats_pm}.get(half or "", seats_am + seats_pm)
    return CheckupSlots(
        branch=name or branch,
        day=day,
        open_that_day=name is not None and week != 6,
        free_seats=seats,
        enough=seats >= people,
        woman_doctor=(week in women) if woman_doctor else None,
    )


def result_post(receipt_no: str, recipient: str, way: str, copies: int, english: bool) -> ResultPost:
    """Fee and days of a way; an English sheet takes two days and 5,000 won more a copy."""
    fee, days = POSTAGE[way]
    extra = 5_000 * copies if english else 0
    return ResultPost(
        receipt_no=receipt_no,
        recipient=recipient,
        way=way,
        copies=copies,
        fee=fee + extra,
        days=days + (2 if english else 0),
    )


@insurance_tool()
async def checkup_package_find(
    runtime: ToolRuntime[ToolContext],
    age: Annotated[int, Field(ge=19, le=90, description="검진받는 분 만 나이, 세")],
    gender: Annotated[Gender, Field(description="성별")],
    focus: Annotated[list[Focus] | None, Field(description="꼭 보고 싶은 부위. 여러 개 가능")] = None,
    budget: Annotated[int | None, Field(ge=50_000, le=5_000_000, description="예산, 원")] = None,
    sedation: Annotated[bool, Field(description="수면내시경 포함 여부")] = False,
) -> tuple[str, BaseModel]:
    """나이와 성별에 맞는 제휴 검진센터의 검진 패키지와 값을 찾아 준다."""
    return told(best_package(age, gender, tuple(focus or ()), budget, sedation))


@insurance_tool()
async def checkup_slot_check(
    runtime: ToolRuntime[ToolContext],
    branch: Annotated[str, Field(min_length=2, description="검진센터가 있는 시·구·동 (예: 강남구)")],
    day: Annotated[date, Field(description="검진 희망일")],
    half: Annotated[Half | None, Field(description="시간대: morning 오전, afternoon 오후")] = None,
    people: Annotated[int, Field(ge=1, le=10, description="같이 받는 인원, 명")] = 1,
    woman_doctor: Annotated[bool, Field(description="여성 의료진 희망")] = False,
) -> tuple[str, BaseModel]:
    """제휴 검진센터에 그날 건강검진 빈자리가 몇 명이나 남았는지 알려 준다."""
    return told(free_slots(branch, day, half, people, woman_doctor))


@insurance_tool()
async def checkup_result_post(
    runtime: ToolRuntime[ToolContext],
    receipt_no: Annotated[str, Field(pattern=r"^HC-\d{6}$", description="검진 접수번호 (예: HC-204518)")],
    recipient: Annotated[str, Field(min_length=2, max_length=20, description="받는 사람 이름")],
    way: Annotated[Way, Field(description="결과지 받는 방법")],
    copies: Annotated[int, Field(ge=1, le=5, description="부수, 부")] = 1,
    english: Annotated[bool, Field(description="영문 결과지로")] = False,
) -> tuple[str, BaseModel]:
    """건강검진 결과지를 보내는 방법에 따라 발송료와 도착까지 걸리는 날을 알려 준다."""
    return told(result_post(receipt_no, recipient, way, copies, english))


TOOLS = [checkup_package_find, checkup_slot_check, checkup_result_post]
