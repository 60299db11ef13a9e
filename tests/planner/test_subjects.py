"""What a question names in its own words, and what only asks."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.subjects import subject
from app.planner.view import View
from tests.language.samples import TODAY
from tests.planner.declared import DECLARED
from tests.words import PLANNER


@pytest.fixture(scope="module")
def entities(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


def named(entities: EntityReader, text: str, field: str) -> str | None:
    read = entities.read(text, TODAY)
    return subject(View(text, read, Facts(), "any", False, TODAY, read, DECLARED, PLANNER), field)


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("job", "위험등급 조회해 주세요"),
        ("job", "제 직업도 가입에 영향이 있어요?"),
        ("text", "광고 문안 검수 좀 부탁드려요"),
        ("job", "아내 직업이 바뀌었는데 위험한 일이면 못 들어요?"),
        ("text", "문구 하나 내보내기 전에 검토 부탁합니다"),
        ("code_or_name", "질병코드 좀 찾아줘"),
        ("code_or_name", "적힌 코드가 어떤 병인지 알려주실 수 있어요"),
        ("topic", "멘트 하나만 만들어 줘"),
        ("topic", "CM용으로 고쳐서 다시요"),
        ("rider", "특약 하나가 정확히 언제 나오는 건지요"),
        ("goal", "특약 좀 골라주세요"),
        ("event", "보험금 나오는지 궁금합니다"),
        # longer ones, full of words that are about something else
        ("event", "어제 병원에서 두 시간 앉아 있다 왔는데 이런 건 보험금 대상인지요"),
        ("job", "제가 좀 거친 일을 맡고 있어서 이 직업도 받아 주시는지 걱정이에요"),
        ("code_or_name", "서류 맨 아래 칸에 적힌 코드가 어느 병인지 도무지 모르겠어요"),
        ("text", "내일 3시까지 올려야 하는 배너 문구인데 준법에 걸리는지 봐 주실래요"),
        ("topic", "전화로 읽을 멘트 하나, 심의에 안 걸리게 뽑아 주세요"),
        ("goal", "서른아홉 남자이고 매달 이만 원쯤 생각하는데 특약을 어떻게 짜면 좋아요"),
        ("benefit", "거기서 한 종류만 골라서 조건까지 깊게 보고 싶은데요"),
        ("keyword", "특약 검색 하나 하자 전 상품에서"),
        ("term", "약관에 나오는 용어 하나만 정확한 뜻을 알고 싶어요"),
        ("query", "약관에서 조항 하나만 더 찾아 주세요"),
        ("case_summary", "조금 전에 끊은 통화 후속조치 목록 만들어 줘"),
        # what is told of a person, of time and of money says nothing of it
        ("case_summary", "58세 여성분이고 3시 10분에 통화 끝"),
        ("goal", "월 2만원 안쪽에서 특약 추천도 해줘요? 저 서른여섯 남자고 회사원"),
        ("topic", "전화용 멘트 하나 써줘 1분 안쪽으로"),
    ],
)
def test_words_of_asking_name_nothing(entities: EntityReader, field: str, text: str) -> None:
    assert named(entities, text, field) is None


@pytest.mark.parametrize(
    ("field", "text", "word"),
    [
        ("job", "고층 유리창 닦는 일 위험등급 알려줘", "유리창"),
        ("topic", "재통화 약속 멘트 만들어 줘", "재통화"),
        ("code_or_name", "유암종은 어떤 코드인가", "유암종"),
        ("event", "계단에서 미끄러졌는데 보험금 나오나요", "미끄러"),
        ("text", "이거 써도 될까요 이 보험 하나면 노후 걱정 끝입니다", "걱정"),
        ("text", "다음 문장 좀 봐 주세요 가입만 하셔도 선물을 드립니다", "선물"),
        ("benefit", "수술 쪽은 어디까지 되는지 자세히 보고 싶어요", "수술"),
        ("query", "약관에서 해지 조항만 좀 찾아 주세요", "해지"),
        ("goal", "여자들이 많이 걸리는 암 위주로 특약을 붙이고 싶어요", "암"),
    ],
)
def test_what_is_named_stays_as_it_was_said(entities: EntityReader, field: str, text: str, word: str) -> None:
    assert word in (named(entities, text, field) or "")
