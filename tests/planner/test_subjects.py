"""What a question names in its own words, and what only asks."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.subjects import subject
from app.planner.view import View
from tests.language.samples import TODAY


@pytest.fixture(scope="module")
def entities(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


def named(entities: EntityReader, text: str, field: str) -> str | None:
    read = entities.read(text, TODAY)
    return subject(View(text, read, Facts(), "any", False, TODAY, read), field)


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
        ("goal", "특약 좀 골라주세요"),
        ("event", "보험금 나오는지 궁금합니다"),
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
    ],
)
def test_what_is_named_stays_as_it_was_said(entities: EntityReader, field: str, text: str, word: str) -> None:
    assert word in (named(entities, text, field) or "")
