"""Numbers of revisions as they are read off a leaflet."""

from __future__ import annotations

import pytest

from app.language.entities import EntityReader
from app.language.references import find_revisions
from tests.language.samples import TODAY, catalogue
from tests.words import READING


@pytest.mark.parametrize(
    ("text", "revision"),
    [
        ("4번 개정이라고 써있는데", 4),
        ("개정 4라고 써 있어요", 4),
        ("제건 9라고 써있네요", 9),
        ("10이라고 돼있네", 10),
        ("5차라고 쓰여 있어요", 5),
        ("그건 3차는요", 3),
        ("지금 쓰는 게 0차?", 0),
        ("0판인데요", 0),
    ],
)
def test_a_revision_by_the_words_around_it(text: str, revision: int) -> None:
    assert [m.revision for m in find_revisions(READING, text)] == [revision]


@pytest.mark.parametrize("text", ["2차 수술이면", "3차 병원은요", "1차 항암 끝났어요", "홍길동이라고 써 있어요"])
def test_other_turns_are_no_revisions(text: str) -> None:
    assert not find_revisions(READING, text)


@pytest.mark.parametrize(
    ("text", "revisions"),
    [
        ("간편건강은 12", [12]),
        ("골라담는 3 맞나", [3]),
        ("뉴스타트 3만원", []),
        ("뉴스타트 45 남", []),
        ("더건강한치아 2개 하면", []),
        ("첫날부터 1년 지나면", []),
    ],
)
def test_a_small_number_right_behind_a_product(text: str, revisions: list[int]) -> None:
    found = EntityReader(catalogue()).read(text, TODAY).revisions
    assert [m.revision for m in found] == revisions
