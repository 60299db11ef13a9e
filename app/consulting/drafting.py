"""From what is heard to a request, and to edits of a request. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.advice.book import AdviceBook
from app.advice.edits import (
    AddPerson,
    ChooseVariant,
    CorrectPerson,
    Edit,
    LeaveOut,
    OnlyFixed,
    OtherBudget,
    OtherSum,
    PersonValues,
    RemovePerson,
    TakeBack,
)
from app.advice.models import (
    Budget,
    Held,
    Household,
    Person,
    ProposalRequest,
    Role,
    SumWish,
    Wishes,
    Without,
)
from app.consulting.hearing import Heard
from app.consulting.words import TalkWords
from app.dialogue.consultation import Consultation, Told, Wish
from app.language.mentions import SPEAKER


class Drafting:
    """Keeps what was told before the first proposal, and turns what is heard later into edits."""

    def __init__(self, words: TalkWords, book: AdviceBook) -> None:
        self._words, self._book = words, book

    def begun(self, heard: Heard, known: Sequence[Told]) -> Consultation:
        """A consultation that begins with a message; `known` are people whom the talk was of before."""
        people = [person for person in known if person.who not in heard.gone and person.known]
        return self.told(Consultation(people=tuple(people)), heard, begins=True)

    def told(self, draft: Consultation, heard: Heard, *, begins: bool = False) -> Consultation:
        """The draft with what a message tells. An answer of the slots that were asked for passes those untold."""
        people = {person.who: person for person in draft.people}
        whos = [*heard.named] if begins or heard.adds or heard.household else []
        if heard.couple and (begins or heard.household):
            whos = [SPEAKER, *whos, *self._words.partners] if len(whos) < 2 else whos
        out = {self._same(who, people) for who in heard.gone}
        for who in self._spelt(whos):
            if who not in heard.gone and not self._stands(who, people):
                people[who] = Told(who=who)
        for news in heard.people:
            for who in self._spelt([news.who]):
                self._put(people, news.model_copy(update={"who": who}))
        people = {who: person for who, person in people.items() if who not in out}
        if heard.alone:
            people = {who: person for who, person in people.items() if who == heard.alone} or {
                heard.alone: Told(who=heard.alone)
            }
        draft = draft.model_copy(
            update={
                "people": tuple(people.values()),
                "budget": heard.budget if heard.budget is not None else draft.budget,
                "per": heard.per if heard.budget is not None else draft.per,
                "fixed": draft.fixed if heard.renewal is None else heard.renewal == "fixed",
            }
        )
        draft = self._wished(draft, heard)
        passed = {*draft.passed, *draft.asked, *heard.denies} if draft.asked or heard.denies else set(draft.passed)
        return draft.model_copy(update={"passed": tuple(sorted(passed))})

    def _wished(self, draft: Consultation, heard: Heard) -> Consultation:
        gone = {wish.what for wish in heard.without}
        people = []
        for person in draft.people:
            worries = self._for(person.who, (*heard.worries, *heard.only), draft)
            update = {
                "worries": tuple(w for w in dict.fromkeys((*person.worries, *worries)) if w not in gone),
                "has": tuple(dict.fromkeys((*person.has, *self._for(person.who, heard.has, draft)))),
            }
            people.append(person.model_copy(update=update))
        anybody = tuple(
            dict.fromkeys((*draft.worries, *(w.what for w in (*heard.worries, *heard.only) if w.who is None)))
        )
        without = [*draft.without, *(w.model_copy(update={"amount": None}) for w in heard.without)]
        without += [Wish(what=need) for need in self._besides(heard.only)]
        sums = [w if w.what else w.model_copy(update={"what": self._main(draft)}) for w in heard.sums]
        return draft.model_copy(
            update={
                "people": tuple(people),
                "worries": tuple(w for w in anybody if w not in gone),
                "without": tuple(dict.fromkeys(without)),
                "sums": tuple({(w.what, w.who): w for w in (*draft.sums, *sums) if w.what}.values()),
            }
        )

    def _besides(self, only: Sequence[Wish]) -> list[str]:
        """The needs that somebody who wants these only leaves out; none where nothing is wanted so."""
        kept = {wish.what for wish in only}
        return [need.id for need in self._book.needs if kept and need.id not in kept]

    def _main(self, draft: Consultation) -> str:
        return next((w for p in draft.people for w in p.worries), "")

    @staticmethod
    def _for(who: str, wishes: Iterable[Wish], draft: Consultation) -> list[str]:
        """The wishes of one person; those for somebody who is not of the household are everybody's."""
        known = {person.who for person in draft.people}
        return [w.what for w in wishes if w.who == who or (w.who is None) or w.who not in known]

    def _spelt(self, whos: Sequence[str]) -> list[str]:
        """부모 is both parents."""
        return list(dict.fromkeys(name for who in whos for name in self._words.groups.get(who, (who,))))

    def _same(self, who: str, known: Iterable[str]) -> str:
        """The word by which the household knows somebody: 딸, where the only child is 자녀."""
        words = list(known)
        role = self.role(who)
        alike = [word for word in words if self.role(word) == role]
        return alike[0] if who not in words and role in ("child", "partner") and len(alike) == 1 else who

    def _stands(self, who: str, people: dict[str, Told]) -> bool:
        """Whether the word means somebody already known under another: 애기, after 딸."""
        role = self.role(who)
        return who in people or (role == "child" and any(self.role(other) == role for other in people))

    def _put(self, people: dict[str, Told], news: Told) -> None:
        """The news into the household; 딸 4살 after 애기 is the same child."""
        role = self.role(news.who)
        if news.who not in people and role in ("child", "partner"):
            same = next((w for w, p in people.items() if self.role(w) == role and p.age is None), None)
            if same is not None:
                people[news.who] = people.pop(same).model_copy(update={"who": news.who})
        before = people.get(news.who, Told(who=news.who))
        given = {name: value for name, value in news if value not in (None, "", ())}
        if news.age is not None:
            given["guessed"] = news.guessed
        people[news.who] = before.model_copy(update=given)

    def role(self, who: str) -> Role:
        """What somebody is to the speaker, by their word in the talk."""
        words = self._words
        if who == SPEAKER:
            return "self"
        if who in words.partners:
            return "partner"
        return "child" if who in words.children else "parent" if who in words.parents else "other"

    def label(self, person: Told) -> str:
        """How somebody is called in the answer: a spouse by the sex."""
        return self._words.labels.get(f"{person.who}{person.sex or ''}", person.who)

    def lacking(self, draft: Consultation) -> tuple[Told, ...]:
        """Those of whom age or sex is not known."""
        return tuple(person for person in draft.people if not person.known)

    def assumed(self, draft: Consultation) -> Consultation:
        """The draft with a stated guess for what was not told of anybody."""
        people = draft.people or (Told(who=SPEAKER),)
        made = []
        for person in people:
            taken = self._book.plan.assumed[self.role(person.who)]
            guessed = [
                *person.guessed,
                *(["age"] if person.age is None else []),
                *(["sex"] if person.sex is None else []),
            ]
            update = {
                "age": taken.age if person.age is None else person.age,
                "sex": person.sex or taken.sex,
                "guessed": tuple(dict.fromkeys(guessed)),
            }
            made.append(person.model_copy(update=update))
        return draft.model_copy(update={"people": tuple(made)})

    def request(self, draft: Consultation) -> ProposalRequest:
        """What a proposal is computed from. Everybody must be known."""
        ids = {person.who: f"p{n}" for n, person in enumerate(draft.people, 1)}
        people = tuple(self._person(person, ids[person.who]) for person in draft.people)
        for_all = {wish.what for wish in draft.without if ids.get(wish.who or "") is None}
        without = tuple(
            dict.fromkeys(Without(what=wish.what, person=ids.get(wish.who or "")) for wish in draft.without)
        )
        sums = tuple(
            SumWish(need=wish.what, amount=wish.amount, person=ids.get(wish.who or ""))
            for wish in draft.sums
            if wish.amount and wish.what in self._book.by_id and wish.what not in for_all
        )
        products = tuple(
            dict.fromkeys(w for p in draft.people for w in p.worries if w in self._book.products and w not in for_all)
        )
        return ProposalRequest(
            household=Household(
                people=people, budget=Budget(amount=draft.budget, per=draft.per) if draft.budget is not None else None
            ),
            wishes=Wishes(
                without=without, renewal="fixed" if draft.fixed else "any", sums=sums, products=products
            ),
        )  # fmt: skip

    def _person(self, person: Told, name: str) -> Person:
        assert person.age is not None and person.sex is not None
        return Person(
            id=name, label=self.label(person), role=self.role(person.who), age=person.age, sex=person.sex,
            job=person.job, told=person.told[:10],
            worries=tuple(worry for worry in person.worries if worry in self._book.by_id),
            has=tuple(Held(need=what) for what in person.has if what in self._book.by_id),
        )  # fmt: skip

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
            name = ids.get(self._same(news.who, ids))
            if name is None and news.age is not None and news.who not in heard.gone:
                free = next(f"p{n}" for n in range(1, 100) if f"p{n}" not in after and f"p{n}" not in people)
                taken = self._book.plan.assumed[self.role(news.who)]
                whole = news if news.sex else news.model_copy(update={"sex": taken.sex})
                made.append(AddPerson(kind="add", person=self._person(whole, free)))
                after[free], ids[news.who] = news.who, free
            elif name is not None and (values := _values(news, people.get(name))) is not None:
                made.append(CorrectPerson(kind="correct", person=name, set=values))
        gone = [who for who in (self._same(out, ids) for out in heard.gone) if who in ids]
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
            heard, request, {**ids, **{who: ids[self._same(who, ids)] for who in self._named(heard, ids)}}
        )
        if heard.variant is not None:
            made.append(ChooseVariant(kind="choose", variant=heard.variant))
        return tuple(made), after

    def _of_wishes(self, heard: Heard, request: ProposalRequest, ids: dict[str, str]) -> list[Edit]:
        made: list[Edit] = [LeaveOut(kind="without", what=w.what, person=ids.get(w.who or "")) for w in heard.without]
        made += [LeaveOut(kind="without", what=need) for need in self._besides(heard.only)]
        for wish in (*heard.worries, *heard.only):
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
        wishes = (*heard.without, *heard.worries, *heard.only, *heard.sums, *heard.has)
        return [w.who for w in wishes if w.who is not None and w.who not in ids and self._same(w.who, ids) in ids]

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
