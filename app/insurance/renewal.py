"""What a renewing contract will cost: age and premium at each renewal. Source: data/premiums/{code}.csv."""

from __future__ import annotations

from app.errors import BadRequest
from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.models import Gender, Model, Product, RenewalKind
from app.insurance.premium import EntryRefused, refuse_entry, source_of
from app.insurance.pricing import default_premium, monthly_premium, usual_sum_insured


class RenewalPoint(Model):
    """One renewal: years from entry, age, premium (원 a month), rise since the last and since entry (shares of one)."""

    years: int
    age: int
    premium: int
    rise: float
    rise_total: float


class RenewalProjection(Model):
    """Premiums at entry (`points[0]`) and at each renewal. A 비갱신형 product has `renews` False and no points."""

    code: str
    name: str
    kind: RenewalKind
    renews: bool
    age: int | None
    age_kind: AgeKind = FULL_AGE
    gender: Gender | None
    period_years: int | None
    max_age: int | None
    horizon_years: int | None
    rise_range: tuple[float, float] | None
    rise_reasons: tuple[str, ...]
    payment_term: str
    coverage_term: str
    sum_insured: int
    premium: int | None
    points: tuple[RenewalPoint, ...]
    renewals: int
    source: str | None
    age_note: str | None = None


def project_renewals(
    catalogue: Catalogue,
    product: Product,
    age: EntryAge | None,
    gender: Gender | None,
    horizon_years: int | None = None,
) -> RenewalProjection | EntryRefused:
    """Age and premium at each renewal within the horizon (years; default: to the last renewal age).

    The numbers are today's table read at the later ages; a change of the table itself is not foreseen and the
    result's `rise_range` tells what the product summary foresees. For 비갱신형 age and gender may be None.
    Raises BadRequest when a renewing product is asked without age or gender, RuleMissing when the table ends early.
    """
    rule, plan = product.renewal, product.default_plan
    age = age.within(product.entry_age) if age else None
    years = age.years if age else None
    premium: int | None = None
    points: tuple[RenewalPoint, ...] = ()
    if rule.kind == "비갱신형" or rule.period_years is None or rule.max_age is None:
        if years is not None and gender is not None and years in product.entry_age:
            premium = default_premium(catalogue, product, years, gender)
    else:
        if age is None or gender is None:
            raise BadRequest("갱신 보험료를 계산하려면 나이와 성별이 필요합니다. 두 가지를 알려 주세요.")
        if age.years not in product.entry_age:
            return refuse_entry(catalogue, product, age, gender)
        points = _points(catalogue, product, age.years, gender, rule.period_years, rule.max_age, horizon_years)
        premium = points[0].premium
    return RenewalProjection(
        code=product.code,
        name=product.name,
        kind=rule.kind,
        renews=rule.kind == "갱신형",
        age=years,
        age_kind=age.kind if age else FULL_AGE,
        gender=gender,
        period_years=rule.period_years,
        max_age=rule.max_age,
        horizon_years=horizon_years,
        rise_range=rule.rise_range,
        rise_reasons=rule.rise_reasons,
        payment_term=plan.payment_term,
        coverage_term=plan.coverage_term,
        sum_insured=product.sum_insured.default if years is None else usual_sum_insured(product, years),
        premium=premium,
        points=points,
        renewals=max(0, len(points) - 1),
        source=source_of(product, years, gender) if premium is not None and years is not None and gender else None,
        age_note=age.note if age and gender and premium is not None else None,
    )


def _points(
    catalogue: Catalogue, product: Product, age: int, gender: Gender, period: int, max_age: int, horizon: int | None
) -> tuple[RenewalPoint, ...]:
    last = max_age if horizon is None else min(max_age, age + horizon)
    amount, plan = usual_sum_insured(product, age), product.default_plan
    first = previous = monthly_premium(product, catalogue.premium(product.code, age, gender), amount, plan)
    points = []
    for then in range(age, last + 1, period):
        now = monthly_premium(product, catalogue.premium(product.code, then, gender), amount, plan)
        points.append(
            RenewalPoint(
                years=then - age,
                age=then,
                premium=now,
                rise=round(now / previous - 1, 4),
                rise_total=round(now / first - 1, 4),
            )
        )
        previous = now
    return tuple(points)
