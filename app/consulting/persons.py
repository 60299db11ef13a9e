"""Who is meant in a message, and what ages, genders and illnesses are told of whom. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise, zip_longest
from typing import Any

from app.consulting.words import TalkWords
from app.dialogue.consultation import Told
from app.insurance.models import Gender
from app.language.mentions import SPEAKER, AgeMention, Entities, PersonMention
from app.planner.birthdays import age_of, entry_age_of
from app.planner.facts import Facts, PersonFacts

_CLOSE = 6  # letters between somebody and their age
_NEAR = 4  # letters between an age and the gender told with it
_JOINED = 3  # letters between two words for one person
_BAND_MIDDLE = 5
_NOT_TOLD = "age"


class Persons:
    """Reads whom a message tells of, by a company's words."""

    def __init__(self, words: TalkWords) -> None:
        self._words = words

    def who(self, who: str) -> str:
        """The household's word for somebody."""
        return self._words.same.get(who, who)

    def insured(self, said: Entities) -> list[PersonMention]:
        """Those named to be insured; not whose relative somebody is (고객님 어머님)."""
        people = [m for m in said.people if m.role == "insured"]
        return [
            m
            for m, later in zip_longest(people, people[1:])
            if later is None or self.who(m.who) != SPEAKER or later.who == m.who or later.start - m.end > _JOINED
        ]

    def named(self, said: Entities, gone: Sequence[str]) -> tuple[str, ...]:
        """Those named to be insured by the household's words, without those who are left out."""
        whos = (self.who(m.who) for m in self.insured(said) if not m.negated)
        return tuple(dict.fromkeys(who for who in whos if who not in gone))

    def known(self, facts: Facts, today: date) -> tuple[Told, ...]:
        """Whom the talk was of, as far as known."""
        return tuple(
            Told(
                who=self.who(person.who), age=_age(person, today), sex=person.gender, job=person.job or "",
                told=_phrases(person.history),
            )
            for person in facts.everyone()
        )  # fmt: skip

    def everybody(self, said: Entities) -> list[tuple[int, int, str, Gender | None]]:
        """Everybody to be insured in the order of the text, the speaker by his own words too."""
        found: list[tuple[int, int, str, Gender | None]] = [
            (m.start, m.end, self.who(m.who), m.gender) for m in self.insured(said) if not m.negated
        ]
        for match in self._words.speaker.finditer(said.text):
            if not any(start < match.end() and match.start() < end for start, end, _, _ in found):
                found.append((match.start(), match.end(), SPEAKER, None))
        return sorted(found, key=lambda person: person[:2])

    def pairs(self, said: Entities) -> dict[str, Told]:
        """The ages of several people told one after the other (할매 일흔여덟 엄마 쉰둘), each behind its person."""
        persons, found = self.everybody(said), dict[str, Told]()
        ages = [age for age in said.ages if age.kind == "age" and not age.negated]
        last = 0
        for age in ages:
            before = [p for p in persons if last <= p[0] and p[1] <= age.start and age.start - p[1] <= _CLOSE]
            last = age.end
            if not found and not any(start < age.start for start, _, _, _ in persons):
                found[SPEAKER] = Told(who=SPEAKER, age=age.age, sex=gender_of(age, said))  # 마흔일곱이고 딸은 열두 살
            elif before and before[-1][2] not in found:
                _, _, who, gender = before[-1]
                found[who] = Told(who=who, age=age.age, sex=gender or gender_of(age, said))
        return found if len(found) > 1 and len(persons) > 0 else {}

    def row(self, said: Entities) -> tuple[Told, ...]:
        """Ages of nobody who is named, in a row."""
        if (match := self._words.two_ages.match(said.text)) is not None and not said.people:
            return tuple(Told(who="", age=int(match[name])) for name in ("one", "two"))
        ages = [age for age in said.ages if age.kind == "age" and not age.negated]
        close = any(
            end <= age.start and age.start - end <= _CLOSE for age in ages for _, end, _, _ in self.everybody(said)
        )
        together = all(two.start - one.end <= _CLOSE for one, two in pairwise(ages))
        couple = bool(self._words.couple.search(said.text)) and not self.pairs(said)
        if len(ages) < 2 or not together or (close and not couple):
            return ()
        return tuple(Told(who="", age=age.age, sex=gender_of(age, said)) for age in ages)

    def add_illnesses(self, found: dict[str, Told], said: Entities, gone: Sequence[str], spoken_of: str) -> None:
        """Illnesses that nothing else holds, of who is named before (할멈은 당뇨가 있고), else whom the talk is of."""
        for m in said.medical:
            if m.negated or not self._words.ill.match(said.text[m.end :]):
                continue
            before = [who for _, end, who, _ in self.everybody(said) if end <= m.start]
            who = before[-1] if before else spoken_of
            if who not in gone and not found.get(who, Told(who=who)).told:
                found[who] = found.get(who, Told(who=who)).model_copy(update={"told": (m.phrase or m.term,)})

    def illnesses(self, who: str, said: Entities) -> tuple[str, ...]:
        """Illnesses told of somebody that the talk's facts do not hold: 아빠 혈압약 드세요."""
        found = []
        for m in said.medical:
            inside = any(told.start <= m.start and m.end <= told.end for told in said.conditions)
            people = [p.who for p in said.people if p.role == "insured" and p.start < m.start]
            if inside and not m.negated and (people[-1] if people else None) == who:
                found.append(m.phrase or m.term)
        return tuple(dict.fromkeys(found))

    def add_bands(self, found: dict[str, Told], said: Entities) -> None:
        """30대: the middle of the decade stands in for the age, and is said to."""
        for band in said.ages:
            if band.negated or band.kind != "band" or band.low is None:
                continue
            whos = [self.who(m.who) for m in said.people if m.role == "insured" and not m.negated]
            couple = [SPEAKER, self._words.partner] if self._words.couple.search(said.text) else [SPEAKER]
            whos = list(dict.fromkeys(whos)) or couple
            for who in whos:
                told = found.get(who, Told(who=who))
                if told.age is None:
                    middle = band.low + _BAND_MIDDLE
                    found[who] = told.model_copy(update={"age": middle, "guessed": (*told.guessed, _NOT_TOLD)})

    def news(
        self, said: Entities, before: Sequence[Mapping[str, Any]], facts: Facts, today: date, gone: Sequence[str]
    ) -> tuple[tuple[Told, ...], tuple[Told, ...]]:
        """Ages told in a row (52, 50이요), and what is told of each person beside them."""
        pairs, row = self.pairs(said), self.row(said)
        news = self._people(said, before, facts, today, gone, pairs)
        return row, tuple(told for told in news if told.told or told.job) if row else news

    def _people(
        self, said: Entities, before: Sequence[Mapping[str, Any]], facts: Facts, today: date, gone: Sequence[str],
        pairs: Mapping[str, Told],
    ) -> tuple[Told, ...]:  # fmt: skip
        """The news about each person, from what the talk knew of them before and knows now."""
        old = {str(person["who"]): PersonFacts.model_validate(person) for person in before}
        found: dict[str, Told] = {}
        for person in facts.everyone():
            was = old.get(person.who, PersonFacts(who=person.who))
            news = self._changed(person, was, said, today)
            if news is None:
                continue
            who = self.who(person.who)
            if who in gone:
                if news.age is None:
                    continue
                who = SPEAKER  # 엄마는 됐고 저라도... 46 여자
                news = news.model_copy(update={"who": who, "sex": said.gender})
            found[who] = merged(found[who], news) if who in found else news
        if not found and (match := self._words.noted.search(said.text)) is not None:
            sex = self._words.sexes[match["sex"]]
            found[SPEAKER] = Told(who=SPEAKER, age=int(match["age"]), sex=sex)
        for who, told in pairs.items():
            if who not in gone:
                alike = [w for w, p in found.items() if w not in pairs and p.age == told.age]  # 딸, known as 자녀
                if who not in found and alike:
                    found[who] = found.pop(alike[0])
                found[who] = merged(found.get(who, Told(who=who)), told)
        if not any(told.age for told in found.values()) and (match := self._words.age_is.search(said.text)):
            named = [self.who(m.who) for m in said.people if m.role == "insured" and not m.negated]
            who = named[-1] if named else SPEAKER
            found[who] = merged(found.get(who, Told(who=who)), Told(who=who, age=int(match["age"])))
        self.add_illnesses(found, said, gone, self.who(facts.who or SPEAKER))
        self.add_bands(found, said)
        return tuple(with_gender(told, said) for told in found.values())

    def _changed(self, now: PersonFacts, was: PersonFacts, said: Entities, today: date) -> Told | None:
        age = _age(now, today)
        changed_age = age if age is not None and age != _age(was, today) else None
        if changed_age is not None and self._words.korean_age.search(said.text):
            changed_age -= 1
        sex = now.gender if now.gender != was.gender else None
        told = _phrases(now.history) if now.history != was.history else ()
        job = now.job if now.job and now.job != was.job else ""
        told = told or self.illnesses(now.who, said)
        if changed_age is None and sex is None and not told and not job:
            return None
        return Told(who=self.who(now.who), age=changed_age, sex=sex, told=told, job=job)


def gender_of(age: AgeMention, said: Entities) -> Gender | None:
    """The gender that stands right before or behind an age: 남52, 49 여."""
    near = [g.gender for g in said.genders if not g.negated and -1 <= g.start - age.end <= _NEAR]
    before = [g.gender for g in said.genders if not g.negated and 0 <= age.start - g.end <= 1]
    return next(iter((*before, *near)), None)


def merged(one: Told, other: Told) -> Told:
    """What is told of one person twice: what the later tells holds."""
    given = {name: value for name, value in other if value not in (None, "", ())}
    return one.model_copy(update=given)


def with_gender(told: Told, said: Entities) -> Told:
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


def _age(person: PersonFacts, today: date) -> int | None:
    """The age that a proposal goes by: 보험나이 where the day of birth is told, as tables are read, else 만 나이."""
    entry = entry_age_of(person, today) if person.birth_date is not None else None
    return age_of(person, today) if entry is None else entry.years


def _phrases(history: str | None) -> tuple[str, ...]:
    """What a history is made of: 고혈압약 복용, 3년 전 디스크 수술."""
    return tuple(part.strip() for part in (history or "").split(",") if part.strip())
