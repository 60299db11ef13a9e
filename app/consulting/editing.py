"""From what is heard after a proposal to edits of its request. Pure."""

from __future__ import annotations

from app.advice.book import AdviceBook
from app.advice.edits import (
    AddPerson,
    ChooseVariant,
    CorrectPerson,
    Edit,
    FromFirstDay,
    LeaveOut,
    OnlyFixed,
    OtherBudget,
    OtherSum,
    PersonValues,
    RemovePerson,
    TakeBack,
)
from app.advice.models import Held, Person, ProposalRequest
from app.consulting.drafting import Drafting
from app.consulting.hearing import Heard
from app.dialogue.consultation import Told


class Editing:
    """Turns what is heard into edits, with the names that the drafts went by."""

    def __init__(self, drafting: Drafting, book: AdviceBook) -> None:
        self._drafting, self._book = drafting, book

    def edits(
        self, heard: Heard, request: ProposalRequest, whos: dict[str, str]
    ) -> tuple[tuple[Edit, ...], dict[str, str]]:
        """The edits of a request that a message asks for, people first, and the words of the talk for everybody after
        them."""
        ids = {who: name for name, who in whos.items()}
        people = {person.id: person for person in request.household.people}
        made: list[Edit] = []
        after = dict(whos)
        for news in heard.people:
            name = ids.get(self._drafting.same(news.who, ids))
            if name is None and news.age is not None and news.who not in heard.gone:
                free = next(f"p{n}" for n in range(1, 100) if f"p{n}" not in after and f"p{n}" not in people)
                taken = self._book.plan.assumed[self._drafting.role(news.who)]
                whole = news if news.sex else news.model_copy(update={"sex": taken.sex})
                made.append(AddPerson(kind="add", person=self._drafting.person(whole, free)))
                after[free], ids[news.who] = news.who, free
            elif name is not None and (values := _values(news, people.get(name))) is not None:
                made.append(CorrectPerson(kind="correct", person=name, set=values))
        gone = [who for who in (self._drafting.same(out, ids) for out in heard.gone) if who in ids]
        if heard.alone is not None and heard.alone in ids:
            gone += [who for who in ids if who != heard.alone]
        for who in dict.fromkeys(gone):
            made.append(RemovePerson(kind="remove", person=ids[who]))
            after.pop(ids.pop(who), None)  # what is said of who goes changes nothing
        if heard.budget is not None:
            made.append(OtherBudget(kind="budget", amount=heard.budget, per=heard.per))
        elif heard.unlimited and request.household.budget is not None:
            made.append(OtherBudget(kind="budget", amount=None))
        if heard.renewal is not None and heard.renewal != request.wishes.renewal:
            made.append(OnlyFixed(kind="renewal", value=heard.renewal))
        made += self._of_wishes(
            heard, request, {**ids, **{who: ids[self._drafting.same(who, ids)] for who in self._named(heard, ids)}}
        )
        if heard.variant is not None:
            made.append(ChooseVariant(kind="choose", variant=heard.variant))
        return tuple(made), after

    def _of_wishes(self, heard: Heard, request: ProposalRequest, ids: dict[str, str]) -> list[Edit]:
        made: list[Edit] = [LeaveOut(kind="without", what=w.what, person=ids.get(w.who or "")) for w in heard.without]
        made += [LeaveOut(kind="without", what=need) for need in self._drafting.besides(heard.only)]
        made += [FromFirstDay(kind="at_once", need=w.what or None, person=ids.get(w.who or "")) for w in heard.at_once]
        if heard.waits and request.wishes.at_once:
            made.append(FromFirstDay(kind="at_once", value=False))
        begun = {wish.what for wish in heard.at_once}
        for wish in (w for w in (*heard.worries, *heard.only) if w.what not in begun):
            made.append(TakeBack(kind="with", what=wish.what, person=ids.get(wish.who or "")))
        for wish in heard.sums:
            person = ids.get(wish.who or "")
            need = wish.what or self._need_of(person, request)
            if need in self._book.products:
                need = next(iter(self._book.answered_by(need)), "")
            if need:
                made.append(OtherSum(kind="sum", need=need, amount=wish.amount, person=person))
        people = {person.id: person for person in request.household.people}
        for wish in heard.has:
            for name in [ids[wish.who]] if wish.who in ids else list(people):
                if name in people and wish.what in self._book.by_id:
                    has = (*people[name].has, Held(need=wish.what))
                    made.append(CorrectPerson(kind="correct", person=name, set=PersonValues(has=has)))
        return made

    def _named(self, heard: Heard, ids: dict[str, str]) -> list[str]:
        """Those for whom something is wished under another word than the household's."""
        wishes = (*heard.without, *heard.worries, *heard.only, *heard.at_once, *heard.sums, *heard.has)
        whos = (w.who for w in wishes if w.who is not None and w.who not in ids)
        return [who for who in whos if self._drafting.same(who, ids) in ids]

    def _need_of(self, name: str | None, request: ProposalRequest) -> str:
        """The need that a sum without one is of: the one with a sum already, the first worry, the most pressing."""
        if request.wishes.sums:
            return request.wishes.sums[-1].need
        person = next((p for p in request.household.people if name in (None, p.id)), None)
        return next(iter((*person.worries, *self._book.needs_of(person))), "") if person else ""


def _values(news: Told, now: Person | None) -> PersonValues | None:
    """What of the news is new of somebody."""
    given: dict[str, object] = {}
    if news.age is not None and (now is None or now.age != news.age):
        given["age"] = news.age
    if news.sex is not None and (now is None or now.sex != news.sex):
        given["sex"] = news.sex
    if news.job and (now is None or now.job != news.job):
        given["job"] = news.job
    if news.told and (now is None or now.told != news.told):
        given["told"] = news.told
    return PersonValues.model_validate(given) if given else None
