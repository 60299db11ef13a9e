"""Words that mean something only in their place of a talk, yes or no first, and answers that are not told twice."""

from __future__ import annotations

from datetime import date

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.language.mentions import Entities
from app.planner.aspects import only_asked
from app.planner.birthdays import insurance_age_told
from app.planner.cues import CueReader, meant_words
from app.planner.facts import Facts
from app.planner.follow_up import confirms, hinted_tools, mention_kinds
from app.planner.leads import for_several, lead
from app.planner.moves import Done
from app.planner.questions import joined_questions
from app.toolbox.declared import Declarations, Dialogue
from tests.conftest import ROOT
from tests.planner.declared import DECLARED
from tests.words import PLANNER

TODAY = date(2026, 3, 2)


@pytest.fixture(scope="module")
def cues() -> CueReader:
    return CueReader(ROOT / "data" / "language" / "cues.yaml")


@pytest.fixture(scope="module")
def entities(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


@pytest.mark.parametrize(
    ("last", "message", "tool"),
    [
        ("claim_guide", "챙겨야 하는 종이는 뭐뭐 준비해요", "claim_required_forms"),
        ("claim_required_forms", "팩스로 넣어도 되나요", "claim_guide"),
        ("contract_manage", "돈은 언제 들어와요", "contract_manage"),
        ("customer_search", "여자만 추려봐", "customer_search"),
        ("rider_list", "표적항암 들어 있나요", "rider_search"),
        ("premium_estimate", "이만원 이하로는 없나요", "affordability_check"),
        ("affordability_check", "둘 다 들면 합계는요", "premium_estimate"),
        ("compliance_phrase_generator", "조금 더 짧게요", "compliance_phrase_generator"),
        ("eligibility_by_product_rule", "그럼 어떤 보험 들 수 있어요", "product_search"),
        ("customer_contract_lookup", "보험료 모두 합하면요", "customer_contract_lookup"),
    ],
)
def test_the_last_tool_tells_what_the_words_mean(
    cues: CueReader, entities: EntityReader, last: str, message: str, tool: str
) -> None:
    assert cues.continuing(message, mention_kinds(entities.read(message, TODAY)), last) == tool


def test_the_same_words_mean_nothing_special_elsewhere(cues: CueReader) -> None:
    assert cues.continuing("팩스로 넣어도 되나요", (), "product_get") is None
    assert cues.continuing("팩스로 넣어도 되나요", (), None) is None


def test_what_is_ruled_out_is_not_meant() -> None:
    assert meant_words("깨지 말고 대출 받는 건요") == "대출 받는 건요"
    assert meant_words("면책기간 말고도 알려 주세요") == "면책기간 말고도 알려 주세요"


@pytest.mark.parametrize(
    ("message", "tool"),
    [
        ("첫날부터암보험 마흔 살 남자요", "premium_estimate"),
        ("간편고지정기는 어때요 서른여섯 여자", "premium_estimate"),
        ("비갱신형은 없나요", "product_search"),
        ("연금보험도 팔아요?", "product_search"),
    ],
)
def test_the_state_of_the_talk_speaks_for_a_tool(entities: EntityReader, message: str, tool: str) -> None:
    assert hinted_tools(entities.read(message, TODAY), Facts(), DECLARED) == (tool,)


def test_an_amount_after_a_dated_event_is_judged_by_its_dates(entities: EntityReader) -> None:
    dated = Facts(last_tool="event_eligibility_check", contract_date=date(2025, 1, 2))
    assert hinted_tools(entities.read("그래서 얼마 받아요", TODAY), dated, DECLARED) == ("event_eligibility_check",)
    assert hinted_tools(entities.read("보험료는 얼마예요", TODAY), dated, DECLARED) == ()


def search(*renewals: str) -> Done:
    products = [{"name": f"상품{i}", "renewal": kind} for i, kind in enumerate(renewals)]
    return Done("product_search", {}, "Search", {"products": products, "kind_label": "암보험"})


def read(entities: EntityReader, text: str) -> Entities:
    return entities.read(text, TODAY)


def test_a_yes_or_no_question_gets_yes_or_no_first(entities: EntityReader) -> None:
    asked = "비갱신형 암보험 있나요?"
    said = read(entities, asked)
    assert lead(PLANNER, [search("갱신형", "갱신형")], asked, said, DECLARED).startswith("아니요, 비갱신형 암보험은")
    assert lead(PLANNER, [search("갱신형", "비갱신형")], asked, said, DECLARED).startswith("네, 비갱신형으로는 상품1")
    asked = "치아보험 있어요?"
    assert lead(PLANNER, [search("갱신형")], asked, read(entities, asked), DECLARED) == "네, "
    assert (
        lead(PLANNER, [search("갱신형")], "치아보험 뭐 있어요?", read(entities, "치아보험 뭐 있어요?"), DECLARED) == ""
    )


@pytest.mark.parametrize(
    ("asked", "verdict", "front"),
    [
        ("들 수 있나요?", "가입 가능", "네, "),
        ("들 수 있나요?", "가입 불가", "아니요, "),
        ("45세는 안 되죠?", "가입 불가", "네, "),
        ("45세는 안 되죠?", "가입 가능", "아니요, "),
        ("몇 살까지 돼요?", "가입 가능", ""),
    ],
)
def test_a_negative_question_is_answered_as_koreans_do(
    entities: EntityReader, asked: str, verdict: str, front: str
) -> None:
    done = Done("eligibility_by_product_rule", {}, "Rule", {"verdict": verdict})
    assert lead(PLANNER, [done], asked, read(entities, asked), DECLARED) == front


def test_what_is_paid_a_piece_is_counted(entities: EntityReader) -> None:
    cover = {"amount": 200_000, "unit": "치아 1개당", "limit": "연간 3개까지 지급합니다."}
    done = Done("benefit_amount_lookup", {}, "Amounts", {"covers": [cover]})
    told = for_several(PLANNER, [done], read(entities, "크라운 세 개 하면 얼마 나와요"), DECLARED)
    assert "3개면 60만원" in told and "연간 3개" in told
    assert for_several(PLANNER, [done], read(entities, "크라운 얼마 나와요"), DECLARED) == ""


def test_only_the_side_asked_about_is_told_again() -> None:
    text = "청구는 이렇게 해요.\n1. 서류를 준비합니다.\n2. 접수합니다.\n• 처리 기간: 3영업일 이내\n• 시효는 3년입니다."
    assert only_asked(PLANNER, text, "며칠 걸려요") == "• 처리 기간: 3영업일 이내"
    assert only_asked(PLANNER, text, "고마워요") is None


def test_the_insurance_age_is_reckoned_from_a_birthday(entities: EntityReader) -> None:
    asked = "1980년 5월 10일생인데 보험나이로 몇 살이에요"
    told = insurance_age_told(PLANNER, asked, read(entities, asked), Facts(), TODAY)
    assert told is not None and "만 45세" in told and "보험나이는 46세" in told
    assert insurance_age_told(PLANNER, "보험료 얼마예요", read(entities, "보험료 얼마예요"), Facts(), TODAY) is None


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("서류는 뭐가 필요하고 돈은 언제 들어와요", 2),
        ("보험료는 얼마고 면책은 며칠이에요?", 2),
        ("면책기간하고 보험료 좀요", 2),
        ("얼마라고 하셨죠 다시요", 0),
    ],
)
def test_two_questions_in_one_breath_are_told_apart(text: str, count: int) -> None:
    assert len(joined_questions(PLANNER, text, DECLARED)) == count


