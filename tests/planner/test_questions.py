"""Several things asked at once are told apart, and one question is never torn into two."""

from __future__ import annotations

import pytest

from app.planner.questions import asked_among, clauses, joined_questions
from app.planner.wants import as_before, parts_wanted, still_waiting, tools_of
from tests.planner.declared import DECLARED
from tests.words import PLANNER


def first_tools(text: str) -> list[str]:
    return [tools[0] for tools in tools_of(parts_wanted(PLANNER, text, DECLARED), DECLARED) if tools]


@pytest.mark.parametrize(
    ("text", "tools"),
    [
        ("보험료하고 면책 기간 알려 주세요", ["premium_estimate", "underwriting_waiting_periods"]),
        ("보험료랑 해약환급금이랑 둘 다요", ["premium_estimate", "surrender_value_explain"]),
        ("설명 의무와 녹음 안내 문구도 줘", ["compliance_required_disclosure", "recording_notice_script"]),
        ("건강 질문 및 거절 기준 뽑아 줘", ["underwriting_questions_generator", "underwriting_knockout_rules"]),
        ("가입 나이하고 납입 주기도요", ["eligibility_by_product_rule", "payment_cycle_options"]),
        ("면책기간이랑 못 받는 경우요", ["underwriting_waiting_periods", "underwriting_exclusions"]),
        ("보험료는 얼마고 감액은 언제까지예요", ["premium_estimate", "underwriting_waiting_periods"]),
        ("보험료 얼마인지랑 언제까지 보장되는지요", ["premium_estimate", "underwriting_renewal_eligibility"]),
        ("계약 조회해 주시고 청약철회 방법도 알려 주세요", ["customer_contract_lookup", "contract_manage"]),
        ("할 일 정리하고 녹취 멘트도 줘", ["customer_followup_tasks", "recording_notice_script"]),
        (
            "보험료, 보장 내용, 특약 종류 전부요",
            ["premium_estimate", "coverage_summary", "rider_list"],
        ),
        ("면책+안 주는 경우", ["underwriting_waiting_periods", "underwriting_exclusions"]),
        ("청구 방법하고 필요한 서류요", ["claim_guide", "claim_required_forms"]),
        ("청구 서류랑 며칠 걸리는지도 알려줘요", ["claim_required_forms", "claim_guide"]),
    ],
)
def test_words_for_different_things_are_asked_one_by_one(text: str, tools: list[str]) -> None:
    assert first_tools(text) == tools


@pytest.mark.parametrize(
    "text",
    [
        "보험료 얼마예요",
        "면책기간이랑 감액기간이요",  # one answer tells both
        "보험료랑 보험금이 어떻게 다른 건지 모르겠어요",
        "보험료하고 환급금 차이가 뭐예요",
        "해지 환급금 보험료보다 적나요",
        "갱신하고 나서 보험료 오르나요",
        "약관에서 면책이랑 보험금 조항 찾아 주세요",
        "'보험료는 그대로고 면책도 없어요'라고 써도 돼요?",
        "면책까지 넣은 안내 멘트 써 줘",
        "다시 아까 특약, 보험료 기준은 어떻게 돼요",
        "자주 묻는 질문에서 보험료랑 면책 봐 주세요",
        "면책사유 아니고 면책기간이요",
        "나이 제한은 알겠고 거절 사유만 추려 주세요",
        "가입 나이랑 면책 기간 기준으로 비교해 주세요",
        "아까 그 수술비랑 이건 중복되나",
    ],
)
def test_one_question_stays_whole(text: str) -> None:
    assert parts_wanted(PLANNER, text, DECLARED) == ()


def test_each_part_keeps_what_stood_in_front() -> None:
    assert joined_questions(PLANNER, "뉴스타트 면책 기간하고 보험료요", DECLARED) == (
        "뉴스타트 면책 기간 알려 주세요",
        "뉴스타트 보험료요 알려 주세요",
    )


def test_a_part_ends_like_a_question_of_its_own() -> None:
    assert joined_questions(PLANNER, "계약 조회해 주시고 중복인지도 봐줘", DECLARED)[0] == "계약 조회해 주세요"
    assert joined_questions(PLANNER, "유사암은 얼마 주고 면책은 며칠이에요", DECLARED)[0] == "유사암은 얼마 주는지"


