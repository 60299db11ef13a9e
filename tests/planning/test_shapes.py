"""Arguments in shapes of their own: moments, great numbers, sums in 만원, nights, numbered choices, flags told by what
they lack, places where somebody is to come to."""

from __future__ import annotations

from typing import Any

import pytest

from app.planning.filling import SlotFiller
from tests.planning.made import Form, slots

BOAT = Form(
    slots(
        {
            "departs_at": {"type": "string", "format": "date-time", "description": "배를 탈 날짜와 시각"},
            "pier": {"type": "string", "description": "탈 곳: 선착장 이름이나 주소"},
            "no_meal": {"type": "boolean", "description": "식사 없이 타면 true"},
        },
        ["departs_at"],
    ),
    ("유람선 예약", "유람선 자리를 예약한다"),
)
TRACTOR = Form(
    slots(
        {
            "engine_km": {"type": "integer", "minimum": 0, "maximum": 900_000, "description": "달린 거리(km)"},
            "price_manwon": {"type": "integer", "description": "Asking price in units of 10,000 won"},
            "kind": {"enum": ["compact", "truck"], "description": "compact = small one, truck = cargo"},
            "town": {"enum": ["SEOUL", "BUSAN", "ETC"], "description": "Town of the buyer"},
        },
        ["town"],
    ),
    ("농기계 시세", "농기계의 값을 셈한다"),
)
INN = Form(
    slots(
        {
            "check_in": {"type": "string", "format": "date", "description": "묵기 시작하는 날"},
            "check_out": {"type": "string", "format": "date", "description": "떠나는 날"},
            "minutes": {"enum": [30, 60, 90], "description": "Length of the bath in minutes"},
            "quiet": {"type": "boolean", "description": "조용한 방이면 true, 시끄러운 방이면 false"},
        },
        ["check_in", "check_out"],
    ),
    ("여관 예약", "여관 방을 잡는다"),
)
LESSON = Form(
    slots(
        {
            "teacher": {"type": "string", "description": "원하는 사범의 이름"},
            "left_handed": {"type": "boolean", "description": "왼손잡이용 죽도면 true"},
            "days": {"enum": ["평일", "일요일"], "description": "다니는 날"},
            "gear": {"type": "array", "items": {"enum": ["죽도", "도복", "처방전"]}, "description": "빌릴 것"},
        },
        ["teacher"],
    ),
    ("검도 수업", "검도 수업을 잡는다"),
)

TOLD: list[tuple[Form, str, dict[str, Any]]] = [
    (BOAT, "12월 3일 오후 세 시 반에요", {"departs_at": "2026-12-03T15:30"}),
    (BOAT, "여수 돌산선착장으로요", {"pier": "여수 돌산선착장"}),
    (BOAT, "12월3일정오에요", {"departs_at": "2026-12-03T12:00"}),
    (BOAT, "모레 아침 9시 식사는 없이요", {"departs_at": "2026-11-28T09:00", "no_meal": True}),
    (TRACTOR, "구만 오천 탔고 서울이에요", {"town": "SEOUL"}),
    (TRACTOR, "9만 5천 km 탔고 부산이에요", {"engine_km": 95_000, "town": "BUSAN"}),
    (TRACTOR, "화물 천칠백만원, 목포에서 사요", {"kind": "truck", "price_manwon": 1700, "town": "ETC"}),
    (INN, "내일부터 삼박이요", {"check_in": "2026-11-27", "check_out": "2026-11-30"}),
    (INN, "다음 주 월요일부터 이틀밤이요", {"check_in": "2026-11-30", "check_out": "2026-12-02"}),
    (INN, "탕은 한 시간 반이요", {"minutes": 90}),
    (INN, "탕은 한 시간이요", {"minutes": 60}),
    (INN, "시끄러운 데도 돼요", {"quiet": False}),
    (LESSON, "박다솜 사범님 평일로요", {"teacher": "박다솜", "days": "평일"}),
    (LESSON, "최가람 사범님 말고 한여울 사범님이요", {"teacher": "한여울"}),
    (LESSON, "일요일밖에 안 돼요, 왼손이라서요", {"days": "일요일", "left_handed": True}),
    (LESSON, "도복은 있으니까 빼고 죽도만요", {"gear": ["죽도"]}),
]  # fmt: skip


@pytest.mark.parametrize(("form", "text", "args"), TOLD)
def test_a_message_fills_each_shape(filler: SlotFiller, form: Form, text: str, args: dict[str, Any]) -> None:
    assert form.read(filler, text).args == args


def test_a_moment_waits_for_its_other_half(filler: SlotFiller) -> None:
    day = BOAT.read(filler, "12월 8일에요")
    assert [slot.name for slot in day.missing] == ["departs_at"]
    whole = BOAT.read(filler, "아침 8시 반이요", asked=["departs_at"], before=day.args)
    assert (whole.args, whole.missing) == ({"departs_at": "2026-12-08T08:30"}, ())


def test_personal_data_of_a_turn_before_is_asked_for_anew(filler: SlotFiller) -> None:
    form = Form(
        slots({"phone": {"type": "string", "pattern": r"^010-\d{4}-\d{4}$", "description": "전화번호"}}, ["phone"]),
        ("출장 수리", "출장 수리를 부른다"),
    )
    assert [slot.name for slot in form.read(filler, "내일이요", before={"phone": "[전화번호]"}).missing] == ["phone"]
