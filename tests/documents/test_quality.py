"""The figures of docs/documents.md do not fall unnoticed. Floors lie a little under what was measured."""

from __future__ import annotations

import pytest

from app.documents.search import DEFAULT_PROJECT, DocumentSearch
from app.settings import ROOT
from scripts.eval_retrieval import Outcome, read_cases, recall, run

SETS = ROOT / "data" / "evaluation" / "retrieval"


def asked(search: DocumentSearch, name: str, mode: str) -> list[Outcome]:
    return run(search, read_cases(SETS / f"{name}.jsonl"), mode, DEFAULT_PROJECT, 0.3)


def share(values: list[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.parametrize(("name", "floor"), [("development", 0.95), ("questions", 0.9)])
def test_customers_questions_find_their_clause_and_its_page(search: DocumentSearch, name: str, floor: float) -> None:
    outcomes = asked(search, name, "hybrid")
    on = [outcome for outcome in outcomes if outcome.case.relevant]
    off = [outcome for outcome in outcomes if not outcome.case.relevant]
    assert share([recall(5)(outcome) for outcome in on]) >= floor
    assert share([float(outcome.page) for outcome in on if outcome.page is not None]) >= 0.95
    assert share([float(outcome.results == 0) for outcome in on]) <= 0.05
    assert share([float(outcome.results == 0) for outcome in off]) >= 0.5


@pytest.mark.parametrize(("name", "floor"), [("linked", 0.62), ("linked_by_hand", 0.9)])
def test_the_graph_finds_both_of_two_linked_clauses(search: DocumentSearch, name: str, floor: float) -> None:
    found = share([recall(10)(outcome) for outcome in asked(search, name, "graph")])
    assert found >= floor
    assert found >= share([recall(10)(outcome) for outcome in asked(search, name, "keyword")])
