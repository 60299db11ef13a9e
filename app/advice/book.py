"""What a company advises, as data: needs and what answers them, the consultation plan, and every word of a proposal.

Source: data/advice/*.yaml. A company without the folder gives no advice.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, RootModel

from app.advice.models import Person, Role
from app.errors import ProductNotFound
from app.insurance.catalogue import Catalogue
from app.insurance.catalogue_files import DataReader, FaultLog, Item
from app.insurance.models import AgeRange, Gender, Model, Product
from app.insurance.names import name_key

FOLDER = "advice"
Tag = Literal[
    "minor", "elderly", "told", "untold", "no_budget", "held", "unheld", "job", "renews", "waits", "reduces",
    "no_surrender", "simplified",
]  # fmt: skip
Id = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Text = Annotated[str, Field(min_length=1)]


class _ForSome(Model):
    """Something for people of these roles (none: all) and ages (none: all)."""

    roles: tuple[Role, ...] = ()
    ages: AgeRange | None = None

    def fits(self, role: Role, age: int) -> bool:
        return (not self.roles or role in self.roles) and (self.ages is None or age in self.ages)


class GuideLine(_ForSome):
    """How much cover the company's guide suggests (원)."""

    amount: Annotated[int, Field(gt=0)]


class RiderChoice(Model):
    """A rider, and the goal by which the tool that recommends riders finds it."""

    code: Text
    goal: Text


class Answer(Model):
    """A product that answers a need. Its cover is the least of the benefits in `covers`; `extras` deepen it."""

    product: Text
    reason: Text
    covers: tuple[Text, ...] = Field(min_length=1)
    riders: tuple[RiderChoice, ...] = ()
    extras: tuple[RiderChoice, ...] = ()


class Need(Model):
    """Something to insure against, how it is called and measured, how much the guide suggests, and what answers it."""

    id: Id
    title: Text
    words: tuple[Text, ...] = Field(min_length=1)
    measure: Text
    unit: Text
    why: Text
    basis: Text
    guide: tuple[GuideLine, ...] = Field(min_length=1)
    answers: tuple[Answer, ...] = Field(min_length=1)

    def guide_sum(self, role: Role, age: int) -> int | None:
        """The guide sum (원) of the first line that fits; None where the need is not theirs."""
        return next((line.amount for line in self.guide if line.fits(role, age)), None)


class Slot(Model):
    """Something a consultation asks for."""

    id: Literal["people", "budget", "worries", "health", "has", "job"]
    ask: Text
    skippable: bool


class OrderLine(_ForSome):
    """The needs of such people, the most pressing first."""

    needs: tuple[Id, ...]


class VariantRule(Model):
    """How far a variant goes: how many needs, what share of the budget, and of the sums wanted: of all needs first
    `start`, then up to `share`; with extras or not."""

    id: Id
    title: Text
    needs: Annotated[int, Field(ge=1)]
    start: Annotated[float, Field(gt=0, le=1)]
    share: Annotated[float, Field(gt=0, le=1)]
    budget_share: Annotated[float, Field(gt=0, le=1)]
    extras: bool = False


class Asked(Model):
    """A suitability question."""

    ask: Text
    basis: Text
    when: tuple[Tag, ...] = ()


class ToldRule(Model):
    """A disclosure: its own text or a disclaimer's; `item` names the sales duty that it serves."""

    item: Text | None = None
    disclaimer: Text | None = None
    text: Text | None = None
    when: tuple[Tag, ...] = ()


class Assumed(Model):
    """Who somebody is taken for, of whom age or sex was not told."""

    age: Annotated[int, Field(ge=0, le=120)]
    sex: Gender


class Consultation(Model):
    """The consultation plan."""

    at_once: Annotated[int, Field(ge=1, le=3)]
    slots: tuple[Slot, ...] = Field(min_length=1)
    skip_words: tuple[Text, ...]
    roles: dict[Role, Text]
    assumed: dict[Role, Assumed]
    most_people: Annotated[int, Field(ge=1, le=50)]
    least_budget: Annotated[int, Field(gt=0)]
    most_budget: Annotated[int, Field(gt=0)]
    grown_up_from: Annotated[int, Field(ge=0, le=120)]
    elderly_from: Annotated[int, Field(ge=0, le=120)]
    valid_days: Annotated[int, Field(ge=1, le=365)]
    order: tuple[OrderLine, ...] = Field(min_length=1)
    variants: tuple[VariantRule, ...] = Field(min_length=1, max_length=4)
    offers: Annotated[int, Field(ge=1, le=9)]
    chosen: Id
    suitability: tuple[Asked, ...]
    disclosures: tuple[ToldRule, ...]


class ToolNames(Model):
    """Which tool tells what."""

    find: Id
    look: Id
    job: Id
    limits: Id
    price: Id
    covers: Id
    riders: Id
    entry: Id
    plans: Id
    waiting: Id
    exclusions: Id
    renewal: Id
    held: Id


class Reads(Model):
    """Words in the results that decide something; `verdicts` from the best to the worst."""

    declined: tuple[Text, ...]
    no_entry: tuple[Text, ...]
    verdicts: tuple[Text, ...]
    fixed: tuple[Text, ...]
    no_surrender: tuple[Text, ...]


class Sources(Model):
    """The tools that a proposal rests on."""

    tools: ToolNames
    reads: Reads


class _Wording(RootModel[dict[str, str | dict[str, str]]]):
    """Every sentence by its key; groups one level deep."""


@dataclass(frozen=True)
class Disclosed:
    """A disclosure with everything that it names looked up."""

    item: str
    text: str
    basis: str
    when: tuple[Tag, ...]


