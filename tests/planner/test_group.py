"""Who is meant together while a couple or a family asks: counted, added, dropped, put right, and left again."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.group import counted_together
from app.planner.reading import Reader
from tests.language.samples import TODAY
from tests.words import PLANNER


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue) -> Reader:
    return Reader(EntityReader(catalogue), PLANNER)


def told(reader: Reader, *messages: str) -> Facts:
    facts = Facts()
    for message in messages:
        facts = reader.read(message, facts, TODAY).facts
    return facts


@pytest.mark.parametrize(
    ("messages", "meant"),
    [
        (("저 서른여섯 남자인데 정기보험 얼마예요", "서른넷 아내도 같이 들면 둘이 얼마예요"), {"본인", "배우자"}),
        (("남편은 52세예요", "저까지요 저는 50 여자, 둘이 얼마죠"), {"배우자", "본인"}),
        (("남편40 나38 아들15 딸12",), {"배우자", "본인", "아들", "딸"}),
        (("남편40 나38 아들15 딸12", "딸 빼고 셋만요"), {"배우자", "본인", "아들"}),
        (("어머니 65세 아버지 70세신데 두 분 얼마예요", "저도 추가요 저는 41세 남자"), {"어머니", "아버지", "본인"}),
        (("어머니 65세 아버지 70세신데 두 분 얼마예요", "아 어머니 66세예요"), {"어머니", "아버지"}),
    ],
)
def test_those_who_are_counted_or_added_are_meant_together(
    reader: Reader, messages: tuple[str, ...], meant: set[str]
) -> None:
    assert set(told(reader, *messages).meant) == meant


def test_what_is_changed_for_a_couple_is_changed_for_both(reader: Reader) -> None:
    talk = ("남편 45세, 저는 43세 여자예요 둘이 뉴스타트암보험 얼마예요", "1억씩으로 올리면요")
    assert set(told(reader, *talk).meant) == {"배우자", "본인"}


def test_one_of_them_asked_about_alone_ends_it(reader: Reader) -> None:
    assert told(reader, "남편 45세, 저는 43세 여자예요 둘이 얼마예요", "남편은 얼마예요").meant == ()


@pytest.mark.parametrize(
    ("text", "one_thing", "count"),
    [
        ("네 식구 총 얼마", False, 4),
        ("둘이 얼마죠", False, 2),
        ("3명이면요", False, 3),
        ("둘 다 얼마", True, 2),
        ("둘 다 얼마", False, None),
        ("치아 두 개면", True, None),
        ("둘째는요", True, None),
    ],
)
def test_persons_are_counted_and_things_are_not(text: str, one_thing: bool, count: int | None) -> None:
    assert counted_together(PLANNER, text, one_thing=one_thing) == count
