"""Facts of a conversation: frozen, JSON-able, and kept apart by person."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from app.planner.facts import Facts


def test_facts_travel_as_json() -> None:
    facts = Facts(who="본인", age=45, gender="M", product_codes=("B00115023",), last_args={"age": 45})
    assert Facts.model_validate(json.loads(facts.model_dump_json())) == facts


def test_facts_cannot_be_changed_in_place() -> None:
    with pytest.raises(ValidationError):
        Facts().age = 3  # type: ignore[misc]


def test_turning_to_another_person_keeps_the_first_ones_facts() -> None:
    facts = Facts(who="본인", age=45, gender="M", monthly_budget=30_000).turned_to("어머니")
    assert (facts.who, facts.age, facts.gender, facts.monthly_budget) == ("어머니", None, None, 30_000)
    back = facts.model_copy(update={"age": 70}).turned_to("본인")
    assert (back.age, back.gender) == (45, "M")
    assert [(person.who, person.age) for person in back.people] == [("어머니", 70)]


def test_told_holds_only_what_was_said() -> None:
    assert Facts().told() == {}
    assert Facts(who="본인", age=45, last_tool="premium_estimate").told() == {"who": "본인", "age": 45}


def test_an_answer_without_a_list_keeps_the_last_list() -> None:
    facts = Facts().after_answer("product_search", {}, products=("B00115023", "B00155017"))
    later = facts.after_answer("premium_estimate", {"age": 45})
    assert later.shown_products == ("B00115023", "B00155017")
    assert later.last_tool == "premium_estimate"
