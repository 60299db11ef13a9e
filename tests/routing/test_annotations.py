"""MCP annotations: both spellings in, camelCase out, nothing invented, nothing changed on the way."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from app.tools.declare import DESTROYS, READS, WRITES, Annotations
from tests.routing.conftest import Shipped


def test_camel_case_of_mcp_is_read() -> None:
    assert Annotations.model_validate({"readOnlyHint": True, "destructiveHint": False}) == Annotations(
        read_only=True, destructive=False
    )


def test_python_names_are_read() -> None:
    assert Annotations(idempotent=True, open_world=False).as_mcp() == {"idempotentHint": True, "openWorldHint": False}


def test_unknown_hints_are_left_out_of_what_is_shown() -> None:
    assert Annotations(read_only=True).as_mcp() == {"readOnlyHint": True}


def test_no_hint_at_all_shows_nothing() -> None:
    assert Annotations().as_mcp() == {}


@pytest.mark.parametrize("hints", [READS, WRITES, DESTROYS, Annotations(), Annotations(destructive=True)])
def test_a_round_trip_changes_nothing(hints: Annotations) -> None:
    assert Annotations.model_validate(hints.as_mcp()) == hints
    assert Annotations.model_validate_json(hints.model_dump_json(by_alias=True)) == hints


def test_false_is_not_the_same_as_unknown() -> None:
    assert Annotations(read_only=False) != Annotations()
    assert Annotations(read_only=False).as_mcp() == {"readOnlyHint": False}


def test_annotations_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        READS.read_only = False  # type: ignore[misc]


def test_what_is_no_truth_value_is_refused() -> None:
    with pytest.raises(ValidationError):
        Annotations.model_validate({"readOnlyHint": "sometimes"})


def test_every_shipped_tool_says_what_it_does(shipped: Shipped) -> None:
    told = {entry.name: entry.annotations for entry in shipped.snapshot.entries}
    assert set(told.values()) <= {READS, WRITES, DESTROYS}
    assert told["contract_manage"] == DESTROYS
    assert told["premium_estimate"] == READS
