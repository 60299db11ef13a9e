"""Finding products and riders by the words people use, misspelt or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import get_args

from rapidfuzz import fuzz

from app.insurance.catalogue import Catalogue
from app.insurance.models import AgeRange, Category, ChannelName, DisclosureForm, Gender, Model, Product, RenewalKind
from app.insurance.names import name_key, names_of
from app.insurance.pricing import default_premium
from app.insurance.wording import age_span, jamo

CATEGORIES: tuple[Category, ...] = get_args(Category)
# How people name a category; the category itself and '<category>보험' are understood without this.
_CATEGORY_WORDS: dict[str, Category] = {
    "치과": "치아",
    "이빨": "치아",
    "인지증": "치매",
    "암진단": "암",
    "종합건강": "건강",
    "생명": "종신",
}
# Kinds of insurance on the market that people ask for by name. Said to be unsold only when no product answers to them.
_MARKET_KINDS = (
    "실손",
    "실비",
    "자동차",
    "운전자",
    "화재",
    "여행",
    "펫",
    "반려",
    "연금",
    "저축",
    "어린이",
    "태아",
    "변액",
    "골프",
)
_FILLERS = ("보험상품", "상품", "보험", "추천", "종류", "가입")
_SIMPLIFIED_WORDS = ("간편", "유병자", "유병력자", "무심사")
# Jamo ratio from which a word of three syllables or more counts as the same word misspelt: one wrong jamo in eight
# passes (임플란드 ~ 임플란트 90.9), two different short words do not (실손 ~ 실속 83.3, kept out by length as well).
_TYPO_RATIO = 86.0
_TYPO_MIN_SYLLABLES = 3


class ProductLine(Model):
    """A search hit. `waiting_days` is the longest of the main contract; `premium` 원 a month if age and gender are."""

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
    asked for when it is not sold here.
    """

    keyword: str | None
    category: Category | None
    age: int | None
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


@dataclass(frozen=True)
class _Found:
    products: tuple[Product, ...]
    related: tuple[RelatedProduct, ...] = ()


def search_products(
    catalogue: Catalogue,
    *,
    keyword: str | None = None,
    category: str | None = None,
    age: int | None = None,
    gender: Gender | None = None,
    simplified: bool | None = None,
) -> ProductSearchResult:
    """Products that fit the words, split into those the person may enter and those that fell out with the reason.

    Words are tried against names and nicknames, categories, features, then covers; last, misspellings. `age`: 만 나이.
    With age and gender every hit carries its monthly premium (원, default plan and sum insured).
    """
    kind = read_category(category)
    words = " ".join(part for part in (keyword, category if kind is None else None) if part and part.strip())
    pool = tuple(p for p in catalogue.products if kind is None or p.category == kind)
    found = _match(pool, words) if words else _Found(pool)
    wanted = tuple(p for p in found.products if simplified is None or p.simplified == simplified)
    enterable = tuple(p for p in wanted if age is None or age in p.entry_age)
    lines = tuple(_line(catalogue, p, age, gender) for p in enterable)
    kinds = {p.category for p in wanted} if age is not None and not enterable else set()
    others = (p for p in pool if p.category in kinds and age is not None and age in p.entry_age)
    return ProductSearchResult(
        keyword=words or None,
        category=kind,
        age=age,
        gender=gender,
        simplified=simplified,
        kind_label=_kind_label(kind, words, found.products),
        products=lines,
        count=len(lines),
        fallen_out=_fallen(found.products, wanted, enterable, age),
        alternatives=tuple(_line(catalogue, p, age, gender) for p in others),
        related=found.related,
        categories=() if lines else count_categories(catalogue),
        unsold=_market_kind(words) if words and not found.products else None,
    )


def read_category(text: str | None) -> Category | None:
    """'암보험', '치과' → the category; None when the words name none."""
    key = _bare(text or "")
    return next((c for c in CATEGORIES if c == key), _CATEGORY_WORDS.get(key))


def count_categories(catalogue: Catalogue) -> tuple[CategoryCount, ...]:
    """The categories sold, in catalogue order, with their number of products."""
    counts: dict[Category, int] = {}
    for product in catalogue.products:
        counts[product.category] = counts.get(product.category, 0) + 1
    return tuple(CategoryCount(category=category, count=count) for category, count in counts.items())


def cover_matches(product: Product, word: str) -> tuple[str, ...]:
    """Names of the product's benefits (riders' too) that answer to a word, exact letters only."""
    key = _bare(word)
    return tuple(
        dict.fromkeys(
            benefit.name
            for benefit, _ in product.all_benefits
            if key and any(key in name_key(text) for text in (benefit.name, benefit.coverage_type, *benefit.keywords))
        )
    )


