"""Metrics of the evaluation script on outcomes worked out by hand, and its case format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.errors import DataFaults
from app.evaluation.dialogues import load_dialogues
from app.routing.evaluation import (
    Case,
    Outcome,
    auroc,
    auroc_interval,
    confusions,
    load_cases,
    metrics,
    no_call_distribution,
    rate,
    reliability,
)
from app.routing.intent import QueryIntent
from app.routing.router import Candidate, Route
from app.settings import Settings
from scripts import eval_tool_recall
from scripts.routing_measure import Judged, Opened
from scripts.routing_report import routing_page
from tests.routing.conftest import Shipped


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


def test_every_line_that_is_no_case_and_an_empty_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "talks.jsonl"
    path.write_text('{"turns": [{"user": "네"}]}\n\n{\n[]\n{"turns": [{}]}\n', encoding="utf-8")
    with pytest.raises(DataFaults) as caught:
        load_dialogues(path)
    assert [fault.line for fault in caught.value.faults] == [3, 4, 5]
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(DataFaults):
        load_dialogues(path)


def test_the_third_place_counts_for_recall_at_3() -> None:
    assert metrics([outcome(1), outcome(3), outcome(4)], 5)["recall_at_3"].value == pytest.approx(2 / 3)


def test_a_line_that_only_tells_the_domain_is_no_no_tool_case() -> None:
    assert not Case("x", "보험이란", (), domain="in").needs_no_tool
    assert Case("x", "날씨", (), domain="out").needs_no_tool


def test_confusions_count_the_tool_that_was_put_first() -> None:
    def chosen(first: str, *, wanted: str, accept: tuple[str, ...] = ()) -> Outcome:
        case = Case("x", "질문", (wanted,), accept)
        return Outcome(case, Route((Candidate(first, 1.0, 1, {}, ""),), False, 0.0, QueryIntent(), 1.0), 1)

    found = confusions([chosen("a", wanted="a"), chosen("b", wanted="a"), chosen("c", wanted="a", accept=("c",))])
    assert found == {("a", "a"): 2, ("a", "b"): 1}


def test_reliability_gives_mean_probability_and_share_a_bin() -> None:
    rows = reliability([(0.05, False), (0.05, True), (0.95, True), (1.0, True)], bins=10)
    assert rows == [(pytest.approx(0.05), 0.5, 2), (pytest.approx(0.975), 1.0, 2)]


def test_an_auroc_has_an_interval() -> None:
    found = auroc_interval([0.9, 0.8, 0.4, 0.7], [0.1, 0.2, 0.5, 0.3])
    assert found is not None
    assert found.low <= found.value <= found.high
    assert auroc_interval([], [0.5]) is None


def test_the_report_is_one_page_that_loads_nothing() -> None:
    found = [outcome(1), outcome(2), outcome(None, tool=False, no_call=True, score=0.9)]
    report = {
        "set": "cases", "cases": 3, "calibration": {"model": "m", "data_hash": "h"}, "ablation": {},
        "by_k": {"5": {name: value.as_dict() for name, value in metrics(found, 5).items()}},
        "no_tool_auroc": None, "domain_auroc": None, "latency": {},
    }  # fmt: skip
    page = routing_page(report, found, [Judged(0.9, True), Judged(0.1, False)])
    assert page.startswith("<!doctype html>")
    assert "혼동 행렬" in page
    assert "<svg" in page
    assert "http" not in page.replace("http://www.w3.org", "")


def test_leaked_questions_of_a_foreign_file_are_named_and_left_out_and_the_rest_is_scored(
    tmp_path: Path, shipped: Shipped, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = shipped.snapshot.entry("premium_estimate").card.when_to_use[0]
    path = tmp_path / "leaked.jsonl"
    rows = [{"id": "old", "query": f"{line} !", "expected": ["premium_estimate"]}]
    rows += [{"id": "new", "query": "보험료 좀 셈해 주련", "expected": ["premium_estimate"]}]
    path.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    settings = Settings(_env_file=None, data_dir=tmp_path)
    opened = Opened(settings, shipped.snapshot, shipped.tokenizer, shipped.embedder, shipped.routing)
    monkeypatch.setattr(eval_tool_recall, "open_shipped", lambda: opened)
    assert eval_tool_recall.main(["--cases", str(path), "--json"]) == 2
    told = capsys.readouterr()
    assert line in told.err
    report = json.loads(told.out)
    assert report["cases"] == 1
    assert [leak["id"] for leak in report["leaked"]] == ["old"]
    assert report["leaked"][0]["owner"]


def test_a_set_of_the_project_with_a_leaked_question_is_not_scored(
    tmp_path: Path, shipped: Shipped, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    line = shipped.snapshot.entry("premium_estimate").card.when_to_use[0]
    settings = Settings(_env_file=None, data_dir=tmp_path, content_dir=tmp_path)
    opened = Opened(settings, shipped.snapshot, shipped.tokenizer, shipped.embedder, shipped.routing)
    opened.evaluation.mkdir(parents=True)
    path = opened.evaluation / "cases.jsonl"
    path.write_text(json.dumps({"query": line, "expected": ["premium_estimate"]}), encoding="utf-8")
    monkeypatch.setattr(eval_tool_recall, "open_shipped", lambda: opened)
    monkeypatch.setattr(eval_tool_recall, "training_lines", lambda *_: [])
    assert eval_tool_recall.main([]) == 2
    told = capsys.readouterr()
    assert line in told.err
    assert not told.out


def test_the_script_compares_ks_side_by_side(
    tmp_path: Path, shipped: Shipped, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"query": "보험료 좀 셈해 주련", "expected": ["premium_estimate"]}', encoding="utf-8")
    settings = Settings(_env_file=None, data_dir=tmp_path)
    opened = Opened(settings, shipped.snapshot, shipped.tokenizer, shipped.embedder, shipped.routing)
    monkeypatch.setattr(eval_tool_recall, "open_shipped", lambda: opened)
    page = tmp_path / "report.html"
    assert eval_tool_recall.main(["--cases", str(path), "--compare", "--ablation", "--html", str(page)]) == 0
    told = capsys.readouterr().out
    assert "| 지표 | k=1 | k=3 | k=5 | k=7 | k=10 |" in told
    assert "head 없이" in told
    assert shipped.routing.calibration.data_hash in told
    assert page.is_file()
