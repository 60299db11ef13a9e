"""What each argument of an unknown tool takes and is called, read from its JSON schema, however that is written."""

from __future__ import annotations

import time
from datetime import date
from typing import Any, Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.tools import tool
from langchain_core.utils.function_calling import convert_to_openai_tool

from app.answering.labels import Labels
from app.planning.filling import SlotFiller
from app.planning.slots import MOST_CHOICES, MOST_SLOTS, slots_of
from app.planning.tools import field_of
from app.planning.words import SlotWords
from app.toolbox.cards import ArgumentHint
from tests.planning.made import FIELDS, WORDS, Form, slot, slots

Schema = dict[str, Any]

KINDS: list[tuple[str, Schema, str]] = [
    ("xq", {"type": "string", "enum": ["a", "b"]}, "choice"),
    ("xq", {"enum": ["소형", "대형"]}, "choice"),
    ("xq", {"type": "integer", "enum": [1, 2, 3]}, "choice"),
    ("xq", {"const": "only"}, "choice"),
    ("xq", {"oneOf": [{"const": "l1", "title": "입문반"}, {"const": "l2", "title": "숙련반"}]}, "choice"),
    ("xq", {"anyOf": [{"type": "string", "enum": ["a"]}, {"type": "null"}]}, "choice"),
    ("xq", {"type": "array", "items": {"type": "string", "enum": ["a", "b"]}}, "choice"),
    ("with_pet", {"type": "boolean"}, "flag"),
    ("xq", {"anyOf": [{"type": "boolean"}, {"type": "null"}]}, "flag"),
    ("xq", {"type": "integer", "description": "인원"}, "number"),
    ("xq", {"type": ["number", "null"], "description": "짐 무게(kg)"}, "number"),
    ("budget", {"type": "integer"}, "money"),
    ("xq", {"type": "integer", "description": "예산(원)"}, "money"),
    ("xq", {"type": "string", "format": "date", "description": "받을 때"}, "date"),
    ("visit_date", {"type": "string"}, "date"),
    ("xq", {"type": "string", "description": "찾으러 오는 때 (YYYY-MM-DD)"}, "date"),
    ("xq", {"type": "string", "pattern": r"^\d{4}-\d{2}-\d{2}$"}, "date"),
    ("xq", {"type": "string", "format": "time"}, "time"),
    ("xq", {"type": "string", "pattern": r"^\d{2}:\d{2}$"}, "time"),
    ("xq", {"type": "string", "pattern": r"^([01]\d|2[0-3]):[0-5]\d$"}, "time"),
    ("xq", {"type": "string", "description": "출발 시각"}, "time"),
    ("xq", {"type": "string", "pattern": r"^[A-Z]{2}-\d{4}$", "description": "접수 번호"}, "code"),
    ("city", {"type": "string"}, "place"),
    ("xq", {"type": "string", "description": "도착지"}, "place"),
    ("guest_name", {"type": "string"}, "person"),
    ("xq", {"type": "string", "description": "예약자 성함"}, "person"),
    ("order_id", {"type": "string"}, "id"),
    ("xq", {"type": "string", "description": "쿠폰 코드"}, "id"),
    ("url", {"type": "string"}, "id"),
    ("xq", {"type": "string", "description": "청구월 YYYY-MM"}, "month"),
    ("branch_name", {"type": "string"}, "text"),
    ("xq", {"type": "string", "description": "강아지 이름"}, "text"),
    ("memo", {"type": "string", "description": "요청 사항"}, "text"),
]


@pytest.mark.parametrize(("name", "described", "kind"), KINDS)
def test_the_schema_says_what_a_slot_takes(name: str, described: Schema, kind: str) -> None:
    read = slot(described, name)
    assert (read.name, read.kind) == (name, kind)
    assert read.many == (described.get("type") == "array")


def test_a_reference_is_what_it_points_to() -> None:
    trip = {"type": "string", "enum": ["round_trip", "one_way"], "description": "여정"}
    (read,) = slots({"trip": {"$ref": "#/$defs/Trip"}}, **{"$defs": {"Trip": trip}})
    assert (read.kind, read.label, [choice.value for choice in read.choices]) == (
        "choice", "여정", ["round_trip", "one_way"],
    )  # fmt: skip


def test_a_python_function_is_read_like_any_schema() -> None:
    @tool
    def court_book(day: date, surface: Literal["clay", "hard"], players: int = 2, lights: bool | None = None) -> str:
        """Book a court."""
        return f"{day} {surface} {players} {lights}"

    read = slots_of(convert_to_openai_tool(court_book)["function"], WORDS, Labels(FIELDS))
    assert [(each.name, each.kind, each.required) for each in read] == [
        ("day", "date", True), ("surface", "choice", True), ("players", "number", False), ("lights", "flag", False),
    ]  # fmt: skip


