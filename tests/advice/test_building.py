"""A proposal keeps within the budget, recommends nothing forbidden, and every figure of it comes from a call."""

from __future__ import annotations

from itertools import chain
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.advice.book import AdviceBook
from app.advice.models import Line, Proposal, Variant
from app.answering.calculator import Derivation, unsupported
from app.errors import CannotPropose
from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import EntryAge
from app.insurance.knockouts import accept, hear
from app.insurance.underwriting import precheck
from tests.advice.conftest import TODAY, Made, Propose

FAMILY: dict[str, Any] = {
    "people": [
        {"age": 45, "sex": "M", "job": "사무직", "told": ["고혈압약 복용 중"]},
        {"age": 42, "sex": "F", "role": "partner"},
        {"age": 12, "sex": "M"},
        {"age": 8, "sex": "F"},
    ],
    "budget": {"amount": 200_000},
}
_TOLD = (
    "고혈압약 복용 중", "3년 전 유방암 수술", "당뇨로 투약 중", "간암 투병 중", "작년에 맹장 수술", "틀니 사용",
    "치매 진단",
)  # fmt: skip
PEOPLE = st.lists(
    st.fixed_dictionaries(
        {"age": st.integers(0, 105), "sex": st.sampled_from("MF")},
        optional={
            "told": st.lists(st.sampled_from(_TOLD), max_size=2),
            "job": st.sampled_from(("사무직", "용접공", "교사", "스턴트맨")),
            "worries": st.lists(st.sampled_from(("암", "치아", "치매", "뇌", "사망", "입원")), max_size=2),
        },
    ),
    min_size=1,
    max_size=4,
)
BUDGETS = st.none() | st.fixed_dictionaries(
    {"amount": st.integers(5_000, 400_000), "per": st.sampled_from(("household", "person"))}
)
WISHES = st.fixed_dictionaries({"renewal": st.sampled_from(("any", "any", "fixed"))})


def lines_of(variant: Variant) -> list[tuple[str, Line]]:
    return [(part.person, line) for part in variant.people for line in part.lines]


def check_sums(proposal: Proposal) -> None:
    for variant in proposal.variants:
        for part in variant.people:
            assert part.premium == sum(line.premium for line in part.lines)
        lines = [line for _, line in lines_of(variant)]
        assert variant.premium == sum(line.premium for line in lines) == variant.premiums_by_year[0].premium > 0
        for line in lines:
            assert line.premium == line.main_premium + sum(rider.premium for rider in line.riders)
            assert line.premium == line.renewal.path[0].premium
        budget = proposal.household.budget
        if budget is not None:
            spent = [variant.premium] if budget.per == "household" else [part.premium for part in variant.people]
            assert max(spent) <= budget.amount


def check_allowed(proposal: Proposal, catalogue: Catalogue) -> None:
    people = {person.id: person for person in proposal.household.people}
    refused = {(refusal.person, refusal.product.code) for refusal in proposal.refused}
    for variant in proposal.variants:
        codes = [(person, line.product.code) for person, line in lines_of(variant)]
        assert len(codes) == len(set(codes)) and not refused & set(codes)
        for name, code in codes:
            person, product = people[name], catalogue.product(code)
            told = [*person.told, *([person.job] if person.job else [])]
            assert person.age in product.entry_age
            heard = hear(catalogue.reference, told, TODAY)
            assert accept(catalogue.reference, product, heard).entry != "가입 불가"
            if person.told:
                history = ", ".join(person.told)
                seen = precheck(
                    catalogue, product, EntryAge(person.age), person.sex, history, conditions=told, today=TODAY
                )
                assert seen.verdict != "거절 가능성"
            if proposal.wishes.renewal == "fixed":
                assert product.renewal.kind == "비갱신형"


