"""Grounding: every equal form of a given figure is accepted, every changed one is caught."""

from __future__ import annotations

import json
import random
import re

import pytest

from app.safety.evidence import Evidence
from app.safety.grounding import ProductNames, ungrounded
from app.safety.sentences import sentences
from tests.safety.conftest import PRODUCTS

RESULT = {
    "name": "뉴스타트암보험",
    "code": "B00115023",
    "age": 45,
    "gender": "M",
    "premium": 20625,
    "sum_insured": 30000000,
    "rate": 0.5,
    "reduction_months": 12,
    "waiting_days": 90,
    "effective_date": "2025-04-01",
    "payment_years": 10,
    "entry_age": {"min": 20, "max": 65},
    "renewal_max_age": 80,
    "refund": 150000000,
    "discount": 0.015,
    "source": "상품설명서 7쪽, 약관 제12조",
    "company_phone": "1588-0000",
    "plans": [{"name": "기본형"}, {"name": "종합형"}],
}
EVIDENCE = [json.dumps(RESULT, ensure_ascii=False), "마흔다섯 남자고 예산은 오만 원이에요. 1980년 3월생"]
NAMES = ProductNames(PRODUCTS)


def loose(answer: str) -> list[str]:
    return [found.text for found in ungrounded(answer, EVIDENCE, NAMES)]


@pytest.mark.parametrize(
    "answer",
    [
        "월 20,625원입니다.",
        "월 2만 625원입니다.",
        "월 20625원",
        "가입금액 3,000만원",
        "가입금액 3천만 원",
        "가입금액 30,000,000원",
        "환급금 1억 5천만 원",
        "환급금 1억5,000만원",
        "만 45세 남성",
        "45살",
        "마흔다섯 살",
        "50%를 지급",
        "50퍼센트",
        "1.5% 할인",
        "1년 안에는 감액",
        "12개월 안에는",
        "90일 뒤부터",
        "2025년 4월 1일 기준",
        "2025-04-01",
        "2025.4.1.",
        "4월 1일부터",
        "10년 납입",
        "20~65세 가입",
        "20세부터 65세까지",
        "최대 80세까지 갱신",
        "약관 제12조에 따라",
        "뉴스타트암보험(B00115023)",
        "예산 5만원 안에서",
        "고객센터 1588-0000",
        "플랜은 2개입니다.",
        "1. 첫째\n2. 둘째",
        "근거는 [1]과 [2]입니다.",
        "약 2만원입니다.",
        "암보험과 치아보험을 안내합니다.",
        "상품설명서 7쪽",
        "다음 3가지입니다.\n• 하나\n• 둘\n• 셋",
    ],
)
def test_equal_forms_are_grounded(answer: str) -> None:
    assert loose(answer) == []


@pytest.mark.parametrize(
    ("answer", "figure"),
    [
        ("월 20,725원입니다.", "20,725원"),
        ("월 2만 725원입니다.", "2만 725원"),
        ("가입금액 4,000만원", "4,000만원"),
        ("환급금 1억 6천만 원", "1억 6천만 원"),
        ("만 46세", "46세"),
        ("60%를 지급", "60%"),
        ("2년 안에는 감액", "2년"),
        ("80일 뒤부터", "80일"),
        ("2025년 5월 1일", "2025년 5월 1일"),
        ("약관 제13조", "제13조"),
        ("골라담는암보험을 권합니다.", "골라담는암보험"),
        ("슈퍼든든암보험입니다.", "슈퍼든든암보험"),
        ("코드 B00115024", "B00115024"),
        ("고객센터 1577-0000", "1577-0000"),
        ("플랜은 7개입니다.", "7개"),
    ],
)
def test_changed_figures_are_caught(answer: str, figure: str) -> None:
    assert loose(answer) == [figure]


ANSWER = """만 45세 남성 기준 뉴스타트암보험(B00115023)의 예상 월 보험료는 20,625원입니다.
• 가입금액 3,000만원, 10년 납입, 20~65세 가입
• 면책기간 90일, 1년 안에는 50%만 지급, 최대 80세까지 갱신
• 할인 1.5%, 환급금 1억 5,000만원, 기준일 2025년 4월 1일 [1]"""


