"""The shapes of the product catalogue: frozen, typed, and strict about unknown keys.

Money is 원 (int), ages are 세, rates are shares of one (0.5 = 50 %), durations carry their unit in the name.
Sources of the facts: data/products/*.yaml, data/premiums/*.csv. All products are simulated.
"""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

ProductCode = Annotated[str, Field(pattern=r"^B\d{8}$", description="상품 코드: B + 숫자 8자리")]
Gender = Literal["M", "F"]
Category = Literal["암", "치아", "치매", "종신", "건강", "정기"]
ChannelName = Literal["TM", "CM", "대면", "온라인", "방카"]
RenewalKind = Literal["갱신형", "비갱신형"]
SurrenderKind = Literal["표준형", "해약환급금 미지급형", "순수보장형"]
DisclosureForm = Literal["표준고지", "3·2·5 간편고지", "3·3·5 간편고지"]
CoverageType = Literal["진단", "수술", "입원", "통원", "치료", "치과치료", "간병", "사망", "장해", "납입면제"]
BenefitUnit = Literal["1회", "수술 1회당", "치아 1개당", "1일당", "매월", "연 1회", "회당"]
Cause = Literal["질병", "상해"]
CycleName = Literal["월납", "3개월납", "6개월납", "연납", "일시납"]
DiseaseClass = Literal[
    "일반암",
    "고액암",
    "소액암",
    "유사암",
    "뇌혈관질환",
    "뇌졸중",
    "뇌출혈",
    "허혈성심장질환",
    "급성심근경색증",
    "치매",
    "치아질환",
    "간질환",
    "신장질환",
    "당뇨병",
    "고혈압",
    "상해",
    "기타",
]


class Model(BaseModel):
    """Base of all catalogue shapes: frozen, unknown keys are faults."""

    model_config = ConfigDict(frozen=True, extra="forbid", str_strip_whitespace=True)


class AgeRange(Model):
    """Ages from `min` to `max`, both included (세, 보험나이)."""

    min: Annotated[int, Field(ge=0, le=120)]
    max: Annotated[int, Field(ge=0, le=120)]

    @model_validator(mode="after")
    def _ordered(self) -> AgeRange:
        if self.min > self.max:
            raise ValueError(f"나이 범위가 거꾸로입니다: {self.min}~{self.max}")
        return self

    def __contains__(self, age: int) -> bool:
        return self.min <= age <= self.max


class Renewal(Model):
    """How the contract renews. For 비갱신형 all numbers are None."""

    kind: RenewalKind
    period_years: int | None = None
    max_age: int | None = Field(None, description="갱신할 수 있는 마지막 나이, 세")
    rise_range: tuple[float, float] | None = Field(None, description="다음 갱신 때 보험료 상승률의 하한·상한, 비율")
    rise_reasons: tuple[str, ...] = ()


class Channel(Model):
    """Whether a sales channel offers the product, and since when."""

    channel: ChannelName
    available: bool
    since: date | None = None
    note: str = ""


class PaymentCycle(Model):
    """One payment cycle. `discount` is a share of the sum of monthly premiums."""

    name: CycleName
    months: Annotated[int, Field(ge=1)]
    discount: Annotated[float, Field(ge=0, lt=0.2)] = 0.0


class Plan(Model):
    """A plan one may choose. `premium_factor` multiplies the table premium."""

    name: str
    description: str
    payment_term: str = Field(description="예: '10년납(갱신 전 전기납)', '20년납'")
    coverage_term: str = Field(description="예: '10년 만기 갱신', '90세 만기', '종신'")
    surrender: SurrenderKind
    premium_factor: Annotated[float, Field(gt=0, lt=10)] = 1.0
    payment_years: Annotated[int, Field(ge=1, le=100)] = Field(description="납입 기간, 년")
    default: bool = False


class SumInsuredCap(Model):
    """From `from_age` on, at most `max` 원."""

    from_age: int
    max: int


class SumInsuredRange(Model):
    """Least, greatest, usual sum insured and step (원); `premium tables` rest on `default`."""

    min: Annotated[int, Field(gt=0)]
    max: Annotated[int, Field(gt=0)]
    default: Annotated[int, Field(gt=0)]
    step: Annotated[int, Field(gt=0)]
    caps_by_age: tuple[SumInsuredCap, ...] = ()


class Reduction(Model):
    """감액기간: during the first `months` only `rate` of the amount is paid."""

    months: Annotated[int, Field(ge=1, le=60)]
    rate: Annotated[float, Field(gt=0, lt=1)]
    disease_only: bool = Field(False, description="재해가 원인이면 감액하지 않으면 참")


