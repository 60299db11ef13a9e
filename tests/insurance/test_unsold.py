"""Kinds of insurance that are not sold: asked for as something to buy, not when they are held or compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import DataFaults
from app.insurance.unsold import UnsoldKinds


@pytest.fixture(scope="module")
def kinds() -> UnsoldKinds:
    return UnsoldKinds(Path("data/language"))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("차보험도 하나요", "자동차보험"),
        ("실비 하나 들고 싶은데", "실손의료보험"),
        ("여행자보험 파나요", "여행자보험"),
        ("저축보험은요", "저축보험"),
        ("고양이 보험 얼마예요", "반려동물보험"),
        ("태아보험 알아보는 중이에요", "태아보험"),
        ("차보험 갱신할 때 됐는데 이 회사도 견적 나오나 알아보려고요", "자동차보험"),
        ("운전자보험은 그럼 안 하는 거네요", "운전자보험"),
        ("냥이 치료비 주는 보험은 없을까요", "반려동물보험"),
        ("해외여행보험은요? 다음 주 출국이라", "여행자보험"),
    ],
)
def test_what_is_asked_for_is_said_not_to_be_sold(kinds: UnsoldKinds, text: str, name: str) -> None:
    found = kinds.asked_for(text)
    assert found is not None and found.name == name
    assert "판매하지 않습니다" in found.answer and "암보험" in found.answer


@pytest.mark.parametrize(
    "text",
    [
        "실손이랑 암보험이 뭐가 달라요",
        "자동차보험으로 처리했는데 입원비 나와요?",
        "실비 들어놨는데 건강보험 또 들어야 되나요",
        "실손 청구는 어떻게 해요",
        "뉴스타트암보험 얼마예요",
        "연금전환 특약이 있나요",
        "강아지한테 물려서 수술했는데 보험금 되나요",
        "택시 운전자인데 가입할 수 있나요",
        "회사에서 들어준 실비 있는데 또 필요한가요",
    ],
)
def test_what_is_held_or_compared_is_not(kinds: UnsoldKinds, text: str) -> None:
    assert kinds.asked_for(text) is None


def test_search_words_are_read_by_the_same_list(kinds: UnsoldKinds) -> None:
    assert kinds.named("화재보험 추천") == "화재보험"
    assert kinds.is_one("실비") and kinds.is_one("연금") and not kinds.is_one("연금전환")
    assert kinds.named("임플란트") is None


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataFaults, match=r"unsold\.yaml"):
        UnsoldKinds(tmp_path)
