"""What cards declare for the talk: read with clear faults, asked for by trait and word, kept when a card is edited."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from app.errors import DataFaults
from app.toolbox.cards import load_cards
from app.toolbox.declared import UNDECLARED, Declarations, Dialogue, Verdict
from app.toolbox.loader import load_builtin_entries
from app.toolbox.modules import ToolModules
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import ToolSnapshot
from app.toolbox.toolbox import Toolbox
from tests.conftest import ROOT
from tests.toolbox.samples import double, entry

FERRY = """
- name: ferry_fare
  title: 배표 값
  purpose: 노선과 날짜로 배표 값을 알려 준다.
  when_to_use: [배표 얼마예요]
  dialogue:
    traits: [quotes, for_a_person]
    words:
      - says: '배표 ?값|뱃삯'
        or_else: [ferry_compare]
    bare: ['^뱃삯(?:이요){0,2}$']
    only_where: ['배|항구']
    one_each: [channels]
    twin: {several: ferry_compare}
    verdict: {field: sold_out, 'yes': [자리 없음], 'no': [자리 있음]}
"""


def declared(folder: Path, text: str = FERRY) -> Declarations:
    path = folder / "ferry.yaml"
    path.write_text(text, encoding="utf-8")
    blocks = {name: card.dialogue for name, card in load_cards(path).items() if card.dialogue is not None}
    return Declarations(blocks, {"ferry_fare": {"route", "day"}}, {"ferry_fare": {"route"}})


@pytest.mark.requirement("loaded-tools:declared:card")
def test_a_tool_of_any_company_declares_what_the_engine_asks_for(tmp_path: Path) -> None:
    ferries = declared(tmp_path)
    assert ferries.has("ferry_fare", "pays", "quotes") and not ferries.has("ferry_fare", "pays")
    assert ferries.first("quotes") == "ferry_fare"
    assert ferries.first("quotes", among=("bus_fare",)) is None and ferries.first("quotes", taking="age") is None
    assert ferries.takes("ferry_fare", "day") and not ferries.requires("ferry_fare", "day")
    assert ferries.requiring("route") == "ferry_fare" and ferries.requiring("age") is None
    (want,) = ferries.wants("제주 뱃삯 알려 줘")
    assert want.tools == ("ferry_fare", "ferry_compare") and (want.start, want.end) == (3, 5)
    assert ferries.fits("ferry_fare", "제주 배편") and not ferries.fits("ferry_fare", "제주 버스")
    assert ferries.fits("bus_fare", "제주 버스")
    assert ferries.barely("뱃삯이요") == "ferry_fare" and ferries.barely("제주 뱃삯이요") is None
    twin = ferries.of("ferry_fare").twin
    assert twin is not None and twin.several == "ferry_compare"
    assert UNDECLARED.wants("뱃삯") == [] and not UNDECLARED.has(None, "quotes") and UNDECLARED.first("quotes") is None


@pytest.mark.parametrize(
    ("written", "wrong", "told"),
    [
        ("quotes, ", "quotess, ", "traits"),
        ("'배표 ?값|뱃삯'", "'배표('", "읽을 수 없는 정규식"),
        ("'배표 ?값|뱃삯'", "'(배표) ?값'", r"\(\?:…\)"),
        ("'배표 ?값|뱃삯'", "'(?:배표 ?)+값'", "되풀이"),
        ("'배표 ?값|뱃삯'", "'배표 ?값|'", "빈 글"),
        ("['배|항구']", "['배|(항구)']", r"only_where.*\(\?:…\)"),
        ("[channels]", "[colours]", "없는 종류.*channels"),
        ("twin: {several", "twin: {many", "twin"),
        ("field: sold_out, ", "", "verdict"),
    ],
)
def test_a_wrong_declaration_is_a_fault_of_its_card(tmp_path: Path, written: str, wrong: str, told: str) -> None:
    assert written in FERRY
    with pytest.raises(DataFaults, match=told):
        declared(tmp_path, FERRY.replace(written, wrong))


def test_of_words_that_begin_at_one_place_the_longer_are_meant() -> None:
    cards = {
        "script": Dialogue.model_validate({"words": [{"says": "녹취|멘트"}]}),
        "notice": Dialogue.model_validate({"words": [{"says": "녹취 ?고지"}]}),
    }
    assert [w.tools[0] for w in Declarations(cards).wants("녹취 고지 멘트")] == ["notice", "script"]


@pytest.mark.parametrize(
    ("says", "result", "verdict"),
    [
        ({"field": "fits"}, {"fits": True}, True),
        ({"field": "fits"}, {"fits": False}, False),
        ({"field": "fits", "unless": "refused"}, {"fits": True, "refused": "나이"}, None),
        ({"field": "fits", "given": "asked"}, {"fits": True, "asked": ""}, None),
        ({"field": "word", "yes": ("가능",), "no": ("불가",)}, {"word": "불가"}, False),
        ({"field": "word", "yes": ("가능",), "no": ("불가",)}, {"word": "확인 필요"}, None),
        ({"field": "found", "plain_unless": "told"}, {"found": ["a"], "told": ["고혈압"]}, None),
        ({"field": "found", "plain_unless": "told"}, {"found": [], "told": ["고혈압"]}, False),
    ],
)
def test_a_result_says_yes_no_or_neither(says: dict[str, Any], result: dict[str, Any], verdict: bool | None) -> None:
    assert Verdict.model_validate(says).of(result) is verdict


def test_the_shipped_cards_name_tools_that_there_are() -> None:
    entries = load_builtin_entries(ROOT / "data")
    names = {entry.name for entry in entries}
    blocks = ToolSnapshot(1, entries).declared.blocks
    twins = {
        name for block in blocks.values() if block.twin for name in (block.twin.single, block.twin.several) if name
    }
    others = {name for block in blocks.values() for words in block.words for name in words.or_else}
    assert twins | others <= names


def test_a_reload_brings_the_new_declarations(tmp_path: Path) -> None:
    before, after = declared(tmp_path), declared(tmp_path, FERRY.replace("뱃삯", "선비"))
    assert before.wants("뱃삯이요") and not after.wants("뱃삯이요") and after.wants("선비요")


def test_a_block_is_frozen_and_takes_nothing_unknown() -> None:
    with pytest.raises(ValidationError):
        Dialogue.model_validate({"tone": "soft"})


@pytest.mark.requirement("loaded-tools:declared:card")
def test_an_edited_card_that_says_nothing_of_the_talk_leaves_what_its_file_declares(tmp_path: Path) -> None:
    block = Dialogue.model_validate({"traits": ["quotes"]})
    made = entry(double)
    filed = replace(made, card=made.card.model_copy(update={"dialogue": block}))
    edited = made.card.model_copy(update={"purpose": "다른 목적"})
    assert edited.dialogue is None
    toolbox = Toolbox(ToolRegistry([filed]), ToolModules(tmp_path), published={"double": edited})
    for snapshot in (
        toolbox.registry.snapshot(),
        toolbox.candidate("double", edited),
        toolbox.put_card("double", edited),
    ):
        assert snapshot.entry("double").card.purpose == "다른 목적" and snapshot.declared.first("quotes") == "double"
    without = toolbox.put_card("double", edited.model_copy(update={"dialogue": Dialogue()}))
    assert without.declared.first("quotes") is None
    assert toolbox.put_card("double", None).declared.first("quotes") == "double"
