"""Premium arithmetic: exact, auditable, and honest about who may enter."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.errors import BadRequest, RuleMissing
from app.insurance.affordability import check_affordability
from app.insurance.amounts import read_goal, suggest_amount
from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import EntryAge
from app.insurance.models import Product
from app.insurance.plans import payment_cycles, plan_options
from app.insurance.premium import EntryRefused, PremiumQuote, compare_premiums, quote
from app.insurance.pricing import find_plan, max_sum_insured, monthly_premium
from app.insurance.renewal import RenewalProjection, project_renewals
from app.insurance.surrender import SurrenderExplanation, explain_surrender, rate_after

NEW_START, FIRST_DAY, CHOOSE, WHOLE_LIFE = "B00115023", "B00355005", "B00155017", "B00329010"


def quoted(answer: object) -> PremiumQuote:
    assert isinstance(answer, PremiumQuote)
    return answer


@pytest.mark.parametrize(("code", "won"), [(NEW_START, 20_625), (FIRST_DAY, 15_600)])
def test_the_published_premiums_hold_to_the_won(catalogue: Catalogue, code: str, won: int) -> None:
    assert quoted(quote(catalogue, catalogue.product(code), EntryAge(45), "M")).premium == won


def test_a_quote_says_what_it_rests_on(catalogue: Catalogue) -> None:
    found = quoted(quote(catalogue, catalogue.product(NEW_START), EntryAge(45), "M"))
    assert found.waiting == "90일 면책" and found.renewal == "갱신형" and found.renewal_period_years == 10
    assert found.sum_insured == 30_000_000 and found.table_premium == 20_625
    assert "보험료표의 45세 남성" in found.source and "보험나이" in found.age_note
    assert quoted(quote(catalogue, catalogue.product(FIRST_DAY), EntryAge(45), "M")).waiting == "면책 없음"


def test_premium_is_table_times_sum_share_times_plan_factor(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)
    # 20,625 × 5,000/3,000 × 1.66 = 57,062.5, halves up
    found = quoted(quote(catalogue, product, EntryAge(45), "M", sum_insured=50_000_000, plan="종합형"))
    assert found.premium == 57_063
    assert quoted(quote(catalogue, product, EntryAge(45), "M", sum_insured=15_000_000)).premium == 10_313


@given(table=st.integers(1, 900_000), steps=st.integers(0, 8))
def test_more_cover_never_costs_less(catalogue: Catalogue, table: int, steps: int) -> None:
    product = catalogue.product(NEW_START)
    amounts = (10_000_000 + steps * 5_000_000, 15_000_000 + steps * 5_000_000)
    less, more = (monthly_premium(product, table, amount, product.default_plan) for amount in amounts)
    assert less <= more


def test_every_product_can_be_quoted_at_every_entry_age(catalogue: Catalogue) -> None:
    for product in catalogue.products:
        for age in range(product.entry_age.min, product.entry_age.max + 1):
            for gender in ("M", "F"):
                answer = quote(catalogue, product, EntryAge(age), gender)  # type: ignore[arg-type]
                assert isinstance(answer, PremiumQuote) and answer.premium > 0
                assert answer.sum_insured <= max_sum_insured(product, age)


def test_an_age_outside_is_refused_with_range_and_alternatives(catalogue: Catalogue) -> None:
    answer = quote(catalogue, catalogue.product(CHOOSE), EntryAge(45), "M")
    assert isinstance(answer, EntryRefused) and "50~75세" in answer.reason
    assert {(a.code, a.premium) for a in answer.alternatives} == {(NEW_START, 20_625), (FIRST_DAY, 15_600)}


@pytest.mark.parametrize(
    ("amount", "age", "words"),
    [(90_000_000, 45, "1,000만원~5,000만원"), (32_000_000, 45, "500만원 단위"), (50_000_000, 60, "만 60세 기준")],
)
def test_a_sum_insured_out_of_rule_is_refused_with_the_way_out(
    catalogue: Catalogue, amount: int, age: int, words: str
) -> None:
    with pytest.raises(BadRequest, match=words):
        quote(catalogue, catalogue.product(NEW_START), EntryAge(age), "M", sum_insured=amount)


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (None, "미지급형 20년납"),
        ("20년납", "미지급형 20년납"),
        ("미지급형", "미지급형 20년납"),
        ("기본형 15년납", "기본형 15년납"),
        ("10년납 기본형", "기본형 10년납"),
    ],
)
def test_plans_are_understood_loosely(catalogue: Catalogue, words: str | None, name: str) -> None:
    assert find_plan(catalogue.product(WHOLE_LIFE), words).name == name


def test_an_unknown_plan_is_refused_with_the_names_there_are(catalogue: Catalogue) -> None:
    with pytest.raises(BadRequest, match="항암든든형"):
        find_plan(catalogue.product(NEW_START), "황금형")


def test_comparison_stands_cheapest_first_and_names_who_cannot_enter(catalogue: Catalogue) -> None:
    products = [catalogue.product(code) for code in (NEW_START, CHOOSE, FIRST_DAY)]
    found = compare_premiums(catalogue, products, EntryAge(45), "M")
    assert [q.code for q in found.quotes] == [FIRST_DAY, NEW_START] and found.spread == 5_025
    assert [f.code for f in found.not_enterable] == [CHOOSE] and found.cheapest == "첫날부터암보험"


def test_plans_are_priced_only_for_a_known_person_who_may_enter(catalogue: Catalogue) -> None:
    product = catalogue.product(WHOLE_LIFE)
    assert all(p.premium is None for p in plan_options(catalogue, product, None, None).plans)
    priced = plan_options(catalogue, product, EntryAge(40), "M").plans
    assert all(p.premium and p.total_paid == p.premium * 12 * p.payment_years for p in priced)
    assert plan_options(catalogue, product, EntryAge(90), "M").entry_ok is False


def test_payment_cycles_tell_the_discount_and_the_saving(catalogue: Catalogue) -> None:
    found = payment_cycles(catalogue, catalogue.product(NEW_START), EntryAge(45), "M")
    yearly = next(c for c in found.cycles if c.name == "연납")
    assert yearly.payment == 242_550 and yearly.yearly_saving == 4_950  # 20,625 × 12 × 0.98
    assert found.best == "연납" and found.best_discount == 0.02


def test_renewals_are_read_from_the_table_at_each_renewal_age(catalogue: Catalogue) -> None:
    product = catalogue.product(NEW_START)
    found = project_renewals(catalogue, product, EntryAge(45), "M")
    assert isinstance(found, RenewalProjection)
    assert [p.age for p in found.points] == [45, 55, 65, 75] and found.renewals == 3
    assert [p.premium for p in found.points] == [catalogue.premium(NEW_START, age, "M") for age in (45, 55, 65, 75)]
    assert found.points[1].rise == round(found.points[1].premium / 20_625 - 1, 4)
    near = project_renewals(catalogue, product, EntryAge(45), "M", horizon_years=12)
    assert isinstance(near, RenewalProjection) and near.renewals == 1


def test_every_renewing_product_can_be_projected_from_every_entry_age(catalogue: Catalogue) -> None:
    renewing = [p for p in catalogue.products if p.renewal.kind == "갱신형"]
    assert renewing
    for product in renewing:
        for age in (product.entry_age.min, product.entry_age.max):
            found = project_renewals(catalogue, product, EntryAge(age), "F")
            assert isinstance(found, RenewalProjection) and found.points


def test_a_product_that_does_not_renew_says_so_without_asking(catalogue: Catalogue) -> None:
    found = project_renewals(catalogue, catalogue.product(WHOLE_LIFE), None, None)
    assert isinstance(found, RenewalProjection) and not found.renews and found.points == ()


def test_a_budget_that_falls_short_shows_what_would_fit(catalogue: Catalogue) -> None:
    found = check_affordability(catalogue, catalogue.product(NEW_START), 16_000, EntryAge(45), "M")
    assert not isinstance(found, EntryRefused)
    assert not found.fits and found.difference == -4_625 and found.gap == 4_625
    assert found.smaller_sum and (found.smaller_sum.sum_insured, found.smaller_sum.premium) == (20_000_000, 13_750)
    assert [(p.code, p.premium) for p in found.cheaper_products] == [(FIRST_DAY, 15_600)]


def test_a_budget_that_fits_says_what_is_left(catalogue: Catalogue) -> None:
    found = check_affordability(catalogue, catalogue.product(NEW_START), 20_625, EntryAge(45), "M")
    assert not isinstance(found, EntryRefused) and found.fits and found.difference == 0


def test_a_no_refund_plan_warns_and_pays_nothing_while_premiums_are_due(catalogue: Catalogue) -> None:
    product = catalogue.product(WHOLE_LIFE)
    found = explain_surrender(catalogue, product, plan="미지급형", years_paid=10, age=EntryAge(40), gender="F")
    assert isinstance(found, SurrenderExplanation)
    assert found.refund == 0 and found.paid == (found.premium or 0) * 120 and "20년" in (found.warning or "")


def test_refund_is_what_was_paid_times_the_rate_of_the_year(catalogue: Catalogue) -> None:
    found = explain_surrender(
        catalogue, catalogue.product(WHOLE_LIFE), plan="기본형 20년납", years_paid=20, age=EntryAge(40), gender="F"
    )
    assert isinstance(found, SurrenderExplanation) and found.rate and found.premium and found.refund
    assert found.refund == round(found.premium * 240 * found.rate) and found.warning is None


def test_a_table_of_another_payment_term_gives_no_amount(catalogue: Catalogue) -> None:
    found = explain_surrender(
        catalogue, catalogue.product(WHOLE_LIFE), plan="미지급형 10년납", years_paid=12, age=EntryAge(40), gender="F"
    )
    assert isinstance(found, SurrenderExplanation)
    assert found.refund is None and found.table_note and found.table_plan == "미지급형 20년납"


def test_a_renewing_contract_counts_its_refund_from_the_last_renewal(catalogue: Catalogue) -> None:
    found = explain_surrender(catalogue, catalogue.product(NEW_START), years_paid=15, age=EntryAge(45), gender="M")
    assert isinstance(found, SurrenderExplanation) and found.counted_years == 5
    assert found.premium == catalogue.premium(NEW_START, 55, "M") and found.paid == found.premium * 60


def test_between_two_years_of_the_table_the_earlier_rate_holds(catalogue: Catalogue) -> None:
    rule = catalogue.product(WHOLE_LIFE).surrender_rules[0]
    assert rate_after(rule.by_year, 10_000) == rule.by_year[-1].rate
    assert rate_after((), 3) == 0.0


@pytest.mark.parametrize(
    ("words", "goal"),
    [
        ("암 진단", "암 진단"),
        ("가족 생활비", "사망보장"),
        ("치매 간병", "간병"),
        ("임플란트", "치과치료"),
        ("뇌혈관", "건강 진단"),
        ("몰라요", None),
    ],
)
def test_goals_are_read_from_plain_words(words: str, goal: str | None) -> None:
    assert read_goal(words, None) == goal


def test_a_suggestion_shows_its_arithmetic_and_stays_in_range(catalogue: Catalogue) -> None:
    product: Product = catalogue.product(NEW_START)
    found = suggest_amount("암 진단", product, 3_000_000, None)
    assert [s.amount for s in found.steps] == [72_000_000, 20_000_000] and found.needed == 92_000_000
    assert found.suggested == found.max == 50_000_000 and "최대" in found.adjustment
    free = suggest_amount("사망보장", None, 4_000_000, 150_000_000)
    assert free.needed == 294_000_000 and free.suggested == 300_000_000


@given(income=st.integers(0, 50_000_000))
def test_a_suggestion_can_always_be_bought(catalogue: Catalogue, income: int) -> None:
    for product in catalogue.products:
        rule = product.sum_insured
        goal = read_goal(None, product)
        assert goal is not None
        amount = suggest_amount(goal, product, income, None).suggested
        assert rule.min <= amount <= rule.max
        assert amount in (rule.default, rule.max) or (amount - rule.min) % rule.step == 0


def test_a_renewal_age_that_the_table_lacks_is_told(catalogue: Catalogue) -> None:
    with pytest.raises(RuleMissing, match="세까지"):
        catalogue.premium(NEW_START, 120, "M")
