"""Tools that other programs describe badly: each is a clear fault at load, or is filled and told as far as it goes."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from app.answering.shapes import MORE, Telling, spoken
from app.planning.filling import SlotFiller
from app.planning.slots import MOST_CHOICES, MOST_SLOTS
from app.planning.tools import ToolSlots
from app.toolbox.mcp_ingest import ingest_mcp_tools, parse_tools
from app.toolbox.snapshot import ToolEntry
from tests.planning.made import FIELDS, TODAY, WORDS

Schema = dict[str, Any]
SECONDS = 5


def described(name: str, properties: Any, required: Any = (), **more: Any) -> ToolEntry:
    schema = {"type": "object", "properties": properties, "required": list(required), **more}
    (entry,) = ingest_mcp_tools([{"name": name, "description": "자리를 잡는다", "inputSchema": schema}], "zoo")
    return entry


@pytest.fixture
def tools(filler: SlotFiller) -> ToolSlots:
    return ToolSlots(WORDS, FIELDS, filler)


NAMES = [
    ("transferMoney", "transfer_money", "Transfer money"),
    ("transfer-money", "transfer_money", "Transfer money"),
    ("bank.transfer", "bank_transfer", "Bank transfer"),
    ("좌석 예약", "zoo_tool", "좌석 예약"),
    ("Book a Seat!", "book_a_seat", "Book a Seat!"),
]


@pytest.mark.requirement("loaded-tools:schema:hostile")
@pytest.mark.parametrize(("original", "name", "title"), NAMES)
def test_any_name_is_kept_and_shown_and_has_one_of_ours(original: str, name: str, title: str) -> None:
    entry = described(original, {})
    assert (entry.name, (entry.tool.metadata or {})["mcp_tool"], entry.card.title) == (name, original, title)


@pytest.mark.requirement("loaded-tools:schema:hostile")
def test_circles_records_and_missing_types_are_asked_for_and_never_filled_with_words(tools: ToolSlots) -> None:
    circle = {"N": {"type": "object", "properties": {"next": {"$ref": "#/$defs/N"}}}, "K": {"$ref": "#/$defs/K"}}
    grown = described(
        "grow", {"node": {"$ref": "#/$defs/N"}, "kind": {"$ref": "#/$defs/K"}}, ["node"], **{"$defs": circle}
    )
    filled = tools.fill(grown, "창가로 두 명 내일이요", TODAY)
    assert filled.args == {} and [slot.name for slot in filled.missing] == ["node"]
    loose = described("loose", {"a": {}, "b": {"description": "날짜"}}, ["b"])
    assert tools.fill(loose, "내일이요", TODAY).args == {"b": "2026-11-27"}


@pytest.mark.requirement("loaded-tools:schema:hostile")
def test_of_300_arguments_the_first_and_all_that_are_needed_are_read(tools: ToolSlots) -> None:
    needed = [f"arg{n}" for n in range(0, 300, 50)]
    entry = described("many", {f"arg{n}": {"type": "string", "description": f"값 {n}"} for n in range(300)}, needed)
    filled = tools.fill(entry, "네", TODAY)
    assert [slot.name for slot in filled.missing] == needed
    assert len(entry.arguments) > MOST_SLOTS
    assert tools.fill(entry, "빨강이요", TODAY, asked=["arg250"], before=dict.fromkeys(needed[:-1], "x")).missing == ()


@pytest.mark.requirement("loaded-tools:schema:hostile")
def test_arguments_may_be_named_in_hangul_and_with_blanks(tools: ToolSlots) -> None:
    entry = described(
        "좌석 예약", {"좌석 종류": {"enum": ["창가", "통로"]}, "총 인원": {"type": "integer"}}, ["좌석 종류"]
    )
    assert tools.fill(entry, "통로로 3명", TODAY).args == {"좌석 종류": "통로", "총 인원": 3}


@pytest.mark.requirement("loaded-tools:schema:hostile")
def test_a_list_of_5000_values_is_read_in_time_also_at_its_end(tools: ToolSlots) -> None:
    entry = described("transferMoney", {"bank": {"enum": [f"은행{n:04d}" for n in range(5000)]}}, ["bank"])
    started = time.perf_counter()
    assert tools.fill(entry, "은행0120으로 보내 줘", TODAY).args == {"bank": "은행0120"}
    assert tools.fill(entry, "은행4999로 보내 줘", TODAY).args == {"bank": "은행4999"}
    assert time.perf_counter() - started < SECONDS
    assert len(entry.properties["bank"]["enum"]) > MOST_CHOICES


@pytest.mark.requirement("loaded-tools:schema:hostile")
def test_what_nobody_can_read_is_refused_with_its_name(tools: ToolSlots) -> None:
    broken = {"name": "props_bad", "inputSchema": {"type": "object", "properties": ["a"]}}
    found, warnings = parse_tools([broken], "zoo")
    assert found == () and warnings[0].startswith("props_bad: 인자를 설명할 수 없습니다")


def deep(levels: int) -> Schema:
    made: Schema = {"end": 1}
    for _ in range(levels):
        made = {"a": made}
    return made


HUGE: list[Any] = [
    {"items": [{"name": "x" * 500, "n": n} for n in range(10_000)]},
    {f"k{n}": "글" * 30 for n in range(50_000)},
    "가" * 5_000_000,
    {"memo": "가" * 5_000_000, "n": 1},
    json.dumps([{"name": "나무", "n": n} for n in range(100_000)]),
    deep(900),
]


@pytest.mark.requirement("loaded-tools:schema:hostile")
@pytest.mark.parametrize("value", HUGE, ids=["rows", "fields", "text", "field", "printed", "deep"])
def test_a_result_of_5_mb_is_told_short_and_in_time(value: Any) -> None:
    started = time.perf_counter()
    told = spoken(value, FIELDS, Telling(title="나무 찾기")).text
    assert 0 < len(told) < 6_000
    assert time.perf_counter() - started < SECONDS


@pytest.mark.requirement("loaded-tools:schema:hostile")
def test_what_is_cut_is_said_to_be_cut() -> None:
    assert spoken("가나 " * 5_000, FIELDS).text.endswith(MORE)


LIES: list[Any] = [
    {"count": "셋"},
    {"count": [1, {"a": None}]},
    {"count": {"x": 2}},
    [1, "둘", None],
    "끝",
    None,
    True,
    1.5,
]


@pytest.mark.requirement("loaded-tools:schema:hostile")
@pytest.mark.parametrize("value", LIES, ids=str)
def test_a_result_of_another_type_than_its_schema_says_is_told_all_the_same(value: Any) -> None:
    schema = {"type": "object", "properties": {"count": {"type": "integer", "description": "찾은 수, 곳"}}}
    assert spoken(value, FIELDS, Telling(schema=schema)).text
