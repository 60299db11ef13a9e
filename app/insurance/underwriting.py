"""A first look at a health history: verdict per condition and product, rules met, simplified products instead.

Only the underwriters decide; these verdicts follow data/reference/condition_rules.yaml and the
products' knock-outs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from app.insurance.catalogue import Catalogue, Reference
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.health import CURED_YEARS, Condition, History, read_history, since_words
from app.insurance.knockouts import Entry, Heard, RuleMet, accept, hear
from app.insurance.models import AgeRange, Category, DisclosureForm, Gender, Model, Product
from app.insurance.reference import Verdict
from app.insurance.search import age_refusal

_ORDER: tuple[Verdict, ...] = ("가능", "조건부", "거절 가능성")
_ENTRIES: tuple[Entry, ...] = ("가입 가능", "심사 필요", "가입 불가")
# The five diseases of the third question of the simplified forms, as condition rules.
_SERIOUS = frozenset(
    {"cancer_surgery", "thyroid_cancer", "leukemia", "angina", "mi", "liver_cirrhosis", "stroke", "valve"}
)
_UNKNOWN_REASON = "정해 둔 심사 규칙에 없는 병력이라 진료기록을 받아 따로 심사합니다."


class ConditionVerdict(Model):
    """How one condition is looked at. `years` since as told, `since` in words."""

    condition: str
    words: str
    years: float | None
    since: str | None
    verdict: Verdict
    reason: str
    period: str
    documents: tuple[str, ...]


class ProductVerdict(Model):
    """The verdict of one product on the whole history and age."""

    code: str
    name: str
    category: Category
    simplified: bool
    disclosure_form: DisclosureForm
    entry_age: AgeRange
    verdict: Verdict
    entry: Entry
    reason: str
    age_ok: bool | None


class Precheck(Model):
    """The first look. With a product: its conditions, rules and `alternatives` (simplified ones, and those of
    the same kind when the age is outside); without one: all `products`. `entry` is whether one may join at all and
    `told` names what was told; both are those of the product that was asked about."""

    code: str | None
    name: str | None
    category: Category | None
    simplified: bool | None
    disclosure_form: DisclosureForm | None
    age: int | None
    age_kind: AgeKind = FULL_AGE
    age_note: str | None = None
    gender: Gender | None
    age_ok: bool | None
    age_reason: str | None
    history: str
    healthy: bool
    verdict: Verdict
    entry: Entry
    told: tuple[str, ...]
    conditions: tuple[ConditionVerdict, ...]
    knockouts: tuple[RuleMet, ...]
    documents: tuple[str, ...]
    alternatives: tuple[ProductVerdict, ...]
    products: tuple[ProductVerdict, ...]


def precheck(
    catalogue: Catalogue,
    product: Product | None,
    age: EntryAge | None,
    gender: Gender | None,
    history: str,
    *,
    conditions: Sequence[str] = (),
    today: date | None = None,
) -> Precheck:
    """The verdict on a history in free words; `age` outside a product's entry ages counts as a refusal and is said.

    `conditions` are the person's own words, where `history` only notes them; the knock-outs are read against both.
    """
    reference = catalogue.reference
    years = age.years if age else None
    kind: AgeKind = age.kind if age else FULL_AGE
    born = age.born_note if age else None
    read = read_history(reference, history)
    heard = hear(reference, conditions, today, noted=history)
    each = {c.rule.id: hear(reference, (c.words,), today) for c in read.conditions}
    all_products = tuple(_judge_product(reference, p, read, heard, each, age) for p in catalogue.products)
    told: dict[str, Any] = {
        "age": years, "age_kind": kind, "age_note": born, "gender": gender, "history": history,
        "healthy": read.healthy, "told": heard.names,
    }  # fmt: skip
    if product is None:
        reachable = [p for p in all_products if p.age_ok is not False] or list(all_products)
        best = min((p.verdict for p in reachable), key=_ORDER.index)
        lines = tuple(_general(c) for c in read.conditions) + _unknown(read)
        return Precheck(
            code=None, name=None, category=None, simplified=None, disclosure_form=None, age_ok=None, age_reason=None,
            verdict=best, entry=min((p.entry for p in reachable), key=_ENTRIES.index), conditions=lines,
            knockouts=(), documents=_documents(lines), alternatives=(), products=all_products, **told,
        )  # fmt: skip
    lines = tuple(_judge(reference, product, c, each[c.rule.id]) for c in read.conditions) + _unknown(read)
    mine = next(p for p in all_products if p.code == product.code)
    return Precheck(
        code=product.code,
        name=product.name,
        category=product.category,
        simplified=product.simplified,
        disclosure_form=product.disclosure_form,
        age_ok=mine.age_ok,
        age_reason=age_refusal(product, age) if age is not None and mine.age_ok is False else None,
        verdict=mine.verdict,
        entry=mine.entry,
        conditions=lines,
        knockouts=accept(reference, product, heard).knockouts,
        documents=_documents(lines),
        alternatives=_alternatives(product, mine, all_products),
        products=(),
        **told,
    )


def _alternatives(
    product: Product, mine: ProductVerdict, judged: Sequence[ProductVerdict]
) -> tuple[ProductVerdict, ...]:
    """The simplified products, and those of the same kind when the age is outside, where they may be joined rather."""
    outside_age = mine.age_ok is False
    others = [
        p
        for p in judged
        if p.code != product.code
        and p.age_ok is not False
        and (p.simplified or (outside_age and p.category == product.category))
    ]
    better = [p for p in others if mine.verdict != "가능" and _ORDER.index(p.verdict) < 2]
    return tuple(sorted(better, key=lambda p: (_ORDER.index(p.verdict), p.category != product.category)))


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """The strictest of some verdicts; 가능 when there is none."""
    return max(verdicts, key=_ORDER.index, default="가능")


def declined_by(rule: RuleMet) -> str:
    """The rule that declines, with its reason, in two sentences."""
    return f"'{rule.rule}'에 해당합니다. {rule.reason}"


def _judge_product(
    reference: Reference,
    product: Product,
    read: History,
    heard: Heard,
    each: Mapping[str, Heard],
    age: EntryAge | None,
) -> ProductVerdict:
    age_ok = None if age is None else age.fits(product.entry_age)
    lines = [_judge(reference, product, c, each[c.rule.id]) for c in read.conditions] + list(_unknown(read))
    accepted = accept(reference, product, heard)
    declined = accepted.decisive
    verdict = "거절 가능성" if age_ok is False or declined else worst(line.verdict for line in lines)
    if age_ok is False and age is not None:
        reason = age_refusal(product, age)
    elif declined:
        reason = declined_by(declined)
    elif not lines:
        reason = "알리신 내용으로는 심사에 걸리는 병력이 없습니다."
    else:
        reason = max(lines, key=lambda line: _ORDER.index(line.verdict)).reason
    return ProductVerdict(
        code=product.code, name=product.name, category=product.category, simplified=product.simplified,
        disclosure_form=product.disclosure_form, entry_age=product.entry_age, verdict=verdict,
        entry="가입 불가" if age_ok is False else accepted.entry, reason=reason, age_ok=age_ok,
    )  # fmt: skip


def _judge(reference: Reference, product: Product, condition: Condition, heard: Heard) -> ConditionVerdict:
    met = accept(reference, product, heard).decisive
    if met:
        return _line(condition, "거절 가능성", declined_by(met))
    if product.simplified:
        return _judge_simplified(reference, product, condition)
    rule = condition.rule
    if _cleared(condition):
        note = f"{rule.years_clear}년이 지났고 지금 치료하지 않는다면 고지 대상이 아닐 수 있습니다."
        return _line(condition, "가능", note)
    return _line(condition, rule.category_verdicts[product.category], rule.reason)


def _judge_simplified(reference: Reference, product: Product, condition: Condition) -> ConditionVerdict:
    rule, years = condition.rule, condition.years
    window = _hospital_years(reference, product)
    form = product.disclosure_form
    if rule.id in _SERIOUS:
        if years is None:
            note = f"{form}는 5년 이내인지를 묻습니다. 진단·수술이 5년 안이면 어렵습니다."
            return _line(condition, rule.simplified_verdict, note)
        if years < CURED_YEARS:
            return _line(condition, "거절 가능성", f"{form}의 최근 5년 이내 중대질병 질문에 해당합니다.")
        return _line(condition, "조건부", f"5년이 지나 {form} 질문에는 해당하지 않지만 현재 상태를 확인합니다.")
    if condition.treated and years is not None and years < window:
        return _line(condition, "거절 가능성", f"{form}의 최근 {window}년 이내 입원·수술 질문에 해당합니다.")
    if condition.treated and years is None:
        note = f"입원·수술이 최근 {window}년 안이면 가입이 어렵고, 그 전이면 가입할 수 있습니다({form})."
        return _line(condition, worst(("조건부", rule.simplified_verdict)), note)
    if years is not None and years >= window and rule.simplified_verdict == "조건부" and not condition.current:
        return _line(condition, "가능", f"{window}년이 지나 {form}의 입원·수술 질문에 해당하지 않습니다.")
    told = {
        "가능": f"{form}는 투약·통원을 따로 묻지 않아, 질문에 해당하는 입원·수술이 없으면 가입할 수 있습니다.",
        "조건부": f"{form} 질문에 해당하는지와 현재 상태에 따라 달라집니다. {rule.reason}",
        "거절 가능성": rule.reason,
    }
    return _line(condition, rule.simplified_verdict, told[rule.simplified_verdict])


def _general(condition: Condition) -> ConditionVerdict:
    """The condition without a product: the strictest kind of product counts; each product stands in `products`."""
    verdicts = condition.rule.category_verdicts.values()
    verdict = "가능" if _cleared(condition) else max(verdicts, key=_ORDER.index)
    return _line(condition, verdict, condition.rule.reason)


def _cleared(condition: Condition) -> bool:
    rule, years = condition.rule, condition.years
    return bool(rule.years_clear) and years is not None and years >= rule.years_clear and not condition.current


def _hospital_years(reference: Reference, product: Product) -> int:
    """The years the simplified form's question on 입원·수술 looks back (2 or 3)."""
    months = [q.months for q in reference.questions if q.form == product.disclosure_form and 12 < q.months < 60]
    return months[0] // 12 if months else 2


def _unknown(read: History) -> tuple[ConditionVerdict, ...]:
    return tuple(
        ConditionVerdict(
            condition=words,
            words=words,
            years=None,
            since=None,
            verdict="조건부",
            reason=_UNKNOWN_REASON,
            period="최근 5년 이내",
            documents=("진료기록 사본",),
        )
        for words in read.unknown
    )


def _documents(lines: Sequence[ConditionVerdict]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(doc for line in lines if line.verdict != "가능" for doc in line.documents))


def _line(condition: Condition, verdict: Verdict, reason: str) -> ConditionVerdict:
    return ConditionVerdict(
        condition=condition.rule.name, words=condition.words, years=condition.years, since=since_words(condition.years),
        verdict=verdict, reason=reason,
        period=condition.rule.period, documents=condition.rule.docs,
    )  # fmt: skip
