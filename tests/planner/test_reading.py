"""Reading messages in the light of the talk: persons, products, corrections and the question made whole."""

from __future__ import annotations

import pytest

from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.reading import Reader, Reading
from tests.language.samples import DENTAL, DENTAL_V, FILL335, FIRST_DAY, LIFE, NEW_START, PICK, SILVER, TODAY, catalogue
from tests.words import PLANNER


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(EntityReader(catalogue()), PLANNER)


def talk(reader: Reader, *messages: str, facts: Facts | None = None, staff: bool = False) -> Reading:
    """The reading of the last message after the ones before it."""
    reading = reader.read(messages[0], facts or Facts(), TODAY, staff=staff)
    for message in messages[1:]:
        reading = reader.read(message, reading.facts, TODAY, staff=staff)
    return reading


def test_age_and_gender_carry_over(reader: Reader) -> None:
    reading = talk(reader, "뉴스타트암보험 마흔다섯 여자 보험료요", "첫날부터는요")
    assert (reading.facts.age, reading.facts.gender, reading.resolved_products) == (45, "F", (FIRST_DAY,))


def test_a_correction_replaces_the_fact_and_says_so(reader: Reader) -> None:
    reading = talk(reader, "뉴스타트암보험 45세 여자 보험료요", "아 45 말고 55")
    assert reading.facts.age == 55
    assert [(c.field, c.old, c.new) for c in reading.corrections] == [("age", 45, 55)]
    again = talk(reader, "뉴스타트암보험 45세 여자 보험료요", "아니 여자말고 남자요")
    assert again.facts.gender == "M"


def test_a_relative_does_not_overwrite_the_speaker(reader: Reader) -> None:
    reading = talk(reader, "저는 마흔다섯 남자예요", "아빠는 예순여섯이고요")
    assert (reading.facts.who, reading.facts.age) == ("아버지", 66)
    back = reader.read("저는 얼마예요", reading.facts, TODAY)
    assert (back.facts.who, back.facts.age, back.facts.gender) == ("본인", 45, "M")


def test_a_history_stays_with_its_person(reader: Reader) -> None:
    reading = talk(
        reader,
        "신랑이 3년 전에 디스크 수술했는데 채우는335 돼요? 마흔둘이에요",
        "저는 아픈 데 없고 동갑이에요 저는 얼마나 나와요",
    )
    assert (reading.facts.who, reading.facts.age, reading.facts.gender, reading.facts.history) == (
        "본인",
        42,
        "F",
        None,
    )
    husband = reader.read("신랑껀?", reading.facts, TODAY)
    assert (husband.facts.age, husband.facts.gender, husband.facts.history) == (42, "M", "3년 전 디스크 수술")


def test_an_age_told_by_another_persons(reader: Reader) -> None:
    reading = talk(reader, "장모님이 올해 환갑이신데 실버치아보험 얼마나 하나요", "장인어른은 두 살 위세요")
    assert (reading.facts.who, reading.facts.age, reading.facts.gender) == ("장인", 62, "M")
    both = reader.read("두 분 거 합치면 얼마예요", reading.facts, TODAY)
    assert both.facts.meant == ("장모", "장인")


def test_two_persons_of_one_message_are_both_kept(reader: Reader) -> None:
    reading = talk(
        reader, "큰딸이 스물넷이고 작은아들이 스물하나인데 둘 다 채우는335 들어주면 얼마씩이에요", "합계로요"
    )
    assert reading.facts.told()["people"] == [
        {"who": "큰딸", "age": 24, "gender": "F"},
        {"who": "작은아들", "age": 21, "gender": "M"},
    ]


@pytest.mark.parametrize(
    ("noted", "ages"),
    [
        ("부58 모56 자(남)27 채우는335 월보 산출", {"아버지": 58, "어머니": 56, "자녀": 27}),
        ("큰딸 열여섯 둘째 아들 열셋 막내아들 일곱 살이에요", {"큰딸": 16, "작은아들": 13, "막내아들": 7}),
        ("고객 55남 배우자 52여 골라담는암 둘 다요", {"고객": 55, "배우자": 52}),
        ("큰아버지 예순아홉 작은아버지 예순둘이세요", {"큰아버지": 69, "작은아버지": 62}),
    ],
)
def test_a_family_noted_side_by_side_is_told_apart(reader: Reader, noted: str, ages: dict[str, int]) -> None:
    assert {person.who: person.age for person in talk(reader, noted, staff=True).facts.everyone()} == ages


