"""Whose illness it is: what a message tells of the person to insure, and of nobody else."""

from __future__ import annotations

from datetime import date

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader

TODAY = date(2026, 3, 2)


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue) -> EntityReader:
    return EntityReader(catalogue)


@pytest.mark.parametrize(
    ("message", "told"),
    [
        ("치매 진단받은 70세 어머니 치매간병보험 가입돼요?", "치매"),
        ("어머니가 치매신데 가입돼요?", "치매"),
        ("제가 모시는 시아버지가 파킨슨병이세요. 실속치매보험 들 수 있나요", "파킨슨"),
        ("이가 열두 개밖에 안 남았는데 더건강한치아보험 가입 가능한가요", "열두 개"),
        ("저는 건강한데 아버지가 위암이세요. 아버지 암보험 가입될까요", "위암"),
        ("혼자 목욕을 못 하셔서 제가 씻겨 드려요. 아버지 치매간병보험 되나요", "목욕"),
        ("위암 수술했는데 뉴스타트암보험 가입되나요? 7년 지났어요", "7년 지났"),
        ("암하고 치매 걸린 어머니 보험 들 수 있나요", "암"),
        ("암이랑 당뇨 있는데 뉴스타트암보험 들 수 있나요", "암"),
        ("암 3년 전에 수술했는데 보험 들 수 있나요", "암"),
        ("치매 어머니 보험 들 수 있나요", "치매"),
        ("저 암이에요 들 수 있는 거 있나요", "암"),
        ("암 걸렸던 사람도 가입되나요", "암"),
        ("투석하면 종신보험 가입 안 되죠?", "투석"),
        ("암 걸리면 가입 못 하나요?", "암"),
        ("제가 암에 걸린 형을 돌봐요. 형 뉴스타트암보험 되나요", "암"),
        ("45/여 유방암(2023) 수술 후 타목시펜 복용중 뉴스타트암보험 인수?", "2023년"),
        ("이미 THE건강한치아보험V 하나 있는데 또 들 수 있어요?", "또 들"),
        ("옷 입고 밥 먹는 거 도와드려야 하는 어머니 치매간병보험 되나요?", "도와드려야"),
        ("건강검진에서 결절 나와서 추적관찰 하라는데 첫날부터암보험 되나요 석 달 됐어요", "석 달 됐"),
        ("머리에 피가 터져서 수술하셨는데 실속치매보험 들 수 있나요", "뇌출혈"),
        ("재작년에 쓸개 수술한 것 말곤 병원 간 적이 없는 55세 채우는335 되나요", "수술"),
        ("장인어른 이가 아홉 개밖에 안 남았어요. 사위가 실버치아보험 하나 해 드리려는데 되나요", "아홉 개"),
        ("이모가 간경화 진단을 받으셨는데 간편정기 들어드릴 수 있나요? 저는 조카예요", "간경화"),
        ("아빠한테 물려받은 씨형간염 보균자예요. 36세 첫날부터암보험 되나요", "물려받은 씨형간염 보균자"),
        ("남편에게서 옮은 결핵으로 약을 먹어요. 51세 간편건강보험 되나요", "결핵"),
        ("48세 남자, 다리 염증으로 입원했어요. 수술은 안 했고요. 채우는335 되나요", "입원했"),
    ],
)
def test_what_is_told_of_the_insured(reader: EntityReader, message: str, told: str) -> None:
    assert told in " ".join(m.told for m in reader.read(message, TODAY).conditions)


