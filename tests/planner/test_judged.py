"""되는 쪽으로, and 그거 after a list: which product is meant where some cannot be had."""

from __future__ import annotations

from datetime import date

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.focus import FocusResolver
from app.planner.moves import Done
from app.planner.remember import remember
from app.toolbox.declared import Declarations, Dialogue
from tests.words import PLANNER

TODAY = date(2026, 3, 2)
JOINING = {"fields": ["entry", "verdict"], "no": ["가입 불가"], "doubtful": ["거절 가능성"]}
DECLARED = Declarations({"check": Dialogue.model_validate({"joining": JOINING}), "find": Dialogue()})
NEWSTART, FIRST_DAY, SILVER = "B00115023", "B00355005", "B00307007"


def judged(code: str, entry: str, verdict: str) -> Done:
    return Done("check", {"product_code": code}, "Precheck", {"entry": entry, "verdict": verdict})


@pytest.fixture(scope="module")
def focus(catalogue: Catalogue) -> FocusResolver:
    return FocusResolver(catalogue, PLANNER)


@pytest.mark.parametrize(
    ("message", "meant"),
    [
        ("그럼 가입 가능한 걸로 얼마예요", (NEWSTART,)),
        ("들 수 있는 쪽은 한 달에 얼마죠", (NEWSTART,)),
        ("받아준다는 상품으로 계산해 주세요", (NEWSTART,)),
        ("언제부터 되는데요", (FIRST_DAY,)),
        ("안 되는 건 왜 그래요", (FIRST_DAY,)),
    ],
)
def test_what_may_be_had_is_told_from_what_may_not(
    focus: FocusResolver, catalogue: Catalogue, message: str, meant: tuple[str, ...]
) -> None:
    facts = remember(Facts(), [judged(NEWSTART, "심사 필요", "거절 가능성")], (), DECLARED, TODAY)
    facts = remember(facts, [judged(FIRST_DAY, "가입 불가", "거절 가능성")], (), DECLARED, TODAY)
    assert focus.resolve(EntityReader(catalogue).read(message, TODAY), facts).codes == meant


def test_nothing_that_may_be_had_leaves_the_product_open(focus: FocusResolver, catalogue: Catalogue) -> None:
    facts = remember(Facts(), [judged(FIRST_DAY, "가입 불가", "거절 가능성")], (), DECLARED, TODAY)
    assert focus.resolve(EntityReader(catalogue).read("되는 걸로 보험료요", TODAY), facts).cleared


def test_what_was_judged_is_of_one_person() -> None:
    facts = remember(Facts(who="본인"), [judged(NEWSTART, "가입 불가", "조건부")], (), DECLARED, TODAY)
    assert facts.judged == {NEWSTART: 0}
    assert not facts.turned_to("어머니").judged


def test_a_list_without_the_product_of_the_talk_turns_to_the_one_of_its_kind() -> None:
    rows = [{"code": NEWSTART, "category": "암"}, {"code": SILVER, "category": "치아"}]
    before = Facts(product_codes=("B00172014",), kinds=("치아",))
    assert remember(before, [Done("find", {}, "List", {"products": rows})], (), DECLARED, TODAY).product_codes == (
        SILVER,
    )
