"""Names of products, people, diseases and the rest, as customers type them."""

from __future__ import annotations

import time
import unicodedata

import pytest

from app.language.entities import EntityReader
from app.language.phrases import PhraseTable, fold, jamo, jamo_distance
from app.language.references import find_quotes
from tests.language.samples import (
    CARE,
    DEMENTIA,
    DENTAL,
    DENTAL_V,
    FILL335,
    FIRST_DAY,
    NEW_START,
    SILVER,
    SIMPLE,
    TODAY,
    catalogue,
)
from tests.words import READING


@pytest.fixture(scope="module")
def reader() -> EntityReader:
    return EntityReader(catalogue())


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("뉴스타트암보험 얼마", (NEW_START,)),
        ("뉴스타트는요", (NEW_START,)),
        ("뉴 스타트 암 보험", (NEW_START,)),
        ("실속치매보혐 되나요", (DEMENTIA,)),
        ("이분 뉴스타드 갱신", (NEW_START,)),
        ("간편건간 질문지", (SIMPLE,)),
        ("체우는335 최저", (FILL335,)),
        ("V 붙은 거 있죠", (DENTAL_V,)),
        ("V는 그대로죠", (DENTAL_V,)),
        ("더건강한 치아V 실버치아", (DENTAL_V, SILVER)),
        ("더건강한치아보험V", (DENTAL_V,)),
        ("더건강한치아보험", (DENTAL,)),
        ("THE건강한치아보험V네요", (DENTAL_V,)),
        ("B00115023 면책", (NEW_START,)),
        ("b00115023", (NEW_START,)),
        ("335는 특약이 많다던데", (FILL335,)),
        ("간병 쪽은?", (CARE,)),
        ("첫날부터로 들면", (FIRST_DAY,)),
        ("치아보험 있나요", ()),
        ("암보험 뭐 있어요", ()),
        ("실속 있는 보험", ()),
    ],
)
def test_a_product_is_known_by_any_of_its_names(reader: EntityReader, text: str, codes: tuple[str, ...]) -> None:
    assert reader.read(text, TODAY).product_codes == codes


def test_a_code_of_no_product_is_told_as_such(reader: EntityReader) -> None:
    (mention,) = reader.read("B00999999 있나요", TODAY).products
    assert mention.unknown_code
    assert mention.code == "B00999999"


def test_spans_are_the_words_themselves(reader: EntityReader) -> None:
    entities = reader.read("김민수 고객 45세 남자  뉴스타트암보험으로 월 3만원, 3년 전 허리디스크 수술", TODAY)
    for mention in entities.all():
        assert 0 <= mention.start < mention.end <= len(entities.text)
        assert mention.text == entities.text[mention.start : mention.end]


@pytest.mark.parametrize(
    "text",
    [
        "암 말고 치아",
        "암은 빼고 치아로",
        "암 아니고 치아",
        "암은 아니에요 치아예요",
        "암 쪽은 아닙니다 치아",
        "암보험이 아니라 치아",
    ],
)
def test_what_is_ruled_out_is_negated(reader: EntityReader, text: str) -> None:
    kinds = [(m.category, m.negated) for m in reader.read(text, TODAY).categories]
    assert kinds == [("암", True), ("치아", False)]


@pytest.mark.parametrize("text", ["암 아니에요?", "암보험 아닌가요", "암보험 아닌지 궁금해요", "암 쪽 아니예요? 그럼"])
def test_what_is_asked_about_is_not_ruled_out(reader: EntityReader, text: str) -> None:
    assert [m.negated for m in reader.read(text, TODAY).categories] == [False]


@pytest.mark.parametrize(
    ("text", "who", "gender"),
    [
        ("어머니가요", "어머니", "F"),
        ("울엄마는", "어머니", "F"),
        ("신랑이 마흔둘", "배우자", "M"),
        ("와이프 보험", "배우자", "F"),
        ("장모님이", "장모", "F"),
        ("시어머니 72세", "시어머니", "F"),
        ("작은아들이", "작은아들", "M"),
        ("제가 쉰다섯", "본인", None),
        ("누나는요", "누나", "F"),
    ],
)
def test_a_person_is_known_with_the_gender_of_the_word(
    reader: EntityReader, text: str, who: str, gender: str | None
) -> None:
    people = reader.read(text, TODAY).people
    assert [(m.who, m.gender) for m in people] == [(who, gender)]