def check_figures(made: Made) -> None:
    """Every figure stands in the result of a call, or follows from such by a derivation that holds."""
    proposal, known = made.proposal, made.figures
    steps = [Derivation.model_validate(step.model_dump(exclude={"of"})) for step in proposal.derivations]
    assert unsupported(steps, known) == ()
    reckoned = known | {step.result for step in steps} | {0}
    for variant in proposal.variants:
        shown = [variant.premium, *(point.premium for point in variant.premiums_by_year)]
        shown += [part.premium for part in variant.people]
        shown += [item.covered for item in variant.cover if not item.held]
        for _, line in lines_of(variant):
            shown += [line.main_premium, line.premium, line.sum_insured, line.term.years]
            shown += [amount.amount for amount in line.covers] + [rider.premium for rider in line.riders]
            shown += [number for point in line.renewal.path for number in (point.premium, point.age)]
            assert set(line.sources) <= proposal.sources.keys()
        assert set(shown) <= reckoned
    assert all(set(refusal.sources) <= proposal.sources.keys() for refusal in proposal.refused)


@pytest.mark.requirement("advice:proposal:sound")
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(people=PEOPLE, budget=BUDGETS, wishes=WISHES)
async def test_any_household_gets_a_sound_proposal_or_none(
    propose: Propose, catalogue: Catalogue, people: list[dict[str, Any]], budget: Any, wishes: dict[str, Any]
) -> None:
    made = await propose(household={"people": people, "budget": budget}, wishes=wishes)
    check_sums(made.proposal)
    check_allowed(made.proposal, catalogue)
    check_figures(made)
    assert bool(made.proposal.variants) != bool(made.proposal.nothing)
    assert sum(variant.chosen for variant in made.proposal.variants) == bool(made.proposal.variants)
    assert made.proposal.questions and made.proposal.disclosures


@pytest.mark.requirement("advice:proposal:complete")
async def test_a_family_gets_three_variants_with_everything_that_must_be_known(propose: Propose) -> None:
    made = await propose(household=FAMILY)
    proposal = made.proposal
    assert [variant.id for variant in proposal.variants] == ["lean", "balanced", "wide"]
    assert [person.id for person in proposal.household.people] == ["p1", "p2", "p3", "p4"]
    assert [person.role for person in proposal.household.people] == ["self", "partner", "child", "child"]
    lean, balanced, wide = proposal.variants
    assert lean.premium < balanced.premium < wide.premium <= 200_000 and balanced.chosen
    assert {person for person, _ in lines_of(lean)} == {"p1", "p2", "p3", "p4"}
    for _, line in chain(*map(lines_of, proposal.variants)):
        assert line.reason and line.covers and line.waiting and line.not_covered and line.underwriting.notes
        assert line.term.payment and line.renewal.ends_year
    cancer = next(line for person, line in lines_of(balanced) if person == "p1" and line.need == "cancer")
    assert any("혈압약" in note for note in cancer.underwriting.notes)
    assert [wait.days for wait in cancer.waiting] == [90, 0] and cancer.reduction[0].rate == 0.5
    assert [point.year for point in cancer.renewal.path] == [0, 10, 20, 30]
    assert any(item.person == "p1" and item.need == "cancer" and item.covered < item.wanted for item in lean.cover)
    assert any(open.person == "p1" and open.need == "dental" for open in lean.left_open)
    assert len(made.calls) == len(set(made.calls)), "equal calls are one call"


async def test_a_renewal_premium_is_the_tools_own_where_sum_and_riders_are_its(propose: Propose) -> None:
    people = [{"age": 45, "sex": "M"}]
    wishes = {"sums": [{"need": "암", "amount": 30_000_000}]}
    made = await propose(household={"people": people}, wishes=wishes)
    line = next(line for _, line in lines_of(made.proposal.variants[0]) if line.product.code == "B00115023")
    assert line.sum_insured == 30_000_000
    assert [point.premium for point in line.renewal.path] == [20625, 38095, 64950, 97230]


@pytest.mark.requirement("advice:proposal:no-is-an-answer")
@pytest.mark.parametrize(
    ("people", "words"),
    [
        ([{"age": 105, "sex": "F"}], "권할 수 있는 상품이 없습니다"),
        ([{"age": 2, "sex": "M"}], "권할 수 있는 상품이 없습니다"),
    ],
)
async def test_where_nothing_may_be_had_it_says_so(propose: Propose, people: Any, words: str) -> None:
    proposal = (await propose(household={"people": people})).proposal
    assert not proposal.variants and words in str(proposal.nothing)
    assert proposal.household.people[0].age == people[0]["age"]