def test_all_of_them_are_meant_together(reader: Reader) -> None:
    said = ("어머니 예순하나 아버지 예순넷 채우는335 월 얼마씩이에요", "두 분 모두 혈압약 드시는데 심사 되나요")
    facts = talk(reader, *said).facts
    assert facts.meant == ("어머니", "아버지")
    assert {person.history for person in facts.everyone()} == {"혈압약"}


def test_who_gets_the_contract_is_not_insured(reader: Reader) -> None:
    assert talk(reader, "수익자요", "딸 앞으로 돌릴 건데 접수해 주세요").facts.gender is None


def test_the_dead_and_what_one_is_not_yet_tell_nothing_of_the_speaker(reader: Reader) -> None:
    after = talk(reader, "어머니 돌아가시고 나니 저도 준비가 안 돼 있더라고요. 간편고지정기보험 얼마나 오르나요").facts
    assert (after.who, after.gender) == ("본인", None)
    young = talk(reader, "동료가 서른도 안 됐는데 암이래서 저도 알아보려고요 스물일곱 남자입니다").facts
    assert (young.age, young.gender) == (27, "M")


def test_a_person_taken_back_takes_the_facts_along(reader: Reader) -> None:
    reading = talk(reader, "매형 보험 알아보는데 채우는335요", "쉰하나", "아 매형 아니고 누나 거래요 나이는 마흔여덟")
    assert (reading.facts.who, reading.facts.age, reading.facts.gender) == ("누나", 48, "F")


@pytest.mark.parametrize("aside", ["아내랑 얘기 좀 해보고요", "수익자를 아내로 바꾸고 싶어요"])
def test_a_person_in_passing_changes_nothing(reader: Reader, aside: str) -> None:
    reading = talk(reader, "저는 마흔다섯이에요", aside)
    assert (reading.facts.who, reading.facts.age) == ("본인", 45)


def test_two_ages_of_one_person_are_a_comparison(reader: Reader) -> None:
    reading = talk(reader, "제가 1971년 12월생 남자예요", "뉴스타트암보험 54세랑 55세 보험료 차이 좀")
    assert (reading.facts.age, reading.facts.birth_year) == (None, 1971)


def test_vague_ages_set_no_age(reader: Reader) -> None:
    assert talk(reader, "할머니가 여든 넘으셨는데 들 수 있나요").facts.age is None
    assert talk(reader, "40대 중반 남자예요").facts.age is None


def test_search_criteria_are_no_facts_of_anybody(reader: Reader) -> None:
    facts = talk(reader, "50대 여성 고객 중에 뉴스타트암보험 가진 사람 찾아줘", staff=True).facts
    assert (facts.gender, facts.age) == (None, None)


def test_staff_speak_of_a_customer(reader: Reader) -> None:
    assert talk(reader, "45남 뉴스타트", staff=True).facts.who == "고객"
    reading = talk(reader, "김민수 고객 45세 남자 뉴스타트", "윤지은님은?", staff=True)
    assert (reading.facts.customer_name, reading.facts.age, reading.facts.earlier_customers) == (
        "윤지은",
        None,
        ("김민수",),
    )


def test_that_one_is_the_product_of_the_talk(reader: Reader) -> None:
    reading = talk(reader, "V 붙은 치아보험 있죠?", "그거 크라운 하나에 얼마 나와요")
    assert reading.refers_back
    assert reading.resolved_products == (DENTAL_V,)
    assert "THE건강한치아보험V" in reading.resolved_text


def test_ordinals_point_into_the_shown_list(reader: Reader) -> None:
    facts = Facts().after_answer("product_search", {}, products=(NEW_START, PICK, FIRST_DAY))
    assert talk(reader, "두 번째 거 자세히", facts=facts).resolved_products == (PICK,)
    assert talk(reader, "마지막 거요", facts=facts).resolved_products == (FIRST_DAY,)
    assert talk(reader, "그거 얼마예요", facts=facts).resolved_products == (NEW_START,)


def test_an_ordinal_outside_the_list_resolves_to_nothing_new(reader: Reader) -> None:
    facts = Facts().after_answer("product_search", {}, products=(NEW_START,))
    assert talk(reader, "다섯 번째 거", facts=facts).resolved_products == ()


def test_cheaper_and_dearer_are_told_by_the_premium_tables(reader: Reader) -> None:
    first = talk(reader, "45남 뉴스타트 첫날부터 비교")
    assert first.resolved_products == (NEW_START, FIRST_DAY)
    assert reader.read("싼거 특약", Facts(product_codes=first.resolved_products), TODAY).resolved_products == (
        FIRST_DAY,
    )
    assert reader.read("비싼거 특약", Facts(product_codes=first.resolved_products), TODAY).resolved_products == (
        NEW_START,
    )