def misspelt(word: str, vocabulary: Iterable[str]) -> float:
    """The best jamo likeness (0-100) of a word to a vocabulary, 0 below the typo threshold."""
    typed = name_key(word)
    if len(typed) < _TYPO_MIN_SYLLABLES:
        return 0.0
    best = 0.0
    for other in vocabulary:
        known = name_key(other)
        if len(known) < _TYPO_MIN_SYLLABLES:
            continue
        # A longer name may hold the word (뉴스타드 in 뉴스타트암보험); a longer word never hides a short name.
        alike = fuzz.partial_ratio if len(known) > len(typed) + 1 else fuzz.ratio
        best = max(best, alike(jamo(typed), jamo(known)))
    return best if best >= _TYPO_RATIO else 0.0


def waiting_days(product: Product) -> int:
    """The longest waiting period of the main contract, days."""
    return max((benefit.waiting_days for benefit in product.benefits), default=0)


def _match(pool: tuple[Product, ...], words: str) -> _Found:
    whole = _match_word(pool, words)
    if whole.products or len(words.split()) < 2:
        return whole
    # Several words: the products that answer to the most of them.
    hits: dict[str, int] = {}
    for word in words.split():
        for product in _match_word(pool, word).products if _bare(word) else ():
            hits[product.code] = hits.get(product.code, 0) + 1
    most = max(hits.values(), default=0)
    return _Found(tuple(p for p in pool if most and hits.get(p.code) == most))


def _match_word(pool: tuple[Product, ...], word: str) -> _Found:
    full, key = name_key(word), _bare(word)
    if not key:
        return _Found(pool)
    named = tuple(p for p in pool if full in {name_key(text) for text in (p.code, *names_of(p))})
    if named:
        return _Found(named)
    if (kind := read_category(word)) and (same := tuple(p for p in pool if p.category == kind)):
        return _Found(same, _related(pool, same, word))
    tiers: tuple[Callable[[Product], bool], ...] = (
        lambda p: any(key in name_key(text) for text in names_of(p)),
        lambda p: _has_feature(p, key),
        lambda p: bool(cover_matches(p, word)),
    )
    for fits in tiers:
        if best := tuple(p for p in pool if fits(p)):
            return _Found(best)
    if _market_kind(word):
        return _Found(())
    scores = {p.code: misspelt(word, _vocabulary(p)) for p in pool}
    top = max(scores.values(), default=0.0)
    return _Found(tuple(p for p in pool if top and scores[p.code] == top))


def _has_feature(product: Product, key: str) -> bool:
    if key in ("갱신", "비갱신", "갱신형", "비갱신형"):
        return product.renewal.kind.removesuffix("형") == key.removesuffix("형")
    if any(word in key for word in _SIMPLIFIED_WORDS):
        return product.simplified
    if key in ("무해지", "무해약", "미지급형", "해약환급금미지급형"):
        return any(plan.surrender == "해약환급금 미지급형" for plan in product.plans)
    return False


def _vocabulary(product: Product) -> Iterable[str]:
    yield from (product.name, *product.nicknames, product.category + "보험")
    for benefit, _ in product.all_benefits:
        yield from (benefit.name, *benefit.keywords)


def _related(pool: tuple[Product, ...], same: tuple[Product, ...], word: str) -> tuple[RelatedProduct, ...]:
    others = ((p, cover_matches(p, word)) for p in pool if p not in same)
    return tuple(
        RelatedProduct(code=p.code, name=p.name, category=p.category, covers=covers[0])
        for p, covers in others
        if covers
    )


def _bare(text: str) -> str:
    key = name_key(text)
    for filler in _FILLERS:
        if key.endswith(filler) and len(key) > len(filler):
            key = key.removesuffix(filler)
    return "" if key in _FILLERS else key


def _market_kind(words: str) -> str | None:
    key = name_key(words)
    kind = next((kind for kind in _MARKET_KINDS if kind in key), None)
    return f"{kind}보험" if kind else None


def _kind_label(kind: Category | None, words: str, found: tuple[Product, ...]) -> str:
    """'암보험' when all that was found is of one kind and the words named that kind; else '상품'."""
    named = kind or read_category(words)
    return f"{named}보험" if named and all(product.category == named for product in found) else "상품"


def _line(catalogue: Catalogue, product: Product, age: int | None, gender: Gender | None) -> ProductLine:
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
        premium=default_premium(catalogue, product, age, gender) if age is not None and gender else None,
    )


def age_refusal(product: Product, age: int) -> str:
    """Why a person of this age may not enter, in one sentence."""
    return f"가입 나이가 {age_span(product.entry_age)}라서 만 {age}세는 새로 가입할 수 없습니다."


def _fallen(
    found: tuple[Product, ...], wanted: tuple[Product, ...], enterable: tuple[Product, ...], age: int | None
) -> tuple[FallenOut, ...]:
    out = [(p, age_refusal(p, age)) for p in wanted if p not in enterable and age is not None]
    if not wanted:  # the filter left nothing: say what it took away
        out += [(p, "간편심사 상품이 아닙니다." if not p.simplified else "간편심사 상품입니다.") for p in found]
    return tuple(
        FallenOut(code=p.code, name=p.name, category=p.category, entry_age=p.entry_age, reason=reason)
        for p, reason in out
    )
