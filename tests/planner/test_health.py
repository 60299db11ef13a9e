"""Whose illness it is, what is added to it and what is taken back."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.reading import Reader
from tests.language.samples import TODAY
from tests.words import PLANNER


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue) -> Reader:
    return Reader(EntityReader(catalogue), PLANNER)


def facts_after(reader: Reader, *messages: str, facts: Facts | None = None) -> Facts:
    held = facts or Facts()
    for message in messages:
        held = reader.read(message, held, TODAY).facts
    return held


def history_of(facts: Facts, who: str) -> str | None:
    person = facts.person(who)
    return person.history if person else None


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("어머니는 천식, 아버지는 통풍이 있는데 가입돼요?", {"어머니": "천식", "아버지": "통풍"}),
        ("아내가 갑상선결절이 있고 저는 고혈압인데 들 수 있나요", {"배우자": "갑상선결절", "본인": "고혈압"}),
    ],
)
def test_two_peoples_illnesses_of_one_sentence_stay_apart(
    reader: Reader, message: str, expected: dict[str, str]
) -> None:
    facts = facts_after(reader, message)
    assert {who: history_of(facts, who) for who in expected} == expected


@pytest.mark.parametrize("second", ["통풍도 있어요", "통풍이 있습니다", "그리고 작년에 통풍 진단받고 약 먹어요"])
def test_an_earlier_illness_is_added_to(reader: Reader, second: str) -> None:
    history = facts_after(reader, "천식이 있는데 가입할 수 있나요", second).history or ""
    assert "천식" in history and "통풍" in history


def test_an_illness_taken_back_is_gone(reader: Reader) -> None:
    facts = facts_after(reader, "저는 천식이 있는데 가입할 수 있나요", "아 천식 말고 통풍이 있어요")
    assert facts.history is not None and "천식" not in facts.history and "통풍" in facts.history


def test_another_persons_history_does_not_follow_the_talk(reader: Reader) -> None:
    facts = facts_after(reader, "아버지가 천식이 있는데 가입돼요? 66세예요", "어머니는 예순넷이고 아픈 데 없으세요")
    assert (facts.who, facts.history) == ("어머니", None)
    assert history_of(facts, "아버지") == "천식"


def test_the_day_of_treatment_does_not_become_the_day_of_the_contract(reader: Reader) -> None:
    facts = facts_after(reader, "2024년 5월 2일에 가입했고 2025년 6월 3일에 임플란트 했어요")
    assert (facts.contract_date, facts.event_date) == (date(2024, 5, 2), date(2025, 6, 3))
    later = facts_after(reader, "2023년 1월 9일에 계약했어요", "2025년 7월 1일에 크라운 씌웠어요")
    assert (later.contract_date, later.event_date) == (date(2023, 1, 9), date(2025, 7, 1))


def test_how_long_ago_one_joined_is_the_day_of_the_contract(reader: Reader) -> None:
    facts = facts_after(reader, "가입한 지 열흘 됐어요")
    assert (facts.contract_date, facts.who) == (TODAY - timedelta(days=10), "본인")


@pytest.mark.parametrize(
    ("message", "amount"),
    [("3천으로 하면요?", 30_000_000), ("2천으로 낮추면요", 20_000_000), ("5천으로요", 50_000_000)],
)
def test_a_bare_number_of_thousands_is_a_sum_insured(reader: Reader, message: str, amount: int) -> None:
    facts = Facts(last_tool="premium_estimate", product_codes=("B00115023",))
    assert facts_after(reader, message, facts=facts).sum_insured == amount


def test_dental_added_to_cancer_keeps_both_kinds(reader: Reader) -> None:
    assert facts_after(reader, "암보험 얼마예요", "치아도 같이 들면요?").kinds == ("암", "치아")
    assert facts_after(reader, "암이랑 치매 같이 보려고요").kinds == ("암", "치매")


def test_a_day_taken_back_is_corrected_where_it_stood(reader: Reader) -> None:
    first = reader.read("2024년 5월 2일에 든 뉴스타트인데 2025년 6월 3일 위암 진단 받았어요", Facts(), TODAY).facts
    later = reader.read("가입일이 5월이 아니라 3월 2일이었네요", first, TODAY).facts
    assert (later.contract_date, later.event_date) == (date(2024, 3, 2), date(2025, 6, 3))
