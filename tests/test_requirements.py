"""The ledger of promises (requirements.yaml) and the tests agree, both ways. Read from the sources; nothing is run."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parent.parent
LEDGER: list[dict[str, Any]] = yaml.safe_load((ROOT / "tests" / "requirements.yaml").read_text(encoding="utf-8"))
ID = re.compile(r"[a-z0-9-]+:[a-z0-9-]+:[a-z0-9-]+")
SOURCES = (
    "insurance-chatbot", "annotation-aware-retrieval", "document-search-tool", "tool-registry",
    "issue 2", "issue 3", "issue 5", "issue 6", "issue 8", "issue 9", "issue 10", "issue 11", "issue 32",
)  # fmt: skip
_COMMON = {"id", "promise", "source", "status"}
FIELDS = {"met": {*_COMMON, "tests"}, "planned": {*_COMMON, "issue"}}
NODE_ID = re.compile(r"tests/[\w/]+\.py::test_\w+")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def functions(path: Path) -> Iterator[tuple[str, Function]]:
    """Every test function of a file, those in Test classes included, with its node id."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    home = path.relative_to(ROOT).as_posix()
    for node in tree.body:
        if isinstance(node, Function) and node.name.startswith("test_"):
            yield f"{home}::{node.name}", node
        elif isinstance(node, ast.ClassDef) and node.name.startswith("Test"):
            for inner in node.body:
                if isinstance(inner, Function) and inner.name.startswith("test_"):
                    yield f"{home}::{node.name}::{inner.name}", inner


def marked(function: Function) -> Iterator[str]:
    """The ids in the function's `@pytest.mark.requirement(…)`."""
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("mark.requirement"):
            yield from (argument.value for argument in decorator.args if isinstance(argument, ast.Constant))


TESTS = {name: node for path in sorted((ROOT / "tests").rglob("test_*.py")) for name, node in functions(path)}
BY_ID = {row["id"]: row for row in LEDGER}
MET = [row for row in LEDGER if row["status"] == "met"]


def test_every_promise_has_its_own_well_formed_id() -> None:
    assert [name for name, count in Counter(row["id"] for row in LEDGER).items() if count > 1] == []
    assert [row["id"] for row in LEDGER if not ID.fullmatch(row["id"])] == []


def test_no_two_promises_say_the_same() -> None:
    assert [text for text, count in Counter(row["promise"] for row in LEDGER).items() if count > 1] == []


@pytest.mark.parametrize("row", LEDGER, ids=lambda row: row["id"])
def test_a_promise_is_one_sentence_with_its_source_and_a_status(row: dict[str, Any]) -> None:
    assert row["status"] in FIELDS
    assert set(row) == FIELDS[row["status"]]
    assert row["promise"].endswith(".") and ". " not in row["promise"]
    assert row["source"].startswith(SOURCES), row["source"]


def test_all_four_specifications_are_covered() -> None:
    assert {name for name in SOURCES if any(row["source"].startswith(name) for row in LEDGER)} == set(SOURCES)


@pytest.mark.parametrize("row", MET, ids=lambda row: row["id"])
def test_a_met_promise_names_tests_that_exist(row: dict[str, Any]) -> None:
    assert row["tests"]
    assert len(set(row["tests"])) == len(row["tests"])
    assert [name for name in row["tests"] if name not in TESTS] == []


def test_a_planned_promise_names_the_issue_that_brings_it() -> None:
    assert [row["id"] for row in LEDGER if row["status"] == "planned" and not 2 <= row["issue"] <= 11] == []


def test_a_test_marked_with_a_promise_is_named_by_it() -> None:
    marks = [(name, identity) for name, node in TESTS.items() for identity in marked(node)]
    assert [(name, identity) for name, identity in marks if identity not in BY_ID] == []
    assert [(name, identity) for name, identity in marks if name not in BY_ID[identity].get("tests", ())] == []


def test_the_tests_that_contributing_points_to_exist() -> None:
    named = NODE_ID.findall((ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8"))
    assert named
    assert [name for name in named if name not in TESTS] == []
