"""Benefits (급부) of a product by the words people use: id, name, keyword, disease or a misspelling of one.

Source: data/products/*.yaml. Amounts are 원 at the default sum insured, or the rider's own amount.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, get_args

from rapidfuzz import fuzz

from app.insurance.matching import misspelt
from app.insurance.models import Benefit, BenefitUnit, Cause, CoverageType, DiseaseClass, Model, Product, Rider
from app.insurance.names import name_key
from app.insurance.wording import jamo, round_half_up

Cover = tuple[Benefit, Rider | None]
COVERAGE_TYPES: tuple[CoverageType, ...] = get_args(CoverageType)

# 진단비, 진단금, 진단보험금 are one word to the people who ask.
_PAID = re.compile(r"(진단|수술|입원|통원|치료|사망|간병|장해|골절|화상)(?:보험금|비용|비|일당|금)")
_NEAR_RATIO = 70.0
_TAILS = ("보험금", "금액", "보장", "특약", "얼마")
# Taken off, they leave a class when a benefit pays for all of it, and more when for a part (여성특정암, 재진단암).
_GENERIC = re.compile(r"진단|보험금|추가|확정")
_CLASS_NAMES: dict[DiseaseClass, tuple[str, ...]] = {"일반암": ("암", "일반암")}


class PayTerms(Model):
    """How a benefit is counted: waiting in days, reduction in months. `cause`: what alone it is paid for;
    `excluded_days` of a stay are not paid; `disease_only`: an accident is not reduced;
    `limit_*`: times, pieces or days at most; `less_paid`: the benefits that are taken off where they were paid;
    `one_of`: the treatments beside which a rule does not pay it in full; `reduced_amount` 원."""

    waiting_days: int = 0
    reduction_months: int | None = None
    cause: Cause | None = None
    excluded_days: int = 0
    disease_only: bool = False
    reduced_amount: int | None = None
    limit_per_year: int | None = None
    limit_total: int | None = None
    limit_per_stay: int | None = None
    less_paid: str | None = None
    one_of: str | None = None


class CoverLine(PayTerms):
    """One benefit in a result: amounts 원, waiting in days, reduction in months and as a share of one."""

    benefit_id: str
    benefit: str
    coverage_type: CoverageType
    amount: int
    unit: BenefitUnit
    scales: bool
    condition: str
    reduction_rate: float | None
    limit: str | None
    rider_code: str | None
    rider_name: str | None
    optional: bool


@dataclass(frozen=True)
class Found:
    """Covers that answer to some words, those that only touch on them, and what the words were read as."""

    covers: tuple[Cover, ...]
    also: tuple[Cover, ...] = ()


def cover_line(product: Product, cover: Cover) -> CoverLine:
    """A benefit with its rider as told to people; `reduced_amount` is what is paid during the reduction."""
    benefit, rider = cover
    cut = benefit.reduction
    return CoverLine(
        benefit_id=benefit.id,
        benefit=benefit.name,
        coverage_type=benefit.coverage_type,
        amount=benefit.amount,
        unit=benefit.unit,
        scales=benefit.scales,
        condition=benefit.condition,
        reduction_rate=cut.rate if cut else None,
        limit=benefit.limit.text if benefit.limit else None,
        rider_code=rider.code if rider else None,
        rider_name=rider.name if rider else None,
        optional=rider is not None and not rider.mandatory,
        **pay_terms(product, benefit),
    )


def insured_for(product: Product, amount: int | None) -> Product:
    """The product as it is held at a sum insured of `amount` 원: what scales pays in proportion. The same where none is
    told."""
    if amount is None or amount == product.sum_insured.default:
        return product
    share = Fraction(amount, product.sum_insured.default)

    def held(benefit: Benefit) -> Benefit:
        changed = {"amount": round_half_up(benefit.amount * share)}
        return benefit.model_copy(update=changed) if benefit.scales else benefit

    return product.model_copy(
        update={
            "benefits": tuple(map(held, product.benefits)),
            "riders": tuple(
                rider.model_copy(update={"benefits": tuple(map(held, rider.benefits))}) for rider in product.riders
            ),
            "sum_insured": product.sum_insured.model_copy(update={"default": amount}),
        }
    )


def pay_terms(product: Product, benefit: Benefit) -> dict[str, Any]:
    """The fields of PayTerms."""
    cut, limit = benefit.reduction, benefit.limit
    known = benefit_stems(benefit)
    rules = [rule.treatments for rule in product.conflict_rules if not rule.adds]
    rivals = dict.fromkeys(
        t for names in rules if any(stem(t) in known for t in names) for t in names if stem(t) not in known
    )
    return {
        "waiting_days": benefit.waiting_days,
        "reduction_months": cut.months if cut else None,
        "cause": benefit.cause,
        "excluded_days": benefit.excluded_days,
        "disease_only": cut.disease_only if cut else False,
        "reduced_amount": reduced_amount(benefit) if cut and benefit.amount else None,
        "limit_per_year": limit.per_year if limit else None,
        "limit_total": limit.total if limit else None,
        "limit_per_stay": limit.per_stay if limit else None,
        "less_paid": ", ".join(benefit.less_paid) or None,
        "one_of": ", ".join(rivals) or None,
    }


def reduced_amount(benefit: Benefit) -> int:
    """What is paid (원) during the reduction period; the whole amount when there is none."""
    share = Fraction(str(benefit.reduction.rate)) if benefit.reduction else Fraction(1)
    return round_half_up(benefit.amount * share)


@lru_cache(maxsize=4096)  # the catalogue's own words, at every question about a cover
def stem(text: str) -> str:
    """`name_key` with the words for money taken off: '암 진단비' and '암진단보험금' → '암진단'."""
    key = _PAID.sub(r"\1", name_key(text))
    for tail in _TAILS:
        if key.endswith(tail) and len(key) > len(tail):
            key = key.removesuffix(tail)
    return key


def benefit_stems(benefit: Benefit) -> tuple[str, ...]:
    """The stems of a benefit's name and keywords, the words it is known by."""
    return _stems((benefit.name, *benefit.keywords))