async def test_a_budget_that_buys_nothing_is_told_with_the_least_premium_there_is(propose: Propose) -> None:
    made = await propose(household={"people": [{"age": 62, "sex": "M"}], "budget": {"amount": 5_000}})
    assert not made.proposal.variants
    nothing = str(made.proposal.nothing)
    assert "예산 5,000원" in nothing
    figures = {int(word.replace(",", "")) for word in nothing.replace("원", " ").split() if word[:1].isdigit()}
    reckoned = {step.result for step in made.proposal.derivations}
    assert any(figure in made.figures | reckoned and figure > 5_000 for figure in figures), nothing


async def test_nobody_goes_without_what_presses_most_for_a_higher_sum_of_another(propose: Propose) -> None:
    couple = [{"age": 55, "sex": "M"}, {"age": 53, "sex": "F", "role": "partner"}]
    proposal = (await propose(household={"people": couple, "budget": {"amount": 50_000}})).proposal
    assert proposal.variants
    for variant in proposal.variants:
        assert {person for person, line in lines_of(variant) if line.need == "cancer"} == {"p1", "p2"}


@pytest.mark.requirement("advice:proposal:nothing-forbidden")
async def test_what_underwriting_forbids_is_refused_with_its_reason(propose: Propose) -> None:
    told = {"people": [{"age": 55, "sex": "F", "told": ["2년 전 유방암 수술"], "worries": ["암"]}]}
    proposal = (await propose(household=told)).proposal
    refused = {refusal.product.code: refusal.reason for refusal in proposal.refused}
    assert {"B00115023", "B00155017", "B00355005"} <= refused.keys() and "암" in refused["B00155017"]
    for variant in proposal.variants:
        assert all("cancer" not in (line.need, *line.also) for _, line in lines_of(variant))
        assert any(open.need == "cancer" and open.why == "none" for open in variant.left_open)


async def test_cover_that_is_there_already_counts(propose: Propose) -> None:
    person = {"age": 45, "sex": "M", "has": [{"need": "암"}, {"need": "사망", "amount": 40_000_000}]}
    proposal = (await propose(household={"people": [person]})).proposal
    wide = proposal.variants[-1]
    assert all(line.need != "cancer" for _, line in lines_of(wide))
    assert any(open.need == "cancer" and open.why == "held" for open in wide.left_open)
    death = next(item for item in wide.cover if item.need == "death")
    assert death.held == 40_000_000 and death.covered >= death.wanted


async def test_a_contract_of_the_same_product_is_not_sold_twice(propose: Propose) -> None:
    person = {"age": 45, "sex": "M", "worries": ["치아"], "has": [{"product": "THE건강한치아보험V", "amount": 100}]}
    proposal = (await propose(household={"people": [person]})).proposal
    assert any(r.product.code == "B00197011" and "이미 1건" in r.reason for r in proposal.refused)


async def test_a_risky_job_halves_the_sums_and_is_told(propose: Propose) -> None:
    plain = (await propose(household={"people": [{"age": 40, "sex": "M"}]})).proposal
    risky = (await propose(household={"people": [{"age": 40, "sex": "M", "job": "용접공"}]})).proposal
    most = max(line.sum_insured for _, line in lines_of(risky.variants[-1]) if line.product.code == "B00392004")
    assert most == 50_000_000
    assert max(line.sum_insured for _, line in lines_of(plain.variants[-1])) == 100_000_000
    notes = [note for _, line in lines_of(risky.variants[-1]) for note in line.underwriting.notes]
    assert any("용접공" in note for note in notes)


