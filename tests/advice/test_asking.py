"""What a consultation asks for next."""

from __future__ import annotations

from typing import Any

import pytest

from app.advice.asking import to_ask
from app.advice.book import AdviceBook
from app.advice.models import ProposalRequest


def asked(book: AdviceBook, people: list[dict[str, Any]], *passed: str, **more: Any) -> list[str]:
    request = ProposalRequest.model_validate({"household": {"people": people, **more}})
    return [slot.id for slot in to_ask(request, passed, book)]


@pytest.mark.requirement("advice:plan:two-at-once")
def test_at_most_two_short_questions_in_the_order_of_the_plan(book: AdviceBook) -> None:
    assert [slot.id for slot in to_ask(None, (), book)] == ["people", "budget"]
    assert all(len(slot.ask) <= 70 for slot in book.plan.slots)
    one = [{"age": 40, "sex": "M"}]
    assert asked(book, one) == ["budget", "worries"]
    assert asked(book, one, budget={"amount": 90_000}) == ["worries", "health"]
    assert asked(book, [{**one[0], "told": ["고혈압"], "worries": ["암"]}], "budget") == ["has", "job"]


def test_everything_but_the_people_may_be_skipped(book: AdviceBook) -> None:
    names = [slot.id for slot in book.plan.slots]
    assert asked(book, [{"age": 40, "sex": "M"}], *names) == []
    assert [slot.id for slot in to_ask(None, names, book)] == ["people"]
