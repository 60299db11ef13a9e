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
    """The lines that a variant's rule takes of what the people may have.

    First every need, the most pressing of everybody first, at the share that the rule starts with; what is left of the
    budget then raises the sums to the rule's share, and buys extras where the rule wants them. Where somebody would go
    without the need that presses him most, everybody starts with the least sums.
    """
    made = _composed(rule, rule.start, fits, budget, wishes)
    if not (behind := _left_behind(made, fits)):
        return made
    least = _composed(rule, 0.0, fits, budget, wishes)
    return least if _left_behind(least, fits) < behind else made


def _left_behind(made: Composed, fits: Sequence[Fit]) -> int:
    """How many go, for the budget, without the first of their needs for which there is anything."""
    gone = {(missing.person, missing.need.id): missing.why for missing in made.missing}
    firsts = (
        next((need.id for need, _ in fit.needs if gone.get((fit.person.id, need.id)) in (None, "budget")), None)
        for fit in fits
    )
    return sum((fit.person.id, first) in gone for fit, first in zip(fits, firsts, strict=True) if first)


def _composed(rule: VariantRule, start: float, fits: Sequence[Fit], budget: Budget | None, wishes: Wishes) -> Composed:
    made, purse = Composed(rule), _Purse(budget, rule.budget_share)
    taken = {fit.person.id: 0 for fit in fits}
    answered: list[tuple[Fit, Need, int]] = []
    for place in range(max((len(fit.needs) for fit in fits), default=0)):
        for fit in fits:
            if place >= len(fit.needs):
                continue
            need, wanted = fit.needs[place]
            why = _closed(fit, need, wanted, wishes)
            if why is None and taken[fit.person.id] >= rule.needs and not _asked_for(fit, need, wishes):
                why = "depth"
            if why is None:
                why = _take(made, purse, fit, need, _aim(wanted, start, fit, need, wishes), wanted)
            if why is None:
                taken[fit.person.id] += 1
                answered.append((fit, need, wanted))
            else:
                made.missing.append(Missing(fit.person.id, need, why))
    for fit, need, wanted in answered:
        _raise(made, purse, fit, need, _aim(wanted, rule.share, fit, need, wishes))
    if rule.extras:
        for fit, need, _ in answered:
            _deepen(made, purse, fit, need)
    return made


def _asked_for(fit: Fit, need: Need, wishes: Wishes) -> bool:
    """Whether somebody asked for just this, so that no variant goes without it for its depth."""
    return need.id in fit.person.worries or _exact(fit, need, wishes)


def _exact(fit: Fit, need: Need, wishes: Wishes) -> bool:
    return any(wish.need == need.id and wish.person in (None, fit.person.id) for wish in wishes.sums)


def _aim(wanted: int, share: float, fit: Fit, need: Need, wishes: Wishes) -> int:
    """The sum aimed at (원): a share of the one wanted, all of one that was wished; less what is there already."""
    aim = wanted if _exact(fit, need, wishes) else int(wanted * share)
    return max(1, aim - (fit.held.get(need.id) or 0))


def _closed(fit: Fit, need: Need, wanted: int, wishes: Wishes) -> OpenWhy | None:
    """Why a need is not to be answered at all."""
    if any(w.what == need.id and w.person in (None, fit.person.id) for w in wishes.without):
        return "without"
    if need.id in fit.held and (fit.held[need.id] is None or (fit.held[need.id] or 0) >= wanted):
        return "held"
    if not fit.offers.get(need.id):
        return "fixed" if need.id in fit.renewing_only else "waits" if need.id in fit.at_once else "none"
    return None


def _take(made: Composed, purse: _Purse, fit: Fit, need: Need, aim: int, wanted: int) -> OpenWhy | None:
    """Adds the first offer that the purse allows; "budget" where it allows none."""
    person = fit.person.id
    for offer in fit.offers[need.id]:
        before = next((d for d in made.drafts if d.person == person and d.offer.code == offer.code), None)
        floor, spent = (before.sum_insured, before.premium) if before else (offer.least, 0)
        draft = Draft(
            person, before.offer if before else offer, floor, _joined(before.riders if before else (), offer.riders),
            (*(before.answers if before else ()), (offer, wanted)),
        )  # fmt: skip
        fitting = _highest(draft, max(offer.sum_for(aim), floor), purse.left(person), spent)
        if fitting is None:
            continue
        purse.spend(person, fitting.premium - spent)
        if before is not None:
            made.drafts[made.drafts.index(before)] = fitting
        else:
            made.drafts.append(fitting)
        return None
    return "budget"


def _raise(made: Composed, purse: _Purse, fit: Fit, need: Need, aim: int) -> None:
    place, draft, offer = _of(made, fit, need)
    higher = _highest(draft, max(offer.sum_for(aim), draft.sum_insured), purse.left(fit.person.id), draft.premium)
    if higher is not None:
        purse.spend(fit.person.id, higher.premium - draft.premium)
        made.drafts[place] = higher


def _deepen(made: Composed, purse: _Purse, fit: Fit, need: Need) -> None:
    place, draft, offer = _of(made, fit, need)
    for extra in offer.extras:
        deeper, left = replace(draft, riders=_joined(draft.riders, (extra,))), purse.left(fit.person.id)
        if left is None or deeper.premium - draft.premium <= left:
            purse.spend(fit.person.id, deeper.premium - draft.premium)
            made.drafts[place] = draft = deeper


def _of(made: Composed, fit: Fit, need: Need) -> tuple[int, Draft, Offer]:
    return next(
        (place, draft, offer)
        for place, draft in enumerate(made.drafts)
        if draft.person == fit.person.id
        for offer, _ in draft.answers
        if offer.need.id == need.id
    )


def _highest(draft: Draft, top: int, left: int | None, spent: int) -> Draft | None:
    """The draft at the greatest sum from its own up to `top` that costs no more than `left` beyond `spent`."""
    step = draft.offer.step
    for sum_insured in range(top, draft.sum_insured - 1, -step):
        tried = replace(draft, sum_insured=sum_insured)
        if left is None or tried.premium - spent <= left:
            return tried
    return None


def _joined(some: Sequence[RiderOffer], more: Sequence[RiderOffer]) -> tuple[RiderOffer, ...]:
    by_code: Mapping[str, RiderOffer] = {rider.code: rider for rider in (*some, *more)}
    return tuple(by_code.values())
