"""Facts as people let them fall: ages without a unit, 55남, the other of two, someone's own name, an operation."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.reading import Reader
from tests.language.samples import FIRST_DAY, LIFE, NEW_START, PICK, TODAY


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue) -> Reader:
    return Reader(EntityReader(catalogue))


@pytest.mark.parametrize(
    ("text", "age", "gender"),
    [
        ("쉰일곱 여자예요", 57, "F"),
        ("서른일곱인데 가입되나요", 37, None),
        ("62남도 봐 주세요", 62, "M"),
        ("38여면 얼마예요", 38, "F"),
        ("51남은요", 51, "M"),
    ],
)
def test_ages_without_a_unit(reader: Reader, text: str, age: int, gender: str | None) -> None:
    facts = reader.read(text, Facts(), TODAY).facts
    assert (facts.age, facts.gender) == (age, gender)


@pytest.mark.parametrize("text", ["17여 개 상품", "50여 명이 가입", "마흔 일 동안 입원"])
def test_counts_are_no_ages(reader: Reader, text: str) -> None:
    assert reader.read(text, Facts(), TODAY).facts.age is None


def test_ones_own_turn_comes_back(reader: Reader) -> None:
    facts = Facts(who="본인", age=44, gender="F")
    facts = reader.read("남편은 47살이에요", facts, TODAY).facts
    assert (facts.who, facts.age) == ("배우자", 47)
    facts = reader.read("제 건 얼마로 오르나요", facts, TODAY).facts
    assert (facts.who, facts.age) == ("본인", 44)


def test_the_other_one_of_two(reader: Reader) -> None:
    facts = Facts(product_codes=(FIRST_DAY,), shown_products=(FIRST_DAY, NEW_START))
    facts = facts.model_copy(update={"mentioned_products": (NEW_START, FIRST_DAY)})
    assert reader.read("앞에 거는요?", facts, TODAY).resolved_products == (NEW_START,)
    both = Facts(shown_products=(NEW_START, PICK), mentioned_products=(NEW_START, PICK))
    assert reader.read("앞에 거 말고 뒤에 거 특약 보여줘", both, TODAY).resolved_products == (PICK,)


def test_a_product_without_a_waiting_period_is_chosen_among_those_shown(reader: Reader) -> None:
    facts = Facts(shown_products=(NEW_START, PICK, FIRST_DAY))
    assert reader.read("면책 없는 걸로 할게요", facts, TODAY).resolved_products == (FIRST_DAY,)


def test_a_kind_with_one_product_is_that_product(reader: Reader) -> None:
    assert reader.read("종신 61세 최고 가입금액이요", Facts(), TODAY).resolved_products == (LIFE,)
    assert reader.read("종신 뭐뭐 있어요", Facts(), TODAY).resolved_products == ()


def test_who_introduces_themselves_is_the_customer(reader: Reader) -> None:
    assert reader.read("저는 최수진이라고 합니다", Facts(), TODAY).facts.customer_name == "최수진"
    assert reader.read("저는 경찰관인데 가입되나요", Facts(), TODAY).facts.customer_name is None


def test_one_of_a_name_is_told_by_the_year_of_birth(reader: Reader) -> None:
    facts = Facts(shown_customers=("C0002", "C0003"), shown_ages=(58, 41), customer_name="이영희")
    assert reader.read("84년생 그분이요", facts, TODAY).facts.customer_id == "C0003"


@pytest.mark.parametrize(
    ("text", "history"),
    [
        ("재작년에 어깨 회전근개 수술했는데 가입되나요", "회전근개 수술"),
        ("벌써 틀니 끼고 계신데 가입돼요?", "틀니"),
        ("당료 있는데 들 수 있나요", "당료"),
    ],
)
def test_what_was_undergone_is_a_history(reader: Reader, text: str, history: str) -> None:
    assert history in (reader.read(text, Facts(), TODAY).facts.history or "")


def test_a_code_on_a_certificate_is_the_diagnosis(reader: Reader) -> None:
    assert reader.read("진단서에 D05라고 써 있어요", Facts(), TODAY).facts.diagnosis == "D05"


@pytest.mark.parametrize(
    ("text", "income"), [("월급이 320인데 얼마가 맞아요", 3_200_000), ("소득 280인데요", 2_800_000)]
)
def test_an_income_is_counted_in_ten_thousands(reader: Reader, text: str, income: int) -> None:
    assert reader.read(text, Facts(), TODAY).facts.monthly_income == income
