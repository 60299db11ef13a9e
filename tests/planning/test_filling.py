"""What a message tells of the arguments of a tool that nobody knew: in any order, mistyped, turned away, corrected."""

from __future__ import annotations

from typing import Any

import pytest

from app.planning.filling import SlotFiller
from tests.planning.made import Form, slots

SHOW = Form(
    slots(
        {
            "seat": {"type": "string", "enum": ["vip", "basic"], "description": "좌석: vip 특별석, basic 일반석"},
            "play_day": {"type": "string", "format": "date", "description": "관람일"},
            "start": {"type": "string", "pattern": r"^\d{2}:\d{2}$", "description": "시작 시각"},
            "people": {"type": "integer", "description": "인원", "minimum": 1, "maximum": 20},
            "booker": {"type": "string", "description": "예약자 이름"},
            "parking": {"type": "boolean", "description": "주차 여부"},
            "snacks": {
                "type": "array",
                "items": {"enum": ["popcorn", "cola", "blanket"]},
                "description": "popcorn 팝콘, cola 콜라, blanket 담요",
            },
        },
        ["seat", "play_day"],
    ),
    ("공연 예약", "공연 자리를 예약한다"),
    ("공연 자리 예약해 주세요", "이번 주말 공연 예약되나요"),
)
SHUTTLE = Form(
    slots(
        {
            "origin": {"type": "string", "description": "출발지"},
            "destination": {"type": "string", "description": "목적지"},
        },
        ["origin", "destination"],
    ),
    ("셔틀 예약", "셔틀버스 자리를 예약한다"),
    ("셔틀 자리 예약해 주세요",),
)
STORE = Form(
    slots(
        {
            "boxes": {"type": "integer", "description": "상자 수(개)", "minimum": 1, "maximum": 50},
            "weight": {"type": "number", "description": "짐 무게(kg)"},
            "budget": {"type": "integer", "description": "예산(원)"},
            "minutes": {"type": "integer", "description": "대여 길이, 분"},
        },
        ["boxes"],
    ),
    ("짐 보관", "짐을 보관한다"),
    ("짐 맡기고 싶어요",),
)
CAMP = Form(
    slots(
        {
            "gear": {"type": "array", "items": {"enum": ["tent", "lantern", "grilling_pan"]}, "description": "장비"},
            "least_people": {"type": "integer", "description": "최소 인원(명)"},
            "max_people": {"type": "integer", "description": "최대 인원(명)"},
            "min_price": {"type": "integer", "description": "최소 금액(원)"},
            "max_price": {"type": "integer", "description": "최대 금액(원)"},
            "start_date": {"type": "string", "format": "date", "description": "빌리는 날"},
            "end_date": {"type": "string", "format": "date", "description": "돌려주는 날"},
        },
        ["gear", "start_date"],
    ),
    ("캠핑 장비 대여", "캠핑 장비를 빌린다"),
    ("캠핑 장비 빌려 주세요",),
)
ROOM = Form(
    slots(
        {
            "start_time": {"type": "string", "pattern": r"^\d{2}:\d{2}$", "description": "시작 (09:00~22:00)"},
            "end_time": {"type": "string", "pattern": r"^\d{2}:\d{2}$", "description": "끝나는 시각"},
            "weekdays": {"type": "array", "items": {"enum": ["mon", "wed", "fri"]}, "description": "요일"},
            "size": {"enum": ["소형", "대형"], "description": "크기"},
            "level": {"enum": ["a", "b"], "description": "a 10평대, b 20평대 이상"},
            "people": {"type": "integer", "description": "인원"},
        },
        ["start_time"],
    ),
    ("연습실 예약", "연습실을 예약한다"),
)
PRESENT = Form(
    slots(
        {
            "things": {"type": "array", "items": {"type": "string"}, "description": "보낼 물건"},
            "receiver": {"type": "string", "description": "받는 사람 이름"},
            "card": {"type": "string", "description": "카드에 적을 문구"},
            "count": {"type": "integer", "description": "수량"},
        },
        ["things", "receiver", "card"],
    ),
    ("물건 보내기", "고른 물건을 보낸다"),
)
REPAIR = Form(
    slots({"receipt": {"type": "string", "pattern": r"^[A-Z]{2}-\d{4}$", "description": "접수 번호"}}, ["receipt"]),
    ("수리 조회", "수리가 어디까지 됐는지 조회한다"),
)
LOAN = Form(
    slots({"title": {"description": "책 제목"}, "due": {"type": "string", "format": "date"}}, ["title"]),
    ("책 대출 연장", "빌린 책의 반납일을 미룬다"),
    ("책 반납 미뤄 주세요", "책 대출 연장하고 싶어요"),
)  # fmt: skip
KENNEL = Form(
    slots(
        {
            "kind": {"enum": ["개", "고양이"], "description": "동물. 개는 코기·푸들"},
            "size": {"enum": ["작은 개", "중간 개"], "description": "크기"},
            "months": {"type": "integer", "description": "태어난 지(개월)", "minimum": 0, "maximum": 240},
        },
        ["kind", "months"],
    ),
    ("동물 맡기기", "동물을 맡긴다"),
    ("동물 맡기고 싶어요",),
)
BEFORE = {"seat": "vip", "play_day": "2026-12-03", "people": 2, "snacks": ["popcorn"]}

