"""Operators: from the form of a question and the facts shown to the sentence that answers it, with its arithmetic."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.answering.calculator import Derivation, added, apart, shared, times
from app.answering.question import Question
from app.answering.repeating import NOTICE
from app.dialogue.items import FieldLexicon, FigureKind, Item
from app.dialogue.state import Shown
from app.insurance.models import RenewalKind
from app.language.formatting import age, answer_environment, gender, money, won
from app.language.normalise import compact
from app.understanding.forms import Form

SURELY = 0.45
_PAIR = 2
_OTHERS = 3
_TELLING: frozenset[Form] = frozenset({"lookup", "total", "inform", "yes_no", "when"})
_MONTH_DAYS = 30
_CHOSEN_AT_MOST = 2
_WON = "원"
_FIXED: RenewalKind = "비갱신형"


@dataclass(frozen=True)
class Answered:
    """A first sentence with its arithmetic. `total`: the sum it told, 원; `operator`: the form that made it."""

    text: str
    operator: Form
    derivations: tuple[Derivation, ...] = ()
    total: int | None = None
    times: tuple[int, str] | None = None


@dataclass(frozen=True)
class _Named:
    label: str
    worth: str
    value: int


class Operators:
    """Built once; `answer` is pure."""

    def __init__(self, fields: FieldLexicon, templates: Path) -> None:
        self._fields = fields
        self._say: Any = answer_environment(templates / "answers").get_template("_forms.j2").module
        self._of: Mapping[Form, Callable[[Question, Sequence[Shown]], Answered | None]] = {
            "total": self._total,
            "per": self._per,
            "difference": self._difference,
            "which": self._which,
            "why": self._why,
            "filter": self._filter,
            "where_written": self._where,
        }

    def answer(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The answer over what was shown, newest first; None where the form has no operator, is not sure, or the facts
        shown do not hold what it asks."""
        shares = question.reading.shares
        form = question.reading.form
        if form in ("total", "per"):  # a year is twelve months, a day a thirtieth: what is asked for tells them apart
            form = "per" if any(word in question.text for word in self._fields.a_day) else "total"
            share = shares["total"] + shares["per"]
        else:
            share = shares[form]
        if question.since is not None and form in _TELLING and (paid := self._paid(question, shown)):
            return paid
        if share < SURELY or form not in self._of:
            return None
        # 일년이면, after a difference was told: the difference of a year.
        before = next((answer.operator for answer in shown[:_PAIR] if answer.operator), "")
        if form == "total" and before == "difference" and question.only_a_length:
            form = "difference"
        return self._of[form](question, shown)

    def value(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The figure of the one of the items shown last that the message means (그중 치아가 얼마)."""
        items = question.meant(shown[:1], 1)
        name, _ = question.figure(items, self._fields)
        if name is None or len(items) != 1 or len(shown[0].items) == 1 or not question.names(name, self._fields):
            return None
        [named] = self._labelled(items, name)
        label = self._fields.figures[name].label
        return Answered(_joined(self._say.value(named.label, label, named.worth)), "lookup")

    def _total(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        items = question.meant(shown, 1)
        name, _ = question.figure(items, self._fields)
        steps = self._steps(question, items[0], name) if name else ()
        if not steps and len(items) == 1:
            items = question.meant(shown, _PAIR)
            items = items if len(items) > 1 else question.meant(shown, _PAIR, pointed=False)
            name, _ = question.figure(items, self._fields)
        if name is None or not (kind := self._fields.figures[name]).adds or (not steps and len(items) < _PAIR):
            return None
        if len({item.each.get(name, "") for item in items}) > 1 or not self._alike(items):
            return None
        if kind.each_from:
            return self._paid(question, shown)
        if shown[0].held and items == shown[0].items:
            items = tuple(item for item in items if item.facts.get("in_force", True))
        names = {item.name for item in items}
        together = any(reference.kind == "both" for reference in question.entities.references)
        if len(names) > _CHOSEN_AT_MOST and not (shown[0].held or together):
            return None  # alternatives to choose from, not to be added up
        figures = [item.figures[name] for item in items]
        derivations, value = [added(figures)] if len(items) > 1 else [], sum(figures)
        each = items[0].each.get(name, "")
        told = []
        for count, unit in steps:
            derivation = times(value, count)
            derivations.append(derivation)
            worth = self._worth(value, each, kind)
            told.append({"worth": worth, "count": count, "unit": unit, "result": derivation.result})
            value = derivation.result
        labels = [named.label for named in self._labelled(items, name)]
        front = f"{self._fields.front[each]} " if each in self._fields.front else ""
        text = _joined(self._say.total(labels, [won(figure) for figure in figures], front, sum(figures), told))
        return Answered(text, "total", tuple(derivations), value)

    def _alike(self, items: Sequence[Item]) -> bool:
        """Whether what is told of one thing for several people is told at the same terms."""
        terms: dict[tuple[str, str], set[object]] = {}
        for item in items:
            for name in self._fields.alike:
                if name in item.facts:
                    terms.setdefault((item.name, name), set()).add(item.facts[name])
        return all(len(told) == 1 for told in terms.values())

    def _paid(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """What a cover pays: reduced or not at all by the time since the contract, times the days or pieces told now
        or before. Of several covers each by itself: which of them is paid depends on the case."""
        items = question.meant(shown, 1)
        name, _ = question.figure(items, self._fields)
        if name is None or not self._fields.figures[name].each_from:
            return None
        derivations: list[Derivation] = []
        lines, times_of = [], None
        for item, named in zip(items[:_OTHERS], self._labelled(items[:_OTHERS], name), strict=True):
            state, value = _state(item, name, question.since)
            steps = self._steps(question, item, name)
            if not steps and shown[0].times and state:
                steps = (shown[0].times,)
            if not (steps or state):
                continue
            line: dict[str, Any] = {"label": named.label, "state": state}
            line["months"] = item.facts.get("reduction_months")
            line |= {"days": item.figures.get("waiting_days"), "limit": item.facts.get("limit")}
            line |= {"step": None, "most": None}
            each = item.each.get(name, "")
            line["worth"] = self._worth(value, each, self._fields.figures[name])
            if steps and value:
                [(count, unit)] = steps
                most = item.facts.get("limit_per_year")
                if each in self._fields.pieces and isinstance(most, int) and count > most:
                    line["most"], count = {"count": count, "unit": unit}, most
                derivations.append(times(value, count))
                line["step"] = {"count": count, "unit": unit, "result": derivations[-1].result}
                times_of = (count, unit)
            lines.append(line)
        if not lines:
            return None
        total = derivations[0].result if len(lines) == 1 and derivations else None
        text = _joined(self._say.paid(lines, question.since and question.since[0]))
        return Answered(text, "total", tuple(derivations), total, times_of)

    def lines(self, question: Question, before: str) -> tuple[str, ...]:
        """The few lines of the answer before that tell a time, where the message asks for just that."""
        sure = question.reading.form == "when" and question.reading.share >= SURELY
        if not sure or question.entities.products or question.entities.benefits:
            return ()
        found = [line.strip() for line in before.split(NOTICE)[0].splitlines() if re.search(self._fields.moments, line)]
        return tuple(found) if len(found) <= _OTHERS else ()

    def _steps(self, question: Question, item: Item, name: str) -> tuple[tuple[int, str], ...]:
        """By what the figure is multiplied: the months, days or pieces that the message names."""
        each = item.each.get(name, "")
        lengths = [m for m in question.entities.durations if m.role != "ago" and not m.negated]
        if each == self._fields.monthly:
            said = compact(question.text)
            months = next((m.months for m in lengths if m.months > 1), 0)
            months = months or next((n for word, n in self._fields.periods.items() if word in said), 0)
            return ((months, self._fields.month),) if months else ()
        if each == self._fields.daily:
            days = next((m.days or m.months * _MONTH_DAYS for m in lengths), 0)
            return ((days, self._fields.day),) if days else ()
        counters = self._fields.pieces.get(each, ())
        count = next((m for m in question.entities.counts if m.counter in counters and m.count > 1), None)
        return ((count.count, count.counter),) if count else ()

    def _per(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        items = question.meant(shown, 1)
        name, _ = question.figure(items, self._fields)
        a_day = next((word for word in self._fields.a_day if word in question.text), None)
        if name is None or a_day is None or any(i.each.get(name) != self._fields.monthly for i in items):
            return None
        derivations = [shared(item.figures[name], _MONTH_DAYS) for item in items]
        lines = [
            {"label": named.label, "worth": named.worth, "result": derivation.result}
            for named, derivation in zip(self._labelled(items, name), derivations, strict=True)
        ]
        text = _joined(self._say.per(lines, self._fields.a_day[0], _MONTH_DAYS))
        return Answered(text, "per", tuple(derivations))

    def _difference(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        items = question.meant(shown, _PAIR)
        name = self._priced(question, items)
        if name is None:
            return None
        named = sorted(self._labelled(items, name), key=lambda n: n.value)
        low, high = named[0], named[-1]
        derivations = [apart(high.value, low.value)]
        step = None
        if derivations[0].result and (steps := self._steps(question, items[0], name)):
            [(count, unit)] = steps
            derivations.append(times(derivations[0].result, count))
            step = {"count": count, "unit": unit, "result": derivations[-1].result}
        label = self._fields.figures[name].label
        text = _joined(self._say.difference(label, high, low, derivations[0].result, step))
        return Answered(text, "difference", tuple(derivations))

    def _which(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        items = question.meant(shown, _PAIR)
        name, most = question.figure(items, self._fields)
        if name is None or len(items) < _PAIR:
            return None
        kind = self._fields.figures[name]
        named = sorted(self._labelled(items, name), key=lambda n: -n.value if most else n.value)
        chosen = [n for n in named if n.value == named[0].value]
        others = [f"{n.label} {n.worth}" for n in named[len(chosen) :][:_OTHERS]]
        return Answered(_joined(self._say.which(kind.label, kind.more if most else kind.less, chosen, others)), "which")

    def _why(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        if shown and (reason := question.reason(shown[0])):
            return Answered(_joined(self._say.reason(reason.name, reason.text)), "why")
        items = question.meant(shown, _PAIR)
        name = self._priced(question, items)
        if name is None:
            return None
        pairs = sorted(zip(items, self._labelled(items, name), strict=True), key=lambda pair: pair[1].value)
        (low_item, low), (high_item, high) = pairs[0], pairs[-1]
        derivation = apart(high.value, low.value)
        facts = {self._fields.person: (_person(low_item), _person(high_item))}
        facts |= {label: (self._fact(low_item, n), self._fact(high_item, n)) for n, label in self._fields.facts.items()}
        rows = [{"label": k, "low": one, "high": two} for k, (one, two) in facts.items() if one and two and one != two]
        if not derivation.result or not rows:
            return None
        label = self._fields.figures[name].label
        return Answered(_joined(self._say.why(label, low, high, derivation.result, rows)), "why", (derivation,))

    def _priced(self, question: Question, items: Sequence[Item]) -> str | None:
        """The figure asked about, where two items at least have it and it is money."""
        name, _ = question.figure(items, self._fields)
        if name is None or len(items) < _PAIR or self._fields.figures[name].unit != _WON:
            return None
        return name if len({item.each.get(name, "") for item in items}) == 1 else None

    def _filter(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        items = question.meant(shown[:1], _PAIR)
        condition, fits = self._condition(question)
        if fits is None or len(items) < _PAIR:
            return None
        fit = [fits(item) for item in items]
        if None in fit:
            return None
        name, _ = question.figure(items, self._fields)
        labels = [f"{n.label}({n.worth})" for n in self._labelled(items, name)] if name else [i.name for i in items]
        fitting = [label for label, fitted in zip(labels, fit, strict=True) if fitted]
        others = [item.name for item, fitted in zip(items, fit, strict=True) if not fitted]
        return Answered(_joined(self._say.filtered(condition, fitting, others)), "filter")

    def _where(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        sources = shown[0].sources if shown else ()
        return Answered(_joined(self._say.where(list(sources[:_OTHERS]))), "where_written") if sources else None

    def _condition(self, question: Question) -> tuple[str, Callable[[Item], bool | None] | None]:
        """What the items are to fulfil, in words, and its test; an item that does not say gives None."""
        entities = question.entities
        if entities.non_renewing:
            return str(self._say.fixed()), lambda item: _is(item.facts.get("renewal"), _FIXED)
        ages = [m.age for m in entities.ages if m.kind == "age" and not m.negated]
        if len(ages) == 1:
            return str(self._say.of_age(ages[0])), lambda item: (
                int(item.facts["min_age"]) <= ages[0] <= int(item.facts["max_age"]) if "min_age" in item.facts else None
            )
        budget = [m.amount for m in entities.money if m.explicit_unit and not m.negated]
        if len(budget) == 1:
            return str(self._say.within(budget[0])), lambda item: (
                item.figures["premium"] <= budget[0] if "premium" in item.figures else None
            )
        return "", None

    def _labelled(self, items: Sequence[Item], name: str) -> list[_Named]:
        """Each item with a name that tells it from the others: its person where several have one name."""
        names = [item.name for item in items]
        kind = self._fields.figures[name]
        found = []
        for item in items:
            person = _person(item) if names.count(item.name) > 1 else ""
            several = len(set(names)) > 1
            label = f"{person} {item.name}".strip() if several or not person else person
            value = item.figures[name]
            found.append(_Named(label, self._worth(value, item.each.get(name, ""), kind), value))
        return found

    def _worth(self, value: int, each: str, kind: FigureKind) -> str:
        if kind.unit != _WON:
            return f"{value}{kind.unit}"
        if each in self._fields.front:
            return f"{self._fields.front[each]} {won(value)}"
        return f"{each} {money(value)}".strip()

    def _fact(self, item: Item, name: str) -> str:
        if name in item.figures:
            return money(item.figures[name])
        value = item.facts.get(name)
        if isinstance(value, bool):
            return self._fields.truth[value]
        return "" if value is None else str(value)


def _state(item: Item, name: str, since: tuple[int, int] | None) -> tuple[str, int]:
    """Whether a cover is still waited for, reduced or whole that long after the contract, and what it then pays; ''
    where it makes no difference."""
    months, value = item.facts.get("reduction_months"), item.figures[name]
    if since is None:
        return "", value
    if since[1] < item.figures.get("waiting_days", 0):
        return "waiting", 0
    if not months:
        return "", value
    if since[0] >= int(months):
        return "whole", value
    # A result that does not say the reduced amount tells of the reduction itself.
    return ("reduced", int(item.facts["reduced_amount"])) if "reduced_amount" in item.facts else ("", value)


def _is(value: object, wanted: str) -> bool | None:
    return None if value is None else value == wanted


def _person(item: Item) -> str:
    years, code = item.person.get("age"), item.person.get("gender")
    return " ".join(([age(int(years))] if years is not None else []) + ([gender(str(code))] if code else []))


def _joined(text: Any) -> str:
    return "\n".join(line.strip() for line in str(text).splitlines() if line.strip())
