"""Finding products by the words people use, and saying which fell out for the person and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.knockouts import RuleMet, accept, hear
from app.insurance.matching import SIMPLIFIED, STANDARD, Feature, cover_matches, match, named, read_words, sold_by
from app.insurance.models import AgeRange, Category, ChannelName, DisclosureForm, Gender, Model, Product, RenewalKind
from app.insurance.pricing import default_premium
from app.insurance.wording import CHANNEL_WORDS, age_span, money


class ProductLine(Model):
    """A search hit. `waiting_days` is the longest of the main contract; `premium` 원 a month if age and gender are.
    `cover` is the benefit that answers to the words with what it pays (질병입원보험금 1일당 2만원), where one does.
    """

    code: str
    name: str
    category: Category
    summary: str
    points: tuple[str, ...]
    entry_age: AgeRange
    renewal: RenewalKind
    renewal_period_years: int | None
    simplified: bool
    disclosure_form: DisclosureForm
    channels: tuple[ChannelName, ...]
    waiting_days: int
    premium: int | None = None
    cover: str | None = None


class FallenOut(Model):
    """A product that answers to the words but not to the person, and why."""

    code: str
    name: str
    category: Category
    entry_age: AgeRange
    reason: str


class CategoryCount(Model):
    """How many products a category has."""

    category: Category
    count: int


class RelatedProduct(Model):
    """A product of another kind that also covers what was asked."""

    code: str
    name: str
    category: Category
    covers: str


class ProductSearchResult(Model):
    """What was asked and what was found.

    `alternatives` are of the same kind, when the age shut out all that was found; `unsold` names the kind of insurance
    asked for when it is not sold here. `told` names what must be underwritten before any of `products` may be entered;
    those that it surely shuts out have fallen out. `channel` is the one they are sold by, where one was asked for.
    """

    keyword: str | None
    category: Category | None
    age: int | None
    age_kind: AgeKind = FULL_AGE
    age_note: str | None = None
    gender: Gender | None
    simplified: bool | None
    kind_label: str
    products: tuple[ProductLine, ...]
    count: int
    fallen_out: tuple[FallenOut, ...] = ()
    alternatives: tuple[ProductLine, ...] = ()
    related: tuple[RelatedProduct, ...] = ()
    categories: tuple[CategoryCount, ...] = ()
    unsold: str | None = None
    told: tuple[str, ...] = ()
    channel: str | None = None


def search_products(
    catalogue: Catalogue,
    *,
    keyword: str | None = None,
    category: str | None = None,
    age: EntryAge | None = None,
    gender: Gender | None = None,
    simplified: bool | None = None,
    conditions: Sequence[str] = (),
    channel: ChannelName | None = None,
    today: date | None = None,
) -> ProductSearchResult:
    """Products that fit the words, split into those the person may enter and those that fell out with the reason.

    How words are understood stands in `matching`.
    With age and gender every hit carries its monthly premium (원, default plan and sum insured). `conditions` is what
    was told of the person, read against each product's knock-outs.
    """
    words = " ".join(part for part in (category, keyword) if part and part.strip())
    meaning = read_words(catalogue.products, words)
    features = (*meaning.features, *(() if simplified is None else (SIMPLIFIED if simplified else STANDARD,)))
    features += () if channel is None else (sold_by(channel),)
    kind = meaning.kind
    pool = tuple(p for p in catalogue.products if kind is None or p.category == kind)
    unsold = catalogue.reference.unsold
    found = match(pool, meaning.rest, unsold) if meaning.rest else pool
    if not found and (kind or features) and not match(catalogue.products, meaning.rest, unsold):
        found = pool  # a word that means nothing here ('부모님 암보험') takes nothing away
    wanted = tuple(p for p in found if all(feature.fits(p) for feature in features))
    heard = hear(catalogue.reference, conditions, today)
    declined = {
        p.code: rule for p in catalogue.products if (rule := accept(catalogue.reference, p, heard).decisive) is not None
    }
    enterable = tuple(p for p in wanted if _of_age(p, age) and p.code not in declined)
    rest = meaning.rest if found is not pool else ""
    lines = tuple(_line(catalogue, p, age, gender, covering=rest) for p in enterable)
    kinds = {p.category for p in wanted} if age is not None and not enterable else set()
    others = (p for p in catalogue.products if p.category in kinds and _of_age(p, age) and p.code not in declined)
    return ProductSearchResult(
        keyword=keyword or category,
        category=kind,
        age=age.years if age else None,
        age_kind=age.kind if age else FULL_AGE,
        age_note=age.born_note if age else None,
        gender=gender,
        simplified=simplified,
        kind_label=f"{kind}보험" if kind else "상품",
        products=lines,
        count=len(lines),
        fallen_out=_fallen(found, wanted, age, features, declined),
        alternatives=tuple(_line(catalogue, p, age, gender) for p in others),
        related=_related(catalogue.products, kind, features, age) if kind and found is pool else (),
        categories=() if lines else count_categories(catalogue),
        unsold=unsold.named(words) if unsold and not found else None,
        told=heard.names,
        channel=CHANNEL_WORDS[channel] if channel else None,
    )


def count_categories(catalogue: Catalogue) -> tuple[CategoryCount, ...]:
    """The categories sold, in catalogue order, with their number of products."""
    counts: dict[Category, int] = {}
    for product in catalogue.products:
        counts[product.category] = counts.get(product.category, 0) + 1
    return tuple(CategoryCount(category=category, count=count) for category, count in counts.items())


def waiting_days(product: Product) -> int:
    """The longest waiting period of the main contract, days."""
    return max((benefit.waiting_days for benefit in product.benefits), default=0)


def _related(
    products: tuple[Product, ...], kind: Category, features: tuple[Feature, ...], age: EntryAge | None
) -> tuple[RelatedProduct, ...]:
    """Products of other kinds that also cover this one, for this person and with the features asked."""
    fitting = (p for p in products if p.category != kind and all(f.fits(p) for f in features) and _of_age(p, age))
    covers = ((p, cover_matches(p, kind)) for p in fitting)
    return tuple(
        RelatedProduct(code=p.code, name=p.name, category=p.category, covers=found[0]) for p, found in covers if found
    )


def _line(
    catalogue: Catalogue, product: Product, age: EntryAge | None, gender: Gender | None, *, covering: str = ""
) -> ProductLine:
    names = cover_matches(product, covering) if covering and not named((product,), covering) else ()
    paying = next((benefit for benefit, _ in product.all_benefits if benefit.name in names and benefit.amount), None)
    return ProductLine(
        code=product.code,
        name=product.name,
        category=product.category,
        summary=product.summary,
        points=product.points,
        entry_age=product.entry_age,
        renewal=product.renewal.kind,
        renewal_period_years=product.renewal.period_years,
        simplified=product.simplified,
        disclosure_form=product.disclosure_form,
        channels=tuple(c.channel for c in product.channels if c.available),
        waiting_days=waiting_days(product),
        premium=default_premium(catalogue, product, age.within(product.entry_age).years, gender)
        if age is not None and gender
        else None,
        cover=f"{paying.name} {paying.unit} {money(paying.amount)}" if paying else None,
    )


def _of_age(product: Product, age: EntryAge | None) -> bool:
    return age is None or age.fits(product.entry_age) is not False


def age_refusal(product: Product, age: EntryAge) -> str:
    """Why a person of this age may not enter, with the age at which one who is too young may."""
    refusal = f"가입 나이가 {age_span(product.entry_age)}라서 {age.told}는 새로 가입할 수 없습니다."
    young = age.years < product.entry_age.min
    return f"{refusal} {product.entry_age.min}세부터 가입할 수 있습니다." if young else refusal


def _declined(rule: RuleMet) -> str:
    return f"'{rule.rule}'에 해당해 가입할 수 없습니다."


def _fallen(
    found: tuple[Product, ...],
    wanted: tuple[Product, ...],
    age: EntryAge | None,
    features: tuple[Feature, ...],
    declined: Mapping[str, RuleMet],
) -> tuple[FallenOut, ...]:
    of_age = [p for p in wanted if _of_age(p, age)]
    out = [(p, age_refusal(p, age)) for p in wanted if p not in of_age and age is not None]
    out += [(p, _declined(declined[p.code])) for p in of_age if p.code in declined]
    if not wanted:  # the features left nothing: say of each what it is instead
        out += [(p, next(f.lacks(p) for f in features if not f.fits(p))) for p in found if features]
    return tuple(
        FallenOut(code=p.code, name=p.name, category=p.category, entry_age=p.entry_age, reason=reason)
        for p, reason in out
    )
