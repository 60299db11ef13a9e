"""The sentences of templates/messages.yaml: each is used, and each use gives it the values that it names."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.messages import worded, worded_table
from app.yaml_text import read_yaml

ROOT = Path(__file__).resolve().parent.parent


def _calls() -> Iterator[tuple[str, str, set[str]]]:
    """Function, key and named values of every use in app."""
    for path in sorted((ROOT / "app").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id.startswith("worded"):
                key = node.args[0]
                assert isinstance(key, ast.Constant), f"{path}:{node.lineno}: a key is written out"
                yield node.func.id, str(key.value), {str(given.arg) for given in node.keywords}


def test_every_use_has_its_sentence_and_its_values() -> None:
    for function, key, given in _calls():
        if function == "worded_table":
            assert worded_table(key), key
            continue
        named = {name.split(".")[0].split("[")[0] for _, name, _, _ in string.Formatter().parse(worded(key)) if name}
        assert not given or named == given, f"{key}: {sorted(named)} are named, {sorted(given)} are given"


def test_every_sentence_is_used() -> None:
    groups = read_yaml((ROOT / "templates" / "messages.yaml").read_text(encoding="utf-8"))
    used = {key for _, key, _ in _calls()}
    kept = {f"{group}.{name}" for group, rows in groups.items() if group not in used for name in rows}
    assert kept <= used, sorted(kept - used)


def test_values_are_put_in_and_sentences_without_any_stay_as_they_are() -> None:
    assert worded("openapi_schema.too_large", most_bytes=5) == "API 설명이 너무 큽니다. 5MB 이하로 줄여 주세요."
    assert "{0,3}" in worded("declared.repeated_group")
    with pytest.raises(KeyError):
        worded("openapi_schema.no_such_sentence")