def test_three_of_a_kind_and_one_left_out(reader: Reader) -> None:
    reading = talk(reader, "치아보험 세 개 다 비교해줘 쉰둘 여자", "실버는 빼고 나머지 둘 임플란트 얼마 주는지")
    assert set(reading.resolved_products) == {DENTAL, DENTAL_V}
    assert SILVER not in reading.resolved_products


@pytest.mark.parametrize("text", ["실버건 빼고 나머지 둘만 다시", "실버꺼 빼고 둘로요"])
def test_the_one_left_out_stays_out(reader: Reader, text: str) -> None:
    assert SILVER not in talk(reader, "치아보험 세 개 다 비교해줘 쉰둘 여자", text).resolved_products


def test_a_letter_at_the_front_is_a_product(reader: Reader) -> None:
    assert talk(reader, "실버치아 얼마예요 예순 여자", "V 크라운은 얼마 줘요").resolved_products == (DENTAL_V,)


def test_a_product_is_told_by_its_kind_or_nature(reader: Reader) -> None:
    assert talk(reader, "그중 종신 그거 지금 깨면 손해지?").resolved_products == (LIFE,)
    assert talk(reader, "치아보험 중에 비갱신인 게 있다던데 그거 기본 정보 좀").resolved_products == (DENTAL_V,)
    assert talk(reader, "암보험 뭐 있어요").resolved_products == ()


def test_a_wider_question_leaves_the_product(reader: Reader) -> None:
    assert talk(reader, "뉴스타트암보험 얼마예요", "치매보험은 뭐 있어요").resolved_products == ()


def test_a_product_is_added_or_swapped(reader: Reader) -> None:
    reading = talk(reader, "56세 남 뉴스타트 되나", "더건강한치아까지 얹으면 합계")
    assert reading.resolved_products == (NEW_START, DENTAL)
    assert reader.read("치아를 V로 바꾸면", reading.facts, TODAY).resolved_products == (NEW_START, DENTAL_V)


@pytest.mark.parametrize(
    ("messages", "resolved"),
    [
        (("첫날부터암보험 45세 여자 보험료요", "아 45 말고 55"), "첫날부터암보험 만 55세 여자 보험료요"),
        (("첫날부터암보험 45세 여자 보험료요", "남자는요"), "첫날부터암보험 45세 남성 보험료요"),
        (("뉴스타트암보험 은행에서도 들 수 있어요?", "전화로는?"), "뉴스타트암보험 전화에서도 들 수 있어요?"),
        (("뉴스타트암보험 고지질문 뭐 있지", "첫날부터는"), "첫날부터암보험 고지질문 뭐 있지"),
        (("뉴스타트로 하나 들면요",), "뉴스타트암보험으로 하나 들면요"),
    ],
)
def test_a_follow_up_is_made_to_stand_alone(reader: Reader, messages: tuple[str, ...], resolved: str) -> None:
    assert talk(reader, *messages).resolved_text == resolved


def test_thanks_are_left_as_they_are(reader: Reader) -> None:
    assert talk(reader, "뉴스타트암보험 얼마예요", "네 감사합니다").resolved_text == "네 감사합니다"


def test_money_takes_the_purpose_of_the_talk(reader: Reader) -> None:
    reading = talk(reader, "계약대출 500만원만 땡기고 싶은데", "오백 말고 삼백으로 접수해 주세요")
    assert reading.facts.loan_amount == 3_000_000
    assert talk(reader, "대출 200만원으로 해줘", "아니다 150으로 고쳐서 다시").facts.loan_amount == 1_500_000
    assert talk(reader, "한 달에 삼백오십 벌어요", "아 삼백오십이 아니라 이백오십").facts.monthly_income == 2_500_000


def test_a_supposition_is_not_remembered(reader: Reader) -> None:
    reading = talk(reader, "건강해지는종신 미지급형으로 들었고 4년 넣었는데", "기본형이었으면?")
    assert reading.hypothetical
    assert (reading.facts.plan, reading.facts.years_paid) == ("미지급형", 4)


def test_quoted_words_are_not_believed(reader: Reader) -> None:
    reading = talk(reader, '문구에 "어머니 70세 여자 채우는335 무조건 됩니다" 넣어도 되나')
    assert (reading.facts.who, reading.facts.age, reading.resolved_products) == (None, None, ())
    assert FILL335 not in reading.facts.product_codes


def test_nothing_said_changes_nothing(reader: Reader) -> None:
    reading = talk(reader, "안녕하세요")
    assert reading.facts.told() == {}
    assert not reading.refers_back
