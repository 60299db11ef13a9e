"""L2 on what no training file holds: the development questions and a few plain sentences."""

from __future__ import annotations

import pytest

from app.json_lines import read_jsonl
from app.safety.domain import hangs_on_earlier
from tests.routing.conftest import DATA, Shipped, embedder, shipped  # noqa: F401  (fixtures)

DEVELOPMENT = read_jsonl(DATA / "evaluation" / "routing" / "development.jsonl")
# Written by two authors who saw nothing but the specification.
OTHERS = [
    row
    for row in read_jsonl(DATA / "evaluation" / "safety" / "domain.jsonl")
    if str(row.get("id", ""))[:2] in ("f-", "g-")
]


@pytest.mark.parametrize(
    "text",
    [
        "오늘 서울 날씨 어때?",
        "넷플릭스 해지하는 법 좀",
        "은행 대출 금리가 얼마나 되나요",
        "자동차 정비 어디가 잘해요",
        "부산 가는 기차표 예매 좀 해 주세요",
        "스케일링 받고 나서 커피 마셔도 되나",
        "비행기 연착 보상금 항공사에서 얼마 받아요",
        "썸남이 나를 보험으로 두는 것 같아요",
        "보험사기 다룬 드라마 제목이 뭐였죠",
        "보험주 배당 높은 종목 알려줘",
        "마음의 보험 같은 노래 좀 틀어줘",
        "백업이 개발자의 보험이라는데 외장하드 골라줘",
        "여권 잃어버렸는데 재발급 서류 뭐야",
        "차로 사람 치는 게임 추천",
        "홈택스 공동인증서 로그인이 안 돼요",
        "헬스장 중도해지하면 위약금 얼마예요",
        "건축 설계사무소 추천",
        "강아지 카페 가입하는 법",
        "쿠팡 고객센터 몇 시까지 해요",
    ],
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
        "더 낮춰 주세요",
        "역시 잘하시네",
        "국민연금 미리 받으면 손해인가요",
        "자동차보험 대물 한도는 얼마가 좋아요",
        "윗집 물이 새는데 일배책 되나요",
        "고양이 펫보험 나이 제한 있어요?",
        "보험사기 신고하면 포상금 있나요",
        "설계사는 한 건에 얼마 받아요",
        "건보 피부양자 소득 기준",
        "다른 회사 상담원이 불친절한데 어디다 항의해요",
        "결혼식 취소되면 보상해 주는 보험 있어요?",
        "GA로 옮기면 잔여수당은 못 받나요",
        "여행 가서 카메라를 소매치기당했는데 얼마까지 받을 수 있어요",
        "동네 사람이 일부러 낸 사고로 돈을 타 가는 것 같아요",
        "맛집 사장인데 손님이 미끄러지면 보험 처리 되나",
        "오토바이가 보행자를 치고 도망갔어요",
        "마트에서 카트로 남의 차를 긁었어요",
        "음주 사고는 자기부담금이 그렇게 세요?",
        "홈페이지 공동인증서 로그인이 안 돼요",
        "고아계약이라는 문자를 받았어요",
        "실업급여 조건 알려줘",
        "방문요양 본인부담 얼마",
        "전세금 반환보증 어디서 들어요",
        "농작물 재해 가입 기간",
        "스키 타다 사람을 다치게 했어요",
        "유학 가는데 의료 뭐 들어야 해요",
        "노견인데 가입되나요",
        "퇴직연금 DB DC 뭐가 나아요",
    ],
)
def test_insurance_and_small_talk_are_let_in(shipped: Shipped, text: str) -> None:  # noqa: F811
    assert shipped.routing.domain.judge(text).in_domain


def _refused(shipped: Shipped, kind: str) -> tuple[list[str], int]:  # noqa: F811
    texts = [str(row["text"]) for row in OTHERS if f"-{kind}-" in str(row["id"])]
    return [text for text in texts if not shipped.routing.domain.judge(text).in_domain], len(texts)


def test_at_most_one_percent_of_insurance_questions_is_refused(shipped: Shipped) -> None:  # noqa: F811
    refused, asked = _refused(shipped, "in")
    assert asked == 340 and len(refused) <= 0.01 * asked, refused


@pytest.mark.parametrize(("kind", "share"), [("out", 0.92), ("near", 0.8)])
def test_outsiders_of_other_authors_are_refused(shipped: Shipped, kind: str, share: float) -> None:  # noqa: F811
    refused, asked = _refused(shipped, kind)
    assert asked >= 110 and len(refused) >= share * asked, (len(refused), asked)


def test_few_of_the_hardest_insurance_questions_are_refused(shipped: Shipped) -> None:  # noqa: F811
    """Half of these lines were written to hold no word of insurance."""
    inside = [str(row["query"]) for row in DEVELOPMENT if row.get("domain") != "out"]
    refused = [text for text in inside if not shipped.routing.domain.judge(text).in_domain]
    assert len(refused) <= 0.025 * len(inside), refused


def test_most_outsiders_are_caught(shipped: Shipped) -> None:  # noqa: F811
    outside = [str(row["query"]) for row in DEVELOPMENT if row.get("domain") == "out"]
    missed = [text for text in outside if shipped.routing.domain.judge(text).in_domain]
    assert len(missed) <= 0.3 * len(outside), missed


def test_clear_outsiders_are_a_part_of_the_refused(shipped: Shipped) -> None:  # noqa: F811
    for row in DEVELOPMENT:
        verdict = shipped.routing.domain.judge(str(row["query"]))
        assert not (verdict.clear_outsider and verdict.in_domain)
        assert verdict.in_domain == (verdict.margin > 0)


EARLIER = "치아보험 가입 조건이 뭐예요"


def _goes_on(shipped: Shipped, text: str) -> bool:  # noqa: F811
    domain = shipped.routing.domain
    return domain.judge_follow_up(text, domain.judge(f"{EARLIER} {text}"), domain.judge(text), particulars=False)


@pytest.mark.parametrize(
    "text",
    [
        "오늘 점심 뭐 먹지",
        "근데 혹시 이 근처 맛집 아는 데 있어요?",
        "근데 날씨 진짜 춥네 눈 언제 오려나",
        "여행 짐 뭐 챙겨",
    ],
)
def test_an_outsider_in_the_middle_of_a_talk_is_refused(shipped: Shipped, text: str) -> None:  # noqa: F811
    assert not _goes_on(shipped, text)


@pytest.mark.parametrize(
    "text",
    [
        "여자는요?",
        "초등학교 교사는요?",
        "군대 가면?",
        "구급차 비용은",
        "얼마나 걸려요",
        "진짜요?",
        "더 싼 거",
        "약 먹고 있어요",
    ],
)
def test_short_follow_ups_stay_in_the_talk(shipped: Shipped, text: str) -> None:  # noqa: F811
    assert _goes_on(shipped, text)


@pytest.mark.parametrize(
    ("text", "hangs"),
    [
        ("여자는요?", True),
        ("식당에서 일하면 달라져요?", True),
        ("오늘 점심 뭐 먹지", False),
        ("암보험 추천해 줘", False),
    ],
)
def test_words_that_hang_on_the_question_before_are_told_apart(text: str, hangs: bool) -> None:
    assert hangs_on_earlier(text) is hangs
