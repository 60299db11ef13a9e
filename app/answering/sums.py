"""Sums of figures shown, with what they were multiplied by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.answering.calculator import added, times
from app.answering.grid import sums_of
from app.answering.wording import Answered, joined, labelled, worth_of
from app.dialogue.items import FieldLexicon, Item
from app.language.formatting import won


def total_of(
    items: Sequence[Item],
    name: str,
    steps: Sequence[tuple[int, str]],
    fields: FieldLexicon,
    say: Any,
    *,
    named: bool = False,
) -> Answered:
    """The sum of a figure of items, times months, days or pieces; `named` tells of what, where there is only one."""
    figures = [item.figures[name] for item in items]
    derivations, value = [added(figures)] if len(items) > 1 else [], sum(figures)
    derivations = [*sums_of(items, name), *derivations]
    each = items[0].each.get(name, "")
    told = []
    for count, unit in steps:
        derivations.append(times(value, count))
        worth = worth_of(value, each, fields.figures[name], fields)
        told.append({"worth": worth, "count": count, "unit": unit, "result": derivations[-1].result})
        value = derivations[-1].result
    labels = [named.label for named in labelled(items, name, fields)]
    front = f"{fields.front[each]} " if each in fields.front else ""
    text = joined(say.total(labels, [won(figure) for figure in figures], front, sum(figures), told, named))
    return Answered(text, "total", tuple(derivations), value)


def totals_of_each(
    items: Sequence[Item], name: str, steps: Sequence[tuple[int, str]], fields: FieldLexicon, say: Any
) -> Answered:
    """The sum of each of several folded items, times months, days or pieces: they are to be chosen from."""
    derivations, lines = sums_of(items, name), []
    for named in labelled(items, name, fields):
        told = []
        for count, unit in steps:
            derivations.append(times(named.value, count))
            told.append({"count": count, "unit": unit, "result": derivations[-1].result})
        lines.append({"label": named.label, "worth": named.worth, "steps": told})
    return Answered(joined(say.totals(lines)), "total", tuple(derivations))
