"""What is to be done after a talk, by the words of its summary."""

from __future__ import annotations

import re
from datetime import date, timedelta

from app.insurance.models import Model

_SATURDAY = 5
# (words of the summary, task, days until due)
_TASKS: tuple[tuple[re.Pattern[str], str, int], ...] = (
    (
        re.compile(r"견적|설계|플랜|가입\s?(?:문의|희망|의사|상담)|보험료\s?(?:문의|안내|산출|궁금|상담)"),
        "상담한 조건으로 설계서를 만들어 전달",
        1,
    ),
    (
        re.compile(r"비교|고민|생각해|상의|의논|망설"),
        "비교 자료를 보내고 결정 여부를 다시 확인",
        3,
    ),
    (
        re.compile(r"청구|보험금|구비\s?서류|서류\s?(?:미비|부족|보완)"),
        "청구 서류 접수 여부 확인과 부족한 서류 안내",
        3,
    ),
    (
        re.compile(r"해지|해약|환급"),
        "해지 사유 확인과 감액·납입유예 같은 유지 방법 안내",
        1,
    ),
    (
        re.compile(r"실효|부활|미납|연체"),
        "연체 보험료와 부활 가능 기한 안내",
        2,
    ),
    (
        re.compile(r"갱신|인상|올랐|올라"),
        "갱신 보험료 안내문 발송과 설명",
        5,
    ),
    (
        re.compile(r"고지|병력|심사|복용|진단받|수술받|치료\s?중|혈압|당뇨"),
        "계약 전 알릴 의무 항목 재확인과 심사 서류 안내",
        2,
    ),
    (
        re.compile(r"대출"),
        "보험계약대출 가능 금액과 이자율 안내",
        1,
    ),
    (
        re.compile(r"수익자|주소|연락처\s?변경|계약자\s?변경"),
        "변경 신청서와 필요 서류 안내",
        2,
    ),
    (
        re.compile(r"철회"),
        "청약철회 기한 확인과 접수 방법 안내",
        1,
    ),
    (
        re.compile(r"민원|불만|항의|컴플레인"),
        "불만 내용 정리와 담당 부서 전달, 처리 결과 회신",
        1,
    ),
    (
        re.compile(r"재통화|다시\s?(?:전화|연락|통화)|콜백|부재|통화\s?(?:어렵|불가|곤란)"),
        "약속한 시간에 다시 전화",
        1,
    ),
)
_ALWAYS = ("상담 내용 기록과 고객 동의 여부 확인", 0)
_OTHERWISE = (("상담에서 나온 질문의 답변 전달", 1), ("고객에게 다시 연락해 결정 여부 확인", 7))


class Task(Model):
    """Something to do by a day."""

    title: str
    due_date: date


class FollowupTasks(Model):
    """The to-do list of a talk. `saved` is true once it stands in the customer's record."""

    summary: str
    customer_id: str | None
    tasks: tuple[Task, ...]
    count: int
    saved: bool
    save_note: str | None

    @property
    def approval_effect(self) -> str:
        """What the person agrees to."""
        titles = ", ".join(task.title for task in self.tasks)
        return f"고객 {self.customer_id}의 기록에 다음 할 일을 저장합니다: {titles}."


def followup_tasks(summary: str, today: date) -> tuple[Task, ...]:
    """The to-dos that a summary asks for, by due date. A due day on a weekend moves to Monday; holidays are not known.

    The record of the talk itself is due on the very day.
    """
    due = [(title, days) for words, title, days in _TASKS if words.search(summary)] or list(_OTHERWISE)
    later = [Task(title=title, due_date=_workday(today + timedelta(days=days))) for title, days in due]
    return (Task(title=_ALWAYS[0], due_date=today), *sorted(later, key=lambda task: task.due_date))


def _workday(day: date) -> date:
    return day + timedelta(days=max(0, 7 - day.weekday())) if day.weekday() >= _SATURDAY else day
