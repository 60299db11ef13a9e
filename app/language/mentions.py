"""What was found in a sentence: one frozen shape per noun, each with its span, its words and how sure the reader is.

Spans are half-open and count characters of `Entities.text` (NFC, single spaces). Confidence is 0..1: 1 for an exact
name or an explicit unit, about 0.7 for a typo or a short form, below 0.6 for a guess that needs context.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Literal

from app.insurance.models import Category, ChannelName, CoverageType, Gender
from app.insurance.reference import ContractAction
from app.insurance.unsold import Unsold

# Who is told of: the one who writes, and whoever is served by staff.
SPEAKER = "본인"
CUSTOMER = "고객"
MoneyRole = Literal["budget", "income", "debt", "loan", "sum_insured", "premium", "expense", "paid", "amount"]
DateRole = Literal["lapse", "contract", "event", "birth", "date"]
DurationRole = Literal["paid", "ago", "horizon", "within", "term", "span"]
ReferenceKind = Literal[
    "that", "ordinal", "both", "cheapest", "dearest", "former", "latter", "rest", "same", "other", "place"
]
PersonRole = Literal["insured", "aside", "predicate"]
AgeKind = Literal["age", "band", "bound", "term", "relative"]


@dataclass(frozen=True, slots=True)
class Mention:
    """Base: half-open span in the text, the words themselves, confidence 0..1; `negated` under 말고·빼고·아니고."""

    start: int
    end: int
    text: str
    confidence: float = 1.0
    negated: bool = False


@dataclass(frozen=True, slots=True)
class ProductMention(Mention):
    """A product by name, nickname, fragment, code or typo. `unknown_code` holds a code no product has."""

    code: str = ""
    unknown_code: bool = False


@dataclass(frozen=True, slots=True)
class CategoryMention(Mention):
    """A kind of product (암보험, 치아 쪽, 종신). `category` is None for 간편 alone; `simplified` marks 간편심사."""

    category: Category | None = None
    simplified: bool = False


@dataclass(frozen=True, slots=True)
class ReferenceMention(Mention):
    """A word that points back: 그거, 두 번째 거 (`index` 0-based, -1 the last), 둘 다 (`count`), 싼 거, 나머지 둘."""

    kind: ReferenceKind = "that"
    index: int = 0
    count: int = 0


@dataclass(frozen=True, slots=True)
class PersonMention(Mention):
    """Who is spoken of. `who` is the canonical word (본인, 배우자, 어머니, 큰딸, 고객); gender None when the word has
    none.

    `role`: 'insured' is spoken of as the one to insure; 'aside' is a beneficiary, a companion or an informant;
    'predicate' describes somebody already spoken of (딸이에요, 엄마예요).
    """

    who: str = SPEAKER
    gender: Gender | None = None
    role: PersonRole = "insured"
    speaker_gender: Gender | None = None


@dataclass(frozen=True, slots=True)
class GenderMention(Mention):
    """남자·여성·45남."""

    gender: Gender = "F"


@dataclass(frozen=True, slots=True)
class AgeMention(Mention):
    """An age, 세. `kind`: age (certain unless `approximate`), band (40대: low..high), bound (65세 이상), term (90세
    만기), relative (두 살 위: `delta` to the person spoken of last). `full` when 만 was said."""

    age: int = 0
    kind: AgeKind = "age"
    approximate: bool = False
    full: bool = False
    low: int | None = None
    high: int | None = None
    delta: int | None = None


@dataclass(frozen=True, slots=True)
class BirthMention(Mention):
    """A year of birth, with the whole date when it was said."""

    year: int = 0
    month: int | None = None
    birth_date: date | None = None


@dataclass(frozen=True, slots=True)
class MoneyMention(Mention):
    """An amount in 원 and what it is for, as far as the words around it tell."""

    amount: int = 0
    role: MoneyRole = "amount"
    monthly: bool = False
    explicit_unit: bool = True
    yearly: bool = False


@dataclass(frozen=True, slots=True)
class DurationMention(Mention):
    """A length of time in months (`days` when shorter than a month was said)."""

    months: int = 0
    days: int = 0
    role: DurationRole = "span"

    @property
    def years(self) -> int:
        """Whole years."""
        return self.months // 12


@dataclass(frozen=True, slots=True)
class DateMention(Mention):
    """A date. `day_known` / `month_known` tell how much of it was said; `value` is None when only a year or month is
    certain."""

    value: date | None = None
    year: int | None = None
    month: int | None = None
    role: DateRole = "date"


@dataclass(frozen=True, slots=True)
class JobMention(Mention):
    """A job of the reference table, or the customer's own word when it stands after 직업."""

    job: str = ""
    known: bool = True


@dataclass(frozen=True, slots=True)
class MedicalMention(Mention):
    """A disease, a treatment history keyword or a KCD code.

    `phrase` is the history as a person would note it (3년 전 디스크 수술); `code` a KCD code; `rule_id` a condition
    rule.
    """

    term: str = ""
    phrase: str = ""
    code: str | None = None
    rule_id: str | None = None


@dataclass(frozen=True, slots=True)
class ConditionMention(Mention):
    """What is told of the health, care, teeth, work or circumstances of the person to insure; `told` in words that a
    tool can read, `gist` in the fewest that tell the same; behind `until` the clause asks; `of_work`: of nothing but
    work. Among `Entities.motives`: told of somebody else, whose illness made the speaker ask for themselves."""

    told: str = ""
    gist: str = ""
    until: int = 0
    of_work: bool = False


