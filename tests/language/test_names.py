"""Names of customers as staff say them, and words that only look like names."""

from __future__ import annotations

import pytest

from tests.words import PEOPLE


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("한서준 고객님이세요", "한서준"),
        ("방금 들어오신 고객님은 류지혜 고객님이신데요", "류지혜"),
        ("문선희 어르신 보험 뭐 있으신지", "문선희"),
        ("윤미래라고 합니다 제 보험 좀 봐 주세요", "윤미래"),
        ("자 오민석 계약 열어 봐", "오민석"),
        ("최은주 할머님 모셨어요", "최은주"),
        ("다음 콜 신동철", "신동철"),
        ("그중에 배소영", "배소영"),
        ("고객 계약 조회. 노경태", "노경태"),
        ("서정아 그 양반 거요", "서정아"),
        ("고객 나은서님 보험 뭐 있나요", "나은서"),
        ("고객명 나태주 조회", "나태주"),
        ("그 고객 보험 상태 좀 봐줘 피재원", "피재원"),
    ],
)
def test_a_name_is_read_with_and_without_a_title(text: str, name: str) -> None:
    assert [mention.name for mention in PEOPLE.names(text)] == [name]


@pytest.mark.parametrize(
    "text",
    [
        "이상한 건 없었나요",
        "유지중인 계약 조회",
        "신규 고객님이신데요",
        "연락처 계약 확인",
        "주소지 조회",
        "다음 설명 주세요",
        "정해진 계약 기간이 있나요",
        "고객님이 물어보시는데 이건 되나요",
        "고객 나이도 조회해 주세요",
        "나머지 고객님 계약도요",
        "고객 계약 확인 부탁요",
    ],
)
def test_what_only_looks_like_a_name_is_none(text: str) -> None:
    assert PEOPLE.names(text) == []
