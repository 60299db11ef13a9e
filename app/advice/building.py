"""From a household and its wishes to a proposal: fit, compose, detail, add up. Every figure comes from a tool call."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from app.advice.book import AdviceBook, Tag
from app.advice.calls import Calls, Invoke
from app.advice.checking import checked
from app.advice.composing import Composed, Draft, compose
from app.advice.detailing import covered, detail
from app.advice.fitting import Fit, Fitting, Offer
from app.advice.models import (
    Budget,
    DisclosureText,
    LeftOpen,
    Line,
    NeedCover,
    PersonLines,
    Proposal,
    ProposalRequest,
    Question,
    Variant,
)
from app.advice.reckoning import Reckoner
from app.insurance.wording import money, won


async def build(request: ProposalRequest, invoke: Invoke, book: AdviceBook) -> Proposal:
    """The proposal for what was told and wished; without anything to recommend it says so.

    Calls go through `invoke`, each once. Raises CannotPropose for values and wishes that allow no proposal, AppError
    where a tool that everything rests on fails.
    """
    request = checked(request, book)
    return await _Building(request, Calls(invoke), book).proposal()


class _Building:
    """One proposal in the making."""

    def __init__(self, request: ProposalRequest, calls: Calls, book: AdviceBook) -> None:
        self._request, self._calls, self._book = request, calls, book
        self._household, self._wishes = request.household, request.wishes
        self._reckoner = Reckoner()
        self._least_source: set[str] = set()

    async def proposal(self) -> Proposal:
        fits = await self._fits()
        variants = []
        for made in _apart([compose(rule, fits, self._household.budget, self._wishes)
                            for rule in self._book.plan.variants]):  # fmt: skip
            variant = await self._variant(made, fits)
            variants.append(variant)
        chosen = self._chosen(variants)
        variants = [variant.model_copy(update={"chosen": variant.id == chosen}) for variant in variants]
        nothing = None if variants else await self._nothing(fits)
        refused = tuple(refusal for fit in fits for refusal in fit.refused)
        tags = self._tags(variants)
        used = {name for v in variants for p in v.people for line in p.lines for name in line.sources}
        used |= {name for refusal in refused for name in refusal.sources} | self._least_source
        plan = self._book.plan
        return Proposal(
            household=self._household,
            wishes=self._wishes,
            variants=tuple(variants),
            nothing=nothing,
            refused=refused,
            questions=tuple(
                Question(text=q.ask, basis=q.basis) for q in plan.suitability if set(q.when) <= tags
            ),
            disclosures=tuple(
                DisclosureText(item=told.item, text=told.text, basis=told.basis)
                for told in self._book.disclosures if set(told.when) <= tags
            ),
            sources=self._calls.sources(used),
            derivations=self._reckoner.all(),
        )  # fmt: skip

    async def _fits(self) -> list[Fit]:
        contracts = None
        if self._request.customer_id is not None:
            contracts = await self._calls.tried(self._book.sources.tools.held, customer_id=self._request.customer_id)
            if contracts is not None and "contracts" not in contracts.data:
                contracts = None
        fitting = Fitting(self._calls, self._book, self._wishes, self._household.budget is None)
        people = self._household.people
        return list(
            await asyncio.gather(*(fitting.fit(p, contracts if n == 0 else None) for n, p in enumerate(people)))
        )

    async def _variant(self, made: Composed, fits: Sequence[Fit]) -> Variant:
        """The variant in full; a line whose premium turns out above what was reckoned falls out again."""
        people = {person.id: person for person in self._household.people}
        while True:
            reckoner = Reckoner()
            of = f"variants.{made.rule.id}"
            lines = await asyncio.gather(
                *(
                    detail(
                        draft, people[draft.person], f"{of}.lines.{draft.person}-{draft.offer.code}", self._calls,
                        self._book, reckoner,
                    )
                    for draft in made.drafts
                )
            )  # fmt: skip
            if not self._over(made.drafts, lines):
                break
            made.drafts.pop()
        held = list(zip(made.drafts, lines, strict=True))
        parts = []
        for person in self._household.people:
            own = tuple(line for draft, line in held if draft.person == person.id)
            total = reckoner.total(f"{of}.people.{person.id}.premium", [line.premium for line in own]) if own else 0
            parts.append(PersonLines(person=person.id, premium=total, lines=own))
        totals = [part.premium for part in parts if part.lines]
        cover = self._cover(of, held, fits, reckoner)
        variant = Variant(
            id=made.rule.id,
            title=made.rule.title,
            chosen=False,
            premium=reckoner.total(f"{of}.premium", totals) if totals else 0,
            people=tuple(parts),
            left_open=self._left_open(made, fits, cover),
            cover=cover,
            premiums_by_year=reckoner.by_year(f"{of}.years", lines),
        )
        self._reckoner.take(reckoner)
        return variant

    def _over(self, drafts: Sequence[Draft], lines: Sequence[Line]) -> bool:
        budget = self._household.budget
        if budget is None or not lines:
            return False
        spent: dict[str, int] = {}
        for draft, line in zip(drafts, lines, strict=True):
            key = draft.person if budget.per == "person" else ""
            spent[key] = spent.get(key, 0) + line.premium
        return max(spent.values()) > budget.amount

    def _cover(
        self, of: str, held: Sequence[tuple[Draft, Line]], fits: Sequence[Fit], reckoner: Reckoner
    ) -> tuple[NeedCover, ...]:
        made = []
        for fit in fits:
            own = [covered(draft, line) for draft, line in held if draft.person == fit.person.id]
            for need, wanted in fit.needs:
                figures = [amounts[need.id] for amounts in own if need.id in amounts]
                before = fit.held.get(need.id, 0)
                already = wanted if before is None else before
                figures += [already] if already else []
                total = reckoner.total(f"{of}.cover.{fit.person.id}.{need.id}", figures) if figures else 0
                made.append(
                    NeedCover(
                        person=fit.person.id, need=need.id, title=need.title, unit=need.unit, wanted=wanted,
                        covered=total, held=already, basis=need.basis,
                    )
                )  # fmt: skip
        return tuple(made)

    def _left_open(self, made: Composed, fits: Sequence[Fit], cover: Sequence[NeedCover]) -> tuple[LeftOpen, ...]:
        book = self._book
        told = [
            LeftOpen(person=m.person, need=m.need.id, why=m.why, text=book.say(f"open_{m.why}", need=m.need.title))
            for m in made.missing
        ]
        gone = {(item.person, item.need) for item in told}
        told += [
            LeftOpen(
                person=item.person, need=item.need, why="part",
                text=book.say("open_part", need=item.title, wanted=money(item.wanted), covered=money(item.covered)),
            )
            for item in cover
            if item.covered < item.wanted and (item.person, item.need) not in gone
        ]  # fmt: skip
        told += [
            LeftOpen(person=fit.person.id, need=None, why="age", text=book.say("open_age", label=fit.person.label))
            for fit in fits
            if not fit.needs
        ]
        told += [
            LeftOpen(person=fit.person.id, need=need.id, why="age", text=book.say("open_need_age", need=need.title))
            for fit in fits
            for need in fit.unmeasured
        ]
        return tuple(told)

    def _chosen(self, variants: Sequence[Variant]) -> str | None:
        names = [variant.id for variant in variants]
        wanted = self._wishes.chosen or self._book.plan.chosen
        return wanted if wanted in names else names[-1] if names else None

    async def _nothing(self, fits: Sequence[Fit]) -> str:
        """Why there is nothing to recommend; where the budget is too small, the least premium there is."""
        offers = [(fit, offer) for fit in fits for some in fit.offers.values() for offer in some]
        budget: Budget | None = self._household.budget
        if not offers:
            wished = self._wishes.renewal == "fixed" or bool(self._wishes.without or self._wishes.at_once)
            return self._book.say("nothing_wish" if wished and any(f.needs for f in fits) else "nothing")
        if budget is None:
            return self._book.say("nothing_wish")
        fit, offer = min(offers, key=lambda pair: _least(pair[1]))
        price = await self._calls(
            self._book.sources.tools.price, product_code=offer.code, age=fit.person.age, gender=fit.person.sex,
            sum_insured=offer.least,
        )  # fmt: skip
        self._least_source = {price.id, *(rider.source for rider in offer.riders)}
        least = self._reckoner.total("nothing", [price.data["premium"], *(rider.premium for rider in offer.riders)])
        return self._book.say("nothing_budget", budget=money(budget.amount), least=won(least))

    def _tags(self, variants: Sequence[Variant]) -> set[Tag]:
        people, plan = self._household.people, self._book.plan
        lines = [line for variant in variants for part in variant.people for line in part.lines]
        held = any(person.has for person in people) or self._request.customer_id is not None
        facts: dict[Tag, bool] = {
            "minor": any(person.age < plan.grown_up_from for person in people),
            "elderly": any(person.age >= plan.elderly_from for person in people),
            "told": any(person.told for person in people),
            "untold": not all(person.told for person in people),
            "no_budget": self._household.budget is None,
            "held": held,
            "unheld": not held,
            "job": any(person.job for person in people),
            "renews": any(len(line.renewal.path) > 1 or line.renewal.period_years for line in lines),
            "waits": any(wait.days for line in lines for wait in line.waiting),
            "reduces": any(line.reduction for line in lines),
            "no_surrender": any(line.surrender in self._book.sources.reads.no_surrender for line in lines),
        }
        return {tag for tag, holds in facts.items() if holds}


def _apart(made: Sequence[Composed]) -> list[Composed]:
    """The variants that hold something, each different from those before."""
    kept: list[Composed] = []
    for one in made:
        if one.drafts and one.key() not in [other.key() for other in kept]:
            kept.append(one)
    return kept


def _least(offer: Offer) -> int:
    return offer.main_premium(offer.least) + sum(rider.premium for rider in offer.riders)
