"""Whether it is too late is reckoned from the time that a message tells, by itself or behind what was said before."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from app.errors import DataFaults
from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.deadlines import Deadlines
from app.planner.facts import Facts

ROOT = Path(__file__).parents[2]
TODAY = date(2026, 11, 27)
CLAIMED = "지난번 수술비 청구 아직 되나요\n보험금을 청구할 권리는 3년이 지나면 소멸시효가 완성됩니다."
WITHDRAWN = "청약철회하고 싶어요\n청약철회는 이렇게 진행됩니다."


@pytest.fixture(scope="module")
def entities(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


@pytest.fixture(scope="module")
def deadlines() -> Deadlines:
    return Deadlines(ROOT / "data" / "language" / "deadlines.yaml", ROOT / "templates")


@pytest.mark.parametrize(
    ("text", "before", "told"),
    [
        ("허리 수술한 지 1년 10개월인데 보험금 청구 아직 되나요", "", r"아직 보험금을 청구하실 수 있습니다"),
        ("입원했던 게 5년 전인데 지금이라도 보험금 받을 수 있어요?", "", r"기한이 지나 보험금을 청구하시기 어렵습니다"),
        ("3년 1개월 전에 깁스한 거 청구하면 늦었나요", "", r"3년 1개월은 그보다 깁니다"),
        ("2020년에 입원한 거 보험금 신청 되나요", "", r"어렵습니다"),
        ("작년에 통원한 거 아직 청구 안 했는데 늦었죠", "", r"아직 보험금을 청구하실 수 있습니다"),
        ("3년 전 수술인데 보험금 청구 가능해요?", "", r"2023년 11월 27일 이후이면"),
        ("그럼 1년 반 전에 다친 건요?", CLAIMED, r"1년 6개월은 그 안입니다"),
        ("2024년 5월에 한 세 개는요", CLAIMED, r"아직 보험금을 청구하실 수 있습니다"),
        ("아니다 6년 됐네", CLAIMED, r"6년은 그보다 깁니다"),
        ("가입한 지 12일 됐는데 철회되나요", "", r"아직 청약을 철회하실 수 있습니다.*2026년 12월 15일까지"),
        ("3주 전에 가입한 치아보험 취소 가능한가요", "", r"말씀하신 21일은 그 안입니다\(2026년 12월 6일까지\)"),
        ("11월 5일에 든 보험 취소되나요? 증권은 18일날 왔어요", "", r"아직 청약을 철회하실 수 있습니다"),
        ("11월 5일에 가입했고 증권을 9일에 받았는데 철회 되나요", "", r"증권을 받은 날부터 15일까지인데 말씀하신 때는"),
        ("증권 받은 지 20일 됐는데요", WITHDRAWN, r"15일까지인데 말씀하신 20일은 그보다 깁니다"),
        (
            "청약한 지 40일 됐는데 늦었나요",
            WITHDRAWN,
            r"65세 이상이 전화로 가입한 계약이면.*아니면 기한이 지났",
        ),
        ("청약한 지 50일 됐는데 늦었나요", WITHDRAWN, r"기한이 지나 청약을 철회하시기 어렵습니다"),
    ],
)
def test_the_time_told_decides(deadlines: Deadlines, entities: EntityReader, text: str, before: str, told: str) -> None:
    found = deadlines.verdict(entities.read(text, TODAY), Facts(), TODAY, before)
    assert found is not None and re.search(told, found.text), found
    assert "근거" in found.text and found.tools


@pytest.mark.parametrize(
    "text",
    [
        "가입한 지 2년 됐는데 암 걸리면 보험금 청구되나요",  # the time of the contract is none of the event
        "보험금 청구하면 며칠 걸려요",
        "접수한 지 열흘 됐는데 보험금이 아직 안 들어왔어요",
        "2년 전에 수술했는데 암보험 가입되나요",
        "청약 철회하려면 어떻게 해요",
    ],
)
def test_what_tells_no_time_or_asks_for_something_else_is_left(
    deadlines: Deadlines, entities: EntityReader, text: str
) -> None:
    assert deadlines.verdict(entities.read(text, TODAY), Facts(), TODAY) is None


def test_the_longer_limit_holds_for_the_old_who_joined_by_phone(deadlines: Deadlines, entities: EntityReader) -> None:
    said = entities.read("청약한 지 38일 됐는데 늦었나요", TODAY)
    found = deadlines.verdict(said, Facts(age=70, channel="TM"), TODAY, WITHDRAWN)
    assert found is not None and "45일까지인데 말씀하신 38일은 그 안입니다" in found.text
    asked = entities.read("그래도 30일인가요", TODAY)
    found = deadlines.verdict(asked, Facts(age=70, channel="TM"), TODAY, WITHDRAWN)
    assert found is not None and "45일까지" in found.text
    found = deadlines.verdict(asked, Facts(age=50, channel="TM"), TODAY, WITHDRAWN)
    assert found is not None and "청약일부터 30일, 보험증권을 받은 날부터 15일입니다" in found.text


def test_a_broken_file_is_told(tmp_path: Path) -> None:
    path = tmp_path / "deadlines.yaml"
    path.write_text("recent: '('\napart: x\nrules: []\n", encoding="utf-8")
    with pytest.raises(DataFaults):
        Deadlines(path, ROOT / "templates")


@pytest.mark.parametrize(
    ("text", "earlier", "facts", "told"),
    [
        (
            "그럼 며칠까지 청구해야 해요",
            "작년 3월에 수술했는데 청구 되나요",
            Facts(),
            r"2028년 3월 1일에서 2028년 3월 31일까지",
        ),
        ("기한이 언제까지예요", "2026년 5월 20일에 입원한 거 청구 되나요", Facts(), r"3년\(2029년 5월 20일까지\)"),
    ],
)
def test_until_when_is_reckoned_from_the_time_told_before(
    deadlines: Deadlines, entities: EntityReader, text: str, earlier: str, facts: Facts, told: str
) -> None:
    found = deadlines.verdict(entities.read(text, TODAY), facts, TODAY, CLAIMED, earlier=entities.read(earlier, TODAY))
    assert found is not None and re.search(told, found.text), found


@pytest.mark.parametrize(
    ("text", "age", "told"),
    [
        ("정확히 며칠까지인가요", 68, r"45일까지, 곧 2026년 12월 25일까지"),
        ("나이가 59살이면 며칠이에요", None, r"청약일부터 30일\(2026년 12월 10일까지\), 보험증권을 받은 날부터 15일"),
    ],
)
def test_the_limit_is_that_of_who_is_spoken_of(
    deadlines: Deadlines, entities: EntityReader, text: str, age: int | None, told: str
) -> None:
    facts = Facts(age=age, channel="TM", contract_date=date(2026, 11, 10))
    found = deadlines.verdict(entities.read(text, TODAY), facts, TODAY, WITHDRAWN)
    assert found is not None and re.search(told, found.text), found


def test_no_day_is_made_up_where_no_time_was_told(deadlines: Deadlines, entities: EntityReader) -> None:
    found = deadlines.verdict(entities.read("언제까지 청구해요", TODAY), Facts(), TODAY, CLAIMED)
    assert found is not None and "3년" in found.text and "월" not in found.text
    assert deadlines.verdict(entities.read("언제까지 철회해요", TODAY), Facts(), TODAY) is None