CLUB = Form(
    slots(
        {
            "order_id": {"type": "string", "description": "주문번호"},
            "coupon_code": {"type": "string", "description": "쿠폰 코드"},
            "bill_month": {"type": "string", "description": "청구월 YYYY-MM"},
            "from": {"type": "string", "format": "date"},
            "to": {"type": "string", "format": "date"},
            "grade": {"type": "integer", "description": "학년"},
            "class_no": {"type": "integer", "description": "반"},
            "kg": {"type": "number", "description": "몸무게"},
            "people": {"type": "array", "items": {"type": "string"}, "description": "참석자 이름"},
        },
    ),
    ("동호회 관리", "동호회 일을 본다"),
    ("동호회 일 봐 주세요",),
)
LENGTH = Form(
    slots({"start": {"type": "string", "format": "date"}, "days": {"type": "integer"}}, ["start", "days"]),
    ("회원권 정지", "회원권을 멈춘다"),
    ("회원권 멈춰 주세요",),
)
TOLD: list[tuple[Form, str, dict[str, Any]]] = [
    # the one number that is needed, though it counts nothing; a word in other letters
    (KENNEL, "고양이 29 맡길게요", {"kind": "고양이", "months": 29}),
    (KENNEL, "고양이 29마리", {"kind": "고양이"}),
    (KENNEL, "카드로 낼 수 있어요?", {}),
    (CLUB, "주문번호는 B9114예요", {"order_id": "B9114"}),
    (CLUB, "쿠폰 HUNGRY5 이거 주문 C-204에 써 주세요", {"coupon_code": "HUNGRY5", "order_id": "C-204"}),
    (CLUB, "주문 683920114455 어디 있나요", {"order_id": "683920114455"}),
    (CLUB, "지난달 거 보여 주세요", {"bill_month": "2026-10"}),
    (CLUB, "12월 거 보여 주세요", {"bill_month": "2025-12"}),
    (CLUB, "11월 1일부터 10일까지 보여 줘", {"from": "2026-11-01", "to": "2026-11-10"}),
    (CLUB, "3학년 2반이요", {"grade": 3, "class_no": 2}),
    (CLUB, "몸무게 63.4 적어 줘", {"kg": 63.4}),
    (CLUB, "김수현이랑 박지훈이요", {"people": ["김수현", "박지훈"]}),
    (LENGTH, "12월 1일부터 30일간 정지해 주세요", {"start": "2026-12-01", "days": 30}),
    (LENGTH, "어제부터 4일짜리로 해 주세요", {"start": "2026-11-25", "days": 4}),
    (SHOW, "공연 예약해 주세요", {}),
    (SHOW, "12월 3일 특별석 두 명이요", {"play_day": "2026-12-03", "seat": "vip", "people": 2}),
    (SHOW, "두명 일반석 12/24", {"play_day": "2026-12-24", "seat": "basic", "people": 2}),
    (
        SHOW,
        "다음 주 월요일 오후 세 시 반 일반석으로 네 명, 김하늘 이름으로",
        {"play_day": "2026-11-30", "start": "15:30", "seat": "basic", "people": 4, "booker": "김하늘"},
    ),
    # spacing and typing
    (SHOW, "12월3일특별석", {"play_day": "2026-12-03", "seat": "vip"}),
    (SHOW, "일반 석 모레요", {"play_day": "2026-11-28", "seat": "basic"}),
    (SHOW, "특벌석 내일", {"play_day": "2026-11-27", "seat": "vip"}),
    (SHOW, "VIP로요", {"seat": "vip"}),
    # what is turned away
    (SHOW, "특별석 말고 일반석으로", {"seat": "basic"}),
    (SHOW, "특별석은 빼고 일반석", {"seat": "basic"}),
    (SHOW, "일반석이 아니고 특별석", {"seat": "vip"}),
    (SHOW, "내일 말고 모레", {"play_day": "2026-11-28"}),
    (SHOW, "세 명 말고 네 명", {"people": 4}),
    (SHOW, "3명이 아니라 4명", {"people": 4}),
    (SHOW, "1명에서 2명으로 바꿔줘", {"people": 2}),
    (SHOW, "오후 5시 말고 6시", {"start": "18:00"}),
    # several of a list
    (SHOW, "팝콘이랑 콜라 추가해 주세요", {"snacks": ["popcorn", "cola"]}),
    (SHOW, "콜라, 담요, 팝콘 다요", {"snacks": ["cola", "blanket", "popcorn"]}),
    (SHOW, "팝콘은 빼고 콜라만", {"snacks": ["cola"]}),
    # flags
    (SHOW, "주차도 할게요", {"parking": True}),
    (SHOW, "주차는 안 해요", {"parking": False}),
    (SHOW, "주차 필요 없어요", {"parking": False}),
    (SHOW, "주차 없이요", {"parking": False}),
    (SHOW, "주차는 빼 주세요", {"parking": False}),
    # numbers
    (SHOW, "혼자 갑니다", {"people": 1}),
    (SHOW, "둘이서 가요", {"people": 2}),
    (SHOW, "세분이요", {"people": 3}),
    (SHOW, "열두 명", {"people": 12}),
    (SHOW, "스무 명이요", {"people": 20}),
    (SHOW, "4인", {"people": 4}),
    (SHOW, "인원은 5", {"people": 5}),
    (SHOW, "서른 명", {}),  # too many
    (SHOW, "3일 동안", {}),
    (SHOW, "세 시간 동안", {}),
    (STORE, "다섯개요", {"boxes": 5}),
    (STORE, "스물다섯 개 맡길게요", {"boxes": 25}),
    (STORE, "십오 개", {"boxes": 15}),
    (STORE, "12킬로 짐 두 개", {"boxes": 2, "weight": 12}),
    (STORE, "이십 키로", {"weight": 20}),
    (STORE, "사십 분", {"minutes": 40}),
    (STORE, "예산은 오만 원", {"budget": 50000}),
    (STORE, "3만 5천원 안에서", {"budget": 35000}),
    # persons
    (SHOW, "예약자는 이서윤이에요", {"booker": "이서윤"}),
    (SHOW, "남궁민수입니다", {"booker": "남궁민수"}),
    (SHOW, "강아지 전화 이번", {}),
    # two places of a way
    (SHUTTLE, "서울에서 부산까지요", {"origin": "서울", "destination": "부산"}),
    (SHUTTLE, "부산까지 서울에서", {"origin": "서울", "destination": "부산"}),
    (SHUTTLE, "수원역 출발 대전 도착", {"origin": "수원역", "destination": "대전"}),
    (SHUTTLE, "출발지는 춘천이고 목적지는 강릉이요", {"origin": "춘천", "destination": "강릉"}),
    (SHUTTLE, "성남시 분당구에서 서울 강남구로", {"origin": "성남시 분당구", "destination": "서울 강남구"}),
    (SHUTTLE, "서울 말고 인천에서 부산까지", {"origin": "인천", "destination": "부산"}),
    (SHUTTLE, "대전 가는 셔틀", {"destination": "대전"}),
    # codes and free words
    (REPAIR, "접수번호는 KR-0099입니다", {"receipt": "KR-0099"}),
    (REPAIR, "ab-1234요", {"receipt": "AB-1234"}),
    (REPAIR, "kr0099 어디까지 됐나요", {"receipt": "KR-0099"}),
    (REPAIR, "KR 0099", {"receipt": "KR-0099"}),
    # ranges, about so many, both ends
    (SHOW, "두어 명이요", {"people": 2}),
    (SHOW, "3~5명", {"people": 5}),
    (CAMP, "3~5명", {"least_people": 3, "max_people": 5}),
    (CAMP, "서너 명", {"least_people": 3, "max_people": 4}),
    (CAMP, "6명에서 10명", {"least_people": 6, "max_people": 10}),
    (CAMP, "8명 이하", {"max_people": 8}),
    (CAMP, "5명 이상", {"least_people": 5}),
    (CAMP, "5만원에서 10만원 사이", {"min_price": 50000, "max_price": 100000}),
    (CAMP, "3~5만원", {"min_price": 30000, "max_price": 50000}),
    (CAMP, "10만원 이하", {"max_price": 100000}),
    # what is told from … to …, and how long
    (CAMP, "12월 3일부터 5일까지", {"start_date": "2026-12-03", "end_date": "2026-12-05"}),
    (CAMP, "12/24-12/26", {"start_date": "2026-12-24", "end_date": "2026-12-26"}),
    (CAMP, "모레부터 2박", {"start_date": "2026-11-28", "end_date": "2026-11-30"}),
    (CAMP, "내일부터 사흘 동안", {"start_date": "2026-11-27", "end_date": "2026-11-29"}),
    (ROOM, "9시부터 두 시간", {"start_time": "09:00", "end_time": "11:00"}),
    (ROOM, "1시 반에서 3시", {"start_time": "13:30", "end_time": "15:00"}),
    (ROOM, "11시부터 2시까지", {"start_time": "11:00", "end_time": "14:00"}),
    (ROOM, "8시", {"start_time": "20:00"}),
    # words of other letters
    (CAMP, "랜턴이랑 텐트", {"gear": ["lantern", "tent"]}),
    (CAMP, "그릴링팬", {"gear": ["grilling_pan"]}),
    (ROOM, "small로", {"size": "소형"}),
    (ROOM, "월수금", {"weekdays": ["mon", "wed", "fri"]}),
    (ROOM, "20평대요", {"level": "b"}),
    # several free words
    (PRESENT, '사과, 배하고 귤을 한지민한테 "고마워요"라고 적어서', {
        "things": ["사과", "배", "귤"], "receiver": "한지민", "card": "고마워요",
    }),
    (PRESENT, "장미 세 송이요", {"things": ["장미"], "count": 3}),
    (PRESENT, "늦으면 전화 달라고 전해 주세요", {"card": "늦으면 전화 달라"}),
    (PRESENT, "기사님께 지하 3층이라고 말해 주세요", {"card": "지하 3층"}),
    # names that no dictionary knows
    (PRESENT, "최순이 12월에", {"receiver": "최순이"}),
    # two places side by side
    (SHUTTLE, "부산 대구", {"origin": "부산", "destination": "대구"}),
    (SHUTTLE, "성남에서 안양이요", {"origin": "성남", "destination": "안양"}),
    (SHUTTLE, "서울역 부산역", {"origin": "서울역", "destination": "부산역"}),
    (SHUTTLE, "서울 강남에서 경기 광주", {"origin": "서울 강남", "destination": "경기 광주"}),
    (REPAIR, "AB-12345", {}),
    (LOAN, "토지 12월 10일까지 연장이요", {"title": "토지", "due": "2026-12-10"}),
    (LOAN, "어린 왕자 반납 미뤄 주세요", {"title": "어린 왕자"}),
    (LOAN, "책 반납 미뤄 주세요", {}),
]  # fmt: skip