@dataclass(frozen=True, slots=True)
class BenefitMention(Mention):
    """A benefit or treatment of the products (임플란트, 크라운, 유사암). `benefits` are (product code, benefit id)."""

    benefit: str = ""
    benefits: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class RiderMention(Mention):
    """A rider by name or code. `riders` are (product code, rider code)."""

    rider: str = ""
    riders: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ChannelMention(Mention):
    """A sales channel."""

    channel: ChannelName = "TM"


@dataclass(frozen=True, slots=True)
class ActionMention(Mention):
    """A contract action (해지, 대출 …)."""

    action: ContractAction = "조회"


@dataclass(frozen=True, slots=True)
class ClaimMention(Mention):
    """A kind of claim (진단, 수술, 입원, 사망 …) by its name in reference.claims."""

    claim_type: str = ""


@dataclass(frozen=True, slots=True)
class TermMention(Mention):
    """A word of a small closed list: FAQ topic, coverage type, goal, plan word, payment cycle, contract state."""

    value: str = ""


@dataclass(frozen=True, slots=True)
class CoverageMention(Mention):
    """A kind of cover (수술, 입원 …)."""

    coverage_type: CoverageType = "진단"


@dataclass(frozen=True, slots=True)
class NameMention(Mention):
    """A customer's name, or a customer id."""

    name: str | None = None
    customer_id: str | None = None


@dataclass(frozen=True, slots=True)
class RevisionMention(Mention):
    """개정판 번호: 5판, 7차 개정."""

    revision: int = 0


@dataclass(frozen=True, slots=True)
class CountMention(Mention):
    """A count with its counter: 10명, 세 개, 두 번."""

    count: int = 0
    counter: str = ""


@dataclass(frozen=True)
class Entities:
    """Everything read from one text. Tuples are in order of appearance; `text` is what the spans count in."""

    text: str
    products: tuple[ProductMention, ...] = ()
    categories: tuple[CategoryMention, ...] = ()
    references: tuple[ReferenceMention, ...] = ()
    people: tuple[PersonMention, ...] = ()
    genders: tuple[GenderMention, ...] = ()
    ages: tuple[AgeMention, ...] = ()
    births: tuple[BirthMention, ...] = ()
    money: tuple[MoneyMention, ...] = ()
    durations: tuple[DurationMention, ...] = ()
    dates: tuple[DateMention, ...] = ()
    jobs: tuple[JobMention, ...] = ()
    medical: tuple[MedicalMention, ...] = ()
    conditions: tuple[ConditionMention, ...] = ()
    motives: tuple[ConditionMention, ...] = ()
    unread: tuple[tuple[int, int], ...] = ()
    """Clauses of the person to insure in which nothing underwritten was read (start, end); they may tell it still."""
    denied: tuple[str, ...] = ()
    """Words that name something underwritten to say that it is not so (수술 아니고)."""
    benefits: tuple[BenefitMention, ...] = ()
    riders: tuple[RiderMention, ...] = ()
    channels: tuple[ChannelMention, ...] = ()
    actions: tuple[ActionMention, ...] = ()
    claims: tuple[ClaimMention, ...] = ()
    coverages: tuple[CoverageMention, ...] = ()
    topics: tuple[TermMention, ...] = ()
    goals: tuple[TermMention, ...] = ()
    plans: tuple[TermMention, ...] = ()
    cycles: tuple[TermMention, ...] = ()
    states: tuple[TermMention, ...] = ()
    scripts: tuple[TermMention, ...] = ()
    documents: tuple[TermMention, ...] = ()
    names: tuple[NameMention, ...] = ()
    revisions: tuple[RevisionMention, ...] = ()
    counts: tuple[CountMention, ...] = ()
    quotes: tuple[TermMention, ...] = ()
    is_correction: bool = False
    questions: tuple[str, ...] = ()
    non_renewing: bool = False
    unsold: Unsold | None = None
    well: bool = False
    """The person to insure is told to be in good health, and of no illness."""

    @property
    def asking(self) -> str:
        """The text without what it tells of people: what is left asks."""
        text = self.text
        for mention in (*self.conditions, *self.motives):
            text = text[: mention.start] + " " * (mention.until - mention.start) + text[mention.until :]
        return text

    @property
    def product_codes(self) -> tuple[str, ...]:
        """Codes of the products named and not negated, each once, in order."""
        return tuple(dict.fromkeys(m.code for m in self.products if not m.negated and not m.unknown_code))

    @property
    def covering_codes(self) -> tuple[str, ...]:
        """Codes of the products that have a cover named and not negated, each once, in order."""
        return tuple(dict.fromkeys(code for m in self.benefits if not m.negated for code, _ in m.benefits))

    @property
    def gender(self) -> Gender | None:
        """The gender said last and not negated."""
        kept = [m.gender for m in self.genders if not m.negated]
        return kept[-1] if kept else None

    def kinds(self) -> tuple[str, ...]:
        """The names of the fields that hold mentions, in their order."""
        return tuple(name for name, value in vars(self).items() if _holds_mentions(value))

    def all(self) -> tuple[Mention, ...]:
        """Every mention in order of its start."""
        found = [mention for value in vars(self).values() if _holds_mentions(value) for mention in value]
        return tuple(sorted(found, key=lambda m: (m.start, m.end)))


def _holds_mentions(value: object) -> bool:
    # A tuple of mentions holds nothing else.
    return isinstance(value, tuple) and bool(value) and isinstance(value[0], Mention)


def outside_quotes(entities: Entities) -> Entities:
    """The entities without those inside quotation marks: a quoted text is to be judged, not to be believed."""
    if not entities.quotes:
        return entities
    kept: dict[str, Any] = {
        name: tuple(m for m in value if not any(q.start <= m.start and m.end <= q.end for q in entities.quotes))
        for name, value in vars(entities).items()
        if name != "quotes" and _holds_mentions(value)
    }
    return replace(entities, **kept)
