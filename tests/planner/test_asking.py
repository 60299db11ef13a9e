"""What is asked back where the words leave it open, and what is taken from free words instead."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner import asking, changes, covers, occupations
from app.planner.arguments import fill
from app.planner.facts import Facts
from app.planner.moves import Done
from app.planner.view import View
from tests.language.samples import TODAY
from tests.planner.declared import DECLARED
from tests.words import PLANNER


@pytest.fixture(scope="module")
def entities(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


def seen(entities: EntityReader, text: str, tool: str, facts: Facts | None = None) -> View:
    read = entities.read(text, TODAY)
    known = facts or Facts()
    return View(text, read, known, tool, known.last_tool == tool, TODAY, read, DECLARED, PLANNER)


@pytest.mark.parametrize(
    ("text", "waiting"),
    [
        ("나 되나?", "eligibility_by_product_rule"),
        ("안녕하세요 보험료가 얼마나 되는지 궁금해서 문의드려요", "premium_estimate"),
        ("한 달 보험료는 어느 정도예요?", "premium_estimate"),
        ("보험료를 안 내면 어떻게 돼요?", None),
        ("보험료 납입 방법이 궁금해요", None),
        ("저도 가입돼요?", "eligibility_by_product_rule"),
        ("아까 그거 얼마라고 했죠", "premium_estimate"),
        ("지난번에 말한 그 보험 이름이 뭐였죠?", "product_get"),
        ("언니가 든 거랑 같은 걸로 들고 싶어요", "product_get"),
        ("저는 되나요 뉴스타트암보험", None),
        ("암보험 되나요", None),
        ("안녕하세요", None),
    ],
)
def test_a_product_that_the_talk_never_named_is_asked_for(
    entities: EntityReader, text: str, waiting: str | None
) -> None:
    assert asking.of_no_product(PLANNER, text, entities.read(text, TODAY), Facts(), DECLARED) == waiting


def test_a_product_spoken_of_needs_no_question(entities: EntityReader) -> None:
    facts = Facts(product_codes=("B00115023",), last_tool="product_get")
    assert asking.of_no_product(PLANNER, "나 되나?", entities.read("나 되나?", TODAY), facts, DECLARED) is None


@pytest.mark.parametrize(
    ("tool", "text", "count"),
    [
        ("plan_options", "치아 쪽이고 용돈에서 월 만 원 낸대요", 3),
        ("product_get", "치매 그거요", 2),
        ("rider_list", "치아보험이여", 3),
        ("plan_options", "종신이요", 1),
        ("rider_list", "암보험은 어떤 게 있는데요?", 0),
        ("rider_list", "암보험 다 알려 주세요", 0),
        ("rider_list", "뉴스타트암보험이요", 0),
        ("premium_estimate", "암보험이요", 0),
    ],
)
def test_a_kind_in_answer_to_the_question_for_a_product_leaves_its_products(
    entities: EntityReader, catalogue: Catalogue, tool: str, text: str, count: int
) -> None:
    asked = seen(entities, text, tool, Facts(asked=("product_code",)))
    assert len(asking.which_of_kind(asked, catalogue)) == count
    assert asking.which_of_kind(seen(entities, text, tool), catalogue) == []


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("보험금 청구하고 싶은데요", True),
        ("청구 좀 하려고요", True),
        ("보험금 청구 기한이 언제까지예요?", False),
        ("청구는 어디로 하나요", False),
    ],
)
def test_who_only_wants_to_claim_is_asked_what_for(catalogue: Catalogue, text: str, asks: bool) -> None:
    done = [Done("claim_guide", {}, "ClaimGuide", {})]
    assert (asking.claim_type(PLANNER, done, text, catalogue, DECLARED) is not None) == asks


def test_the_papers_of_a_claim_depend_on_what_it_is_for(catalogue: Catalogue) -> None:
    done = [Done("claim_required_forms", {}, "ClaimForms", {})]
    assert asking.claim_type(PLANNER, done, "보험금 청구하려는데 뭘 내야 해요", catalogue, DECLARED) is not None
    assert asking.claim_type(PLANNER, done, "서류는 어디로 보내요", catalogue, DECLARED) is None


@pytest.mark.parametrize(
    ("text", "tool", "argument", "given"),
    [
        ("검진에서 뭐가 나왔다는데 알려야 되나요", "underwriting_disclosure_risk_score", "history", None),
        ("건강검진에서 간수치가 높게 나왔어요", "underwriting_disclosure_risk_score", "history", "간수치"),
        ("치과 치료 받으면 얼마 나와요", "benefit_amount_lookup", "benefit", None),
        ("치과에서 크라운 하면 얼마 나와요", "benefit_amount_lookup", "benefit", "크라운"),
        ("사고가 나서 그런데 이런 것도 보상돼요?", "event_eligibility_check", "event", None),
        ("사고로 팔이 부러졌는데 이런 것도 보상돼요?", "event_eligibility_check", "event", "골절"),
        ("다른 코드도 적혀 있던데 그건 뭐예요", "icd_mapping_lookup", "code_or_name", None),
    ],
)
def test_what_is_only_hinted_at_is_not_taken(
    entities: EntityReader, text: str, tool: str, argument: str, given: str | None
) -> None:
    found = fill(seen(entities, text, tool, Facts(diagnosis="D05")), (argument,)).get(argument)
    assert (given in str(found)) if given else found in (None, "D05" if argument == "event" else None)


def test_the_product_is_asked_after_each_of_a_kind(catalogue: Catalogue, entities: EntityReader) -> None:
    done = [
        Done("sales_channel_availability", {"product_code": code}, "Channels", {})
        for code in ("B00115023", "B00355005")
    ]
    for text, asked in (("은행에서도 암보험 팔아요?", True), ("은행에서 파는 암보험은 어떤 거예요?", False)):
        field = asking.product_of_kind(PLANNER, done, text, entities.read(text, TODAY), Facts(), catalogue, DECLARED)
        assert (field is not None) == asked


def test_the_product_stands_beside_the_person_for_the_price_of_a_kind(catalogue: Catalogue) -> None:
    done = [Done("premium_estimate", {"product_code": c}, "NeedsInput", {}) for c in ("B00115023", "B00355005")]
    field = asking.product_beside(done, catalogue, DECLARED)
    assert field is not None and [o.value for o in field.options] == ["B00115023", "B00355005"]
    assert asking.product_beside(done[:1], catalogue, DECLARED) is None


@pytest.mark.parametrize(
    ("text", "action", "submitted", "told"),
    [
        ("주소변경 지금 접수해 주세요", "주소변경", True, None),
        ("수익자 변경 접수", "수익자변경", True, None),
        ("주소 바꾸려면 어떻게 접수해요", "주소변경", None, None),
        ("성남시 분당구 정자동으로 바꿔주세요", "주소변경", None, "정자동"),
        ("우리 큰딸로 하고 싶어요", "수익자변경", None, "큰딸"),
        ("받는 사람이 전남편으로 돼 있는데요", "수익자변경", None, None),
    ],
)
def test_a_change_is_registered_with_what_it_changes_to(
    entities: EntityReader, text: str, action: str, submitted: bool | None, told: str | None
) -> None:
    view = seen(entities, text, "contract_manage", Facts.model_validate({"action": action}))
    assert changes.submit(view) == submitted
    details = changes.details(view)
    assert (told in details) if told and details else details is told


def test_the_answer_to_the_question_for_details_is_recorded(entities: EntityReader) -> None:
    args = {"action": "수익자변경", "contract_id": "P000318", "submit": True}
    facts = Facts(
        action="수익자변경",
        asked=("details",),
        last_tool="contract_manage",
        last_args=args,
        calls={"contract_manage": args},
    )
    given = fill(
        seen(entities, "배우자 이강우요", "contract_manage", facts), ("action", "contract_id", "details", "submit")
    )
    assert given == {**args, "details": "배우자 이강우요"}
    thanks = fill(seen(entities, "나중에 할게요", "contract_manage", facts), ("details",))
    assert thanks == {}


def test_a_name_is_never_a_customers_number(entities: EntityReader) -> None:
    facts = Facts(customer_name="김민수")
    assert changes.customer_id(seen(entities, "할 일로 저장해 줘", "customer_followup_tasks", facts)) is None


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("담달부터 지게차 몬다고 하면요", "지게차"),
        ("아빠가 화물차 모시는데 직업 어떻게 나와요", "화물차"),
        ("직업 바뀌면 말해야 되나요?", None),
        ("위험한 일 하면 보험료 올라간다는데 사실인가요", None),
        ("형은 소방관이라는데 제가 하는 일은 가입에 걸리나요", None),
        ("택시기사 하다가 그만두고 요즘은 다른 일을 알아봐요 몇 급인가요", None),
        ("제 일이 워낙 독특해서 표에 있을까 모르겠어요", None),
    ],
)
def test_a_job_is_what_is_done_for_a_living(entities: EntityReader, text: str, word: str | None) -> None:
    found = occupations.job(seen(entities, text, "underwriting_high_risk_job_check"))
    assert (word in found) if word and found else found is word


@pytest.mark.parametrize(
    ("tool", "text", "kept", "word"),
    [
        ("benefit_amount_lookup", "금으로 씌운 거는요", {"benefit": "레진"}, "크라운"),
        ("benefit_amount_lookup", "경증 치매는 얼마 나와요", {}, "경도"),
        ("benefit_amount_lookup", "중증이면요", {"benefit": "경증치매"}, "중증"),
        ("benefit_amount_lookup", "장기요양 3등급 받으면 얼마예요", {}, "장기요양3등급"),
    ],
)
def test_a_benefit_said_in_free_words(
    entities: EntityReader, tool: str, text: str, kept: dict[str, str], word: str
) -> None:
    facts = Facts(last_tool=tool, last_args=kept, calls={tool: kept}) if kept else Facts()
    assert word in covers.benefit(seen(entities, text, tool, facts))


def test_the_rider_before_is_looked_for_in_another_product(entities: EntityReader) -> None:
    facts = Facts(last_tool="rider_get", last_args={"rider": "간병인 특약"})
    view = seen(entities, "채우는335에도 있어여?", "rider_search", facts)
    assert covers.asked_for(view) == "간병인 특약"


def test_money_for_those_left_behind(entities: EntityReader) -> None:
    assert covers.goal(seen(entities, "죽으면 얼마 나오게 해 놔야 할까요", "amount_suggest")) == "사망"
    assert covers.goal(seen(entities, "암 걸리면 일 못하니까 얼마면 될까요", "amount_suggest")) == "암"


def test_the_lower_end_of_a_widened_band_stays(entities: EntityReader) -> None:
    args = {"age_min": 40, "age_max": 49}
    facts = Facts(last_tool="customer_search", last_args=args, calls={"customer_search": args})
    given = fill(seen(entities, "50대까지 넓혀", "customer_search", facts), ("age_min", "age_max"))
    assert given == {"age_min": 40, "age_max": 59}
