"""The keyword tables of annotation-aware-retrieval.txt, and the words of this trade."""

from __future__ import annotations

import pytest

from app.routing.intent import KINDS, Intents, IntentWords, Kind, QueryIntent
from app.word_files import WordFiles
from tests.words import LANGUAGE

FILES = WordFiles(LANGUAGE)
WORDS, INTENTS = FILES.read("intent", IntentWords), Intents(FILES)


@pytest.mark.parametrize("kind", KINDS)
def test_every_published_keyword_counts_for_its_kind(kind: Kind) -> None:
    for word in (*getattr(WORDS.english, kind), *getattr(WORDS.korean, kind)):
        assert getattr(INTENTS.of(f"사용자 {word}"), kind) > 0, word


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("사용자 삭제", QueryIntent(delete=1.0)),
        ("사용자 목록 조회", QueryIntent(read=1.0)),
        ("새 사용자 등록", QueryIntent(write=1.0)),
        ("delete the user", QueryIntent(delete=1.0)),
        ("List all pets", QueryIntent(read=1.0)),
        ("update_user", QueryIntent(write=1.0)),
        ("계약을 확인하고 변경", QueryIntent(read=0.5, write=0.5)),
        ("조회 후 삭제", QueryIntent(read=0.5, delete=0.5)),
        ("암보험이 좋은가요", QueryIntent()),
        ("", QueryIntent()),
        ("보험 해지할래요", QueryIntent(delete=1.0)),
        ("청약 철회하고 싶어요", QueryIntent(delete=1.0)),
        ("들어둔 거 깨고 싶어요", QueryIntent(delete=1.0)),
        ("수익자를 아내로 바꾸려고요", QueryIntent(write=1.0)),
    ],
)
def test_shares_follow_the_words_found(text: str, expected: QueryIntent) -> None:
    assert INTENTS.of(text) == expected


def test_shares_add_up_to_one() -> None:
    mixed = INTENTS.of("목록을 조회해서 수정하고 삭제")
    assert mixed.read + mixed.write + mixed.delete == pytest.approx(1.0)
    assert mixed.read == pytest.approx(0.5)


def test_english_words_match_whole_words_only() -> None:
    assert INTENTS.of("the budget of the asset").neutral  # get, set
    assert INTENTS.of("target address").neutral  # get, add


def test_no_keyword_is_neutral() -> None:
    assert INTENTS.of("보험료가 궁금해요").neutral
