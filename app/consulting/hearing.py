"""What one message tells of a household and of what is wanted for it. Pure."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

from app.advice.book import AdviceBook
from app.consulting.persons import Persons
from app.consulting.words import TalkWords
from app.dialogue.consultation import Told, Wish
from app.language.mentions import SPEAKER, Entities, MoneyMention, PersonMention
from app.planner.facts import Facts

Question = Literal["total", "why", "open"]
_NEAR = 4  # letters between an age and the gender told with it


@dataclass(frozen=True)
class Heard:
    """What a message tells. `people` is the news about each by their word in the talk; `row` ages told in a row of
    nobody named (52, 50이요); `named` all that it names, `gone` whom it leaves out, `alone` whom it leaves only.
    `budget` None: not told; `unlimited`: told to be open; `prices`: asks for a premium; `worried`: tells a fear.
    `at_once`: what is to be covered from the first day ("": all of it); `waits`: that it need not be."""

    people: tuple[Told, ...] = ()
    row: tuple[Told, ...] = ()
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
    at_once: tuple[Wish, ...] = ()
    waits: bool | None = None
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
    prices: bool = False
    worried: bool = False
    products: tuple[str, ...] = ()
    kinds: int = 0

    @property
    def changes(self) -> bool:
        """Whether it says how something should be, though it be put as a question (딸은 뺄 수 있어요?)."""
        return bool(
            self.people or self.row or self.gone or self.alone or self.budget or self.unlimited or self.without
            or self.only or self.at_once or self.waits or self.sums or self.renewal or self.variant or self.skips
            or self.again or self.adds or self.worried
        )  # fmt: skip

    @property
    def tells(self) -> bool:
        """Whether it tells anything that a proposal is made of."""
        return bool(
            self.row or self.people or self.gone or self.alone or self.budget or self.unlimited or self.worries
            or self.without or self.only or self.has or self.at_once or self.waits or self.sums or self.renewal
            or self.variant or self.skips or self.denies
        )  # fmt: skip


@dataclass(frozen=True)
class _Part:
    """A need or product named at a place of the text."""

    start: int
    end: int
    what: str


class Hearing:
    """Hears messages by a company's words and needs."""

    def __init__(self, words: TalkWords, book: AdviceBook, persons: Persons) -> None:
        self._words, self._book, self._persons = words, book, persons
        spoken = {word: need.id for need in book.needs for word in (need.title, *need.words)}
        self._spoken = spoken
        self._longest_first = sorted(spoken, key=len, reverse=True)

    def hear(self, said: Entities, before: Sequence[Mapping[str, Any]], facts: Facts, today: date) -> Heard:
        """What `said` tells; `before` are the persons of the talk before it, `facts` what is known with it."""
        words, text = self._words, said.text
        people = self._persons.insured(said)
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
        budgets = self._budgets(money, {wish.amount for wish in sums})
        worries = self._worries([part for n, part in enumerate(parts) if n not in spent], people, text)
        settled = {wish.what for wish in (*without, *has, *sums)}
        denied = self._denied(said)
        row, news = self._persons.news(said, before, facts, today, gone)
        return Heard(
            people=news,
            row=row,
            named=self._persons.named(said, gone),
            gone=gone,
            alone=self._alone(text, people, gone) if not (sums or without or only) else None,
            budget=budgets[-1].amount if budgets else None,
            per="person" if words.per_person.search(text) else "household",
            unlimited="budget" in denied,
            worries=tuple(w for w in dict.fromkeys(worries) if w.what not in settled),
            without=without,
            only=only,
            has=has,
            at_once=self._at_once(parts, spent, people, text),
            waits=bool(words.waits.search(text)) or None,
            sums=sums,
            renewal=self._renewal(said),
            variant=self._variant(text),
            skips=bool(words.skip.search(text)),
            denies=denied,
            question=self._question(text),
            adds=bool(words.add.search(text)),
            again=bool(words.again.search(text)),
            household=bool(words.household.search(text)),
            couple=bool(words.couple.search(text)),
            advises=bool(words.advise.search(text) or words.unease.search(text)),
            business=bool(words.business.search(text)),
            prices=bool(words.prices.search(text)),
            worried=bool(words.worry.search(text) and (worries or only)),
            products=tuple(part.what for part in parts if part.what in self._book.products),
            wants=bool(words.wanting.search(text)),
            kinds=len({m.category for m in said.categories if m.category and not m.negated}),
        )

    def _worries(self, parts: Sequence[_Part], people: Sequence[PersonMention], text: str) -> list[Wish]:
        """What is named and nothing else is said of, else what an unease is about."""
        found = [Wish(what=part.what, who=self._owner(part, people, text)) for part in parts]
        uneasy = self._words.unease.search(text) and self._words.unease_need in self._book.by_id
        return found or ([Wish(what=self._words.unease_need, who=SPEAKER)] if uneasy else [])

    def _denied(self, said: Entities) -> frozenset[str]:
        """What the message says there is none of: illness, insurance, a limit to pay."""
        words, text = self._words, said.text
        told = {
            "health": said.well or words.healthy.search(text),
            "has": words.has_none.search(text),
            "budget": words.no_budget.search(text),
        }
        return frozenset(slot for slot, denied in told.items() if denied)

    def _renewal(self, said: Entities) -> Literal["any", "fixed"] | None:
        """Whether only fixed premiums are wanted, or any; None where nothing is said of it."""
        if said.non_renewing or self._words.fixed.search(said.text):
            return "fixed"
        return "any" if self._words.any_renewal.search(said.text) else None

    def _gone(self, text: str, people: Sequence[PersonMention]) -> tuple[str, ...]:
        """Who is left out: 딸은 빼주세요, 엄마는 됐고."""
        found: list[str] = []
        later: PersonMention | None = None  # joined to the next one: 큰애 작은애는 빼고
        for m in reversed(people):
            out = (
                m.negated
                or self._words.drop.match(text[m.end :].split(",")[0])
                or self._words.late.match(text[m.end :])
            )
            if out or (later is not None and later.start - m.end <= _NEAR):
                found.append(self._persons.who(m.who))
                later = m
            else:
                later = None
        return tuple(dict.fromkeys(reversed(found)))

    def _alone(self, text: str, people: Sequence[PersonMention], gone: Sequence[str]) -> str | None:
        return SPEAKER if self._words.only_me.search(text) and SPEAKER not in gone else None

    def _parts(self, said: Entities) -> list[_Part]:
        """The needs and products that are named, apart from illnesses that are told and words that mean no need."""
        text = said.text
        covered = [match.span() for match in self._words.not_needs.finditer(text)]
        covered += [(m.start, m.end) for m in said.motives]
        wished = [match.span() for match in self._words.at_once.finditer(text)]  # 첫날부터 보장되는 암보험: no name
        named = [
            m
            for m in said.products
            if not m.unknown_code and m.confidence >= 0.8 and m.code != ""
            and not any(m.start < end and start < m.end for start, end in wished)
        ]  # fmt: skip
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
        whos = [self._persons.who(m.who) for m in people if start <= m.start < part.start and not m.negated]
        if not whos and self._words.mine.search(text[start : part.start]):
            return SPEAKER
        return whos[-1] if whos and not self._words.couple.search(text[start : part.start]) else None

    def _at_once(
        self, parts: Sequence[_Part], spent: Container[int], people: Sequence[PersonMention], text: str
    ) -> tuple[Wish, ...]:
        """What is to be covered from the first day: the needs right before the wish or right behind it, else all."""
        match = self._words.at_once.search(text)
        if match is None:
            return ()
        start = max(text.rfind(mark, 0, match.start()) for mark in ".!?\n") + 1
        near: list[_Part] = []
        reach = 3 * _NEAR
        for part in reversed([p for n, p in enumerate(parts) if n not in spent and start <= p.start < match.start()]):
            if (near[-1].start if near else match.start()) - part.end <= reach:
                near.append(part)
                reach = _NEAR  # joined to it: 암이랑 치매는
        behind = [part for part in parts if 0 <= part.start - match.end() <= 2 * _NEAR]
        of = near or behind[:1]
        if any(part.what not in self._book.by_id for part in of):
            return ()
        found = [Wish(what=part.what, who=self._owner(part, people, text)) for part in reversed(of)]
        return tuple(found) or (Wish(what="", who=self._owner(_Part(match.start(), match.end(), ""), people, text)),)

    def _budgets(self, money: Sequence[MoneyMention], summed: Container[int | None]) -> list[MoneyMention]:
        """What may be paid for premiums, apart from what is `summed`: by the month, so called, or little enough."""
        most = self._book.plan.most_budget
        left = [m for m in money if m.amount not in summed and m.role != "sum_insured"]
        return [m for m in left if m.monthly or m.role == "budget" or m.amount <= most]

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
