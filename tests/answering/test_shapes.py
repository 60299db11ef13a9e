"""Results of tools nobody knows, told by their shape."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.answering.faults import fault_of
from app.answering.names import title_of, words_of
from app.answering.shapes import FAILED, Telling, spoken
from app.answering.words import FieldWords
from app.safety.grounding import ungrounded

WORDS = FieldWords.load(Path(__file__).resolve().parents[2] / "data" / "language" / "field_words.yaml")

COURSES = [
    {"name": "한라 CC", "region": "제주", "greenFee": 180000, "open": True},
    {"name": "남서울 CC", "region": "경기", "greenFee": 230000, "open": False},
]
TABLE = """\
| 이름 | 지역 | 그린 요금 | 열림 |
| --- | --- | --- | --- |
| 한라 CC | 제주 | 180,000원 | 예 |
| 남서울 CC | 경기 | 230,000원 | 아니요 |"""


def told(value: Any, **telling: Any) -> str:
    return spoken(value, WORDS, Telling(**telling)).text


def grounded(value: Any, **telling: Any) -> bool:
    made = spoken(value, WORDS, Telling(**telling))
    return not ungrounded(made.text, [json.dumps(value, ensure_ascii=False), *made.grounds])


@pytest.mark.requirement("answers:unknown-tools:by-shape")
@pytest.mark.parametrize(
    "wrapped",
    [
        COURSES,
        {"source": "golf", "data": COURSES},
        {"source": "golf", "data": {"status": "ok", "count": 2, "results": COURSES}, "truncated": False, "note": ""},
        {"success": True, "code": "0000", "data": json.dumps(COURSES, ensure_ascii=False)},
        {"text": str({"items": COURSES})},
    ],
)
def test_the_wrapping_is_taken_off(wrapped: Any) -> None:
    assert told(wrapped) == TABLE
    assert grounded(wrapped)


SPOKEN: list[tuple[Any, str]] = [
    ({"contract_date": "2024-01-31"}, "계약일은 2024년 1월 31일입니다."),
    ({"data": {"remaining": 3}}, "남은 수는 3입니다."),
    ({"number_of_holes": 18}, "홀 수는 18입니다."),
    ({"is_active": True}, "사용 중: 예"),
    ("그대로\n전합니다.", "그대로\n전합니다."),
    ({"source": "notes", "data": "메모를 남겼습니다."}, "메모를 남겼습니다."),
    ({"status": "ok", "message": "예약되었습니다."}, "예약되었습니다."),
    (["서울", "부산"], "• 서울\n• 부산"),
    ([], "찾은 내용이 없습니다."),
    ({"source": "x", "data": {"items": []}}, "찾은 내용이 없습니다."),
    ({"error": {"code": 12, "message": "그런 예약이 없습니다."}}, f"{FAILED} 그런 예약이 없습니다."),
    ({"success": False, "message": "잔액이 모자랍니다."}, f"{FAILED} 잔액이 모자랍니다."),
    (
        {"id": 1234567, "name": "라운드", "price": 20000, "currency": "KRW", "memo": None, "tags": ["아침", "주말"]},
        "• 번호: 1234567\n• 이름: 라운드\n• 가격: 20,000원\n• 태그: 아침, 주말",
    ),
    (
        {
            "order_id": "A-1",
            "total_price": {"amount": 120.5, "currency": "USD"},
            "address": {"city": "서울", "zip": "04524"},
        },
        "• 주문 번호: A-1\n• 총가격: 120.5 USD\n• 주소 도시: 서울\n• 주소 우편번호: 04524",
    ),
    (
        {"title": "예약", "start_time": "2026-08-01T09:30:00+09:00", "created_at": "2026-07-01T00:00:00Z"},
        "• 제목: 예약\n• 시작 시각: 2026년 8월 1일 9시 30분\n• 만든 때: 2026년 7월 1일 0시(UTC)",
    ),
    ({"기온": 21.5, "2026-08-01": 30}, "• 기온: 21.5\n• 2026년 8월 1일: 30"),
    ({"xq_zz": "모르는 이름", "qqq": 7}, "• 모르는 이름\n• 7"),
]  # fmt: skip


@pytest.mark.requirement("answers:unknown-tools:by-shape")
@pytest.mark.parametrize(("value", "text"), SPOKEN)
def test_each_shape_is_told_in_its_way(value: Any, text: str) -> None:
    assert told(value) == text
    assert grounded(value)


def test_a_lone_value_is_a_sentence_about_what_was_asked() -> None:
    assert told({"source": "golf", "data": 42}, title="남은 자리 조회") == "남은 자리 조회 결과는 42입니다."
    assert told({"status": "success"}, title="예약 취소", writes=True) == "예약 취소 요청을 처리했습니다."
    assert told(None, title="3일 예보", writes=True) == "요청하신 일을 처리했습니다."  # a figure of no result


def test_long_lists_are_cut_and_counted() -> None:
    rows = [
        {"name": f"코스{letter}", "fee": 1000 + place} for place, letter in enumerate("가나다라마바사아자차카타파하")
    ]
    text = told({"data": rows})
    assert text.count("\n| 코스") == 10 and text.endswith("\n\n14개 가운데 앞의 10개만 보여 드립니다.")
    assert grounded({"data": rows})
    assert told([f"곳{n}" for n in range(30)]).endswith("30개 가운데 앞의 20개만 보여 드립니다.")


SCHEMA = {
    "type": "object",
    "properties": {
        "data": {
            "properties": {
                "agreement": {"anyOf": [{"$ref": "#/$defs/Agreement"}, {"type": "null"}]},
                "tee": {"type": "string", "title": "Tee-off slot", "description": "Tee-off slot, local"},
                "weight": {"type": "number", "description": "무게 (kg)"},
                "sum": {"type": "integer", "description": "한도 금액, 만원"},
                "limit3": {"type": "integer", "description": "최대 3,000만원까지 되는 금액"},
            }
        }
    },
    "$defs": {
        "Agreement": {"properties": {"dt": {"type": "string", "title": "Dt", "description": "맺은 날. ISO 8601"}}}
    },
}


@pytest.mark.requirement("answers:unknown-tools:by-shape")
def test_labels_and_units_come_from_the_schema_the_card_and_the_dictionary() -> None:
    value = {
        "data": {"agreement": {"dt": "2024-01-31"}, "tee": "오전", "weight": 3.5, "sum": 3000, "limit3": 7, "zz": "끝"}
    }
    assert told(value, schema=SCHEMA, labels={"zz": "카드의 말", "tee": "티오프"}).splitlines() == [
        "• 맺은 날: 2024년 1월 31일",
        "• 티오프: 오전",
        "• 무게: 3.5kg",
        "• 한도 금액: 3,000만원",
        "• 7",  # its label would tell a figure that no result holds
        "• 카드의 말: 끝",
    ]
    assert told({"data": {"tee": "오전"}}, schema=SCHEMA) == "Tee-off slot: 오전"


NAMES = ["createBooking", "create_booking", "create-booking", "create.booking", "CreateBooking"]


@pytest.mark.parametrize("name", NAMES)
def test_names_are_words(name: str) -> None:
    assert words_of(name) == "Create booking" == title_of(None, name) == title_of(name, "x")


def test_titles_are_what_a_tool_came_with() -> None:
    assert title_of("예약 만들기", "createBooking") == "예약 만들기"
    assert title_of("Creates a booking. Takes a while.", "x") == "Creates a booking"
    assert title_of("", "get_URL") == "Get URL" and title_of("가" * 99, "x") == "가" * 60 + "…"


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ({"message": "no such pet"}, "no such pet"),
        ('{"error": {"code": 3, "message": "없는 번호입니다."}}', "없는 번호입니다."),
        ({"errors": [{"detail": "날짜가 틀렸습니다."}]}, "날짜가 틀렸습니다."),
        ({"detail": [{"loc": ["body"], "msg": "field required"}]}, "field required"),
        ("<html>502</html>", ""),
        ({"code": 5}, ""),
    ],
)
def test_a_fault_is_one_sentence(body: Any, sentence: str) -> None:
    assert fault_of(body) == sentence


KEYS = st.sampled_from(
    ["name", "id", "price", "green_fee", "createdAt", "status", "data", "items", "x_1", "rate", "총액", "2026-08-01"]
)  # fmt: skip
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
    | st.sampled_from(["2024-01-31", "2026-08-01T14:05:00+09:00", "한라 CC", "3,000만원까지", "010-1234-5678", "a|b"])
    | st.text("가나 ab12.,-", max_size=12)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=14
)


@pytest.mark.requirement("answers:unknown-tools:by-shape")
@settings(max_examples=150, deadline=None)
@given(VALUES)
def test_whatever_comes_no_field_name_and_no_printed_dict_is_said(value: Any) -> None:
    wrapped = {"source": "src", "data": value}
    text = told(wrapped)
    assert text.strip()
    assert not any(mark in text for mark in ("green_fee", "createdAt", "x_1", "{'", "': ", "None", "src"))


FIGURES = (
    st.none()
    | st.booleans()
    | st.integers(-(10**9), 10**9)
    | st.floats(-1e6, 1e6).map(lambda value: round(value, 3))
    | st.dates().filter(lambda day: 1900 < day.year < 2100).map(str)
    | st.datetimes().filter(lambda day: 1900 < day.year < 2100).map(lambda day: day.isoformat(timespec="minutes"))
)
FIELDS = st.dictionaries(
    st.sampled_from(["price", "green_fee", "createdAt", "holes", "age", "count", "xq_zz", "총액", "2026-08-01", "30"]),
    FIGURES | st.dictionaries(st.sampled_from(["fee", "start_date", "zz"]), FIGURES, max_size=3),
    max_size=6,
)
RECORDS = st.lists(FIELDS, max_size=13).map(
    lambda rows: [
        {"name": f"{letter}골프장", **row} for letter, row in zip("가나다라마바사아자차카타파", rows, strict=False)
    ]
)


@pytest.mark.requirement("answers:unknown-tools:by-shape")
@settings(max_examples=150, deadline=None)
@given(RECORDS | FIELDS | st.fixed_dictionaries({"total": st.integers(0, 99), "courses": RECORDS}))
def test_every_figure_that_is_said_stands_in_the_result(value: Any) -> None:
    assert grounded({"source": "src", "data": value})


METHODS = {"properties": {"method": {"enum": ["post", "fax"], "description": "받는 방법: post 우편 발송, fax 팩스"}}}


@pytest.mark.requirement("answers:unknown-tools:by-shape")
def test_a_value_of_a_list_is_told_by_what_people_call_it() -> None:
    assert told({"method": "post"}, schema=METHODS) == "받는 방법은 우편 발송입니다."
    argument = {"method": {"post": "등기 우편", "fax": "팩스"}}
    assert told({"method": "post"}, values=argument) == "방법은 등기 우편입니다."
    assert told({"sent_by": "post", "n": 3}, values=argument).splitlines()[0] == "• 등기 우편"
    assert told({"status": "in_transit"}) == "상태는 배송 중입니다."
    assert told({"status": "XQ"}) == "상태는 XQ입니다."
    assert told({"code": "G-77", "name": "post office"}).splitlines()[-1] == "• 이름: post office"


@pytest.mark.requirement("answers:unknown-tools:by-shape")
def test_a_number_is_told_with_the_unit_of_its_name_or_label() -> None:
    said = told({"total": 70000, "workers": 3, "nights": 2, "distance_km": 1.5, "count": 3})
    assert said.splitlines() == ["• 합계: 70,000원", "• 인원: 3명", "• 숙박: 2박", "• 거리: 1.5km", "• 수: 3"]
    assert grounded({"total": 70000, "workers": 3})


@pytest.mark.requirement("answers:unknown-tools:by-shape")
def test_keys_of_a_map_are_told_in_korean_where_their_words_are_known() -> None:
    schema = {"properties": {"prices": {"type": "object", "additionalProperties": {"type": "integer"}}}}
    assert "가격 기본: 180,000" in told({"prices": {"base": 180000, "qx": 3}, "n": 1}, schema=schema)