def test_papers_beside_a_claim_are_the_claims() -> None:
    assert tools_of(["내야 하는 서류", "청구 방법"], DECLARED) == [("claim_required_forms",), ("claim_guide",)]
    assert len(tools_of(["내야 하는 서류", "보험료"], DECLARED)[0]) > 1


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("첫날부터도 똑같이요", 2),
        ("표적항암은 같은 식으로 알려줘요", 2),
        ("치아도 마찬가지로", 2),
        ("첫날부터는요", 0),
        ("치아보험도 두 가지 다 알려 주세요", 2),
        ("그럼 똑같이 치아 거로도 둘 다요", 2),
    ],
)
def test_both_questions_are_asked_again_of_another(text: str, count: int) -> None:
    assert len(as_before(PLANNER, text, "뉴스타트 면책기간이랑 안 주는 경우 알려 주세요", DECLARED)) == count
    assert as_before(PLANNER, text, "뉴스타트 면책기간 알려 주세요", DECLARED) == ()


@pytest.mark.parametrize(
    ("told", "asked_for", "count"),
    [
        ((), ("product_code",), 2),
        (("underwriting_waiting_periods",), ("product_code",), 2),  # called for another product
        (("underwriting_waiting_periods",), ("age",), 0),  # told already: the age is for the other one
        ((), ("age",), 2),
    ],
)
def test_everything_that_waits_for_one_answer_goes_on(
    told: tuple[str, ...], asked_for: tuple[str, ...], count: int
) -> None:
    parts = parts_wanted(PLANNER, "면책기간이랑 보험료 알려 주세요", DECLARED)
    assert len(still_waiting(parts, told, asked_for, DECLARED)) == count


@pytest.mark.parametrize(
    ("sentences", "kept"),
    [
        (["V가 갱신 안 되는 거 맞지요?", "납입 기간은요?"], ["납입 기간은요?"]),
        (["아빠 쪽이 싸네요", "면책은 언제까지예요"], ["면책은 언제까지예요"]),
        (["청구 건 검토 중입니다.", "위암 나오나요"], ["위암 나오나요"]),
        (["보험료 얼마예요?", "면책은요?"], ["보험료 얼마예요?", "면책은요?"]),
        (["이거 갱신되는 거 맞죠?"], ["이거 갱신되는 거 맞죠?"]),
        (["수익자 변경하고 싶으시대요.", "P000010 건 접수 부탁드려요"], ["수익자 변경하고 싶으시대요."]),
    ],
)
def test_sentences_that_set_the_scene_are_not_asked(sentences: list[str], kept: list[str]) -> None:
    assert asked_among(PLANNER, sentences) == kept


def test_a_numbered_list_is_one_question_an_item() -> None:
    assert joined_questions(PLANNER, "뉴스타트 두 가지요 1. 면책기간 2) 특약 목록", DECLARED) == (
        "뉴스타트 면책기간 알려 주세요",
        "뉴스타트 특약 목록 알려 주세요",
    )
    assert joined_questions(PLANNER, "2) 특약 목록", DECLARED) == ()


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("암보험 되는 거 있나요 얼만지도", ["암보험 되는 거 있나요", "얼만지도"]),
        ("유지 중인 건 뭐고 월 얼마 내셔", ["유지 중인 건 뭐예요?", "월 얼마 내셔"]),
        ("하루 얼마 나오고 며칠까지 줘", ["하루 얼마 나오나요?", "며칠까지 줘"]),
        ("지금 들 수 있고 얼마야", ["지금 들 수 있나요?", "얼마야"]),
        ("납입면제가 뭐야 암보험에도 있어", ["납입면제가 뭐야", "암보험에도 있어"]),
        ("크라운 되나요 그리고 기다리는 기간 있어요", ["크라운 되나요", "기다리는 기간 있어요"]),
    ],
)
def test_a_sentence_is_cut_where_one_question_ends(text: str, parts: list[str]) -> None:
    assert list(clauses(PLANNER, text)) == parts


@pytest.mark.parametrize(
    "text",
    [
        "그건 갱신형이야 비갱신이야",
        "임플란트 되나요 안 되나요",
        "몇 살까지 되는지 알려 주세요",
        "둘 합쳐서 매달 얼마 내고 계세요",
        "언제까지 내면 되는데",
        "임플란트 하나 하시면 얼마 나가요",
        "골절 특약 뭐 있나 싶어서요",
        "갱신되면 얼마로 변하는지 보고 싶어요",
        "약관에 뭐라고 써 있나요 몇 조예요",
    ],
)
def test_a_sentence_with_one_question_is_not_cut(text: str) -> None:
    assert clauses(PLANNER, text) == (text,)
