"""Checks that span items and files: unique names, references that lead somewhere, tables without gaps."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, get_args

from pydantic import BaseModel

from app.insurance.catalogue_files import FaultLog, Item
from app.insurance.models import AgeRange, Gender, Knockout, PremiumRow, Product
from app.insurance.names import name_key, names_of
from app.insurance.reference import (
    ClaimType,
    CommonExclusion,
    ConditionRule,
    ContractProcedure,
    Definition,
    Disclaimer,
    Finding,
    ForbiddenPhrase,
    GlossaryTerm,
    HealthQuestion,
    Job,
    JobRule,
    KcdCode,
    KnowledgeItem,
    ReinstatementRule,
    RequiredDocs,
    SalesDuty,
    Script,
)

T = TypeVar("T", bound=BaseModel)


@dataclass(frozen=True)
class LoadedFiles:
    """Everything read, with its places. `product_files` are the file stems, also of files with faults."""

    product_files: tuple[str, ...]
    products: tuple[Item[Product], ...]
    premiums: Mapping[str, tuple[Item[PremiumRow], ...]]
    kcd: tuple[Item[KcdCode], ...]
    jobs: tuple[Item[Job], ...]
    job_rules: tuple[Item[JobRule], ...]
    definitions: tuple[Item[Definition], ...]
    glossary: tuple[Item[GlossaryTerm], ...]
    questions: tuple[Item[HealthQuestion], ...]
    condition_rules: tuple[Item[ConditionRule], ...]
    knockouts: tuple[Item[Knockout], ...]
    findings: tuple[Item[Finding], ...]
    join_documents: tuple[Item[RequiredDocs], ...]
    exclusions: tuple[Item[CommonExclusion], ...]
    reinstatement: Item[ReinstatementRule] | None
    claims: tuple[Item[ClaimType], ...]
    contract_actions: tuple[Item[ContractProcedure], ...]
    sales_duties: tuple[Item[SalesDuty], ...]
    scripts: tuple[Item[Script], ...]
    forbidden_phrases: tuple[Item[ForbiddenPhrase], ...]
    disclaimers: tuple[Item[Disclaimer], ...]
    knowledge: tuple[Item[KnowledgeItem], ...]


def table_ages(product: Product) -> AgeRange:
    """The ages a premium table must hold: every entry age, and every renewal age up to the last."""
    return AgeRange(min=product.entry_age.min, max=max(product.entry_age.max, product.renewal.max_age or 0))


def check(files: LoadedFiles, log: FaultLog, *, sparse: bool = False) -> None:
    """Note every fault that one item alone cannot show; a `sparse` folder may hold no products."""
    if not (files.product_files or sparse):
        log.add("products", 0, "상품 파일(*.yaml)이 하나도 없습니다")
    _check_products(files, log)
    _check_premiums(files, log)
    _check_unique(files, log)
    _check_references(files, log)
    for phrase in files.forbidden_phrases:
        try:
            re.compile(phrase.value.pattern)
        except re.error as error:
            log.add(phrase.place.file, phrase.place.line("pattern"), f"{phrase.value.id}: 정규식 오류입니다: {error}")
    for finding in files.findings:
        try:
            _ = finding.value.patterns
        except re.error as error:
            log.add(finding.place.file, finding.place.line("says"), f"{finding.value.id}: 정규식 오류입니다: {error}")


def _check_products(files: LoadedFiles, log: FaultLog) -> None:
    owners: dict[str, str] = {}
    for item in files.products:
        product, place = item.value, item.place
        if not place.file.endswith(f"/{product.code}.yaml"):
            log.add(place.file, place.line("code"), f"파일 이름과 상품 코드 {product.code}가 다릅니다")
        keys = dict.fromkeys(name_key(name) for name in names_of(product))
        for key in keys:
            if key in owners:
                log.add(place.file, place.line("nicknames"), f"이름 {key!r}를 {owners[key]}도 씁니다")
            owners[key] = product.code
    _unique(files.products, lambda product: product.code, "상품 코드", log)


def _check_premiums(files: LoadedFiles, log: FaultLog) -> None:
    for code, rows in files.premiums.items():
        if code not in files.product_files and rows:
            log.add(rows[0].place.file, 0, f"상품 {code}의 파일(products/{code}.yaml)이 없습니다")
        for item in rows:
            if item.value.product_code != code:
                where = item.place.line()
                log.add(item.place.file, where, f"상품 코드 {item.value.product_code}가 파일 이름과 다릅니다")
        _unique(rows, lambda row: (row.age, row.gender), "나이·성별", log)
    for product in files.products:
        code, ages = product.value.code, table_ages(product.value)
        if code not in files.premiums:
            log.add(product.place.file, 0, f"보험료표(premiums/{code}.csv)가 없습니다")
            continue
        rows = files.premiums[code]
        for gender in get_args(Gender):
            held = {item.value.age for item in rows if item.value.gender == gender}
            missing = [age for age in range(ages.min, ages.max + 1) if age not in held]
            extra = sorted(age for age in held if age not in ages)
            file = rows[0].place.file if rows else product.place.file
            if missing:
                needed = f"{ages.min}~{ages.max}세가 필요합니다"
                log.add(file, 0, f"{gender}: 보험료가 없는 나이가 있습니다({_short(missing)}). {needed}")
            if extra:
                log.add(file, 0, f"{gender}: 가입·갱신 나이가 아닌 행이 있습니다({_short(extra)})")


def _check_unique(files: LoadedFiles, log: FaultLog) -> None:
    _unique(files.kcd, lambda x: x.code, "KCD 코드", log)
    _unique(files.jobs, lambda x: name_key(x.name), "직업", log)
    _unique(files.job_rules, lambda x: x.risk_class, "위험등급", log)
    _unique(files.definitions, lambda x: name_key(x.term), "용어", log)
    _unique(files.glossary, lambda x: name_key(x.term), "용어", log)
    _unique(files.questions, lambda x: (x.form, x.number), "질문 번호", log)
    _unique(files.condition_rules, lambda x: x.id, "id", log)
    _unique(files.knockouts, lambda x: x.id, "id", log)
    _unique(files.findings, lambda x: x.id, "id", log)
    _unique(files.join_documents, lambda x: name_key(x.case), "경우", log)
    _unique(files.exclusions, lambda x: name_key(x.item), "항목", log)
    _unique(files.claims, lambda x: name_key(x.name), "청구 종류", log)
    _unique(files.contract_actions, lambda x: x.action, "업무", log)
    _unique(files.sales_duties, lambda x: name_key(x.item), "항목", log)
    _unique(files.scripts, lambda x: x.id, "id", log)
    _unique(files.forbidden_phrases, lambda x: x.id, "id", log)
    _unique(files.disclaimers, lambda x: x.id, "id", log)
    _unique(files.knowledge, lambda x: x.id, "id", log)


def _check_references(files: LoadedFiles, log: FaultLog) -> None:
    _check_knockouts(files, log)
    classes = {item.value.risk_class for item in files.job_rules}
    for job in files.jobs if classes else ():
        if job.value.risk_class not in classes:
            where = job.place.line()
            log.add(job.place.file, where, f"위험등급 {job.value.risk_class}의 규칙이 job_rules.yaml에 없습니다")
    forms = {item.value.form for item in files.questions}
    for product in files.products if forms else ():
        if product.value.disclosure_form not in forms:
            where = product.place.line("disclosure_form")
            form = product.value.disclosure_form
            log.add(product.place.file, where, f"{form}의 질문이 disclosure_questions.yaml에 없습니다")


def _check_knockouts(files: LoadedFiles, log: FaultLog) -> None:
    """Each knock-out once a product, the common ones among them, each sign by findings that are on file."""
    known = {item.value.id for item in files.findings}
    if not known:
        return  # the file itself is at fault, and said to be
    for finding in files.findings:
        _unknown(finding, ("also",), finding.value.also, known, log)
    common = {item.value.id for item in files.knockouts}
    for item in files.knockouts:
        _check_signs(item, (), item.value, known, log)
    for product in files.products:
        seen = set(common)
        for index, knockout in enumerate(product.value.knockouts):
            if knockout.id in seen:
                where = product.place.line("knockouts", index)
                log.add(product.place.file, where, f"거절 사유 {knockout.id}가 두 번 있습니다(공통 사유 포함)")
            seen.add(knockout.id)
            _check_signs(product, ("knockouts", index), knockout, known, log)


def _check_signs(
    item: Item[Any], loc: tuple[int | str, ...], knockout: Knockout, known: set[str], log: FaultLog
) -> None:
    for index, sign in enumerate(knockout.when):
        _unknown(item, (*loc, "when", index), (*sign.findings, *sign.beside), known, log)


def _unknown(item: Item[Any], loc: tuple[int | str, ...], names: Iterable[str], known: set[str], log: FaultLog) -> None:
    for name in names:
        if name not in known:
            log.add(item.place.file, item.place.line(*loc), f"findings.yaml에 없는 id입니다: {name}")


def _unique(items: Iterable[Item[T]], key: Callable[[T], Any], label: str, log: FaultLog) -> None:
    first: dict[Any, int] = {}
    for item in items:
        value = key(item.value)
        if value in first:
            shown = " ".join(map(str, value)) if isinstance(value, tuple) else value
            where = item.place.line()
            log.add(item.place.file, where, f"{label} {shown!r}가 두 번 있습니다(처음: {first[value]}번째 줄)")
        else:
            first[value] = item.place.line()


def _short(ages: list[int]) -> str:
    shown = ", ".join(f"{age}세" for age in ages[:5])
    return shown if len(ages) <= 5 else f"{shown} 등 {len(ages)}개"
