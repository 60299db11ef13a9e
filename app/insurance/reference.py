"""Shapes of the reference data shared by all products. Source: data/reference/*.yaml|csv, each a list of one shape."""

from __future__ import annotations

import re
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field

from app.insurance.models import Category, ChannelName, DisclosureForm, DiseaseClass, Model
from app.insurance.names import name_key
from app.insurance.numerals import NUMBER

RiskClass = Literal["1급", "2급", "3급", "거절"]
ContractAction = Literal["조회", "해지", "대출", "수익자변경", "주소변경", "부활", "청약철회"]
Verdict = Literal["가능", "조건부", "거절 가능성"]


class KcdCode(Model):
    """A KCD code, its Korean name and its classes in the products (kcd.csv: `classes` joined by '|')."""

    code: str = Field(pattern=r"^[A-Z]\d{2}(\.\d{1,2})?$")
    name: str
    classes: tuple[DiseaseClass, ...]
    synonyms: tuple[str, ...] = ()
    note: str = ""

    @cached_property
    def name_keys(self) -> tuple[str, ...]:
        """Every name in the form in which names are compared; made once, because each question is held against all."""
        return tuple(name_key(name) for name in (self.name, *self.synonyms))


class Job(Model):
    """A job with its risk class (jobs.csv: `synonyms` joined by '|')."""

    name: str
    risk_class: RiskClass
    group: str
    synonyms: tuple[str, ...] = ()
    note: str = ""

    @cached_property
    def name_keys(self) -> tuple[str, ...]:
        """Every name in the form in which names are compared; made once, because each text is held against all."""
        return tuple(name_key(name) for name in (self.name, *self.synonyms))


class JobRule(Model):
    """What a risk class means for joining (job_rules.yaml)."""

    risk_class: RiskClass
    effect: str
    surcharge: Annotated[float, Field(ge=0, le=1)] = 0.0
    sum_insured_share: Annotated[float, Field(ge=0, le=1)] = 1.0


class Definition(Model):
    """A term as the policy conditions define it (definitions.yaml), also used by diagnosis_definition_lookup."""

    term: str
    aliases: tuple[str, ...] = ()
    definition: str
    clause: str
    near: tuple[str, ...] = ()


class GlossaryTerm(Model):
    """An insurance term in plain words (data/knowledge/glossary.yaml)."""

    term: str
    aliases: tuple[str, ...] = ()
    plain: str = Field(description="두세 문장의 쉬운 설명")
    source: str
    related: tuple[str, ...] = ()


class HealthQuestion(Model):
    """A question asked before joining (disclosure_questions.yaml)."""

    form: DisclosureForm
    number: int
    period: str = Field(description="묻는 기간, 예: '최근 3개월 이내'")
    months: int = Field(description="기간을 개월로. 현재 상태면 0")
    question: str
    examples: tuple[str, ...] = ()


class ConditionRule(Model):
    """How a health history is judged (condition_rules.yaml). `keywords` are the words customers use."""

    id: str
    name: str
    keywords: tuple[str, ...]
    category_verdicts: dict[Category, Verdict] = Field(description="상품 종류별 일반심사 판단")
    simplified_verdict: Verdict = Field(description="간편심사 상품에서의 판단")
    years_clear: int = Field(description="이 기간(년)이 지나면 고지 대상이 아닐 수 있음. 0이면 계속 고지")
    disclose: bool = True
    period: str = Field(description="계약 전 알릴 의무에서 묻는 기간")
    score: Annotated[int, Field(ge=0, le=100)]
    reason: str
    docs: tuple[str, ...] = ()

    @cached_property
    def keyword_keys(self) -> tuple[tuple[str, bool], ...]:
        """Each keyword as names are compared, and whether it must open a word; made once, as every clause meets all.

        One that opens with one syllable (암 수술, 간 물혹) must: 갑상선암 수술 is not one.
        """
        said = [(keyword, name_key(keyword)) for keyword in (*self.keywords, self.name)]
        return tuple(
            (key, key.startswith("암") or (len(word.split()[0]) == 1 and len(key) > 1)) for word, key in said if key
        )


