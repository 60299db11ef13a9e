"""Relations between tools, and walking over them."""

from __future__ import annotations

import pytest
from langchain_core.tools import tool

from app.routing.tool_graph import ToolGraph, equal_hints, parameter_similarity
from app.toolbox.cards import card_from_description
from app.toolbox.snapshot import ToolEntry
from app.tools.declare import DESTROYS, READS, WRITES, Annotations
from tests.routing.conftest import Shipped


@tool
def user_search(keyword: str) -> str:
    """사용자를 찾는다."""
    return keyword


@tool
def user_get(user_id: str) -> str:
    """사용자 하나를 본다."""
    return user_id


@tool
def user_update(user_id: str, name: str) -> str:
    """사용자를 고친다."""
    return user_id + name


@tool
def user_delete(user_id: str) -> str:
    """사용자를 지운다."""
    return user_id


def entry(made, annotations: Annotations | None = READS) -> ToolEntry:
    return ToolEntry(made, card_from_description(made.name, made.description), "users", annotations=annotations)


USERS = (entry(user_search), entry(user_get), entry(user_update, WRITES), entry(user_delete, DESTROYS))


def relations(graph: ToolGraph, kind: str) -> set[tuple[str, str]]:
    return {(edge.source, edge.target) for edge in graph.edges if edge.relation == kind}


def test_a_search_gives_the_argument_that_others_ask_for() -> None:
    graph = ToolGraph.infer(USERS)
    assert {("user_search", "user_get"), ("user_search", "user_delete")} <= relations(graph, "produces")
    assert [edge.source for edge in graph.prerequisites("user_get")] == ["user_search"]


def test_verbs_of_the_same_thing_have_an_order() -> None:
    assert ("user_search", "user_get") in relations(ToolGraph.infer(USERS), "precedes")
    assert ("user_get", "user_search") not in relations(ToolGraph.infer(USERS), "precedes")


def test_writers_of_which_one_destroys_conflict() -> None:
    assert ("user_update", "user_delete") in relations(ToolGraph.infer(USERS), "conflicts")
    assert not any("user_get" in pair for pair in relations(ToolGraph.infer(USERS), "conflicts"))


def test_equal_annotation_hints_add_at_most_a_tenth() -> None:
    assert equal_hints(READS, READS) == 1.0
    assert equal_hints(READS, None) == 0.0
    assert equal_hints(WRITES, DESTROYS) == pytest.approx(0.75)
    assert parameter_similarity(USERS[1], USERS[3]) == pytest.approx(1.0 + 0.1 * 0.25)
    assert parameter_similarity(entry(user_get), entry(user_get)) == pytest.approx(1.1)


def test_walking_reaches_neighbours_with_less_and_less() -> None:
    graph = ToolGraph.infer(USERS)
    reached = graph.expand({0: 1.0})
    assert reached[0] == 1.0
    assert 0 < reached[1] < 1.0


def test_product_search_comes_before_premium_estimate(shipped: Shipped) -> None:
    graph = shipped.routing.router.index(shipped.snapshot).graph
    assert "product_search" in {edge.source for edge in graph.prerequisites("premium_estimate")}


def test_twins_named_by_cards_are_similar(shipped: Shipped) -> None:
    graph = shipped.routing.router.index(shipped.snapshot).graph
    assert ("claim_guide", "claim_required_forms") in relations(graph, "similar")
