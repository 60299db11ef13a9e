"""What one person may have: the products that answer their needs, at which sums and premiums, and what is refused."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from app.advice.book import AdviceBook, Answer, Need, RiderChoice
from app.advice.calls import Calls, Result
from app.advice.models import Named, Person, Refusal, Wishes
from app.errors import CannotPropose
from app.insurance.wording import round_half_up


@dataclass(frozen=True)
class RiderOffer:
    """A rider that this person may add, its premium (원 a month) and share of the table premium."""

    code: str
    name: str
    premium: int
    share: Fraction
    pays: str
    source: str


@dataclass(frozen=True)
class Offer:
    """A product that this person may have for a need. `covers`: amount (원) at `default_sum` and whether it scales."""

    need: Need
    answer: Answer
    code: str
    name: str
    table: int
    factor: Fraction
    default_sum: int
    least: int
    most: int
    step: int
    usual: int
    covers: tuple[tuple[int, bool], ...]
    riders: tuple[RiderOffer, ...]
    extras: tuple[RiderOffer, ...]
    no_surrender: bool
    verdict: str
    notes: tuple[str, ...]
    sources: tuple[str, ...]

    def main_premium(self, sum_insured: int) -> int:
        """What the tool's own rule makes of a sum (원 a month)."""
        return round_half_up(self.table * Fraction(sum_insured, self.default_sum) * self.factor)

    def cover_at(self, sum_insured: int) -> int:
        """What is paid at a sum, the least of the benefits that count (원)."""
        share = Fraction(sum_insured, self.default_sum)
        return min(round_half_up(amount * share) if scales else amount for amount, scales in self.covers)

    def sum_for(self, wanted: int) -> int:
        """The least sum that may be chosen and covers what is wanted, else the greatest; the least one where the cover
        does not depend on it."""
        if not any(scales for _, scales in self.covers):
            return self.least
        place, last = 0, (self.most - self.least) // self.step
        while place < last and self.cover_at(self.least + place * self.step) < wanted:
            place += 1
        return self.least + place * self.step


@dataclass(frozen=True)
class Fit:
    """Everything that one person may have. `needs` are theirs, the most pressing first, with the sum wanted (원)."""

    person: Person
    needs: tuple[tuple[Need, int], ...]
    offers: Mapping[str, tuple[Offer, ...]]
    held: Mapping[str, int | None]
    renewing_only: frozenset[str]
    refused: tuple[Refusal, ...]


@dataclass(frozen=True)
class _Seen:
    """What was found out about one person."""

    enterable: Mapping[str, Any]
    verdicts: Mapping[str, Any]
    found: Result
    look: Result | None
    job: Result | None
    contracts: Result | None


