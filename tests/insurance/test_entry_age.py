"""The age that tables and entry go by: reckoned from a birth where it is known, else as it was said."""

from __future__ import annotations

from datetime import date

import pytest

from app.errors import BadRequest
from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import Birth, EntryAge, entry_age
from app.insurance.models import AgeRange
from app.insurance.premium import EntryRefused, PremiumQuote, quote
from app.insurance.products import check_eligibility
from app.insurance.search import search_products

NEW_START = "B00115023"  # 20~65세
TODAY = date(2026, 11, 26)


@pytest.mark.parametrize(
    ("birth", "on", "years"),
    [
        ("1961-05-26", TODAY, 66),  # six months to the day count
        ("1961-05-27", TODAY, 65),  # one day less does not
        ("1961-11-26", TODAY, 65),  # the birthday itself
        ("1964-02-29", date(2026, 8, 28), 62),
        ("1964-02-29", date(2026, 8, 29), 63),
        ("1960-08-31", date(2026, 2, 28), 65),  # six months from 31 August end with February
        ("1960-08-31", date(2026, 3, 1), 66),
        ("1961-03", TODAY, 66),  # every day of that month is past the border
        ("1961-11", TODAY, 65),  # of the month of today no day is six months away
        ("1921-11-26", TODAY, 105),
    ],
)
def test_a_birth_goes_before_the_age_that_was_said(birth: str, on: date, years: int) -> None:
    found = entry_age(None, birth, on)
    assert found is not None and (found.years, found.kind, found.other) == (years, "보험나이", None)
    assert found.told == f"보험나이 {years}세" and f"{years}세로 계산했습니다." in found.note
    assert Birth.parse(birth).words in found.note and "만 66세" not in found.note


def test_the_note_tells_both_ages() -> None:
    assert entry_age(65, "1961-03-10", TODAY).note == (  # type: ignore[union-attr]
        "1961년 3월 10일생은 오늘 기준 만 65세, 보험나이 66세라 66세로 계산했습니다."
    )
    said = entry_age(65, None, TODAY)
    assert said is not None and said.told == "만 65세" and "말씀하신 나이" in said.note and said.born_note is None
    assert entry_age(None, None, TODAY) is None


@pytest.mark.parametrize(("said", "told"), [(63, True), (65, False), (66, False), (None, False)])
def test_a_said_age_that_the_birth_contradicts_is_told(said: int | None, told: bool) -> None:
    found = entry_age(said, "1961-03-10", TODAY)
    assert found is not None and found.years == 66 and (f"말씀하신 나이({said}세)" in found.note) == told


@pytest.mark.parametrize(
    ("birth", "says"),
    [
        ("2026-11-27", "뒤입니다"),
        ("2027-01", "뒤입니다"),
        ("1850-01-01", "120세가 넘습니다"),
        ("1961-02-29", "읽을 수 없습니다"),
        ("1961-13-01", "읽을 수 없습니다"),
        ("61년 3월", "읽을 수 없습니다"),
    ],
)
def test_a_birth_that_cannot_be_is_refused_in_words(birth: str, says: str) -> None:
    with pytest.raises(BadRequest, match=says):
        entry_age(None, birth, TODAY)


def test_a_month_that_leaves_two_ages_open_says_both_and_never_a_plain_yes(catalogue: Catalogue) -> None:
    age, product = entry_age(None, "1961-05", TODAY), catalogue.product(NEW_START)
    assert age is not None and age.told == "보험나이 65세 또는 66세" and "65세 또는 66세" in age.note
    assert [age.fits(AgeRange(min=20, max=most)) for most in (64, 65, 66)] == [False, None, True]
    assert age.within(AgeRange(min=66, max=70)).years == 66
    judged = check_eligibility(catalogue, product, age, None)
    assert judged.verdict == "확인 필요" and judged.age_ok is None and "65세 또는 66세" in judged.reasons[0]
    priced = quote(catalogue, product, age, "F")
    assert isinstance(priced, PremiumQuote) and priced.age == 65 and "65세 또는 66세" in priced.age_note


def test_tables_and_entry_ages_are_read_by_the_age_reckoned(catalogue: Catalogue) -> None:
    product, born = catalogue.product(NEW_START), entry_age(45, "1981-03-10", TODAY)
    assert born is not None
    dearer, said = (quote(catalogue, product, age, "M") for age in (born, EntryAge(45)))
    assert isinstance(dearer, PremiumQuote) and isinstance(said, PremiumQuote)
    assert (dearer.age, dearer.age_kind, said.age_kind) == (46, "보험나이", "만 나이")
    assert dearer.premium > said.premium and "46세 남성" in dearer.source
    older = entry_age(65, "1961-03-10", TODAY)
    assert older is not None
    refused = quote(catalogue, product, older, "F")
    assert isinstance(refused, EntryRefused) and "보험나이 66세는 새로 가입할 수 없습니다" in refused.reason
    found = search_products(catalogue, keyword="뉴스타트암보험", age=older)
    assert not found.products and found.age_note and "보험나이 66세" in found.fallen_out[0].reason
