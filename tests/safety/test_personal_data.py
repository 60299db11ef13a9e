"""Personal data: nine kinds in Korean spelling, and everything that only looks like them."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.safety.personal_data import KINDS, PersonalDataMasker, shipped_masker
from app.safety.personal_numbers import numbers
from tests.words import PERSONAL

FOUND = [
    ("제 번호는 900101-1234567이에요", "900101-1234567", "rrn"),
    ("9 0 0 1 0 1 - 1 2 3 4 5 6 7 맞아요", "9 0 0 1 0 1 - 1 2 3 4 5 6 7", "rrn"),
    ("９００１０１－２２３４５６７입니다", "９００１０１－２２３４５６７", "rrn"),
    ("주민번호 9001011234567로 조회", "9001011234567", "rrn"),
    ("구공공일공일 다시 일이삼사오육칠이에요", "구공공일공일 다시 일이삼사오육칠", "rrn"),
    ("외국인등록번호 900101-5234567", "900101-5234567", "frn"),
    ("201105-3000001 아이 보험이요", "201105-3000001", "rrn"),
    ("등록증은 201105-7000001이에요", "201105-7000001", "frn"),
    ("사고 장소는 대전 유성구 봉명동 12-3 앞", "대전 유성구 봉명동 12-3", "address"),
    ("미끄러진 데가 수원시 팔달구 인계로 17 건물 계단이요", "수원시 팔달구 인계로 17", "address"),
    ("010-0123-4567로 전화 주세요", "010-0123-4567", "phone"),
    ("01001234567이에요", "01001234567", "phone"),
    ("+82 10-0123-4567", "+82 10-0123-4567", "phone"),
    ("공일공 공일이삼 사오육칠로요", "공일공 공일이삼 사오육칠", "phone"),
    ("010·0123·4567", "010·0123·4567", "phone"),
    ("집전화 031-012-3456이에요", "031-012-3456", "phone"),
    ("카드 4111 1111 1111 1111", "4111 1111 1111 1111", "card"),
    ("국민은행 123456-01-234567로 입금", "123456-01-234567", "account"),
    ("계좌는 110-123-456789 신한이요", "110-123-456789", "account"),
    ("메일 hong.gd@example.com으로", "hong.gd@example.com", "email"),
    ("hong 골뱅이 example.com", "hong 골뱅이 example.com", "email"),
    ("여권번호 M12345678이에요", "M12345678", "passport"),
    ("여권 M123A4567", "M123A4567", "passport"),
    ("옛날 여권 JR0349182 아직 되나요", "JR0349182", "passport"),
    ("사무실 (062) 381-2290으로 연락 주세요", "(062) 381-2290", "phone"),
    ("9430-0312-2291-5548 이 카드 해지할래요", "9430-0312-2291-5548", "card"),
    ("면허번호 11-22-333333-44", "11-22-333333-44", "driver_license"),
    ("서울 강남구 가람로 12, 101동 1203호에 살아요", "서울 강남구 가람로 12, 101동 1203호", "address"),
    ("경기도 수원시 팔달구 물빛동 123-4번지예요", "경기도 수원시 팔달구 물빛동 123-4번지", "address"),
    ("공1공-2345-6789", "공1공-2345-6789", "phone"),
    ("o1o-2345-6789요", "o1o-2345-6789", "phone"),
    ("010(2345)6789", "010(2345)6789", "phone"),
    ("010*2345*6789", "010*2345*6789", "phone"),
    ("뒷자리까지 850412, 2134567", "850412, 2134567", "rrn"),
    ("hong 골뱅이 gmail 닷컴", "hong 골뱅이 gmail 닷컴", "email"),
    ("kim.ms 앳 네이버 닷컴", "kim.ms 앳 네이버 닷컴", "email"),
    ("hong@회사.한국 으로", "hong@회사.한국", "email"),
    ("수원시 영통구 물빛로 145 살고요", "수원시 영통구 물빛로 145", "address"),
    ("부산 해운대구 물동 140번지 두산위브 101동 2504호", "부산 해운대구 물동 140번지 두산위브 101동 2504호", "address"),
    ("물빛동 23번지 사는데요", "물빛동 23번지", "address"),
    ("전북 정읍시 물빛동 88-7인데 배달이 안 와요", "전북 정읍시 물빛동 88-7", "address"),
    ("전남 순천시 물빛동 21-4번지인디요", "전남 순천시 물빛동 21-4번지", "address"),
]
NOT_PERSONAL = [
    "상품코드 B00115023 설명서",
    "진단코드 C50.9",
    "2024-03-15에 가입했어요",
    "보험가입금액 30,000,000원",
    "대표번호 1588-0000",
    "고객센터 02-000-0000으로 전화",
    "계약번호 20231107-004512",
    "900101-1****** 가려진 번호",
    "010-****-6789 가려진 번호",
    "문의 02-1588-0058",
    "물빛동 23번지에 있는 병원",
    "만 52세 7개월이면 보험나이로 53이죠?",
    "3개월이면 이름으로 12번 조회했네요",
    "가입일 2016-05-11\n\n이영희 고객님의 계약",
    "가입일 2021-05-20 이영희 고객님",
    "850412, 2134567건",
    "010-XXXX-XXXX",
    "경기도 수원 사는데요",
    "약관 제12조 제3항",
    "혈압 140-90",
    "송장번호 6412-3456-7890",
    "법인등록번호 110111-1234567",
    "일이삼사 순서대로",
    "카드 1234-5678-9012-3456은 없는 번호",
    "901301-1234567은 달이 틀렸어요",
    "보장기간 2024.01.01~2044.12.31",
    "help@insurance.example 대표메일",
    "3월 12일 이사했어요",
    "암 진단이 확정되면 2,000만원 보장",
    "다시 암이 진단되면 1,000만원 보장",
    "조사가 필요하면 30영업일 이내",
    "지방소득세를 더하면 13.2%",
    "질병으로 사망 시 2,000만원",
    "수술하면 100만원",
]


@pytest.mark.parametrize(("text", "value", "kind"), FOUND)
def test_a_datum_is_found_with_exact_offsets(masker: PersonalDataMasker, text: str, value: str, kind: str) -> None:
    start = text.index(value)
    assert [(s.start, s.end, s.kind, s.value_text) for s in masker.find(text)] == [
        (start, start + len(value), kind, value)
    ]


@pytest.mark.parametrize("text", NOT_PERSONAL)
def test_what_only_looks_alike_is_left(masker: PersonalDataMasker, text: str) -> None:
    assert masker.find(text) == ()


@pytest.mark.parametrize("particle", ["", "은", "이에요", "으로", "입니다", "번", ".", ", 그리고"])
@pytest.mark.parametrize("before", ["", "제 번호", "(", "“", "번호:"])
def test_particles_and_marks_beside_a_number_do_not_hide_it(
    masker: PersonalDataMasker, before: str, particle: str
) -> None:
    assert [s.value_text for s in masker.find(f"{before}010-0123-4567{particle}")] == ["010-0123-4567"]


def test_masking_names_the_kind_and_counts(masker: PersonalDataMasker) -> None:
    masked = masker.mask("폰 010-0123-4567, 메일 a.b@example.com, 다른 폰 010-0123-4568")
    assert masked.text == "폰 [전화번호], 메일 [이메일], 다른 폰 [전화번호]"
    assert masked.counts == {"phone": 2, "email": 1}


@given(st.text(alphabet="0123456789- 가나다전화계좌은행공일이삼.@aA\n", max_size=60))
def test_masking_leaves_nothing_to_find_and_spans_do_not_overlap(text: str) -> None:
    masker = shipped_masker()
    spans = masker.find(text)
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    assert all(s.kind in KINDS and text[s.start : s.end] == s.value_text for s in spans)


_MARKS = [" ", "-", ".", ") ", "–", "ㅡ", "(", "이고 ", "뒷자리는 ", "원 ", "만", "\n"]
_WORDS = ["M", "계좌 ", "국민은행 ", "여권 ", "면허 "]
_DIGIT_PIECES = [*_MARKS, *_WORDS, "9", "010", "1234", "900101", "1234567", "82", "110", "M12345678", "123A4567"]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(_DIGIT_PIECES), max_size=14).map("".join))
def test_the_quick_look_for_digits_hides_no_number(text: str) -> None:
    # A run of digits that is no number of a person, far behind, makes every rule read the text.
    read = list(numbers(PERSONAL, f"{text}.\n{'가' * 60} 1,2,3,4,5,6,7,8,9"))
    assert list(numbers(PERSONAL, text)) == [found for found in read if found.end <= len(text)]


@pytest.mark.parametrize("datum", ["010-2345-6789", "900101-1234567", "M12345678", "서울시 강남구 테헤란로 12, 304호"])
def test_a_datum_among_the_values_of_a_result_is_found(masker: PersonalDataMasker, datum: str) -> None:
    result = json.dumps(
        {"code": "B00115023", "sum_insured": 100000000, "premiums": [20625, 31200], "note": f"메모: {datum} 확인"},
        ensure_ascii=False,
        separators=(",", ":"),
    )
    assert [span.value_text for span in masker.find(result)] == [datum]
    assert masker.find(result.replace(datum, "없음")) == ()


def test_what_held_nothing_is_read_once_and_what_held_something_is_not_remembered() -> None:
    masker = shipped_masker()
    for _ in range(2):
        assert masker.find("가입금액 3,000만원입니다.") == ()
        assert len(masker.find("제 번호는 010-2345-6789예요")) == 1
    assert not any("6789" in text for text in masker._clean)
