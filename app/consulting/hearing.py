"""What one message tells of a household and of what is wanted for it. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from app.advice.book import AdviceBook
from app.consulting.words import TalkWords
from app.dialogue.consultation import Told, Wish
from app.language.mentions import SPEAKER, Entities, MoneyMention, PersonMention
from app.planner.birthdays import age_of
from app.planner.facts import Facts, PersonFacts

Question = Literal["total", "why", "open"]
_NEAR = 4  # letters between an age and the gender told with it
_BAND_MIDDLE = 5
_NOT_TOLD = "age"


@dataclass(frozen=True)
class Heard:
    """What a message tells. `people` is the news about each by their word in the talk; `named` all that it names,
    `gone` whom it leaves out, `alone` whom it leaves only. `budget` None: not told; `unlimited`: told to be open."""

    people: tuple[Told, ...] = ()
    named: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    alone: str | None = None
    budget: int | None = None
    per: Literal["household", "person"] = "household"
    unlimited: bool = False
    worries: tuple[Wish, ...] = ()
    without: tuple[Wish, ...] = ()
    only: tuple[Wish, ...] = ()
    has: tuple[Wish, ...] = ()
    sums: tuple[Wish, ...] = ()
    renewal: Literal["any", "fixed"] | None = None
    variant: str | None = None
    skips: bool = False
    denies: frozenset[str] = frozenset()
    question: Question | None = None
    adds: bool = False
    again: bool = False
    household: bool = False
    couple: bool = False
    advises: bool = False
    wants: bool = False
    business: bool = False
    products: tuple[str, ...] = ()
    kinds: int = 0

    @property
    def tells(self) -> bool:
        """Whether it tells anything that a proposal is made of."""
        return bool(
            self.people or self.gone or self.alone or self.budget or self.unlimited or self.worries or self.without
            or self.only or self.has or self.sums or self.renewal or self.variant or self.skips or self.denies
        )  # fmt: skip


@dataclass(frozen=True)
class _Part:
    """A need or product named at a place of the text."""

    start: int
    end: int
    what: str


class Hearing:
    """Hears messages by a company's words and needs."""

    def __init__(self, words: TalkWords, book: AdviceBook) -> None:
        self._words, self._book = words, book
        spoken = {word: need.id for need in book.needs for word in (need.title, *need.words)}
        self._spoken = spoken
        self._longest_first = sorted(spoken, key=len, reverse=True)

    def hear(self, said: Entities, before: Sequence[Mapping[str, Any]], facts: Facts, today: date) -> Heard:
        """What `said` tells; `before` are the persons of the talk before it, `facts` what is known with it."""
        words, text = self._words, said.text
        people = [m for m in said.people if m.role == "insured"]
        gone = self._gone(text, people)
        parts = self._parts(said)
        spent: set[int] = set()

        def wishes(pattern: re.Pattern[str]) -> tuple[Wish, ...]:
            found = []
            for n, part in enumerate(parts):
                if n not in spent and pattern.match(self._behind(parts, n, text)):
                    spent.add(n)
                    found.append(Wish(what=part.what, who=self._owner(part, people, text)))
            return tuple(found)

        has = wishes(words.has) if "?" not in text else ()
        without = wishes(words.drop)
        only = wishes(words.only)
        money = [m for m in said.money if not m.negated and m.role in ("budget", "amount", "premium", "sum_insured")]
        sums = self._sums(money, parts, people, text)
        summed = {wish.amount for wish in sums}
        budgets = [m for m in money if m.amount not in summed and m.role != "sum_insured" and self._payable(m)]
        left = [part for n, part in enumerate(parts) if n not in spent]
        worries = [Wish(what=part.what, who=self._owner(part, people, text)) for part in left]
        if words.unease.search(text) and not worries and words.unease_need in self._book.by_id:
            worries.append(Wish(what=words.unease_need, who=SPEAKER))
        settled = {wish.what for wish in (*without, *has, *sums)}
        renewal: Literal["any", "fixed"] | None = None
        if said.non_renewing or words.fixed.search(text):
            renewal = "fixed"
        elif words.any_renewal.search(text):
            renewal = "any"
        denies = {
            "health": said.well or bool(words.healthy.search(text)),
            "has": bool(words.has_none.search(text)),
            "budget": bool(words.no_budget.search(text)),
        }
        news = self._people(said, before, facts, today, gone)
        return Heard(
            people=news,
            named=tuple(
                dict.fromkeys(self._who(m.who) for m in people if not m.negated and self._who(m.who) not in gone)
            ),
            gone=gone,
            alone=self._alone(text, people, gone) if not (sums or without or only) else None,
            budget=budgets[-1].amount if budgets else None,
            per="person" if words.per_person.search(text) else "household",
            unlimited=denies["budget"],
            worries=tuple(w for w in dict.fromkeys(worries) if w.what not in settled),
            without=without,
            only=only,
            has=has,
            sums=sums,
            renewal=renewal,
            variant=self._variant(text),
            skips=bool(words.skip.search(text)),
            denies=frozenset(slot for slot, told in denies.items() if told),
            question=self._question(text),
            adds=bool(words.add.search(text)),
            again=bool(words.again.search(text)),
            household=bool(words.household.search(text)),
            couple=bool(words.couple.search(text)),
            advises=bool(words.advise.search(text) or words.unease.search(text)),
            business=bool(words.business.search(text)),
            products=tuple(part.what for part in parts if part.what in self._book.products),
            wants=bool(words.wanting.search(text)),
            kinds=len({m.category for m in said.categories if m.category and not m.negated}),
        )

    def known(self, facts: Facts, today: date) -> tuple[Told, ...]:
        """Whom the talk was of, as far as known."""
        return tuple(
            Told(
                who=self._who(person.who), age=age_of(person, today), sex=person.gender, job=person.job or "",
                told=_phrases(person.history),
            )
            for person in facts.everyone()
        )  # fmt: skip

    def _who(self, who: str) -> str:
        return self._words.same.get(who, who)

    def _gone(self, text: str, people: Sequence[PersonMention]) -> tuple[str, ...]:
        """Who is left out: 딸은 빼주세요, 엄마는 됐고."""
        return tuple(
            dict.fromkeys(
                self._who(m.who) for m in people if m.negated or self._words.drop.match(text[m.end :].split(",")[0])
            )
        )

    def _alone(self, text: str, people: Sequence[PersonMention], gone: Sequence[str]) -> str | None:
        return SPEAKER if self._words.only_me.search(text) and SPEAKER not in gone else None

    def _parts(self, said: Entities) -> list[_Part]:
        """The needs and products that are named, apart from illnesses that are told and words that mean no need."""
        text = said.text
        covered = [match.span() for match in self._words.not_needs.finditer(text)]
        covered += [(m.start, m.end) for m in said.motives]
        named = [m for m in said.products if not m.unknown_code and m.confidence >= 0.8 and m.code != ""]
        found = [_Part(m.start, m.end, m.code) for m in named]
        covered += [(m.start, m.end) for m in named]
        for word in self._longest_first:
            start = text.find(word)
            while start >= 0:
                end = start + len(word)
                if not any(start < stop and begin < end for begin, stop in covered):
                    found.append(_Part(start, end, self._spoken[word]))
                    covered.append((start, end))
                start = text.find(word, end)
        return sorted(found, key=lambda part: part.start)

    @staticmethod
    def _behind(parts: Sequence[_Part], n: int, text: str) -> str:
        """What stands behind a need; needs joined to the next one (치아랑 치매 빼고) share what is behind it."""
        end = parts[n].end
        for later in parts[n + 1 :]:
            if later.start - end > _NEAR:
                break
            end = later.end
        return text[end:]

    def _owner(self, part: _Part, people: Sequence[PersonMention], text: str) -> str | None:
        """For whom: the one named before in the same sentence; nobody named, all."""
        start = max(text.rfind(mark, 0, part.start) for mark in ".!?\n") + 1
        whos = [self._who(m.who) for m in people if start <= m.start < part.start and not m.negated]
        if not whos and self._words.mine.search(text[start : part.start]):
            return SPEAKER
        return whos[-1] if whos and not self._words.couple.search(text[start : part.start]) else None

    def _payable(self, money: MoneyMention) -> bool:
        plan = self._book.plan
        return money.monthly or money.role == "budget" or money.amount <= plan.most_budget

    def _sums(
        self, money: Sequence[MoneyMention], parts: Sequence[_Part], people: Sequence[PersonMention], text: str
    ) -> tuple[Wish, ...]:
        """Sums insured: what is called so, what is too much for a premium, what is told right behind a need."""
        found = []
        for m in money:
            near = [part for part in parts if part.end <= m.start and m.start - part.end <= 3 * _NEAR]
            too_much = m.amount > self._book.plan.most_budget
            if m.monthly or m.role == "budget" or not (m.role == "sum_insured" or too_much or near):
                continue
            what = near[-1].what if near else ""
            behind = [part for part in parts if part.start >= m.end and part.start - m.end <= 2 * _NEAR]
            what = what or (behind[0].what if behind else "")
            found.append(Wish(what=what, who=self._owner(_Part(m.start, m.end, ""), people, text), amount=m.amount))
        return tuple(found)

    def _variant(self, text: str) -> str | None:
        """The variant chosen: by number, by title, the leanest or the widest."""
        variants, words = self._book.plan.variants, self._words
        if (match := words.variant.search(text)) is not None:
            place = next((n for word, n in words.ordinals.items() if str(word) == match["ordinal"]), None)
            if place is not None and place < len(variants):
                return variants[place].id
        for rule in variants:
            if rule.title in text:
                return rule.id
        if words.leanest.search(text):
            return variants[0].id
        return variants[-1].id if words.widest.search(text) else None

    def _question(self, text: str) -> Question | None:
        words = self._words
        asked: tuple[tuple[Question, re.Pattern[str]], ...] = (
            ("why", words.why), ("open", words.open), ("total", words.total),
        )  # fmt: skip
        return next((name for name, pattern in asked if pattern.search(text)), None)

    def _people(
        self, said: Entities, before: Sequence[Mapping[str, Any]], facts: Facts, today: date, gone: Sequence[str]
    ) -> tuple[Told, ...]:
        """The news about each person, from what the talk knew of them before and knows now."""
        old = {str(person["who"]): PersonFacts.model_validate(person) for person in before}
        found: dict[str, Told] = {}
        for person in facts.everyone():
            was = old.get(person.who, PersonFacts(who=person.who))
            news = self._news(person, was, said, today)
            if news is None:
                continue
            who = self._who(person.who)
            if who in gone:
                if news.age is None:
                    continue
                who = SPEAKER  # 엄마는 됐고 저라도... 46 여자
                news = news.model_copy(update={"who": who, "sex": said.gender})
            found[who] = _merged(found[who], news) if who in found else news
        if not found and (match := self._words.noted.search(said.text)) is not None:
            sex = self._words.sexes[match["sex"]]
            found[SPEAKER] = Told(who=SPEAKER, age=int(match["age"]), sex=sex)
        self._add_bands(found, said, old)
        return tuple(_with_gender(told, said) for told in found.values())

    def _news(self, now: PersonFacts, was: PersonFacts, said: Entities, today: date) -> Told | None:
        age = age_of(now, today)
        changed_age = age if age is not None and age != age_of(was, today) else None
        if changed_age is not None and self._words.korean_age.search(said.text):
            changed_age -= 1
        sex = now.gender if now.gender != was.gender else None
        told = _phrases(now.history) if now.history != was.history else ()
        job = now.job if now.job and now.job != was.job else ""
        told = told or self._illnesses(now.who, said)
        if changed_age is None and sex is None and not told and not job:
            return None
        return Told(who=self._who(now.who), age=changed_age, sex=sex, told=told, job=job)

    def _illnesses(self, who: str, said: Entities) -> tuple[str, ...]:
        """Illnesses told of somebody that the talk's facts do not hold: 아빠 혈압약 드세요."""
        found = []
        for m in said.medical:
            inside = any(told.start <= m.start and m.end <= told.end for told in said.conditions)
            people = [p.who for p in said.people if p.role == "insured" and p.start < m.start]
            if inside and not m.negated and (people[-1] if people else None) == who:
                found.append(m.phrase or m.term)
        return tuple(dict.fromkeys(found))

    def _add_bands(self, found: dict[str, Told], said: Entities, old: Mapping[str, PersonFacts]) -> None:
        """30대: the middle of the decade stands in for the age, and is said to."""
        for band in said.ages:
            if band.negated or band.kind != "band" or band.low is None:
                continue
            whos = [self._who(m.who) for m in said.people if m.role == "insured" and not m.negated]
            couple = [SPEAKER, *self._words.partners] if self._words.couple.search(said.text) else [SPEAKER]
            whos = list(dict.fromkeys(whos)) or couple
            for who in whos:
                told = found.get(who, Told(who=who))
                if told.age is None:
                    middle = band.low + _BAND_MIDDLE
                    found[who] = told.model_copy(update={"age": middle, "guessed": (*told.guessed, _NOT_TOLD)})


def _phrases(history: str | None) -> tuple[str, ...]:
    """What a history is made of: 고혈압약 복용, 3년 전 디스크 수술."""
    return tuple(part.strip() for part in (history or "").split(",") if part.strip())


def _merged(one: Told, other: Told) -> Told:
    given = {name: value for name, value in other if value not in (None, "", ())}
    return one.model_copy(update=given)


def _with_gender(told: Told, said: Entities) -> Told:
    """41 남. 아들은 9살: the gender that stands beside somebody's age is theirs."""
    if told.sex is not None or told.age is None:
        return told
    for age in said.ages:
        if age.age != told.age or age.negated:
            continue
        for gender in said.genders:
            if not gender.negated and -1 <= gender.start - age.end <= _NEAR:
                return told.model_copy(update={"sex": gender.gender})
    return told
