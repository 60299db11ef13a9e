"""L2 on what no training file holds: the development questions and a few plain sentences."""

from __future__ import annotations

import pytest

from app.routing.examples import read_jsonl
from tests.routing.conftest import DATA, Shipped, embedder, shipped, tokenizer  # noqa: F401  (fixtures)

DEVELOPMENT = read_jsonl(DATA / "evaluation" / "routing" / "development.jsonl")


@pytest.mark.parametrize(
    "text",
    ["오늘 서울 날씨 어때?", "넷플릭스 해지하는 법 좀", "은행 대출 금리가 얼마나 되나요", "자동차 정비 어디가 잘해요"],
)
def test_outsiders_are_refused(shipped: Shipped, text: str) -> None:  # noqa: F811
    assert not shipped.routing.domain.judge(text).in_domain


@pytest.mark.parametrize(
    "text",
    [
        "안녕",
        "고마워요",
        "네",
        "ㅋㅋ",
        "?",
        "45세 남자인데 암보험 얼마예요",
        "지금 깨면 얼마 건져요",
        "어머니가 자꾸 깜빡하세요",
        "이거 해지할래요",
        "보험이 뭐예요",
    ],
)
def test_insurance_and_small_talk_are_let_in(shipped: Shipped, text: str) -> None:  # noqa: F811
    assert shipped.routing.domain.judge(text).in_domain


def test_at_most_one_percent_of_insurance_questions_is_refused(shipped: Shipped) -> None:  # noqa: F811
    inside = [str(row["query"]) for row in DEVELOPMENT if row.get("domain") != "out"]
    refused = [text for text in inside if not shipped.routing.domain.judge(text).in_domain]
    assert len(refused) <= 0.01 * len(inside), refused


def test_most_outsiders_are_caught(shipped: Shipped) -> None:  # noqa: F811
    outside = [str(row["query"]) for row in DEVELOPMENT if row.get("domain") == "out"]
    missed = [text for text in outside if shipped.routing.domain.judge(text).in_domain]
    assert len(missed) <= 0.3 * len(outside), missed


def test_clear_outsiders_are_a_part_of_the_refused(shipped: Shipped) -> None:  # noqa: F811
    for row in DEVELOPMENT:
        verdict = shipped.routing.domain.judge(str(row["query"]))
        assert not (verdict.clear_outsider and verdict.in_domain)
        assert verdict.in_domain == (verdict.margin > 0)
