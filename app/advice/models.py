"""What a proposal is made of: the household and its wishes as told, and the proposal as computed. All of it frozen.

Money is 원 a month for premiums and 원 for sums, ages are 만 나이 (세), years count from the day of the proposal.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.answering.calculator import Operation
from app.insurance.models import Gender, Model

Role = Literal["self", "partner", "child", "parent", "other"]
Word = Annotated[str, Field(min_length=1, max_length=200)]
PersonId = Annotated[str, Field(pattern=r"^[a-z0-9_-]{1,20}$")]
Money = Annotated[int, Field(ge=0, le=10**12)]
Key = Annotated[str, Field(min_length=1, max_length=60)]


class Held(Model):
    """Cover that somebody has already: for a need, of a product, or both; without an amount it counts as enough."""

    need: Key | None = Field(None)
    product: Key | None = Field(None)
    amount: Money | None = Field(None)


class Person(Model):
    """One to be covered. `told` is health and circumstances in their own words, `worries` and `has` name needs."""

    id: PersonId = ""
    label: Annotated[str, Field(max_length=40)] = ""
    role: Role | None = Field(None)
    age: Annotated[int, Field(ge=0, le=120)]
    sex: Gender
    job: Annotated[str, Field(max_length=100)] = ""
    told: Annotated[tuple[Word, ...], Field(max_length=10)] = ()
    worries: Annotated[tuple[Key, ...], Field(max_length=10)] = ()
    has: Annotated[tuple[Held, ...], Field(max_length=20)] = ()


class Budget(Model):
    """What may be paid a month, by all together or by each."""

    amount: Money
    per: Literal["household", "person"] = "household"


class Household(Model):
    """Who is to be covered. Without a budget nothing is held back for its price."""

    people: Annotated[tuple[Person, ...], Field(max_length=50)]
    budget: Budget | None = None


class Without(Model):
    """A need or product that is not wanted, by one person or (None) by all."""

    what: Key
    person: PersonId | None = None


class SumWish(Model):
    """How much cover is wanted for a need, by one person or (None) by all, in place of the guide sum."""

    need: Key
    amount: Money
    person: PersonId | None = None


class AtOnce(Model):
    """Cover for a need, or (None) for all, that is wanted from the first day only: by one person or (None) by all."""

    need: Key | None = None
    person: PersonId | None = None

    def of(self, need: str, person: str) -> bool:
        """Whether it is wished for this need of this person."""
        return self.need in (None, need) and self.person in (None, person)


class Wishes(Model):
    """What is wanted of the proposal. `products` are to be taken first; `chosen` names a variant."""

    without: Annotated[tuple[Without, ...], Field(max_length=50)] = ()
    renewal: Literal["any", "fixed"] = Field("any")
    at_once: Annotated[tuple[AtOnce, ...], Field(max_length=50)] = ()
    sums: Annotated[tuple[SumWish, ...], Field(max_length=50)] = ()
    products: Annotated[tuple[Key, ...], Field(max_length=12)] = ()
    chosen: Key | None = None


class ProposalRequest(Model):
    """Everything that a proposal is computed from. `customer_id`: whose contracts count as the first person's."""

    household: Household
    wishes: Wishes = Wishes()
    customer_id: str | None = Field(None, pattern=r"^C\d{4,}$")


class SourceCall(Model):
    """A tool call that figures came from; `basis` is what the result itself says it rests on."""

    tool: str
    title: str
    args: dict[str, str | int | float | bool | list[str] | None]
    basis: str | None = None


class Reckoned(Model):
    """A checked derivation and the place in the proposal whose figure it is."""

    of: str
    operation: Operation
    figures: tuple[int, ...]
    counts: tuple[int, ...] = ()
    result: int


class Named(Model):
    """A product or rider by its code."""

    code: str
    name: str


class Term(Model):
    """How long is paid and covered, in the product's own words, and for how many years is paid (until renewal)."""

    payment: str
    coverage: str
    years: int


class LineRider(Named):
    """A rider taken, its premium and what it pays."""

    premium: int
    pays: str


class Waiting(Model):
    """Covers that start `days` after the contract's day, in words."""

    days: int
    text: str
    benefits: tuple[str, ...]


class Reduction(Model):
    """Covers of which only `rate` is paid in the first `months`, in words."""

    months: int
    rate: float
    text: str
    benefits: tuple[str, ...]


class PathPoint(Model):
    """From this year on the line costs `premium` a month, until the next point or the end."""

    year: int
    age: int
    premium: int


class RenewalPath(Model):
    """What a line costs over the years. `ends_year`: from then on nothing is paid; later points are estimates from
    today's table."""

    kind: str
    period_years: int | None
    last_age: int | None
    path: tuple[PathPoint, ...]
    ends_year: int


class Underwriting(Model):
    """What underwriting may make of what was told."""

    verdict: str
    notes: tuple[str, ...]


class CoverAmount(Model):
    """What one benefit of a line pays."""

    name: str
    amount: int
    unit: str


class Line(Model):
    """One product for one person. `also` names further needs that it answers; `sources` are ids of calls."""

    id: str
    product: Named
    need: str
    also: tuple[str, ...]
    reason: str
    sum_insured: int
    plan: str
    surrender: str
    term: Term
    riders: tuple[LineRider, ...]
    main_premium: int
    premium: int
    covers: tuple[CoverAmount, ...]
    waiting: tuple[Waiting, ...]
    reduction: tuple[Reduction, ...]
    not_covered: tuple[str, ...]
    renewal: RenewalPath
    underwriting: Underwriting
    sources: tuple[str, ...]


class PersonLines(Model):
    """What a variant holds for one person."""

    person: str
    premium: int
    lines: tuple[Line, ...]


OpenWhy = Literal["budget", "depth", "without", "none", "fixed", "waits", "held", "part", "age"]


class LeftOpen(Model):
    """A need that a variant leaves uncovered or not fully covered, and why."""

    person: str
    need: str | None
    why: OpenWhy
    text: str


class NeedCover(Model):
    """Cover against need: `wanted` by guide or wish, `covered` in all, `held` of it already there."""

    person: str
    need: str
    title: str
    unit: str
    wanted: int
    covered: int
    held: int
    basis: str


class YearPremium(Model):
    """From this year on the household pays `premium` a month, until the next entry."""

    year: int
    premium: int


class Variant(Model):
    """One way to cover the household within the budget."""

    id: str
    title: str
    chosen: bool
    premium: int
    people: tuple[PersonLines, ...]
    left_open: tuple[LeftOpen, ...]
    cover: tuple[NeedCover, ...]
    premiums_by_year: tuple[YearPremium, ...]


class Refusal(Model):
    """A product that one person may not have, and why; it stands in no variant."""

    person: str
    product: Named
    reason: str
    sources: tuple[str, ...]


class Question(Model):
    """A suitability question that is asked before anything is signed, with the law that asks for it."""

    text: str
    basis: str


class DisclosureText(Model):
    """Something that must be told, with the duty and the law it serves."""

    item: str
    text: str
    basis: str


class Proposal(Model):
    """A proposal: variants, what may not be had, what to ask and to tell, and where every figure came from.

    Without variants `nothing` says why.
    """

    household: Household
    wishes: Wishes
    variants: tuple[Variant, ...]
    nothing: str | None
    refused: tuple[Refusal, ...]
    questions: tuple[Question, ...]
    disclosures: tuple[DisclosureText, ...]
    sources: dict[str, SourceCall]
    derivations: tuple[Reckoned, ...]
    simulated: Literal[True] = True
