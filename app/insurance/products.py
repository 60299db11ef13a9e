"""The facts of one product, and of several side by side. Source: data/products/*.yaml."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from typing import TYPE_CHECKING, Literal

from app.errors import BadRequest
from app.insurance.models import (
    AgeRange,
    Benefit,
    Category,
    ChannelName,
    DisclosureForm,
    Model,
    Product,
    Renewal,
    SurrenderKind,
)
from app.insurance.search import age_refusal, waiting_days
from app.insurance.wording import age_span, money, percent, waiting, yes

if TYPE_CHECKING:
    from app.insurance.catalogue import Catalogue

CHANNEL_WORDS: dict[ChannelName, str] = {
    "TM": "전화 상담(TM)", "CM": "다이렉트(CM)", "대면": "설계사 대면", "온라인": "온라인", "방카": "은행(방카슈랑스)",
}
EntryVerdict = Literal["가입 가능", "가입 불가", "확인 필요"]


class BenefitLine(Model):
    """One benefit of the main contract at the default sum insured (원)."""

    name: str
    amount: int
    unit: str
    waiting_days: int
    reduction_months: int | None = None
    reduction_rate: float | None = None


class PlanTerm(Model):
    """A plan's terms without its price."""

    name: str
    payment_term: str
    coverage_term: str
    surrender: SurrenderKind
    default: bool


class ProductFacts(Model):
    """The basic facts of one product (amounts 원, ages 세)."""

    code: str
    name: str
    official_name: str
    category: Category
    summary: str
    points: tuple[str, ...]
    revision: int
    effective_date: date
    simplified: bool
    disclosure_form: DisclosureForm
    entry_age: AgeRange
    renewal: Renewal
    waiting_days: int
    channels: tuple[ChannelName, ...]
    payment_cycles: tuple[str, ...]
    plans: tuple[PlanTerm, ...]
    sum_insured_min: int
    sum_insured_max: int
    sum_insured_default: int
    benefits: tuple[BenefitLine, ...]
    rider_count: int
    mandatory_rider_count: int
    max_contracts: int


class ProductRef(Model):
    """A product by code and name."""

    code: str
    name: str


class CompareRow(Model):
    """One fact; `values` stand in the order of the products."""

    group: str
    fact: str
    values: tuple[str, ...]
    differs: bool


class ProductComparison(Model):
    """One row a fact, one column a product; `differing` counts the rows that differ."""

    products: tuple[ProductRef, ...]
    rows: tuple[CompareRow, ...]
    differing: int


class VersionCheck(Model):
    """Which revision is in force. `is_newest` is None when no revision was given."""

    code: str
    name: str
    current_revision: int
    effective_date: date
    asked_revision: int | None
    is_newest: bool | None
    verdict: Literal["최신 개정본", "이전 개정본", "없는 개정본"] | None


class Alternative(Model):
    """Another product of the same kind that the person may enter."""

    code: str
    name: str
    entry_age: AgeRange
    premium: int | None = None


class EligibilityRule(Model):
    """Who may enter by the product's own rule, and the verdict where age or channel was given."""

    code: str
    name: str
    entry_age: AgeRange
    channels: tuple[ChannelName, ...]
    simplified: bool
    disclosure_form: DisclosureForm
    max_contracts: int
    age: int | None
    channel: ChannelName | None
    age_ok: bool | None
    channel_ok: bool | None
    verdict: EntryVerdict
    reasons: tuple[str, ...]
    alternatives: tuple[Alternative, ...] = ()


class ChannelLine(Model):
    """Whether one channel sells the product, and since when."""

    channel: ChannelName
    label: str
    available: bool
    since: date | None
    note: str = ""


class ChannelAvailability(Model):
    """All channels of a product; `available` answers for the channel asked, None when none was."""

    code: str
    name: str
    asked: ChannelName | None
    asked_label: str | None
    available: bool | None
    since: date | None
    channels: tuple[ChannelLine, ...]
    selling: tuple[str, ...]