@pytest.mark.parametrize(
    "text",
    [
        "수익자를 아내로 바꾸고 싶어요",
        "아내랑 얘기 좀 해보고요",
        "친구가 추천해줬어요",
        "손주 보느라 바쁘게 살았어요",
        "사위가 싼 거 있다던데요",
    ],
)
def test_a_beneficiary_or_companion_is_not_the_insured(reader: EntityReader, text: str) -> None:
    assert [m.role for m in reader.read(text, TODAY).people] == ["aside"]


@pytest.mark.parametrize(
    "text", ["나이 상한이요", "보험금 나오나요", "저 상품", "본인확인해야 돼요", "전 상품 공통", "차이가 얼마나 나요"]
)
def test_words_that_only_look_like_persons_are_none(reader: EntityReader, text: str) -> None:
    assert reader.read(text, TODAY).people == ()


def test_gender_words_stand_beside_ages(reader: EntityReader) -> None:
    assert reader.read("45남", TODAY).gender == "M"
    assert reader.read("마흔여덟 여", TODAY).gender == "F"
    assert reader.read("아니 여자말고 남자요", TODAY).gender == "M"
    assert reader.read("남편이요", TODAY).gender is None
    assert reader.read("남으면 특약 더", TODAY).gender is None


def test_a_history_keeps_its_time_and_treatment(reader: EntityReader) -> None:
    (mention,) = reader.read("신랑이 3년 전에 디스크 수술했는데 돼요?", TODAY).medical
    assert (mention.rule_id, mention.phrase) == ("disc", "3년 전 디스크 수술")


def test_diseases_are_known_by_name_synonym_and_code(reader: EntityReader) -> None:
    assert reader.read("유방암 진단", TODAY).medical[0].code == "C50"
    assert reader.read("코드는 f06.7이래요", TODAY).medical[0].code == "F06.7"
    assert reader.read("C73이면요", TODAY).medical[0].code == "C73"
    assert reader.read("가입한 지 24일", TODAY).medical == ()


def test_jobs_are_typo_proof_and_a_doctor_who_speaks_is_none(reader: EntityReader) -> None:
    assert reader.read("직업이 비계공인데", TODAY).jobs[0].job == "비계공"
    assert reader.read("큰애는 간호사요", TODAY).jobs[0].job == "간호사"
    assert reader.read("의사가 그러는데요", TODAY).jobs == ()
    assert not reader.read("직업이 해녀인데 되나요", TODAY).jobs[0].known


@pytest.mark.parametrize(
    ("text", "channel"),
    [
        ("은행에서도 되나요", "방카"),
        ("전화로는?", "TM"),
        ("인터넷으로", "온라인"),
        ("CM 채널", "CM"),
        ("설계사 만나서", "대면"),
    ],
)
def test_channels_are_known_by_everyday_words(reader: EntityReader, text: str, channel: str) -> None:
    assert reader.read(text, TODAY).channels[0].channel == channel


def test_a_telephone_number_is_no_sales_channel(reader: EntityReader) -> None:
    assert reader.read("전화번호도 가려줘", TODAY).channels == ()


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("그거 깨면요", "해지"),
        ("약관대출 받고 싶어요", "대출"),
        ("보험 무르고 싶어요", "청약철회"),
        ("다시 살릴 수 있나", "부활"),
        ("이사했어요", "주소변경"),
        ("수익자 바꾸려고", "수익자변경"),
    ],
)
def test_contract_actions_are_known_by_everyday_words(reader: EntityReader, text: str, action: str) -> None:
    assert reader.read(text, TODAY).actions[0].action == action


