"""Is an event likely to be paid? Reads free words against benefits, disease classes, exclusions, waiting, reduction.

Nothing here decides a claim: the verdict says how the policy conditions look at the event and what is still open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from fractions import Fraction
from typing import Literal

from app.errors import BadRequest
from app.insurance.benefits import (
    Cover,
    PayTerms,
    benefit_stems,
    misspelt_covers,
    near_benefits,
    pay_terms,
    pays_for_class,
    stem,
)
from app.insurance.catalogue import Catalogue
from app.insurance.codes import CodeMatch
from app.insurance.coverage import ConflictLine, paid_together
from app.insurance.diagnosis import CodeLine
from app.insurance.exclusions import Exclusion, excluded_by
from app.insurance.models import Benefit, BenefitUnit, CoverageType, DiseaseClass, Model, Product
from app.insurance.names import name_key
from app.insurance.periods import add_months, cover_start, reduction_end
from app.insurance.wording import day, money, percent, round_half_up

EventVerdict = Literal["지급 가능성 높음", "감액 지급", "지급 어려움", "확인 필요"]
CoverState = Literal["전액", "감액", "면책", "조건 확인"]

_ACCIDENT = re.compile(
    r"사고|다쳐|다침|다쳤|부러|낙상|(?<![년달월일])(?<![년달월일]\s)넘어|골절|화상|상해|재해|외상|찢어|베임|데임|깨졌|깨짐"
)
_OF_ONE_NAME = 20
_ACCIDENT_VERBS = re.compile(r"다쳐|다침|다쳤|부러|넘어|찢어|깨졌")
# An exclusion that holds for a time only leaves the matter open.
_TIMED = re.compile(r"(\d+)\s?년\s?(?:안|이내)")
_LATER = re.compile(r"(\d+)\s?년이\s?지난\s?뒤")
_DEAD = "사망"
_SPOKEN = (
    (re.compile(r"(?:앞니|어금니|송곳니|이빨|치아)(?:가|를|이)?"), "치아"),
    (re.compile(r"(?:이|가|을|를)?\s?부러[졌지진져트뜨]\S*"), " 부러짐"),
    (re.compile(r"(?:이|가|을|를)?\s?깨[졌지진져]\S*"), " 깨짐"),
    (re.compile(r"(?:이|가)?\s?빠[졌지진져]\S*"), " 빠짐"),
)
# Benefits whose condition asks for a stage are sure only when the event names one.
_STAGED = re.compile(r"CDR|장기요양|등급")
_STAGE_NAMED = re.compile(r"경도\s?치매|중등도|중증|말기|초기\s?치매|CDR|씨디알|[1-5]\s?등급", re.IGNORECASE)


def accident_in(text: str) -> str | None:
    """What tells in a text that there was an accident: a noun as it was said, 사고 for a verb (넘어져서); None where
    nothing does."""
    found = _ACCIDENT.search(text)
    return _ACCIDENT_VERBS.sub("사고", found.group()) if found else None


class EventCover(PayTerms):
    """What one benefit does in this event: amounts 원, waiting days, reduction months and share, dates when known."""

    benefit: str
    coverage_type: CoverageType
    rider_name: str | None
    optional: bool
    amount: int
    unit: BenefitUnit
    condition: str
    limit: str | None
    cover_start: date | None
    reduction_rate: float | None
    reduction_end: date | None
    state: CoverState
    payable: int | None
    arithmetic: str | None


class EventJudgement(Model):
    """How the policy conditions look at an event. `dates_needed`: waiting or reduction could not be applied;
    `as_of` the day that stands for the event's where none was told; `adds`: the benefits of the main contract are paid
    together."""

    code: str
    name: str
    event: str
    event_date: date | None
    contract_date: date | None
    as_of: date | None = None
    verdict: EventVerdict
    reason: str
    disease: CodeLine | None
    classes: tuple[DiseaseClass, ...]
    covers: tuple[EventCover, ...]
    exclusions: tuple[Exclusion, ...]
    conflicts: tuple[ConflictLine, ...]
    to_check: tuple[str, ...]
    dates_needed: bool
    sum_insured_default: int
    adds: bool = False
    near: tuple[str, ...] = ()


def judge_event(
    catalogue: Catalogue,
    product: Product,
    event: str,
    event_date: date | None,
    contract_date: date | None,
    today: date | None = None,
) -> EventJudgement:
    """The verdict on an event (a disease, an accident, a treatment), with the rules applied in order. Where only the
    contract's day is told, the event is taken to be of `today`.

    Raises BadRequest when the event lies before the contract.
    """
    if event_date and contract_date and event_date < contract_date:
        raise BadRequest(
            f"사고일({day(event_date)})이 계약일({day(contract_date)})보다 앞섭니다. "
            "계약 전에 생긴 일은 보장하지 않으니 두 날짜를 다시 확인해 주세요."
        )
    as_of = today if event_date is None and contract_date and today and contract_date <= today else None
    happened = event_date or as_of
    words = _plain(event)
    match = catalogue.reference.codes.find(words)
    classes: tuple[DiseaseClass, ...] = match.classes or (("상해",) if _ACCIDENT.search(words) else ())
    sure, maybe = _fitting(product, words, match, classes)
    excluded = excluded_by(
        catalogue.reference, product, words, [text for b, _ in (*sure, *maybe) for text in benefit_stems(b)]
    )
    if contract_date and happened and any(_is_over(e, contract_date, happened) for e in excluded):
        excluded = tuple(e for e in excluded if not _is_over(e, contract_date, happened))
        sure, maybe = (sure, maybe) if sure or maybe else _fitting(product, _DEAD, match, classes)
    fitting = () if excluded else tuple((c, True) for c in sure) or tuple((c, False) for c in maybe)
    accident = classes == ("상해",)
    covers = tuple(_apply(product, c, sure, happened, contract_date, accident=accident) for c, sure in fitting)
    known = bool(match.codes) or _known_elsewhere(catalogue, words)
    verdict, reason = _verdict(product, event, covers, excluded, known, bool(happened and contract_date))
    dates_needed = any(c.waiting_days or c.reduction_months for c in covers) and not (happened and contract_date)
    # 암 names a hundred of them: no one of those
    first = match.codes[0] if 0 < len(match.codes) <= _OF_ONE_NAME else None
    return EventJudgement(
        code=product.code,
        name=product.name,
        event=event,
        event_date=event_date,
        contract_date=contract_date,
        as_of=as_of,
        verdict=verdict,
        reason=reason,
        disease=CodeLine(kcd=first.code, disease=first.name, classes=first.classes, note=first.note) if first else None,
        classes=classes,
        covers=covers,
        exclusions=excluded,
        conflicts=_conflicts(product, covers),
        to_check=_to_check(covers, bool(excluded), dates_needed),
        dates_needed=dates_needed,
        sum_insured_default=product.sum_insured.default,
        adds=paid_together(product, [benefit for (benefit, rider), _ in fitting if rider is None]),
        near=() if covers or excluded else near_benefits(product, event),
    )


def _is_over(exclusion: Exclusion, contract_date: date, happened: date) -> bool:
    """Whether an exclusion that holds for some years only no longer held then."""
    years = _TIMED.search(exclusion.item) or _LATER.search(exclusion.exception)
    return years is not None and happened >= add_months(contract_date, 12 * int(years[1]))


def _plain(event: str) -> str:
    """The event with its verbs as the nouns that data use: '앞니가 깨졌어요' → '치아 깨짐'."""
    for said, noun in _SPOKEN:
        event = said.sub(noun, event)
    return event.strip()


def _fitting(
    product: Product, event: str, match: CodeMatch, classes: Sequence[DiseaseClass]
) -> tuple[list[Cover], list[Cover]]:
    """Benefits that answer to the event, and those that do only under a condition its words do not tell."""
    key = stem(event)
    aliases = (
        {stem(name) for code in match.codes for name in (code.name, *code.synonyms)} if len(match.codes) == 1 else set()
    )
    # An accident is covered by its kind, which the disease name tells: 팔이 부러졌어요 is S52 아래팔의 골절.
    told = key + "".join(name_key(code.name) for code in match.codes if "상해" in code.classes)
    sure: list[Cover] = []
    maybe: list[Cover] = []
    exact: list[Cover] = []
    for cover in product.all_benefits:
        benefit, rider = cover
        shared = set(benefit.disease_classes) & set(classes)
        known = benefit_stems(benefit)
        if benefit.coverage_type == "납입면제" and "면제" not in key:
            continue
        if key not in known and benefit.disease_classes and classes and not shared:
            continue  # short of its own keyword the class decides: 외상성 뇌출혈 is no 뇌출혈
        named = any(text == key or (len(text) > 1 and text in told) or text in aliases for text in known)
        broad = pays_for_class(benefit, classes)
        if named or broad:
            staged = _STAGED.search(benefit.condition) and not _STAGE_NAMED.search(event)
            (maybe if staged else sure).append(cover)
            exact += [cover] if broad or key in known else []
        elif (len(key) > 1 and any(key in text for text in known)) or _main_diagnosis(benefit, rider is None, shared):
            maybe.append(cover)
    if any(key in benefit_stems(benefit) for benefit, _ in exact):
        sure = [cover for cover in sure if cover in exact]  # 장기요양 4등급: not every cover of 장기요양
    if not sure and not maybe and not classes:
        maybe = list(misspelt_covers(product.all_benefits, event))
    return sure, maybe


def _main_diagnosis(benefit: Benefit, main: bool, shared: set[DiseaseClass]) -> bool:
    """A diagnosis benefit of the main contract for a part of the class, such as one stage of 치매."""
    return main and benefit.coverage_type == "진단" and bool(shared - {"상해", "기타"})


def _apply(
    product: Product,
    cover: Cover,
    certain: bool,
    event_date: date | None,
    contract_date: date | None,
    *,
    accident: bool,
) -> EventCover:
    benefit, rider = cover
    start = cover_start(benefit, contract_date) if contract_date else None
    end = reduction_end(benefit, contract_date) if contract_date else None
    state: CoverState = "전액" if certain else "조건 확인"
    payable: int | None = None
    arithmetic: str | None = None
    if event_date and start:
        payable = benefit.amount
        if event_date < start:
            state, payable = "면책", 0
            arithmetic = f"보장개시일 {day(start)} 전이어서 지급하지 않음"
        elif benefit.reduction and end and event_date < end and not (accident and benefit.reduction.disease_only):
            state = "감액" if certain else state
            payable = round_half_up(benefit.amount * Fraction(str(benefit.reduction.rate)))
            arithmetic = f"{money(benefit.amount)} × {percent(benefit.reduction.rate)} = {money(payable)}"
    return EventCover(
        benefit=benefit.name,
        coverage_type=benefit.coverage_type,
        rider_name=rider.name if rider else None,
        optional=rider is not None and not rider.mandatory,
        amount=benefit.amount,
        unit=benefit.unit,
        condition=benefit.condition,
        limit=benefit.limit.text if benefit.limit else None,
        cover_start=start,
        reduction_rate=benefit.reduction.rate if benefit.reduction else None,
        reduction_end=end,
        state=state,
        payable=payable,
        arithmetic=arithmetic,
        **pay_terms(product, benefit),
    )


def _verdict(
    product: Product,
    event: str,
    covers: Sequence[EventCover],
    excluded: Sequence[Exclusion],
    known: bool,
    dated: bool,
) -> tuple[EventVerdict, str]:
    if excluded and _TIMED.search(excluded[0].item):
        return "확인 필요", f"다음 경우에는 보장하지 않습니다: {excluded[0].item}"
    if excluded:
        return "지급 어려움", f"보장하지 않는 사항에 들어 있습니다: {excluded[0].item}"
    if not covers and known:
        return "지급 어려움", f"{product.name}에는 '{event}'에 맞는 보장이 없습니다."
    if not covers:
        return "확인 필요", "말씀하신 내용만으로는 어떤 보장에 해당하는지 정하기 어렵습니다."
    main = [cover for cover in covers if not cover.optional]
    deciding = main or covers
    states = {cover.state for cover in deciding}
    if "전액" in states and main:
        return "지급 가능성 높음", _full_reason(deciding, dated)
    if "감액" in states and main:
        cut = next(cover for cover in deciding if cover.state == "감액")
        return "감액 지급", _reduced_reason(cut)
    if states == {"면책"}:
        late = max(cover.cover_start for cover in deciding if cover.cover_start)
        days = max(cover.waiting_days for cover in deciding)
        return "지급 어려움", f"보장이 시작되는 {day(late)} 전, 면책기간 {days}일 안의 일이어서 지급하지 않습니다."
    if not main:
        reduced = next((cover for cover in deciding if cover.state == "감액"), None)
        more = " " + _reduced_reason(reduced) if reduced else ""
        return "확인 필요", f"주계약에는 없고 선택 특약에서 보장하므로, 그 특약에 가입했을 때 지급합니다.{more}"
    return "확인 필요", "보장하는 병이나 치료에 들지만, 아래 지급 사유에 맞는지에 따라 달라집니다."


def _full_reason(covers: Sequence[EventCover], dated: bool) -> str:
    if not any(cover.waiting_days or cover.reduction_months for cover in covers):
        return "면책기간과 감액기간 없이 전액을 보장하는 사유입니다."
    if dated:
        return "면책기간과 감액기간이 지난 뒤의 일이어서 약정한 금액을 모두 지급하는 경우입니다."
    return "보장하는 사유에 해당합니다. 다만 계약일에 따라 면책이나 감액이 적용될 수 있습니다."


def _reduced_reason(cover: EventCover) -> str:
    rate = percent(cover.reduction_rate or 0)
    return f"계약일부터 {cover.reduction_months}개월이 지나기 전의 일이어서 {rate}만 지급합니다."


def _to_check(covers: Sequence[EventCover], excluded: bool, dates_needed: bool) -> tuple[str, ...]:
    if excluded:
        return ("계약일과 사고일, 예외에 해당하는지",)
    if not covers:
        return ("정확한 진단명(질병분류코드)과 받은 치료 이름",)
    checks = ["계약일과 사고일(진단확정일)"] if dates_needed else []
    checks.append("진단서의 질병분류코드와 치료 내용이 지급 사유에 맞는지")
    if any(cover.optional for cover in covers):
        checks.append("해당 특약에 가입했는지")
    if any(cover.limit for cover in covers):
        checks.append("같은 보험금을 이미 받았거나 한도를 채웠는지")
    return (*checks, "사고일에 계약이 유지되고 있었는지와 가입금액")


def _conflicts(product: Product, covers: Sequence[EventCover]) -> tuple[ConflictLine, ...]:
    """The rules for two or more of these benefits falling together."""
    names = [stem(cover.benefit) for cover in covers]
    return tuple(
        ConflictLine(treatments=rule.treatments, rule=rule.rule, pays=rule.pays)
        for rule in product.conflict_rules
        if sum(any(stem(t) in name for name in names) for t in rule.treatments) > 1
    )


def _known_elsewhere(catalogue: Catalogue, event: str) -> bool:
    """Whether some other product has a benefit called so: then this one simply does not cover it."""
    key = name_key(event)
    return any(
        len(text) > 1 and text in key
        for product in catalogue.products
        for benefit, _ in product.all_benefits
        for text in benefit_stems(benefit)
    )
