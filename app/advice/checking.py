"""Whether a proposal can be made of what was told: bad values, contradictions, words that name nothing."""

from __future__ import annotations

from app.advice.book import AdviceBook
from app.advice.models import Budget, Held, Household, Person, ProposalRequest, SumWish, Wishes, Without
from app.errors import CannotPropose
from app.insurance.wording import won

_MOST_SUM = 1_000_000_000


def checked(request: ProposalRequest, book: AdviceBook) -> ProposalRequest:
    """The request with its people named and its words read as needs and products.

    Raises CannotPropose, whose sentence tells the way out, for values and wishes that allow no proposal.
    """
    household = Household(people=_people(request.household.people, book), budget=request.household.budget)
    _check_budget(household.budget, book)
    known = {person.id for person in household.people}
    wishes = _wishes(request.wishes, known, book)
    _check_wishes(wishes, household, book)
    return request.model_copy(update={"household": household, "wishes": wishes})


def _people(people: tuple[Person, ...], book: AdviceBook) -> tuple[Person, ...]:
    if not people:
        raise CannotPropose("household.people", book.say("no_people"))
    if len(people) > book.plan.most_people:
        told = book.say("many_people", most=book.plan.most_people, given=len(people))
        raise CannotPropose("household.people", told)
    taken = {person.id for person in people if person.id}
    if len(taken) < sum(bool(person.id) for person in people):
        twice = next(p.id for n, p in enumerate(people) if p.id and p.id in {q.id for q in people[:n]})
        raise CannotPropose("household.people", book.say("same_person", id=twice))
    free = (name for n in range(1, 200) if (name := f"p{n}") not in taken)
    named: list[Person] = []
    for n, person in enumerate(people):
        role = book.role_of(person)
        alike = 1 + sum(other.role == role for other in named)
        word = book.plan.roles.get(role, role)
        label = person.label or book.say("label" if alike == 1 else "label_more", role=word, n=alike)
        named.append(
            person.model_copy(
                update={
                    "id": person.id or next(free),
                    "label": label,
                    "role": role,
                    "worries": _needs(person.worries, book, f"household.people.{n}.worries"),
                    "has": tuple(_held(item, book, f"household.people.{n}.has") for item in person.has),
                }
            )
        )
    return tuple(named)


def _needs(words: tuple[str, ...], book: AdviceBook, field: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(read_need(word, book, field) for word in words))


def read_need(word: str, book: AdviceBook, field: str) -> str:
    """The need that a word names. Raises CannotPropose."""
    found = book.need_of(word)
    if found is None:
        raise _unknown(word, book, field)
    return found


def read_what(word: str, book: AdviceBook, field: str) -> str:
    """The need or product that a word names. Raises CannotPropose."""
    found = book.what_of(word)
    if found is None:
        raise _unknown(word, book, field)
    return found


def _unknown(word: str, book: AdviceBook, field: str) -> CannotPropose:
    known = ", ".join(need.title for need in book.needs)
    return CannotPropose(field, book.say("unknown_need", given=word, known=known))


def _held(item: Held, book: AdviceBook, field: str) -> Held:
    product = None
    if item.product is not None:
        product = book.product_of(item.product)
        if product is None:
            raise _unknown(item.product, book, field)
    need = read_need(item.need, book, field) if item.need else None
    if need is None and product is not None:
        need = next(iter(book.answered_by(product)), None)
    return Held(need=need, product=product, amount=item.amount)


def _check_budget(budget: Budget | None, book: AdviceBook) -> None:
    if budget is None:
        return
    field = "household.budget"
    if budget.amount == 0:
        raise CannotPropose(field, book.say("zero_budget"))
    if budget.amount < book.plan.least_budget:
        raise CannotPropose(field, book.say("small_budget", least=won(book.plan.least_budget)))
    if budget.amount > book.plan.most_budget:
        raise CannotPropose(field, book.say("large_budget", most=won(book.plan.most_budget)))


def _wishes(wishes: Wishes, known: set[str], book: AdviceBook) -> Wishes:
    about = (*(w.person for w in wishes.without), *(w.person for w in wishes.at_once), *(w.person for w in wishes.sums))
    for name in about:
        if name is not None and name not in known:
            raise no_person(name, known, book)
    without = tuple(
        dict.fromkeys(Without(what=read_what(w.what, book, "wishes.without"), person=w.person) for w in wishes.without)
    )
    at_once = tuple(
        w.model_copy(update={"need": read_need(w.need, book, "wishes.at_once")}) if w.need is not None else w
        for w in wishes.at_once
    )
    sums: dict[tuple[str, str | None], SumWish] = {}
    for wish in wishes.sums:
        if not 0 < wish.amount <= _MOST_SUM:
            raise CannotPropose("wishes.sums", book.say("bad_sum", least=won(1), most=won(_MOST_SUM)))
        need = read_need(wish.need, book, "wishes.sums")
        sums[need, wish.person] = wish.model_copy(update={"need": need})
    products = []
    for word in wishes.products:
        code = book.product_of(word)
        if code is None:
            raise _unknown(word, book, "wishes.products")
        products.append(code)
    chosen = wishes.chosen
    names = [variant.id for variant in book.plan.variants]
    if chosen is not None and chosen not in names:
        raise CannotPropose("wishes.chosen", book.say("no_variant", id=chosen, known=", ".join(names)))
    return Wishes(
        without=without, renewal=wishes.renewal, at_once=tuple(dict.fromkeys(at_once)), sums=tuple(sums.values()),
        products=tuple(dict.fromkeys(products)), chosen=chosen,
    )  # fmt: skip


def no_person(name: str, known: set[str], book: AdviceBook) -> CannotPropose:
    """The refusal of a person who is not in the household."""
    return CannotPropose("person", book.say("no_person", id=name, known=", ".join(sorted(known))))


def _check_wishes(wishes: Wishes, household: Household, book: AdviceBook) -> None:
    for_all = {wish.what for wish in wishes.without if wish.person is None}
    if for_all >= book.by_id.keys():
        raise CannotPropose("wishes.without", book.say("all_without"))
    for code in wishes.products:
        answered = set(book.answered_by(code))
        if code in for_all or (answered and answered <= for_all):
            told = book.say("wish_against_without", what=book.title_of(code))
            raise CannotPropose("wishes.products", told)
    for wish in wishes.sums:
        gone = {w.what for w in wishes.without if w.person is None or w.person == wish.person}
        if wish.need in gone:
            raise CannotPropose("wishes.sums", book.say("wish_against_without", what=book.title_of(wish.need)))
    for person in household.people:
        gone = {w.what for w in wishes.without if w.person in (None, person.id)}
        if both := gone & set(person.worries):
            told = book.say("wish_against_without", what=book.title_of(sorted(both)[0]))
            raise CannotPropose("wishes.without", told)
