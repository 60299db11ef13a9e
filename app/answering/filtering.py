"""Which of the things shown fulfil what is asked for: keep their premium, take somebody of an age, cost no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from app.answering.grid import crossed
from app.answering.question import Question
from app.answering.wording import Answered, joined, labelled
from app.dialogue.items import FieldLexicon, Item
from app.dialogue.state import Shown

_PAIR = 2


class Filter:
    """Built once by the operators; pure. `say` are the sentences of the forms."""

    def __init__(self, fields: FieldLexicon, say: Any) -> None:
        self._fields, self._say = fields, say

    def answer(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """Those of the last answer that fit; None where one does not say, or nothing is asked of them."""
        items = question.meant(shown[:1], _PAIR)
        condition, fits = self._condition(question)
        if fits is None or len(items) < _PAIR:
            return None
        fit = [fits(item) for item in items]
        if None in fit:
            return None
        name, _ = question.figure(items, self._fields)
        named = labelled(items, name, self._fields) if name else []
        labels = [f"{n.label}({n.worth})" for n in named] or [item.name for item in items]
        fitting = [label for label, fitted in zip(labels, fit, strict=True) if fitted]
        others = [item.name for item, fitted in zip(items, fit, strict=True) if not fitted]
        return Answered(joined(self._say.filtered(condition, fitting, others)), "filter")

    def within(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """Those of a list that was found that cost no more than the message tells a month (월 2만원 안 넘는 것만)."""
        budget = [m for m in question.entities.money if m.role == "budget" and m.explicit_unit and not m.negated]
        listed = bool(shown) and len(shown[0].items) > _PAIR and not (shown[0].held or crossed(shown[0].items))
        return self.answer(question, shown) if budget and listed else None

    def without_waiting(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """기다리는 거 없는 게 어느 거: those of the things shown lately that make nobody wait, where all say."""
        told = question.entities
        if not question.says(self._fields.no_waiting) or told.products or told.categories or told.benefits:
            return None
        for answer in shown:
            items = {item.code: item for item in answer.items if "waiting_days" in item.figures and not item.of}
            if len(items) >= _PAIR and not answer.held:
                free = [item.name for item in items.values() if not item.figures["waiting_days"]]
                wait = [item for item in items.values() if item.figures["waiting_days"]]
                others = [f"{item.name} {item.figures['waiting_days']}일" for item in wait]
                return Answered(joined(self._say.filtered(self._say.no_waiting(), free, others)), "filter")
        return None

    def _condition(self, question: Question) -> tuple[str, Callable[[Item], bool | None] | None]:
        """What the items are to fulfil, in words, and its test; an item that does not say gives None."""
        entities = question.entities
        if entities.non_renewing:
            return str(self._say.fixed()), lambda item: _is(item.facts.get("renewal"), self._fields.fixed)
        budget = [m.amount for m in entities.money if m.explicit_unit and not m.negated]
        if len(budget) == 1:
            return str(
                self._say.within(budget[0])
            ), lambda item: item.figures["premium"] <= budget[0] if "premium" in item.figures else None
        ages = [m.age for m in entities.ages if m.kind == "age" and not m.negated]
        if len(ages) == 1:
            return (
                str(self._say.of_age(ages[0])),
                lambda item: (
                    int(item.facts["min_age"]) <= ages[0] <= int(item.facts["max_age"])
                    if "min_age" in item.facts
                    else None
                ),
            )
        return "", None


def _is(value: object, wanted: str) -> bool | None:
    return None if value is None else value == wanted
