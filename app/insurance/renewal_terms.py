"""May a contract renew, until what age, and how far its premium may rise. Sources: data/products, data/premiums."""

from __future__ import annotations

import re
from fractions import Fraction

from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.models import Gender, Model, Product, RenewalKind
from app.insurance.pricing import default_premium, monthly_premium, usual_sum_insured
from app.insurance.wording import round_half_up

_ANSWERED = re.compile(r"^(?:네|아니요)[.,]\s*")  # the question is not repeated, so its yes or no would hang in the air
_GENDERS: tuple[Gender, ...] = ("M", "F")


class RenewalEligibility(Model):
    """Whether a contract may renew. With `age`: next renewals of one who joins or renewed at it, and the last one."""

    code: str
    name: str
    kind: RenewalKind
    renews: bool
    period_years: int | None
    max_age: int | None
    coverage_term: str
    age: int | None
    age_kind: AgeKind = FULL_AGE
    age_note: str | None = None
    may_renew: bool | None
    next_age: int | None
    last_age: int | None
    renewals_left: int | None
    answer: str | None
    source: str | None


class RenewalPremium(Model):
    """Premiums (원 a month) now and at the next renewal by today's table, and the range foreseen from the first."""

    gender: Gender
    premium: int
    next_premium: int
    rise: float
    low: int
    high: int


class RenewalNotice(Model):
    """What to expect at the next renewal: the rise as a range (shares of one), its reasons, premiums when known."""

    code: str
    name: str
    kind: RenewalKind
    renews: bool
    period_years: int | None
    max_age: int | None
    rise_low: float | None
    rise_high: float | None
    reasons: tuple[str, ...]
    age: int | None
    age_kind: AgeKind = FULL_AGE
    next_age: int | None
    may_renew: bool | None
    premiums: tuple[RenewalPremium, ...]
    sum_insured: int
    answer: str | None
    source: str | None
    age_note: str | None


def renewal_eligibility(product: Product, age: EntryAge | None) -> RenewalEligibility:
    """Until what age the product renews; a 비갱신형 product says so."""
    rule = product.renewal
    period, last = rule.period_years, rule.max_age
    years = age.years if age else None
    ages = list(range(years + period, last + 1, period)) if years is not None and period and last is not None else []
    known = years is not None and period is not None
    note = _faq(product, ("심사", "고지"))
    return RenewalEligibility(
        code=product.code,
        name=product.name,
        kind=rule.kind,
        renews=rule.kind == "갱신형",
        period_years=period,
        max_age=last,
        coverage_term=product.default_plan.coverage_term,
        age=years,
        age_kind=age.kind if age else FULL_AGE,
        age_note=age.born_note if age else None,
        may_renew=bool(ages) if known else None,
        next_age=ages[0] if ages else None,
        last_age=ages[-1] if ages else None,
        renewals_left=len(ages) if known else None,
        answer=note[0],
        source=note[1],
    )


def renewal_notice(
    catalogue: Catalogue, product: Product, age: EntryAge | None, gender: Gender | None
) -> RenewalNotice:
    """The rise at the next renewal; with an age the tables' premiums now and then, for both genders if untold."""
    rule = product.renewal
    period = rule.period_years
    years = age.years if age else None
    then = years + period if years is not None and period else None
    may = None if then is None or rule.max_age is None else then <= rule.max_age
    premiums = (
        tuple(_premium(catalogue, product, years, then, g) for g in ((gender,) if gender else _GENDERS))
        if may and years is not None and then is not None and _on_table(catalogue, product, years, then)
        else ()
    )
    note = _faq(product, ("보험료", "인상", "올"))
    return RenewalNotice(
        code=product.code,
        name=product.name,
        kind=rule.kind,
        renews=rule.kind == "갱신형",
        period_years=period,
        max_age=rule.max_age,
        rise_low=rule.rise_range[0] if rule.rise_range else None,
        rise_high=rule.rise_range[1] if rule.rise_range else None,
        reasons=rule.rise_reasons,
        age=years,
        age_kind=age.kind if age else FULL_AGE,
        next_age=then if may else None,
        may_renew=may,
        premiums=premiums,
        sum_insured=product.sum_insured.default if years is None else usual_sum_insured(product, years),
        answer=note[0],
        source=note[1],
        age_note=age.note if age and premiums else None,
    )


def _premium(catalogue: Catalogue, product: Product, age: int, then: int, gender: Gender) -> RenewalPremium:
    low, high = product.renewal.rise_range or (0.0, 0.0)
    now = default_premium(catalogue, product, age, gender)
    table = catalogue.premium(product.code, then, gender)
    later = monthly_premium(product, table, usual_sum_insured(product, age), product.default_plan)
    return RenewalPremium(
        gender=gender,
        premium=now,
        next_premium=later,
        rise=round(later / now - 1, 4),
        low=round_half_up(now * (1 + Fraction(str(low)))),
        high=round_half_up(now * (1 + Fraction(str(high)))),
    )


def _on_table(catalogue: Catalogue, product: Product, age: int, then: int) -> bool:
    ages = catalogue.premium_ages(product.code)
    return age in ages and then in ages


def _faq(product: Product, words: tuple[str, ...]) -> tuple[str | None, str | None]:
    """The product's own answer on renewal that speaks of these words, with its clause."""
    answers = [
        faq for faq in product.faqs if faq.topic == "갱신" and any(w in faq.question + faq.answer for w in words)
    ]
    best = max(answers, key=lambda faq: sum(w in faq.question for w in words), default=None)
    return (_ANSWERED.sub("", best.answer), best.source) if best else (None, None)
