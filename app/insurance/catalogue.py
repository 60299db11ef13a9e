"""The catalogue: all products, premium tables and reference lists, loaded once and never changed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from rapidfuzz import fuzz, process

from app.errors import ProductNotFound, RuleMissing
from app.insurance.catalogue_checks import LoadedFiles, check, table_ages
from app.insurance.catalogue_files import DataReader, FaultLog
from app.insurance.codes import CodeBook
from app.insurance.company import read_company
from app.insurance.findings import FindingReader
from app.insurance.models import AgeRange, Category, Gender, Knockout, PremiumRow, Product
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
from app.insurance.unsold import UNSOLD_FILE, UnsoldKinds

GENDER_NAMES: Mapping[str, str] = {"M": "남성", "F": "여성"}
_CODE_LIKE = re.compile(r"[A-Za-z]?\d{3,}")
_NEAR_SCORE = 60  # rapidfuzz ratio, 0-100: one wrong digit of nine leaves 89, one wrong syllable of seven 86


@dataclass(frozen=True)
class Reference:
    """What all products share. Source: data/reference, data/knowledge, data/safety."""

    kcd: tuple[KcdCode, ...]
    jobs: tuple[Job, ...]
    job_rules: tuple[JobRule, ...]
    definitions: tuple[Definition, ...]
    glossary: tuple[GlossaryTerm, ...]
    questions: tuple[HealthQuestion, ...]
    condition_rules: tuple[ConditionRule, ...]
    knockouts: tuple[Knockout, ...]
    findings: tuple[Finding, ...]
    join_documents: tuple[RequiredDocs, ...]
    exclusions: tuple[CommonExclusion, ...]
    reinstatement: ReinstatementRule
    claims: tuple[ClaimType, ...]
    contract_actions: tuple[ContractProcedure, ...]
    sales_duties: tuple[SalesDuty, ...]
    scripts: tuple[Script, ...]
    forbidden_phrases: tuple[ForbiddenPhrase, ...]
    disclaimers: tuple[Disclaimer, ...]
    knowledge: tuple[KnowledgeItem, ...]
    unsold: UnsoldKinds | None = None

    @cached_property
    def codes(self) -> CodeBook:
        """The KCD codes by their names: made once, each clause of a message is held against all."""
        return CodeBook(self.kcd)

    @cached_property
    def told(self) -> FindingReader:
        """What people tell when they ask to join, read by the findings and the codes."""
        return FindingReader(self.findings, self.codes)


@dataclass(frozen=True)
class Catalogue:
    """All products with their premium tables and the reference data.

    `premiums` holds the monthly premium (원) at the default plan and default sum insured by code, gender and 보험나이.
    """

    products: tuple[Product, ...]
    reference: Reference = field(repr=False)
    premiums: Mapping[str, Mapping[Gender, Mapping[int, int]]] = field(repr=False)
    _by_code: Mapping[str, Product] = field(init=False, repr=False, compare=False)
    _by_name: Mapping[str, Product] = field(init=False, repr=False, compare=False)
    _haystacks: Mapping[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_by_code", {product.code: product for product in self.products})
        names = {name_key(name): product for product in self.products for name in names_of(product)}
        object.__setattr__(self, "_by_name", names)
        object.__setattr__(self, "_haystacks", {product.code: _haystack(product) for product in self.products})

    def product(self, code: str) -> Product:
        """The product of this code. Raises ProductNotFound with the codes that look alike (names, if given a name)."""
        found = self._by_code.get(code)
        if found is None:
            raise ProductNotFound(code, self._near(code))
        return found

    def premium(self, code: str, age: int, gender: Gender) -> int:
        """Monthly premium (원) at the default plan and default sum insured; `age` is 보험나이.

        Raises ProductNotFound, and RuleMissing naming the ages the table holds.
        """
        product = self.product(code)
        table = self.premiums[code].get(gender)
        if table is None:
            raise RuleMissing(f"성별 {gender!r}의 보험료표가 없습니다. M(남성) 또는 F(여성)로 알려 주세요.")
        if age not in table:
            raise RuleMissing(
                f"{product.name}의 보험료표는 {min(table)}세부터 {max(table)}세까지입니다"
                f"({GENDER_NAMES[gender]} {age}세는 없음). 이 범위의 나이로 다시 확인해 주세요."
            )
        return table[age]

    def premium_curve(self, code: str, gender: Gender) -> tuple[tuple[int, int], ...]:
        """`(보험나이, 원)` of a whole table in rising age. Raises ProductNotFound and RuleMissing."""
        ages = self.premium_ages(code)
        return tuple((age, self.premium(code, age, gender)) for age in range(ages.min, ages.max + 1))

    def premium_ages(self, code: str) -> AgeRange:
        """The ages (보험나이) a product's table holds, renewal ages included. Raises ProductNotFound."""
        return table_ages(self.product(code))

    def find(
        self,
        keyword: str | None = None,
        category: Category | None = None,
        simplified: bool | None = None,
    ) -> tuple[Product, ...]:
        """Products of the category and underwriting kind that mention every word of `keyword`, best first.

        Mentioned: in names (these come first), summary, points, category, benefits and keywords, riders and goals.
        """
        words = [key for key in map(name_key, (keyword or "").split()) if key]
        if keyword and not words:
            return ()  # only punctuation was given: it names nothing
        fitting = (
            product
            for product in self.products
            if category in (None, product.category)
            and simplified in (None, product.simplified)
            and all(word in self._haystacks[product.code] for word in words)
        )
        return tuple(sorted(fitting, key=lambda product: not _named(product, words)))

    def _near(self, text: str) -> tuple[str, ...]:
        if _CODE_LIKE.search(text):
            codes = self._by_code.keys()
            hits = process.extract(text.upper(), codes, scorer=fuzz.ratio, score_cutoff=_NEAR_SCORE, limit=3)
            return tuple(code for code, _, _ in hits)
        matches = process.extract(
            name_key(text), self._by_name.keys(), scorer=fuzz.WRatio, score_cutoff=_NEAR_SCORE, limit=None
        )
        return tuple(dict.fromkeys(self._by_name[key].name for key, _, _ in matches))[:3]