class Limit(Model):
    """How often or how much at most. Each number is None where there is no such limit."""

    text: str = Field(description="사람이 읽는 한 문장")
    per_year: int | None = Field(None, description="연간 횟수·개수·일수 한도")
    total: int | None = Field(None, description="보험기간 중 횟수·개수·일수 한도")
    amount: int | None = Field(None, description="연간 금액 한도, 원")
    per_stay: int | None = Field(None, description="1회 입원당 일수 한도")


class Benefit(Model):
    """One benefit. `amount` (원) is at the product's default sum insured (or the rider's own amount)."""

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    name: str
    coverage_type: CoverageType
    amount: Annotated[int, Field(ge=0)]
    unit: BenefitUnit
    scales: bool = Field(True, description="가입금액에 비례하면 참")
    condition: str = Field(description="지급 사유 한두 문장")
    keywords: tuple[str, ...] = Field((), description="고객이 부르는 말, 치료·병 이름 (예: 임플란트, 갑상선암)")
    disease_classes: tuple[DiseaseClass, ...] = ()
    waiting_days: Annotated[int, Field(ge=0, le=730)] = 0
    excluded_days: Annotated[int, Field(ge=0, le=30)] = Field(0, description="입원 첫날부터 세지 않는 일수")
    reduction: Reduction | None = None
    limit: Limit | None = None
    less_paid: tuple[str, ...] = Field((), description="이미 받았으면 빼고 지급하는 같은 상품의 급부 이름")

    @property
    def cause(self) -> Cause | None:
        """What alone it is paid for; None where it makes no difference, or no disease class tells."""
        if not self.disease_classes:
            return None
        others = set(self.disease_classes) - {"상해"}
        return "질병" if len(others) == len(self.disease_classes) else None if others else "상해"


class Rider(Model):
    """특약. `rate_per_default` is its monthly premium share of the table premium at the default sum insured."""

    code: str = Field(pattern=r"^R\d{3}$", description="상품 안에서 유일한 특약 코드")
    name: str
    mandatory: bool = False
    summary: str = Field(description="한 줄 설명")
    term: str
    premium_basis: str = Field(description="보험료가 정해지는 기준 한 문장")
    premium_share: Annotated[float, Field(ge=0, le=3)] = Field(
        description="주계약 표준 보험료 대비 특약 월 보험료의 비율"
    )
    entry_age: AgeRange | None = None
    benefits: tuple[Benefit, ...] = ()
    goals: tuple[str, ...] = Field((), description="이 특약이 돕는 목적 (예: 항암, 수술비, 입원비, 간병, 임플란트)")


class SurrenderYear(Model):
    """Refund share of the premiums paid after `year` years."""

    year: Annotated[int, Field(ge=0, le=60)]
    rate: Annotated[float, Field(ge=0, le=2)]


class SurrenderRule(Model):
    """Refund by years paid for one kind of contract; `source` names the page or clause it rests on."""

    kind: SurrenderKind
    explanation: str
    by_year: tuple[SurrenderYear, ...]
    source: str


class ConflictRule(Model):
    """Which benefit is paid when several treatments fall together."""

    treatments: tuple[str, ...] = Field(min_length=2)
    rule: str
    pays: str
    adds: bool = Field(False, description="보험금을 모두 지급하면 참")


class Faq(Model):
    """A question customers ask, its answer and the clause it rests on."""

    topic: Literal["갱신", "면책", "감액", "보장개시", "청구", "납입", "해지", "가입", "보장"]
    question: str
    answer: str
    source: str


class Disclosure(Model):
    """A duty to explain, with its law or rule; `channels` empty = all."""

    item: str
    text: str
    basis: str
    channels: tuple[ChannelName, ...] = ()


class KnockoutSign(Model):
    """What tells that a knock-out holds: all that is set here must be told (`findings`: one of them)."""

    findings: tuple[str, ...] = Field((), description="findings.yaml의 id. 하나라도 알리면")
    beside: tuple[str, ...] = Field((), description="함께 알려야 하는 일의 id. 하나라도")
    job_class: Literal["3급", "거절"] | None = Field(None, description="직업의 상해위험등급")
    within_months: Annotated[int, Field(gt=0)] | None = Field(None, description="이 기간 안의 일만, 개월")
    ongoing: bool = Field(False, description="지금도 계속되는 일만")
    at_least: Annotated[int, Field(gt=0)] | None = Field(None, description="센 수가 이만큼 이상")
    below: Annotated[int, Field(gt=0)] | None = Field(None, description="센 수가 이보다 적음")
    sure: bool = Field(True, description="false면 더 물어야 알 수 있는 것")

    @model_validator(mode="after")
    def _tells(self) -> KnockoutSign:
        if not self.findings and self.job_class is None:
            raise ValueError("findings나 job_class가 있어야 합니다")
        return self


