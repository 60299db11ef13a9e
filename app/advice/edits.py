"""Changes of what a proposal is computed from: one typed edit each, the same for the API, the page and the talk."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from app.advice.book import AdviceBook
from app.advice.checking import checked, no_person, read_need, read_what
from app.advice.models import (
    AtOnce,
    Budget,
    Held,
    Household,
    Key,
    Money,
    Person,
    PersonId,
    ProposalRequest,
    Role,
    SumWish,
    Wishes,
    Without,
    Word,
)
from app.errors import CannotPropose
from app.insurance.models import Gender, Model


class LeaveOut(Model):
    """Without a need or product, for one person or for all."""

    kind: Literal["without"]
    what: Key
    person: PersonId | None = None


class TakeBack(Model):
    """A need or product that was left out is wanted after all; of a product that was not, it is wished for."""

    kind: Literal["with"]
    what: Key
    person: PersonId | None = None


class OtherSum(Model):
    """Another sum for a need, for one person or for all; without an amount the guide sum again."""

    kind: Literal["sum"]
    need: Key
    amount: Money | None = None
    person: PersonId | None = None


class OnlyFixed(Model):
    """Only products that do not renew (fixed), or any."""

    kind: Literal["renewal"]
    value: Literal["any", "fixed"]


class FromFirstDay(Model):
    """Only cover that starts on the first day for a need (None: all), for one person or for all; `value` False: cover
    with a waiting period too."""

    kind: Literal["at_once"]
    need: Key | None = None
    person: PersonId | None = None
    value: bool = True


class OtherBudget(Model):
    """Another budget; without an amount none."""

    kind: Literal["budget"]
    amount: Money | None = None
    per: Literal["household", "person"] = "household"


class AddPerson(Model):
    """One more person."""

    kind: Literal["add"]
    person: Person


class RemovePerson(Model):
    """A person less, with all that was wished for them."""

    kind: Literal["remove"]
    person: PersonId


class PersonValues(Model):
    """What may be corrected of a person; what is None stays."""

    label: Annotated[str | None, Field(max_length=40)] = None
    role: Role | None = None
    age: Annotated[int | None, Field(ge=0, le=120)] = None
    sex: Gender | None = None
    job: Annotated[str | None, Field(max_length=100)] = None
    told: Annotated[tuple[Word, ...] | None, Field(max_length=10)] = None
    worries: Annotated[tuple[Key, ...] | None, Field(max_length=10)] = None
    has: Annotated[tuple[Held, ...] | None, Field(max_length=20)] = None


class CorrectPerson(Model):
    """Other values for a person."""

    kind: Literal["correct"]
    person: PersonId
    set: PersonValues


class ChooseVariant(Model):
    """This variant is the chosen one."""

    kind: Literal["choose"]
    variant: Key


class Again(Model):
    """The same, computed with today's figures."""

    kind: Literal["again"]


Edit = Annotated[
    LeaveOut | TakeBack | OtherSum | OnlyFixed | FromFirstDay | OtherBudget | AddPerson | RemovePerson
    | CorrectPerson | ChooseVariant | Again,
    Field(discriminator="kind"),
]  # fmt: skip


def changed(request: ProposalRequest, edit: Edit, book: AdviceBook) -> ProposalRequest:
    """The request after the edit, checked as a new one is. Pure: the request that was given stays as it was.

    An edit wins over an earlier wish that it contradicts. Raises CannotPropose, with the way out, for an edit that is
    impossible.
    """
    before = checked(request, book)
    people, wishes = before.household.people, before.wishes
    budget = before.household.budget
    named = getattr(edit, "person", None)
    if isinstance(named, str) and named not in {person.id for person in people}:
        raise no_person(named, {person.id for person in people}, book)
    match edit:
        case LeaveOut():
            what = read_what(edit.what, book, "what")
            wishes, people = _without(wishes, people, what, edit.person)
        case TakeBack():
            wishes, people = _with(wishes, people, read_what(edit.what, book, "what"), edit.person, book)
        case OtherSum():
            wishes = _sums(wishes, read_need(edit.need, book, "need"), edit.amount, edit.person)
        case OnlyFixed():
            wishes = wishes.model_copy(update={"renewal": edit.value})
        case FromFirstDay():
            need = read_need(edit.need, book, "need") if edit.need is not None else None
            if need is not None and edit.value:
                wishes, people = _with(wishes, people, need, edit.person, book)
            wishes = _from_first_day(wishes, need, edit.person, value=edit.value)
        case OtherBudget():
            budget = None if edit.amount is None else Budget(amount=edit.amount, per=edit.per)
        case AddPerson():
            people = (*people, edit.person)
        case RemovePerson():
            if len(people) == 1:
                raise CannotPropose("person", book.say("last_person"))
            people = tuple(person for person in people if person.id != edit.person)
            wishes = _forgotten(wishes, edit.person)
        case CorrectPerson():
            people = tuple(_corrected(p, edit.set, book) if p.id == edit.person else p for p in people)
        case ChooseVariant():
            wishes = wishes.model_copy(update={"chosen": edit.variant})
        case Again():
            pass
    after = before.model_copy(update={"household": Household(people=people, budget=budget), "wishes": wishes})
    return checked(after, book)


