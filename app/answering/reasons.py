"""Why the things that were shown differ, or are what they are: the reasons that answers gave, and the facts behind two
figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.answering.calculator import apart
from app.answering.grid import crossed, folded, sums_of
from app.answering.less_paid import LessPaid
from app.answering.payments import Payments
from app.answering.question import SURELY, Question
from app.answering.wording import WON, Answered, joined, labelled, person_of
from app.dialogue.items import FieldLexicon, Item
from app.dialogue.state import Shown
from app.language.formatting import money
from app.language.normalise import compact

_PAIR = 2


class Reasons:
    """Built once; pure. `say` holds the sentences."""

    def __init__(self, fields: FieldLexicon, payments: Payments, say: Any) -> None:
        self._fields, self._payments, self._say = fields, payments, say
        self._less = LessPaid(fields, payments, say)

    def asked_for(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """Why the things shown last differ, where a message surely asks for that in words of their figure."""
        kinds = (self._fields.figures[name] for item in (shown[0].items if shown else ()) for name in item.figures)
        of_degree = any(compact(word) in compact(question.text) for kind in kinds for word in (*kind.most, *kind.least))
        sure = question.reading.form == "why" and question.reading.shares["why"] >= SURELY
        if not sure or not question.tells_nobody_new:
            return None
        if of_degree:
            return self.why(question, shown)
        return self._of_each_other(question, shown) or self._of_refusal(question, shown)

    def _of_refusal(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """거긴 왜 안 된다는 거죠, right after something was refused: the reason that was given."""
        reason = question.reason(shown[0]) if shown and question.says(self._fields.refused_why) else None
        if reason is None or question.names_a_case():
            return None
        lines = self._say.reasons([reason]) if reason.listed else self._say.reason(reason.name, reason.text)
        return Answered(joined(lines), "why")

    def why(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The reason that was given for what is meant; else what the figures of two things rest on."""
        if of_days := self._payments.from_which_day(question, shown):
            return of_days
        if less := self._less.asked_for(question, shown):
            return less
        # 335는 왜 안 되는 거였죠, some answers later: of what is named
        places = shown if question.entities.product_codes else shown[:1]
        if both := self._of_each_other(question, shown):
            return both
        if reason := next((found for answer in places if (found := question.reason(answer))), None):
            if reason.listed:
                return Answered(joined(self._say.reasons([reason])), "why")
            one = self._why_one(question, question.meant(shown, 1))
            text = joined(self._say.reason(reason.name, reason.text))
            return Answered(f"{text}\n{one.text}" if one else text, "why")
        items = folded(question, question.meant(shown, _PAIR), self._fields)
        name = priced(question, items, self._fields)
        if name is None:
            return self._why_one(question, items)
        pairs = sorted(zip(items, labelled(items, name, self._fields), strict=True), key=lambda pair: pair[1].value)
        (low_item, low), (high_item, high) = pairs[0], pairs[-1]
        derivation = apart(high.value, low.value)
        facts = {self._fields.person: (person_of(low_item), person_of(high_item))}
        facts |= {label: (self._fact(low_item, n), self._fact(high_item, n)) for n, label in self._fields.facts.items()}
        mine, theirs = facts[self._fields.person]
        persons = bool(mine and theirs and mine != theirs) and low_item.each.get(name) == self._fields.monthly
        differ = {k: (a, b) for k, (a, b) in facts.items() if a and b and a != b and a != low.label}
        rows = [{"label": k, "low": a, "high": b} for k, (a, b) in differ.items()]
        if not derivation.result or not (rows or persons):
            return None
        label = self._fields.figures[name].label
        text = joined(self._say.why(label, low, high, derivation.result, rows, persons))
        return Answered(text, "why", (*sums_of([low_item, high_item], name), derivation))

    def behind(self, found: Answered | None, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The answer with its reason behind it (누가 더 비싸요? 왜요?); the reason alone where it tells the same."""
        why = self.why(question, shown)
        if found is None or why is None or found.operator == "difference":  # the reason tells it, too
            return why or found
        return replace(found, text=f"{found.text}\n{why.text}", derivations=(*found.derivations, *why.derivations))

    def _why_one(self, question: Question, items: Sequence[Item]) -> Answered | None:
        """What the figure of the only thing shown rests on (왜 3천이 아니죠)."""
        name, _ = question.figure(items, self._fields)
        main = list({item.name: item for item in items if not item.facts.get("optional")}.values())
        condition = main[0].facts.get(self._fields.rests_on) if len(main) == 1 else None
        if name is None or condition is None or not self._fields.figures[name].each_from or not main[0].figures[name]:
            return None
        [named] = labelled(main, name, self._fields)
        return Answered(joined(self._say.why_one(named.label, named.worth, str(condition))), "why")

    def _of_each_other(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The reasons of the last two answers, of a product each (왜 하나는 되고 하나는 안 되죠)."""
        first = {answer.reasons[0].name: answer.reasons[0] for answer in shown[:_PAIR] if answer.reasons}
        if question.entities.product_codes or len(first) < _PAIR or not question.says(self._fields.each_other):
            return None
        return Answered(joined(self._say.reasons(list(first.values())[::-1])), "why")

    def _fact(self, item: Item, name: str) -> str:
        if name in item.figures:
            return money(item.figures[name])
        value = item.facts.get(name)
        if name in self._fields.fact_units:
            return f"{value or 0}{self._fields.fact_units[name]}"
        if isinstance(value, bool):
            return self._fields.truth[value]
        return "" if value is None else str(value).rstrip(".")


def priced(question: Question, items: Sequence[Item], fields: FieldLexicon) -> str | None:
    """The figure asked about, where two items at least have it and it is money."""
    name, _ = question.figure(items, fields)
    if name is None or len(items) < _PAIR or fields.figures[name].unit != WON:
        return None
    return name if len({item.each.get(name, "") for item in items}) == 1 and not crossed(items) else None
