"""Tools that are switched off: over reloads and restarts, in retrieval, dispatch and lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.access import LOCAL_ADMIN
from app.toolbox.modules import ToolModules
from app.toolbox.registry import ToolRegistry
from app.toolbox.toolbox import Toolbox
from tests.toolbox.samples import double, entry, slow


@pytest.fixture
def toolbox(tmp_path: Path) -> Toolbox:
    return Toolbox(ToolRegistry([entry(double), entry(slow)]), ToolModules(tmp_path), off={"double", "comes_later"})


@pytest.mark.requirement("console:tools:switched-off")
def test_what_was_off_is_off_from_the_start(toolbox: Toolbox) -> None:
    snapshot = toolbox.registry.snapshot()
    assert snapshot.entry("double").off and not snapshot.entry("slow").off
    assert snapshot.allowed_for(LOCAL_ADMIN) == snapshot.allowed_for(LOCAL_ADMIN, "mcp") == {"slow"}
    assert snapshot.tools_count == 1


@pytest.mark.requirement("console:tools:switched-off")
def test_a_turn_under_way_keeps_its_set_and_what_stands_so_already_makes_no_version(toolbox: Toolbox) -> None:
    held = toolbox.registry.snapshot()
    after = toolbox.put_switches(frozenset())
    assert after.version == held.version + 1 and held.entry("double").off and not after.entry("double").off
    assert toolbox.put_switches(frozenset()) is after


@pytest.mark.requirement("console:tools:switched-off")
def test_an_edited_card_and_a_replaced_source_leave_a_tool_off(toolbox: Toolbox) -> None:
    card = toolbox.registry.snapshot().entry("double").card
    toolbox.put_card("double", card.model_copy(update={"purpose": "다른 목적"}))
    assert toolbox.registry.snapshot().entry("double").off
    source = toolbox.registry.snapshot().entry("double").source
    toolbox.replace_source(source, [entry(double), entry(slow)])
    assert toolbox.registry.snapshot().entry("double").off
