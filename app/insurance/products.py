"""The facts of one product, and of several side by side. Source: data/products/*.yaml."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Literal

from app.insurance.catalogue import Catalogue
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.knockouts import Entry, Heard, RuleMet, accept, hear
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
from app.insurance.wording import CHANNEL_WORDS, age_span

EntryVerdict = Literal["가입 가능", "심사 필요", "가입 불가", "확인 필요"]


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
    """Another product that the person may enter at their age; `entry` reads what they told against its knock-outs."""

    code: str
    name: str
    entry_age: AgeRange
    premium: int | None = None
    simplified: bool = False
    entry: Entry | None = None


class EligibilityRule(Model):
    """Who may enter by the product's own rule, and the verdict where age, channel or something to underwrite was told.

    `told` names what must be underwritten, `knockouts` the rules that always decline and that it meets or may meet;
    `declined_by` is the one that decides.
    """

    code: str
    name: str
    entry_age: AgeRange
    channels: tuple[ChannelName, ...]
    simplified: bool
    disclosure_form: DisclosureForm
    max_contracts: int
    age: int | None
    age_kind: AgeKind = FULL_AGE
    age_note: str | None = None
    channel: ChannelName | None
    age_ok: bool | None
    channel_ok: bool | None
    verdict: EntryVerdict
    reasons: tuple[str, ...]
    alternatives: tuple[Alternative, ...] = ()
    told: tuple[str, ...] = ()
    knockouts: tuple[RuleMet, ...] = ()
    declined_by: RuleMet | None = None
    question_count: int = 0


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
        code=product.code,
        name=product.name,
        official_name=product.official_name,
        category=product.category,
        summary=product.summary,
        points=product.points,
        revision=product.revision,
        effective_date=product.effective_date,
        simplified=product.simplified,
        disclosure_form=product.disclosure_form,
        entry_age=product.entry_age,
        renewal=product.renewal,
        waiting_days=waiting_days(product),
        channels=selling_channels(product),
        payment_cycles=tuple(cycle.name for cycle in product.payment_cycles),
        plans=tuple(
            PlanTerm(
                name=p.name,
                payment_term=p.payment_term,
                coverage_term=p.coverage_term,
                surrender=p.surrender,
                default=p.default,
            )
            for p in product.plans
        ),
        sum_insured_min=product.sum_insured.min,
        sum_insured_max=product.sum_insured.max,
        sum_insured_default=product.sum_insured.default,
        benefits=tuple(map(_benefit_line, product.benefits)),
        rider_count=len(product.riders),
        mandatory_rider_count=sum(r.mandatory for r in product.riders),
        max_contracts=product.max_contracts,
    )


def check_version(product: Product, revision: int | None) -> VersionCheck:
    """Compares a revision with the one in force."""
    newest = None if revision is None else revision == product.revision
    verdict: Literal["최신 개정본", "이전 개정본", "없는 개정본"] | None = None
    if revision is not None:
        verdict = "최신 개정본" if newest else "이전 개정본" if revision < product.revision else "없는 개정본"
    return VersionCheck(
        code=product.code,
        name=product.name,
        current_revision=product.revision,
        effective_date=product.effective_date,
        asked_revision=revision,
        is_newest=newest,
        verdict=verdict,
    )


def check_eligibility(
    catalogue: Catalogue,
    product: Product,
    age: EntryAge | None,
    channel: ChannelName | None,
    conditions: Sequence[str] = (),
    today: date | None = None,
) -> EligibilityRule:
    """The product's entry rule and its verdict. `conditions` is what was told of the person, in free words: one that
    meets a knock-out declines, any other leaves the verdict to underwriting."""
    heard = hear(catalogue.reference, conditions, today)
    accepted = accept(catalogue.reference, product, heard)
    selling = selling_channels(product)
    age_ok = None if age is None else age.fits(product.entry_age)
    channel_ok = None if channel is None else channel in selling
    reasons = []
    if age is not None:
        reasons.append(_age_reason(product, age, age_ok))
    if channel is not None:
        word = CHANNEL_WORDS[channel]
        reasons.append(f"{word} 채널에서 판매하고 있습니다." if channel_ok else f"{word} 채널에서는 판매하지 않습니다.")
    answers = [answer for answer in (age_ok, channel_ok) if answer is not None]
    open_age = age is not None and age_ok is None and channel_ok is not False
    verdict: EntryVerdict = "확인 필요" if open_age or not answers else "가입 가능" if all(answers) else "가입 불가"
    if verdict != "가입 불가" and accepted.entry != "가입 가능":
        verdict = accepted.entry
    others = same_kind_enterable(catalogue, product, age) if age is not None and age_ok is False else ()
    if heard.names:
        others = tuple(dict.fromkeys((*others, *_less_asked(catalogue, product, age))))
    return EligibilityRule(
        code=product.code,
        name=product.name,
        entry_age=product.entry_age,
        channels=selling,
        simplified=product.simplified,
        disclosure_form=product.disclosure_form,
        max_contracts=product.max_contracts,
        age=age.years if age else None,
        age_kind=age.kind if age else FULL_AGE,
        age_note=age.born_note if age else None,
        channel=channel,
        age_ok=age_ok,
        channel_ok=channel_ok,
        verdict=verdict,
        reasons=tuple(reasons),
        alternatives=_alternatives(catalogue, others, heard),
        told=heard.names,
        knockouts=accepted.knockouts,
        declined_by=accepted.decisive,
        question_count=sum(q.form == product.disclosure_form for q in catalogue.reference.questions),
    )


def _age_reason(product: Product, age: EntryAge, fits: bool | None) -> str:
    if fits is False:
        return age_refusal(product, age)
    span = age_span(product.entry_age)
    if fits is None:
        return f"{age.told}인데, 가입 나이는 {span}라 태어난 날을 알아야 가입할 수 있는지 정해집니다."
    return f"{age.told}는 가입 나이 {span}에 들어갑니다."


def _less_asked(catalogue: Catalogue, product: Product, age: EntryAge | None) -> tuple[Product, ...]:
    """The simplified products that may be entered at the age, for whoever has told something."""
    return tuple(
        other
        for other in catalogue.products
        if other.simplified and other.code != product.code and (age is None or age.fits(other.entry_age) is not False)
    )


def _alternatives(catalogue: Catalogue, products: Sequence[Product], heard: Heard) -> tuple[Alternative, ...]:
    """Those of the products whose knock-outs what was told does not meet."""
    judged = [(p, accept(catalogue.reference, p, heard).entry) for p in products]
    return tuple(
        Alternative(code=p.code, name=p.name, entry_age=p.entry_age, simplified=p.simplified, entry=entry)
        for p, entry in judged
        if entry != "가입 불가"
    )


def same_kind_enterable(catalogue: Catalogue, product: Product, age: EntryAge) -> tuple[Product, ...]:
    """Other products of the same category that may be entered at `age`."""
    return tuple(
        other
        for other in catalogue.products
        if other.code != product.code and other.category == product.category and age.fits(other.entry_age) is not False
    )


def channel_availability(product: Product, asked: ChannelName | None) -> ChannelAvailability:
    """Each channel yes or no and since when; a channel the file does not name does not sell the product."""
    known = {channel.channel: channel for channel in product.channels}
    lines = tuple(
        ChannelLine(
            channel=name,
            label=label,
            available=name in known and known[name].available,
            since=known[name].since if name in known and known[name].available else None,
            note=known[name].note if name in known else "",
        )
        for name, label in CHANNEL_WORDS.items()
    )
    answer = next((line for line in lines if line.channel == asked), None)
    return ChannelAvailability(
        code=product.code,
        name=product.name,
        asked=asked,
        asked_label=answer.label if answer else None,
        available=answer.available if answer else None,
        since=answer.since if answer else None,
        channels=lines,
        selling=tuple(line.label for line in lines if line.available),
    )


def _benefit_line(benefit: Benefit) -> BenefitLine:
    cut = benefit.reduction
    return BenefitLine(
        name=benefit.name,
        amount=benefit.amount,
        unit=benefit.unit,
        waiting_days=benefit.waiting_days,
        reduction_months=cut.months if cut else None,
        reduction_rate=cut.rate if cut else None,
    )


def selling_channels(product: Product) -> tuple[ChannelName, ...]:
    """The channels that sell the product now."""
    return tuple(channel.channel for channel in product.channels if channel.available)
