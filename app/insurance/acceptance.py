"""What joining asks for: rules that always decline, papers, and the sums insured that may be chosen.

Sources: data/products/*.yaml, data/reference/knockouts.yaml, data/reference/join_documents.yaml.
"""

from __future__ import annotations

from app.insurance.catalogue import Catalogue, Reference
from app.insurance.entry_age import FULL_AGE, AgeKind, EntryAge
from app.insurance.matching import misspelt
from app.insurance.models import AgeRange, Model, Product
from app.insurance.names import name_key
from app.insurance.pricing import max_sum_insured, usual_sum_insured
from app.insurance.reference import RequiredDocs
from app.insurance.search import age_refusal

_PLAIN_CASE = "일반 가입(본인)"


class KnockoutLine(Model):
    """A rule that always declines."""

    rule: str
    reason: str


class KnockoutRules(Model):
    """What always declines: the product's own rules, or those of all products each once (`special`), and the common."""

    code: str | None
    name: str | None
    special: tuple[KnockoutLine, ...]
    common: tuple[KnockoutLine, ...]
    count: int


class DocumentCase(Model):
    """Papers for one case."""

    case: str
    documents: tuple[str, ...]
    note: str


class JoinDocuments(Model):
    """Papers needed to join. `found` is False when the case told is unknown; `other_cases` names the known ones."""

    code: str | None
    name: str | None
    asked: str | None
    found: bool
    cases: tuple[DocumentCase, ...]
    other_cases: tuple[str, ...]


class AgeCap(Model):
    """From `from_age` on at most `max` 원."""

    from_age: int
    max: int


class EntryLimits(Model):
    """The sums insured (원) that may be chosen, at an age when one was told."""

    code: str
    name: str
    age: int | None
    age_kind: AgeKind = FULL_AGE
    age_note: str | None = None
    age_ok: bool | None
    age_reason: str | None
    entry_age: AgeRange
    min: int
    max: int
    usual: int
    step: int
    greatest: int
    caps: tuple[AgeCap, ...]
    max_contracts: int


def knockout_rules(catalogue: Catalogue, product: Product | None) -> KnockoutRules:
    """What always declines, for one product or for all."""
    holders = (product,) if product else catalogue.products
    lines = {k.rule: KnockoutLine(rule=k.rule, reason=k.reason) for holder in holders for k in holder.knockouts}
    common = tuple(KnockoutLine(rule=k.rule, reason=k.reason) for k in catalogue.reference.knockouts)
    return KnockoutRules(
        code=product.code if product else None,
        name=product.name if product else None,
        special=tuple(lines.values()),
        common=common,
        count=len(lines) + len(common),
    )


def join_documents(reference: Reference, product: Product | None, case: str | None) -> JoinDocuments:
    """Papers for the case told, else for joining oneself, with those of the product's kind."""
    every = reference.join_documents
    told = [d for d in every if case and _answers(d, case)]
    kind = [d for d in every if product and _of_kind(d, product)]
    plain = [d for d in every if d.case == _PLAIN_CASE]
    chosen = tuple(dict.fromkeys(d.case for d in (told or [*plain, *kind])))
    lines = {d.case: DocumentCase(case=d.case, documents=d.documents, note=d.note) for d in every}
    return JoinDocuments(
        code=product.code if product else None,
        name=product.name if product else None,
        asked=case,
        found=bool(told) or not case,
        cases=tuple(lines[name] for name in chosen),
        other_cases=tuple(name for name in lines if name not in chosen),
    )


def entry_limits(product: Product, age: EntryAge | None) -> EntryLimits:
    """Least and greatest sum insured; with an age, the cap that holds at it."""
    rule = product.sum_insured
    age_ok = None if age is None else age.fits(product.entry_age)
    years = age.within(product.entry_age).years if age else None
    return EntryLimits(
        code=product.code,
        name=product.name,
        age=years,
        age_kind=age.kind if age else FULL_AGE,
        age_note=age.within(product.entry_age).born_note if age else None,
        age_ok=age_ok,
        age_reason=age_refusal(product, age) if age is not None and age_ok is False else None,
        entry_age=product.entry_age,
        min=rule.min,
        max=rule.max if years is None else max_sum_insured(product, years),
        usual=rule.default if years is None else usual_sum_insured(product, years),
        step=rule.step,
        greatest=rule.max,
        caps=tuple(AgeCap(from_age=cap.from_age, max=cap.max) for cap in rule.caps_by_age),
        max_contracts=product.max_contracts,
    )


def _answers(documents: RequiredDocs, case: str) -> bool:
    key = name_key(case)
    words = [name_key(word) for word in documents.keywords]
    return key in name_key(documents.case) or any(word in key for word in words) or bool(misspelt(case, words))


def _of_kind(documents: RequiredDocs, product: Product) -> bool:
    if product.category == "치매":
        return "치매" in documents.case
    return product.category == "치아" and "치과" in documents.case
