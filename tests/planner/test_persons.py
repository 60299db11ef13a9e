"""Who is spoken of: what old people say of themselves, in-laws, the same age, errands, and who stands aside."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.reading import Reader
from tests.language.samples import TODAY
from tests.words import PLANNER


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue) -> Reader:
    return Reader(EntityReader(catalogue), PLANNER)


def told(reader: Reader, *messages: str) -> Facts:
    facts = Facts()
    for message in messages:
        facts = reader.read(message, facts, TODAY).facts
    return facts


@pytest.mark.parametrize(
    ("messages", "who", "age", "gender"),
    [
        (("70세요", "할머니에요"), "본인", 70, "F"),
        (("예순다섯 먹은 할배요",), "본인", 65, "M"),
        (("나는 쉰둘 각시는 마흔아홉", "나는 얼마요"), "본인", 52, "M"),
        (("저 서른셋이고 남편은 서른넷이에요", "제 것만요"), "본인", 33, "F"),
        (("마흔 남자요", "성별 여로 바꿔서요"), "본인", 40, "F"),
        (("어머니 서류 먼저 보내고 싶어요 어머니는 예순여섯이세요",), "어머니", 66, "F"),
        (("내가 올해 일흔하나요", "할매여 할매"), "본인", 71, "F"),
        (("70이고 할머니예요 제가",), "본인", 70, "F"),
        (("우리 할머니 여든이세요",), "할머니", 80, "F"),
        (("딸이 스물셋에 취직하더니 저보고 암보험 하나 들라고 하네요", "쉰하나요"), "본인", 51, None),
        (("엄마가 저한테 보험 하나 들어준대요 저 스물둘 남자예요",), "본인", 22, "M"),
        (("친정오빠가 마흔다섯이에요",), "오빠", 45, "M"),
        (("막내동생이 스물아홉 남자예요",), "동생", 29, "M"),
        (("사촌언니 거요 서른여덟이래요",), "사촌", 38, "F"),
        (("저한테 설명 좀 해주세요 아버지 예순다섯인데요",), "아버지", 65, "M"),
        (("엄마가 등급 받으셨어요", "그럼 제가 들게요 저는 마흔넷 딸이에요"), "본인", 44, "F"),
        (("둘째는 일곱살 아들인데",), "둘째자녀", 7, "M"),
        (("저희 애 치아보험 되나요", "일곱 살", "아들이에요"), "자녀", 7, "M"),
        (("시아버지 일흔둘 시어머니 예순여덟이세요", "어머님 보험료만요"), "시어머니", 68, "F"),
        (("시아버지 일흔둘 시어머니 예순여덟이세요", "아버님은요"), "시아버지", 72, "M"),
        (("장인어른이 예순아홉이세요", "아버님 보험료요"), "장인", 69, "M"),
        (("마흔일곱 남자예요", "와이프도 같은 나이예요"), "배우자", 47, "F"),
        (("서른넷 남자요", "와이프도 볼게요", "저랑 동갑이에요"), "배우자", 34, "F"),
        (("예순넷 할멈 거요", "내가 두 살 더 먹었소"), "본인", 66, "M"),
        (("58", "남", "고객이 비싸대요"), "고객", 58, "M"),
        (("서른하나 여자요", "남친은 서른둘", "저로 계산하면요"), "본인", 31, "F"),
        (("간편고지정기 예순이오", "일흔에는 또 얼마 되는지 표로"), "본인", 60, None),
        (("서른이에요", "마흔에 들면 얼마예요"), "본인", 40, None),
        (("임신 20주인데 가입되나요",), "본인", None, "F"),
        (("사십팔 남자요", "아니사십팔말고오십팔"), "본인", 58, "M"),
        (("서른셋 남자요", "아니 여자요 신랑 거랑 헷갈렸네요"), "본인", 33, "F"),
        (("51여 고객", "굿 설계서는 내가 뽑을게"), "고객", 51, "F"),
        (("난소낭종 수술했는데 되나요",), "본인", None, "F"),
        (("아빠가 폐암으로 고생하셔서 저도 하나 들려고요", "서른여섯이요"), "본인", 36, None),
        (("할머니가 일흔여덟에 넘어져서 고관절이 나가셨네요 저도 골절 되는 거 하나", "서른 남"), "본인", 30, "M"),
        (("이모가 위암 수술하시고 나두 무서워서 알아보는데요",), "본인", None, None),
        (("아빠가 당뇨신데 저도 같이 들 수 있나요",), "아버지", None, "M"),
        (("장모님 거 예순여덟이세요", "그럼 내 보험료는"), "본인", None, "M"),
        (("엄마 이제 보험료는 안 내도 되나요",), "어머니", None, "F"),
        (("47살인데 비교해서 보여주세여",), "본인", 47, None),
        (("저는 쉰둘 남자예요", "직원 하나도 관심 있대요"), "지인", None, None),
        (("저는 쉰둘 남자예요", "옆집 아주머니도 물어보시던데 얼마쯤 하나요"), "지인", None, "F"),
        (("저는 쉰둘 남자예요", "아는 형도 들고 싶대요", "스물아홉이요"), "지인", 29, "M"),
        (
            ("저는 쉰둘 남자예요", "같이 등산 다니는 동네 형도 관심 있다는데 얼마나 해요", "쉰여덟이래요"),
            "지인",
            58,
            "M",
        ),
        (("저는 쉰둘 남자예요", "우리 팀장님도 들까 한대요", "여직원이에요 서른셋"), "지인", 33, "F"),
        (("저는 쉰둘 남자예요", "팀장님이 물어보시는데 면책기간 며칠이죠"), "본인", 52, "M"),
        (("소개해준 친구는 쉰일곱 여자고 5만원대 낸대요 저는 얼마나 나올까요",), "본인", None, None),
        (("저는 마흔 여자예요", "남편은 45세인데 저는 뉴스타트 얼마예요?"), "본인", 40, "F"),
        (("와이프는 마흔둘이고 처제도 궁금하다는데 처제는 얼마예요",), "처제", None, "F"),
        (("어머니 65세 아버지 70세신데 아버지는 보험료가 얼마예요",), "아버지", 70, "M"),
        (("엄마가 예순셋인데 이모 말로는 얼마 안 한대요",), "어머니", 63, "F"),
        (("어머니가 65세신데 제가 얼마 내면 돼요",), "어머니", 65, "F"),
    ],
)
def test_the_person_of_a_fact(
    reader: Reader, messages: tuple[str, ...], who: str, age: int | None, gender: str | None
) -> None:
    facts = told(reader, *messages)
    assert (facts.who, facts.age, facts.gender) == (who, age, gender)


@pytest.mark.parametrize(
    "text",
    [
        "전화로 들었는데 남편이 난리나서요 취소하고 싶어요",
        "저 이사했는데 주소 바꾸려고요",
        "제 보험으로 돈 빌리려고요",
        "나는 지게차 몰아요 아는 친구가 직업 때문에 안 될 수도 있다 그래서",
        "우리 형이 쉰에 위암으로 갔어요 저도 걱정돼요",
        "임플란트 받았는데 얼마 나와요",
    ],
)
def test_the_speaker_is_meant(reader: Reader, text: str) -> None:
    facts = told(reader, text)
    assert (facts.who, facts.age) == ("본인", None)


def test_one_of_two_is_meant_alone_where_the_question_names_them(reader: Reader) -> None:
    assert told(reader, "남편 45세, 저는 마흔이에요. 저는 들 수 있나요").meant == ()
    assert told(reader, "어머니 65세 아버지 70세신데 아버지도 얼마예요").meant == ("어머니", "아버지")


@pytest.mark.parametrize("text", ["아이고 고마워요", "고객센터 번호 뭐예요", "그 상품 알려 주세요"])
def test_nobody_is_meant(reader: Reader, text: str) -> None:
    assert told(reader, text).who is None


@pytest.mark.parametrize(
    "errand", ["청구는 제가 하면 되고요?", "본인은 서명도 못하시는데 제가 대신 하려면요", "제가 손녀인데 대신 하려면"]
)
def test_an_errand_leaves_the_insured(reader: Reader, errand: str) -> None:
    assert told(reader, "할머니가 치매 판정 받으셨어요", errand).who == "할머니"


@pytest.mark.parametrize(
    "text",
    [
        "다른 고객인데 66세 여자예요",
        "다음 콜이요 66세 여자",
        "다른 고객님이요, 66세 여성",
        "담 고객은 66세 여자",
        "다음 고객도 66세 여자 같은 상품요",
    ],
)
def test_nothing_of_one_customer_is_taken_for_the_next(reader: Reader, text: str) -> None:
    called = {"history": "간경화", "age": 58, "product_code": "B00343004"}
    first = told(reader, "김민수 고객 58세 남자 간경화 있어요")
    before = first.model_copy(
        update={"last_tool": "underwriting_precheck", "last_args": called, "calls": {"x": called}}
    )
    after = reader.read(text, before, TODAY, staff=True).facts
    assert (after.age, after.gender, after.history, after.customer_name) == (66, "F", None, None)
    assert after.last_args == {"product_code": "B00343004"} == after.calls["x"]