@lru_cache(maxsize=4096)  # as `stem`
def _stems(texts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for text in texts if (key := stem(text))))


def find_covers(product: Product, words: str, classes: Iterable[DiseaseClass] = ()) -> Found:
    """The covers meant by some words: exact id or name first, then names that hold them, diseases, misspellings.

    `classes`: the disease classes the words name, if any. Words for a kind of cover (수술, 입원) narrow the rest.
    """
    key, wanted = stem(words), frozenset(classes)
    if not key:
        return Found(())
    exact = tuple(c for c in product.all_benefits if c[0].id == words.strip().lower() or key in benefit_stems(c[0]))
    # Short of a benefit's own name or keyword, the class decides: 외상성 뇌출혈 is no 뇌출혈.
    every = tuple(
        c
        for c in product.all_benefits
        if c in exact or not wanted or not c[0].disease_classes or wanted & set(c[0].disease_classes)
    )
    named = tuple(c for c in every if c in exact or pays_for_class(c[0], wanted))
    touched = tuple(c for c in every if c not in named and _touches(c[0], key, words))
    if _kinds(words):
        both = _of_type((*named, *touched), words)
        return Found(exact or both, tuple(c for c in both if exact and c not in exact))
    if named:
        return Found(named, touched)
    return Found(touched or misspelt_covers(every, words))


def misspelt_covers(covers: Sequence[Cover], words: str) -> tuple[Cover, ...]:
    """The covers whose name or keyword is the words misspelt: one of like length before one that only holds them."""
    key = stem(words)
    for most in (1, None):
        scores = [
            misspelt(key, [t for t in benefit_stems(b) if most is None or abs(len(t) - len(key)) <= most])
            for b, _ in covers
        ]
        if best := max(scores, default=0.0):
            return tuple(cover for cover, score in zip(covers, scores, strict=True) if score == best)
    return ()


def pays_for_class(benefit: Benefit, classes: Iterable[DiseaseClass]) -> bool:
    """Whether a diagnosis benefit is paid for a whole disease class, so that the class alone decides."""
    held = [name for name in benefit.disease_classes if name in classes]
    if not held or benefit.coverage_type != "진단":
        return False
    bare = _GENERIC.sub("", name_key(benefit.name))
    return any(bare in _CLASS_NAMES.get(name, (name,)) for name in held)


def near_benefits(product: Product, words: str, limit: int = 4) -> tuple[str, ...]:
    """Names of the benefits that look most like the words, main contract first among equals."""
    key = jamo(stem(words))
    names = dict.fromkeys(benefit.name for benefit, _ in product.all_benefits if benefit.amount)
    alike = {name: fuzz.partial_ratio(key, jamo(name)) for name in names}
    # Below the threshold likeness is chance: the main contract's benefits tell more.
    return tuple(sorted(names, key=lambda name: -alike[name] if alike[name] >= _NEAR_RATIO else 0)[:limit])


def read_coverage_type(text: str) -> CoverageType | None:
    """'진단비', '치과', '입원일당' → the kind of cover; None when the words name none, or more than a kind."""
    key = stem(text)
    special: dict[str, CoverageType] = {"치과": "치과치료", "치아": "치과치료", "치아치료": "치과치료", "외래": "통원"}
    return next((kind for kind in COVERAGE_TYPES if kind == key), special.get(key))


def coverage_types(covers: Sequence[Cover]) -> tuple[CoverageType, ...]:
    """The kinds of cover among some covers, in the order of the model."""
    held = {benefit.coverage_type for benefit, _ in covers}
    return tuple(kind for kind in COVERAGE_TYPES if kind in held)


def _touches(benefit: Benefit, key: str, words: str) -> bool:
    known = benefit_stems(benefit)
    if any(key in text for text in known):
        return True
    if any(text in key for text in known if len(text) > 1):
        return True
    parts = [part for part in map(stem, words.split()) if part]
    return len(parts) > 1 and all(any(part in text for text in known) for part in parts)


def _kinds(words: str) -> tuple[CoverageType, ...]:
    return tuple(kind for kind in COVERAGE_TYPES if kind in words and kind not in ("치료", "치과치료"))


def _of_type(covers: tuple[Cover, ...], words: str) -> tuple[Cover, ...]:
    kinds = _kinds(words)
    return tuple(cover for cover in covers if cover[0].coverage_type in kinds) or covers
