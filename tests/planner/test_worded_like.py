"""A message is answered by the general question it is worded like, what is asked on by a side of its answer."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.adapters.static_embedder import StaticEmbedder
from app.insurance.catalogue import Catalogue
from app.language.tokenizer import Tokenizer
from app.planner.facets import Facets
from app.planner.knowledge import AHEAD, NEARLY, Knowledge, KnowledgeBase

DATA = Path("data")


@pytest.fixture(scope="module")
def knowledge(catalogue: Catalogue) -> KnowledgeBase:
    encode = StaticEmbedder.load(DATA / "models" / "ko-insurance-static").encode_passages
    return KnowledgeBase(catalogue.reference, Tokenizer(), Facets.load(DATA / "language" / "facets.yaml"), encode)


def _told(knowledge: KnowledgeBase, question: str) -> Knowledge:
    found = knowledge.nearest(question, ahead=AHEAD)
    assert found is not None, question
    return found


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("보험금 안 주는 비율이 몇 퍼센트나 되나요", "0.8%"),
        ("제 담당 설계사 다른 분으로 바꿔 줄 수 있나요", "담당 설계사"),
        ("해외 사는데 전화는 어떻게 걸어요", "82"),
        ("보험 가입하라는 광고 전화 좀 안 오게 해 줘요", "두낫콜"),
        ("이번에 보험료가 두 번이나 빠져나갔네", "이중 출금"),
        ("내 개인정보 전부 지워 주세요", "파기"),
        ("가입할 때 혈압약 먹는 걸 말 안 했는데 어떡하죠", "보완 고지"),
        ("보험료 신용카드로 내면 안 되나요", "카드 납부 신청서"),
    ],
)
def test_a_general_question_is_found_by_how_people_word_it(knowledge: KnowledgeBase, question: str, told: str) -> None:
    assert told in _told(knowledge, question).text


@pytest.mark.parametrize("question", ["", "!!", "ㅋㅋ", "비 오는 날 파전 맛집", "뉴스타트암보험 45세 여자 보험료"])
def test_what_is_worded_like_nothing_is_left_to_others(knowledge: KnowledgeBase, question: str) -> None:
    assert knowledge.nearest(question, NEARLY, AHEAD) is None


@pytest.mark.parametrize(
    ("first", "asked_on", "told"),
    [
        ("보험료 신용카드로 낼 수 있나요", "어디다 신청해요", "고객센터 0000-1004"),
        ("보험료 신용카드로 낼 수 있나요", "서류는 뭐 내요", "카드 명의자 확인"),
        ("세금 공제 되나요", "한도는요", "100만원"),
        ("보험사가 망하면 돈은 어떻게 돼요", "얼마까지요", "1억원"),
        ("민원 넣고 싶어요", "거기 번호가 뭐예요", "0000-1004"),
        ("보험증권 잃어버렸어요", "재발급 수수료 들어요", "안내 자료에 없어요"),
        ("자동이체 날짜 바꿀 수 있나요", "어디서 바꿔요", "모바일 앱"),
        ("방문 창구는 어디예요", "몇 시까지 해요", "오후 4시"),
    ],
)
def test_a_side_of_the_answer_is_told(knowledge: KnowledgeBase, first: str, asked_on: str, told: str) -> None:
    answered = knowledge.answer(first)
    assert answered is not None
    on = knowledge.meant(asked_on, f"{first}\n{answered.text}", "")
    assert on is not None and told in on.text and on.text != answered.text


def test_a_side_is_told_behind_another_side(knowledge: KnowledgeBase) -> None:
    first = f"보험증권 잃어버렸어요\n{_told(knowledge, '보험증권 잃어버렸어요').text}"
    fee = knowledge.meant("수수료 있어요", first, "")
    assert fee is not None
    where = knowledge.meant("어디서 해요", f"수수료 있어요\n{fee.text}", first)
    assert where is not None and "증권" in where.text


@pytest.mark.parametrize(
    "asked_on", ["암 진단비 서류는요", "그럼 보험료는 얼마예요 45세 여자 뉴스타트로 십 년 동안 내면", "고마워요"]
)
def test_what_names_something_else_is_no_side(knowledge: KnowledgeBase, asked_on: str) -> None:
    first = f"세금 공제 되나요\n{_told(knowledge, '세금 공제 되나').text}"
    found = knowledge.meant(asked_on, first, "")
    assert found is None or "공제" not in found.text
