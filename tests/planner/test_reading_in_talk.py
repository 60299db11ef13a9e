"""Dates and products in the light of the talk: the year spoken of, the contract to be revived, the order of a row."""

from __future__ import annotations

from datetime import date

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.reading import Reader
from tests.language.samples import LIFE, TODAY
from tests.planner.declared import DECLARED
from tests.words import PLANNER


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue) -> Reader:
    return Reader(EntityReader(catalogue), PLANNER)


def test_a_day_without_a_year_is_of_the_year_spoken_of(reader: Reader) -> None:
    facts = reader.read("2024년 3월 2일 가입, 2025년 1월 20일 위암 진단", Facts(), TODAY).facts
    facts = reader.read("그럼 9월 20일 진단이면요", facts, TODAY).facts
    assert (facts.contract_date, facts.event_date) == (date(2024, 3, 2), date(2025, 9, 20))


def test_a_policy_dies_while_reviving_is_spoken_of(reader: Reader) -> None:
    waiting = Facts(last_tool="underwriting_reinstatement_rule")
    assert reader.read("2025.10.5에 죽었답니다", waiting, TODAY, DECLARED).facts.lapse_date == date(2025, 10, 5)
    told = reader.read("2025년 10월 5일에 죽었네. 지금 살릴 수 있어요?", Facts(), TODAY).facts
    assert told.lapse_date == date(2025, 10, 5)


@pytest.mark.parametrize("text", ["종신이 있다던데 약관에 뭐라고 나와요", "종신은 납입기간 뭐뭐 있어요", "종신 특약요"])
def test_the_only_product_of_a_kind_is_meant(reader: Reader, text: str) -> None:
    assert reader.read(text, Facts(), TODAY).resolved_products == (LIFE,)


def test_simple_beside_a_kind_is_its_simplified_product(reader: Reader) -> None:
    assert reader.read("종신은 비싸니까 정기로 간편 들어가는 거요", Facts(), TODAY).resolved_products == ("B00392004",)


def test_the_order_of_a_row_is_the_order_it_was_named_in(reader: Reader) -> None:
    facts = Facts(product_codes=("B1", "B2"), shown_products=("B2", "B1"))
    assert reader.read("두 번째 거 특약 목록", facts, TODAY).resolved_products == ("B2",)
    compared = Facts(mentioned_products=("B1", "B2"), shown_products=("B2", "B1"))
    assert reader.read("두 번째 거 특약 목록", compared, TODAY).resolved_products == ("B2",)


def test_the_second_cheapest(reader: Reader) -> None:
    facts = Facts(age=55, gender="F", shown_products=("B00172014", "B00197011", "B00307007"))
    first = reader.read("제일 싼 거 특약 목록", facts, TODAY).resolved_products
    second = reader.read("두 번째로 싼 거는요", facts, TODAY).resolved_products
    assert len(first) == len(second) == 1
    assert first != second