@pytest.mark.requirement("advice:bad-input:told")
@pytest.mark.parametrize(
    ("household", "wishes", "field", "words"),
    [
        ({"people": []}, {}, "household.people", "나이와 성별"),
        ({"people": [{"age": 30, "sex": "M"}] * 12}, {}, "household.people", "8명"),
        ({"people": [{"age": 30, "sex": "M"}], "budget": {"amount": 0}}, {}, "household.budget", "0원"),
        ({"people": [{"age": 30, "sex": "M"}], "budget": {"amount": 900}}, {}, "household.budget", "5,000원"),
        ({"people": [{"age": 30, "sex": "M"}]}, {"without": [{"what": "여행"}]}, "wishes.without", "여행"),
        (
            {"people": [{"age": 30, "sex": "M"}]},
            {"products": ["첫날부터암보험"], "without": [{"what": "암"}]}, "wishes.products", "첫날부터암보험",
        ),
        (
            {"people": [{"age": 30, "sex": "M"}]},
            {"products": ["첫날부터암보험"], "renewal": "fixed"}, "wishes.renewal", "갱신형",
        ),
        (
            {"people": [{"age": 30, "sex": "M", "worries": ["치아"]}]},
            {"without": [{"what": "치아"}]}, "wishes.without", "치아",
        ),
        (
            {"people": [{"age": 30, "sex": "M"}]},
            {"sums": [{"need": "암", "amount": 1, "person": "p7"}]}, "person", "p7",
        ),
        ({"people": [{"age": 30, "sex": "M"}]}, {"chosen": "huge"}, "wishes.chosen", "huge"),
        (
            {"people": [{"id": "a", "age": 30, "sex": "M"}, {"id": "a", "age": 3, "sex": "M"}]},
            {}, "household.people", "(a)",
        ),
    ],
)  # fmt: skip
async def test_what_allows_no_proposal_is_told_with_the_way_out(
    propose: Propose, household: Any, wishes: Any, field: str, words: str
) -> None:
    with pytest.raises(CannotPropose) as told:
        await propose(household=household, wishes=wishes)
    assert told.value.field == field and words in str(told.value)


def test_every_answer_of_the_shipped_advice_can_be_taken(book: AdviceBook) -> None:
    needs = {need.id for need in book.needs}
    assert needs == {"cancer", "brain_heart", "hospital_surgery", "dementia_care", "dental", "death"}
    assert book.need_of("암이 걱정돼요") == "cancer" and book.need_of("치매") == "dementia_care"
    assert book.what_of("첫날부터암보험") == "B00355005" and book.what_of("바람") is None


@pytest.mark.requirement("advice:allowed:first-day")
@pytest.mark.parametrize("need", ["암", "치매", None])
async def test_what_is_wanted_from_the_first_day_never_waits(propose: Propose, need: str | None) -> None:
    people = [{"age": age, "sex": sex, "worries": ["암", "치매"]} for age, sex in ((38, "F"), (55, "M"), (66, "F"))]
    made = await propose(household={"people": people}, wishes={"at_once": [{"need": need}]})
    [wish] = made.proposal.wishes.at_once
    told = [line for variant in made.proposal.variants for _, line in lines_of(variant)]
    assert told
    for line in told:
        if wish.need in (None, line.need, *line.also):
            late = {name for wait in line.waiting if wait.days for name in wait.benefits}
            assert not late & {cover.name for cover in line.covers}, (line.product.name, late)


@pytest.mark.requirement("advice:allowed:first-day")
async def test_a_need_that_only_waiting_products_answer_stays_open_and_says_so(propose: Propose) -> None:
    household = {"people": [{"age": 66, "sex": "M", "worries": ["암"], "told": ["당뇨로 투약 중"]}]}
    wishes = {"at_once": [{"need": "암"}], "without": [{"what": "첫날부터암보험"}, {"what": "간편건강보험"}]}
    made = await propose(household=household, wishes=wishes)
    for variant in made.proposal.variants:
        [gap] = [gap for gap in variant.left_open if gap.need == "cancer"]
        assert gap.why == "waits" and "면책 기간 없이" in gap.text
    with pytest.raises(CannotPropose, match="면책 기간이 있어"):
        await propose(
            household={"people": [{"age": 41, "sex": "M"}]},
            wishes={"at_once": [{"need": "암"}], "products": ["뉴스타트암보험"]},
        )
