"""A tool that was loaded: its messages are claimed for it, others are not, and a whole talk fills its calls."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date
from typing import Annotated, Any, Literal

import pytest
from langchain_core.tools import tool
from pydantic import Field

from app.access import Principal
from app.composition import open_services
from app.evaluation.hearing import calls_of
from app.planning.filling import SlotFiller
from app.planning.tools import LIKELY, SURE, Claim, ToolSlots, field_of
from app.routing.evaluation import load_cases
from app.routing.opening import open_routing
from app.routing.router import Router
from app.services import Services
from app.settings import Settings
from app.toolbox.cards import ArgumentHint, ToolCard, card_from_description
from app.toolbox.snapshot import ToolEntry, ToolSnapshot
from tests.planning.made import FIELDS, TODAY, WORDS, slot
from tests.routing.conftest import DATA, Shipped
from tests.state import lay_out


@tool
def stall_price(stall: Annotated[Literal["north", "south"], Field(description="자리: north 북쪽, south 남쪽")]) -> str:
    """좌판 값을 알려 준다."""
    return stall


@tool
def stall_hold(
    stall: Annotated[Literal["north", "south"], Field(description="자리: north 북쪽, south 남쪽")],
    ware: Annotated[Literal["fruit", "fish"], Field(description="파는 것: fruit 과일, fish 생선")],
    day: Annotated[date, Field(description="여는 날")],
) -> str:
    """좌판을 잡는다."""
    return f"{stall} {ware} {day}"


SOURCE = '''
from datetime import date
from typing import Annotated, Literal

from langchain_core.tools import tool
from pydantic import Field


@tool
def star_night(
    night: Annotated[date, Field(description="관측일")],
    dome: Annotated[Literal["main", "small"], Field(description="관측실: main 주관측실, small 보조관측실")],
    people: Annotated[int, Field(description="인원", ge=1, le=20)],
    telescope: Annotated[bool, Field(description="망원경 대여 여부")] = False,
    visitor: Annotated[str | None, Field(description="예약자 이름")] = None,
) -> dict[str, str]:
    """천문대 별 관측 자리를 잡는다."""
    return {"message": "자리를 잡았습니다."}


star_night.metadata = {"role": "customer"}
TOOLS = [star_night]
'''
CARD = """
- name: star_night
  title: 천문대 관측 예약
  purpose: 천문대에서 별을 볼 자리를 예약한다.
  when_to_use:
    - 천문대 별 보러 가고 싶어요
    - 천문대 관측 예약해 주세요
    - 이번 주말 별자리 관측 자리 있나요
    - 망원경으로 별 보는 자리 잡아 주세요
  when_not_to_use: [보험료 계산 → premium_estimate 사용]
  tags: [천문대, 별, 관측]