@pytest.mark.parametrize(("form", "text", "args"), TOLD)
def test_a_message_fills_what_it_tells_and_nothing_else(
    filler: SlotFiller, form: Form, text: str, args: dict[str, Any]
) -> None:
    filled = form.read(filler, text)
    assert filled.args == args
    assert filled.said == set(args)
    assert [slot.name for slot in filled.missing] == [s.name for s in form.slots if s.required and s.name not in args]


CORRECTED: list[tuple[str, dict[str, Any]]] = [
    ("아니 세 명이요", {"people": 3}),
    ("12월 4일로 바꿔 주세요", {"play_day": "2026-12-04"}),
    ("아니요 모레로", {"play_day": "2026-11-28"}),
    ("금요일 말고 토요일", {"play_day": "2026-11-28"}),
    ("일반석으로요", {"seat": "basic"}),
    ("콜라로 바꿔요", {"snacks": ["cola"]}),
    ("그럼 5명이면요", {"people": 5}),
    ("주차도요", {"parking": True}),
    ("고마워요", {}),
    ("한 명 더요", {"people": 3}),
    ("콜라도 추가해 주세요", {"snacks": ["popcorn", "cola"]}),
    ("팝콘은 빼 주세요", {"snacks": []}),
]


@pytest.mark.parametrize(("text", "change"), CORRECTED)
def test_a_correction_keeps_the_rest(filler: SlotFiller, text: str, change: dict[str, Any]) -> None:
    filled = SHOW.read(filler, text, before={**BEFORE, "unheard": 1})
    assert (filled.args, set(filled.said), filled.missing) == ({**BEFORE, **change}, set(change), ())


