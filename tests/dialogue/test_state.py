"""What results show, read by the declared names of their fields: of any tool."""

from __future__ import annotations

from typing import Any

import pytest

from app.dialogue.items import FieldLexicon, facts_of, load_fields
from app.dialogue.state import REMEMBERED, DialogueState, Terms
from app.errors import DataFaults
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def fields() -> FieldLexicon:
    return load_fields(ROOT / "data")


def quote(name: str, premium: int, **more: Any) -> dict[str, Any]:
    return {"name": name, "code": name.upper(), "premium": premium, **more}


def test_a_result_of_its_own_is_an_item(fields: FieldLexicon) -> None:
    [item] = facts_of(quote("a", 100, age=45, gender="M", renewal="갱신형"), fields).items
    assert (item.name, item.figures, item.each) == ("a", {"premium": 100}, {"premium": "매월"})
    assert item.person == {"age": 45, "gender": "M"}


def test_rows_are_items_of_the_person_that_stands_above_them(fields: FieldLexicon) -> None:
    shown = facts_of({"age": 30, "gender": "F", "quotes": [quote("a", 1), quote("b", 2)]}, fields)
    assert [item.name for item in shown.items] == ["a", "b"]
    assert all(item.person == {"age": 30, "gender": "F"} for item in shown.items)


def test_a_result_of_a_tool_that_nobody_knows_is_read_alike(fields: FieldLexicon) -> None:
    shown = facts_of({"rooms": [{"name": "301호", "amount": 50_000, "unit": "1일당"}]}, fields)
    assert shown.items[0].each == {"amount": "1일당"}


@pytest.mark.parametrize("data", [{}, {"text": "말"}, {"rows": [1, "b", None]}, {"name": None, "premium": 3}])
def test_what_has_no_name_or_figure_shows_nothing(data: dict[str, Any], fields: FieldLexicon) -> None:
    assert facts_of(data, fields).items == ()


def test_words_are_kept_beside_the_figures_and_records_are_not(fields: FieldLexicon) -> None:
    [held] = facts_of(quote("a", 1, riders=["가특약", "나특약"]), fields).items
    assert held.facts["riders"] == "가특약, 나특약"
    [sold] = facts_of(quote("b", 1, riders=[{"kind": "가특약"}]), fields).items
    assert "riders" not in sold.facts


def test_reasons_and_sources_are_kept(fields: FieldLexicon) -> None:
    data = {"fallen_out": [{"name": "a", "code": "A1", "reason": "가입 나이가 아닙니다."}], "clause": "약관 제30조"}
    shown = DialogueState().after([("tool", data)], fields).shown[0]
    assert shown.reasons[0].text == "가입 나이가 아닙니다."
    assert DialogueState().after([("tool", {"clause": "약관 제30조"})], fields).shown[0].sources == ("약관 제30조",)


def test_the_state_keeps_the_newest_answers_and_no_answer_twice(fields: FieldLexicon) -> None:
    state = DialogueState()
    for number in range(REMEMBERED + 3):
        state = state.after([("tool", quote("a", number))], fields)
    assert [shown.items[0].figures["premium"] for shown in state.shown] == [6, 5, 4, 3]
    again = state.after([("tool", quote("a", 5))], fields)
    assert [shown.items[0].figures["premium"] for shown in again.shown] == [5, 6, 4, 3]


def test_the_state_survives_as_json(fields: FieldLexicon) -> None:
    state = DialogueState().after([("t", {"quotes": [quote("a", 1), quote("b", 2)]})], fields)
    state = state.answered("total", 3, Terms(times=(2, "개"), since=(6, 180), cause="질병"))
    assert DialogueState.model_validate(state.model_dump(mode="json", exclude_defaults=True)) == state
    assert state.figures() == {1, 2, 3}


@pytest.mark.parametrize("kept", [None, {}, {"version": 1}, {"seen": []}, {"shown": [{"tools": 3}]}])
def test_a_state_of_another_version_is_begun_anew(kept: dict[str, Any] | None) -> None:
    assert DialogueState.of(kept) == DialogueState()


def test_a_missing_or_broken_declaration_is_told(tmp_path: Any) -> None:
    with pytest.raises(DataFaults, match="figures"):
        load_fields(tmp_path)
    (tmp_path / "language").mkdir()
    (tmp_path / "language" / "figures.yaml").write_text("figures: 3", encoding="utf-8")
    with pytest.raises(DataFaults, match="figures"):
        load_fields(tmp_path)


def test_of_rows_of_which_one_was_asked_for_that_one_is_shown(fields: FieldLexicon) -> None:
    rows = [{"name": "월납", "payment": 10_000}, {"name": "연납", "payment": 117_600}]
    data = {"code": "B00115023", "name": "뉴스타트암보험", "asked": "연납", "cycles": rows}
    [item] = facts_of(data, fields).items
    assert (item.name, item.of, item.figures) == ("연납", "뉴스타트암보험", {"payment": 117_600})


def test_what_is_offered_instead_of_what_was_refused_is_not_shown_as_asked_for(fields: FieldLexicon) -> None:
    data = {"name": "골라담는암보험", "refused": True, "alternatives": [{"name": "뉴스타트암보험", "premium": 15_095}]}
    assert facts_of(data, fields).items == ()
