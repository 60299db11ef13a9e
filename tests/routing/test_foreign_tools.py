"""Tools known only by name and description are found beside the shipped ones, whatever language they are told in."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.errors import DataFaults
from app.language.everyday import EverydayWords, load_everyday
from app.language.glossary import Glossary, load_glossary
from app.routing.evaluation import load_cases
from app.routing.opening import open_routing
from app.routing.router import Router, Unlearned
from app.toolbox.snapshot import ToolSnapshot
from scripts.foreign_tools import foreign_entry, made_up_tools
from tests.routing.conftest import DATA, Shipped

PLAIN = (
    ("water_plants", "Water the plants in the greenhouse"),
    ("list_concert_tickets", "List concert tickets that are still on sale"),
    ("return_umbrella", "빌려 간 우산을 돌려받아 기록한다"),
)
PETS = {"type": "object", "properties": {"species": {"type": "string", "enum": ["hamster", "parrot"]}}}
TOLD_BY_MORE = (
    foreign_entry("bp_log", "Save a blood pressure reading"),
    foreign_entry("getforecast", "주간 예보를 제공한다"),
    foreign_entry("find_sitter", "Find a sitter", parameters=PETS),
)


@pytest.fixture(scope="module")
def grown(shipped: Shipped, tmp_path_factory: pytest.TempPathFactory) -> tuple[Router, ToolSnapshot]:
    """The shipped tools with a catalogue too large for heads of its own."""
    foreign = (*(foreign_entry(*tool) for tool in PLAIN), *made_up_tools(40))
    folder = tmp_path_factory.mktemp("grown")
    opened = open_routing(DATA, folder, shipped.snapshot, shipped.embedder, shipped.tokenizer)
    snapshot = ToolSnapshot(2, (*shipped.snapshot.entries, *foreign))
    opened.router.prepare(shipped.snapshot, snapshot)
    return opened.router, snapshot


@pytest.mark.parametrize(
    ("text", "tool"),
    [("온실 식물에 물 좀 줘", "water_plants"), ("남은 콘서트 표 목록 보여줘", "list_concert_tickets"),
     ("우산 돌려주러 왔어요", "return_umbrella")],
)  # fmt: skip
def test_a_korean_question_finds_a_tool_told_only_by_its_description(
    grown: tuple[Router, ToolSnapshot], text: str, tool: str
) -> None:
    router, snapshot = grown
    route = router.route(text, snapshot)
    assert tool in [candidate.tool for candidate in route.candidates[:3]]
    assert not route.no_call
    assert "head" in next(c for c in route.candidates if c.tool == tool).sources


@pytest.mark.parametrize(
    ("text", "tool"),
    [("혈압 쟀는데 130 나왔어 적어 둬", "bp_log"), ("주말에 우산 챙겨야 하나", "getforecast"),
     ("앵무새 돌봐 줄 분 있을까요", "find_sitter")],
)  # fmt: skip
def test_phrases_everyday_words_and_choices_of_arguments_tell_of_a_tool(shipped: Shipped, text: str, tool: str) -> None:
    entries = (*shipped.snapshot.entries, *TOLD_BY_MORE, *made_up_tools(40))
    route = shipped.routing.router.trial(ToolSnapshot(3, entries)).route(text, ToolSnapshot(3, entries))
    assert route.candidates[0].tool == tool


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("45세 남자 뉴스타트암보험 보험료 얼마예요", "premium_estimate"),
        ("해약하면 얼마 돌려받나요", "surrender_value_explain"),
    ],
)
def test_the_shipped_tools_keep_their_questions(grown: tuple[Router, ToolSnapshot], text: str, tool: str) -> None:
    router, snapshot = grown
    assert router.route(text, snapshot).candidates[0].tool == tool


def test_small_talk_still_needs_no_tool(grown: tuple[Router, ToolSnapshot]) -> None:
    router, snapshot = grown
    assert router.route("고마워요 잘 들었어요", snapshot).no_call


def test_a_catalogue_without_heads_takes_few_of_the_lines_that_need_no_tool(
    grown: tuple[Router, ToolSnapshot], shipped: Shipped
) -> None:
    router, snapshot = grown
    cases = load_cases(DATA / "evaluation" / "routing" / "development.jsonl")
    quiet = [case.query for case in cases if case.needs_no_tool and case.domain != "out"]
    quiet = [text for text in quiet if router.route(text, shipped.snapshot).no_call]
    taken = sum(not router.route(text, snapshot).no_call for text in quiet)
    assert taken <= 0.15 * len(quiet)


def test_a_tool_of_a_catalogue_is_meant_or_a_shipped_one(grown: tuple[Router, ToolSnapshot], shipped: Shipped) -> None:
    router, snapshot = grown
    domain, names = shipped.routing.domain, set(snapshot.names())

    def unlearned(text: str, of: ToolSnapshot) -> Unlearned:
        vector = shipped.embedder.encode_query(text)
        return router.unlearned(text, of, vector=vector, heard=domain.heard(text), allowed=names)

    plants = unlearned("온실 식물에 물 좀 줘", snapshot)
    assert plants.meant
    assert max(plants.over, key=lambda tool: plants.over[tool]) == "water_plants"
    assert plants.over["water_plants"] > 0
    assert not unlearned("45세 남자 뉴스타트암보험 보험료 얼마예요", snapshot).meant
    assert unlearned("온실 식물에 물 좀 줘", shipped.snapshot) == Unlearned({}, meant=False)


def test_a_lost_vector_store_leaves_the_likeness_of_words(grown: tuple[Router, ToolSnapshot], shipped: Shipped) -> None:
    router, snapshot = grown
    bare = replace(router.index(snapshot), embedding=None)
    heads = bare.heads
    assert heads is not None
    analyser, text = shipped.routing.analyser, "온실 식물에 물 좀 줘"
    found = bare.alike(heads.read(analyser.analyse(text)), np.zeros(1, np.float32), analyser.tagged(text))
    assert bare.prototypes is not None
    assert bare.names[bare.prototypes.places[int(found.argmax())]] == "water_plants"


def test_english_words_are_put_into_korean_also_inside_names() -> None:
    words = Glossary({"ticket": "표", "reserve": "예약"})
    assert words.korean("reserveTickets list_tickets") == "예약 표"
    assert words.korean("우산") == ""


def test_two_words_have_a_meaning_of_their_own_and_what_is_told_in_korean_stays() -> None:
    words = Glossary({"turn": "켜다 끄다", "turn off": "끄다", "light": "불", "book": "예약 책"})
    assert words.korean("turnOffLight") == "끄다 불"
    assert words.korean("book_visit 진료를 예약한다") == ""


def test_everyday_words_are_found_by_the_word_of_a_description(shipped: Shipped) -> None:
    everyday = load_everyday(DATA / "language" / "everyday.yaml", shipped.routing.analyser.tagged)
    assert len(everyday) > 900
    assert {"비", "우산"} <= {form for form, _ in everyday.related(["날씨", "서울"])}
    assert everyday.related(["삼각함수"]) == ()
    verbs = EverydayWords({"삭제": "지우다"}, shipped.routing.analyser.tagged)
    assert [(form, tag[:2]) for form, tag in verbs.related(["삭제"])] == [("지우", "VV")]


def test_broken_everyday_words_name_their_entries(tmp_path: Path) -> None:
    path = tmp_path / "everyday.yaml"
    path.write_text("날씨: 비 우산\n예보: []\n기온: 춥다, 덥다\n", encoding="utf-8")
    with pytest.raises(DataFaults) as raised:
        load_everyday(path, lambda _: ())
    assert [fault.message for fault in raised.value.faults] == [
        "'말: 말 말' 꼴이 아닙니다: '예보'", "'말: 말 말' 꼴이 아닙니다: '기온'"
    ]  # fmt: skip
    assert len(load_everyday(tmp_path / "none.yaml", lambda _: ())) == 0


def test_a_broken_glossary_names_its_entries(tmp_path: Path) -> None:
    path = tmp_path / "english.yaml"
    path.write_text("on: 켜다\nticket: 표\n", encoding="utf-8")
    with pytest.raises(DataFaults):
        load_glossary(path)
    assert len(load_glossary(DATA / "language" / "english.yaml")) > 1000
