"""What covers pay: by the time since the contract and the cause, times the days or pieces told, and all together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from app.answering.calculator import Derivation, added, apart, as_counted, times
from app.answering.event import lone_cause, main_of, of_one_event, of_several, paid_in_all, together
from app.answering.question import Question
from app.answering.wording import Answered, Named, joined, labelled, worth_of
from app.dialogue.items import FieldLexicon, Item
from app.dialogue.state import Shown, Terms
from app.language.formatting import money

_MOST_LINES = 4
_PAIR = 2
_RECENT = 2
WHOLE = "amount"  # the figure before it is reduced


class Payments:
    """Pure; built once by the operators. `say` are the sentences of the forms."""

    def __init__(self, fields: FieldLexicon, say: Any) -> None:
        self._fields, self._say = fields, say

    def answer(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """What the covers meant pay in the case told now or before: a line each, added up where they are surely paid
        together. None where nothing that changes their amounts was told."""
        both = any(reference.kind == "both" for reference in question.entities.references)
        items = question.meant(shown, _PAIR if both or question.says(self._fields.one_by_one) else 1)
        event = of_one_event(shown, self._fields) if question.asks_for_all(self._fields) else []
        items = tuple(item for item, _ in event) or items
        name, _ = question.figure(items, self._fields)
        if name is None or not self._fields.figures[name].each_from:
            return None
        by_time = question.told_since(self._fields) or shown[0].terms.since
        if by_time and all(WHOLE in item.figures for item in items):
            name = WHOLE  # what was reckoned by a date is reckoned anew
        found = self._from_which_day(question, items, name) or self._less_paid(question, items, name, shown)
        if found:
            return found
        terms = self._terms(question, shown)
        if event and not terms.cause:
            terms = terms.model_copy(update={"cause": lone_cause(items)})
        fitting = {item.key: item for item in reversed(items) if self._fits(item, terms)}  # once each
        items = tuple(item for item in items if fitting.get(item.key) is item)
        items = tuple(sorted(items, key=lambda item: bool(item.facts.get("optional"))))
        derivations = [as_counted(terms.since[0])] if terms.since else []
        lines, told_times, counted_each = [], None, dict[str, tuple[int, str]]()
        for item, named in zip(items, labelled(items, name, self._fields), strict=True):
            counted = next((times for cover, times in event if cover is item), None)
            own = terms.model_copy(update={"times": counted}) if counted else terms
            line = self._line(question, item, named, name, own)
            lines.append((item, line))
        telling = [(item, line) for item, line in lines if line["state"] or line["step"]]
        summed = question.only_another_product and any(answer.total for answer in shown[1:_PAIR])
        asked = bool(event) or summed or question.says(self._fields.everything)
        each = all(line["step"] or question.counts_one(item, name, self._fields) for item, line in lines)
        beside = of_several([item for item, _ in lines], asked=asked, counted=each)
        if not telling and not (asked and beside):
            return None
        lines = lines if beside else telling
        for item, line in lines[:_MOST_LINES]:
            if question.counts_one(item, name, self._fields):
                counted_each[line["group"]] = (1, self._fields.pieces[item.each[name]][0])
            if step := line["step"]:
                derivations.append(_multiplied(line))
                told_times = (step["count"], step["unit"])
                counted_each[line["group"]] = told_times
        total = paid_in_all(lines, beside)
        if total and len(total) > 1:
            derivations.append(added(total))
        apiece = counted_each if len({line["group"] for _, line in lines}) > 1 else {}
        terms = terms.model_copy(update={"times": told_times or terms.times, "counted": apiece or terms.counted})
        amount = sum(total) if total else None
        told = [line for _, line in lines[:_MOST_LINES]]
        sums = [money(part) for part in total] if len(total) > 1 else []
        riders = bool(sums) and any(item.facts.get("optional") for item in beside)
        text = joined(self._say.paid(told, terms.since and terms.since[0], sums, amount, riders, asked))
        return Answered(text, "total", tuple(derivations), amount, terms)

    def from_which_day(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """왜 15일치가 아니죠: from which day of a stay the covers shown last are paid."""
        items = question.meant(shown[:1], 1)
        name, _ = question.figure(items, self._fields)
        return self._from_which_day(question, items, name) if name else None

    def _from_which_day(self, question: Question, items: Sequence[Item], name: str) -> Answered | None:
        """첫날부터 줘요, of what is paid a day: from which day of a stay."""
        daily = [item for item in items if item.each.get(name) == self._fields.daily and "excluded_days" in item.facts]
        of_days = question.reading.form == "why" and any(m.days for m in question.entities.durations)
        if not daily or not (question.says(self._fields.first_day) or of_days):
            return None
        lines = [
            {"label": named.label, "excluded": int(item.facts["excluded_days"])}
            for item, named in zip(daily, labelled(daily, name, self._fields), strict=True)
        ]
        return Answered(joined(self._say.from_day(lines[:_MOST_LINES], of_days)), "why" if of_days else "yes_no")

    def _less_paid(
        self, question: Question, items: Sequence[Item], name: str, shown: Sequence[Shown]
    ) -> Answered | None:
        """그거 받고 중증이 되면 얼마 더, of a stage that pays what is left: less the stage told before."""
        if len(items) != 1 or not question.says(self._fields.already):
            return None
        lower = str(items[0].facts.get("less_paid", "")).split(", ")
        told = [i for answer in shown[1:] for i in answer.items if i.name in lower and i.code == items[0].code]
        if not told or name not in told[0].figures:
            return None
        pair = labelled((items[0], told[0]), name, self._fields)
        derivation = apart(pair[0].value, pair[1].value)
        text = joined(self._say.less_paid(pair[0], pair[1], money(derivation.result)))
        return Answered(text, "difference", (derivation,))

    def carried(self, shown: Sequence[Shown]) -> tuple[int, str] | None:
        """The days or pieces that an answer before counted, where the newest, which counts none, is of the same kind of
        cover: 15일 입원 was told, then that it was an accident."""
        if not shown or shown[0].terms.times:
            return None
        kinds = {item.facts.get("coverage_type") for item in shown[0].items} - {None}
        earlier = (answer for answer in shown[1 : 1 + _RECENT] if answer.terms.times)
        alike = (a for a in earlier if kinds & {item.facts.get("coverage_type") for item in a.items})
        return next((answer.terms.times for answer in alike), None)

    def everything(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """The sum of what several answers before told is paid for one event, as the case is known now; None for one
        cover alone."""
        event = of_one_event(shown, self._fields)
        terms = self._terms(question, shown)
        terms = terms.model_copy(update={"cause": terms.cause or lone_cause(item for item, _ in event)})
        lines: list[tuple[Item, dict[str, Any]]] = []
        for item, counted in main_of(event):
            name = next(name for name in item.figures if self._fields.figures[name].each_from)
            name = WHOLE if WHOLE in item.figures else name
            [named] = labelled([item], name, self._fields)
            if self._fits(item, terms):
                own = terms.model_copy(update={"times": counted})
                lines.append((item, self._line(question, item, named, name, own)))
        if len(lines) < _PAIR:
            return None
        derivations = [_multiplied(line) for _, line in lines if line["step"]]
        total = added([int(line["result"]) for _, line in lines])
        told = [{"label": item.name, "worth": money(int(line["result"]))} for item, line in lines]
        beside = together([item for item, _ in lines], asked=True)
        text = joined(self._say.everything(told, total.result, not beside))
        return Answered(text, "total", (*derivations, total), total.result, of_all=True)

    def _terms(self, question: Question, shown: Sequence[Shown]) -> Terms:
        """What is told now, and of what was told before what still holds."""
        before = [answer.terms for answer in shown[:_RECENT]]
        known = question.told.since
        kept = next((terms.since for terms in before if terms.since and known in (None, terms.known)), None)
        since = question.told_since(self._fields) or kept or known
        counted, cause = self.carried(shown), question.cause(self._fields)
        if not cause and not question.names_an_illness:
            cause = next((terms.cause for terms in before if terms.cause), question.told.cause)
        if not question.names_a_case() or (before and question.goes_on_with(shown[0].items)):
            counted = counted or next((terms.times for terms in before if terms.times), None)
        if counted and question.names_a_treatment and not self._counted_of(shown, counted):
            counted = None
        each = next((terms.counted for terms in before if terms.times == counted), {}) if counted else {}
        return Terms(since=since, known=known, cause=cause, times=counted, counted=each)

    def _counted_of(self, shown: Sequence[Shown], counted: tuple[int, str]) -> bool:
        """Whether what was counted holds for what was shown last: days and months of a stay do, pieces only of the same
        cover (임플란트 두 개, then 크라운도 했어요: the teeth before had another treatment)."""
        if counted[1] in (self._fields.day, self._fields.month):
            return True
        now = {item.name for item in shown[0].items}
        return any(now & {item.name for item in answer.items} for answer in shown[:_RECENT] if answer.terms.times)

    @staticmethod
    def _fits(item: Item, terms: Terms) -> bool:
        return not terms.cause or item.facts.get("cause") in (None, terms.cause)

    def _line(self, question: Question, item: Item, named: Named, name: str, terms: Terms) -> dict[str, Any]:
        """One cover in the case: whether it is waited for, reduced or whole, and what it pays times what."""
        state, value = self.state(item, name, terms)
        each = item.each.get(name, "")
        steps = question.steps(item, name, self._fields)
        steps = steps or (() if question.counts_one(item, name, self._fields) else self.counted(item, name, terms))
        line: dict[str, Any] = {
            "label": named.label,
            "group": item.group,
            "state": state,
            "months": item.facts.get("reduction_months"),
            "days": item.figures.get("waiting_days"),
            "spares": state == "reduced" and not terms.cause and bool(item.facts.get("disease_only")),
            "worth": worth_of(value, each, self._fields.figures[name], self._fields),
            "limit": item.facts.get("limit"),
            "optional": bool(item.facts.get("optional")),
            "value": value,
            "result": value,
            "step": None,
        }
        if steps and value:
            [(count, unit)] = steps
            excluded = int(item.facts.get("excluded_days", 0)) if each == self._fields.daily else 0
            paid = self.within(max(0, count - excluded), item, each)
            line["step"] = {"count": count, "unit": unit, "excluded": excluded, "paid": paid}
            line["step"] |= {"cut": paid < count - excluded, "result": value * paid}
            line["result"] = value * paid
        return line

    def within(self, count: int, item: Item, each: str) -> int:
        """How many of those counted are paid, by the limits of the cover."""
        names = ["limit_total"] if each == self._fields.monthly else ["limit_per_year", "limit_total", "limit_per_stay"]
        limits = [int(item.facts[name]) for name in names if item.facts.get(name)]
        return min([count, *limits])

    def counted(self, item: Item, name: str, terms: Terms) -> tuple[tuple[int, str], ...]:
        """What was counted before, where this is counted by the same: days, months or pieces."""
        told = terms.counted.get(item.group) if terms.counted else terms.times
        if told is None:
            return ()
        each, unit = item.each.get(name, ""), told[1]
        by = {self._fields.daily: (self._fields.day,), self._fields.monthly: (self._fields.month,)}
        return (told,) if unit in by.get(each, self._fields.pieces.get(each, ())) else ()

    @staticmethod
    def state(item: Item, name: str, terms: Terms) -> tuple[str, int]:
        """Whether a cover is still waited for, reduced, spared or whole that long after the contract, and what it then
        pays; '' where it makes no difference."""
        months, value = item.facts.get("reduction_months"), item.figures[name]
        if name != WHOLE:
            return "", value  # a result that was reckoned by dates
        if terms.since is not None and terms.since[1] < item.figures.get("waiting_days", 0):
            return "waiting", 0
        if not months:
            return "", value
        if terms.cause and item.facts.get("disease_only") and terms.cause != item.facts.get("cause", "질병"):
            return "spared", value
        if terms.since is None:
            return "", value
        if terms.since[0] >= int(months):
            return "whole", value
        # A result that does not say the reduced amount tells of the reduction itself.
        return ("reduced", int(item.facts["reduced_amount"])) if item.facts.get("reduced_amount") else ("", value)


def _multiplied(line: Mapping[str, Any]) -> Derivation:
    return times(line["value"], line["step"]["paid"])