def load_catalogue(content_dir: Path, company_name: str) -> Catalogue:
    """Read and check every data file; `{company}` in texts becomes `company_name`. Where company.yaml stands beside
    them, the company's own tools may know its products, and any list may be missing.

    Raises DataFaults with every fault of every file, each with its file and line.
    """
    log = FaultLog()
    sparse = read_company(content_dir) is not None
    reader = DataReader(content_dir, company_name, log, sparse)
    files = LoadedFiles(
        products=tuple(
            item
            for path in sorted((content_dir / "products").glob("*.yaml"))
            if (item := reader.yaml_one(f"products/{path.name}", Product)) is not None
        ),
        product_files=tuple(path.stem for path in sorted((content_dir / "products").glob("*.yaml"))),
        premiums={
            path.stem: reader.csv_list(f"premiums/{path.name}", PremiumRow)
            for path in sorted((content_dir / "premiums").glob("*.csv"))
        },
        kcd=reader.csv_list("reference/kcd.csv", KcdCode, ("classes", "synonyms")),
        jobs=reader.csv_list("reference/jobs.csv", Job, ("synonyms",)),
        job_rules=reader.yaml_list("reference/job_rules.yaml", JobRule),
        definitions=reader.yaml_list("reference/definitions.yaml", Definition),
        glossary=reader.yaml_list("knowledge/glossary.yaml", GlossaryTerm),
        questions=reader.yaml_list("reference/disclosure_questions.yaml", HealthQuestion),
        condition_rules=reader.yaml_list("reference/condition_rules.yaml", ConditionRule),
        knockouts=reader.yaml_list("reference/knockouts.yaml", Knockout),
        findings=reader.yaml_list("reference/findings.yaml", Finding),
        join_documents=reader.yaml_list("reference/join_documents.yaml", RequiredDocs),
        exclusions=reader.yaml_list("reference/exclusions.yaml", CommonExclusion),
        reinstatement=reader.yaml_one("reference/reinstatement.yaml", ReinstatementRule),
        claims=reader.yaml_list("reference/claims.yaml", ClaimType),
        contract_actions=reader.yaml_list("reference/contract_actions.yaml", ContractProcedure),
        sales_duties=reader.yaml_list("reference/sales_duties.yaml", SalesDuty),
        scripts=reader.yaml_list("reference/scripts.yaml", Script),
        forbidden_phrases=reader.yaml_list("safety/forbidden_phrases.yaml", ForbiddenPhrase),
        disclaimers=reader.yaml_list("reference/disclaimers.yaml", Disclaimer),
        knowledge=reader.yaml_list("knowledge/faq.yaml", KnowledgeItem),
    )
    check(files, log, sparse=sparse)
    log.check()
    language = content_dir / "language"
    return _catalogue(files, UnsoldKinds(language) if (language / UNSOLD_FILE).exists() else None)


def _catalogue(files: LoadedFiles, unsold: UnsoldKinds | None) -> Catalogue:
    assert files.reinstatement is not None  # log.check() has raised otherwise
    premiums: dict[str, dict[Gender, dict[int, int]]] = {}
    for code, rows in files.premiums.items():
        for item in rows:
            premiums.setdefault(code, {}).setdefault(item.value.gender, {})[item.value.age] = item.value.premium
    return Catalogue(
        products=tuple(item.value for item in files.products),
        reference=Reference(
            kcd=tuple(item.value for item in files.kcd),
            jobs=tuple(item.value for item in files.jobs),
            job_rules=tuple(item.value for item in files.job_rules),
            definitions=tuple(item.value for item in files.definitions),
            glossary=tuple(item.value for item in files.glossary),
            questions=tuple(item.value for item in files.questions),
            condition_rules=tuple(item.value for item in files.condition_rules),
            knockouts=tuple(item.value for item in files.knockouts),
            findings=tuple(item.value for item in files.findings),
            join_documents=tuple(item.value for item in files.join_documents),
            exclusions=tuple(item.value for item in files.exclusions),
            reinstatement=files.reinstatement.value,
            claims=tuple(item.value for item in files.claims),
            contract_actions=tuple(item.value for item in files.contract_actions),
            sales_duties=tuple(item.value for item in files.sales_duties),
            scripts=tuple(item.value for item in files.scripts),
            forbidden_phrases=tuple(item.value for item in files.forbidden_phrases),
            disclaimers=tuple(item.value for item in files.disclaimers),
            knowledge=tuple(item.value for item in files.knowledge),
            unsold=unsold,
        ),
        premiums=premiums,
    )


def _named(product: Product, words: list[str]) -> bool:
    return any(all(word in name_key(name) for word in words) for name in names_of(product))


def _haystack(product: Product) -> str:
    texts = [*names_of(product), product.summary, *product.points, product.category, product.disclosure_form]
    texts += [product.renewal.kind, "간편심사" if product.simplified else "일반심사"]
    for benefit, _ in product.all_benefits:
        texts += [benefit.name, *benefit.keywords]
    for rider in product.riders:
        texts += [rider.name, *rider.goals]
    return "\n".join(name_key(text) for text in texts)
