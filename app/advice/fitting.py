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
    """A product that this person may have for a need. `base`: its premium (원 a month) at the sum `usual` at this age;
    `covers`: amounts (원) at `default_sum` and whether they scale."""

    need: Need
    answer: Answer
    code: str
    name: str
    base: int
    usual: int
    default_sum: int
    least: int
    most: int
    step: int
    covers: tuple[tuple[int, bool], ...]
    riders: tuple[RiderOffer, ...]
    extras: tuple[RiderOffer, ...]
    verdict: str
    notes: tuple[str, ...]
    sources: tuple[str, ...]

    def main_premium(self, sum_insured: int) -> int:
        """What a sum will cost (원 a month), never too little: 1원 more where the tool rounds from another figure."""
        spare = sum_insured != self.usual and self.usual != self.default_sum
        return round_half_up(self.base * Fraction(sum_insured, self.usual)) + spare

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
    """Everything that one person may have. `needs` are theirs, the most pressing first, with the sum wanted (원);
    `at_once` are those that are wanted from the first day only, and have products but for that; `unmeasured` are
    worries for which the guide knows no sum at their age."""

    person: Person
    needs: tuple[tuple[Need, int], ...]
    offers: Mapping[str, tuple[Offer, ...]]
    held: Mapping[str, int | None]
    renewing_only: frozenset[str]
    at_once: frozenset[str]
    unmeasured: tuple[Need, ...]
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
    told: tuple[str, ...]