WORDED: list[tuple[Schema, dict[Any, str]]] = [
    ({"enum": ["소형", "대형"]}, {"소형": "소형", "대형": "대형"}),
    ({"enum": ["small", "saturday"]}, {"small": "소형", "saturday": "토요일"}),
    ({"enum": ["vip", "std"], "description": "좌석: vip 특별석, std 일반석"}, {"vip": "특별석", "std": "일반석"}),
    ({"enum": ["A", "B"], "description": "A: 손세차(직접) / B: 자동세차"}, {"A": "손세차", "B": "자동세차"}),
    ({"enum": ["hand", "auto"], "description": "손세차(hand), 자동세차(auto)"}, {"hand": "손세차", "auto": "자동세차"}),
    ({"oneOf": [{"const": 1, "title": "입문반"}, {"const": 2, "title": "숙련반"}]}, {1: "입문반", 2: "숙련반"}),
    ({"enum": ["zz", "qq"]}, {"zz": "zz", "qq": "qq"}),
]  # fmt: skip


@pytest.mark.parametrize(("described", "words"), WORDED)
def test_a_choice_is_shown_in_its_korean_words(described: Schema, words: dict[Any, str]) -> None:
    assert {choice.value: choice.words[0] for choice in slot(described).choices} == words


def test_a_word_of_two_choices_tells_neither() -> None:
    read = slot({"enum": ["a", "b"], "description": "a 특별석(일찍), b 일반석(일찍)"})
    assert all("일찍" not in choice.words for choice in read.choices)


UNITS: list[tuple[str, Schema, str]] = [
    ("xq", {"description": "짐 무게(kg)"}, "kg"),
    ("xq", {"description": "대여 길이, 분"}, "분"),
    ("xq", {"description": "상자 몇 개"}, "개"),
    ("xq", {"description": "인원"}, "명"),
    ("xq", {"description": "숙박"}, "박"),
    ("players", {}, "명"),
    ("nights", {}, "박"),
    ("distance_km", {}, "km"),
    ("price", {}, "원"),
    ("xq", {}, ""),
]


@pytest.mark.parametrize(("name", "described", "unit"), UNITS)
def test_a_number_is_measured_as_its_description_or_its_name_says(name: str, described: Schema, unit: str) -> None:
    assert slot({"type": "integer", **described}, name).unit == unit


def test_a_number_keeps_its_bounds() -> None:
    read = slot({"anyOf": [{"type": "integer", "minimum": 1, "maximum": 8}, {"type": "null"}]})
    assert (read.minimum, read.maximum, read.whole) == (1, 8, True)


LABELS = [
    ("visit_date", "string", "날짜"), ("departureTime", "string", "출발 시각"), ("destination", "string", "곳"),
    ("guest_name", "string", "손님 이름"), ("guest_count", "integer", "손님 수"), ("total_price", "integer", "총가격"),
    ("company_name", "string", "회사 이름"), ("memberName", "string", "회원 이름"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "label"), LABELS)
def test_no_label_is_a_raw_name_where_a_word_is_known(name: str, kind: str, label: str) -> None:
    assert slot({"type": kind}, name).label == label
    assert slot({"type": kind, "title": name.replace("_", " ").title()}, name).label == label
    assert slot({"type": kind, "description": "부르는 말"}, name).label == "부르는 말"


HINTS = {
    "method": ArgumentHint(label="받는 방법", synonyms={"post": ("등기",)}, ask="어떻게 받으시겠어요?"),
    "n": ArgumentHint(unit="통"),
    "topic": ArgumentHint(examples=("요금 문의", "환불")),
}


@pytest.mark.requirement("loaded-tools:arguments:card")
def test_what_a_card_says_of_an_argument_goes_before_its_schema(filler: SlotFiller) -> None:
    properties: Schema = {
        "method": {"enum": ["post", "fax"], "description": "way: post 우편, fax 팩스"},
        "n": {"type": "integer", "description": "몇 개"},
        "topic": {"type": "string", "examples": ["해지"]},
    }
    function = {"name": "made_up", "parameters": {"type": "object", "properties": properties, "required": ["method"]}}
    read = slots_of(function, WORDS, Labels(FIELDS), hints=HINTS)
    method, number, topic = read
    assert (method.label, method.choices[0].words[0], method.ask) == ("받는 방법", "등기", "어떻게 받으시겠어요?")
    assert (number.unit, topic.examples) == ("통", ("요금 문의", "환불", "해지"))
    form = Form(read, ("서류 보내기",))
    assert form.read(filler, "등기로 세 통, 환불 때문에요").args == {"method": "post", "n": 3, "topic": "환불"}
    assert form.read(filler, "해지 말고 요금문의요").args == {"topic": "요금 문의"}
    assert field_of(method).ask == "어떻게 받으시겠어요?"
    assert "ask" not in field_of(number).model_dump(mode="json")


