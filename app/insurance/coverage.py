"""What a product covers: all of it, one kind, one benefit, its limits and what is paid when several fall together."""

from __future__ import annotations

from collections.abc import Sequence

from app.insurance.benefits import (
    Cover,
    CoverLine,
    Found,
    PayTerms,
    cover_line,
    coverage_types,
    find_covers,
    near_benefits,
    pay_terms,
    read_coverage_type,
    stem,
)
from app.insurance.catalogue import Reference
from app.insurance.models import Benefit, CoverageType, Model, Product

_ALSO = 4


class CoverageSummary(Model):
    """Every cover of a product: the main contract's, then the riders'. Amounts 원 at `sum_insured_default`."""

    code: str
    name: str
    sum_insured_default: int
    main: tuple[CoverLine, ...]
    riders: tuple[CoverLine, ...]
    main_count: int
    rider_count: int
    rider_cover_count: int
    types: tuple[CoverageType, ...]
    waiting_days: int


class CoverageDetail(Model):
    """One kind of cover in full. When the product has none, `types` and `near` tell what it does cover."""

    code: str
    name: str
    asked: str
    label: str
    found: bool
    sum_insured_default: int
    covers: tuple[CoverLine, ...]
    count: int
    types: tuple[CoverageType, ...]
    near: tuple[str, ...] = ()


class BenefitAmounts(Model):
    """The benefits meant by some words, with their amounts. `adds`: those of the main contract are paid together;
    `also` names benefits that only touch on the words."""

    code: str
    name: str
    asked: str
    found: bool
    sum_insured_default: int
    covers: tuple[CoverLine, ...]
    count: int
    adds: bool = False
    also: tuple[str, ...] = ()
    near: tuple[str, ...] = ()


class BenefitLimit(PayTerms):
    """How often or how much a benefit is paid. Each number is None where there is no such limit; `amount_cap` 원."""

    benefit: str
    coverage_type: CoverageType
    amount: int
    unit: str
    text: str
    per_year: int | None
    total: int | None
    amount_cap: int | None
    rider_name: str | None
    optional: bool


class BenefitLimits(Model):
    """Limits of one benefit, or of all that have one. `unlimited` names those asked for that have none."""

    code: str
    name: str
    asked: str | None
    found: bool
    limits: tuple[BenefitLimit, ...]
    count: int
    unlimited: tuple[str, ...]
    near: tuple[str, ...] = ()


class ConflictLine(Model):
    """Which benefit is paid when these treatments fall together."""

    treatments: tuple[str, ...]
    rule: str
    pays: str


class ConflictRules(Model):
    """The rules that answer to the treatments; without any, all rules of the product stand in `others`."""

    code: str
    name: str
    asked: tuple[str, ...]
    found: bool
    rules: tuple[ConflictLine, ...]
    others: tuple[ConflictLine, ...] = ()


def summarise_coverage(product: Product) -> CoverageSummary:
    """Every cover and rider with amount, waiting and reduction."""
    main = tuple(cover_line(product, (benefit, None)) for benefit in product.benefits)
    riders = tuple(cover_line(product, cover) for cover in product.all_benefits if cover[1])
    return CoverageSummary(
        code=product.code,
        name=product.name,
        sum_insured_default=product.sum_insured.default,
        main=main,
        riders=riders,
        main_count=len(main),
        rider_count=len(product.riders),
        rider_cover_count=len(riders),
        types=coverage_types(product.all_benefits),
        waiting_days=max((line.waiting_days for line in (*main, *riders)), default=0),
    )


def detail_coverage(reference: Reference, product: Product, asked: str) -> CoverageDetail:
    """One kind of cover in full: a kind such as 진단 or 입원, else the benefits that answer to the words."""
    kind = read_coverage_type(asked)
    covers = tuple(c for c in product.all_benefits if c[0].coverage_type == kind)
    if not covers:
        found = _find(reference, product, asked)
        covers = found.covers
    return CoverageDetail(
        code=product.code,
        name=product.name,
        asked=asked,
        label=kind or asked,
        found=bool(covers),
        sum_insured_default=product.sum_insured.default,
        covers=tuple(cover_line(product, cover) for cover in covers),
        count=len(covers),
        types=coverage_types(product.all_benefits),
        near=() if covers else near_benefits(product, asked),
    )


