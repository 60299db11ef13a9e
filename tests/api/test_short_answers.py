"""Few words in the middle of a talk: figures, places, treatments and names; one thing changed, two things asked."""

from __future__ import annotations

from typing import Any

import pytest

from app.evaluation.hearing import calls_of
from tests.api.conftest import Ask

UNKNOWN = "안내 자료와 약관에서 확인하지 못했어요"
Expected = tuple[str, dict[str, Any]]

TALKS: dict[str, tuple[list[str], list[Expected]]] = {
    "a kind is no product where one was asked for": (
        ["납입기간이 뭐뭐 있는지요", "치아보험인데 정확한 이름이", "실버요"],
        [("plan_options", {"product_code": "B00307007"})],
    ),
    "one of a kind is told by what it does": (
        ["특약 뭐 있는지 다 보여 주세요", "치아보험이요", "갱신 안 되는 거", "꼭 들어야 하는 것만"],
        [("rider_list", {"product_code": "B00197011", "mandatory_only": True})],
    ),
    "one of a kind by its place": (
        ["납입기간이 뭐가 있나요", "암보험이요", "두 번째 거요"],
        [("plan_options", {"product_code": "B00155017"})],
    ),
    "where it is written what was just said": (
        ["더건강한치아보험 크라운 감액 있나요", "약관 몇 조에 그렇게 써 있는지 찾아 주세요"],
        [("rag_terms_query_engine", {"product_code": "B00172014", "query": "더건강한치아보험 크라운 감액 있나요"})],
    ),
    "a rider that is named": (
        ["실속치매 특약 뭐뭐 있어요", "알았어 알았어.. 거기 지정대리청구서비스 특약이 뭔지나 알려줘요"],
        [("rider_get", {"product_code": "B00312011", "rider": "지정대리청구서비스특약"})],
    ),
    "another product than the one of the talk": (
        ["채우는335 갱신되나요?", "조카도 딴 상품을 들려는데 납입기간은요? 채우는 건 아니에요", "종신이래요"],
        [("plan_options", {"product_code": "B00329010"})],
    ),
    "a date is told of what was just answered": (
        ["실효된 계약 다시 살릴 수 있나요?", "작년 4월 8일"],
        [("underwriting_reinstatement_rule", {"lapse_date": "2025-04-08"})],
    ),
    "a contract number is corrected": (
        ["주소를 옮겨야 합니다", "P000079입니다", "아 잘못 불렀어요 P000097"],
        [("contract_manage", {"action": "주소변경", "contract_id": "P000097"})],
    ),
    "where to": (
        ["주소 변경하려고요", "P000097", "부산 해운대구 센텀로 45"],
        [("contract_manage", {"action": "주소변경", "contract_id": "P000097"})],
    ),
    "a treatment is told when the history was asked for": (
        ["치매간병보험 고지 위험도 점수 좀 봐 주세요", "체외충격파 받았어요"],
        [("underwriting_disclosure_risk_score", {"history": "체외충격파 받았어"})],
    ),
    "an age and a gender in three letters": (
        ["종신보험 지금 깨면요", "7년 냈고 쉰둘 남이요"],
        [("surrender_value_explain", {"age": 52, "gender": "M", "years_paid": 7})],
    ),
    "a name with a year of birth": (
        ["이영희 68년생 계약 현황 좀"],
        [("customer_contract_lookup", {"customer_name": "이영희"})],
    ),
    "a name alone": (
        ["고객 계약 좀 조회할게요", "심다은"],
        [("customer_contract_lookup", {"customer_name": "심다은"})],
    ),
    "a product is no name": (["중복 가입인지 확인해 주세요", "골라담는암이요"], [("duplicate_enrollment_check", {})]),
    "who came is no name": (["어제 지점에 오신 고객님 계약 조회해 주세요"], [("customer_contract_lookup", {})]),
    "a bare revision": (
        ["뉴스타트암보험 3차가 최신본인가요", "아 5였네, 5요"],
        [("product_latest_version_check", {"product_code": "B00115023", "revision": 5})],
    ),
    "only the mandatory ones": (
        ["치매간병보험 특약 목록 보여 주세요", "필수만"],
        [("rider_list", {"product_code": "B00317010", "mandatory_only": True})],
    ),
    "another organ": (
        ["간암이면 뉴스타트에서 보험금 나와요?", "폐는요?"],
        [("event_eligibility_check", {"product_code": "B00115023", "event": "폐암"})],
    ),
    "the other one of two": (
        ["실속치매랑 치매간병 비교해 주세요", "치매간병 면책기간은요", "다른 하나는요"],
        [("underwriting_waiting_periods", {"product_code": "B00312011"})],
    ),
    "each of two jobs": (
        ["형은 용접공이고 동생은 어린이집 교사인데 둘 다 위험등급 몇 급이에요"],
        [
            ("underwriting_high_risk_job_check", {"job": "용접공"}),
            ("underwriting_high_risk_job_check", {"job": "어린이집 교사"}),
        ],
    ),
    "each product with its own revision": (
        ["뉴스타트 4차, 간편건강 12차 이거 최신인가요"],
        [
            ("product_latest_version_check", {"product_code": "B00115023", "revision": 4}),
            ("product_latest_version_check", {"product_code": "B00343004", "revision": 12}),
        ],
    ),
    "side by side with the product of the talk": (
        ["채우는335 개요 보여 주세요", "간편정기랑 뭐가 다른지 나란히 대 봐요"],
        [("product_compare", {"product_codes": ["B00364004", "B00392004"]})],
    ),
    "this product and another": (
        ["첫날부터암보험 면책기간요", "이 상품하고 골라담는암 대조표 하나 만들어 주세요"],
        [("product_compare", {"product_codes": ["B00355005", "B00155017"]})],
    ),
    "husband and wife of a customer": (
        [
            "남편분은 쉰하나 은행원, 아내분은 마흔아홉 주부세요. 치매간병보험 둘 다 보험료 얼마예요",
            "아내분만 실속치매로는요",
        ],
        [("premium_estimate", {"product_code": "B00312011", "age": 49, "gender": "F"})],
    ),
    "wife and husband of a customer in turn": (
        [
            "남편분 52 협심증 있으시대요 간편건강 되나요",
            "부인은 마흔여섯 자궁근종 수술 2년 지났고요",
            "두 분 보험료 각각요",
        ],
        [
            ("premium_estimate", {"product_code": "B00343004", "age": 52, "gender": "M"}),
            ("premium_estimate", {"product_code": "B00343004", "age": 46, "gender": "F"}),
        ],
    ),
    "two products asked about one after the other": (
        ["서른여섯 여자 뉴스타트 보험료", "첫날부터는요", "두 개 보험료 차이가 많이 나나요"],
        [("premium_compare", {"product_codes": ["B00115023", "B00355005"], "age": 36, "gender": "F"})],
    ),
    "one of two is chosen for another person": (
        ["종신이랑 간편고지정기 마흔셋 남자 보험료 비교해 주세요", "정기로 정했어요 아내는 마흔하나요"],
        [("premium_estimate", {"product_code": "B00392004", "age": 41, "gender": "F"})],
    ),
    "thousands after a sum insured": (
        ["간편고지정기 쉰 남자 가입금액 1억이면 월 얼마", "삼천은요"],
        [("premium_estimate", {"product_code": "B00392004", "sum_insured": 30_000_000})],
    ),
    "a day of the year that was spoken of": (
        [
            "THE건강한치아보험V로 크라운 했는데 되나요",
            "가입일 2025년 3월 4일 치료는 2025년 10월 7일",
            "가입일은 3월 14일로 고칠게요",
        ],
        [("event_eligibility_check", {"contract_date": "2025-03-14", "event_date": "2025-10-07"})],
    ),
    "a code read out": (
        ["진단서에 적힌 거 이게 뭔 코드예요", "씨칠삼이요"],
        [("icd_mapping_lookup", {"code_or_name": "C73"})],
    ),
    "what the work turns into": (
        ["사무직이면 위험등급이 몇 급이에요", "다음 달부터 화물차로 직업이 바뀌어요"],
        [("underwriting_high_risk_job_check", {"job": "화물차"})],
    ),
    "a story that ends in a request": (
        [
            "둘째 낳고 육아휴직 중인데 남편 혼자 벌어서 생활비도 빠듯하고 대출도 일억 오천이나 남았거든요."
            " 건강해지는종신보험 보험료 좀 계산해 주세요",
            "남편 앞으로요 마흔",
        ],
        [("premium_estimate", {"product_code": "B00329010", "age": 40, "gender": "M"})],
    ),
    "lay words for an illness": (
        ["간편건강보험 심사 미리 봐 주세요. 작년에 쓸개에 돌이 생겨서 수술했어요"],
        [("underwriting_precheck", {"product_code": "B00343004", "history": "작년 담석 수술"})],
    ),
    "an order with the number of its contract": (
        ["주소 말고 부활 절차 좀 알려 주세요", "P000078 부활 접수 올려 주세요"],
        [("contract_manage", {"action": "부활", "contract_id": "P000078", "submit": True})],
    ),
    "a revision behind its product": (
        ["간편건강 11판인데 아직 유효한가요", "실버치아는 2라고 적혀 있고"],
        [("product_latest_version_check", {"product_code": "B00307007", "revision": 2})],
    ),
    "where somebody works": (
        ["저는 염색공장 다니는데 직업 위험한 편인가요"],
        [("underwriting_high_risk_job_check", {"job": "염색공장"})],
    ),
    "a contract by its number": (
        ["증권번호 P000079 계약 상태 확인해 주세요"],
        [("contract_manage", {"action": "조회", "contract_id": "P000079"})],
    ),
    "what was found without an illness": (
        ["한 달 전 초음파에서 결절이 보인대요. 이것도 고지해야 되나요"],
        [("underwriting_disclosure_risk_score", {"history": "한 달 전 초음파에서 결절"})],
    ),
}


