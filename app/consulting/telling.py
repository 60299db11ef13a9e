"""A proposal in words: short, every figure from the proposal itself. Pure."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from app.advice.book import AdviceBook
from app.advice.desk import Shown
from app.advice.edits import (
    AddPerson,
    ChooseVariant,
    CorrectPerson,
    Edit,
    FromFirstDay,
    LeaveOut,
    OnlyFixed,
    OtherBudget,
    OtherSum,
    RemovePerson,
    TakeBack,
)
from app.advice.models import Line, Person, Proposal, Variant
from app.answering.calculator import Derivation, unsupported
from app.insurance.wording import gender_word, money, topic, won

log = logging.getLogger(__name__)
_MOST, _FEW = 4, 2


class Telling:
    """Tells proposals by a company's wording."""

    def __init__(self, book: AdviceBook) -> None:
        self._book = book
        words = book.words["talk"]
        assert isinstance(words, Mapping)
        self._words = words

    def say(self, key: str, **values: object) -> str:
        """A sentence of the talk."""
        return self._words[key].format(**values)

    def proposal(
        self, shown: Shown, front: Sequence[str] = (), disclosed: Iterable[str] = (), *, short: bool = False
    ) -> str:
        """The chosen variant by person, the other totals, what stays open and what is refused, what to do next, and the
        disclosures not told before. `short` leaves the reasons out."""
        proposal = shown.proposal
        variant = chosen(proposal)
        parts = [*shown.notices, *front]
        if variant is None:
            parts += [proposal.nothing or "", *self._refused(proposal)]
        else:
            head = [] if short and front else [self._head(proposal, variant)]
            parts += [
                *head, *self._people(proposal, variant, short=short), *self._others(proposal),
                *self._open(proposal, variant), *self._refused(proposal, most=_FEW if short else _MOST),
                *self._asks(shown), self.say("next"),
            ]  # fmt: skip
        told = set(disclosed)
        duties = [item.text for item in proposal.disclosures if item.text not in told]
        body = "\n".join(part for part in parts if part)
        return "\n\n".join([body, "\n".join(duties)]) if duties else body

    def _asks(self, shown: Shown) -> list[str]:
        """What would make it fit better."""
        return [self.say("better", all=" ".join(slot.ask for slot in shown.ask))] if shown.ask else []

    def total(self, shown: Shown) -> str:
        """What the chosen variant costs in all and by person, and the others."""
        proposal, labels = shown.proposal, _labels(shown.proposal)

        def told(variant: Variant) -> list[str]:
            return [
                self.say("total", title=variant.title, premium=won(variant.premium)),
                *(
                    self.say("total_person", who=labels[part.person], premium=won(part.premium))
                    for part in variant.people
                    if part.lines
                ),
                *self._others(proposal),
            ]

        return self._of_chosen(shown, told)

    def why(self, shown: Shown) -> str:
        """Why each line of the chosen variant is recommended."""
        labels = _labels(shown.proposal)

        def told(variant: Variant) -> list[str]:
            lines = [(part.person, line) for part in variant.people for line in part.lines]
            return [
                self.say("why_front", title=variant.title),
                *(
                    self.say("why_line", who=labels[person], product=line.product.name, reason=line.reason)
                    for person, line in lines
                ),
            ]

        return self._of_chosen(shown, told)

    def open(self, shown: Shown) -> str:
        """What the chosen variant leaves uncovered, and what cannot be had."""
        refused = self._refused(shown.proposal, most=99)
        text = self._of_chosen(shown, lambda variant: self._open(shown.proposal, variant, most=99))
        return "\n".join(filter(None, [text, *refused])) or self.say("nothing_open")

    @staticmethod
    def _of_chosen(shown: Shown, told: Callable[[Variant], Sequence[str]]) -> str:
        """What is said of the proposal's state, then what is told of the chosen variant; without one, why."""
        variant = chosen(shown.proposal)
        return "\n".join([*shown.notices, *(told(variant) if variant else [shown.proposal.nothing or ""])])

    def changed(self, edits: Sequence[Edit], before: Shown, after: Shown) -> list[str]:
        """What the edits did, and the total before and after."""
        labels = {**_labels(before.proposal), **_labels(after.proposal)}
        done = [self.say("changed", all=", ".join(dict.fromkeys(self._edit(edit, labels) for edit in edits)))]
        old, new = chosen(before.proposal), chosen(after.proposal)
        if old is not None and new is not None:
            if old.premium == new.premium:
                done.append(self.say("same_total", title=new.title, after=won(new.premium)))
            else:
                values = {"title": new.title, "before": won(old.premium), "after": won(new.premium)}
                done.append(self.say("before_after", **values))
        asked = {(edit.need, edit.person) for edit in edits if isinstance(edit, OtherSum)}
        if new is not None and asked:
            short = [i.text for i in new.left_open if {(i.need, i.person), (i.need, None)} & asked]
            done += dict.fromkeys(short)
        return done

    def _edit(self, edit: Edit, labels: Mapping[str, str]) -> str:
        def who(name: str | None) -> str:
            return self.say("of_whom", who=labels.get(name, name)) if name else ""

        book = self._book
        match edit:
            case LeaveOut():
                return self.say("did_without", what=book.title_of(edit.what), who=who(edit.person))
            case TakeBack():
                return self.say("did_with", what=book.title_of(edit.what), who=who(edit.person))
            case OtherSum():
                amount = money(edit.amount or 0)
                return self.say("did_sum", what=book.title_of(edit.need), amount=amount, who=who(edit.person))
            case OnlyFixed():
                return self.say("did_fixed" if edit.value == "fixed" else "did_any")
            case FromFirstDay():
                what = topic(book.title_of(edit.need)) if edit.need else self.say("any_need")
                return self.say("did_at_once" if edit.value else "did_wait", what=what, who=who(edit.person))
            case OtherBudget():
                if edit.amount is None:
                    return self.say("did_no_budget")
                key = "did_budget_each" if edit.per == "person" else "did_budget"
                return self.say(key, amount=money(edit.amount))
            case AddPerson():
                return self.say("did_add", who=edit.person.label, age=edit.person.age)
            case RemovePerson():
                return self.say("did_remove", who=labels.get(edit.person, edit.person))
            case CorrectPerson():
                name = labels.get(edit.person, edit.person)
                if edit.set.age is not None:
                    return self.say("did_age", who=name, age=edit.set.age)
                return self.say("did_correct", who=name)
            case ChooseVariant():
                titles = {rule.id: rule.title for rule in book.plan.variants}
                return self.say("did_choose", title=titles.get(edit.variant, edit.variant))
        return self.say("did_again")

    def _head(self, proposal: Proposal, variant: Variant) -> str:
        budget = proposal.household.budget
        values = {"title": variant.title, "premium": won(variant.premium)}
        if budget is None:
            return self.say("head", **values)
        each = budget.per == "person" and len(proposal.household.people) > 1
        return self.say("head_each" if each else "head_budget", **values, budget=money(budget.amount))

    def _people(self, proposal: Proposal, variant: Variant, *, short: bool) -> list[str]:
        people = {person.id: person for person in proposal.household.people}
        told = []
        for part in variant.people:
            person = people[part.person]
            values = {"who": person.label, "age": person.age, "sex": gender_word(person.sex)}
            if not part.lines:
                told.append(self.say("person_none", **values))
                continue
            told.append(self.say("person", **values, premium=won(part.premium)))
            told += [self._line(line, person, short=short) for line in part.lines]
        return told

    def _line(self, line: Line, person: Person, *, short: bool) -> str:
        needs = ", ".join(self._book.title_of(need) for need in (line.need, *line.also))
        text = self.say(
            "line_short" if short else "line", product=line.product.name, need=needs, sum=money(line.sum_insured),
            premium=won(line.premium), reason=line.reason,
        )  # fmt: skip
        return text + self.say("verdict", verdict=line.underwriting.verdict) if person.told else text

    def _others(self, proposal: Proposal) -> list[str]:
        others = [
            self.say("other", title=variant.title, premium=won(variant.premium))
            for variant in proposal.variants
            if not variant.chosen
        ]
        return [self.say("others", all=", ".join(others))] if others else []

    def _open(self, proposal: Proposal, variant: Variant, most: int = _MOST) -> list[str]:
        labels, several = _labels(proposal), len(proposal.household.people) > 1
        told = list(
            dict.fromkeys(
                self.say("open_one", who=labels[item.person], text=item.text) if several and item.need else item.text
                for item in variant.left_open
            )
        )
        return [self.say("open", all=self._first(told, most))] if told else []

    def _refused(self, proposal: Proposal, most: int = _MOST) -> list[str]:
        """A line for each person, the products refused for one reason together."""
        labels = _labels(proposal)
        lines = []
        for person in labels:
            reasons: dict[str, list[str]] = {}
            for item in proposal.refused:
                if item.person == person:
                    reasons.setdefault(item.reason.rstrip(". "), []).append(item.product.name)
            told = [self.say("refused_one", products=", ".join(names), reason=why) for why, names in reasons.items()]
            if told:
                lines.append(self.say("refused", who=labels[person], all=self._first(told, most, "; ")))
        return lines

    def _first(self, told: Sequence[str], most: int, between: str = " ") -> str:
        rest = len(told) - most
        shown = [*told[:most], self.say("more")] if rest > 0 else told
        return between.join(shown)


