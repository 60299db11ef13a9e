"""Edits of a request: each changes what it names, wins over what it contradicts, and never loses what was entered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import TypeAdapter

from app.advice.book import AdviceBook
from app.advice.checking import checked
from app.advice.edits import Edit, changed
from app.advice.models import ProposalRequest
from app.errors import CannotPropose
from tests.advice.conftest import Propose

EDITS: TypeAdapter[Edit] = TypeAdapter(Edit)
START = ProposalRequest.model_validate(
    {
        "household": {
            "people": [{"age": 45, "sex": "M", "worries": ["암"]}, {"age": 42, "sex": "F", "role": "partner"}],
            "budget": {"amount": 150_000},
        },
        "wishes": {"sums": [{"need": "암", "amount": 40_000_000, "person": "p1"}]},
    }
)


def edited(book: AdviceBook, *edits: dict[str, Any], start: ProposalRequest = START) -> ProposalRequest:
    for edit in edits:
        start = changed(start, EDITS.validate_python(edit), book)
    return start


@pytest.mark.requirement("advice:edits:typed")
def test_without_takes_worries_and_sums_of_it_along(book: AdviceBook) -> None:
    after = edited(book, {"kind": "without", "what": "암"})
    assert [(w.what, w.person) for w in after.wishes.without] == [("cancer", None)]
    assert not after.wishes.sums and not after.household.people[0].worries
    assert START.household.people[0].worries == ("암",), "what was given stays as it was"


def test_without_for_one_leaves_the_others(book: AdviceBook) -> None:
    after = edited(book, {"kind": "without", "what": "치아"}, {"kind": "with", "what": "치아", "person": "p2"})
    assert [(w.what, w.person) for w in after.wishes.without] == [("dental", "p1")]


def test_with_for_a_need_that_nobody_left_out_is_a_worry(book: AdviceBook) -> None:
    after = edited(book, {"kind": "with", "what": "치매", "person": "p2"})
    assert after.household.people[1].worries == ("dementia_care",)


def test_with_for_a_product_wishes_for_it_and_takes_its_need_back(book: AdviceBook) -> None:
    after = edited(book, {"kind": "without", "what": "암"}, {"kind": "with", "what": "첫날부터암보험"})
    assert after.wishes.products == ("B00355005",) and not after.wishes.without


@pytest.mark.requirement("advice:edits:typed")
def test_cover_from_the_first_day_is_wished_for_and_taken_back(book: AdviceBook) -> None:
    one = {"kind": "at_once", "need": "암", "person": "p2"}
    after = edited(book, {"kind": "without", "what": "암"}, one)
    assert [(w.need, w.person) for w in after.wishes.at_once] == [("cancer", "p2")]
    assert [(w.what, w.person) for w in after.wishes.without] == [("cancer", "p1")], "wanted again by whom it is of"
    both = edited(book, {"kind": "at_once"}, one, start=after)
    assert [(w.need, w.person) for w in both.wishes.at_once] == [(None, None), ("cancer", "p2")]
    assert edited(book, one, {"kind": "remove", "person": "p2"}).wishes.at_once == ()
    assert edited(book, one, {"kind": "at_once", "value": False}, start=both).wishes.at_once == ()


def test_a_sum_takes_back_that_its_need_was_left_out(book: AdviceBook) -> None:
    sums = {"kind": "sum", "need": "치아", "amount": 2_000_000, "person": "p2"}
    after = edited(book, {"kind": "without", "what": "치아", "person": "p2"}, sums)
    assert not after.wishes.without and len(after.wishes.sums) == 2
    assert len(edited(book, {"kind": "sum", "need": "암", "person": "p1"}).wishes.sums) == 0


def test_people_come_go_and_are_corrected(book: AdviceBook) -> None:
    after = edited(book, {"kind": "add", "person": {"age": 9, "sex": "F"}})
    assert [(p.id, p.role, p.label) for p in after.household.people][2] == ("p3", "child", "자녀")
    grown = edited(book, {"kind": "correct", "person": "p3", "set": {"age": 30}}, start=after)
    assert grown.household.people[2].role == "self"
    gone = edited(book, {"kind": "remove", "person": "p1"}, start=after)
    assert [p.id for p in gone.household.people] == ["p2", "p3"] and not gone.wishes.sums


def test_budget_renewal_and_variant(book: AdviceBook) -> None:
    after = edited(
        book, {"kind": "budget", "amount": 90_000, "per": "person"}, {"kind": "renewal", "value": "fixed"},
        {"kind": "choose", "variant": "lean"}, {"kind": "again"},
    )  # fmt: skip
    assert after.household.budget is not None and after.household.budget.per == "person"
    assert (after.wishes.renewal, after.wishes.chosen) == ("fixed", "lean")
    assert edited(book, {"kind": "budget"}, start=after).household.budget is None


@pytest.mark.requirement("advice:edits:impossible")
@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ({"kind": "remove", "person": "p9"}, "p9"),
        ({"kind": "correct", "person": "p9", "set": {"age": 3}}, "p9"),
        ({"kind": "correct", "person": "p1", "set": {}}, "하나 이상"),
        ({"kind": "without", "what": "우주여행"}, "우주여행"),
        ({"kind": "budget", "amount": 0}, "0원"),
        ({"kind": "sum", "need": "암", "amount": 0}, "가입금액"),
        ({"kind": "choose", "variant": "golden"}, "golden"),
        ({"kind": "add", "person": {"id": "p1", "age": 3, "sex": "M"}}, "p1"),
    ],
)
def test_an_impossible_edit_tells_the_way_out(book: AdviceBook, edit: dict[str, Any], words: str) -> None:
    with pytest.raises(CannotPropose) as told:
        edited(book, edit)
    assert words in str(told.value)


def test_the_last_person_and_the_last_need_stay(book: AdviceBook) -> None:
    alone = edited(book, {"kind": "remove", "person": "p2"})
    with pytest.raises(CannotPropose, match="한 분은"):
        edited(book, {"kind": "remove", "person": "p1"}, start=alone)
    with pytest.raises(CannotPropose, match="모두 빼면"):
        edited(book, *({"kind": "without", "what": need.id} for need in book.needs))


_WHO = st.sampled_from(("p1", "p2", "p3", None))
_WHAT = st.sampled_from(("암", "치아", "사망", "뇌·심장", "첫날부터암보험", "채우는335"))
_SOME = st.one_of(
    st.fixed_dictionaries({"kind": st.sampled_from(("without", "with")), "what": _WHAT, "person": _WHO}),
    st.fixed_dictionaries(
        {
            "kind": st.just("sum"),
            "need": st.sampled_from(("암", "치아")),
            "amount": st.none() | st.integers(0, 10**9),
            "person": _WHO,
        }
    ),
    st.fixed_dictionaries({"kind": st.just("renewal"), "value": st.sampled_from(("any", "fixed"))}),
    st.fixed_dictionaries({"kind": st.just("budget"), "amount": st.none() | st.integers(0, 10**7)}),
    st.fixed_dictionaries(
        {
            "kind": st.just("add"),
            "person": st.fixed_dictionaries(
                {"age": st.integers(0, 120), "sex": st.just("F"), "worries": st.lists(_WHAT, max_size=2)}
            ),
        }
    ),
    st.fixed_dictionaries({"kind": st.just("remove"), "person": st.sampled_from(("p1", "p2", "p3"))}),
    st.fixed_dictionaries(
        {
            "kind": st.just("correct"),
            "person": st.sampled_from(("p1", "p2")),
            "set": st.fixed_dictionaries({"age": st.integers(0, 120)}),
        }
    ),
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(_SOME, max_size=12))
def test_any_row_of_edits_leads_to_a_request_that_stands(book: AdviceBook, edits: list[dict[str, Any]]) -> None:
    now = checked(START, book)
    for edit in edits:
        before = now.model_dump_json()
        try:
            now = changed(now, EDITS.validate_python(edit), book)
        except CannotPropose as refusal:
            assert str(refusal) and refusal.field and now.model_dump_json() == before
        assert checked(now, book) == now
        assert 1 <= len(now.household.people) <= book.plan.most_people


async def test_edits_show_in_the_proposal(book: AdviceBook, propose: Propose) -> None:
    after = edited(
        book, {"kind": "without", "what": "사망"}, {"kind": "sum", "need": "암", "amount": 50_000_000, "person": "p2"}
    )  # fmt: skip
    proposal = (await propose(**after.model_dump(mode="json"))).proposal
    for variant in proposal.variants:
        lines = [line for part in variant.people for line in part.lines]
        assert lines and all("death" not in (line.need, *line.also) for line in lines)
    cover = next(c for c in proposal.variants[-1].cover if c.person == "p2" and c.need == "cancer")
    assert cover.wanted == 50_000_000