@pytest.mark.parametrize(
    ("text", "agreed"),
    [
        ("예 접수할게요", True),
        ("네 진행해 주세요", True),
        ("예순아홉인데 늦었나요", False),
        ("응급실 간 날도 쳐줘요?", False),
        ("그래서 얼마나 걸려요", False),
    ],
)
def test_only_a_yes_is_a_go_ahead(text: str, agreed: bool) -> None:
    assert confirms(Facts(last_tool="contract_manage", action="청약철회"), text, DECLARED) is agreed


def test_a_cue_of_a_story_speaks_for_its_other_sentences_and_in_its_place_of_the_talk(cues: CueReader) -> None:
    story = "남편이 뇌출혈로 갔습니다. 정기보험 들어 놨어요"
    rest = "남편이 뇌출혈로 갔습니다."
    kinds = ("medical", "conditions")
    assert cues.instead("eligibility_by_product_rule", rest, kinds, story=story) == "event_eligibility_check"
    assert cues.instead("eligibility_by_product_rule", rest, kinds) is None


def test_a_tool_of_another_company_answers_yes_or_no_by_its_own_field(entities: EntityReader) -> None:
    block = Dialogue.model_validate({"verdict": {"field": "seats", "yes": ["자리 있음"], "no": ["매진"]}})
    theirs = Declarations({"their_ferry": block})
    asked = "자리 있나요?"
    for told, front in (("자리 있음", "네, "), ("매진", "아니요, "), ("대기", "")):
        done = Done("their_ferry", {}, "Seats", {"seats": told})
        assert lead(PLANNER, [done], asked, read(entities, asked), theirs) == front
