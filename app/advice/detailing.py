"""One drafted line in full: everything that is told of it comes from tool calls."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from app.advice.book import AdviceBook
from app.advice.calls import Calls, Result
from app.advice.composing import Draft
from app.advice.models import (
    CoverAmount,
    Line,
    LineRider,
    Named,
    PathPoint,
    Person,
    Reduction,
    RenewalPath,
    Term,
    Underwriting,
    Waiting,
)
from app.advice.reckoning import Reckoner
from app.insurance.wording import percent

_MOST_EXCLUSIONS = 8


async def detail(draft: Draft, person: Person, of: str, calls: Calls, book: AdviceBook, reckoner: Reckoner) -> Line:
    """The line with premium, covers, periods, exclusions and renewals. `of`: where it stands in the proposal."""
    code, tools = draft.offer.code, book.sources.tools
    who = {"age": person.age, "gender": person.sex}
    price, covers, plans, waits, exclusions, renewal = await asyncio.gather(
        calls(tools.price, product_code=code, sum_insured=draft.sum_insured, **who),
        calls(tools.covers, product_code=code, sum_insured=draft.sum_insured),
        calls(tools.plans, product_code=code),
        calls(tools.waiting, product_code=code),
        calls(tools.exclusions, product_code=code),
        calls(tools.renewal, product_code=code, **who),
    )
    rider_codes = {rider.code for rider in draft.riders}
    paid = [line for line in covers.data["main"] if line["amount"]]
    paid += [line for line in covers.data["riders"] if line["rider_code"] in rider_codes and line["amount"]]
    plan = next(plan for plan in plans.data["plans"] if plan["name"] == price.data["plan"])
    names = {line["benefit"] for line in paid}
    figures = [price.data["premium"], *(rider.premium for rider in draft.riders)]
    ids = [result.id for result in (price, covers, plans, waits, exclusions, renewal)]
    return Line(
        id=f"{person.id}-{code}",
        product=Named(code=code, name=draft.offer.name),
        need=draft.answers[0][0].need.id,
        also=tuple(offer.need.id for offer, _ in draft.answers[1:]),
        reason=_reason(draft, person, book),
        sum_insured=draft.sum_insured,
        plan=price.data["plan"],
        surrender=price.data["surrender"],
        term=Term(
            payment=price.data["payment_term"], coverage=price.data["coverage_term"], years=plan["payment_years"]
        ),
        riders=tuple(LineRider(code=r.code, name=r.name, premium=r.premium, pays=r.pays) for r in draft.riders),
        main_premium=price.data["premium"],
        premium=reckoner.total(f"{of}.premium", figures),
        covers=tuple(CoverAmount(name=c["benefit"], amount=c["amount"], unit=c["unit"]) for c in paid),
        waiting=_waiting(waits.data["groups"], names, book),
        reduction=_reductions(waits.data["groups"], names, book),
        not_covered=_not_covered(exclusions),
        renewal=_renewal(draft, renewal, price.data, plan["payment_years"], figures, of, reckoner),
        underwriting=Underwriting(
            verdict=draft.offer.verdict, notes=tuple(dict.fromkeys(n for o, _ in draft.answers for n in o.notes))
        ),
        sources=tuple(
            dict.fromkeys(
                [
                    *ids,
                    *(s for offer, _ in draft.answers for s in offer.sources),
                    *(rider.source for rider in draft.riders),
                ]
            )
        ),
    )


def covered(draft: Draft, line: Line) -> dict[str, int]:
    """What the line pays for each need that it answers (원), by the figures of its covers."""
    return {offer.need.id: offer.cover_at(line.sum_insured) for offer, _ in draft.answers}


def _reason(draft: Draft, person: Person, book: AdviceBook) -> str:
    told = []
    for offer, _ in draft.answers:
        need = offer.need
        if need.id in person.worries:
            told.append(book.say("reason_worry", need=need.title, reason=offer.answer.reason))
        else:
            told.append(book.say("reason_need", why=need.why, reason=offer.answer.reason))
    return " ".join(dict.fromkeys(told))


def _waiting(groups: Sequence[Mapping[str, Any]], names: set[str], book: AdviceBook) -> tuple[Waiting, ...]:
    made: dict[int, Waiting] = {}
    for group in groups:
        theirs = tuple(name for name in group["benefits"] if name in names)
        if not theirs:
            continue
        days = group["waiting_days"]
        text = book.say("waiting", days=days, start=group["cover_start"]) if days else book.say("no_waiting")
        before = made[days].benefits if days in made else ()
        made[days] = Waiting(days=days, text=text, benefits=tuple(dict.fromkeys((*before, *theirs))))
    return tuple(made[days] for days in sorted(made, reverse=True))


def _reductions(groups: Sequence[Mapping[str, Any]], names: set[str], book: AdviceBook) -> tuple[Reduction, ...]:
    made: dict[tuple[int, float], Reduction] = {}
    for group in groups:
        theirs = tuple(name for name in group["benefits"] if name in names)
        months, rate = group["reduction_months"], group["reduction_rate"]
        if not theirs or months is None or rate is None:
            continue
        before = made[months, rate].benefits if (months, rate) in made else ()
        text = book.say("reduction", months=months, percent=percent(rate).removesuffix("%"))
        made[months, rate] = Reduction(
            months=months, rate=rate, text=text, benefits=tuple(dict.fromkeys((*before, *theirs)))
        )
    return tuple(made.values())


def _not_covered(exclusions: Result) -> tuple[str, ...]:
    items = [line["item"] for line in (*exclusions.data["own"], *exclusions.data["common"])]
    return tuple(items[:_MOST_EXCLUSIONS])


def _renewal(
    draft: Draft,
    told: Result,
    price: Mapping[str, Any],
    payment_years: int,
    figures: Sequence[int],
    of: str,
    reckoner: Reckoner,
) -> RenewalPath:
    """Today's premium, and at each renewal the tool's own figure in the share of this sum and these riders."""
    data, now = told.data, sum(figures)
    points = [PathPoint(year=0, age=data["age"], premium=now)]
    # The table is at the default sum, the tool's figure at the sum that is usual at this age.
    table = Fraction(price["sum_insured_default"], data["sum_insured"]) / Fraction(str(price["plan_factor"]))
    share = Fraction(draft.sum_insured, data["sum_insured"]) + table * sum(rider.share for rider in draft.riders)
    for point in data["points"][1:]:
        premium = reckoner.scaled(f"{of}.path.{point['years']}", point["premium"], share)
        points.append(PathPoint(year=point["years"], age=point["age"], premium=premium))
    ends = points[-1].year + data["period_years"] if data["renews"] else payment_years
    return RenewalPath(
        kind=data["kind"], period_years=data["period_years"], last_age=data["max_age"], path=tuple(points),
        ends_year=ends,
    )  # fmt: skip