@pytest.mark.parametrize("name", TALKS)
async def test_few_words_go_on_with_the_talk(ask: Ask, name: str) -> None:
    turns, expected = TALKS[name]
    reply: dict[str, Any] = {}
    for text in turns:
        reply = await ask(text, "short-" + name.replace(" ", "-"))
    made = [(call.tool, dict(call.args)) for call in calls_of(reply)]
    for tool, args in expected:
        assert any(tool == t and args.items() <= given.items() for t, given in made), made
    if not expected[0][1]:
        assert "customer_name" not in made[0][1], made


async def test_why_something_was_asked_is_told_and_it_is_asked_again(ask: Ask) -> None:
    await ask("골라담는암보험 보험료요", "why")
    told = await ask("그건 왜 물어보세요?", "why")
    assert "나이와 성별에 따라" in told["answer"] and told["tools_used"] == []
    assert set(told["needs_input"]) == {"age", "gender"}
    priced = await ask("서른여덟 여자", "why")
    assert priced["tools_used"] == ["premium_estimate"] and "38" in priced["answer"]


@pytest.mark.parametrize(
    "question",
    [
        "이번에 이사해서 월세가 80이고 애가 둘이에요. 간편고지정기 보험료 알고 싶어요",
        "월급날이 25일이고 카드값이 밀렸어요. 그래도 청약철회 돼요?",
    ],
)
async def test_what_else_is_told_beside_a_question_about_insurance_keeps_nobody_out(ask: Ask, question: str) -> None:
    assert (await ask(question, None))["guard"]["input"] == "pass"