@dataclass(frozen=True)
class AdviceBook:
    """All of a company's advice, checked against its catalogue."""

    needs: tuple[Need, ...]
    plan: Consultation
    sources: Sources
    words: Mapping[str, str | Mapping[str, str]]
    disclosures: tuple[Disclosed, ...]
    products: Mapping[str, str]

    @cached_property
    def by_id(self) -> Mapping[str, Need]:
        """The needs by their ids."""
        return {need.id: need for need in self.needs}

    @cached_property
    def _products_by_key(self) -> Mapping[str, str]:
        return {name_key(name): code for code, name in self.products.items()}

    def say(self, key: str, **values: object) -> str:
        """A sentence of the wording with its values filled in."""
        return str(self.words[key]).format(**values)

    def need_of(self, words: str) -> str | None:
        """The id of the need that the words mean: by id, title or word, else the longest word that they hold."""
        if words in self.by_id:
            return words
        key = name_key(words)
        held = [
            (len(own), need.id) for need in self.needs for word in (need.title, *need.words)
            if (own := name_key(word)) and own in key
        ]  # fmt: skip
        exact = next((need.id for need in self.needs if key in map(name_key, (need.title, *need.words))), None)
        return exact or (max(held)[1] if held else None)

    def product_of(self, words: str) -> str | None:
        """The code of the product that the words name."""
        return words if words in self.products else self._products_by_key.get(name_key(words))

    def what_of(self, words: str) -> str | None:
        """The product's code or need's id that the words mean; products go first, they hold the words of needs."""
        return self.product_of(words) or self.need_of(words)

    def title_of(self, what: str) -> str:
        """How a need or product is called."""
        return self.by_id[what].title if what in self.by_id else self.products.get(what, what)

    def role_of(self, person: Person) -> Role:
        """The role as told, else by age."""
        return person.role or ("child" if person.age < self.plan.grown_up_from else "self")

    def needs_of(self, person: Person) -> tuple[str, ...]:
        """The needs that are theirs by role and age, the most pressing first."""
        role = self.role_of(person)
        return next((line.needs for line in self.plan.order if line.fits(role, person.age)), ())

    def answered_by(self, product: str) -> tuple[str, ...]:
        """The needs that a product answers."""
        return tuple(need.id for need in self.needs if any(a.product == product for a in need.answers))


def load_advice(root: Path, company_name: str, catalogue: Catalogue) -> AdviceBook | None:
    """The advice of a content folder; None where it has none. Raises DataFaults with every fault."""
    if not (root / FOLDER).is_dir():
        return None
    log = FaultLog()
    reader = DataReader(root, company_name, log)
    needs = reader.yaml_list(f"{FOLDER}/needs.yaml", Need)
    plan = reader.yaml_one(f"{FOLDER}/consultation.yaml", Consultation)
    sources = reader.yaml_one(f"{FOLDER}/sources.yaml", Sources)
    words = reader.yaml_one(f"{FOLDER}/wording.yaml", _Wording)
    for need in needs:
        _check_need(need, catalogue, log)
    disclosures = _disclosures(plan, needs, catalogue, log) if plan else ()
    log.check()
    assert plan and sources and words
    return AdviceBook(
        needs=tuple(need.value for need in needs), plan=plan.value, sources=sources.value, words=words.value.root,
        disclosures=disclosures, products={product.code: product.name for product in catalogue.products},
    )  # fmt: skip


def _check_need(need: Item[Need], catalogue: Catalogue, log: FaultLog) -> None:
    for n, answer in enumerate(need.value.answers):
        place = need.place.line("answers", n)
        try:
            product = catalogue.product(answer.product)
        except ProductNotFound as error:
            log.add(need.place.file, place, str(error))
            continue
        for fault in _faults(answer, product):
            log.add(need.place.file, place, f"{answer.product}: {fault}")


def _faults(answer: Answer, product: Product) -> list[str]:
    riders = {rider.code: rider for rider in product.riders}
    taken = {choice.code for choice in answer.riders}
    own = {b.id for b, rider in product.all_benefits if rider is None or rider.code in taken}
    faults = [f"covers: {name}" for name in answer.covers if name not in own]
    for choice in (*answer.riders, *answer.extras):
        if choice.code not in riders:
            faults.append(f"riders: {choice.code}")
        elif choice.goal not in riders[choice.code].goals:
            faults.append(f"goal: {choice.goal} ({', '.join(riders[choice.code].goals)})")
    return faults


def _disclosures(
    plan: Item[Consultation], needs: tuple[Item[Need], ...], catalogue: Catalogue, log: FaultLog
) -> tuple[Disclosed, ...]:
    known = {need.value.id for need in needs}
    for n, line in enumerate(plan.value.order):
        for name in line.needs:
            if name not in known:
                log.add(plan.place.file, plan.place.line("order", n), f"needs: {name}")
    if plan.value.chosen not in {variant.id for variant in plan.value.variants}:
        log.add(plan.place.file, plan.place.line("chosen"), f"chosen: {plan.value.chosen}")
    duties = {duty.item: duty for duty in catalogue.reference.sales_duties}
    texts = {item.id: item.text for item in catalogue.reference.disclaimers}
    made = []
    for n, rule in enumerate(plan.value.disclosures):
        text = rule.text or texts.get(rule.disclaimer or "")
        if text is None or (rule.item is not None and rule.item not in duties):
            log.add(plan.place.file, plan.place.line("disclosures", n), f"{rule.item} / {rule.disclaimer}")
            continue
        duty = duties.get(rule.item or "")
        made.append(Disclosed(rule.item or "", text, duty.basis if duty else "", rule.when))
    return tuple(made)