def look_up_amount(reference: Reference, product: Product, asked: str) -> BenefitAmounts:
    """What a benefit pays: amount, unit and reduction of every benefit the words may mean."""
    found = _find(reference, product, asked)
    return BenefitAmounts(
        code=product.code,
        name=product.name,
        asked=asked,
        found=bool(found.covers),
        sum_insured_default=product.sum_insured.default,
        covers=tuple(cover_line(product, cover) for cover in found.covers),
        count=len(found.covers),
        adds=paid_together(product, [benefit for benefit, rider in found.covers if rider is None]),
        also=_names(found.also)[:_ALSO],
        near=() if found.covers else near_benefits(product, asked),
    )


def benefit_limits(reference: Reference, product: Product, asked: str | None) -> BenefitLimits:
    """Yearly, total and money limits: of the benefits meant, or of every benefit that has one."""
    covers = _find(reference, product, asked).covers if asked else product.all_benefits
    limited = [
        BenefitLimit(
            benefit=benefit.name,
            coverage_type=benefit.coverage_type,
            amount=benefit.amount,
            unit=benefit.unit,
            text=benefit.limit.text,
            per_year=benefit.limit.per_year,
            total=benefit.limit.total,
            amount_cap=benefit.limit.amount,
            rider_name=rider.name if rider else None,
            optional=rider is not None and not rider.mandatory,
            **pay_terms(product, benefit),
        )
        for benefit, rider in covers
        if benefit.limit
    ]
    return BenefitLimits(
        code=product.code,
        name=product.name,
        asked=asked,
        found=bool(covers),
        limits=tuple(limited),
        count=len(limited),
        unlimited=_names([c for c in covers if not c[0].limit]) if asked else (),
        near=near_benefits(product, asked) if asked and not covers else (),
    )


def paid_together(product: Product, benefits: Sequence[Benefit]) -> bool:
    """Whether a rule of the product says that all of these benefits, two at least, are paid together."""
    names = [stem(benefit.name) for benefit in benefits]
    return len(names) > 1 and any(
        rule.adds
        and len(rule.treatments) >= len(names)
        and all(any(stem(t) == name for t in rule.treatments) for name in names)
        for rule in product.conflict_rules
    )


def conflict_rules(product: Product, treatments: Sequence[str] | None) -> ConflictRules:
    """The rules that name the treatments: those that name the most of them, at least two when two were asked."""
    asked = tuple(t.strip() for t in treatments or () if t.strip())
    lines = tuple(ConflictLine(treatments=r.treatments, rule=r.rule, pays=r.pays) for r in product.conflict_rules)
    if not asked:
        return ConflictRules(code=product.code, name=product.name, asked=(), found=bool(lines), rules=lines)
    hits = {line: sum(_named(line, treatment) for treatment in asked) for line in lines}
    most = max(hits.values(), default=0)
    fitting = tuple(line for line in lines if hits[line] == most) if most >= min(2, len(asked)) else ()
    rest = tuple(line for line in lines if line not in fitting)
    return ConflictRules(
        code=product.code,
        name=product.name,
        asked=asked,
        found=bool(fitting),
        rules=fitting,
        others=() if fitting else rest,
    )


def _find(reference: Reference, product: Product, asked: str) -> Found:
    return find_covers(product, asked, reference.codes.find(asked).classes)


def _names(covers: Sequence[Cover]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(benefit.name for benefit, _ in covers))


def _named(line: ConflictLine, treatment: str) -> bool:
    key = stem(treatment)
    known = [stem(text) for text in line.treatments]
    return any(key and (key in text or text in key) for text in known)