def product_facts(product: Product) -> ProductFacts:
    """The basic facts of a product with its revision and effective date."""
    return ProductFacts(
        code=product.code, name=product.name, official_name=product.official_name, category=product.category,
        summary=product.summary, points=product.points, revision=product.revision,
        effective_date=product.effective_date, simplified=product.simplified, disclosure_form=product.disclosure_form,
        entry_age=product.entry_age, renewal=product.renewal, waiting_days=waiting_days(product),
        channels=_selling(product), payment_cycles=tuple(cycle.name for cycle in product.payment_cycles),
        plans=tuple(PlanTerm(name=p.name, payment_term=p.payment_term, coverage_term=p.coverage_term,
                             surrender=p.surrender, default=p.default) for p in product.plans),
        sum_insured_min=product.sum_insured.min, sum_insured_max=product.sum_insured.max,
        sum_insured_default=product.sum_insured.default, benefits=tuple(map(_benefit_line, product.benefits)),
        rider_count=len(product.riders), mandatory_rider_count=sum(r.mandatory for r in product.riders),
        max_contracts=product.max_contracts,
    )


def read_codes(catalogue: Catalogue, codes: Sequence[str]) -> tuple[Product, ...]:
    """2 to 4 different products in the order given. Raises BadRequest for another number, ProductNotFound."""
    unique = tuple(dict.fromkeys(codes))
    if not 2 <= len(unique) <= 4:
        raise BadRequest(f"비교할 상품은 서로 다른 2~4개여야 합니다. 지금은 {len(unique)}개입니다. 상품 코드를 다시 골라 주세요.")
    return tuple(catalogue.product(code) for code in unique)


def compare_products(products: Sequence[Product]) -> ProductComparison:
    """The facts side by side; a row differs when its values are not all the same."""
    rows = tuple(
        CompareRow(group=group, fact=fact, values=values, differs=len(set(values)) > 1)
        for group, fact, read in _FACTS
        for values in [tuple(read(product) for product in products)]
    )
    return ProductComparison(
        products=tuple(ProductRef(code=p.code, name=p.name) for p in products), rows=rows,
        differing=sum(row.differs for row in rows),
    )


def check_version(product: Product, revision: int | None) -> VersionCheck:
    """Compares a revision with the one in force."""
    newest = None if revision is None else revision == product.revision
    verdict: Literal["최신 개정본", "이전 개정본", "없는 개정본"] | None = None
    if revision is not None:
        verdict = "최신 개정본" if newest else "이전 개정본" if revision < product.revision else "없는 개정본"
    return VersionCheck(
        code=product.code, name=product.name, current_revision=product.revision,
        effective_date=product.effective_date, asked_revision=revision, is_newest=newest, verdict=verdict,
    )


def check_eligibility(
    catalogue: Catalogue, product: Product, age: int | None, channel: ChannelName | None
) -> EligibilityRule:
    """The product's entry rule and its verdict. Health is judged elsewhere: 가능 here means by age and channel alone."""
    selling = _selling(product)
    age_ok = None if age is None else age in product.entry_age
    channel_ok = None if channel is None else channel in selling
    reasons = []
    if age is not None:
        reasons.append(f"만 {age}세는 가입 나이 {age_span(product.entry_age)}에 들어갑니다." if age_ok
                       else age_refusal(product, age))
    if channel is not None:
        word = CHANNEL_WORDS[channel]
        reasons.append(f"{word} 채널에서 판매하고 있습니다." if channel_ok else f"{word} 채널에서는 판매하지 않습니다.")
    answers = [answer for answer in (age_ok, channel_ok) if answer is not None]
    verdict: EntryVerdict = "확인 필요" if not answers else "가입 가능" if all(answers) else "가입 불가"
    others = same_kind_enterable(catalogue, product, age) if age is not None and not age_ok else ()
    return EligibilityRule(
        code=product.code, name=product.name, entry_age=product.entry_age, channels=selling,
        simplified=product.simplified, disclosure_form=product.disclosure_form, max_contracts=product.max_contracts,
        age=age, channel=channel, age_ok=age_ok, channel_ok=channel_ok, verdict=verdict, reasons=tuple(reasons),
        alternatives=tuple(Alternative(code=p.code, name=p.name, entry_age=p.entry_age) for p in others),
    )