class Knockout(Model):
    """What always declines: the rule for people, and the signs by which what was told is read against it."""

    id: str
    rule: str
    reason: str
    when: tuple[KnockoutSign, ...] = ()
    judged_by: Literal["나이", "보유 계약", "가입금액"] | None = Field(
        None, description="알린 일이 아니라 다른 값으로 판단하는 사유"
    )
    part: str | None = Field(None, description="계약 전체가 아니라 이 부분만 거절하는 사유 (예: 상해 담보)")

    @model_validator(mode="after")
    def _readable(self) -> Knockout:
        if not self.when and self.judged_by is None:
            raise ValueError("when(무엇을 알리면 해당하는지)이나 judged_by가 있어야 합니다")
        return self


class Product(Model):
    """One product in full depth. Source: data/products/{code}.yaml."""

    code: ProductCode
    name: str
    official_name: str
    nicknames: tuple[str, ...] = Field(description="고객·현장에서 부르는 이름, 줄임말")
    category: Category
    summary: str
    points: tuple[str, ...] = Field(min_length=3, max_length=3, description="카드에 쓰는 특징 세 가지")
    revision: Annotated[int, Field(ge=0)]
    effective_date: date
    simplified: bool
    disclosure_form: DisclosureForm
    entry_age: AgeRange
    renewal: Renewal
    channels: tuple[Channel, ...]
    payment_cycles: tuple[PaymentCycle, ...]
    plans: tuple[Plan, ...] = Field(min_length=1)
    sum_insured: SumInsuredRange
    benefits: tuple[Benefit, ...] = Field(min_length=2, description="주계약 보장")
    riders: tuple[Rider, ...] = Field(min_length=6)
    exclusions: tuple[str, ...] = Field(min_length=2, description="이 상품 고유의 보장하지 않는 사항")
    conflict_rules: tuple[ConflictRule, ...] = Field(min_length=1)
    surrender_rules: tuple[SurrenderRule, ...] = Field(min_length=1)
    faqs: tuple[Faq, ...] = Field(min_length=8)
    disclosures: tuple[Disclosure, ...] = Field(min_length=3, description="이 상품 고유의 설명 의무")
    knockouts: tuple[Knockout, ...] = Field(min_length=1, description="이 상품에서 항상 거절되는 사유")
    max_contracts: Annotated[int, Field(ge=1, le=5)] = Field(1, description="한 사람이 가질 수 있는 계약 수")

    @model_validator(mode="after")
    def _consistent(self) -> Product:
        problems: list[str] = []
        if sum(plan.default for plan in self.plans) != 1:
            problems.append("기본 플랜(default: true)이 정확히 하나여야 합니다")
        codes = [rider.code for rider in self.riders]
        if len(set(codes)) != len(codes):
            problems.append("특약 코드가 겹칩니다")
        ids = [b.id for b in self.benefits] + [b.id for r in self.riders for b in r.benefits]
        if len(set(ids)) != len(ids):
            problems.append("급부 id가 겹칩니다")
        if not self.sum_insured.min <= self.sum_insured.default <= self.sum_insured.max:
            problems.append("가입금액의 기본값이 범위를 벗어납니다")
        if self.renewal.kind == "갱신형" and not (
            self.renewal.period_years and self.renewal.max_age and self.renewal.rise_range
        ):
            problems.append("갱신형은 period_years, max_age, rise_range가 필요합니다")
        kinds = {rule.kind for rule in self.surrender_rules}
        if missing := {plan.surrender for plan in self.plans} - kinds:
            problems.append(f"해약환급금 규칙이 없는 플랜 유형: {sorted(missing)}")
        if problems:
            raise ValueError("; ".join(problems))
        return self

    @property
    def default_plan(self) -> Plan:
        """The plan that premiums are quoted for unless another is named."""
        return next(plan for plan in self.plans if plan.default)

    @property
    def all_benefits(self) -> tuple[tuple[Benefit, Rider | None], ...]:
        """Every benefit with the rider it belongs to (None: main contract)."""
        own = tuple((benefit, None) for benefit in self.benefits)
        return own + tuple((benefit, rider) for rider in self.riders for benefit in rider.benefits)


class PremiumRow(Model):
    """One line of a premium table: monthly premium (원) at the default plan and default sum insured."""

    product_code: ProductCode
    age: Annotated[int, Field(ge=0, le=120)]
    gender: Gender
    premium: Annotated[int, Field(gt=0)]