def test_nearly_every_single_changed_figure_is_caught() -> None:
    draw, caught, total = random.Random(7), 0, 0
    numbers = [m for m in re.finditer(r"\d[\d,.]*\d|\d", ANSWER) if ANSWER[m.start() - 1] not in "[B"]
    for match in numbers:
        for _ in range(8):
            digits = list(match.group())
            place = draw.choice([i for i, c in enumerate(digits) if c.isdigit()])
            digits[place] = draw.choice([d for d in "123456789" if d != digits[place]])
            if "".join(digits) in {"20", "45", "65", "80"}:  # another true age
                continue
            changed = ANSWER[: match.start()] + "".join(digits) + ANSWER[match.end() :]
            total += 1
            caught += bool(loose(changed))
    assert loose(ANSWER) == []
    assert caught / total >= 0.98, f"{caught}/{total}"


COMPARED = json.dumps(
    {
        "age": 52,
        "products": [
            {"name": "가람암보험", "premium": 31000, "limit": "연간 2회까지 지급합니다"},
            {"name": "나래암보험", "premium": 27500, "limit": "최초 1회만 지급합니다"},
        ],
        "by_year": [{"year": 3, "rate": 0.07}, {"year": 5, "rate": 0.11}],
        "by_age": {"30": {"premium": 9100}, "40": {"premium": 14200}},
    },
    ensure_ascii=False,
)


@pytest.mark.parametrize(
    "answer",
    [
        "가람암보험은 월 31,000원, 나래암보험은 월 27,500원입니다.",
        "나래암보험은 만 52세 27,500원입니다.",
        "• 나래암보험: 최초 1회만 지급합니다.",
        "환급률은 3년 7%, 5년 11%입니다.",
        "30세 9,100원, 40세 14,200원입니다.",
        "30~40세가 가입합니다.",
    ],
)
def test_what_a_result_gives_to_each_may_be_told_of_each(answer: str) -> None:
    assert ungrounded(answer, [COMPARED], NAMES) == ()


@pytest.mark.parametrize(
    ("answer", "figure"),
    [
        ("가람암보험은 월 27,500원입니다.", "27,500원"),  # the other product's
        ("• 나래암보험: 최초 2회만 지급합니다.", "2회"),
        ("첫 진단이면 최초 2회만 지급합니다.", "2회"),  # the same words, said of 1
        ("환급률은 3년 11%입니다.", "11%"),
        ("30세 14,200원입니다.", "14,200원"),
        ("40~30세가 가입합니다.", "40"),
    ],
)
def test_a_figure_of_something_else_is_caught(answer: str, figure: str) -> None:
    assert [found.text for found in ungrounded(answer, [COMPARED], NAMES)] == [figure]


def test_a_persons_own_figure_may_stand_in_the_words_of_a_result() -> None:
    result = json.dumps({"note": "가입금액 3,000만원 기준으로 계산합니다"}, ensure_ascii=False)
    answer = "가입금액 5,000만원 기준으로 계산합니다."
    assert ungrounded(answer, [result, "5천만원으로 해 주세요"], NAMES) == ()
    assert ungrounded(answer, [result], NAMES) != ()


def test_earlier_results_are_held_against_no_answer() -> None:
    earlier = json.dumps(
        {"list": [{"name": "가람암보험", "note": "최초 1회만 지급합니다", "count": 2}]}, ensure_ascii=False
    )
    assert ungrounded("최초 2회만 지급합니다.", Evidence([], earlier=[earlier]), NAMES) == ()
    assert ungrounded("최초 2회만 지급합니다.", Evidence([earlier]), NAMES) != ()


LISTED = json.dumps(
    {"products": [{"name": "가람암보험"}, {"name": "나래암보험"}], "channels": ["TM", "CM", "대면창구", "온라인가입"]},
    ensure_ascii=False,
)


def test_a_count_is_of_what_the_answer_lists() -> None:
    answer = "가입 가능한 상품은 {}개입니다.\n• 가람암보험\n• 나래암보험"
    assert ungrounded(answer.format(2), [LISTED], NAMES) == ()
    assert [found.text for found in ungrounded(answer.format(4), [LISTED], NAMES)] == ["4개"]
    assert ungrounded("가입 방법은 4개입니다.", [LISTED], NAMES) == ()


@pytest.mark.parametrize(
    "answer",
    [
        "• 지급사유: “6. 레진충전보험금: 치료한 때 지급합니다. 7. 아말감충전보험금: 치료한 때 지급합니다.” [2]",
        "약관은 '13. 갱신'에서 정합니다",
    ],
)
def test_the_marks_of_a_quoted_list_are_no_figures(answer: str) -> None:
    assert loose(answer) == []


