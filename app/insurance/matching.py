"""What people's words mean among the products: a kind, features, names, covers, and misspellings of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import get_args

from rapidfuzz import fuzz, process

from app.insurance.models import Category, ChannelName, Product
from app.insurance.names import name_key, names_of
from app.insurance.unsold import UnsoldKinds
from app.insurance.wording import CHANNEL_WORDS, jamo

CATEGORIES: tuple[Category, ...] = get_args(Category)
# How people name a category; the category itself and '<category>보험' are understood without this.
_CATEGORY_WORDS: dict[str, Category] = {
    "치과": "치아", "이빨": "치아", "인지증": "치매", "암진단": "암", "종합건강": "건강", "생명": "종신",
}  # fmt: skip
_FILLERS = ("보험상품", "상품", "보험", "추천", "종류", "가입")
_NO_RENEWAL = re.compile(r"갱신\s*(?:이|을|되지|하지)?\s*(?:없|안|않)\S*")
_WITH_ILLNESS = re.compile(r"\S*(?:유병|병력|지병|있어도|앓\S*도|아파도|아픈)\S*")
# Jamo ratio from which a word of three syllables or more counts as the same word misspelt: one wrong jamo in eight
# passes (임플란드 ~ 임플란트 90.9), two different short words do not (실손 ~ 실속 83.3, kept out by length as well).
_TYPO_RATIO = 86.0
_TYPO_MIN_SYLLABLES = 3


@dataclass(frozen=True)
class Feature:
    """A quality asked for. `lacks` says, of a product without it, what it is instead."""

    fits: Callable[[Product], bool]
    lacks: Callable[[Product], str]


@dataclass(frozen=True)
class Meaning:
    """The words taken apart: kind, features, and the rest to look for in names and covers."""

    kind: Category | None
    features: tuple[Feature, ...]
    rest: str


RENEWING = Feature(lambda p: p.renewal.kind == "갱신형", lambda p: "비갱신형 상품입니다.")
FIXED = Feature(lambda p: p.renewal.kind == "비갱신형", lambda p: "갱신형 상품입니다.")
SIMPLIFIED = Feature(lambda p: p.simplified, lambda p: "간편심사 상품이 아닙니다.")
STANDARD = Feature(lambda p: not p.simplified, lambda p: "간편심사 상품입니다.")
NO_REFUND = Feature(
    lambda p: any(plan.surrender == "해약환급금 미지급형" for plan in p.plans),
    lambda p: "해약환급금 미지급형 플랜이 없습니다.",
)
_FEATURES: dict[str, Feature] = {
    "갱신": RENEWING, "갱신형": RENEWING, "비갱신": FIXED, "비갱신형": FIXED,
    "간편": SIMPLIFIED, "간편심사": SIMPLIFIED, "간편고지": SIMPLIFIED, "간편가입": SIMPLIFIED, "유병자": SIMPLIFIED,
    "일반심사": STANDARD, "표준심사": STANDARD,
    "무해지": NO_REFUND, "무해지환급": NO_REFUND, "무해지환급형": NO_REFUND, "미지급형": NO_REFUND,
}  # fmt: skip


def sold_by(channel: ChannelName) -> Feature:
    """Sold by a channel."""
    label = CHANNEL_WORDS[channel]
    return Feature(
        lambda p: any(c.channel == channel and c.available for c in p.channels),
        lambda p: f"{label} 채널에서는 판매하지 않습니다.",
    )


def read_words(pool: tuple[Product, ...], words: str) -> Meaning:
    """Takes the words apart. A product's whole name is never taken apart, whatever kind or feature it holds."""
    if named(pool, words):
        return Meaning(None, (), words)
    plain = _WITH_ILLNESS.sub("유병자", _NO_RENEWAL.sub("비갱신", words))
    kind: Category | None = None
    features: list[Feature] = []
    rest: list[str] = []
    whole = read_category(plain)
    for word in (plain,) if whole else plain.split():
        key = bare(word)
        if key in _FEATURES:
            features.append(_FEATURES[key])
        elif (read := read_category(word)) and kind in (None, read):
            kind = read
        elif key:
            rest.append(word)
    return Meaning(kind, tuple(dict.fromkeys(features)), " ".join(rest))


