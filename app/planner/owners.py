"""Whose each age, birth and gender of a message is: the person that it stands with, or whoever speaks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from app.language.mentions import SPEAKER, AgeMention, Entities, GenderMention, Mention, PersonMention
from app.planner.facts import Facts
from app.planner.kin import known_as
from app.planner.words import PlannerWords

_FAR_BEHIND = 4
_IN_FRONT = 8


@dataclass(frozen=True)
class Owners:
    """Built for one message; `of` is pure."""

    words: PlannerWords
    entities: Entities
    facts: Facts
    people: tuple[PersonMention, ...]

    @classmethod
    def read(
        cls, words: PlannerWords, entities: Entities, facts: Facts, mentions: Sequence[PersonMention], default_who: str
    ) -> Owners:
        """The owners among the persons meant (`mentions`). Who says what they are themselves (38 애아빠), and who is of
        another gender than the kin beside them (45살 남자고 와이프는 …), is the one who speaks, known as `default_who`
        where nobody is spoken of."""
        named = {known_as(words, m, facts) for m in mentions}
        who = facts.who if facts.who and facts.who not in named else default_who
        themselves = [m for m in entities.people if m.role == "predicate" and m.who == SPEAKER]
        themselves += [
            PersonMention(m.start, m.start, "", m.confidence, False, who)
            for m in entities.genders
            if not m.negated and _of_another(m, mentions)
        ]
        return cls(words, entities, facts, tuple(sorted([*mentions, *themselves], key=lambda m: m.start)))

    def of(self, attribute: Mention) -> PersonMention | None:
        """The person an attribute belongs to: one right behind it (72세 시어머니), else the nearest before it; None for
        nobody named, as of an age in front of somebody with an age of their own (45이고 와이프는 43)."""
        people = self.people
        before = [m for m in people if m.end <= attribute.start]
        after = [m for m in people if 0 <= m.start - attribute.end <= 1]
        if after and (not before or attribute.start - before[-1].end > _FAR_BEHIND):
            return None if not before and self._has_its_own(after[0], attribute) else after[0]
        if before:
            return before[-1]
        later = [m for m in people if attribute.end <= m.start <= attribute.end + _IN_FRONT]
        return later[0] if later and not self._has_its_own(later[0], attribute) else None

    def of_everybody(self, age: AgeMention) -> bool:
        """Whether it is the age of all who are named."""
        exact = [m for m in self.entities.ages if m.kind == "age" and not m.negated]
        several = len({m.who for m in self.people}) > 1
        return (
            several and exact == [age] and bool(self.words.owners.of_everybody.search(self.entities.text[: age.start]))
        )

    def _has_its_own(self, person: PersonMention, attribute: Mention) -> bool:
        """Whether behind a person stands another attribute of the kind, and behind every person named after, too."""
        ages = [*self.entities.ages, *self.entities.births]
        kind: Sequence[Mention] = self.entities.genders if isinstance(attribute, GenderMention) else ages
        behind = [m for m in kind if not m.negated and m.start >= person.end]
        later = [m for m in self.people if m.start >= person.start]
        ends = [*(m.start for m in later[1:]), len(self.entities.text)]
        return all(any(m.end <= other.start < end for other in behind) for m, end in zip(later, ends, strict=True))


def _of_another(gender: GenderMention, mentions: Sequence[PersonMention]) -> bool:
    """Whether the person beside a gender has another one by their very word."""
    before = [m for m in mentions if m.end <= gender.start]
    beside = before[-1] if before else next((m for m in mentions if m.start >= gender.end), None)
    return beside is not None and beside.gender not in (None, gender.gender)
