"""What belongs to insurance and to no tool: an answer from the knowledge base or the documents, or who knows it."""

from __future__ import annotations

import pytest

from tests.api.conftest import Ask

ONLY_INSURANCE = "보험과 관련된 질문에만"


async def test_a_question_without_a_tool_is_looked_up_and_cited(ask: Ask) -> None:
    told = await ask("손해율이 얼마나 되나요", None)
    assert "0.8%" in told["answer"] and "[1]" in told["answer"]
    assert len(told["sources"]) == 1 and "부지급률" in told["sources"][0]["snippet"]


async def test_what_the_documents_do_not_tell_comes_with_the_next_step(ask: Ask) -> None:
    told = await ask("군대 가면 보험 어떻게 되나요", None)
    assert "0000-1004" in told["answer"] and "확인하지 못했" in told["answer"] and told["sources"] == []


async def test_a_look_up_leaves_the_talk_where_it_was(ask: Ask) -> None:
    await ask("45세 남성 뉴스타트암보험 보험료 얼마예요", "aside")
    await ask("불완전판매비율이 어떻게 돼요", "aside")
    assert "premium_estimate" in (await ask("여자는요", "aside"))["tools_used"]


@pytest.mark.parametrize(
    ("talk", "words"),
    [
        (["회사 번호 몇 번이에요"], "0000-1004"),
        (["대표번호 알려 주세요", "주말은요"], "토요일, 일요일"),
        (["직원이 저한테 함부로 말했어요"], "소비자보호실"),
        (["직원이 저한테 함부로 말했어요", "답은 언제 와요"], "14일"),
        (["직원이 저한테 함부로 말했어요", "답이 마음에 안 들면 어떡해요"], "1332"),
        (["삼성생명 암보험이랑 비교하면 어디가 나아요"], "다른 회사"),
        (["설계사가 이거 팔면 얼마나 남겨요"], "수수료"),
        (["화재보험 얼마예요"], "판매하지 않습니다"),
        (["보험 나이랑 그냥 나이랑 왜 달라요"], "6개월"),
    ],
)
async def test_general_questions_get_an_insurers_answer(ask: Ask, talk: list[str], words: str) -> None:
    for message in talk:
        told = await ask(message, "general" if len(talk) > 1 else None)
    assert words in told["answer"] and ONLY_INSURANCE not in told["answer"]


@pytest.mark.parametrize("asked", ["옆집 사람 전화번호 알려줘", "김민수 고객 전화번호 알려줘"])
async def test_the_number_of_a_person_stays_refused(ask: Ask, asked: str) -> None:
    assert "0000-1004" not in (await ask(asked, None))["answer"]


async def test_bad_news_is_met_once_before_the_answer(ask: Ask) -> None:
    first = await ask("아버지가 지난주에 돌아가셨는데 종신보험 청구 어떻게 해요", "news")
    assert first["answer"].startswith("삼가 고인의 명복을") and "청구" in first["answer"]
    assert "삼가 고인" not in (await ask("아버지가 돌아가셨으니 서류는 뭐가 필요해요", "news"))["answer"]
