"""Where a message is cut, and with which request a story ends."""

from __future__ import annotations

import pytest

from app.planner.joints import closing_request, halves
from tests.words import PLANNER


@pytest.mark.parametrize(
    ("story", "request_"),
    [
        (
            "지난달에 아내가 둘째를 낳았는데 저는 외벌이라 밤에 잠이 안 옵니다. 간편고지정기보험 보험료 좀 뽑아 주세요",
            "간편고지정기보험 보험료 좀 뽑아 주세요",
        ),
        (
            "엄마가 계단에서 넘어지셔서 한 달을 누워 계셨고 병원비가 사백이나 나왔거든요 채우는335는 한 달에 얼마예요",
            "채우는335는 한 달에 얼마예요",
        ),
        (
            "월세도 밀리고 카드값도 밀려서 요즘 정말 죽을 맛이에요 더건강한치아 해약하면 얼마 받나요",
            "더건강한치아 해약하면 얼마 받나요",
        ),
    ],
)
def test_the_request_that_ends_a_story_stands_by_itself(story: str, request_: str) -> None:
    assert closing_request(PLANNER, story) == request_


@pytest.mark.parametrize(
    "text",  # no story, one that is pointed back to, one that asks for nothing, a single sentence
    [
        "간편고지정기보험 보험료 좀 뽑아 주세요",
        "계단에서 굴러서 발목 수술을 하고 두 주 입원했다가 어제 퇴원했어요. 이런 것도 보험금이 나오나요",
        "저는 쉰이고 고혈압약을 먹은 지 오 년 됐고 담배는 끊었습니다. 잘 부탁드립니다 꾸벅 인사드려요",
        "아버지가 뇌경색으로 쓰러지셔서 간편건강보험으로 보험금을 청구하려면 어떤 서류가 필요한지 알려 주세요",
    ],
)
def test_what_does_not_stand_alone_is_read_with_the_story(text: str) -> None:
    assert closing_request(PLANNER, text) is None


def test_a_message_is_cut_where_a_request_ends() -> None:
    assert halves(PLANNER, "면책기간 며칠 그리고 보험료 얼마예요", lambda words: False) == [
        ("면책기간 며칠 알려 주세요", "그리고 보험료 얼마예요")
    ]


@pytest.mark.parametrize(
    "text",
    ["그 두 상품이 뭐 보장하는지 보여 주세요", "철회는 며칠 안에 해야 되나요", "사고 나고 며칠 뒤 청구해도 되나요"],
)
def test_a_number_of_days_goes_on_as_one_request(text: str) -> None:
    assert halves(PLANNER, text, lambda words: False) == []
