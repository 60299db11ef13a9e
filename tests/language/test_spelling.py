"""Words typed as they sound are put right; rightly spelt ones never change."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from app.errors import DataFaults
from app.language.spelling import Spelling

DATA = Path("data")
# Slips of the pen in what people wrote for the utterances and dialogues, one in 300 messages, and the speech of
# regions, one in 50.
_MOST_MENDED = 1 / 40


@pytest.fixture(scope="module")
def spelling() -> Spelling:
    return Spelling(DATA / "language" / "spelling.yaml")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("어제 전하로 암보헙 들엇는대 치소하고십어요", "어제 전화로 암보험 들었는데 취소하고싶어요"),
        ("어디로 전하하면되요", "어디로 전화하면되요"),
        ("보험뇨는 얼마나되", "보험료는 얼마나되"),
        ("보험로가 부담되서 쉬고십은데", "보험료가 부담되서 쉬고싶은데"),
        ("전하번호 알려주새요", "전화번호 알려주세요"),
        ("게약을 헤지하려고요", "계약을 해지하려고요"),
        ("치메보험 겡신되나요", "치매보험 갱신되나요"),
        ("작년에 수술햇고 지금은 됬어요", "작년에 수술했고 지금은 됐어요"),
        ("둘 다 합치모 을만데", "둘 다 합치면 얼만데"),
        ("영감은 일흔이고 내는 66이다", "영감은 일흔이고 나는 66이다"),
        ("지는 예순둘인디요", "저는 예순둘인데요"),
        ("근디 나가 혈압약 먹는디 들 수 있당가", "근데 나가 혈압약 먹는데 들 수 있나요"),
        ("글먼 2년 안에 틀니 하믄 얼매여", "그러면 2년 안에 틀니 하면 얼마예요"),
        ("그라믄 암 걸리뿌면 얼마 나옵니꺼", "그러면 암 걸리면 얼마 나옵니까"),
        ("서류는 뭐 떼야 되는교", "서류는 뭐 떼야 되나요"),
        ("와 안 된다 캅니더", "왜 안 된다 합니다"),
        ("우리 아재가 손을 다쳤심더", "우리 아재가 손을 다쳤습니다"),
        ("암하고 치매허고 같이 들면 얼마여", "암하고 치매하고 같이 들면 얼마예요"),
    ],
)
def test_what_sounds_like_a_word_of_the_house_becomes_it(spelling: Spelling, typed: str, meant: str) -> None:
    assert spelling.mended(typed) == meant


@pytest.mark.parametrize(
    "right",
    [
        "변호사 상담도 되나요",
        "말씀 전하는 게 늦었네요",
        "무엇을 준비해요",
        "지금이랑 뭐가 달라요",
        "제 나이라 안 되나요",
        "라이나생명 맞죠",
        "할머니께 들어드리려고요",
        "이건 언니꺼예요",
        "면허는 있고 특허는 없어요",
        "어디서 해요",
        "함수의 인자 이름",
        "소개해 준 이유",
        "와 그래도 싸네요",
        "보험은 처음이에요",
        "연금이랑 달라요",
        "매달 내는 50만원이 부담이에요",
        "이모가 들려고요",
        "부모 보험이요",
        "김하나 고객 계약 보여줘",
        "표시할 문구: '전하로 상담햇어요'",
        "",
    ],
)
def test_a_right_word_stays(spelling: Spelling, right: str) -> None:
    assert spelling.mended(right) == right


def test_mending_twice_changes_nothing_more_and_hardly_any_message_is_changed(spelling: Spelling) -> None:
    lines = [line for path in (DATA / "utterances").glob("*.txt") for line in path.read_text("utf-8").splitlines()]
    for path in (DATA / "dialogues").glob("*.jsonl"):
        rows = map(json.loads, path.read_text("utf-8").splitlines())
        lines += [turn["user"] for row in rows for turn in row["turns"]]
    changed = [(line, mended) for line in lines if (mended := spelling.mended(line)) != line]
    assert len(changed) < len(lines) * _MOST_MENDED
    assert all(spelling.mended(mended) == mended for _, mended in changed)
    assert all(re.sub("[가-힣 ]", "", line) == re.sub("[가-힣 ]", "", mended) for line, mended in changed)


def test_a_broken_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "spelling.yaml"
    path.write_text("words: 3", encoding="utf-8")
    with pytest.raises(DataFaults, match=r"spelling\.yaml"):
        Spelling(path)