def read_category(text: str | None) -> Category | None:
    """'암보험', '치과' → the category; None when the words name none."""
    key = bare(text or "")
    return next((c for c in CATEGORIES if c == key), _CATEGORY_WORDS.get(key))


def named(pool: tuple[Product, ...], words: str) -> tuple[Product, ...]:
    """Products of which the words are a whole name, nickname or code."""
    key = name_key(words)
    return tuple(p for p in pool if key in {name_key(text) for text in (p.code, *names_of(p))})


def match(pool: tuple[Product, ...], words: str, unsold: UnsoldKinds | None = None) -> tuple[Product, ...]:
    """Products that answer to the words: whole name, part of a name, cover; then word by word; last, misspellings. The
    name of an `unsold` kind is no misspelling, and nothing but a kind where it is all of the words."""
    if found := _match_letters(pool, words, unsold):
        return found
    parts = [word for word in words.split() if bare(word)]
    if len(parts) > 1:
        hits = {p.code: 0 for p in pool}
        for word in parts:
            for product in _match_letters(pool, word, unsold):
                hits[product.code] += 1
        if most := max(hits.values(), default=0):
            return tuple(p for p in pool if hits[p.code] == most)
    return () if unsold and unsold.named(words) else _match_misspelt(pool, words)


def cover_matches(product: Product, word: str) -> tuple[str, ...]:
    """Names of the product's benefits (riders' too) that answer to a word, exact letters only."""
    key = bare(word)
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
    best, letters = 0.0, jamo(typed)
    for other in vocabulary:
        known = name_key(other)
        if len(known) < _TYPO_MIN_SYLLABLES:
            continue
        # A longer name may hold the word (뉴스타드 in 뉴스타트암보험); a longer word never hides a short name.
        alike = fuzz.partial_ratio if len(known) > len(typed) + 1 else fuzz.ratio
        best = max(best, alike(letters, jamo(known), score_cutoff=_TYPO_RATIO))
    return best


def misspelt_names(word: str, names: Mapping[str, str]) -> dict[str, float]:
    """Those of `names` (each with its jamo), all about as long as the word, that it may be a misspelling of, with their
    jamo likeness."""
    typed = name_key(word)
    if len(typed) < _TYPO_MIN_SYLLABLES:
        return {}
    known = {name: letters for name, letters in names.items() if len(name) >= _TYPO_MIN_SYLLABLES}
    alike = process.extract(jamo(typed), known, scorer=fuzz.ratio, score_cutoff=_TYPO_RATIO, limit=None)
    return {name: score for _, score, name in alike}


def bare(text: str) -> str:
    """The key of the words without '보험', '상품' and the like at their end; '' when nothing else is left."""
    key = name_key(text)
    for filler in _FILLERS:
        if key.endswith(filler) and len(key) > len(filler):
            key = key.removesuffix(filler)
    return "" if key in _FILLERS else key


def _match_letters(pool: tuple[Product, ...], words: str, unsold: UnsoldKinds | None) -> tuple[Product, ...]:
    key = bare(words)
    if not key:
        return pool
    if found := named(pool, words):
        return found
    if found := tuple(p for p in pool if any(key in name_key(text) for text in names_of(p))):
        return found
    if unsold and unsold.is_one(key):  # '연금' is asked for as a kind, even where a cover's name holds the word
        return ()
    return tuple(p for p in pool if cover_matches(p, words))


def _match_misspelt(pool: tuple[Product, ...], words: str) -> tuple[Product, ...]:
    scores = {p.code: misspelt(words, _vocabulary(p)) for p in pool}
    top = max(scores.values(), default=0.0)
    return tuple(p for p in pool if top and scores[p.code] == top)


def _vocabulary(product: Product) -> Iterable[str]:
    yield from (product.name, *product.nicknames, product.category + "보험")
    for benefit, _ in product.all_benefits:
        yield from (benefit.name, *benefit.keywords)
