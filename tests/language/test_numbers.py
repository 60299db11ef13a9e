"""Korean numerals, ages, money, dates and durations: read as people write them, and back."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.language.births import find_births
from app.language.numbers import format_korean_number, format_native, format_sino, parse_native, parse_number
from tests.language.samples import TODAY
from tests.words import AGES, DATES, MONEY, READING, age_forms, date_forms, duration_forms, won_forms


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("마흔다섯", 45),
        ("쉰", 50),
        ("예순둘", 62),
        ("쉰하고 셋", 53),
        ("서른하고도 아홉", 39),
        ("일흔셋", 73),
        ("삼백이십", 320),
        ("3만5천", 35_000),
        ("1억 2천만", 120_000_000),
        ("백만", 1_000_000),
        ("12,340", 12_340),
        ("스무", 20),
        ("육십사", 64),
        ("천", 1000),
    ],
)
def test_a_numeral_is_read_whatever_its_script(word: str, value: int) -> None:
    assert parse_number(word) == value


@pytest.mark.parametrize("word", ["이이", "만천만", "보험", "", "십백"])
def test_what_is_no_numeral_reads_as_none(word: str) -> None:
    assert parse_number(word) is None


@given(st.integers(1, 99))
def test_every_native_numeral_is_read_back(value: int) -> None:
    assert parse_native(format_native(value)) == value == parse_native(format_native(value, before_noun=True))


@given(st.integers(1, 10**13), st.sampled_from(["sino", "mixed", "arabic"]))
def test_every_number_is_read_back_in_every_style(value: int, style: str) -> None:
    assert parse_number(format_korean_number(value, style)) == value  # type: ignore[arg-type]


@given(st.integers(0, 10**13))
def test_spaced_hangul_numerals_are_read_back(value: int) -> None:
    if value:
        assert parse_number(format_sino(value, spaced=True)) == value


@given(st.integers(10, 10**10), st.data())
def test_every_amount_is_read_back_in_every_form(amount: int, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(won_forms(amount)))
    assert [m.amount for m in MONEY.find(f"보험료가 {form} 맞나요")] == [amount]


@given(st.integers(1, 120), st.data())
def test_every_age_is_read_back_in_every_form(age: int, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(age_forms(age)))
    found = [m.age for m in AGES.find(f"저는 {form} 여자예요")]
    assert found == [age]


@given(st.dates(date(2000, 1, 1), date(2026, 1, 31)), st.data())
def test_every_date_is_read_back_in_every_form(value: date, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(date_forms(value)))
    assert [m.value for m in DATES.dates(f"{form}에 가입했어요", TODAY)] == [value]


@given(st.integers(1, 99 * 12), st.data())
def test_every_length_of_time_is_read_back(months: int, data: st.DataObject) -> None:
    if months > 999:
        return
    form = data.draw(st.sampled_from(duration_forms(months)))
    assert [m.months for m in DATES.durations(f"가입한 지 {form} 됐어요")] == [months]


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("45살이에요", 45),
        ("만 45세 남자", 45),
        ("쉰 살은 얼마", 50),
        ("45남 뉴스타트", 45),
        ("45세남", 45),
        ("장모님이 환갑이신데", 60),
        ("칠순 잔치", 70),
        ("팔순이세요", 80),
        ("마흔 여잔데", 40),
        ("육십사 세 여자", 64),
        ("만으로 열셋", 13),
        ("58 여자", 58),
        ("쉰하나", 51),
        ("네 살 아들", 4),
        ("돌 지난 아기", 1),
    ],
)
def test_an_age_is_read_as_people_say_it(text: str, age: int) -> None:
    assert [m.age for m in AGES.find(text)] == [age]


@pytest.mark.parametrize(
    "text",
    [
        "3년 됐는데요",
        "서른 명이요",
        "이 세 개 중에",
        "두세 개",
        "네",
        "하나 만들어줘요",
        "쓸 만한 문장",
        "월 7만",
        "1년 안에",
        "채우는335",
        "목이 쉰다",
    ],
)
def test_money_durations_counts_and_words_are_no_ages(text: str) -> None:
    assert AGES.find(text) == []


def test_vague_ages_are_never_certain() -> None:
    (band,) = AGES.find("40대 중반이에요")
    assert (band.kind, band.low, band.high, band.approximate) == ("band", 44, 46, True)
    assert AGES.find("여든 넘으셨는데")[0].kind == "bound"
    assert AGES.find("90세 만기")[0].kind == "term"
    assert AGES.find("두 살 위세요")[0].delta == 2
    assert AGES.find("한 살 아래고")[0].delta == -1
    assert AGES.find("저랑 동갑이에요")[0].delta == 0


def test_a_replaced_age_is_negated() -> None:
    old, new = AGES.find("아 45 말고 55")
    assert (old.age, old.negated, new.age, new.negated) == (45, True, 55, False)


@pytest.mark.parametrize(
    ("text", "year"),
    [
        ("81년생", 1981),
        ("1981년생 여자", 1981),
        ("58년 개띠", 1958),
        ("생년월일 810412", 1981),
        ("05년생", 2005),
        ("1971년 12월생", 1971),
    ],
)
def test_a_year_of_birth_is_read_and_is_no_age(text: str, year: int) -> None:
    (birth,) = find_births(READING, text, TODAY)
    assert birth.year == year
    assert AGES.find(text, [(birth.start, birth.end)]) == []


def test_a_whole_birthday_gives_its_date() -> None:
    assert find_births(READING, "생년월일 810412", TODAY)[0].birth_date == date(1981, 4, 12)


@pytest.mark.parametrize(
    ("text", "amount", "role"),
    [
        ("한 달에 삼만 원쯤 쓸 수 있어요", 30_000, "budget"),
        ("월 이만원 안쪽으로는", 20_000, "budget"),
        ("예산은 3만5천", 35_000, "budget"),
        ("고객 예산 월 7만 56세", 70_000, "budget"),
        ("월 사백 버는 가장", 4_000_000, "income"),
        ("한 달에 삼백오십 벌어요", 3_500_000, "income"),
        ("주담대 1억 5천 남았어요", 150_000_000, "debt"),
        ("빚이 8천이고", 80_000_000, "debt"),
        ("계약대출 500만원만", 5_000_000, "loan"),
        ("가입금액은 3천으로", 30_000_000, "sum_insured"),
        ("사망 1억 잡으면", 100_000_000, "sum_insured"),
        ("만원짜리는 없음?", 10_000, "budget"),
    ],
)
def test_an_amount_is_read_with_its_purpose(text: str, amount: int, role: str) -> None:
    assert [(m.amount, m.role) for m in MONEY.find(text)] == [(amount, role)]


@pytest.mark.parametrize(
    "text", ["이만 끊을게요", "10명만", "만 45세", "채우는335", "010 7777 8888", "5판인데", "제12조", "2025년"]
)
def test_what_only_looks_like_money_is_none(text: str) -> None:
    assert MONEY.find(text) == []


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("어제", date(2026, 1, 31)),
        ("지난달 10일", date(2026, 1, 10)),
        ("2025년 8월 1일에 실효", date(2025, 8, 1)),
        ("2024-03-15", date(2024, 3, 15)),
        ("3월 5일", date(2025, 3, 5)),
        ("작년 3월 2일", date(2025, 3, 2)),
    ],
)
def test_a_date_is_read_from_today(text: str, value: date) -> None:
    assert DATES.dates(text, TODAY)[0].value == value


def test_a_month_without_a_day_invents_no_day() -> None:
    (mention,) = DATES.dates("작년 3월에 가입", TODAY)
    assert (mention.value, mention.year, mention.month) == (None, 2025, 3)


def test_two_dates_keep_their_own_roles() -> None:
    found = DATES.dates("2025년 3월 10일에 들었는데 2025년 5월 2일에 진단받았어요", TODAY)
    assert [m.role for m in found] == ["contract", "event"]


@pytest.mark.parametrize(
    ("text", "months", "role"),
    [
        ("4년 넣었는데", 48, "paid"),
        ("삼 년째", 36, "paid"),
        ("3년 전에 수술", 36, "ago"),
        ("20년 뒤까지", 240, "horizon"),
        ("5년 안이래", 60, "within"),
        ("10년납", 120, "term"),
        ("두 달 만에", 2, "ago"),
    ],
)
def test_a_length_of_time_is_read_with_its_role(text: str, months: int, role: str) -> None:
    assert [(m.months, m.role) for m in DATES.durations(text)] == [(months, role)]


def test_how_often_is_no_length_of_time() -> None:
    assert DATES.durations("한 달에 얼마예요") == [] == DATES.durations("일 년에 몇 개까지요")


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("월급 350에 대출 1억 5천 있어요", [(3_500_000, "income"), (150_000_000, "debt")]),
        ("빚 3천에 월급 250이요", [(30_000_000, "debt"), (2_500_000, "income")]),
        ("대출 남은 거 8천 소득은 월 400", [(80_000_000, "loan"), (4_000_000, "income")]),
        ("연봉 4200에 전세대출 2억", [(42_000_000, "income"), (200_000_000, "debt")]),
    ],
)
def test_of_two_sums_each_takes_the_word_that_stands_nearest(text: str, read: list[tuple[int, str]]) -> None:
    assert [(money.amount, money.role) for money in MONEY.find(text)] == read