def same_kind_enterable(catalogue: Catalogue, product: Product, age: int) -> tuple[Product, ...]:
    """Other products of the same category that may be entered at `age`."""
    return tuple(
        other for other in catalogue.products
        if other.code != product.code and other.category == product.category and age in other.entry_age
    )


def channel_availability(product: Product, asked: ChannelName | None) -> ChannelAvailability:
    """Each channel yes or no and since when; a channel the file does not name does not sell the product."""
    known = {channel.channel: channel for channel in product.channels}
    lines = tuple(
        ChannelLine(
            channel=name, label=label, available=name in known and known[name].available,
            since=known[name].since if name in known and known[name].available else None,
            note=known[name].note if name in known else "",
        )
        for name, label in CHANNEL_WORDS.items()
    )
    answer = next((line for line in lines if line.channel == asked), None)
    return ChannelAvailability(
        code=product.code, name=product.name, asked=asked, asked_label=answer.label if answer else None,
        available=answer.available if answer else None, since=answer.since if answer else None, channels=lines,
        selling=tuple(line.label for line in lines if line.available),
    )


def _benefit_line(benefit: Benefit) -> BenefitLine:
    cut = benefit.reduction
    return BenefitLine(
        name=benefit.name, amount=benefit.amount, unit=benefit.unit, waiting_days=benefit.waiting_days,
        reduction_months=cut.months if cut else None, reduction_rate=cut.rate if cut else None,
    )


def _selling(product: Product) -> tuple[ChannelName, ...]:
    return tuple(channel.channel for channel in product.channels if channel.available)


def _renewal_text(product: Product) -> str:
    rule = product.renewal
    if rule.kind == "비갱신형":
        return "비갱신형"
    return f"갱신형 ({rule.period_years}년마다, 최대 {rule.max_age}세까지)"


def _reduction_text(product: Product) -> str:
    cuts = sorted({(b.reduction.months, b.reduction.rate) for b in product.benefits if b.reduction})
    return ", ".join(f"{months}개월 이내 {percent(rate)} 지급" for months, rate in cuts) or "없음"


def _benefits_text(product: Product) -> str:
    return ", ".join(f"{b.name} {money(b.amount)}({b.unit})" for b in product.benefits[:3])


# The rows of a comparison: group, fact, how it is read.
_FACTS: tuple[tuple[str, str, Callable[[Product], str]], ...] = (
    ("기본", "상품 종류", lambda p: p.category),
    ("기본", "한 줄 소개", lambda p: p.summary),
    ("기본", "시행일", lambda p: p.effective_date.isoformat()),
    ("가입", "가입 나이", lambda p: age_span(p.entry_age)),
    ("가입", "심사", lambda p: yes(p.simplified, "간편심사", "일반심사")),
    ("가입", "고지 유형", lambda p: p.disclosure_form),
    ("가입", "판매 채널", lambda p: ", ".join(_selling(p))),
    ("보장", "주요 보장", _benefits_text),
    ("보장", "면책기간", lambda p: waiting(waiting_days(p))),
    ("보장", "감액기간", _reduction_text),
    ("보장", "특약 수", lambda p: f"{len(p.riders)}개"),
    ("납입", "갱신 여부", _renewal_text),
    ("납입", "납입 기간", lambda p: p.default_plan.payment_term),
    ("납입", "보장 기간", lambda p: p.default_plan.coverage_term),
    ("납입", "해약환급금", lambda p: ", ".join(dict.fromkeys(plan.surrender for plan in p.plans))),
    ("납입", "가입금액", lambda p: f"{money(p.sum_insured.min)}~{money(p.sum_insured.max)}"),
)