def _without(
    wishes: Wishes, people: tuple[Person, ...], what: str, person: str | None
) -> tuple[Wishes, tuple[Person, ...]]:
    """Left out; worries and sums about it go with it."""
    kept = tuple(w for w in wishes.without if w.what != what or (person is not None and w.person != person))
    sums = tuple(w for w in wishes.sums if w.need != what or (person is not None and w.person != person))
    products = tuple(code for code in wishes.products if code != what)
    made = wishes.model_copy(
        update={"without": (*kept, Without(what=what, person=person)), "sums": sums, "products": products}
    )
    quiet = tuple(
        p.model_copy(update={"worries": tuple(w for w in p.worries if w != what)}) if person in (None, p.id) else p
        for p in people
    )
    return made, quiet


def _with(
    wishes: Wishes, people: tuple[Person, ...], what: str, person: str | None, book: AdviceBook
) -> tuple[Wishes, tuple[Person, ...]]:
    """Wanted again: by one whom all left it out for, the others stay without. A need counts as a worry then, so that
    every variant has it; a product is wished for."""
    left = [w for w in wishes.without if w.what == what]
    kept = [w for w in wishes.without if w.what != what or (person is not None and w.person not in (None, person))]
    if person is not None and any(w.person is None for w in left):
        kept += [Without(what=what, person=p.id) for p in people if p.id != person]
    made = wishes.model_copy(update={"without": tuple(dict.fromkeys(kept))})
    if what in book.products:
        gone = set(book.answered_by(what))
        fewer = tuple(w for w in made.without if w.what not in gone or w.person is not None)
        wished = tuple(dict.fromkeys((*made.products, what)))
        return made.model_copy(update={"without": fewer, "products": wished}), people
    if left:
        return made, people
    wanting = tuple(
        p.model_copy(update={"worries": tuple(dict.fromkeys((*p.worries, what)))}) if person in (None, p.id) else p
        for p in people
    )
    return made, wanting


def _sums(wishes: Wishes, need: str, amount: int | None, person: str | None) -> Wishes:
    """Another sum; a need that was left out for them is wanted again."""
    kept = tuple(w for w in wishes.sums if w.need != need or (person is not None and w.person != person))
    if amount is None:
        return wishes.model_copy(update={"sums": kept})
    without = tuple(w for w in wishes.without if w.what != need or (person is not None and w.person != person))
    sums = (*kept, SumWish(need=need, amount=amount, person=person))
    return wishes.model_copy(update={"sums": sums, "without": without})


def _from_first_day(wishes: Wishes, need: str | None, person: str | None, *, value: bool) -> Wishes:
    """Wished, or no more: without a need for all of them, without a person by everybody."""
    kept = tuple(
        w
        for w in wishes.at_once
        if (need is not None and w.need != need) or (person is not None and w.person != person)
    )
    return wishes.model_copy(update={"at_once": (*kept, AtOnce(need=need, person=person)) if value else kept})


def _forgotten(wishes: Wishes, person: str) -> Wishes:
    return wishes.model_copy(
        update={
            "without": tuple(w for w in wishes.without if w.person != person),
            "at_once": tuple(w for w in wishes.at_once if w.person != person),
            "sums": tuple(w for w in wishes.sums if w.person != person),
        }
    )


def _corrected(person: Person, values: PersonValues, book: AdviceBook) -> Person:
    given = {name: getattr(values, name) for name in values.model_fields_set if getattr(values, name) is not None}
    if not given:
        raise CannotPropose("set", book.say("no_values"))
    by_age = person.model_copy(update={"role": None})
    if "age" in given and "role" not in given and person.role == book.role_of(by_age):
        given["role"] = None
        if "label" not in given and person.label == book.plan.roles.get(person.role or "self"):
            given["label"] = ""
    return person.model_copy(update=given)
