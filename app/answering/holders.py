"""What several people's contracts cost: who pays more, how far apart they are, and all of them together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from app.answering.calculator import Derivation, added, apart
from app.answering.contract_words import PREMIUM
from app.answering.question import Question
from app.answering.wording import Answered, joined
from app.dialogue.items import HOLDER, HOLDER_ID, FieldLexicon, Item
from app.dialogue.state import Shown
from app.language.formatting import won

_PAIR = 2


@dataclass(frozen=True)
class _Holder:
    name: str
    rows: tuple[Item, ...]

    @property
    def premiums(self) -> Derivation:
        """What their contracts that give cover cost a month together."""
        return added([row.figures[PREMIUM] for row in self.rows])


class Holders:
    """Pure; built once by the operators. `say` are the sentences of the forms."""

    def __init__(self, fields: FieldLexicon, say: Any) -> None:
        self._fields, self._say = fields, say

    def answer(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The answer over the people whose contracts were shown last, where a message asks of them all or holds one
        against the other; None for anything else, and where only one was looked up."""
        people = self._people(shown)
        told = question.entities
        fields = self._fields
        of_a_thing = told.categories or told.products or told.actions
        if len(people) < _PAIR or of_a_thing or question.names_a_case([fields.held.asks.sum]):
            return None
        pointed = any(m.kind in ("both", "former") for m in told.references) or len(told.names) >= _PAIR
        both = pointed or question.says(fields.each_holder)
        if question.says(fields.held_apart):
            return self._apart(people)
        kind = fields.figures[PREMIUM]
        priced = question.names(PREMIUM, fields) or question.says("|".join((*kind.most, *kind.least)))
        if question.says(fields.who) and priced:
            return self._apart(people)
        if both and (question.says(fields.everything) or question.asks_for_all(fields)):
            return self._together(people)
        return self._apart(people) if priced and len(told.names) >= _PAIR else None

    def _people(self, shown: Sequence[Shown]) -> list[_Holder]:
        """The last two whose contracts were shown, the one looked up first in front, called by their number where they
        have one name."""
        found: dict[str, list[Item]] = {}
        for answer in shown:
            rows: dict[str, list[Item]] = {}
            for item in answer.items if answer.held else ():
                rows.setdefault(str(item.facts.get(HOLDER_ID, "")), []).append(item)
            for holder, own in rows.items():
                if holder and len(own) > len(found.get(holder, ())):
                    found[holder] = own
        newest = list(found.items())[:_PAIR]
        names = [str(own[0].facts[HOLDER]) for _, own in newest]
        people = []
        for holder, own in reversed(newest):
            name = str(own[0].facts[HOLDER])
            alike = names.count(name) > 1
            living = tuple(row for row in own if row.facts.get("in_force") and PREMIUM in row.figures)
            if living:
                people.append(_Holder(f"{name}({holder})" if alike else name, living))
        return people

    def _together(self, people: Sequence[_Holder]) -> Answered:
        sums = [person.premiums for person in people]
        every = added([step.result for step in sums])
        lines = [self._line(person, step) for person, step in zip(people, sums, strict=True)]
        text = joined(self._say.holders_together(lines, won(every.result)))
        return Answered(text, "total", (*sums, every), every.result, settled=True)

    def _apart(self, people: Sequence[_Holder]) -> Answered:
        pairs = sorted(((p, p.premiums) for p in people), key=lambda pair: -pair[1].result)
        gap = apart(pairs[0][1].result, pairs[-1][1].result)
        lines = [self._line(person, step) for person, step in pairs]
        text = joined(self._say.holders_apart(lines, won(gap.result) if gap.result else ""))
        return Answered(text, "difference", (*(step for _, step in pairs), gap), settled=True)

    @staticmethod
    def _line(person: _Holder, premiums: Derivation) -> dict[str, Any]:
        parts = [(row.name, won(row.figures[PREMIUM])) for row in person.rows]
        return {"name": person.name, "sum": won(premiums.result), "parts": parts}


def several_holders(items: Sequence[Item]) -> bool:
    """Whether contracts of more than one person were shown."""
    return len({item.facts[HOLDER_ID] for item in items if item.facts.get(HOLDER_ID)}) > 1
