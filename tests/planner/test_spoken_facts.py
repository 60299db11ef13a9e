"""Facts as people let them fall: ages without a unit, 55남, the other of two, someone's own name, an operation."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts, Held
from app.planner.histories import conditions
from app.planner.reading import Reader
from app.planner.view import View
from tests.language.samples import FIRST_DAY, LIFE, NEW_START, PICK, TODAY
from tests.planner.declared import DECLARED
from tests.words import PLANNER


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue) -> Reader:
    return Reader(EntityReader(catalogue), PLANNER)


@pytest.mark.parametrize(
    ("text", "age", "gender"),
    [
        ("쉰일곱 여자예요", 57, "F"),
        ("서른일곱인데 가입되나요", 37, None),
        ("62남도 봐 주세요", 62, "M"),
        ("38여면 얼마예요", 38, "F"),
        ("51남은요", 51, "M"),
        ("오십하나 남", 51, "M"),
        ("연세가 팔십이셔 들 수 있는 게 있나", 80, None),
        ("아니 54", 54, None),
        ("저 31 male", 31, "M"),
        ("47/여 골라담는 견적", 47, "F"),
        ("61 / 남 기준으로요", 61, "M"),
        ("나이는 칠십하나 여잔데요", 71, "F"),
        ("애 아빠인 저는 마흔둘이에요", 42, "M"),
        ("나는 일흔둘 먹은 영감이오 할멈 먼저 보내고 혼자요", 72, "M"),
        ("나이 정정해요 61 말고 67. 실버치아 다시", 67, None),
        ("세 가지요 1)가입나이 2)특약", None, None),
    ],
)
def test_ages_without_a_unit(reader: Reader, text: str, age: int | None, gender: str | None) -> None:
    facts = reader.read(text, Facts(), TODAY).facts
    assert (facts.age, facts.gender) == (age, gender)


@pytest.mark.parametrize(
    "text",
    [
        "17여 개 상품",
        "50여 명이 가입",
        "마흔 일 동안 입원",
        "한 살 차이로 안 되는구만",
        "80세 지나도 갱신돼요?",
        "종신 5천",
    ],
)
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


@pytest.mark.parametrize(
    ("text", "who", "age"),
    [
        ("아들이 앞니가 부러졌는데 되나요? 열여섯이에요", "아들", 16),
        ("엄마도 같이 든대 37", "어머니", 37),
        ("우리 영감은 예순아홉인데", "배우자", 69),
        ("딸내미가 이거 깔아줘서 물어보는데 나는 일흔셋이여", "본인", 73),
    ],
)
def test_an_age_goes_to_the_person_it_is_said_of(reader: Reader, text: str, who: str, age: int) -> None:
    facts = reader.read(text, Facts(), TODAY).facts
    assert (facts.who, facts.age) == (who, age)


@pytest.mark.parametrize(
    ("text", "field", "amount"),
    [
        ("55남 뉴스타트 3천 월얼마", "sum_insured", 30_000_000),
        ("종신 5천 41남 20년납", "sum_insured", 50_000_000),
        ("대출 이억 남은 것도 감안해서요", "debt", 200_000_000),
        ("월 420 번대요", "monthly_income", 4_200_000),
        ("아니 380이랍니다 소득이", "monthly_income", 3_800_000),
    ],
)
def test_sums_without_a_unit(reader: Reader, text: str, field: str, amount: int) -> None:
    assert getattr(reader.read(text, Facts(), TODAY).facts, field) == amount


def test_a_bare_number_answers_the_question_for_an_income(reader: Reader) -> None:
    told = "세후 430 정도 됩니다"
    assert reader.read(told, Facts(asked=("monthly_income",)), TODAY).facts.monthly_income == 4_300_000
    assert reader.read(told, Facts(), TODAY).facts.monthly_income == 4_300_000  # 세후 is said of pay only
    assert reader.read("430 정도 됩니다", Facts(), TODAY).facts.monthly_income is None


@pytest.mark.parametrize(
    ("text", "history"),
    [
        ("스텐트 3년전 인수?", "스텐트"),
        ("뇌경색 4년전 치료종결 고객 됩니까 62세 남", "뇌경색"),
        ("B형간염 보유자로 정정", "B형간염"),
    ],
)
def test_an_illness_told_in_passing_belongs_to_the_history(reader: Reader, text: str, history: str) -> None:
    assert history in (reader.read(text, Facts(), TODAY, insider=True).facts.history or "")


def test_the_plans_that_are_sold_are_known_by_name(reader: Reader) -> None:
    assert reader.read("3대질병형이면요", Facts(), TODAY).facts.plan == "3대질병형"


def test_a_kind_means_the_contract_that_the_customer_holds(reader: Reader) -> None:
    held = {
        code: Held(contract_id=f"P00000{number}", contract_date=TODAY, sum_insured=10_000_000)
        for number, code in enumerate((PICK, LIFE), 1)
    }
    facts = Facts(customer_name="김민수", contracts=held)
    assert reader.read("암보험 감액 기간은 지났나", facts, TODAY).resolved_products == (PICK,)
    assert reader.read("암보험 새로 가입할 만한 거 뭐 있어요", facts, TODAY).resolved_products == ()


def test_two_in_laws_keep_their_own_ages(reader: Reader) -> None:
    facts = reader.read("장인어른 예순넷 장모님 예순하나신데 두 분 각각", Facts(), TODAY).facts
    told = {person.who: person.age for person in facts.everyone()}
    assert (told["장인"], told["장모"]) == (64, 61)


def test_the_word_before_a_date_names_it(reader: Reader) -> None:
    facts = reader.read("계약일 2026년 3월 2일이고 치료는 2026년 5월 10일이요", Facts(), TODAY).facts
    assert (str(facts.contract_date), str(facts.event_date)) == ("2026-03-02", "2026-05-10")


@pytest.mark.parametrize(
    ("text", "name"), [("오미선", "오미선"), ("김채원이요", "김채원"), ("윤지환 고객님", "윤지환")]
)
def test_a_name_alone_answers_the_question_for_a_customer(reader: Reader, text: str, name: str) -> None:
    assert reader.read(text, Facts(asked=("customer_name",)), TODAY).facts.customer_name == name


def test_bounds_of_ages_have_a_side(reader: Reader, catalogue: Catalogue) -> None:
    entities = EntityReader(catalogue)
    least, most = (entities.read(text, TODAY).ages[0] for text in ("45세 이상 고객", "60세 이하 고객"))
    assert (least.low, least.high, most.low, most.high) == (45, None, None, 60)


def test_swapped_amounts_without_a_unit_are_money(reader: Reader) -> None:
    entities = reader.read("육만 말고 팔만으로", Facts(), TODAY).entities
    assert [(m.amount, m.negated) for m in entities.money] == [(60_000, True), (80_000, False)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("아 작년 아니고 5년 전이었어요", "5년 전 맹장수술했어요"),
        ("작년이 아니라 2023년 4월이래요", "2023년 4월에 맹장수술했어요"),
    ],
)
def test_what_was_told_moves_to_the_time_said(reader: Reader, text: str, told: str) -> None:
    said = reader.read(text, Facts(), TODAY).entities
    kept = {"underwriting_precheck": {"conditions": ["작년에 맹장수술했어요"]}}
    facts = Facts(last_tool="underwriting_precheck", last_args=kept["underwriting_precheck"], calls=kept)
    view = View(text, said, facts, "underwriting_precheck", True, TODAY, said, DECLARED, PLANNER)
    assert conditions(view) == [told]