def test_an_action_ruled_out_is_negated(reader: EntityReader) -> None:
    found = {m.action: m.negated for m in reader.read("깨지 말고 대출 받는 건 어떻게 해요", TODAY).actions}
    assert found == {"해지": True, "대출": False}


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("김민수 고객 계약", "김민수"),
        ("윤지은님은?", "윤지은"),
        ("이름에 최수진 들어간 사람", "최수진"),
        ("박영호 씨 것", "박영호"),
    ],
)
def test_a_customer_is_known_by_name(reader: EntityReader, text: str, name: str) -> None:
    assert [m.name for m in reader.read(text, TODAY).names] == [name]


@pytest.mark.parametrize("text", ["고객님 안녕하세요", "장모님은요", "여성 고객 중에", "전체 고객", "이번달 고객"])
def test_titles_and_groups_are_no_names(reader: EntityReader, text: str) -> None:
    assert reader.read(text, TODAY).names == ()


def test_a_customer_id_is_read(reader: EntityReader) -> None:
    assert reader.read("고객번호 C00123으로 조회", TODAY).names[0].customer_id == "C00123"


def test_pointing_words_are_told_apart(reader: EntityReader) -> None:
    kinds = {
        t: reader.read(t, TODAY).references[0]
        for t in ("두 번째 거 자세히", "그거요", "둘 다 보여줘", "싼거 특약", "실버 빼고 나머지 둘")
    }
    assert [(m.kind, m.index, m.count) for m in kinds.values()] == [
        ("ordinal", 1, 0),
        ("that", 0, 0),
        ("both", 0, 2),
        ("cheapest", 0, 0),
        ("rest", 0, 2),
    ]
    assert reader.read("마흔둘이에요", TODAY).references == ()


def test_two_questions_of_one_message_are_parted(reader: EntityReader) -> None:
    assert len(reader.read("또 오르나요? 왜 오르는 거예요", TODAY).questions) == 2


def test_decomposed_text_reads_like_composed(reader: EntityReader) -> None:
    assert reader.read(unicodedata.normalize("NFD", "뉴스타트암보험 마흔다섯"), TODAY).product_codes == (NEW_START,)


def test_a_message_is_read_in_well_under_three_milliseconds(reader: EntityReader) -> None:
    text = "신랑이 3년 전에 디스크 수술했는데 채우는335 돼요? 마흔둘이에요 월 3만원 안으로요"
    reader.read(text, TODAY)
    best = min(_timed(reader, text) for _ in range(20))
    assert best < 0.003


def _timed(reader: EntityReader, text: str) -> float:
    start = time.perf_counter()
    reader.read(text, TODAY)
    return time.perf_counter() - start


def test_an_empty_or_very_long_message_is_read_without_harm(reader: EntityReader) -> None:
    assert reader.read("", TODAY).all() == ()
    assert len(reader.read("가" * 50_000, TODAY).text) == 2000


def test_a_typo_is_measured_in_jamo() -> None:
    assert jamo("암값") == "ㅇㅏㅁㄱㅏㅄ"
    assert jamo_distance("보혐", "보험", 2) == 1
    assert jamo_distance("치매", "종신", 1) == 2


def test_short_phrases_must_stand_as_words() -> None:
    table = PhraseTable([("암", 1), ("치아", 2)])
    assert [m.value for m in table.find(fold("암은요 치아도"))] == [1, 2]
    assert table.find(fold("암호를 바꿨어요")) == []
    assert table.find(fold("유방암")) == []


@pytest.mark.parametrize(
    ("text", "passage"),
    [
        ("이렇게 말해도 되나: 첫날부터 무조건 다 보장돼요", "첫날부터 무조건 다 보장돼요"),
        ("멘트 확인: 원금은 걱정 마세요 평생 그대로예요", "원금은 걱정 마세요 평생 그대로예요"),
        ("이 문구 괜찮나요? '무조건 됩니다'", "무조건 됩니다"),
        ("10:30에 상담 예약", None),
    ],
)
def test_a_passage_to_be_looked_at_stands_in_marks_or_behind_a_colon(text: str, passage: str | None) -> None:
    assert [found.value for found in find_quotes(READING, text)] == ([passage] if passage else [])
