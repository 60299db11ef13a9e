"""No plain yes to what nobody read: words beside a question of joining that no finding knows."""

from datetime import date

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.language.plain_words import PlainWords
from app.language.tokenizer import Tokenizer
from app.settings import ROOT

TODAY = date(2026, 11, 26)


@pytest.fixture(scope="module")
def plain(catalogue: Catalogue) -> PlainWords:
    return PlainWords(ROOT / "data" / "language" / "plain_words.yaml", Tokenizer(), catalogue.reference.told)


@pytest.fixture(scope="module")
def entities(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


@pytest.mark.parametrize(
    "message",
    [
        "45세 남자인데 뉴스타트암보험 가입할 수 있나요?",
        "우리 어머니 68세이신데 실버치아보험 들 수 있을까요",
        "아픈 데 하나 없는 52세예요. 간편건강보험 돼요?",
        "채우는335 저도 들 수 있는지 궁금해요",
        "수술한 적도 없고 입원한 적도 없어요. 60세 간편정기 가능한가요",
        "형이 아파서 저도 걱정돼서요. 저는 39세입니다. 뉴스타트암보험 가입되나요",
        "52/F 복약 無 고지할 것 없음 골라담는암 ㄱㄴ",
        "우리 시누가 마흔둘인디 뉴스타트암보험 들 수 있을랑가",
        "69세 이모가 게이트볼도 치시고 눈도 밝으세요. 실속치매 되능교",
        "입원한 적도, 먹는 약도 없는 44세입니다. 간편건강보험 가입되나요",
    ],
)
def test_plain_words_leave_nothing_unread(plain: PlainWords, entities: EntityReader, message: str) -> None:
    assert plain.beyond(entities.read(message, TODAY)) == []


@pytest.mark.parametrize(
    ("message", "unread"),
    [
        ("누나한테 콩팥 하나 떼어 받고 5년째인데 50세 채우는335 되나요", "콩팥"),
        ("52세예요. 타크로 아침마다 챙기고 있어요. 간편정기 가입되나요", "타크로"),
        ("시애틀에 눌러앉은 지 오래됐고 49세입니다. 골라담는암 들 수 있죠?", "시애틀에"),
        ("씬지로먹는40살공무원인데뉴스타트들수있어요?", "씬지로"),
        ("게이트볼도 이제 힘들어하시는 68세 아버지 치매간병 되나요", "게이트볼"),
        ("허리는 지금은 멀쩡한 57세예요 골라담는암 되나요", "허리"),
        ("안 아픈 데가 없는 61세예요 골라담는암 되나요", "안 아픈 데"),
        ("췌장염 앓은 뒤 이상 없음 53세 골라담는암 되나요", "췌장염"),
        ("무릎에 물이 차서 그런데 55세 치매간병보험 가입돼요", "무릎에"),
    ],
)
def test_what_nothing_knows_is_kept_for_underwriting(
    plain: PlainWords, entities: EntityReader, message: str, unread: str
) -> None:
    said = entities.read(message, TODAY)
    told = [*plain.beyond(said), *(m.told for m in said.conditions)]
    assert any(unread in part for part in told), told


def test_the_insurance_itself_is_no_illness(plain: PlainWords, entities: EntityReader) -> None:
    parts = plain.beyond(entities.read("요새 열쇠 둔 데를 자꾸 못 찾아서 61세 실속치매보험 들 수 있나요", TODAY))
    assert parts and all("치매" not in part for part in parts)


def test_what_is_told_of_others_is_not_the_insureds(plain: PlainWords, entities: EntityReader) -> None:
    said = entities.read("할머니가 무릎 관절을 갈아 끼우셨어요. 저는 44세고 실속치매보험 들 수 있나요", TODAY)
    assert plain.beyond(said) == []
