"""Operators: from the form of a question and the facts shown to the sentence that answers it, with its arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from jinja2 import Environment

from app.answering.calculator import apart, shared, times
from app.answering.event import of_event
from app.answering.filtering import Filter
from app.answering.grid import at_several_terms, folded, sums_of, whole
from app.answering.holders import Holders
from app.answering.holdings import Holdings
from app.answering.limits import Limits
from app.answering.payments import Payments
from app.answering.question import MONTH_DAYS, SURELY, Question, cause_of, matches
from app.answering.reasons import Reasons, priced
from app.answering.recall import Recall
from app.answering.repeating import NOTICE
from app.answering.totals import Totals
from app.answering.wording import Answered, joined, labelled
from app.dialogue.items import FieldLexicon, Item, facts_of
from app.dialogue.state import DialogueState, Shown
from app.language.formatting import answer_environment
from app.language.mentions import Entities
from app.understanding.forms import Form

_PAIR = 2
_OTHERS = 3
_TELLING: frozenset[Form] = frozenset({"lookup", "total", "per", "inform", "yes_no", "when", "which", "list", "define"})
_OPEN: frozenset[Form] = frozenset({"yes_no", "when", "which", "list", "define"})
_SUMMED: frozenset[Form] = frozenset({"total", "per", "lookup"})
_OF_TWO: frozenset[Form] = frozenset({"which", "difference"})
_COUNTING: frozenset[Form] = frozenset({"difference", "filter"})  # two operations on different days are yet counted
# What asks for something else than amounts, whatever was counted before.
_OF_ITS_OWN: frozenset[Form] = frozenset({"why", "where_written", "define", "list", "how_to", "complaint", "recommend"})
# What a ceiling of the price is told with.
_AMONG_ALL: frozenset[Form] = frozenset({"list", "lookup", "command", "recommend", "inform", "yes_no"})


class Operators:
    """Built once; `answer` is pure."""

    def __init__(self, fields: FieldLexicon, templates: Path, environment: Environment | None = None) -> None:
        """`environment` has the sentences of another language."""
        self._fields = fields
        self._say: Any = (environment or answer_environment(templates / "answers")).get_template("_forms.j2").module
        self._payments, self._limits = Payments(fields, self._say), Limits(fields, self._say)
        self._reasons = Reasons(fields, self._payments, self._say)
        self.reason = self._reasons.asked_for
        recall = Recall(fields, self._say)
        self.recalled, self.named, self.value = recall.answer, recall.named, recall.value
        held = Holdings(fields, self._say)
        self.holdings, self.asks_anew, self.riders_lacking = held.answer, held.asks_anew, held.riders_lacking
        self.asks_of_contracts, self.opens = held.asks_of_contracts, held.opens
        self.of_holders = Holders(fields, self._say).answer
        self._filter, self._totals = Filter(fields, self._say), Totals(fields, self._say)
        self.together = self._totals.together
        self.without_waiting = self._filter.without_waiting
        self._of: Mapping[Form, Callable[[Question, Sequence[Shown]], Answered | None]] = {
            "total": self._totals.answer,
            "per": self._per,
            "difference": self._difference,
            "which": self._which,
            "why": self._reasons.why,
            "filter": self._filter.answer,
            "where_written": self._where,
        }

    def answer(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The answer over what was shown, newest first; None where the form has no operator, is not sure, or the facts
        shown do not hold what it asks."""
        if again := self._limits.answer(question, shown):
            return again
        shares = question.reading.shares
        form = question.reading.form
        if form in ("total", "per"):  # a year is twelve months, a day a thirtieth: what is asked for tells them apart
            form = "per" if any(word in question.text for word in self._fields.a_day) else "total"
            share = shares["total"] + shares["per"]
        else:
            share = shares[form]
        if form == "recommend" and shown and question.asks_what_is_paid(shown[0].items, self._fields):
            form, share = "lookup", SURELY  # 얼마쯤 받을까요
        goes_on = form not in _OF_ITS_OWN and self._payments.carried(shown) is not None
        by_time = share < SURELY and question.told_since(self._fields) is not None
        if (
            (form in _TELLING or goes_on or by_time)
            and self._is_of_amounts(question, form)
            and (paid := self._payments.answer(question, shown))
        ):
            return paid
        held = bool(shown) and shown[0].held  # of products a search may find others
        if held and form in ("lookup", "list", "define") and question.points_at_a_degree(self._fields):
            form, share = "which", SURELY  # 그중 높은 거 얼마
        if form in _SUMMED and form != "per" and self._of_both(question, shown):
            form, share = "total", SURELY
        if question.says(self._fields.without) and (rest := self._totals.without(question, shown)):
            return rest
        if form == "which" and {"cheapest", "dearest"} <= {m.kind for m in question.entities.references}:
            form = "difference"  # 제일 싼 거랑 비싼 거 차이
        elif form == "which" and shown and question.counts_on(shown[0].items, self._fields):
            form = "total"  # 제일 비싼 거 1년치
        of_several = form in _OF_TWO or (form in _SUMMED and question.says(self._fields.which))
        if of_several and (ended := self._totals.to_the_end(question, shown)):
            return ended
        if form in _SUMMED and question.says(self._fields.held_apart):
            form, share = "difference", SURELY  # 차액 5년치, 얼마 더 내
        if form in _AMONG_ALL and (kept := self._filter.within(question, shown)):
            return kept
        if share < SURELY or form not in self._of:
            counts = form in _COUNTING or question.only_another_product
            return self._payments.answer(question, shown) if counts else None
        # 일년이면, after a difference was told: the difference of a year.
        before = next((answer.operator for answer in shown[:_PAIR] if answer.operator), "")
        if (
            form == "total"
            and before == "difference"
            and question.only_a_length
            and not question.of_later(self._fields)
        ):
            form = "difference"
        found = self._of[form](question, shown)
        if form in ("difference", "which") and question.says(self._fields.why):
            found = self._reasons.behind(found, question, shown)
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
        of_it = question.goes_on_with(shown[0].items) or question.only_changes_a_case
        if of_it and (again := self._limits.answer(question, shown)):
            return again
        form = question.reading.form
        by_time = question.tells_only_since(self._fields)
        if not by_time and (form not in _TELLING or not self._is_of_amounts(question, form)):
            return None
        if not question.only_changes_a_case or question.says(self._fields.no_amount):
            return None
        items = shown[0].items
        told = any(question.steps(item, name, self._fields) for item in items for name in item.figures)
        moved = question.entities.dates and question.told.since != shown[0].terms.since
        return self._payments.answer(question, shown) if told or moved or question.told_since(self._fields) else None

    def asks_for_all(self, question: Question) -> bool:
        """Whether words for a sum are said."""
        return question.says(self._fields.everything)

    def of_all(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The sum of all that several answers told is paid, where a message asks for that and names nothing, or a cover
        that was told (아까 진단금까지 다 합치면)."""
        sums = question.reading.form in _SUMMED and question.asks_for_all(self._fields)
        if sums and not question.only_changes_a_case and question.goes_on_with(of_event(shown, self._fields)):
            told = question.entities
            new = told.ages or told.births or told.names or told.products or told.medical or told.people
            return None if new else self._payments.everything(question, shown)
        if not sums or question.reading.form != "total" or not question.only_changes_a_case:
            return None
        return self._payments.everything(question, shown) or self._payments.answer(question, shown)

    def cause(self, said: Sequence[Entities]) -> str:
        """What brought an event about, by the first of these messages that tells it; '' where none does."""
        return next((cause for one in said if (cause := cause_of(one, self._fields))), "")

    def of_later(self, question: Question) -> bool:
        """Whether a time to come is told."""
        return question.of_later(self._fields)

    def items(self, result: Mapping[str, Any]) -> tuple[Item, ...]:
        """The items with figures that a result shows."""
        return facts_of(result, self._fields).items

    def showing(self, before: DialogueState, results: Sequence[tuple[str, Mapping[str, Any]]]) -> DialogueState:
        """What was shown `before` and is shown with these results."""
        return before.after(results, self._fields)

    def lines(self, question: Question, before: str) -> tuple[str, ...]:
        """The few lines of the answer before that tell a time, where the message asks for just that."""
        sure = question.reading.form == "when" and question.reading.share >= SURELY
        if not sure or question.entities.products or question.entities.benefits:
            return ()
        found = [line.strip() for line in before.split(NOTICE)[0].splitlines() if matches(self._fields.moments, line)]
        return tuple(found) if len(found) <= _OTHERS else ()

    def _per(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        together = self.asks_for_all(question) or any(m.kind == "both" for m in question.entities.references)
        items = folded(question, question.meant(shown, _PAIR if together else 1), self._fields)
        name, _ = question.figure(items, self._fields)
        a_day = next((word for word in self._fields.a_day if word in question.text), None)
        if name is None or a_day is None or any(i.each.get(name) != self._fields.monthly for i in items):
            return None
        told = labelled(items, name, self._fields)
        if all_of_it := whole(items, self._fields):
            items = (*items, all_of_it)
            [summed] = labelled([all_of_it], name, self._fields)
            told.append(replace(summed, label=str(self._say.all_of_it())))
        derivations = [shared(named.value, MONTH_DAYS) for named in told]
        lines = [
            {"label": named.label, "worth": named.worth, "result": derivation.result}
            for named, derivation in zip(told, derivations, strict=True)
        ]
        text = joined(self._say.per(lines, self._fields.a_day[0], MONTH_DAYS))
        return Answered(text, "per", (*sums_of(items, name), *derivations))

    def _difference(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        items = folded(question, question.meant(shown, _PAIR), self._fields)
        if each := at_several_terms(items):  # 500만원이랑 1,000만원 차이, of two products
            found = [self._apart(question, group) for group in each]
            text = "\n".join(f"• {one.text}" for one in found if one)
            return (
                Answered(text, "difference", tuple(d for one in found if one for d in one.derivations))
                if text
                else None
            )
        return self._apart(question, items)

    def _apart(self, question: Question, items: tuple[Item, ...]) -> Answered | None:
        """How far the least and the most of several items are apart."""
        name = priced(question, items, self._fields)
        if name is None:
            return None
        named = sorted(labelled(items, name, self._fields), key=lambda n: n.value)
        low, high = named[0], named[-1]
        derivations = [*sums_of(items, name), apart(high.value, low.value)]
        differ, step = derivations[-1].result, None
        if differ and (steps := question.steps(items[0], name, self._fields)):
            [(count, unit)] = steps
            derivations.append(times(differ, count))
            step = {"count": count, "unit": unit, "result": derivations[-1].result}
        label = self._fields.figures[name].label
        text = joined(self._say.difference(label, high, low, differ, step))
        return Answered(text, "difference", tuple(derivations))

    def _which(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        held = question.against_others(shown)
        items = folded(question, held or question.meant(shown, _PAIR), self._fields)
        name, most = question.figure(items, self._fields)
        if name is None or len(items) < _PAIR:
            return None
        kind = self._fields.figures[name]
        named = sorted(labelled(items, name, self._fields), key=lambda n: -n.value if most else n.value)
        chosen = [n for n in named if n.value == named[0].value]
        others = [f"{n.label} {n.worth}" for n in named[len(chosen) :][:_OTHERS]]
        best = {item.code for item in items if item.figures[name] == named[0].value}
        claimed = None if not held or question.says(self._fields.which) else question.entities.product_codes[0] in best
        text = joined(self._say.which(kind.label, kind.more if most else kind.less, chosen, others, claimed))
        return Answered(text, "which", tuple(sums_of(items, name)), about=tuple(best) if len(best) == 1 else ())

    def _where(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        sources = shown[0].sources if shown else ()
        return Answered(joined(self._say.where(list(sources[:_OTHERS]))), "where_written") if sources else None
