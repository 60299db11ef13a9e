"""Whatever the order of the messages: reading never fails, facts stay plain data, and equal talks give equal facts."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from app.language.births import find_births
from app.language.entities import EntityReader
from app.language.numbers import format_native, format_sino
from app.planner.facts import Facts
from app.planner.reading import Reader
from tests.language.samples import TODAY, catalogue
from tests.words import AGES, DATES, MONEY, PLANNER, READING, date_forms, won_forms

MESSAGES = (
    "뉴스타트암보험 마흔다섯 남자 보험료요",
    "아니 여자요",
    "45 말고 55요",
    "엄마는 예순여덟이고 고혈압약 드세요",
    "저는 얼마예요",
    "둘이 합쳐서요",
    "암이랑 치아 같이 들면요?",
    "실버 빼고 나머지요",
    "두 번째 거",
    "3천으로 하면요?",
    "2024년 3월 5일에 가입했고 2025년 4월 6일에 임플란트 했어요",
    "C00012 고객 계약 보여줘",
    "뒤의 분도요",
    "비갱신은 없어요?",
    "???",
    "ㅋㅋㅋ",
    "\u200b\ud55c\u0000글",
    "9" * 400,
)
READER = Reader(EntityReader(catalogue()), PLANNER)


def talked(messages: list[str]) -> Facts:
    facts = Facts()
    for message in messages:
        facts = READER.read(message, facts, TODAY).facts
    return facts


@given(st.lists(st.sampled_from(MESSAGES), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_any_order_of_messages_is_read_and_read_the_same_again(messages: list[str]) -> None:
    facts = talked(messages)
    assert Facts.model_validate(facts.model_dump(mode="json")) == facts
    assert talked(messages) == facts


@given(st.text(max_size=80))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read(text: str) -> None:
    assert isinstance(READER.read(text, Facts(), TODAY).facts, Facts)


@given(st.integers(1, 10**12), st.data())
def test_any_amount_in_any_form_is_read_back(amount: int, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(won_forms(amount)))
    assert [money.amount for money in MONEY.find(f"보험금 {form} 받나요")] == [amount]


@given(st.integers(1, 99), st.data())
def test_any_age_in_any_form_is_read_back(age: int, data: st.DataObject) -> None:
    forms = [f"{age}세", f"만 {age}세", f"{age}살", f"만 {age} 세"]
    forms += [f"{format_native(age)} 살"] if age > 9 else []
    forms += [f"{format_sino(age)} 세"] if age > 9 else []  # nobody is 일 세
    assert [found.age for found in AGES.find(f"저는 {data.draw(st.sampled_from(forms))}예요")] == [age]


@given(st.integers(TODAY.year - 90, TODAY.year - 1))
def test_any_year_of_birth_is_read_back(year: int) -> None:
    assert [found.year for found in find_births(READING, f"{year}년생이에요", TODAY)] == [year]


@given(st.dates(TODAY.replace(year=2001), TODAY), st.data())
def test_any_date_in_any_form_is_read_back(day: object, data: st.DataObject) -> None:
    form = data.draw(st.sampled_from(date_forms(day)))  # type: ignore[arg-type]
    assert [found.value for found in DATES.dates(f"{form}에 가입했어요", TODAY)] == [day]
