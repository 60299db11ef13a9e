"""Metrics of the evaluation script on outcomes worked out by hand, and its case format."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import DataFaults
from app.routing.evaluation import Case, Outcome, auroc, load_cases, metrics, no_call_distribution, rate
from app.routing.intent import QueryIntent
from app.routing.router import Route


def outcome(rank: int | None, *, tool: bool = True, no_call: bool = False, score: float = 0.1) -> Outcome:
    case = Case("x", "질문", ("premium_estimate",) if tool else ())
    return Outcome(case, Route((), no_call, score, QueryIntent(), 1.0), rank)


def test_hits_recall_and_mrr_count_the_first_right_tool() -> None:
    found = metrics([outcome(1), outcome(2), outcome(6), outcome(None)], k=5)
    assert found["hit_at_1"].value == pytest.approx(0.25)
    assert found["recall_at_k"].value == pytest.approx(0.5)
    assert found["mrr"].value == pytest.approx((1 + 0.5) / 4)


def test_no_call_accuracy_and_overall_follow_the_published_definitions() -> None:
    quiet = [outcome(None, tool=False, no_call=True, score=0.9), outcome(None, tool=False, score=0.2)]
    found = metrics([outcome(1), outcome(3), *quiet], k=5)
    assert found["no_call_accuracy"].value == pytest.approx(0.5)
    assert found["overall"].value == pytest.approx(0.5)
    assert metrics(quiet, 5, threshold=0.15)["no_call_accuracy"].value == pytest.approx(1.0)


def test_a_tool_question_that_loses_its_tools_is_counted() -> None:
    assert metrics([outcome(1, no_call=True), outcome(1)], 5)["robbed"].value == pytest.approx(0.5)


def test_intervals_hold_the_mean_and_shrink_with_cases() -> None:
    few, many = rate([1.0, 0.0] * 10), rate([1.0, 0.0] * 500)
    assert few.low < 0.5 < few.high
    assert many.high - many.low < few.high - few.low


def test_auroc_counts_ties_half() -> None:
    assert auroc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert auroc([0.5], [0.5]) == 0.5
    assert auroc([], [0.5]) is None


def test_the_score_distribution_parts_both_kinds() -> None:
    spread = no_call_distribution([outcome(1, score=0.1), outcome(None, tool=False, score=0.8)])
    assert spread["auroc"] == 1.0
    assert spread["no_call"] == {"min": 0.8, "avg": 0.8, "max": 0.8}


def test_case_files_take_null_lists_twins_and_unknown_keys(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(
        '{"query": "안녕", "expected": null}\n'
        '{"id": "a", "query": "얼마", "expected": ["b"], "accept": ["c"], "history": ["암보험 알려줘"], "note": 1}\n',
        encoding="utf-8",
    )
    first, second = load_cases(path)
    assert first.expected == ()
    assert second.right == ("b", "c")
    assert second.question == "암보험 알려줘 얼마"


def test_broken_case_lines_are_all_named(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"expected": null}\n{"query": "가", "expected": "premium_estimate"}\n', encoding="utf-8")
    with pytest.raises(DataFaults) as caught:
        load_cases(path)
    assert [fault.line for fault in caught.value.faults] == [1, 2]
