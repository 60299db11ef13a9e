"""From what is heard before the first proposal to a request. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from app.advice.book import AdviceBook
from app.advice.models import (
    AtOnce,
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
    """Keeps what was told before the first proposal, and makes the request of it."""

    def __init__(self, words: TalkWords, book: AdviceBook) -> None:
        self._words, self._book = words, book

    def begun(self, heard: Heard, known: Sequence[Told], quiet: Consultation) -> Consultation:
        """A consultation that begins with a message, after what was told in `quiet`; `known` are people whom the talk
        was of before."""
        gone = (*heard.gone, *quiet.gone)
        people = {person.who: person for person in known if person.who not in gone and person.known}
        for person in quiet.people:
            if person.who not in gone:
                self._put(people, person)
        before = quiet.model_copy(update={"people": tuple(people.values()), "quiet": False, "signs": ()})
        draft = self.told(before, heard, begins=True)
        # Somebody who was only spoken of (이모도 암이었어요) is not covered.
        news = {*heard.named, *(person.who for person in heard.people)}
        meant = tuple(person for person in draft.people if person.age is not None or person.who in news)
        return draft.model_copy(update={"people": meant}) if any(p.age for p in meant) else draft

    @staticmethod
    def put_off(draft: Consultation) -> Consultation:
        """The draft where the talk went on to something else: what was asked for is not waited for."""
        return draft.model_copy(update={"asked": ()})

    def told(self, draft: Consultation, heard: Heard, *, begins: bool = False) -> Consultation:
        """The draft with what a message tells. An answer of the slots that were asked for passes those untold."""
        people = {person.who: person for person in draft.people}
        whos = [*heard.named] if begins or heard.adds or heard.household else []
        if heard.couple and (begins or heard.household):
            whos = [SPEAKER, *whos, self._words.partner] if len(whos) < 2 else whos
        out = {self.same(who, people) for who in heard.gone}
        for who in self._spelt(whos):
            if who not in heard.gone and not self._stands(who, people):
                people[who] = Told(who=who)
        absent = {*draft.gone, *heard.gone}
        for news in heard.people:
            if news.who in absent and news.who not in heard.named:
                news = news.model_copy(update={"who": SPEAKER, "sex": None})  # the talk turned to the speaker
            for who in self._spelt([news.who]):
                self._put(people, news.model_copy(update={"who": who}))
        people = self._once(people)
        people = self._coupled(_aged({who: person for who, person in people.items() if who not in out}, heard.row))
        if heard.alone:
            people = {who: person for who, person in people.items() if who == heard.alone} or {
                heard.alone: Told(who=heard.alone)
            }
        draft = draft.model_copy(
            update={
                "people": tuple(people.values()),
                "gone": tuple(sorted(absent - {*heard.named, SPEAKER})),
                "budget": heard.budget if heard.budget is not None else draft.budget,
                "per": heard.per if heard.budget is not None else draft.per,
                "fixed": draft.fixed if heard.renewal is None else heard.renewal == "fixed",
            }
        )
        draft = self._wished(draft, heard)
        passed = {*draft.passed, *draft.asked, *heard.denies} if draft.asked or heard.denies else set(draft.passed)
        return draft.model_copy(update={"passed": tuple(sorted(passed))})

    def _once(self, people: dict[str, Told]) -> dict[str, Told]:
        """The people without words that mean somebody named otherwise: 고객 부부, where 남편 and 아내 are told."""
        partners = [p for p in people.values() if self.role(p.who) == "partner" and p.age is not None]
        unneeded = {"partner"} if len(partners) == 1 else {"partner", "self"} if len(partners) > 1 else set()
        return {who: p for who, p in people.items() if p.age is not None or self.role(who) not in unneeded}

    def _coupled(self, people: dict[str, Told]) -> dict[str, Told]:
        """The people with the sex of a spouse, where that of the other is told."""
        couple = [person for person in people.values() if self.role(person.who) in ("self", "partner")]
        if len(couple) == 2:
            for one, other in (couple, couple[::-1]):
                if one.sex is None and other.sex is not None:
                    people[one.who] = one.model_copy(update={"sex": "F" if other.sex == "M" else "M"})
        return people

    def _wished(self, draft: Consultation, heard: Heard) -> Consultation:
        gone = {wish.what for wish in heard.without}
        kept = {wish.what for wish in heard.only}
        gone |= {need.id for need in self._book.needs if kept and need.id not in kept}
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
        without += [Wish(what=need) for need in self.besides(heard.only)]
        at_once = dict.fromkeys((*draft.at_once, *heard.at_once)) if heard.waits is None else heard.at_once
        sums = [w if w.what else w.model_copy(update={"what": self._main(draft)}) for w in heard.sums]
        return draft.model_copy(
            update={
                "people": tuple(people),
                "worries": tuple(w for w in anybody if w not in gone),
                "without": tuple(dict.fromkeys(without)),
                "at_once": tuple(at_once),
                "sums": tuple({(w.what, w.who): w for w in (*draft.sums, *sums) if w.what}.values()),
            }
        )

    def besides(self, only: Sequence[Wish]) -> list[str]:
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

    def same(self, who: str, known: Iterable[str]) -> str:
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
            alike = [(w, p) for w, p in people.items() if self.role(w) == role]
            same = next((w for w, p in alike if p.age is None), None)
            if role == "partner" and same is None and news.age is None:
                # 남편분, of whom an agent tells beside 아내
                news = news.model_copy(update={"who": next((w for w, p in alike if p.sex == news.sex), news.who)})
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
        people = tuple(self.person(person, ids[person.who], draft.worries) for person in draft.people)
        for_all = {wish.what for wish in draft.without if ids.get(wish.who or "") is None}
        without = tuple(
            dict.fromkeys(Without(what=wish.what, person=ids.get(wish.who or "")) for wish in draft.without)
        )
        sums = tuple(
            SumWish(need=wish.what, amount=wish.amount, person=ids.get(wish.who or ""))
            for wish in draft.sums
            if wish.amount and wish.what in self._book.by_id and wish.what not in for_all
        )
        at_once = tuple(AtOnce(need=w.what or None, person=ids.get(w.who or "")) for w in draft.at_once)
        products = tuple(
            dict.fromkeys(w for p in draft.people for w in p.worries if w in self._book.products and w not in for_all)
        )
        return ProposalRequest(
            household=Household(
                people=people, budget=Budget(amount=draft.budget, per=draft.per) if draft.budget is not None else None
            ),
            wishes=Wishes(
                without=without, renewal="fixed" if draft.fixed else "any", at_once=at_once, sums=sums,
                products=products,
            ),
        )  # fmt: skip

    def person(self, person: Told, name: str, everybodys: Sequence[str] = ()) -> Person:
        """Somebody of a request by the id `name`; age and sex must be known. `everybodys` are the worries of all."""
        assert person.age is not None and person.sex is not None
        worries = dict.fromkeys((*person.worries, *everybodys))
        return Person(
            id=name, label=self.label(person), role=self.role(person.who), age=person.age, sex=person.sex,
            job=person.job, told=person.told[:10],
            worries=tuple(worry for worry in worries if worry in self._book.by_id),
            has=tuple(Held(need=what) for what in person.has if what in self._book.by_id),
        )  # fmt: skip


def _aged(people: dict[str, Told], row: Sequence[Told]) -> dict[str, Told]:
    """The people with ages that were told in a row, in the order in which they were named."""
    lacking = [who for who, person in people.items() if person.age is None]
    whos = list(people) if len(row) == len(people) else lacking if len(row) == len(lacking) else []
    for who, told in zip(whos, row, strict=False):
        people[who] = people[who].model_copy(update={"age": told.age, "sex": told.sex or people[who].sex})
    return people
