"""One goal for each thing asked about; the words that name a tool lead its ranking."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.goals import choose, led_by
from app.planner.ranking import Ranking
from app.planner.signatures import Signature
from app.toolbox.declared import UNDECLARED, Declarations, Dialogue
from tests.planner.declared import DECLARED
from tests.planner.test_cues import TODAY


def goals(catalogue: Catalogue, text: str, tool: str) -> list[str]:
    entities = EntityReader(catalogue).read(text, TODAY)
    signature = Signature(tool, (), frozenset())
    found = choose(text, [(text, [tool])], {tool: signature}, entities, Facts(), None, DECLARED, cued=True)
    return [goal.question for goal in found]


@pytest.mark.parametrize(
    ("text", "tool", "count"),
    [
        ("비계공이랑 택시기사 위험등급 둘 다", "underwriting_high_risk_job_check", 2),
        ("입원비하고 수술비 얼마씩 나와요", "benefit_amount_lookup", 2),
        ("임플란트 둘 크라운 하나", "benefit_amount_lookup", 2),
        ("조남규 고객하고 강두현 고객 계약 조회", "customer_contract_lookup", 2),
        ("주소 바꾸는거하고 수익자 바꾸는거 방법요", "contract_manage", 2),
        ("이사해서 주소도 바꾸고 수익자도 남편으로 바꾸려면요", "contract_manage", 2),
        ("치과에서 크라운 하면 얼마 나와요", "benefit_amount_lookup", 1),
        ("완전틀니는 얼마 나와요", "benefit_amount_lookup", 1),
        ("뇌졸중이랑 뇌출혈이랑 다른 거예요?", "diagnosis_definition_lookup", 2),
        ("이사했는데 주소 바꾸려고요", "contract_manage", 1),
        ("D05 상피내암 분류 확인", "icd_mapping_lookup", 1),
    ],
)
def test_each_thing_joined_is_asked_about(catalogue: Catalogue, text: str, tool: str, count: int) -> None:
    assert len(goals(catalogue, text, tool)) == count


def test_each_goal_names_its_own_thing(catalogue: Catalogue) -> None:
    first, second = goals(catalogue, "입원비하고 수술비 얼마씩 나와요", "benefit_amount_lookup")
    assert first.startswith("입원비") and "수술비" not in first
    assert second.startswith("수술비") and "입원비" not in second


def test_named_tools_lead() -> None:
    ranking = Ranking((("a", 0.6), ("b", 0.3), ("c", 0.1)), no_call=True, sure=0.1)
    assert led_by(ranking, ()) is ranking
    assert led_by(ranking, ("x",)) is ranking
    led = led_by(ranking, ("c", "b"))
    assert led.names(3) == ("b", "a", "c") and led.cued and not led.no_call


def test_a_tool_of_another_company_is_asked_as_it_declares(catalogue: Catalogue) -> None:
    several = Dialogue.model_validate({"twin": {"single": "their_quote"}})
    single = Dialogue.model_validate({"twin": {"several": "their_table"}, "one_each": ["jobs"]})
    theirs = Declarations({"their_quote": single, "their_table": several})
    both = {name: Signature(name, (), frozenset()) for name in theirs.blocks}

    def chosen(text: str, tool: str, declared: Declarations = theirs) -> list[str]:
        entities = EntityReader(catalogue).read(text, TODAY)
        return [g.tool for g in choose(text, [(text, [tool])], both, entities, Facts(), None, declared, cued=True)]

    assert chosen("뉴스타트암보험이랑 첫날부터암보험 차이요", "their_quote") == ["their_table"]
    assert chosen("뉴스타트암보험 얼마예요", "their_table") == ["their_quote"]
    assert chosen("비계공이랑 택시기사 위험등급 둘 다", "their_quote") == ["their_quote", "their_quote"]
    assert chosen("비계공이랑 택시기사 위험등급 둘 다", "their_quote", UNDECLARED) == ["their_quote"]
