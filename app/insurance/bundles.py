"""Riders that serve a goal, why, and what they cost. Sources: data/products/*.yaml (riders), data/premiums/*.csv."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

from app.insurance.benefits import stem
from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.matching import misspelt
from app.insurance.models import AgeRange, Category, Gender, Model, Product, Rider
from app.insurance.names import name_key
from app.insurance.pricing import default_premium, rider_premium
from app.insurance.riders import for_gender
from app.insurance.wording import jamo, money

_PRODUCTS = 3
_RIDERS = 6
_FILLERS = re.compile(r"보장|대비|준비|특약|추천|강화|위주|중심|치료비용|관련|하고싶.*|싶.*|받.*")


class RiderPick(Model):
    """A rider that serves the goal; `premium` 원 a month, estimated from its share of the main premium."""

    rider_code: str
    rider_name: str
    why: str
    premium_share: float
    premium: int | None
    entry_age: AgeRange


class RiderBundle(Model):
    """The riders of one product that serve the goal, best first. `left_out` did not fit the budget or the age."""

    code: str
    name: str
    category: Category
    entry_age: AgeRange
    picks: tuple[RiderPick, ...]
    left_out: tuple[str, ...]
    main_premium: int | None
    rider_premium: int | None
    total_premium: int | None
    within_budget: bool | None


class RiderBundles(Model):
    """Bundles for a goal. Nothing found: `near` names goals the riders do serve."""

    goal: str
    found: bool
    age: int | None
    age_kind: AgeKind = FULL_AGE
    gender: Gender | None
    monthly_budget: int | None
    product_code: str | None
    bundles: tuple[RiderBundle, ...]
    near: tuple[str, ...] = ()
    age_note: str | None = None


@dataclass(frozen=True)
class _Scored:
    rider: Rider
    score: int
    why: str


def recommend_riders(
    catalogue: Catalogue,
    products: Sequence[Product],
    goal: str,
    budget: int | None,
    age: EntryAge | None,
    gender: Gender | None,
) -> RiderBundles:
    """The riders that serve a goal: by stated goals, then names and benefits; within the budget (원 a month, main
    contract included) when age and gender are known."""
    one = products[0] if len(products) == 1 else None
    enterable = [p for p in products if one or age is None or age.fits(p.entry_age) is not False]
    scored = [(p, [s for r in p.riders if (s := _score(r, goal))]) for p in enterable]
    ranked = sorted((pair for pair in scored if pair[1]), key=lambda pair: -sum(s.score for s in pair[1][:_RIDERS]))
    bundles = tuple(_bundle(catalogue, p, riders, budget, age, gender) for p, riders in ranked[:_PRODUCTS])
    return RiderBundles(
        goal=goal,
        found=any(bundle.picks or bundle.left_out for bundle in bundles),
        age=age.years if age else None,
        age_kind=age.kind if age else FULL_AGE,
        gender=gender,
        monthly_budget=budget,
        product_code=one.code if one else None,
        bundles=bundles,
        near=() if bundles else _near_goals(products, goal),
        age_note=age.note if age and any(bundle.main_premium for bundle in bundles) else None,
    )


def _bundle(
    catalogue: Catalogue,
    product: Product,
    scored: Sequence[_Scored],
    budget: int | None,
    age: EntryAge | None,
    gender: Gender | None,
) -> RiderBundle:
    ages = catalogue.premium_ages(product.code)
    years = age.within(product.entry_age).years if age else None
    known = years is not None and gender is not None and years in product.entry_age and years in ages
    table = catalogue.premium(product.code, years, gender) if known and years is not None and gender else None
    main = default_premium(catalogue, product, years, gender) if known and years is not None and gender else None
    picks: list[RiderPick] = []
    out: list[str] = []
    spent = main or 0
    for item in sorted(scored, key=lambda s: (-s.score, s.rider.premium_share)):
        rider = item.rider
        span = rider.entry_age or product.entry_age
        premium = rider_premium(rider, table) if table is not None else None
        fits = budget is None or premium is None or spent + premium <= budget
        of_age = years is None or years in span
        if not of_age or not for_gender(rider, gender) or not fits or len(picks) >= _RIDERS:
            out.append(rider.name)
            continue
        spent += premium or 0
        picks.append(
            RiderPick(
                rider_code=rider.code,
                rider_name=rider.name,
                why=item.why,
                premium_share=rider.premium_share,
                premium=premium,
                entry_age=span,
            )
        )
    return RiderBundle(
        code=product.code,
        name=product.name,
        category=product.category,
        entry_age=product.entry_age,
        picks=tuple(picks),
        left_out=tuple(out),
        main_premium=main,
        rider_premium=spent - main if main is not None else None,
        total_premium=spent if main is not None else None,
        within_budget=None if budget is None or main is None else spent <= budget,
    )


def _score(rider: Rider, goal: str) -> _Scored | None:
    """Points of a rider: 4 a stated goal in the same words, 2 its name or a goal that holds them, 1 a benefit's."""
    keys = [key for word in (goal, *goal.split()) if (key := stem(_FILLERS.sub("", word)))]
    goals = [stem(text) for text in rider.goals]
    told = [stem(text) for b in rider.benefits for text in (b.name, *b.keywords)]
    best = 0
    for key in dict.fromkeys(keys):
        points = 4 if key in goals else 0
        points += 2 if any(key in text or (len(text) > 1 and text in key) for text in goals) else 0
        points += 2 if key in name_key(rider.name) else 0
        points += 1 if len(key) > 1 and any(key in text for text in told) else 0
        if not points and misspelt(key, goals):
            points = 2
        best = max(best, points)
    if not best:
        return None
    covers = ", ".join(f"{b.name} {money(b.amount)}({b.unit})" if b.amount else b.name for b in rider.benefits[:2])
    return _Scored(rider, best, covers or rider.summary)


def _near_goals(products: Sequence[Product], goal: str) -> tuple[str, ...]:
    goals = dict.fromkeys(text for product in products for rider in product.riders for text in rider.goals)
    key = jamo(goal)
    return tuple(sorted(goals, key=lambda text: -fuzz.ratio(key, jamo(text)))[:6])
