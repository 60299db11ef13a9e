"""Riders (특약): listing, searching, one in full. Source: data/products/*.yaml (riders)."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz import fuzz

from app.insurance.matching import misspelt
from app.insurance.models import AgeRange, Gender, Model, Product, Rider
from app.insurance.names import name_key
from app.insurance.wording import jamo

_MAX_HITS = 30


class RiderLine(Model):
    """One rider of a product in a line."""

    rider_code: str
    rider_name: str
    mandatory: bool
    summary: str
    entry_age: AgeRange | None


class RiderList(Model):
    """The riders of one product, mandatory ones first."""

    code: str
    name: str
    mandatory_only: bool
    riders: tuple[RiderLine, ...]
    total: int
    mandatory_count: int
    optional_count: int


class RiderHit(Model):
    """A rider that answers to a word, with its product and its first fitting benefit (amount 원)."""

    code: str
    name: str
    rider_code: str
    rider_name: str
    mandatory: bool
    summary: str
    benefit: str
    amount: int
    unit: str


class RiderSearchResult(Model):
    """Riders that answer to a word. `near` names riders that sound alike when nothing was found."""

    keyword: str
    product_code: str | None
    product_name: str | None
    hits: tuple[RiderHit, ...]
    total: int
    product_count: int
    near: tuple[str, ...] = ()


class RiderBenefit(Model):
    """A benefit of a rider: amount 원, waiting in days, reduction in months and as a share."""

    name: str
    amount: int
    unit: str
    condition: str
    waiting_days: int
    reduction_months: int | None
    reduction_rate: float | None
    limit: str | None


class RiderDetail(Model):
    """One rider in full."""

    code: str
    name: str
    rider_code: str
    rider_name: str
    mandatory: bool
    summary: str
    term: str
    entry_age: AgeRange
    premium_basis: str
    premium_share: float
    benefits: tuple[RiderBenefit, ...]
    goals: tuple[str, ...]


def list_riders(product: Product, mandatory_only: bool = False) -> RiderList:
    """Every rider of a product, or the mandatory ones alone."""
    ordered = sorted(product.riders, key=lambda rider: not rider.mandatory)
    mandatory = sum(rider.mandatory for rider in product.riders)
    return RiderList(
        code=product.code,
        name=product.name,
        mandatory_only=mandatory_only,
        riders=tuple(
            RiderLine(
                rider_code=r.code, rider_name=r.name, mandatory=r.mandatory, summary=r.summary, entry_age=r.entry_age
            )
            for r in ordered
            if r.mandatory or not mandatory_only
        ),
        total=len(product.riders),
        mandatory_count=mandatory,
        optional_count=len(product.riders) - mandatory,
    )


def search_riders(products: Sequence[Product], keyword: str) -> RiderSearchResult:
    """Riders whose name, purpose or benefits answer to a word; misspellings count when nothing fits by letter."""
    every = [(product, rider) for product in products for rider in product.riders]
    key = _bare(keyword)
    found = [(p, r) for p, r in every if key and any(key in name_key(text) for text in _words(r))]
    if not found:
        found = [(p, r) for p, r in every if misspelt(key, _words(r))]
    found.sort(key=lambda pair: key not in name_key(pair[1].name))  # stable: those named so come first
    one = products[0] if len(products) == 1 else None
    return RiderSearchResult(
        keyword=keyword,
        product_code=one.code if one else None,
        product_name=one.name if one else None,
        hits=tuple(_hit(product, rider, key) for product, rider in found[:_MAX_HITS]),
        total=len(found),
        product_count=len({product.code for product, _ in found}),
        near=() if found else near_riders(products, keyword),
    )


def find_riders(products: Sequence[Product], rider: str) -> tuple[tuple[Product, Rider], ...]:
    """The riders meant by a code (R001) or a name: exact name, else names that hold the words, else misspellings."""
    every = [(product, item) for product in products for item in product.riders]
    key, bare = name_key(rider), _bare(rider)
    by_code = [(p, r) for p, r in every if name_key(r.code) == key]
    exact = by_code or [(p, r) for p, r in every if _bare(r.name) == bare]
    held = exact or [(p, r) for p, r in every if bare and bare in name_key(r.name)]
    return tuple(held or [(p, r) for p, r in every if misspelt(bare, (_bare(r.name),))])


def for_gender(rider: Rider, gender: Gender | None) -> bool:
    """Riders named for one gender (여성특정암) are for it alone; 남녀 is for both."""
    if gender is None or "남녀" in rider.name:
        return True
    return ("남성" if gender == "F" else "여성") not in rider.name


def near_riders(products: Sequence[Product], words: str, limit: int = 3) -> tuple[str, ...]:
    """Names of the riders that look most like the words."""
    names = dict.fromkeys(rider.name for product in products for rider in product.riders)
    key = jamo(_bare(words))
    return tuple(sorted(names, key=lambda name: -fuzz.partial_ratio(key, jamo(name)))[:limit])


def rider_detail(product: Product, rider: Rider) -> RiderDetail:
    """One rider in full: benefits, term, condition of payment and what its premium rests on."""
    benefits = tuple(
        RiderBenefit(
            name=b.name,
            amount=b.amount,
            unit=b.unit,
            condition=b.condition,
            waiting_days=b.waiting_days,
            reduction_months=b.reduction.months if b.reduction else None,
            reduction_rate=b.reduction.rate if b.reduction else None,
            limit=b.limit.text if b.limit else None,
        )
        for b in rider.benefits
    )
    return RiderDetail(
        code=product.code,
        name=product.name,
        rider_code=rider.code,
        rider_name=rider.name,
        mandatory=rider.mandatory,
        summary=rider.summary,
        term=rider.term,
        entry_age=rider.entry_age or product.entry_age,
        premium_basis=rider.premium_basis,
        premium_share=rider.premium_share,
        benefits=benefits,
        goals=rider.goals,
    )


def _bare(text: str) -> str:
    key = name_key(text)
    return key.removesuffix("특약") if len(key) > 2 else key


def _words(rider: Rider) -> tuple[str, ...]:
    told = (text for b in rider.benefits for text in (b.name, *b.keywords))
    return (rider.name, rider.summary, *rider.goals, *told)


def _hit(product: Product, rider: Rider, key: str) -> RiderHit:
    fitting = [b for b in rider.benefits if any(key in name_key(text) for text in (b.name, *b.keywords))]
    shown = (fitting or list(rider.benefits))[:1]
    return RiderHit(
        code=product.code,
        name=product.name,
        rider_code=rider.code,
        rider_name=rider.name,
        mandatory=rider.mandatory,
        summary=rider.summary,
        benefit=shown[0].name if shown else "",
        amount=shown[0].amount if shown else 0,
        unit=shown[0].unit if shown else "",
    )
