"""What the router learns from: the utterance folder is read, counted, and kept clear of the evaluation questions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.errors import DataFaults
from app.language.evidence import NO_TOOL, OUTSIDE
from app.routing.evaluation import Case, Leakage, refuse_leakage
from app.routing.examples import (
    LabelledLine,
    evaluation_keys,
    example_lines,
    read_utterances,
    training_lines,
)
from tests.routing.conftest import DATA, Shipped


@pytest.fixture
def content(tmp_path: Path) -> Path:
    """A data folder with one evaluation question."""
    folder = tmp_path / "evaluation" / "routing"
    folder.mkdir(parents=True)
    asked = {"query": "이 보험 한 달에 얼마 내요?", "expected": ["premium_estimate"]}
    (folder / "cases.jsonl").write_text(json.dumps(asked, ensure_ascii=False), encoding="utf-8")
    (tmp_path / "utterances").mkdir()
    return tmp_path


def put(content: Path, name: str, *lines: str) -> None:
    (content / "utterances" / f"{name}.txt").write_text("\n".join(lines), encoding="utf-8")


def test_each_file_labels_its_lines(content: Path, shipped: Shipped) -> None:
    put(content, "premium_estimate", "# 메모", "매달 나가는 돈이 궁금해요", "")
    put(content, "no_tool", "고마워요")
    put(content, "outside", "내일 비 와요?")
    put(content, "inside", "보험은 왜 들어야 하나요")
    found = read_utterances(content, shipped.snapshot, ())
    assert not found.faults
    assert {(line.text, line.label) for line in found.lines} == {
        ("매달 나가는 돈이 궁금해요", "premium_estimate"),
        ("고마워요", NO_TOOL),
        ("내일 비 와요?", OUTSIDE),
        ("보험은 왜 들어야 하나요", None),
    }
    assert found.counts["inside"] == 1


def test_an_evaluation_question_is_not_learned_and_is_told_with_its_line(content: Path, shipped: Shipped) -> None:
    put(content, "premium_estimate", "매달 나가는 돈이 궁금해요", "이 보험, 한달에 얼마내요")
    found = read_utterances(content, shipped.snapshot, ())
    assert [line.text for line in found.lines] == ["매달 나가는 돈이 궁금해요"]
    assert [(fault.file, fault.line) for fault in found.faults] == [("utterances/premium_estimate.txt", 2)]


def test_a_line_under_two_labels_is_told_and_the_first_counts(content: Path, shipped: Shipped) -> None:
    put(content, "claim_guide", "보험금 타려면요")
    put(content, "claim_required_forms", "보험금 타려면요?")
    found = read_utterances(content, shipped.snapshot, [LabelledLine("약관 보여줘", "rag_search")])
    assert [line.label for line in found.lines] == ["claim_guide"]
    assert len(found.faults) == 1


def test_a_repeated_line_of_the_same_label_is_simply_read_once(content: Path, shipped: Shipped) -> None:
    put(content, "claim_guide", "보험금 타려면요", "보험금 타려면요!")
    found = read_utterances(content, shipped.snapshot, ())
    assert len(found.lines) == 1
    assert not found.faults


def test_a_file_of_no_tool_is_a_fault(content: Path, shipped: Shipped) -> None:
    put(content, "premium_estimat", "오타 난 이름")
    found = read_utterances(content, shipped.snapshot, ())
    assert not found.lines
    assert "premium_estimat" in str(found.faults[0])


def test_a_file_that_is_no_utf8_is_told(content: Path, shipped: Shipped) -> None:
    (content / "utterances" / "claim_guide.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataFaults):
        read_utterances(content, shipped.snapshot, ())


def test_questions_inside_dialogues_count_as_evaluation_questions(content: Path) -> None:
    folder = content / "evaluation" / "dialogues"
    folder.mkdir()
    talk = {"id": "x", "turns": [{"user": "그럼 해지하면요?"}]}
    (folder / "own.jsonl").write_text(json.dumps(talk, ensure_ascii=False), encoding="utf-8")
    assert "그럼해지하면요" in evaluation_keys(content)


def test_no_shipped_training_line_is_an_evaluation_question(shipped: Shipped) -> None:
    lines = example_lines(DATA, shipped.snapshot)
    learned = {line.text for line in training_lines(DATA, shipped.snapshot)}
    assert learned >= {line.text for line in lines}
    told = read_utterances(DATA, shipped.snapshot, lines)
    assert all(fault.line > 0 for fault in told.faults)


def test_leakage_covers_what_was_learned_beside_the_cards(shipped: Shipped) -> None:
    line = read_utterances(DATA, shipped.snapshot, ()).lines[0]
    with pytest.raises(Leakage):
        refuse_leakage([Case("1", f"{line.text}!", ("claim_guide",))], shipped.snapshot, [line.text])
