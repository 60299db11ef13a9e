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


@pytest.mark.parametrize(
    ("message", "title"),
    [
        ("라이나가 부도나면 부어 온 보험은 어떻게 돼요", "보험도 예금자보호가 되나요?"),
        ("보험을 저축 대신 들까 하는데 괜찮나요", "보험을 적금이나 저축처럼 들어도 되나요?"),
        ("건강하니까 간편고지는 굳이 필요 없겠죠", "간편심사 상품은 누구에게 맞나요?"),
        ("보험금 받는 사람을 바꿀 때 보험사 동의가 필요한가요", "수익자를 바꿀 때 회사의 허락이 필요한가요?"),
        ("매달 내고 있는데 버거워서 보장 금액을 낮추고 싶어요", "가입한 뒤에 가입금액을 줄일 수 있나요?"),
        ("중간에 특약 하나 더 넣을 수 있나요", "가입한 뒤에 특약을 더할 수 있나요?"),
        ("안 쓰는 특약은 떼도 되나요", "필요 없는 특약만 해지할 수 있나요?"),
        (
            "90일 안에 암 진단 나오면 부은 돈은 못 받아요?",
            "면책기간 안에 암이나 치매로 진단되면 낸 보험료는 어떻게 되나요?",
        ),
        ("지금 끼는 틀니 바꾸면 나오나요", "지금 치료받는 이나 쓰고 있는 틀니도 보장되나요?"),
    ],
)
def test_plain_words_lead_to_their_entry(knowledge: KnowledgeBase, message: str, title: str) -> None:
    found = knowledge.meant(message)
    assert found is not None
    assert found.title == title


@pytest.mark.parametrize(
    "message",
    [
        "장사가 망해서 보험료를 못 내요",
        "적금처럼 굴릴 수 있다고 말해도 되나요",
        "지금 치료 중인데 이것도 나오나요",
        "지금 아픈 이가 있는데 보험 들 수 있나요",
        "가입한 지 2년 됐는데 지금 치료받는 이 나오나요",
        "가입금액 2천으로 낮추면 얼마예요",
        "특약 빼고 주계약만 얼마예요",
    ],
)
def test_like_words_for_something_else_lead_to_no_such_entry(knowledge: KnowledgeBase, message: str) -> None:
    found = knowledge.meant(message)
    assert found is None or found.title not in {
        "보험도 예금자보호가 되나요?",
        "보험을 적금이나 저축처럼 들어도 되나요?",
        "지금 치료받는 이나 쓰고 있는 틀니도 보장되나요?",
        "가입한 뒤에 가입금액을 줄일 수 있나요?",
        "필요 없는 특약만 해지할 수 있나요?",
    }
