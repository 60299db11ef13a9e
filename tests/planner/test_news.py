"""Bad news that a customer tells is met with one sentence; what is supposed, long past or another's is not."""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.messages import AIMessage

from app.errors import DataFaults
from app.planner.news import NewsReader

FILE = Path("data/language/news.yaml")


@pytest.fixture(scope="module")
def news() -> NewsReader:
    return NewsReader(FILE)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("시아버지가 그저께 세상을 떠나셨어요", "사망"),
        ("아내가 뇌출혈로 갑자기 갔습니다", "사망"),
        ("저희 딸이 백혈병이래요", "진단"),
        ("방금 병원에서 대장암 진단을 받았어요", "진단"),
        ("남편이 폐암 진단을 받았어요 뉴스타트암보험 있는데 얼마 나와요", "진단"),
        ("엄마가 빙판에 넘어져서 다쳤어요", "사고"),
        ("아들이 교통사고가 나서 입원했어요", "사고"),
    ],
)
def test_news_that_is_told_is_heard(news: NewsReader, text: str, kind: str) -> None:
    found = news.told(text)
    assert found is not None and found.kind == kind


@pytest.mark.parametrize(
    "text",
    [
        "제가 죽으면 보험금은 누가 받아요",
        "암 진단받으면 얼마 나와요",
        "교통사고였으면 달랐을까요",
        "피보험자가 사망했을 때 서류",
        "아버지가 10년 전에 암으로 돌아가셨는데 제가 암보험 들 수 있나요",
        "5년 전에 위암 진단받았는데 가입돼요?",
        "고객님이 위암이래요 뭐라고 안내하죠",
        "친구가 위암이래요",
        "뉴스타트암보험 보험료 얼마예요",
    ],
)
def test_what_is_supposed_long_past_or_of_others_is_no_news(news: NewsReader, text: str) -> None:
    assert news.told(text) is None


def test_it_is_met_once_a_talk(news: NewsReader) -> None:
    first = news.first_told("어머니가 어제 돌아가셨어요", [])
    assert first is not None
    assert news.first_told("아버지도 오늘 돌아가셨어요", [AIMessage(f"{first.sentence}\n답")]) is None


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "news.yaml"
    path.write_text("news: []", encoding="utf-8")
    with pytest.raises(DataFaults, match=r"news\.yaml"):
        NewsReader(path)
