"""Operators: from the form of a question and the facts shown to the sentence that answers it, with its arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.answering.calculator import apart, shared, times
from app.answering.holdings import Holdings
from app.answering.payments import Payments
from app.answering.question import MONTH_DAYS, Question, matches
from app.answering.recall import Recall
from app.answering.repeating import NOTICE
from app.answering.sums import total_of
from app.answering.wording import WON, Answered, joined, labelled, person_of
from app.dialogue.items import FieldLexicon, Item, facts_of
from app.dialogue.state import Shown
from app.language.formatting import answer_environment, money
from app.language.normalise import compact
from app.understanding.forms import Form

SURELY = 0.45
_PAIR = 2
_OTHERS = 3
_TELLING: frozenset[Form] = frozenset({"lookup", "total", "per", "inform", "yes_no", "when", "which", "list", "define"})
_OPEN: frozenset[Form] = frozenset({"yes_no", "when", "which", "list", "define"})
_SUMMED: frozenset[Form] = frozenset({"total", "per", "lookup"})
# Two operations on different days: apart, and yet to be counted.
_COUNTING: frozenset[Form] = frozenset({"difference", "filter"})
# What asks for something else than amounts, whatever was counted before.
_OF_ITS_OWN: frozenset[Form] = frozenset({"why", "where_written", "define", "list", "how_to", "complaint", "recommend"})
_CHOSEN_AT_MOST = 2


class Operators:
    """Built once; `answer` is pure."""

    def __init__(self, fields: FieldLexicon, templates: Path) -> None:
        self._fields = fields
        self._say: Any = answer_environment(templates / "answers").get_template("_forms.j2").module
        self._payments = Payments(fields, self._say)
        self.recalled = Recall(fields, self._say).answer
        held = Holdings(fields, self._say)
        self.holdings, self.asks_anew, self.riders_lacking = held.answer, held.asks_anew, held.riders_lacking
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
        goes_on = form not in _OF_ITS_OWN and self._payments.carried(shown) is not None
        by_time = share < SURELY and question.told_since(self._fields) is not None
        if (
            (form in _TELLING or goes_on or by_time)
            and self._is_of_amounts(question, form)
            and (paid := self._payments.answer(question, shown))
        ):
            return paid
        if form in _SUMMED and self._of_both(question, shown):
            form, share = "total", SURELY
        if share < SURELY or form not in self._of:
            counts = form in _COUNTING or question.only_another_product
            return self._payments.answer(question, shown) if counts else None
        # 일년이면, after a difference was told: the difference of a year.
        before = next((answer.operator for answer in shown[:_PAIR] if answer.operator), "")
        if form == "total" and before == "difference" and question.only_a_length:
            form = "difference"
        found = self._of[form](question, shown)
        if form in ("difference", "which") and question.says(self._fields.why):
            found = self._with_reason(found, question, shown)
        return found or (self._payments.answer(question, shown) if form in _COUNTING else None)

    def _of_both(self, question: Question, shown: Sequence[Shown]) -> bool:
        """Whether the figure of both things just shown is asked for (둘 다 들면 한 달에 얼마나)."""
        both = any(reference.kind == "both" for reference in question.entities.references)
        name, _ = question.figure(shown[0].items, self._fields) if both and shown else (None, False)
        return name is not None and len(shown[0].items) == _PAIR and question.names(name, self._fields)

    def _is_of_amounts(self, question: Question, form: Form) -> bool:
        """Whether amounts are asked for: by the form, or where it is open by what is counted or by their names (10년
        지나면 연장되나 is none)."""
        if question.says(self._fields.no_amount):
            return False
        if form not in _OPEN or question.told_since(self._fields) is None:
            return True
        paid = [name for name, kind in self._fields.figures.items() if kind.each_from]
        return bool(question.entities.counts) or any(question.names(name, self._fields) for name in paid)

    def anew(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """What covers shown last pay where a message tells nothing but another time or count."""
        form = question.reading.form
        by_time = question.tells_only_since(self._fields)
        if not by_time and (form not in _TELLING or not self._is_of_amounts(question, form)):
            return None
        if not question.only_changes_a_case or question.says(self._fields.no_amount):
            return None
        items = shown[0].items
        told = any(question.steps(item, name, self._fields) for item in items for name in item.figures)
        return self._payments.answer(question, shown) if told or question.told_since(self._fields) else None

    def asks_for_all(self, question: Question) -> bool:
        """Whether words for a sum are said."""
        return question.says(self._fields.everything)

    def of_all(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The sum of all that several answers told is paid, where a message asks for that and names nothing."""
        sums = question.reading.form == "total" and question.asks_for_all(self._fields)
        if not sums or not question.only_changes_a_case:
            return None
        return self._payments.everything(shown) or self._payments.answer(question, shown)

    def items(self, result: Mapping[str, Any]) -> tuple[Item, ...]:
        """The items with figures that a result shows."""
        return facts_of(result, self._fields).items

    def value(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The figure of the one of the items shown last that the message means (그중 치아가 얼마)."""
        items = question.meant(shown[:1], 1)
        name, _ = question.figure(items, self._fields)
        if name is None or len(items) != 1 or len(shown[0].items) == 1 or not question.names(name, self._fields):
            return None
        [named] = labelled(items, name, self._fields)
        label = self._fields.figures[name].label
        return Answered(joined(self._say.value(named.label, label, named.worth)), "lookup")

    def _total(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        if question.says(self._fields.apart) and not question.says(self._fields.everything):
            return None  # 각각 얼마
        items = question.meant(shown, 1)
        name, _ = question.figure(items, self._fields)
        steps = question.steps(items[0], name, self._fields) if name else ()
        if not steps and len(items) == 1:
            items = question.meant(shown, _PAIR)
            items = items if len(items) > 1 else question.meant(shown, _PAIR, pointed=False)
            name, _ = question.figure(items, self._fields)
        if name is None or not (kind := self._fields.figures[name]).adds or (not steps and len(items) < _PAIR):
            return None
        if len({item.each.get(name, "") for item in items}) > 1 or not self._alike(items):
            return None
        if kind.each_from:
            return None
        if shown[0].held and items == shown[0].items:
            items = tuple(item for item in items if item.facts.get("in_force", True))
        names = {item.name for item in items}
        together = any(reference.kind == "both" for reference in question.entities.references)
        if len(names) > _CHOSEN_AT_MOST and not (shown[0].held or together):
            return None  # alternatives to choose from, not to be added up
        return total_of(items, name, steps, self._fields, self._say)

    def _alike(self, items: Sequence[Item]) -> bool:
        """Whether what is told of one thing for several people is told at the same terms."""
        terms: dict[tuple[str, str], set[object]] = {}
        for item in items:
            for name in self._fields.alike:
                if name in item.facts:
                    terms.setdefault((item.name, name), set()).add(item.facts[name])
        return all(len(told) == 1 for told in terms.values())

    def lines(self, question: Question, before: str) -> tuple[str, ...]:
        """The few lines of the answer before that tell a time, where the message asks for just that."""
        sure = question.reading.form == "when" and question.reading.share >= SURELY
        if not sure or question.entities.products or question.entities.benefits:
            return ()
        found = [line.strip() for line in before.split(NOTICE)[0].splitlines() if matches(self._fields.moments, line)]
        return tuple(found) if len(found) <= _OTHERS else ()

    def _per(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        items = question.meant(shown, 1)
        name, _ = question.figure(items, self._fields)
        a_day = next((word for word in self._fields.a_day if word in question.text), None)
        if name is None or a_day is None or any(i.each.get(name) != self._fields.monthly for i in items):
            return None
        derivations = [shared(item.figures[name], MONTH_DAYS) for item in items]
        lines = [
            {"label": named.label, "worth": named.worth, "result": derivation.result}
            for named, derivation in zip(labelled(items, name, self._fields), derivations, strict=True)
        ]
        text = joined(self._say.per(lines, self._fields.a_day[0], MONTH_DAYS))
        return Answered(text, "per", tuple(derivations))

    def _difference(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        items = question.meant(shown, _PAIR)
        name = self._priced(question, items)
        if name is None:
            return None
        named = sorted(labelled(items, name, self._fields), key=lambda n: n.value)
        low, high = named[0], named[-1]
        derivations = [apart(high.value, low.value)]
        step = None
        if derivations[0].result and (steps := question.steps(items[0], name, self._fields)):
            [(count, unit)] = steps
            derivations.append(times(derivations[0].result, count))
            step = {"count": count, "unit": unit, "result": derivations[-1].result}
        label = self._fields.figures[name].label
        text = joined(self._say.difference(label, high, low, derivations[0].result, step))
        return Answered(text, "difference", tuple(derivations))

    def _which(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        items = question.meant(shown, _PAIR)
        name, most = question.figure(items, self._fields)
        if name is None or len(items) < _PAIR:
            return None
        kind = self._fields.figures[name]
        named = sorted(labelled(items, name, self._fields), key=lambda n: -n.value if most else n.value)
        chosen = [n for n in named if n.value == named[0].value]
        others = [f"{n.label} {n.worth}" for n in named[len(chosen) :][:_OTHERS]]
        best = {item.code for item in items if item.figures[name] == named[0].value}
        text = joined(self._say.which(kind.label, kind.more if most else kind.less, chosen, others))
        return Answered(text, "which", about=best.pop() if len(best) == 1 else "")

    def _why(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        if of_days := self._payments.from_which_day(question, shown):
            return of_days
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
        items = question.meant(shown, _PAIR)
        name = self._priced(question, items)
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
        return Answered(text, "why", (derivation,))

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

    def _with_reason(self, found: Answered | None, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The answer with its reason behind it (누가 더 비싸요? 왜요?); the reason alone where it tells the same."""
        why = self._why(question, shown)
        if found is None or why is None or found.operator == "difference":  # the reason tells it, too
            return why or found
        return replace(found, text=f"{found.text}\n{why.text}", derivations=(*found.derivations, *why.derivations))

    def reason(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """Why the things shown last differ, where a message surely asks for that in words of their figure."""
        kinds = (self._fields.figures[name] for item in (shown[0].items if shown else ()) for name in item.figures)
        of_degree = any(compact(word) in compact(question.text) for kind in kinds for word in (*kind.most, *kind.least))
        sure = question.reading.form == "why" and question.reading.shares["why"] >= SURELY
        if not sure or not question.tells_nobody_new:
            return None
        return self._why(question, shown) if of_degree else self._of_each_other(question, shown)

    def _priced(self, question: Question, items: Sequence[Item]) -> str | None:
        """The figure asked about, where two items at least have it and it is money."""
        name, _ = question.figure(items, self._fields)
        if name is None or len(items) < _PAIR or self._fields.figures[name].unit != WON:
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
        named = labelled(items, name, self._fields) if name else []
        labels = [f"{n.label}({n.worth})" for n in named] or [item.name for item in items]
        fitting = [label for label, fitted in zip(labels, fit, strict=True) if fitted]
        others = [item.name for item, fitted in zip(items, fit, strict=True) if not fitted]
        return Answered(joined(self._say.filtered(condition, fitting, others)), "filter")

    def _where(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        sources = shown[0].sources if shown else ()
        return Answered(joined(self._say.where(list(sources[:_OTHERS]))), "where_written") if sources else None

    def _condition(self, question: Question) -> tuple[str, Callable[[Item], bool | None] | None]:
        """What the items are to fulfil, in words, and its test; an item that does not say gives None."""
        entities = question.entities
        if entities.non_renewing:
            return str(self._say.fixed()), lambda item: _is(item.facts.get("renewal"), self._fields.fixed)
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
        budget = [m.amount for m in entities.money if m.explicit_unit and not m.negated]
        if len(budget) == 1:
            return str(
                self._say.within(budget[0])
            ), lambda item: item.figures["premium"] <= budget[0] if "premium" in item.figures else None
        return "", None

    def _fact(self, item: Item, name: str) -> str:
        if name in item.figures:
            return money(item.figures[name])
        value = item.facts.get(name)
        if name in self._fields.fact_units:
            return f"{value or 0}{self._fields.fact_units[name]}"
        if isinstance(value, bool):
            return self._fields.truth[value]
        return "" if value is None else str(value).rstrip(".")


def _is(value: object, wanted: str) -> bool | None:
    return None if value is None else value == wanted
