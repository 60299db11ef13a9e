"""Which lines a variant holds: need by need, the most pressing of everybody first, while the budget lasts. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from app.advice.book import Need, VariantRule
from app.advice.fitting import Fit, Offer, RiderOffer
from app.advice.models import Budget, OpenWhy, Wishes


@dataclass(frozen=True)
class Draft:
    """One product for one person. `answers` are the needs that it answers with the sum wanted of each (guide or wish,
    원); the first is what it was taken for."""

    person: str
    offer: Offer
    sum_insured: int
    riders: tuple[RiderOffer, ...]
    answers: tuple[tuple[Offer, int], ...]

    @property
    def premium(self) -> int:
        """What it costs (원 a month)."""
        return self.offer.main_premium(self.sum_insured) + sum(rider.premium for rider in self.riders)


@dataclass(frozen=True)
class Missing:
    """A need that no line answers."""

    person: str
    need: Need
    why: OpenWhy


@dataclass
class Composed:
    """The lines of a variant and what it leaves open."""

    rule: VariantRule
    drafts: list[Draft] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)

    def key(self) -> frozenset[tuple[str, str, int, tuple[str, ...]]]:
        """What tells two variants apart."""
        return frozenset((d.person, d.offer.code, d.sum_insured, tuple(r.code for r in d.riders)) for d in self.drafts)


class _Purse:
    """What may still be spent, by each or by all; None: without limit."""

    def __init__(self, budget: Budget | None, share: float) -> None:
        self._each = budget is not None and budget.per == "person"
        self._most = None if budget is None else int(budget.amount * share)
        self._spent: dict[str, int] = {}

    def left(self, person: str) -> int | None:
        return None if self._most is None else self._most - self._spent.get(self._key(person), 0)

    def spend(self, person: str, amount: int) -> None:
        self._spent[self._key(person)] = self._spent.get(self._key(person), 0) + amount

    def _key(self, person: str) -> str:
        return person if self._each else ""


def compose(rule: VariantRule, fits: Sequence[Fit], budget: Budget | None, wishes: Wishes) -> Composed:
    """The lines that a variant's rule takes of what the people may have."""
    made, purse = Composed(rule), _Purse(budget, rule.budget_share)
    depth = max((len(fit.needs) for fit in fits), default=0)
    taken = {fit.person.id: 0 for fit in fits}
    for place in range(depth):
        for fit in fits:
            if place >= len(fit.needs):
                continue
            need, wanted = fit.needs[place]
            asked = need.id in fit.person.worries or any(w.need == need.id for w in wishes.sums)
            why = _closed(fit, need, wanted, wishes)
            if why is None and taken[fit.person.id] >= rule.needs and not asked:
                why = "depth"
            if why is None:
                exact = any(w.need == need.id and w.person in (None, fit.person.id) for w in wishes.sums)
                why = _take(made, purse, fit, need, wanted if exact else int(wanted * rule.share), wanted)
            if why is None:
                taken[fit.person.id] += 1
            else:
                made.missing.append(Missing(fit.person.id, need, why))
    return made


def _closed(fit: Fit, need: Need, wanted: int, wishes: Wishes) -> OpenWhy | None:
    """Why a need is not to be answered at all."""
    if any(w.what == need.id and w.person in (None, fit.person.id) for w in wishes.without):
        return "without"
    if need.id in fit.held and (fit.held[need.id] is None or (fit.held[need.id] or 0) >= wanted):
        return "held"
    if not fit.offers.get(need.id):
        return "fixed" if need.id in fit.renewing_only else "none"
    return None


def _take(made: Composed, purse: _Purse, fit: Fit, need: Need, aim: int, wanted: int) -> OpenWhy | None:
    """Adds the first offer that the purse allows; "budget" where it allows none."""
    aim = max(1, aim - (fit.held.get(need.id) or 0))
    for offer in fit.offers[need.id]:
        before = next((d for d in made.drafts if d.person == fit.person.id and d.offer.code == offer.code), None)
        draft = _within(offer, fit.person.id, aim, wanted, made.rule, before, purse.left(fit.person.id))
        if draft is None:
            continue
        purse.spend(fit.person.id, draft.premium - (before.premium if before else 0))
        if before is not None:
            made.drafts[made.drafts.index(before)] = draft
        else:
            made.drafts.append(draft)
        return None
    return "budget"


def _within(
    offer: Offer, person: str, aim: int, wanted: int, rule: VariantRule, before: Draft | None, left: int | None
) -> Draft | None:
    """The offer at the greatest sum up to the one aimed at that the purse allows, with its extras where they fit."""
    floor = before.sum_insured if before else offer.least
    spent = before.premium if before else 0
    riders = _joined(before.riders if before else (), offer.riders)
    answers = (*(before.answers if before else ()), (offer, wanted))
    draft = Draft(person, before.offer if before else offer, max(offer.sum_for(aim), floor), riders, answers)
    while left is not None and draft.premium - spent > left:
        if draft.sum_insured - offer.step < floor:
            return None
        draft = replace(draft, sum_insured=draft.sum_insured - offer.step)
    if rule.extras:
        for extra in offer.extras:
            deeper = replace(draft, riders=_joined(draft.riders, (extra,)))
            if left is None or deeper.premium - spent <= left:
                draft = deeper
    return draft


def _joined(some: Sequence[RiderOffer], more: Sequence[RiderOffer]) -> tuple[RiderOffer, ...]:
    by_code: Mapping[str, RiderOffer] = {rider.code: rider for rider in (*some, *more)}
    return tuple(by_code.values())
