"""What earlier answers of the talk told: a figure asked for again, and how far two answers are apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.answering.calculator import Derivation, added, apart
from app.answering.question import Question
from app.answering.sums import total_of
from app.answering.wording import WON, Answered, joined, labelled, worth_of
from app.dialogue.items import FieldLexicon, Item
from app.dialogue.state import Shown
from app.language.formatting import won
from app.language.normalise import compact

_PAIR = 2
_MOST = 3


class Recall:
    """Pure; built once by the operators. `say` are the sentences of the forms."""

    def __init__(self, fields: FieldLexicon, say: Any) -> None:
        self._fields, self._say = fields, say

    def answer(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The answer out of what was told before, where a message names nothing but that; None for anything else."""
        if not question.names_only_what_was_shown(self._fields):
            return None
        return self._apart(question, shown) or self._again(question, shown) or self._each(question, shown)

    def named(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """얼마 아끼는 거예요: a figure of the few things shown last, where a message names it and no more."""
        items = shown[0].items if shown else ()
        if not items or len(items) > _MOST or not question.names_only_what_was_shown(self._fields):
            return None
        said = compact(question.text)
        kinds = {name: kind for name, kind in self._fields.figures.items() if all(name in i.figures for i in items)}
        longest = {
            name: max((len(word) for word in kind.words if compact(word) in said), default=0)
            for name, kind in kinds.items()
        }
        name = max(longest, key=lambda name: longest[name], default="")
        if not longest.get(name) or question.says(self._fields.no_amount) or question.reading.form == "when":
            return None
        told = labelled(items, name, self._fields)
        labels = [f"{items[0].of} {told[0].label}".strip()] if len(items) == 1 else [one.label for one in told]
        lines = [self._say.value(label, kinds[name].label, one.worth) for label, one in zip(labels, told, strict=True)]
        return Answered("\n".join(map(joined, lines)), "lookup")

    def value(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The figure of the one of the items shown last that the message means (그중 치아가 얼마)."""
        items = question.meant(shown[:1], 1)
        name, _ = question.figure(items, self._fields)
        if name is None or len(items) != 1 or len(shown[0].items) == 1 or not question.names(name, self._fields):
            return None
        [named] = labelled(items, name, self._fields)
        label = self._fields.figures[name].label
        about = (items[0].code,) if items[0].code else ()
        return Answered(joined(self._say.value(named.label, label, named.worth)), "lookup", about=about)

    def _apart(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """먼저 거보다 얼마 아껴요, after two sums: how far the sums are apart."""
        if not question.says(self._fields.than_before):
            return None
        sums = [found for answer in shown if (found := self._sum(answer)) is not None]
        if len(sums) < _PAIR or sums[0][0] != sums[1][0] or sums[0][1] == sums[1][1]:
            return None
        (name, now), (_, before) = sums[0], sums[1]
        derivations: list[Derivation] = [added([item.figures[name] for item in items]) for items in (now, before)]
        derivations.append(apart(derivations[0].result, derivations[1].result))
        kind = self._fields.figures[name]
        each = now[0].each.get(name, "")
        sides = [
            {
                "label": ", ".join(dict.fromkeys(named.label for named in labelled(items, name, self._fields))),
                "worth": worth_of(derivation.result, each, kind, self._fields),
            }
            for items, derivation in zip((now, before), derivations[:2], strict=True)
        ]
        less = derivations[0].result < derivations[1].result
        text = joined(self._say.than_before(kind.label, sides[0], sides[1], won(derivations[2].result), less))
        return Answered(text, "difference", tuple(derivations))

    def _sum(self, answer: Shown) -> tuple[str, tuple[Item, ...]] | None:
        """The figure and the items that an answer added up, or the only item that it told."""
        items = answer.items
        names = [name for name, kind in self._fields.figures.items() if kind.adds and kind.unit == WON]
        name = next((name for name in names if items and all(name in item.figures for item in items)), None)
        told = answer.operator == "total" and answer.total is not None
        return (name, items) if name and (told or len(items) == 1) else None

    def _again(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """아까 둘 중 싼 거 얼마랬지; 비싼 거는 끝까지 내면 총 얼마."""
        degree = next((m.kind for m in question.entities.references if m.kind in ("cheapest", "dearest")), None)
        recalled = question.says(self._fields.recalled)
        if not recalled and degree is None:
            return None
        for answer in shown:
            items = question.of_the_kinds(answer.items)
            name, most = question.figure(items, self._fields)
            if name is None or not self._asked(question, name, degree is not None):
                continue
            if degree is not None:
                items = (max(items, key=lambda i: i.figures[name] * (1 if most or degree == "dearest" else -1)),)
            steps = question.steps(items[0], name, self._fields) if len(items) == 1 else ()
            if steps:
                return total_of(items, name, steps, self._fields, self._say, named=True)
            if not recalled or len(items) > _MOST:
                return None
            lines = [(named.label, named.worth) for named in labelled(items, name, self._fields)]
            label = self._fields.figures[name].label
            return Answered("\n".join(joined(self._say.value(one, label, worth)) for one, worth in lines), "lookup")
        return None

    def _asked(self, question: Question, name: str, by_degree: bool) -> bool:
        return question.names(name, self._fields) or by_degree

    def _each(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """각각 몇 년씩 내야 되죠: a fact of each of the things shown last that have it."""
        if not question.says(self._fields.one_by_one):
            return None
        facts = self._fields.asked_facts
        asked = next((name for name, words in facts.items() if question.says(words)), None)
        for answer in shown if asked else ():
            told = {item.name: item.facts[asked] for item in answer.items if asked in item.facts}
            if len(told) >= _PAIR:
                label = self._fields.facts[str(asked)]
                return Answered(joined(self._say.facts(label, list(told.items()))), "lookup")
        return None
