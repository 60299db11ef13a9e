"""Ages as they fall in talk: without a unit, with an honorific, as what one will be, and the same as another's."""

from __future__ import annotations

import pytest

from tests.words import AGES, PEOPLE


@pytest.mark.parametrize(
    ("text", "age"),
    [
        ("여든하난데 들 수 있나", 81),
        ("아버지가 칠십이신데 되나요", 70),
        ("연로하셔서 68이세요", 68),
        ("48이요 예산은 오만원", 48),
        ("62, 여자", 62),
        ("44/남", 44),
        ("44남 건강해지는종신 3천", 44),
        ("서른여섯 건강보험이요", 36),
        ("오십 여자 기준", 50),
        ("팔십이세요", 80),
        ("마은셋", 43),
        ("70이고 할머니예요", 70),
        ("만 47인데 얼마예요", 47),
        ("만 49인데 보험나이 50이면 되냐", 49),
        ("나이 때문에 안 되진 않겠죠 60인데", 60),
        ("70이면 얼마 내요 여자", 70),
        ("50되면 셋 다", 50),
        ("예순 되면은?", 60),
        ("71세 되면 못 들지", 71),
        ("만으로는 일흔하나네요", 71),
        ("마흔네요", 40),
        ("65는", 65),
        ("마흔넷이에요", 44),
        ("내년이면 마흔둘인데요", 41),
        ("제가 내년에 벌써 예순이에요", 59),
        ("내년에 쉰 되면 얼마예요", 50),
    ],
)
def test_an_age_without_a_unit_is_one_by_its_ending(text: str, age: int) -> None:
    assert [m.age for m in AGES.find(text) if m.kind == "age"] == [age]


@pytest.mark.parametrize("text", ["쉰다섯 아니 쉰여섯이에요", "55세, 아 아니다 56세", "쉰다섯.. 아니 쉰여섯 남자로"])
def test_a_slip_of_the_tongue_is_put_right(text: str) -> None:
    assert [(m.age, m.negated) for m in AGES.find(text)] == [(55, True), (56, False)]


@pytest.mark.parametrize(
    "text",
    [
        "65세 되면 얼마로 올라요",
        "5만 47원",
        "70이면 비싸네",
        "48개요 예산은 오만원",
        "한 살 남았네요",
        "한 살 더 먹기 전에",
        "20만 원인데요",
    ],
)
def test_other_numbers_stay_numbers(text: str) -> None:
    assert not [m for m in AGES.find(text) if m.kind == "age"]


def test_a_bound_counts_persons() -> None:
    (bound,) = AGES.find("45 넘는 사람만")
    assert (bound.kind, bound.low, bound.high) == ("bound", 45, None)


@pytest.mark.parametrize(
    "text", ["동갑이에요", "같은 나이예요", "나이가 저랑 같아요", "나이도 똑같고", "같은 나이래요"]
)
def test_the_same_age(text: str) -> None:
    assert [(m.kind, m.delta) for m in AGES.find(text)] == [("relative", 0)]


@pytest.mark.parametrize("text", ["같은 나이대", "나이 같은 거 안 봐요"])
def test_not_the_same_age(text: str) -> None:
    assert not AGES.find(text)


@pytest.mark.parametrize(
    ("text", "gender"), [("여47", "F"), ("남 52", "M"), ("44세 남 건강 쪽으로", "M"), ("38여고 정상", "F")]
)
def test_a_gender_beside_an_age(text: str, gender: str) -> None:
    assert [m.gender for m in PEOPLE.genders(text)] == [gender]


@pytest.mark.parametrize("text", ["표로 보여주세여", "그건 왜 안 된대여", "통풍이거든여?", "뭐라고 하나여 미리 챙기게"])
def test_a_young_ending_is_no_woman(text: str) -> None:
    assert not PEOPLE.genders(text)


@pytest.mark.parametrize(
    ("text", "age"), [("내 올해 육십이라", 60), ("나 오십 된 여자고 운전해요", 50), ("나 육십일세 여자", 61)]
)
def test_an_age_in_chinese_numerals_is_read_as_what_somebody_is(text: str, age: int) -> None:
    assert [m.age for m in AGES.find(text) if m.kind == "age"] == [age]
