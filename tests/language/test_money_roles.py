"""What an amount is for: an income, a debt, a budget, a sum insured or only a difference."""

from __future__ import annotations

import pytest

from tests.words import MONEY


@pytest.mark.parametrize(
    ("text", "amount", "role"),
    [
        ("저는 세후 280인데 얼마짜리 들어야 돼요", 2_800_000, "income"),
        ("실수령 350 정도예요", 3_500_000, "income"),
        ("연봉 말고 월 500 받아", 5_000_000, "income"),
        ("집값은 아직 이억 갚아야 하고", 200_000_000, "debt"),
        ("대출이 3억 8천이고", 380_000_000, "debt"),
        ("대출은 2억요", 200_000_000, "debt"),
        ("대출 200만원 받고 싶어요", 2_000_000, "loan"),
        ("보험료 3만원 넘으면 못 내요", 30_000, "budget"),
        ("3만원에 맞춰 주세요", 30_000, "budget"),
        ("5만원으론 빠듯한가", 50_000, "budget"),
        ("2만원이면 충분해요?", 20_000, "budget"),
        ("15만 한도", 150_000, "budget"),
        ("가입금액일억으로", 100_000_000, "sum_insured"),
        ("오천만원짜리로 하면", 50_000_000, "sum_insured"),
        # Nobody insures 2,000원: a bare 천 is 천만원, unless it is what one pays a month.
        ("처음에 말한 2천짜리 그걸로", 20_000_000, "sum_insured"),
        ("아내 것만 5천으로", 50_000_000, "sum_insured"),
        ("한 달에 5천 정도 더", 5_000, "budget"),
        # … and nobody is insured for 70,000원.
        ("7만원으로 들 보험", 70_000, "budget"),
        ("600원 모자라네", 600, "premium"),
        ("만오천원이나 올랐는데", 15_000, "premium"),
        ("관리비로 12만원 나가는 집인데", 120_000, "expense"),
        ("학원비만 80만원이에요", 800_000, "expense"),
    ],
)
def test_the_words_around_tell_what_an_amount_is_for(text: str, amount: int, role: str) -> None:
    assert [(m.amount, m.role) for m in MONEY.find(text)] == [(amount, role)]
