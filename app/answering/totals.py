"""Sums over what was shown: of what several people pay, of a year, of all but the dearest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from app.answering.calculator import apart, times
from app.answering.grid import folded
from app.answering.question import Question, all_months
from app.answering.sums import total_of, totals_of_each
from app.answering.wording import Answered, joined, labelled
from app.dialogue.items import FieldLexicon, Item
from app.dialogue.state import Shown

_PAIR = 2
_CHOSEN_AT_MOST = 2


class Totals:
    """Built once by the operators; pure. `say` are the sentences of the forms."""

    def __init__(self, fields: FieldLexicon, say: Any) -> None:
        self._fields, self._say = fields, say

    def answer(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The sum of what is meant, times the months, days or pieces told; None where none is asked for."""
        if question.says(self._fields.apart) and not question.says(self._fields.everything):
            return None  # 각각 얼마
        items = self._picked(question, question.meant(shown, 1))
        name, _ = question.figure(items, self._fields)
        steps = question.steps(items[0], name, self._fields) if name else ()
        if not steps and len(items) == 1:
            if name and not self._fields.figures[name].each and not question.says(self._fields.everything):
                return None
            items = question.meant(shown, _PAIR)
            if len(items) == 1 and len(question.entities.product_codes) < _PAIR:
                items = question.meant(shown, _PAIR, pointed=False)
            name, _ = question.figure(items, self._fields)
        if name is None or not (kind := self._fields.figures[name]).adds or (not steps and len(items) < _PAIR):
            return None
        if kind.each_from or len({item.each.get(name, "") for item in items}) > 1 or not self._alike(items):
            return None
        if shown[0].held:
            items = tuple(item for item in items if item.facts.get("in_force", True)) or items
        names = {item.code or item.name for item in items}
        together = any(reference.kind == "both" for reference in question.entities.references)
        table = folded(question, items, self._fields)
        if len(table) < len(items):
            return totals_of_each(table, name, steps, self._fields, self._say)
        if len(names) > _CHOSEN_AT_MOST and not (shown[0].held or together):
            return None  # alternatives to choose from, not to be added up
        if not steps and not (together or self._adds_up(question, held=shown[0].held)):
            return None  # 5년 뒤엔 얼마예요, 해지하면 얼마 나와
        return total_of(items, name, steps, self._fields, self._say)

    def together(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """What one thing costs several people in all, each of several things by itself; None for anything else."""
        if question.says(self._fields.apart) and not question.says(self._fields.everything):
            return None  # 둘이 얼마씩: what each pays, the sum behind it
        items = shown[0].items if shown else ()
        name, _ = question.figure(items, self._fields)
        kind = self._fields.figures[name] if name else None
        if name is None or kind is None or not kind.adds or kind.each_from or len(items) < _PAIR:
            return None
        table = folded(question, items, self._fields)
        if len(table) < len(items):
            return totals_of_each(table, name, (), self._fields, self._say)
        alike = len({item.code or item.name for item in items}) == 1 and self._alike(items)
        return total_of(items, name, (), self._fields, self._say) if alike else None

    def to_the_end(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """Which of several costs less when it is paid to the end: the premium of each times the months that it is paid
        for; None where one of them renews, at another premium."""
        items = question.meant(shown, _PAIR) if question.says(f"{self._fields.whole}|{self._fields.in_all}") else ()
        name, _ = question.figure(items, self._fields)
        if name is None or len(items) < _PAIR or any(i.each.get(name) != self._fields.monthly for i in items):
            return None
        paid = [(item.figures[name], all_months(item, self._fields)) for item in items]
        fixed = all(item.facts.get("renewal", self._fields.fixed) == self._fields.fixed for item in items)
        if not fixed or not all(months for _, months in paid):
            return None
        sums = [times(value, months) for value, months in paid]
        told = labelled(items, name, self._fields)
        lines = [
            {"label": named.label, "worth": named.worth, "months": months, "sum": step.result}
            for named, (_, months), step in zip(told, paid, sums, strict=True)
        ]
        lines.sort(key=lambda line: int(str(line["sum"])))
        gap = apart(int(str(lines[-1]["sum"])), int(str(lines[0]["sum"])))
        return Answered(joined(self._say.to_the_end(lines, gap.result)), "which", (*sums, gap))

    def without(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The sum of those shown last but for the dearest or the cheapest (그중 제일 비싼 거 빼면 얼마)."""
        items = folded(question, question.meant(shown, _PAIR, pointed=False), self._fields)
        name, most = question.figure(items, self._fields)
        kind = self._fields.figures[name] if name else None
        if name is None or kind is None or not kind.adds or len(items) < _PAIR:
            return None
        if not question.says("|".join((*kind.most, *kind.least))):
            return None
        gone = max(items, key=lambda item: item.figures[name] * (1 if most else -1))
        rest = [item for item in items if item is not gone]
        front = joined(self._say.without(labelled(items, name, self._fields)[items.index(gone)]))
        steps = question.steps(gone, name, self._fields)
        found = total_of(rest, name, steps, self._fields, self._say, named=True)
        return replace(found, text=f"{front} {found.text}")

    def _picked(self, question: Question, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """The dearest or the cheapest of them, where the message points at it (제일 비싼 거 1년치)."""
        if not {"cheapest", "dearest"} & {m.kind for m in question.entities.references} or len(items) < _PAIR:
            return items
        name, most = question.figure(items, self._fields)
        return (max(items, key=lambda item: item.figures[name] * (1 if most else -1)),) if name else items

    def _adds_up(self, question: Question, *, held: bool) -> bool:
        """Whether a sum of several is asked for: by its words, by a count, of several people, or of what somebody
        holds where nothing is to be done with it."""
        told = question.entities
        if held:
            everything = question.says(self._fields.everything)
            return not question.names_a_case(but_kinds=True) and (everything or not told.actions)
        return question.says(self._fields.everything) or bool(told.counts) or len({m.who for m in told.people}) > 1

    def _alike(self, items: Sequence[Item]) -> bool:
        """Whether what is told of one thing for several people is told at the same terms."""
        terms: dict[tuple[str, str], set[object]] = {}
        for item in items:
            for name in self._fields.alike:
                if name in item.facts:
                    terms.setdefault((item.name, name), set()).add(item.facts[name])
        return all(len(told) == 1 for told in terms.values())
