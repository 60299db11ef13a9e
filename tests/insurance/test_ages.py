"""만 나이 and 보험나이."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import BadRequest
from app.insurance.ages import full_age, insurance_age

DAYS = st.dates(date(1930, 1, 1), date(2026, 12, 31))


@pytest.mark.parametrize(
    ("birth", "on", "full", "insurance"),
    [
        (
            date(1988, 10, 2),
            date(2014, 4, 13),
            25,
            26,
        ),  # the example of the standard conditions: 25 years 6 months 11 days
        (date(1988, 10, 2), date(2014, 4, 2), 25, 26),  # six months to the day count
        (date(1988, 10, 2), date(2014, 4, 1), 25, 25),  # one day less does not
        (date(1988, 10, 2), date(2014, 10, 2), 26, 26),  # the birthday itself
        (date(1988, 10, 2), date(2014, 10, 1), 25, 26),
        (date(2004, 2, 29), date(2023, 2, 28), 18, 19),  # no 29 February: a year older on 1 March
        (date(2004, 2, 29), date(2023, 3, 1), 19, 19),
        (date(1990, 8, 31), date(2020, 2, 29), 29, 29),  # six months from 31 August end with February
        (date(1990, 8, 31), date(2020, 3, 1), 29, 30),
        (date(2026, 1, 1), date(2026, 1, 1), 0, 0),
        (date(1978, 11, 2), date(2024, 3, 15), 45, 45),
    ],
)
def test_ages_follow_the_standard_policy_conditions(birth: date, on: date, full: int, insurance: int) -> None:
    assert full_age(birth, on) == full
    assert insurance_age(birth, on) == insurance


@given(DAYS, st.integers(0, 40_000))
def test_insurance_age_is_full_age_or_one_more_and_never_falls(birth: date, days: int) -> None:
    on = birth + timedelta(days=days)
    assert insurance_age(birth, on) - full_age(birth, on) in (0, 1)
    assert insurance_age(birth, on) <= insurance_age(birth, on + timedelta(days=1)) <= insurance_age(birth, on) + 1


def test_a_birth_after_the_day_asked_for_is_refused_with_both_dates() -> None:
    with pytest.raises(BadRequest, match=r"2030-01-01.*2026-01-01"):
        full_age(date(2030, 1, 1), date(2026, 1, 1))
