"""Why covers pay less than in full, or do: what they are still waited for or reduced for, and within which limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.answering.payments import WHOLE, Payments
from app.answering.question import Question
from app.answering.wording import Answered, joined, labelled, worth_of
from app.dialogue.items import FieldLexicon, Item
from app.dialogue.state import Shown, Terms

_MOST_LINES = 4
_PAIR = 2


class LessPaid:
    """Pure; built once by the reasons. `say` are the sentences of the forms."""

    def __init__(self, fields: FieldLexicon, payments: Payments, say: Any) -> None:
        self._fields, self._payments, self._say = fields, payments, say

    def asked_for(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """왜 다 안 나오죠: which of the covers shown last are still waited for or reduced, and until when."""
        items = [item for item in question.meant(shown[:1], 1) if WHOLE in item.figures]
        terms = shown[0].terms if shown else Terms()
        terms = terms.model_copy(update={"since": terms.since or question.told.since})
        lines = []
        for item, named in zip(items, labelled(items, WHOLE, self._fields), strict=True):
            state, value = self._payments.state(item, WHOLE, terms)
            if state in ("waiting", "reduced") and not item.facts.get("optional"):
                line = {
                    "label": named.label,
                    "state": state,
                    "whole": named.worth,
                    "days": item.figures.get("waiting_days"),
                }
                line["worth"] = worth_of(value, item.each.get(WHOLE, ""), self._fields.figures[WHOLE], self._fields)
                line["percent"] = value * 100 // named.value if named.value else 0
                lines.append(line | {"months": item.facts.get("reduction_months")})
        if lines:
            return Answered(joined(self._say.why_less(lines[:_MOST_LINES])), "why", terms=terms)
        return self._why_cut(items, terms) or self._why_whole(question, items, shown, terms)

    def _why_cut(self, items: Sequence[Item], terms: Terms) -> Answered | None:
        """네 개인데 왜 400이 아니에요: the limit within which those counted are paid."""
        lines = []
        for item, named in zip(items, labelled(items, WHOLE, self._fields), strict=True):
            counted = self._payments.counted(item, WHOLE, terms)
            paid = self._payments.within(counted[0][0], item, item.each.get(WHOLE, "")) if counted else 0
            if counted and paid < counted[0][0] and item.facts.get("limit"):
                told = {"label": named.label, "limit": item.facts["limit"], "count": counted[0][0]}
                lines.append(told | {"unit": counted[0][1], "paid": paid})
        return Answered(joined(self._say.why_cut(lines[:_MOST_LINES])), "why", terms=terms) if lines else None

    def _why_whole(
        self, question: Question, items: Sequence[Item], shown: Sequence[Shown], terms: Terms
    ) -> Answered | None:
        """왜 그쪽은 안 깎아요: how long the covers meant are reduced for, and those of the product told before."""
        if terms.since is None or not question.says(self._fields.reduced):
            return None
        months, codes = terms.since[0], {item.code for item in items}
        others = [item for answer in shown[1:] for item in answer.items if item.code not in codes]
        longest: dict[str, int] = {}
        for item in (*items, *others):
            if WHOLE in item.figures and not item.facts.get("optional"):
                longest[item.of] = max(longest.get(item.of, 0), int(item.facts.get("reduction_months") or 0))
        lines = [{"name": of, "months": reduced, "over": months >= reduced} for of, reduced in longest.items()]
        return Answered(joined(self._say.why_whole(lines[:_PAIR], months)), "why", terms=terms) if lines else None