REPLIES: list[tuple[Form, str, str, Any]] = [
    (SHOW, "people", "셋", 3),
    (SHOW, "people", "3", 3),
    (SHOW, "people", "세 명이요", 3),
    (SHOW, "people", "보험료 얼마예요", None),
    (SHOW, "booker", "김하늘", "김하늘"),
    (SHOW, "booker", "하늘이요", "하늘"),
    (SHOW, "parking", "네", True),
    (SHOW, "parking", "네 부탁드려요", True),
    (SHOW, "parking", "할게요", True),
    (SHOW, "parking", "아니요", False),
    (SHOW, "parking", "괜찮아요", False),
    (SHOW, "parking", "필요 없어요", False),
    (SHOW, "seat", "특별", "vip"),
    (SHOW, "seat", "일반서", "basic"),
    (SHOW, "seat", "뭐가 있어요?", None),
    (SHOW, "play_day", "30일이요", "2026-11-30"),
    (SHOW, "start", "세 시 반이요", "15:30"),
    (SHOW, "snacks", "팝콘이랑 담요", ["popcorn", "blanket"]),
    (STORE, "boxes", "열다섯이요", 15),
    (STORE, "budget", "5만", 50000),
    (STORE, "budget", "50000", 50000),
    (STORE, "weight", "12", 12),
    (STORE, "boxes", "60", None),
    (SHUTTLE, "destination", "부산이요", "부산"),
    (REPAIR, "receipt", "ab-1234", "AB-1234"),
    (LOAN, "title", "어린 왕자요", "어린 왕자"),
    (LOAN, "title", "홍길동전이에요", "홍길동전"),
    (PRESENT, "card", "늘 건강하세요", "늘 건강하세요"),
    (PRESENT, "card", "생일 축하해요라고 적어 주세요", "생일 축하해요"),
    (REPAIR, "receipt", "kr0099요", "KR-0099"),
    (PRESENT, "card", "메리 크리스마스", "메리 크리스마스"),
    (PRESENT, "things", "한우 세트로 할게요", ["한우 세트"]),
    (SHOW, "seat", "두 번째요", "basic"),
    (SHOW, "snacks", "1번 3번", ["popcorn", "blanket"]),
    (SHOW, "snacks", "전부 다요", ["popcorn", "cola", "blanket"]),
    (SHOW, "parking", "쓸게요", True),
    (SHOW, "play_day", "1205", "2026-12-05"),
    (SHOW, "play_day", "12.5요", "2026-12-05"),
    (SHOW, "start", "1430", "14:30"),
    (SHOW, "booker", "김 민 수", "김민수"),
    (SHOW, "booker", "이준이라고 해요", "이준"),
    (SHOW, "people", "두 달", None),
    (STORE, "minutes", "한 시간 반이요", 90),
]


@pytest.mark.parametrize(("form", "asked", "text", "value"), REPLIES)
def test_a_few_words_answer_what_was_asked(filler: SlotFiller, form: Form, asked: str, text: str, value: Any) -> None:
    assert form.read(filler, text, asked=[asked]).args.get(asked) == value


def test_what_was_not_asked_is_answered_too(filler: SlotFiller) -> None:
    filled = SHOW.read(filler, "일반석 모레요", asked=["seat"], before={"people": 2})
    assert filled.args == {"seat": "basic", "play_day": "2026-11-28", "people": 2}


@pytest.mark.parametrize("text", ["", " ", "?!", "ㅋㅋ", "\u0000", "😀😀", "가" * 5000, "3" * 2000, "말고 " * 500])
def test_no_message_is_too_strange(filler: SlotFiller, text: str) -> None:
    assert set(SHOW.read(filler, text).args) <= {slot.name for slot in SHOW.slots}