@pytest.mark.parametrize(
    "message",
    [
        "어머니가 치매신데 제가 실속치매보험 들 수 있나요?",
        "아내가 당뇨인데 제가 뉴스타트암보험 들 수 있나요? 45세 남자예요",
        "남편이 암이라 저도 불안해서요. 첫날부터암보험 들 수 있나요?",
        "치매간병보험 가입할 수 있나요?",
        "돌아가신 외할머니가 치매셨어요. 저 47세인데 실속치매보험 들 수 있나요",
        "매형이 간암이에요 저는 멀쩡하고요. 50세인데 뉴스타트암보험 가입되나요",
        "입원이나 수술, 큰 병의 진단을 받은 적이 없습니다. 61세 간편건강보험 되나요",
        "암은 걸려본 적 읎응께 골라담는암보험 들 수 있겄소",
        "당뇨는 없고 건강한 50세인데 뉴스타트암보험 들 수 있죠?",
        "나중에 치매 걸릴까 봐 미리 들려는데 50세도 실속치매보험 가입되나요",
        "암 진단비 나오는 보험 가입돼요?",
        "최근 5년간 입원한 적도 수술한 적도 없어요. 66세 간편건강보험 가입되나요",
        "큰아버지가 간암으로 돌아가셔서요. 저 39세인데 첫날부터암보험 가입할 수 있나요",
        "친구 어머니 치매 걸린 거 보고 겁나서요 52세 실속치매보험 가입되나요",
        "치매 검사 받았는데 정상이래요. 66세 치매간병보험 들 수 있나요?",
        "제가 치매인 어머니를 간병하고 있어요. 저 51세인데 실속치매보험 들 수 있나요",
        "간병이 필요해지면 보장되는 보험 가입되나요",
        "아빠가 암이셨는데 저 첫날부터암보험 들 수 있나요",
    ],
)
def test_nothing_is_told_of_the_insured(reader: EntityReader, message: str) -> None:
    assert reader.read(message, TODAY).conditions == ()


def test_the_illness_of_another_is_no_illness_of_the_speaker(reader: EntityReader) -> None:
    read = reader.read("아내가 당뇨인데 제가 뉴스타트암보험 들 수 있나요?", TODAY)
    assert read.motives and not read.medical


def test_both_illnesses_stand_where_both_join(reader: EntityReader) -> None:
    read = reader.read("아빠는 당뇨고 엄마는 치매신데 둘 다 들 수 있나요?", TODAY)
    assert len(read.conditions) == 2 and len(read.medical) == 2


@pytest.mark.parametrize(
    "message",
    [
        "암이랑 치아 함께 들면 얼마예요 마흔 살 여자예요",
        "암이랑 치매 같이 들려는데 얼마예요",
        "암, 치아 두 개 가입하면 얼마죠",
        "암도 들고 싶고 치아도 들고 싶어요",
        "암 들면 얼마예요",
        "암은 어떤 게 있어요",
        "암으로 하나 들어볼까요",
        "암이나 치아 중에 뭐가 나아요",
        "암이랑 치매 보험 둘 다 있나요",
        "치매나 간병 쪽으로 하나 들까 해요",
        "치매 든다 카면 몇 살까진데",
    ],
)
def test_a_kind_of_insurance_is_no_illness_told(reader: EntityReader, message: str) -> None:
    assert reader.read(message, TODAY).conditions == ()


@pytest.mark.parametrize(
    ("message", "gist"),
    [
        ("한 달 전 초음파에서 결절이 보인대요. 이것도 고지해야 되나요", "한 달 전 초음파에서 결절"),
        (
            "알코올 의존으로 치료받고 있는데 고지해야 하나요",
            "알코올 의존으로 치료받고 있는데",
        ),  # that it goes on, counts
    ],
)
def test_the_fewest_words_that_tell_it(reader: EntityReader, message: str, gist: str) -> None:
    assert [m.gist for m in reader.read(message, TODAY).conditions] == [gist]


def test_good_health_is_told_where_nothing_else_is(reader: EntityReader) -> None:
    assert reader.read("암 걸린 적 없고 먹는 약도 없는 47세 뉴스타트암보험 가입되나요", TODAY).well
    assert not reader.read("먹는 약은 없는데 당뇨가 있어요. 뉴스타트암보험 가입되나요", TODAY).well


def test_an_age_behind_a_word_that_ends_in_about_is_exact(reader: EntityReader) -> None:
    (age,) = reader.read("이가 멀쩡한 55세인데 실버치아보험 가입할 수 있나요", TODAY).ages
    assert age.age == 55 and not age.approximate


def test_a_bank_one_works_for_is_no_channel(reader: EntityReader) -> None:
    assert not reader.read("은행 다니는 45세인데 건강해지는종신보험 가입할 수 있습니까", TODAY).channels


def test_years_and_months_are_one_time(reader: EntityReader) -> None:
    (stay,) = reader.read("3년 2개월 전에 입원했었어요", TODAY).medical
    assert stay.phrase.startswith("3년 2개월 전")


def test_a_tooth_is_no_treatment_that_its_name_holds(reader: EntityReader) -> None:
    molar = reader.read("빠진 어금니 자리에 심으려고요", TODAY)
    assert not [m.term for m in molar.medical] and not molar.claims
    assert [m.term for m in reader.read("금니 씌웠어요", TODAY).medical] == ["금니"]
