"""What a consultation still asks for, by the plan in the data. Pure."""

from __future__ import annotations

from collections.abc import Collection

from app.advice.book import AdviceBook, Slot
from app.advice.models import ProposalRequest


def to_ask(request: ProposalRequest | None, passed: Collection[str], book: AdviceBook) -> tuple[Slot, ...]:
    """The next slots to ask for together, in the order of the plan; none where everything is told or was passed over.

    `request` is what is known so far, None before anybody is; `passed` names slots that were asked for and skipped or
    denied (no illness, no other insurance). A slot that may not be skipped is asked for again.
    """
    told = _told(request)
    waiting = [slot for slot in book.plan.slots if slot.id not in told]
    needed = [slot for slot in waiting if not slot.skippable or slot.id not in passed]
    return tuple(needed[: book.plan.at_once])


def _told(request: ProposalRequest | None) -> frozenset[str]:
    """The slots that something is known of."""
    if request is None:
        return frozenset()
    people = request.household.people
    facts = {
        "people": bool(people),
        "budget": request.household.budget is not None,
        "worries": any(person.worries for person in people) or bool(request.wishes.products or request.wishes.sums),
        "health": any(person.told for person in people),
        "has": any(person.has for person in people) or request.customer_id is not None,
        "job": any(person.job for person in people),
    }
    return frozenset(name for name, known in facts.items() if known)
