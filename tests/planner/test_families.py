"""Couples and families in one talk: whose each age and gender is, who is meant together, and who has died."""

from __future__ import annotations

import pytest

from app.insurance.catalogue import Catalogue
from app.language.entities import EntityReader
from app.planner.facts import Facts
from app.planner.news import NewsReader
from app.planner.reading import Reader
from app.settings import ROOT
from tests.language.samples import TODAY
from tests.planner.declared import DECLARED
from tests.words import PLANNER

Person = tuple[str, int | None, str | None]


@pytest.fixture(scope="module")
def reader(catalogue: Catalogue) -> Reader:
    return Reader(EntityReader(catalogue), PLANNER, news=NewsReader(ROOT / "data" / "language" / "news.yaml"))


def told(reader: Reader, *messages: str) -> Facts:
    """The facts after the messages, each answered with a premium."""
    facts = Facts()
    for message in messages:
        facts = reader.read(message, facts, TODAY, DECLARED).facts.after_answer("premium_estimate", {})
    return facts


@pytest.mark.parametrize(
    ("messages", "persons"),
    [
        # The age and gender in front of a kin word are the speaker's, where the kin has its own.
        (("45살 남자고 와이프는 43인데 뉴스타트암보험 둘이 얼마에요",), {("본인", 45, "M"), ("배우자", 43, "F")}),
        (("36살 여자인데 남편은 39에요 첫날부터암보험 둘 다요",), {("본인", 36, "F"), ("배우자", 39, "M")}),
        (("여자 55 남편 57 치매보험 둘이",), {("본인", 55, "F"), ("배우자", 57, "M")}),
        (("45이고 와이프는 43이에요",), {("본인", 45, "M"), ("배우자", 43, "F")}),
        (("47 남 와이프 44 뉴스타트암보험", "와이프 나이 45네 착각했다"), {("본인", 47, "M"), ("배우자", 45, "F")}),
        (("72세 시어머니 치매보험 되나요",), {("시어머니", 72, "F")}),
        # A bare number beside a kin word is that person's age.
        (("저 30 신랑 33 애기 2 뉴스타트암보험",), {("본인", 30, "F"), ("배우자", 33, "M"), ("자녀", 2, None)}),
        (("오빠 41 새언니 39 두사람 얼마",), {("오빠", 41, "M"), ("올케", 39, "F")}),
        (("58세 남자인데요 안사람 55", "안사람 말고 나만 59로 다시"), {("본인", 59, "M"), ("배우자", 55, "F")}),
        # One age for all who are named, and ages told by another's.
        (("저랑 남편이랑 둘다 41인데",), {("본인", 41, "F"), ("배우자", 41, "M")}),
        (("45 남 와이프 두살 어림",), {("본인", 45, "M"), ("배우자", 43, "F")}),
        (("서른한 살 동갑 부부인데 뉴스타트 얼마씩",), {("남편", 31, "M"), ("아내", 31, "F")}),
        (("부모님 두 분 다 63세신데 실버치아 얼마예요",), {("아버지", 63, "M"), ("어머니", 63, "F")}),
        (("아들 둘 15살 12살 더건강한치아",), {("큰아들", 15, "M"), ("작은아들", 12, "M")}),
        (("형이랑 나랑 쌍둥이 41살인데",), {("형", 41, "M"), ("본인", 41, "M")}),
        (("와이프 동갑 나 39 남",), {("본인", 39, "M"), ("배우자", 39, "F")}),
        # Parents call themselves by their children.
        (("38 애아빠 나 죽으면 애들한테 돈나오는거",), {("본인", 38, "M")}),
        (("37 애엄마에요 암보험",), {("본인", 37, "F")}),
        (("39살 아이 엄마입니다",), {("본인", 39, "F")}),
        (("우리 애 아빠 44인데",), {("배우자", 44, "M")}),
        (("저 38살 엄마고 아들10살 딸7살인데 셋다요",), {("본인", 38, "F"), ("아들", 10, "M"), ("딸", 7, "F")}),
        # In brackets stands how old somebody is, or who the speaker is.
        (("여자 52 남편(55)이랑 같이 하면",), {("본인", 52, "F"), ("배우자", 55, "M")}),
        (("아들 14살", "저도 48인데(엄마) 같은 걸로요"), {("본인", 48, "F"), ("아들", 14, "M")}),
        # An age may end a sentence, and be another's.
        (("38 애엄마예요", "애들 아빠도 넣을게요 41. 둘 다 하면?"), {("본인", 38, "F"), ("배우자", 41, "M")}),
        (("25살 딸", "아 딸말고 아들로요. 쌍둥이라 나이 같아요"), {("딸", 25, "F"), ("아들", 25, "M")}),
        # Who is left money is not insured.
        (("47살 남잔데 나 죽으면 애들한테 1억 남게 하고 싶어요",), {("본인", 47, "M")}),
        # A wish is no hypothesis.
        (("저는 58 남자고 아내는 56인데 십만원은 안 넘었으면 싶은데",), {("본인", 58, "M"), ("배우자", 56, "F")}),
    ],
)
def test_each_age_and_gender_goes_to_its_person(
    reader: Reader, messages: tuple[str, ...], persons: set[Person]
) -> None:
    facts = told(reader, *messages)
    assert {(person.who, person.age, person.gender) for person in facts.everyone()} == persons


@pytest.mark.parametrize(
    ("messages", "meant"),
    [
        (("실속치매보험 58세", "여", "아니 나말고 남편꺼부터 61", "그걸로 남편 나 둘다. 한달 총"), {"배우자", "본인"}),
        (("36살 여자인데 남편은 39 뉴스타트암보험 둘다", "아 남편 40이래요", "합치면?"), {"배우자", "본인"}),
        (("와이프꺼 41세 뉴스타트암보험", "내꺼도 44", "합치면 한달 얼마"), {"배우자", "본인"}),
        (("와이프 43 나는 45 남자 뉴스타트암보험", "와이프 거만"), set()),
        (("42 남자 뉴스타트암보험", "합치면 얼마"), set()),
    ],
)
def test_who_is_meant_together(reader: Reader, messages: tuple[str, ...], meant: set[str]) -> None:
    assert set(told(reader, *messages).meant) == meant


def test_the_rest_of_two_is_the_other_one(reader: Reader) -> None:
    facts = told(reader, "와이프가 43 여자 나는 45 남자, 뉴스타트암보험", "와이프 거만", "나머지 한 명은")
    assert (facts.who, facts.age, facts.gender) == ("본인", 45, "M")


@pytest.mark.parametrize(
    "message", ["남편이 심근경색으로 갑자기 갔습니다", "신랑이 위암으로 먼저 갔어요", "남편이 교통사고로 가버렸어요"]
)
def test_a_death_is_told_for_the_claim(reader: Reader, message: str) -> None:
    facts = told(reader, message)
    assert facts.claim_type == "사망"
    assert facts.history is None
    assert facts.diagnosis is None


def test_an_illness_without_a_death_is_no_claim_of_it(reader: Reader) -> None:
    assert told(reader, "남편이 심근경색으로 병원에 갔어요").claim_type != "사망"
