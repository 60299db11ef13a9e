"""General questions are answered from the glossary and the FAQ, each with its source; unknown ones not at all."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.insurance.wording import nominative
from app.language.tokenizer import Tokenizer
from app.planner.knowledge import ENOUGH, KnowledgeBase


@pytest.fixture(scope="module")
def knowledge(catalogue: Catalogue) -> KnowledgeBase:
    return KnowledgeBase(catalogue.reference, Tokenizer())


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("갱신형이 뭐예요?", "갱신형"),
        ("갱신형이 머에요", "갱신형"),
        ("비갱신형 뜻", "비갱신형"),
        ("피보험자가 무슨 말이에요", "피보험자"),
        ("면책기간이 뭔가요", "면책기간"),
        ("해약환급금이 뭐예요", "해약환급금"),
        ("유사암이 뭔가요", "유사암"),
        ("KCD가 뭐예요", "KCD"),
        ("부담보가 무슨 뜻이에요", "부담보"),
        ("역선택이 뭐야", "역선택"),
        ("고지의무가 뭐예요", "계약 전 알릴 의무"),
        ("방카슈랑스란 무엇인가요", "방카슈랑스"),
        ("계약자랑 피보험자 차이", "계약자와 피보험자는 어떻게 다른가요?"),
        ("갱신형이랑비갱신형 차이가 뭐예요", "갱신형과 비갱신형은 무엇이 다른가요?"),
        ("종신보험이랑 정기보험은 뭐가 달라요", "종신보험과 정기보험은 무엇이 다른가요?"),
        ("면책이랑 감액은 어떻게 다른 거예요", "면책기간과 감액기간은 어떻게 다른가요?"),
        ("보험나이는 어떻게 계산해요", "보험나이"),
        ("보험회사가 망하면 어떻게 되나요", "보험도 예금자보호가 되나요?"),
        ("설계사에게 말했는데 알린 것이 되나요", "설계사에게 말했으면 알린 것이 되나요?"),
        ("자살도 보험금 나와요?", "자살도 사망보험금이 나오나요?"),
    ],
)
def test_a_general_question_finds_its_entry(knowledge: KnowledgeBase, question: str, title: str) -> None:
    found = knowledge.answer(question)
    assert found is not None and found.title.startswith(title)
    assert found.text and found.source and ENOUGH <= found.share <= 1


def test_two_terms_without_an_entry_on_their_difference_are_both_explained(knowledge: KnowledgeBase) -> None:
    found = knowledge.answer("보험료와 보험금의 차이")
    assert found is not None and {"보험료", "보험금"} == set(found.title.split("·"))
    assert found.text.count("• ") == 2


@pytest.mark.parametrize(
    "question",
    [
        "우주선 연료가 뭐예요",
        "비트코인이 뭐예요",
        "오늘 날씨 어때요",
        "부활절 날짜 언제야",
        "밴드 부활 노래 추천해줘",
        "정기예금 중도해지하면 손해인가",
        "카드 결제일 청구금액 확인",
        "체스 퀸이랑 크라운 왕관 영어로",
        "왜요?",
        "됐어",
        "좋아요",
        "네 맞아요",
        "계속해",
        "이름이 뭐예요",
        "처음 뵙겠습니다",
        "보험",
        "보험이 뭐가 있어요",
        "",
        "!!!",
    ],
)
def test_what_it_does_not_know_it_does_not_answer(knowledge: KnowledgeBase, question: str) -> None:
    assert knowledge.answer(question) is None


def test_every_entry_answers_to_its_own_name(knowledge: KnowledgeBase, catalogue: Catalogue) -> None:
    for faq in catalogue.reference.knowledge:
        found = knowledge.answer(faq.question)
        assert found is not None and found.source, faq.question
    lost = [t.term for t in catalogue.reference.glossary if not knowledge.answer(f"{nominative(t.term)} 뭐예요?")]
    assert lost == []


def test_most_ways_of_asking_lead_to_the_same_entry(knowledge: KnowledgeBase, catalogue: Catalogue) -> None:
    asked = [(variant, faq.answer) for faq in catalogue.reference.knowledge for variant in faq.variants]
    right = sum((found := knowledge.answer(variant)) is not None and found.text == text for variant, text in asked)
    assert right / len(asked) >= 0.9