def chosen(proposal: Proposal) -> Variant | None:
    """The chosen variant; None where nothing can be recommended."""
    return next((variant for variant in proposal.variants if variant.chosen), None)


def _labels(proposal: Proposal) -> dict[str, str]:
    return {person.id: person.label for person in proposal.household.people}


def evidence(proposal: Proposal) -> list[str]:
    """What an answer about the proposal may say: what its calls told, and the sums whose derivations hold."""
    lines = [line for variant in proposal.variants for part in variant.people for line in part.lines]
    sums, wrong = sums_told(proposal)
    if wrong:
        log.error("%d derivations of a proposal do not hold and are not told", wrong)
    figures = {figure for line in lines for figure in line_figures(line)} | sums
    texts = [line.product.name for line in lines] + [line.reason for line in lines]
    texts += [refusal.reason for refusal in proposal.refused] + [refusal.product.name for refusal in proposal.refused]
    texts += [item.text for variant in proposal.variants for item in variant.left_open]
    texts += [item.text for item in proposal.disclosures] + [proposal.nothing or ""]
    texts += [str({"age": person.age}) for person in proposal.household.people]
    texts += [money(wish.amount) for wish in proposal.wishes.sums]
    if proposal.household.budget is not None:
        texts.append(money(proposal.household.budget.amount))
    return [
        *(f"{won(figure)} {money(figure)}" for figure in sorted(figures) if figure),
        *dict.fromkeys(filter(None, texts)),
    ]


def sums_told(proposal: Proposal) -> tuple[frozenset[int], int]:
    """The sums over lines whose derivations hold, and how many of all derivations do not. What a line's own figures
    were reckoned from stands in the calls; here only that reckoning itself is done again."""
    lines = [line for variant in proposal.variants for part in variant.people for line in part.lines]
    known = {figure for line in lines for figure in line_figures(line)}
    known |= {cover.held for variant in proposal.variants for cover in variant.cover}
    steps = [
        (".lines." in step.of, Derivation.model_validate(step.model_dump(exclude={"of"})))
        for step in proposal.derivations
    ]
    wrong = [step for inner, step in steps if inner and unsupported([step], step.figures)]
    over = [step for inner, step in steps if not inner]
    unheld = unsupported(over, known)
    return frozenset(step.result for step in over if step not in unheld), len(wrong) + len(unheld)


def line_figures(line: Line) -> list[int]:
    """Every figure of a line that a call told."""
    found: list[Any] = [line.sum_insured, line.main_premium, line.premium]
    found += [rider.premium for rider in line.riders] + [cover.amount for cover in line.covers]
    return found + [point.premium for point in line.renewal.path]
