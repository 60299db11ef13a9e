"""The other product of a kind, told by whether it is renewed."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.focus import FocusResolver
from tests.language.samples import TODAY
from tests.words import PLANNER

RENEWED, FIXED = "B00172014", "B00197011"


@pytest.fixture(scope="module")
def entities(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


@pytest.fixture(scope="module")
def focus(catalogue: Catalogue) -> FocusResolver:
    return FocusResolver(catalogue, PLANNER)


@pytest.mark.parametrize(
    ("text", "now", "age", "meant"),
    [
        ("갱신형으로 갈아타면 얼마예요", FIXED, 45, RENEWED),
        ("갱신되는 상품으로 바꿔 보면요", FIXED, 38, RENEWED),
        ("갱신 안 되는 걸로 변경하면요", RENEWED, 45, FIXED),
        ("갱신되는 건가요", FIXED, 45, FIXED),  # asks of the product itself
        ("비갱신으로 바꾸면", RENEWED, 70, RENEWED),  # too old for the other one
    ],
)
def test_the_other_one_is_meant_where_there_is_one(
    focus: FocusResolver, entities: EntityReader, text: str, now: str, age: int, meant: str
) -> None:
    facts = Facts(product_codes=(now,), mentioned_products=(now,), who="본인", age=age)
    assert focus.resolve(entities.read(text, TODAY), facts).codes == (meant,)
