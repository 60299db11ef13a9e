"""Claims and contract actions: which procedure the words mean, its steps, papers and dates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from typing import Literal, TypeVar

from rapidfuzz import fuzz

from app.insurance.models import Model, Product
from app.insurance.names import name_key
from app.insurance.reference import ClaimForm, ClaimType, ContractAction, ContractProcedure

LIMITATION_YEARS = 3
LIMITATION = f"보험금 청구권은 사고일부터 {LIMITATION_YEARS}년이 지나면 소멸시효로 없어질 수 있습니다(상법 제662조)."
_ALIKE = 80.0
_GENERAL = "소액 간편 청구"
# What should be done after a talk, by the words of its summary: (words, task, days until due).
_TASKS: tuple[tuple[tuple[str, ...], str, int], ...] = (
    (("견적", "보험료", "플랜", "설계"), "상담한 조건으로 설계서를 만들어 전달", 1),
    (("비교", "고민", "생각해", "상의", "가족"), "비교 자료를 보내고 결정 여부를 다시 확인", 3),
    (("청구", "보험금", "진단", "수술", "입원", "서류"), "청구 서류 접수 여부 확인과 부족 서류 안내", 3),
    (("해지", "해약", "환급"), "해지 사유 확인, 감액·납입유예 등 유지 방법 안내", 1),
    (("실효", "부활", "미납", "연체"), "연체 보험료와 부활 가능 기한 안내", 2),
    (("갱신", "인상", "올랐"), "갱신 보험료 안내문 발송과 설명", 5),
    (("고지", "병력", "심사", "약 "), "계약 전 알릴 의무 항목 재확인과 심사 서류 안내", 2),
    (("대출",), "보험계약대출 가능 금액과 이자율 안내", 1),
    (("수익자", "주소", "변경"), "변경 신청서와 필요 서류 안내", 2),
    (("민원", "불만", "항의"), "불만 내용 정리와 담당 부서 전달, 처리 결과 회신", 1),
)
_ALWAYS = ("상담 내용 기록과 고객 동의 여부 확인", 0)


class ClaimGuide(Model):
    """How a claim goes. `other_types` are kinds that may be meant as well."""

    claim_type: str
    product_code: str | None
    name: str | None
    steps: tuple[str, ...]
    channels: tuple[str, ...]
    days: str
    limitation: str = LIMITATION
    note: str
    product_note: str | None
    forms_needed: tuple[str, ...]
    other_types: tuple[str, ...]


class ClaimForms(Model):
    """The papers of a claim, required ones first."""

    claim_type: str
    product_code: str | None
    name: str | None
    forms: tuple[ClaimForm, ...]
    required_count: int
    note: str
    other_types: tuple[str, ...]


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


def find_claims(claims: Sequence[ClaimType], words: str | None, product: Product | None) -> tuple[ClaimType, ...]:
    """The kinds of claim that the words mean, best first.

    Words that only ask to claim ('보험금 청구', '서류') name no kind: then it is the main kind of the product's
    category, with the other kinds of that category behind it, and without a product the general procedure.
    Empty when the words name something that no kind fits.
    """
    asked = _ASKING.sub("", name_key(words or ""))
    if not asked:
        return _by_product(claims, product)
    scored = [(_likeness(asked, claim), claim) for claim in claims if claim.name != GENERAL]
    fitting = {claim.name for claim in claims if product is None or product.category in claim.categories}
    best = sorted(scored, key=lambda pair: (-pair[0], pair[1].name not in fitting))
    return tuple(claim for score, claim in best if score >= _ALIKE)


def _by_product(claims: Sequence[ClaimType], product: Product | None) -> tuple[ClaimType, ...]:
    main = MAIN_KINDS.get(product.category, GENERAL) if product else GENERAL
    first = [claim for claim in claims if claim.name == main]
    others = [claim for claim in claims if product and product.category in claim.categories and claim.name != main]
    # Kinds that belong to few categories are the ones this product is bought for.
    return (*first, *sorted(others, key=lambda claim: len(claim.categories)))


def _likeness(asked: str, claim: ClaimType) -> float:
    """100 for the name itself, a bit less for a keyword inside the words, else the likeness of letters."""
    name = name_key(claim.name)
    if asked == name:
        return 100.0
    keys = [name, *(name_key(word) for word in claim.keywords)]
    inside = [len(key) for key in keys if key in asked]
    if inside:
        return 90.0 + min(max(inside), 9)
    # 암 alone is too short for a keyword, and a cancer is named by its organ: 유방암, 폐암.
    if claim.name == CANCER and _ANY_CANCER.search(asked):
        return 90.0
    if len(asked) > 1 and any(asked in key for key in keys):
        return 85.0 + min(len(asked), 4)
    return max(fuzz.ratio(asked, key) for key in keys)


def guide(claim: ClaimType, others: Iterable[ClaimType], product: Product | None) -> ClaimGuide:
    """The steps of one kind of claim, with the product's own first benefit rules where a product is named."""
    faq = next((f for f in product.faqs if f.topic == "청구"), None) if product else None
    return ClaimGuide(
        claim_type=claim.name, product_code=product.code if product else None, name=product.name if product else None,
        steps=claim.steps, channels=claim.channels, days=claim.days, note=claim.note,
        product_note=f"{faq.answer} ({faq.source})" if faq else None,
        forms_needed=tuple(form.name for form in claim.forms if form.required),
        other_types=tuple(other.name for other in others)[:3],
    )


def forms(claim: ClaimType, others: Iterable[ClaimType], product: Product | None) -> ClaimForms:
    """The papers of one kind of claim."""
    ordered = sorted(claim.forms, key=lambda form: not form.required)
    return ClaimForms(
        claim_type=claim.name, product_code=product.code if product else None, name=product.name if product else None,
        forms=tuple(ordered), required_count=sum(form.required for form in ordered), note=claim.note,
        other_types=tuple(other.name for other in others)[:3],
    )


def followup_tasks(summary: str, today: date) -> tuple[Task, ...]:
    """The to-dos that the words of a summary ask for, by due date; working days are not reckoned with, Sundays are skipped."""
    due = [(title, days) for words, title, days in _TASKS if any(word in summary for word in words)]
    if not due:
        due = [("상담에서 나온 질문의 답변 전달", 1), ("고객에게 다시 연락해 결정 여부 확인", 7)]
    found = [Task(title=title, due_date=_workday(today + timedelta(days=days))) for title, days in (_ALWAYS, *due)]
    return tuple(sorted(found, key=lambda task: task.due_date))


def _workday(day: date) -> date:
    return day + timedelta(days=1) if day.weekday() == 6 else day