async def test_words_that_ask_for_something_else_are_still_refused_in_the_middle_of_a_talk(ask: Ask) -> None:
    await ask("뉴스타트암보험 면책기간 알려 주세요", "aside")
    assert (await ask("에고 사는 게 다 그렇죠 뭐, 허리야", "aside"))["guard"]["input"] == "pass"
    assert (await ask("주말에 부산 가는 기차표 3장 예매해 줘", "aside"))["guard"]["layer"] == "L2"


@pytest.mark.parametrize(
    ("remark", "answer"),
    [
        ("음 생각했던 것보다 비싸네", "한 달에 낼 수 있는 금액"),
        ("에고 마음이 무겁네요", "말씀해 주세요"),
        ("에휴 요새 몸이 말썽이라 참", "말씀해 주세요"),
        ("어휴 보험은 뭐 이리 복잡한지", "쉽게 풀어서"),
    ],
)
async def test_a_remark_that_asks_nothing_is_not_told_that_nothing_is_known(ask: Ask, remark: str, answer: str) -> None:
    await ask("마흔여섯 여자 뉴스타트암보험 보험료요", "remark")
    told = await ask(remark, "remark")
    assert told["tools_used"] == [] and answer in told["answer"] and UNKNOWN not in told["answer"]


async def test_nobody_is_taken_for_healthy_who_did_not_say_so(ask: Ask) -> None:
    ages = "시어머니 예순일곱 친정엄마 쉰아홉"
    illnesses = "시어머니는 당뇨약 드시고 친정엄마는 허리가 좀 그러신데"
    made = calls_of(await ask(f"{ages}, {illnesses} 치매간병보험 가입되려나요", None))
    assert all(call.args.get("history") != "아픈 데 없음" for call in made), made


async def test_what_is_asked_and_not_known_is_still_told_so(ask: Ask) -> None:
    await ask("마흔여섯 여자 뉴스타트암보험 보험료요", "unknown")
    assert UNKNOWN in (await ask("상담은 전부 몇 명이서 하는지 복잡하네", "unknown"))["answer"]


async def test_a_whole_story_is_no_name_of_a_rider(ask: Ask) -> None:
    story = "친구가 작년에 들었다던 그 특약인데 텔레비전에서도 여러 번 나왔던 거요. 모든 상품에서 찾아봐 주세요"
    reply = await ask(story, None)
    assert reply["tools_used"] == [] and reply["needs_input"] == ["keyword"]
