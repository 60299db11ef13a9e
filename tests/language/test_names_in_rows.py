"""Products named side by side by short names, a letter or a number: none may be dropped."""

from __future__ import annotations

import pytest

from app.language.entities import EntityReader
from tests.language.samples import DENTAL, DENTAL_V, FILL335, NEW_START, SILVER, SIMPLE, TODAY, catalogue


@pytest.fixture(scope="module")
def reader() -> EntityReader:
    return EntityReader(catalogue())


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("335 특약 중에 뭐가 좋아요", (FILL335,)),
        ("335보장 알려줘", (FILL335,)),
        ("335 중에 싼 거", (FILL335,)),
        ("335이랑 간편건강 차이", (FILL335, SIMPLE)),
        ("335원이에요", ()),
        ("335 명이 들었대요", ()),
        ("더건강 V 실버 세 가지 비교", (DENTAL, DENTAL_V, SILVER)),
        ("더건강한 V 둘 다 얼마", (DENTAL, DENTAL_V)),
        ("더건강 V 얼마", (DENTAL_V,)),
        ("V 더건강 실버", (DENTAL_V, DENTAL, SILVER)),
        ("더건강한치아랑 V 비교표", (DENTAL, DENTAL_V)),
        ("뉴스타트, V", (NEW_START, DENTAL_V)),
        ("V까지 셋이요", (DENTAL_V,)),
        ("그 특약 V에만 있나", (DENTAL_V,)),
        ("TV 보다가 알았어요", ()),
    ],
)
def test_every_product_of_a_row_is_found(reader: EntityReader, text: str, codes: tuple[str, ...]) -> None:
    assert reader.read(text, TODAY).product_codes == codes


def test_a_death_benefit_is_no_kind_of_insurance(reader: EntityReader) -> None:
    assert not reader.read("사망보험금을 1억으로 올리면", TODAY).categories
    # A whole life and a term insurance pay at death alike: the cover is meant, no kind.
    assert not reader.read("사망보험 있어요", TODAY).categories