class Fitting:
    """Finds what people may have, by tool calls."""

    def __init__(self, calls: Calls, book: AdviceBook, wishes: Wishes, unlimited: bool) -> None:
        """`unlimited`: there is no budget for which a second product may have to be cheaper."""
        self._most = 1 if unlimited else book.plan.offers
        self._calls, self._book, self._wishes = calls, book, wishes
        self._tools, self._reads = book.sources.tools, book.sources.reads

    async def fit(self, person: Person, contracts: Result | None) -> Fit:
        """What this person may have; `contracts` are those they hold already, where that is known."""
        needs, held = self._needs(person), self._held(person, contracts)
        known_needs = {need.id for need, _ in needs}
        unmeasured = tuple(self._book.by_id[name] for name in person.worries if name not in known_needs)
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
            if self._unwanted(person, need.id):
                continue
            for answer in need.answers:
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
        known = _Seen(enterable, verdicts, found, look, job, contracts, tuple(told))
        made = await asyncio.gather(
            *(self._best(person, need, [a for n, a in wanted if n is need], known) for need, _ in needs)
        )
        for refusal in (refusal for _, some in made for refusal in some):
            refused[refusal.product.code] = refusal
        offers = {need.id: best for (need, _), (best, _) in zip(needs, made, strict=True) if best}
        at_once = frozenset(need.id for need, _ in wanted if self._at_once(person, need))
        return Fit(person, needs, offers, held, frozenset(renewing), at_once, unmeasured, tuple(refused.values()))

    async def _best(
        self, person: Person, need: Need, answers: Sequence[Answer], known: _Seen
    ) -> tuple[tuple[Offer, ...], tuple[Refusal, ...]]:
        """The offers for a need, as many as the plan compares: the wished product first, then what underwriting objects
        to least, else in the order of the book; and what turned out to be refused on the way."""
        waiting = sorted(answers, key=lambda answer: self._rank(answer, known))
        offers: list[Offer] = []
        refused: list[Refusal] = []
        while waiting and len(offers) < self._most:
            some, waiting = waiting[: self._most], waiting[self._most :]
            for offer in await asyncio.gather(*(self._offer(person, need, answer, known) for answer in some)):
                if isinstance(offer, Offer):
                    offers.append(offer)
                elif offer is not None:
                    refused.append(offer)
        return tuple(offers), tuple(refused)

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

    def _unwanted(self, person: Person, code: str) -> bool:
        return any(w.what == code and w.person in (None, person.id) for w in self._wishes.without)

    def _at_once(self, person: Person, need: Need) -> bool:
        return any(wish.of(need.id, person.id) for wish in self._wishes.at_once)

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
        entry = await self._entry(code, person, known)
        limits, covers, *bundles = await asyncio.gather(
            self._calls(self._tools.limits, product_code=code, age=person.age),
            self._calls(self._tools.covers, product_code=code),
            *(
                self._calls(self._tools.riders, product_code=code, goal=goal, age=person.age, gender=person.sex)
                for goal in goals
            ),
        )
        pickable = _pickable(dict(zip(goals, bundles, strict=True)))
        riders = _riders(answer.riders, pickable)
        amounts = {line["benefit_id"]: line for line in (*covers.data["main"], *covers.data["riders"])}
        late = {line["rider_code"] for line in covers.data["riders"] if line["waiting_days"]}
        at_once = self._at_once(person, need)
        if riders is None or (at_once and any(amounts[name]["waiting_days"] for name in answer.covers)):
            if riders is not None and code in self._wishes.products:
                raise CannotPropose("wishes.at_once", book.say("wish_waits", what=limits.data["name"]))
            return None
        if (held := _held_of(code, person, known.contracts)) >= limits.data["max_contracts"]:
            reason = book.say("refused_held", held=held, most=limits.data["max_contracts"])
            return self._refuse(person, code, reason, [known.contracts, limits])
        if entry is not None and entry.data["verdict"] in self._reads.no_entry:
            return self._refuse(person, code, " ".join(entry.data["reasons"]), [entry])
        most, job = limits.data["max"], known.job
        if job is not None and job.data.get("found") and (share := job.data.get("sum_insured_share")) is not None:
            most = round_half_up(most * Fraction(str(share)))
        least, step = limits.data["min"], limits.data["step"]
        if most < least:
            reason = book.say("refused_job", job=person.job)
            return self._refuse(person, code, reason, [job, limits])
        seen = known.verdicts.get(code)
        extras = tuple(
            offer
            for choice in answer.extras
            if (offer := pickable.get((choice.code, choice.goal))) and not (at_once and choice.code in late)
        )
        return Offer(
            need=need, answer=answer, code=code, name=limits.data["name"], base=known.enterable[code]["premium"],
            usual=limits.data["usual"],
            default_sum=covers.data["sum_insured_default"],
            least=least, most=least + (most - least) // step * step, step=step,
            covers=tuple((amounts[name]["amount"], amounts[name]["scales"]) for name in answer.covers),
            riders=riders, extras=extras,             verdict=seen["verdict"] if seen else book.say("untold_verdict"),
            notes=self._notes(known.enterable[code], seen, job, entry),
            sources=tuple(r.id for r in (known.found, known.look, job, entry, limits) if r is not None),
        )  # fmt: skip

    async def _entry(self, code: str, person: Person, known: _Seen) -> Result | None:
        """The entry rule read against what was told; nothing told, nothing to read."""
        if not known.told:
            return None
        return await self._calls(self._tools.entry, product_code=code, age=person.age, conditions=list(known.told))

    def _notes(
        self, line: Mapping[str, Any], seen: Mapping[str, Any] | None, job: Result | None, entry: Result | None
    ) -> tuple[str, ...]:
        notes = [str(seen["reason"])] if seen else []
        for met in entry.data["knockouts"] if entry else ():
            part = met["certain"] and met["part"]
            notes.append(self._book.say("part_note" if part else "open_note", rule=met["rule"], part=met["part"]))
        limited = job is not None and (job.data.get("surcharge") or job.data.get("sum_insured_share") not in (None, 1))
        if job is not None and limited:
            notes.append(self._book.say("job_note", job=job.data["job"], effect=job.data["effect"]))
        return (*notes, self._book.say("untold_note", form=line["disclosure_form"]))

    def _rank(self, answer: Answer, known: _Seen) -> tuple[bool, int]:
        verdicts, seen = self._reads.verdicts, known.verdicts.get(answer.product)
        worst = verdicts.index(seen["verdict"]) if seen and seen["verdict"] in verdicts else 0
        return answer.product not in self._wishes.products, worst


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
