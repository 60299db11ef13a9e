"""Diseases by KCD code or lay name, their class in each product, and terms as the policy conditions define them.

Sources: data/reference/kcd.csv, data/reference/definitions.yaml, data/knowledge/glossary.yaml.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from rapidfuzz import fuzz

from app.insurance.benefits import benefit_stems, pays_for_class, stem
from app.insurance.catalogue import Catalogue, Reference
from app.insurance.codes import CODE, CodeMatch
from app.insurance.matching import misspelt
from app.insurance.models import Category, DiseaseClass, Model, Product
from app.insurance.names import name_key
from app.insurance.reference import KcdCode
from app.insurance.wording import jamo

_NEAR = 5
_NEAR_RATIO = 60.0
T = TypeVar("T")


class CodeLine(Model):
    """A KCD code with its Korean name and its classes in the products."""

    kcd: str
    disease: str
    classes: tuple[DiseaseClass, ...]
    note: str


class ClassCover(Model):
    """What one product pays on the diagnosis (원 at the default sum insured)."""

    benefit: str
    amount: int
    unit: str
    rider_name: str | None


class ProductClass(Model):
    """The class a disease has in one product, and the diagnosis benefits it leads to."""

    code: str
    name: str
    category: Category
    disease_class: DiseaseClass
    covers: tuple[ClassCover, ...]


class CodeMapping(Model):
    """A code or a name read as KCD codes. `narrower` is the finer code asked for when only its parent is on file."""

    asked: str
    found: bool
    codes: tuple[CodeLine, ...]
    narrower: str | None
    classes: tuple[DiseaseClass, ...]
    products: tuple[ProductClass, ...]
    near: tuple[str, ...] = ()


class DefinitionAnswer(Model):
    """A term as defined. `kind`: 약관 정의 or 용어 풀이; `near` names terms close to the asked one."""

    asked: str
    found: bool
    term: str | None = None
    kind: str | None = None
    definition: str | None = None
    clause: str | None = None
    plain: str | None = None
    near: tuple[str, ...] = ()


def map_codes(catalogue: Catalogue, text: str) -> CodeMapping:
    """What a code or disease is called, its classes, and what each product pays on its diagnosis."""
    kcd = catalogue.reference.kcd
    match = catalogue.reference.codes.find(text)
    codes = match.codes or tuple(code for code in kcd if _mentions(code, name_key(text)))
    classes = match.classes or CodeMatch(codes).classes
    return CodeMapping(
        asked=text,
        found=bool(codes),
        codes=tuple(CodeLine(kcd=c.code, disease=c.name, classes=c.classes, note=c.note) for c in codes[:_NEAR]),
        narrower=match.narrower,
        classes=classes,
        products=_product_classes(catalogue.products, classes, codes) if match.codes else (),
        near=() if codes else _near_codes(kcd, text),
    )


def define(reference: Reference, term: str) -> DefinitionAnswer:
    """A term by the policy conditions, else by the glossary; misspellings count when nothing fits by letter."""
    key = name_key(term)
    policy = [((d.term, *d.aliases), d) for d in reference.definitions]
    plain = [((g.term, *g.aliases), g) for g in reference.glossary]
    defined = next((d for names, d in policy if key in map(name_key, names)), None)
    worded = next((g for names, g in plain if key in map(name_key, names)), None)
    if not defined and not worded:
        defined = _closest(policy, key)
        worded = None if defined else _closest(plain, key)
    if defined:
        explained = worded or next((g for names, g in plain if name_key(defined.term) in map(name_key, names)), None)
        return DefinitionAnswer(
            asked=term, found=True, term=defined.term, kind="약관 정의", definition=defined.definition,
            clause=defined.clause, plain=explained.plain if explained else None, near=defined.near,
        )  # fmt: skip
    if worded:
        return DefinitionAnswer(
            asked=term, found=True, term=worded.term, kind="용어 풀이", definition=worded.plain, clause=worded.source,
            near=worded.related,
        )  # fmt: skip
    terms = [*(d.term for d in reference.definitions), *(g.term for g in reference.glossary)]
    return DefinitionAnswer(asked=term, found=False, near=_near_terms(terms, key))


def _mentions(code: KcdCode, key: str) -> bool:
    return len(key) > 1 and any(key in name for name in code.name_keys)


def _product_classes(
    products: Iterable[Product], classes: Sequence[DiseaseClass], codes: Sequence[KcdCode]
) -> tuple[ProductClass, ...]:
    words = {stem(name) for code in codes for name in (code.name, *code.synonyms)}
    lines = []
    for product in products:
        paying = [
            (benefit, rider)
            for benefit, rider in product.all_benefits
            if benefit.coverage_type == "진단"
            and (pays_for_class(benefit, classes) or _known_as(benefit_stems(benefit), words))
            and (not benefit.disease_classes or set(benefit.disease_classes) & set(classes))
        ]
        if not paying:
            continue
        held = [name for benefit, _ in paying for name in benefit.disease_classes if name in classes]
        lines.append(
            ProductClass(
                code=product.code,
                name=product.name,
                category=product.category,
                disease_class=held[0] if held else classes[0],
                covers=tuple(
                    ClassCover(benefit=b.name, amount=b.amount, unit=b.unit, rider_name=r.name if r else None)
                    for b, r in paying
                ),
            )
        )
    return tuple(lines)


def _known_as(stems: Iterable[str], words: set[str]) -> bool:
    return any(text in words for text in stems)


def _near_codes(kcd: Sequence[KcdCode], text: str) -> tuple[str, ...]:
    if match := CODE.search(text):
        letter, number = match.group(1).upper(), int(match.group(2))
        kin = [code for code in kcd if code.code[0] == letter and "." not in code.code]
        kin.sort(key=lambda code: abs(int(code.code[1:3]) - number))
        return tuple(f"{code.code} {code.name}" for code in kin[:3])
    key = jamo(text)
    words = {(synonym, code.code) for code in kcd for synonym in code.synonyms if len(synonym) > 1}
    ranked = sorted(words, key=lambda pair: (-fuzz.ratio(key, jamo(pair[0])), pair))
    return tuple(f"{synonym}({code})" for synonym, code in ranked[:3])


def _closest(entries: Sequence[tuple[tuple[str, ...], T]], key: str) -> T | None:
    """The entry whose name holds the words or is held by them, else the best misspelling."""
    if len(key) > 1:
        holding = [(len(n), entry) for names, entry in entries for n in map(name_key, names) if key in n]
        held = [(-len(n), entry) for names, entry in entries for n in map(name_key, names) if len(n) > 1 and n in key]
        if holding or held:
            return min(holding or held, key=lambda pair: pair[0])[1]
    scored = [(misspelt(key, names), entry) for names, entry in entries]
    best = max(scored, key=lambda pair: pair[0], default=None)
    return best[1] if best and best[0] else None


def _near_terms(terms: Iterable[str], key: str) -> tuple[str, ...]:
    wanted = jamo(key)
    alike = {term: fuzz.ratio(wanted, jamo(term)) for term in terms}
    return tuple(sorted((t for t in alike if alike[t] >= _NEAR_RATIO), key=lambda term: -alike[term])[:_NEAR])
