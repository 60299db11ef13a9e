"""Of several treatments each is counted by the count beside its own name."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from app.answering.pieces import pieces_of
from app.dialogue.items import Item, load_fields
from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader

TODAY = date(2026, 3, 2)
FIELDS = load_fields(Path("data"))


@pytest.fixture(scope="module")
def entities(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


@pytest.mark.parametrize(
    ("said", "implants", "crowns"),
    [
        ("임플란트 네 개랑 크라운 한 개 했어요", 4, 1),
        ("크라운은 세 개, 임플란트는 하나 심었어요", 1, 3),
        ("임플란트 2개 심고 다른 하나는 크라운으로 했는데요", 2, 1),
        ("임플란트 3개랑 크라운 했어요", 3, 1),
        ("임플란트랑 크라운 둘 다 하면요", 0, 0),
    ],
)
def test_each_treatment_has_its_own_count(entities: EntityReader, said: str, implants: int, crowns: int) -> None:
    read = entities.read(said, TODAY)
    counted = [
        pieces_of(read, Item(name=f"{name}치료보험금", group=name), "치아 1개당", FIELDS)[0]
        for name in ("임플란트", "크라운")
    ]
    assert counted == [implants, crowns]


def test_one_treatment_takes_whatever_is_counted(entities: EntityReader) -> None:
    crown = Item(name="크라운치료보험금", group="크라운")
    assert pieces_of(entities.read("두 개면 얼마예요", TODAY), crown, "치아 1개당", FIELDS) == (2, "개")
    assert pieces_of(entities.read("크라운 얼마예요", TODAY), crown, "치아 1개당", FIELDS)[0] == 0
