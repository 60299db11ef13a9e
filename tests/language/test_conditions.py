"""Whose illness it is: what a message tells of the person to insure, and of nobody else."""

from __future__ import annotations

from datetime import date

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader

TODAY = date(2026, 3, 2)


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("치매 진단받은 70세 어머니 치매간병보험 가입돼요?", "치매"),
        ("어머니가 치매신데 가입돼요?", "치매"),
        ("제가 모시는 시아버지가 파킨슨병이세요. 실속치매보험 들 수 있나요", "파킨슨"),
        ("이가 열두 개밖에 안 남았는데 더건강한치아보험 가입 가능한가요", "열두 개"),
        ("저는 건강한데 아버지가 위암이세요. 아버지 암보험 가입될까요", "위암"),
        ("혼자 목욕을 못 하셔서 제가 씻겨 드려요. 아버지 치매간병보험 되나요", "목욕"),
        ("위암 수술했는데 뉴스타트암보험 가입되나요? 7년 지났어요", "7년 지났"),
        ("머리에 피가 터져서 수술하셨는데 실속치매보험 들 수 있나요", "뇌출혈"),
    ],
)
def test_what_is_told_of_the_insured(reader: EntityReader, message: str, told: str) -> None:
    assert told in " ".join(m.told for m in reader.read(message, TODAY).conditions)


@pytest.mark.parametrize(
    "message",
    [
        "어머니가 치매신데 제가 실속치매보험 들 수 있나요?",
        "아내가 당뇨인데 제가 뉴스타트암보험 들 수 있나요? 45세 남자예요",
        "남편이 암이라 저도 불안해서요. 첫날부터암보험 들 수 있나요?",
        "치매간병보험 가입할 수 있나요?",
        "당뇨는 없고 건강한 50세인데 뉴스타트암보험 들 수 있죠?",
        "나중에 치매 걸릴까 봐 미리 들려는데 50세도 실속치매보험 가입되나요",
        "암 진단비 나오는 보험 가입돼요?",
    ],
)
def test_nothing_is_told_of_the_insured(reader: EntityReader, message: str) -> None:
    assert reader.read(message, TODAY).conditions == ()


def test_the_illness_of_another_is_no_illness_of_the_speaker(reader: EntityReader) -> None:
    read = reader.read("아내가 당뇨인데 제가 뉴스타트암보험 들 수 있나요?", TODAY)
    assert read.motives and not read.medical


def test_both_illnesses_stand_where_both_join(reader: EntityReader) -> None:
    read = reader.read("아빠는 당뇨고 엄마는 치매신데 둘 다 들 수 있나요?", TODAY)
    assert len(read.conditions) == 2 and len(read.medical) == 2