def test_a_quoted_list_begins_no_sentence_at_its_mark() -> None:
    answer = "• 지급사유: “6. 레진충전을 받은 때 지급합니다. 7. 아말감충전” [2]"
    assert [answer[start:end] for start, end in sentences(answer)] == [
        "• 지급사유: “6. 레진충전을 받은 때 지급합니다.",
        "7. 아말감충전” [2]",
    ]


@pytest.mark.parametrize("answer", ["지급률은 “66%”입니다", "월 보험료입니다. 6만원", "나이는 '46세'입니다"])
def test_a_figure_in_quotes_is_one(answer: str) -> None:
    assert len(loose(answer)) == 1


def test_what_a_field_counts_by_the_year_is_no_length_of_years() -> None:
    held = Evidence([json.dumps({"service": "견인", "times_a_year": 5, "premium_a_day": 900}, ensure_ascii=False)])
    assert not ungrounded("• 연간 횟수: 5회\n• 하루 보험료: 900원", held, NAMES)
    assert ungrounded("• 연간 횟수: 6회", held, NAMES)


def test_what_every_item_has_names_none_of_them() -> None:
    products = [
        {"name": "간편건강보험", "renewal": "갱신형", "entry_age": {"min": 30, "max": 80}},
        {"name": "채우는보험", "renewal": "갱신형", "entry_age": {"min": 20, "max": 80}},
    ]
    told = {"reasons": ["만 58세는 가입 나이 30~80세에 들어갑니다."]}
    evidence = [json.dumps(told, ensure_ascii=False), json.dumps({"products": products}, ensure_ascii=False)]
    assert ungrounded("• 채우는보험: 가입 나이 20~80세, 갱신형", evidence) == ()
    assert [found.text for found in ungrounded("• 채우는보험: 가입 나이 30~80세, 갱신형", evidence[1:])] == ["30"]


def test_a_title_of_all_items_is_that_of_each() -> None:
    passages = [
        {"title": "건강보험 약관", "article": "", "page": 36},
        {"title": "건강보험 약관", "article": "제1조", "page": 48},
    ]
    evidence = [json.dumps({"passages": passages}, ensure_ascii=False)]
    assert ungrounded("출처: [1] 건강보험 약관 36쪽, [2] 건강보험 약관 제1조 48쪽", evidence) == ()


def test_short_names_of_jobs_are_names() -> None:
    near = [{"job": "약사", "risk_class": "1급"}, {"job": "보안요원", "risk_class": "2급"}]
    evidence = [json.dumps({"near": near}, ensure_ascii=False)]
    assert ungrounded("비슷한 직업: 약사 1급, 보안요원 2급", evidence) == ()
    assert [found.text for found in ungrounded("비슷한 직업: 보안요원 1급", evidence)] == ["1급"]


def test_a_sentence_of_the_terms_may_name_another_clause() -> None:
    clauses = [
        {"title": "제30조(해약환급금)", "text": "해약환급금은 청구한 날부터 3영업일 안에 드립니다."},
        {
            "title": "제29조",
            "text": "계약은 파산선고 뒤 3개월이 지나면 효력을 잃고 제30조(해약환급금)에 따른 금액을 드립니다.",
        },
    ]
    evidence = [json.dumps({"passages": clauses}, ensure_ascii=False)]
    assert ungrounded(f"• 제29조: “{clauses[1]['text']}”", evidence) == ()
    changed = clauses[1]["text"].replace("3개월", "6개월")
    assert [found.text for found in ungrounded(f"• 제29조: “{changed}”", evidence)] == ["6개월"]


def test_numbers_beside_each_other_are_not_read_as_one() -> None:
    codes = [
        json.dumps(
            {"asked": code, "codes": [{"kcd": code, "disease": "2형 당뇨병, 합병증을 동반하지 않은"}]},
            ensure_ascii=False,
        )
        for code in ("E10.1", "E11.9")
    ]
    assert ungrounded("• E11.9 2형 당뇨병, 합병증을 동반하지 않은", codes, NAMES) == ()


def test_the_number_that_a_products_name_ends_with_is_no_figure_of_what_follows() -> None:
    names = ProductNames(["채우는335", "간편건강보험"])
    given = [json.dumps({"products": [{"name": "채우는335", "category": "건강"}]}, ensure_ascii=False)]
    assert not ungrounded("• 상품 종류: 채우는335 건강", given, names)
    assert [found.text for found in ungrounded("채우는335 건강 336건", given, names)] == ["336건"]
