"""Sums of figures shown, with what they were multiplied by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.answering.calculator import added, times
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