CIRCLE = {"A": {"$ref": "#/$defs/B"}, "B": {"anyOf": [{"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}]}}
HOSTILE: list[Schema] = [
    {"$ref": "#/$defs/A"}, {"$ref": "#"}, {"$ref": "#/properties/xq"}, {"$ref": "https://example.com/x"}, {},
    {"description": 5}, {"title": ["x"], "description": {"ko": "이름"}}, {"type": []}, {"type": None}, {"enum": None},
    {"enum": [{"x": 1}, ["y"], None, True]}, {"const": ["y"]}, {"type": "array", "items": [{"type": "string"}]},
    {"type": "array"}, {"type": "string", "pattern": "("}, {"type": "string", "pattern": 5}, {"anyOf": "x"},
    {"type": "string", "pattern": "[" * 200}, {"type": "object", "properties": {"inner": {"type": "string"}}},
]  # fmt: skip


@pytest.mark.parametrize("described", HOSTILE, ids=str)
def test_what_is_no_sound_schema_is_a_slot_all_the_same(filler: SlotFiller, described: Schema) -> None:
    read = slots({"xq": described}, ["xq"], **{"$defs": CIRCLE})
    assert [each.name for each in read] == ["xq"]
    Form(read, ("짐 보관",)).read(filler, "내일 두 명이 3시에 갈게요", asked=["xq"])


@pytest.mark.parametrize("properties", [None, [], {}, {5: {"type": "string"}}])
def test_a_tool_without_arguments_has_no_slots(properties: Any) -> None:
    assert slots(properties) == ()


@pytest.mark.parametrize("described", [None, "text", ["text"], 7])
def test_an_argument_that_nothing_describes_takes_free_words(described: Any) -> None:
    assert slot(described).kind == "text"


@pytest.mark.parametrize(("name", "label"), [("이름", "이름"), ("받는 곳", "받는 곳"), ("희망 날짜", "희망 날짜")])
def test_names_may_be_korean_and_have_blanks(name: str, label: str) -> None:
    assert (slot({"type": "string"}, name).name, slot({"type": "string"}, name).label) == (name, label)


def test_many_arguments_are_cut() -> None:
    read = slots({f"xq{n}": {"type": "string"} for n in range(300)})
    assert [each.name for each in read] == [f"xq{n}" for n in range(MOST_SLOTS)]


def test_many_choices_are_cut_and_read_at_once(filler: SlotFiller) -> None:
    started = time.perf_counter()
    form = Form(slots({"xq": {"enum": [f"{n:04d}호" for n in range(5000)]}}, ["xq"]), ("사물함 고르기",))
    assert len(form.slots[0].choices) == MOST_CHOICES
    assert form.read(filler, "0120호로 할게요").args == {"xq": "0120호"}
    assert time.perf_counter() - started < 5


NESTED = [r"^(a+)+$", r"^(a|aa)+$", r"(a*)*b", r"^((a+))+$", r"^(?:a+)+?$", r"^(a+){2,}$", r"(x+x+)+y"]


@pytest.mark.parametrize("pattern", NESTED)
def test_a_pattern_that_could_take_for_ever_returns_at_once(filler: SlotFiller, pattern: str) -> None:
    form = Form(slots({"xq": {"type": "string", "pattern": pattern}}, ["xq"]), ("코드 조회",))
    started = time.perf_counter()
    assert form.read(filler, "a" * 300 + "!", asked=["xq"]).args == {}
    assert time.perf_counter() - started < 1


def test_the_shipped_words_name_every_kind(tmp_path: Any) -> None:
    assert all(WORDS.called(kind, "") for kind in ("date", "time", "person", "place"))
    assert WORDS.called("number", "") == ""
    path = tmp_path / "slots.yaml"
    path.write_text("kinds: {}\n", encoding="utf-8")
    with pytest.raises(Exception, match=r"slots\.yaml"):
        SlotWords.load(path)


NAMES = st.sampled_from(["date", "x", "이름", "a b", "city", "qq", "people"])
PARTS = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["string", "integer", "boolean", "array", "number", "null", ["string", "null"]]),
        "description": st.sampled_from(["날짜", "a: 가, b: 나", "", "무게(kg)", "x" * 500]),
        "enum": st.lists(st.sampled_from(["a", "b", "가", 1, 2.5, None]), max_size=4),
        "format": st.sampled_from(["date", "time", "uuid"]),
        "minimum": st.integers(-3, 3),
        "$ref": st.sampled_from(["#", "#/$defs/A", "#/nowhere"]),
    },
)
MESSAGES = st.sampled_from(
    ["", "내일 두 명", "가나", "a로요", "12월 3일 오후 세 시", "네", "!?", "없어요 5kg", "서울에서요"]
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(NAMES, PARTS, max_size=4), MESSAGES)
def test_whatever_comes_only_slots_of_the_tool_are_filled(
    filler: SlotFiller, properties: dict[str, Schema], text: str
) -> None:
    form = Form(slots(properties, list(properties), **{"$defs": CIRCLE}), ("짐 보관",))
    filled = form.read(filler, text, asked=list(properties))
    assert set(filled.args) == filled.said <= set(properties)
    assert {missing.name for missing in filled.missing} == set(properties) - filled.said
