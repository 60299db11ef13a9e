"""Which kind of claim free words mean, and which to-dos a talk leaves."""

from __future__ import annotations

from datetime import date

import pytest

from app.insurance.catalogue import Catalogue
from app.insurance.claims import GENERAL, LIMITATION, MAIN_KINDS, find_claims, forms, guide, named_claims
from app.insurance.followups import followup_tasks

MONDAY = date(2026, 3, 2)


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("암 진단", "암 진단"),
        ("암", "암 진단"),
        ("유방암 걸렸어요", "암 진단"),
        ("폐암 판정", "암 진단"),
        ("백혈병", "암 진단"),
        ("암이 재발했어요", "암 재진단"),
        ("표적항암 치료", "항암치료"),
        ("맹장수술", "수술"),
        ("백내장 수술했어요", "수술"),
        ("갑상선 수술", "수술"),
        ("병원에 입원했다 퇴원", "입원"),
        ("응급실 다녀왔어요", "통원"),
        ("팔 부러짐", "상해·골절"),
        ("계단에서 넘어져서 다쳤어요", "상해·골절"),
        ("교통사고", "상해·골절"),
        ("골졀", "상해·골절"),
        ("임플란트 청구", "임플란트·보철"),
        ("임프란트", "임플란트·보철"),
        ("이를 뺐어요", "임플란트·보철"),
        ("충치 때웠어요", "치과 치료"),
        ("크라운", "치과 치료"),
        ("아버지가 돌아가셨어요", "사망"),
        ("돌아가셨", "사망"),
        ("남편이 세상을 떠났어요", "사망"),
        ("간병비", "간병·장기요양"),
        ("요양원에 모셨어요", "간병·장기요양"),
        ("치매 진단 받으셨어요", "치매 진단"),
        ("경도인지장애", "치매 진단"),
        ("뇌경색", "뇌·심장 진단"),
        ("심장마비", "뇌·심장 진단"),
        ("영구장애 판정", "후유장해"),
        ("보험료 면제", "납입면제"),
        ("만기금", "해약환급금·만기"),
        ("실비 청구", "실손의료비 문의"),
        ("엄마 대신 청구", "대리 청구"),
        ("소액 청구", "소액 간편 청구"),
        (None, GENERAL),
        ("", GENERAL),
        ("보험금 청구", GENERAL),
        ("청구 서류 뭐", GENERAL),
    ],
)
def test_free_words_find_their_kind(catalogue: Catalogue, words: str | None, kind: str) -> None:
    found = find_claims(catalogue.reference.claims, words, None)
    assert found and found[0].name == kind


@pytest.mark.parametrize("words", ["우주여행", "강아지 예방접종", "사랑", "암막 커튼", "암호 분실", "자동차 세차"])
def test_words_of_other_things_find_nothing(catalogue: Catalogue, words: str) -> None:
    assert find_claims(catalogue.reference.claims, words, None) == ()


def test_a_cancer_surgery_means_the_surgery_and_perhaps_the_diagnosis(catalogue: Catalogue) -> None:
    names = [claim.name for claim in find_claims(catalogue.reference.claims, "유방암 수술", None)]
    assert names[:2] == ["수술", "암 진단"]


def test_without_words_a_product_means_the_kind_it_is_bought_for(catalogue: Catalogue) -> None:
    known = {claim.name for claim in catalogue.reference.claims}
    assert {*MAIN_KINDS.values(), GENERAL} <= known
    for product in catalogue.products:
        found = find_claims(catalogue.reference.claims, None, product)
        assert found[0].name == MAIN_KINDS.get(product.category, GENERAL)
        assert all(product.category in claim.categories for claim in found)


def test_the_guide_and_the_forms_name_the_limitation_the_product_and_other_kinds(catalogue: Catalogue) -> None:
    product = catalogue.product("B00115023")
    first, *others = find_claims(catalogue.reference.claims, "유방암 수술", product)
    told = guide(first, others, product)
    assert told.limitation == LIMITATION and "3년" in told.limitation and "상법 제662조" in told.limitation
    assert told.name == product.name and "암 진단" in told.other_types and len(told.other_types) <= 3
    papers = forms(first, others, product)
    assert papers.required_count == len(told.forms_needed)


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        ("뉴스타트암보험 보험료 안내함", ["설계서"]),
        ("더 생각해 보고 연락 준다고 하심", ["비교 자료"]),
        ("해지하고 싶다고 함", ["유지 방법"]),
        ("보험료 연체로 실효", ["연체 보험료"]),
        ("갱신 보험료가 올라 불만", ["갱신 보험료", "불만 내용"]),
        ("수익자를 배우자로 바꾸려 함", ["변경 신청서"]),
        ("혈압약 복용 중", ["알릴 의무"]),
        ("바쁘다고 내일 다시 전화 달라고 함", ["다시 전화"]),
        ("인사만 나눔", ["질문의 답변", "결정 여부"]),
    ],
)
def test_a_summary_leaves_its_to_dos(summary: str, words: list[str]) -> None:
    titles = [task.title for task in followup_tasks(summary, MONDAY)]
    assert titles[0].startswith("상담 내용 기록")
    assert [word for word in words if not any(word in title for title in titles[1:])] == []


def test_a_changed_contract_is_no_talk_of_medicine() -> None:
    titles = [task.title for task in followup_tasks("계약 변경 문의", MONDAY)]
    assert not any("알릴 의무" in title for title in titles)


def test_due_days_are_working_days_in_order_and_the_record_is_due_today() -> None:
    for offset in range(14):
        today = date(2026, 3, 2 + offset)
        tasks = followup_tasks("견적과 비교, 청구 서류, 갱신, 해지 민원", today)
        assert tasks[0].due_date == today
        later = [task.due_date for task in tasks[1:]]
        assert later == sorted(later) and all(day.weekday() < 5 and day > today for day in later)


def test_the_papers_of_several_kinds_are_told_once_each(catalogue: Catalogue) -> None:
    claims = catalogue.reference.claims
    words = "위암, 수술, 입원"
    found, named = find_claims(claims, words, None), named_claims(claims, words)
    assert {kind.name for kind in named} >= {"암 진단", "수술", "입원"}
    papers = forms(found[0], found[1:], None, named)
    names = [form.name for form in papers.forms]
    assert len(names) == len(set(names)) and {"조직검사 결과지(병리보고서)", "입퇴원확인서"} <= set(names)
    assert papers.required_count == sum(form.required for form in papers.forms)
    assert forms(found[0], found[1:], None).claim_type == found[0].name