"""


@tool
def ferry_book(
    sail_day: Annotated[date, Field(description="배 타는 날")],
    cabin: Annotated[Literal["deck", "room"], Field(description="자리: deck 갑판석, room 선실")],
    people: Annotated[int, Field(description="인원", ge=1, le=9)],
) -> str:
    """유람선 자리를 잡는다."""
    return f"{sail_day} {cabin} {people}"


FERRY = ToolEntry(
    ferry_book,
    ToolCard(
        name="ferry_book",
        title="유람선 예약",
        purpose="섬으로 가는 유람선의 자리를 예약한다.",
        when_to_use=("유람선 타고 싶어요", "유람선 예약해 주세요", "섬에 가는 배 자리 있나요", "배편 좀 잡아 주세요"),
    ),
    "ferry",
    role="customer",
    source="local",
)


@pytest.fixture(scope="module")
def tools(filler: SlotFiller) -> ToolSlots:
    return ToolSlots(WORDS, FIELDS, filler)


@pytest.fixture(scope="module")
def grown(shipped: Shipped, tmp_path_factory: pytest.TempPathFactory) -> tuple[Router, ToolSnapshot]:
    """The shipped tools with one more."""
    folder = tmp_path_factory.mktemp("ferry")
    opened = open_routing(DATA, folder, shipped.snapshot, shipped.embedder, shipped.tokenizer)
    snapshot = ToolSnapshot(2, (*shipped.snapshot.entries, FERRY))
    opened.router.prepare(shipped.snapshot, snapshot)
    return opened.router, snapshot


def claimed(tools: ToolSlots, grown: tuple[Router, ToolSnapshot], text: str) -> Claim | None:
    router, snapshot = grown
    entries = [entry for entry in snapshot.entries if tools.by_schema(entry)]
    assert [entry.name for entry in entries] == ["ferry_book"]
    return tools.claimed(entries, text, TODAY, router.holders(snapshot))


CLAIMED: list[tuple[str, dict[str, Any], bool]] = [
    ("섬에 가는 유람선 자리 있나요", {}, False),
    ("12월 3일에 유람선 선실로 두 명이요", {"sail_day": "2026-12-03", "cabin": "room", "people": 2}, True),
    ("유람선 갑판석 네명 모레", {"sail_day": "2026-11-28", "cabin": "deck", "people": 4}, True),
    ("섬에 가는 배 세 명 잡아 주세요, 선실은 말고 갑판석", {"cabin": "deck", "people": 3}, True),
]


@pytest.mark.parametrize(("text", "args", "sure"), CLAIMED)
def test_a_message_that_speaks_of_the_tool_is_claimed_for_it(
    tools: ToolSlots, grown: tuple[Router, ToolSnapshot], text: str, args: dict[str, Any], sure: bool
) -> None:
    claim = claimed(tools, grown, text)
    assert claim is not None
    assert (claim.tool, claim.filled.args) == ("ferry_book", args)
    assert claim.score >= (SURE if sure else LIKELY)


OUTSIDERS = [
    "오늘 서울 날씨 어때요?", "김치찌개 끓이는 법 알려 줘", "파이썬으로 정렬 코드 짜 줘",
    "내일 두 명 영화표 예매해 주세요", "비행기표 두 명 예약해 주세요",
    "누가 대통령이에요?", "고마워요", "안녕하세요", "", "내일 세 명이 갈 맛집 추천해 주세요",
]  # fmt: skip


@pytest.mark.parametrize("text", OUTSIDERS)
def test_an_outsider_is_claimed_for_no_tool(tools: ToolSlots, grown: tuple[Router, ToolSnapshot], text: str) -> None:
    assert claimed(tools, grown, text) is None


def test_questions_about_insurance_stay_with_the_shipped_tools(
    tools: ToolSlots, grown: tuple[Router, ToolSnapshot]
) -> None:
    cases = [case.query for case in load_cases(DATA / "evaluation" / "routing" / "development.jsonl")][::3]
    assert len(cases) > 300
    claims = [text for text in cases if claimed(tools, grown, text)]
    assert len(claims) <= 0.01 * len(cases), claims


def test_an_entry_that_took_the_place_of_another_is_read_anew(tools: ToolSlots) -> None:
    @tool
    def ferry_book(port: Annotated[str, Field(description="항구 이름. 지역")]) -> str:
        """유람선 자리를 잡는다."""
        return port

    assert [s.name for s in tools.fill(FERRY, "", TODAY).missing] == ["sail_day", "cabin", "people"]
    again = ToolEntry(ferry_book, FERRY.card, "ferry", source="local")
    assert [s.name for s in tools.fill(again, "", TODAY).missing] == ["port"]
    assert [s.name for s in tools.fill(FERRY, "모레요", TODAY).missing] == ["cabin", "people"]


def test_a_missing_slot_is_asked_for_with_unit_and_choices() -> None:
    choice = field_of(slot({"enum": ["deck", "room"], "description": "자리: deck 갑판석, room 선실"}))
    assert (choice.label, [(o.label, o.value) for o in choice.options]) == (
        "자리", [("갑판석", "deck"), ("선실", "room")],
    )  # fmt: skip
    assert field_of(slot({"enum": [f"{n}호" for n in range(13)], "description": "호실"})).options == ()
    assert field_of(slot({"type": "number", "description": "짐 무게(kg)"})).label == "짐 무게(kg)"
    assert field_of(slot({"type": "string", "format": "date", "description": "받을 날"})).type == "date"


# --- whole talks --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
async def services(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Services]:
    """The whole application with the module loaded beside it."""
    folder = tmp_path_factory.mktemp("stars")
    (folder / "stars.py").write_text(SOURCE, encoding="utf-8")
    (folder / "stars.yaml").write_text(CARD, encoding="utf-8")
    data_dir = lay_out(tmp_path_factory.mktemp("stars-var"))
    settings = Settings(_env_file=None, data_dir=data_dir, tool_paths=str(folder))
    async with open_services(settings, today=lambda: TODAY) as opened:
        yield opened


Turn = tuple[str, dict[str, Any] | None, set[str]]
FIRST = {"night": "2026-12-03", "dome": "main", "people": 4}
TALKS: dict[str, list[Turn]] = {
    "asked back, answered tersely, corrected": [
        ("천문대 관측 예약해 주세요", None, {"night", "dome", "people"}),
        ("12월 3일 주관측실이요", None, {"people"}),
        ("네 명", FIRST, set()),
        ("아니 다섯 명이요", {**FIRST, "people": 5}, set()),
        ("보조관측실로 바꿔 주세요", {**FIRST, "people": 5, "dome": "small"}, set()),
        ("망원경도 빌릴게요", {**FIRST, "people": 5, "dome": "small", "telescope": True}, set()),
    ],
    "all at once, the other day": [
        ("다음 주 토요일 천문대 별 보러 가요, 주관측실 네 명", {**FIRST, "night": "2026-12-05"}, set()),
        ("글피로 해 주세요", {**FIRST, "night": "2026-11-29"}, set()),
        ("김하늘 이름으로요", {**FIRST, "night": "2026-11-29", "visitor": "김하늘"}, set()),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", TALKS)
async def test_a_talk_fills_the_calls_of_a_tool_that_was_loaded(services: Services, name: str) -> None:
    who = Principal(id="stars", role="customer")
    for text, args, missing in TALKS[name]:
        reply = await services.talk.runner.ask(text, who, name)
        calls = [(call.tool, call.args) for call in calls_of(reply)]
        assert (calls, set(reply["needs_input"])) == ([] if args is None else [("star_night", args)], missing), text


async def test_an_outsider_is_refused_and_the_talk_goes_on(services: Services) -> None:
    who = Principal(id="stars", role="customer")
    asked = await services.talk.runner.ask("12월 3일 천문대 주관측실 네 명 예약해 주세요", who, "outsiders")
    assert [call.args for call in calls_of(asked)] == [FIRST]
    for text in ("누가 대통령이에요?", "김치찌개 끓이는 법 알려 줘", "파이썬으로 3개 정렬 코드 짜 줘"):
        refused = await services.talk.runner.ask(text, who, "outsiders")
        assert (refused["guard"]["layer"], calls_of(refused)) == ("L2", ()), text
    alone = await services.talk.runner.ask("내일 두 명 영화표 예매해 주세요", who, "outsider alone")
    assert alone["guard"]["layer"] == "L2"
    going_on = await services.talk.runner.ask("세 명으로요", who, "outsiders")
    assert [(call.tool, call.args) for call in calls_of(going_on)] == [("star_night", {**FIRST, "people": 3})]


async def test_a_question_about_insurance_is_answered_in_between(services: Services) -> None:
    who = Principal(id="stars", role="customer")
    await services.talk.runner.ask("12월 3일 천문대 주관측실 네 명 예약해 주세요", who, "between")
    reply = await services.talk.runner.ask("뉴스타트암보험 45세 남자 보험료 얼마예요?", who, "between")
    assert [call.tool for call in calls_of(reply)] == ["premium_estimate"]


def test_what_the_talk_told_of_the_same_argument_is_taken_over(tools: ToolSlots) -> None:
    hint = ArgumentHint(after={"fish": ("stall_price",)})
    card = ToolCard(
        name="stall_hold",
        title="좌판 잡기",
        purpose="좌판을 잡아 둔다.",
        when_to_use=("좌판 잡아 줘",),
        arguments={"ware": hint},
    )
    price = ToolEntry(
        stall_price, card_from_description("stall_price", "좌판 값을 알려 준다."), "market", "customer", None, "local"
    )
    hold = ToolEntry(stall_hold, card, "market", "customer", None, "local")
    others = {"stall_price": price}
    filled = tools.fill(hold, "11월 30일로 잡아 주세요", TODAY)
    known = tools.carried(hold, filled, {"stall_price": {"stall": "south"}}, others)
    assert known.args == {"day": "2026-11-30", "stall": "south", "ware": "fish"} and not known.missing
    told = tools.fill(hold, "북쪽에 과일 좌판", TODAY)
    assert tools.carried(hold, told, {"stall_price": {"stall": "south"}}, others).args["stall"] == "north"
    # A day is asked for anew, and what another tool of the same name of argument takes is another thing.
    lacking = tools.carried(hold, tools.fill(hold, "좌판", TODAY), {"star_night": {"stall": "east"}}, {})
    assert {slot.name for slot in lacking.missing} == {"stall", "ware", "day"}