class Finding(Model):
    """What people tell of themselves when they ask to join (findings.yaml): an illness, a treatment, teeth, care.

    `says` are regexes in which a blank fits any blanks or none and `{n}` reads a number.
    """

    id: str
    name: str
    says: tuple[str, ...] = Field(min_length=1)
    kcd: tuple[Annotated[str, Field(pattern=r"^[A-Z]\d{2}(\.\d)?(-[A-Z]\d{2})?$")], ...] = ()
    also: tuple[str, ...] = Field((), description="이 말이 함께 뜻하는 다른 일의 id")
    event: bool = Field(False, description="한 번 있고 지나가는 일 (입원, 수술): 언제였는지 알아야 한다")
    pending: bool = Field(False, description="하라는 말을 들은 일: 아직 안 했다는 말은 부정이 아니다")
    vague: bool = Field(False, description="무엇인지 이름 없이 알린 것: 이름이 있으면 그쪽이 앞선다")
    healthy: bool = Field(False, description="알려도 심사할 것이 아닌 말")

    @cached_property
    def patterns(self) -> tuple[re.Pattern[str], ...]:
        """`says` compiled, once: each message is held against all."""
        return tuple(re.compile(_spelled(said)) for said in self.says)

    def of_code(self, code: str) -> bool:
        """Whether a KCD code is of this finding."""
        return any(_within(code, span) for span in self.kcd)


class RequiredDocs(Model):
    """Papers needed to join in a case (join_documents.yaml)."""

    case: str
    keywords: tuple[str, ...]
    documents: tuple[str, ...]
    note: str = ""


class CommonExclusion(Model):
    """What no product pays (exclusions.yaml)."""

    item: str
    clause: str
    exception: str = ""


class ReinstatementRule(Model):
    """부활 rules (reinstatement.yaml holds one). Years and days as numbers for the arithmetic."""

    within_years: int
    notice_days: int = Field(description="납입최고 기간, 일")
    overdue_interest_note: str
    requirements: tuple[str, ...]
    waiting_again: str
    clause: str


class ClaimForm(Model):
    """A paper or form for a claim and where to get it."""

    name: str
    where: str
    required: bool = True
    note: str = ""


class ClaimType(Model):
    """How one kind of claim goes (claims.yaml). `event` is what is judged for it whatever else was told; `causes` are
    kinds that then tell only what it came from, each with what is judged of it (a death by accident)."""

    name: str
    keywords: tuple[str, ...]
    categories: tuple[Category, ...]
    steps: tuple[str, ...]
    channels: tuple[str, ...]
    days: str
    forms: tuple[ClaimForm, ...]
    note: str = ""
    event: str | None = None
    causes: dict[str, str] = Field(default_factory=dict)


class ContractProcedure(Model):
    """How a contract action goes and what it does (contract_actions.yaml)."""

    action: ContractAction
    summary: str
    effect: str
    steps: tuple[str, ...]
    documents: tuple[str, ...]
    channels: tuple[str, ...]
    cautions: tuple[str, ...]
    needs: tuple[str, ...] = Field((), description="접수에 꼭 필요한 세부 항목 이름")
    clause: str = ""


class SalesDuty(Model):
    """A duty to explain that all products share (sales_duties.yaml)."""

    item: str
    text: str
    basis: str
    channels: tuple[ChannelName, ...] = ()


class Script(Model):
    """A script that sales people read out (scripts.yaml): topic, channel and the text with {company} {product}
    slots."""

    id: str
    kind: Literal["안내", "녹취", "비교면책"]
    topic: str
    keywords: tuple[str, ...]
    channels: tuple[ChannelName, ...] = ()
    text: str


class ForbiddenPhrase(Model):
    """A sales expression that may not be used (data/safety/forbidden_phrases.yaml); `pattern` is a Python regex."""

    id: str
    category: str
    pattern: str
    examples: tuple[str, ...]
    why: str
    basis: str = Field(description="법령·규정 근거")
    rewording: str


class Disclaimer(Model):
    """A sentence that code adds under an answer (disclaimers.yaml); cards name it by id."""

    id: str
    text: str


class KnowledgeItem(Model):
    """A general question with its answer (data/knowledge/faq.yaml). `says` is a regex on the plain words that mean this
    question whatever else is said, `unless` one that takes it back. `then` means it only where `about` fits what was
    asked and answered just before (그래도 마음에 안 들면요, after where to complain)."""

    id: str
    question: str
    variants: tuple[str, ...] = ()
    answer: str
    source: str
    keywords: tuple[str, ...] = ()
    says: str | None = None
    unless: str | None = None
    about: str | None = None
    then: str | None = None
    facets: dict[str, str] = Field({}, description="이어서 짧게 묻는 것(data/language/facets.yaml의 name)의 답")
    tool: str | None = Field(None, description="이 일을 맡은 도구: 이어서 묻는 말은 그 도구로 이어진다")


def _spelled(said: str) -> str:
    """A saying as a regex: the first number is kept, the others only read."""
    return said.replace("{n}", f"(?P<n>{NUMBER})", 1).replace("{n}", f"(?:{NUMBER})").replace(" ", r"\s*")


def _within(code: str, span: str) -> bool:
    first, _, last = span.partition("-")
    return first <= code[:3] <= last if last else code == first or code.startswith(f"{first}.")