class Fitting:
    """Finds what people may have, by tool calls."""

    def __init__(self, calls: Calls, book: AdviceBook, wishes: Wishes) -> None:
        self._calls, self._book, self._wishes = calls, book, wishes
        self._tools, self._reads = book.sources.tools, book.sources.reads

    async def fit(self, person: Person, contracts: Result | None) -> Fit:
        """What this person may have; `contracts` are those they hold already, where that is known."""
        needs, held = self._needs(person), self._held(person, contracts)
        told = [*person.told, *([person.job] if person.job else [])]
        who = {"age": person.age, "gender": person.sex, "conditions": told or None}
        found, look, job = await asyncio.gather(
            self._calls(self._tools.find, **who),
            self._looked(person, who),
            self._calls.tried(self._tools.job, job=person.job) if person.job else _nothing(),
        )
        enterable = {line["code"]: line for line in found.data["products"]}
        fallen = {line["code"]: line["reason"] for line in found.data["fallen_out"]}
        verdicts = {line["code"]: line for line in look.data["products"]} if look else {}
        refused: dict[str, Refusal] = {}
        wanted: list[tuple[Need, Answer]] = []
        renewing: set[str] = set()
        for need, _ in needs:
            for answer in self._preferred(need.answers):
                code = answer.product
                reason = self._refusal(code, enterable, fallen, verdicts)
                if reason is not None:
                    refused[code] = self._refuse(person, code, reason, [found, look])
                elif self._unwanted(person, code):
                    continue
                elif self._wishes.renewal == "fixed" and enterable[code]["renewal"] not in self._reads.fixed:
                    renewing.add(need.id)
                    if code in self._wishes.products:
                        told_why = self._book.say("wish_renews", what=enterable[code]["name"])
                        raise CannotPropose("wishes.renewal", told_why)
                else:
                    wanted.append((need, answer))
        made = await asyncio.gather(
            *(
                self._offer(person, need, answer, _Seen(enterable, verdicts, found, look, job, contracts))
                for need, answer in wanted
            )
        )
        offers: dict[str, list[Offer]] = {}
        for (need, answer), offer in zip(wanted, made, strict=True):
            if isinstance(offer, Offer):
                offers.setdefault(need.id, []).append(offer)
            elif isinstance(offer, Refusal):
                refused[answer.product] = offer
        ranked = {need: tuple(sorted(some, key=self._rank)) for need, some in offers.items()}
        return Fit(person, needs, ranked, held, frozenset(renewing), tuple(refused.values()))

    async def _looked(self, person: Person, who: Mapping[str, Any]) -> Result | None:
        if not person.told:
            return None
        return await self._calls(self._tools.look, history=", ".join(person.told), **who)

    def _needs(self, person: Person) -> tuple[tuple[Need, int], ...]:
        theirs = self._book.needs_of(person)
        wished = [need for code in self._wishes.products for need in self._book.answered_by(code)]
        first = [*person.worries, *(need for need in wished if need in theirs)]
        made = []
        for name in dict.fromkeys([*first, *theirs]):
            need = self._book.by_id[name]
            amount = self._sum(person, need)
            if amount is not None:
                made.append((need, amount))
        return tuple(made)

    def _sum(self, person: Person, need: Need) -> int | None:
        own = {w.person: w.amount for w in self._wishes.sums if w.need == need.id and w.person in (None, person.id)}
        if own:
            return own.get(person.id) or own.get(None)
        return need.guide_sum(self._book.role_of(person), person.age)

    def _held(self, person: Person, contracts: Result | None) -> dict[str, int | None]:
        """Cover that is there already by need (원); None: enough, however much."""
        held: dict[str, int | None] = {}
        living = [line for line in contracts.data["contracts"] if line["in_force"]] if contracts else []
        own = [(item.need, item.amount) for item in person.has if item.need]
        own += [(need, line["sum_insured"]) for line in living
                for need in self._book.answered_by(line["product_code"])[:1]]  # fmt: skip
        for name, amount in own:
            before = held.get(name, 0)
            held[name] = None if amount is None or before is None else before + amount
        return held

    def _preferred(self, answers: Sequence[Answer]) -> list[Answer]:
        return sorted(answers, key=lambda answer: answer.product not in self._wishes.products)

    def _unwanted(self, person: Person, code: str) -> bool:
        return any(w.what == code and w.person in (None, person.id) for w in self._wishes.without)

    def _refusal(
        self, code: str, enterable: Mapping[str, Any], fallen: Mapping[str, str], verdicts: Mapping[str, Any]
    ) -> str | None:
        if code in fallen:
            return fallen[code]
        if code not in enterable:
            return self._book.say("refused_unsold")
        if not enterable[code]["channels"]:
            return self._book.say("refused_unsold")
        seen = verdicts.get(code)
        if seen and (seen["verdict"] in self._reads.declined or seen["entry"] in self._reads.no_entry):
            return str(seen["reason"])
        return None

    def _refuse(self, person: Person, code: str, reason: str, used: Sequence[Result | None]) -> Refusal:
        product = Named(code=code, name=self._book.products.get(code, code))
        ids = tuple(result.id for result in used if result is not None)
        return Refusal(person=person.id, product=product, reason=reason, sources=ids)

    async def _offer(self, person: Person, need: Need, answer: Answer, known: _Seen) -> Offer | Refusal | None:
        """The offer; a refusal where rules beside age and health forbid it, None where the cover cannot be had."""
        code, book = answer.product, self._book
        goals = list(dict.fromkeys(choice.goal for choice in (*answer.riders, *answer.extras)))
        limits, price, covers, *bundles = await asyncio.gather(
            self._calls(self._tools.limits, product_code=code, age=person.age),
            self._calls(self._tools.price, product_code=code, age=person.age, gender=person.sex),
            self._calls(self._tools.covers, product_code=code),
            *(
                self._calls(self._tools.riders, product_code=code, goal=goal, age=person.age, gender=person.sex)
                for goal in goals
            ),
        )
        pickable = _pickable(dict(zip(goals, bundles, strict=True)))
        riders = _riders(answer.riders, pickable)
        if riders is None:
            return None
        if (held := _held_of(code, person, known.contracts)) >= limits.data["max_contracts"]:
            reason = book.say("refused_held", held=held, most=limits.data["max_contracts"])
            return self._refuse(person, code, reason, [known.contracts, limits])
        most, job = limits.data["max"], known.job
        if job is not None and job.data.get("found") and (share := job.data.get("sum_insured_share")) is not None:
            most = round_half_up(most * Fraction(str(share)))
        least, step = limits.data["min"], limits.data["step"]
        if most < least:
            reason = book.say("refused_job", job=person.job)
            return self._refuse(person, code, reason, [job, limits])
        seen = known.verdicts.get(code)
        amounts = {line["benefit_id"]: line for line in (*covers.data["main"], *covers.data["riders"])}
        extras = tuple(offer for choice in answer.extras if (offer := pickable.get((choice.code, choice.goal))))
        return Offer(
            need=need, answer=answer, code=code, name=limits.data["name"], table=price.data["table_premium"],
            factor=Fraction(str(price.data["plan_factor"])), default_sum=price.data["sum_insured_default"],
            least=least, most=least + (most - least) // step * step, step=step, usual=limits.data["usual"],
            covers=tuple((amounts[name]["amount"], amounts[name]["scales"]) for name in answer.covers),
            riders=riders, extras=extras, no_surrender=price.data["surrender"] in self._reads.no_surrender,
            verdict=seen["verdict"] if seen else book.say("untold_verdict"),
            notes=self._notes(known.enterable[code], seen, job),
            sources=tuple(r.id for r in (known.found, known.look, job, limits) if r is not None),
        )  # fmt: skip

    def _notes(self, line: Mapping[str, Any], seen: Mapping[str, Any] | None, job: Result | None) -> tuple[str, ...]:
        notes = [str(seen["reason"])] if seen else []
        limited = job is not None and (job.data.get("surcharge") or job.data.get("sum_insured_share") not in (None, 1))
        if job is not None and limited:
            notes.append(self._book.say("job_note", job=job.data["job"], effect=job.data["effect"]))
        return (*notes, self._book.say("untold_note", form=line["disclosure_form"]))

    def _rank(self, offer: Offer) -> tuple[bool, int]:
        """The wished product first, then what underwriting objects to least; else in the order of the book."""
        verdicts = self._reads.verdicts
        worst = verdicts.index(offer.verdict) if offer.verdict in verdicts else 0
        return offer.code not in self._wishes.products, worst


def _held_of(code: str, person: Person, contracts: Result | None) -> int:
    living = [line for line in contracts.data["contracts"] if line["in_force"]] if contracts else []
    codes = [*(line["product_code"] for line in living), *(item.product for item in person.has)]
    return codes.count(code)


async def _nothing() -> None:
    return None


def _pickable(bundles: Mapping[str, Result]) -> dict[tuple[str, str], RiderOffer]:
    return {
        (pick["rider_code"], goal): RiderOffer(
            code=pick["rider_code"], name=pick["rider_name"], premium=pick["premium"],
            share=Fraction(str(pick["premium_share"])), pays=pick["why"], source=result.id,
        )
        for goal, result in bundles.items()
        for bundle in result.data["bundles"]
        for pick in bundle["picks"]
        if pick["premium"] is not None
    }  # fmt: skip


def _riders(
    choices: Sequence[RiderChoice], pickable: Mapping[tuple[str, str], RiderOffer]
) -> tuple[RiderOffer, ...] | None:
    found = [pickable.get((choice.code, choice.goal)) for choice in choices]
    taken = tuple(offer for offer in found if offer is not None)
    return taken if len(taken) == len(found) else None
