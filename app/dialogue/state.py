"""What the last answers of a talk showed, newest first: what 그중에, 둘 다, 싼 거 and 합치면 are resolved against."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from app.dialogue.consultation import Consultation
from app.dialogue.items import FieldLexicon, Item, Reason, facts_of

REMEMBERED = 4
_HEADINGS = 2
log = logging.getLogger(__name__)


class Terms(BaseModel):
    """What was told of a case and holds on while nothing else is told: `times` of what is paid, those `counted` for
    each of several things by what it was found for, months and days `since` the contract was made, the `cause`. `known`
    is the time since the contract that the talk told then: once it tells
    another, `since` no longer holds."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    times: tuple[int, str] | None = None
    counted: dict[str, tuple[int, str]] = {}
    since: tuple[int, int] | None = None
    known: tuple[int, int] | None = None
    cause: str = ""


class Shown(BaseModel):
    """What one answer showed. `held`: it is of somebody's own contracts, whose figures are not to be reckoned anew.
    `operator` answered over it, `total` is the sum that it told, 원, `terms` what it was reckoned by;
    `reasons` say why something does not fit."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tools: tuple[str, ...]
    items: tuple[Item, ...] = ()
    sources: tuple[str, ...] = ()
    held: bool = False
    reasons: tuple[Reason, ...] = ()
    total: int | None = None
    operator: str = ""
    terms: Terms = Terms()


class DialogueState(BaseModel):
    """Frozen and small; the graph keeps it as JSON. A state of another version is begun anew."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    version: Literal[2] = 2
    shown: tuple[Shown, ...] = ()
    consultation: Consultation | None = None

    @classmethod
    def of(cls, kept: Mapping[str, Any] | None) -> DialogueState:
        """The state as a thread keeps it; an empty one where there is none yet, or another version wrote it."""
        try:
            return cls.model_validate(kept or {})
        except ValidationError:
            log.warning("what was shown was kept by another version and is forgotten")
            return cls()

    def figures(self) -> frozenset[int]:
        """Every figure that was shown, 원 or 일."""
        items = (item for shown in self.shown for item in shown.items)
        values = (value for item in items for value in (*item.figures.values(), *item.facts.values()))
        totals = (shown.total for shown in self.shown)
        return frozenset(value for value in chain(values, totals) if type(value) is int)

    def headings(self) -> tuple[str, ...]:
        """What the last answer is written under: the titles that its sources quote, else the covers that it showed."""
        if not self.shown:
            return ()
        titles = [title for source in self.shown[0].sources for title in source.split("'")[1::2]]
        covers = [item.name for item in self.shown[0].items if item.of]
        return tuple(dict.fromkeys(titles or covers))[:_HEADINGS]

    def figures_told(self) -> str:
        """The items with their figures as text, for whoever checks that a figure was shown."""
        return str([shown.model_dump(mode="json", exclude_defaults=True) for shown in self.shown]) if self.shown else ""

    def after(self, results: Sequence[tuple[str, Mapping[str, Any]]], fields: FieldLexicon) -> DialogueState:
        """The state after the results of a turn, (tool, data) each; the same where they show nothing."""
        contracts = [result for result in results if "contracts" in result[1]]
        state = self._with(contracts, fields, held=True) if contracts else self
        others = [result for result in results if result not in contracts]
        return state._with(others, fields, held=False) if others else state

    def _with(
        self, results: Sequence[tuple[str, Mapping[str, Any]]], fields: FieldLexicon, *, held: bool
    ) -> DialogueState:
        found = [facts_of(data, fields) for _, data in results]
        items: list[Item] = []
        for item in chain.from_iterable(facts.items for facts in found):
            if item not in items:
                items.append(item)
        sources = tuple(dict.fromkeys(source for facts in found for source in facts.sources))
        reasons = tuple(reason for facts in found for reason in facts.reasons)
        if not (items or sources or reasons):
            return self
        tools = tuple(tool for tool, _ in results)
        same = next((shown for shown in self.shown if shown.items == tuple(items) and items), None)
        terms = same.terms if same else Terms()
        newest = Shown(tools=tools, items=tuple(items), sources=sources, held=held, reasons=reasons, terms=terms)
        earlier = [shown for shown in self.shown if shown.items != newest.items or not newest.items]
        return self.model_copy(update={"shown": _remembered((newest, *earlier))})

    def narrowed(self, about: Sequence[str]) -> DialogueState:
        """The state where some of the contracts shown were told of, by their products: they are what was shown last,
        before all of them, until others are told of."""
        told, table = contracts_shown(self.shown)
        rows = tuple(item for item in table.items if item.code in about) if table else ()
        if table is None or not rows:
            return self
        others = tuple(shown for shown in self.shown if shown is table or shown is not told)
        if len(rows) < len(table.items):
            others = (table.model_copy(update={"items": rows, "sources": (), "reasons": ()}), *others)
        return self.model_copy(update={"shown": _remembered(others)})

    def answered(
        self, operator: str, total: int | None, terms: Terms | None = None, *, of_all: bool = False
    ) -> DialogueState:
        """The state where an operator answered over what was shown, with the sum that it told; a sum `of_all` that
        several answers told stands by itself."""
        if not self.shown:
            return self
        if of_all:
            summed = Shown(tools=(), operator=operator, total=total)
            return self.model_copy(update={"shown": (summed, *self.shown)[: REMEMBERED + 1]})
        kept = self.shown[0].terms if terms in (None, Terms()) else terms
        newest = self.shown[0].model_copy(update={"operator": operator, "total": total, "terms": kept})
        return self.model_copy(update={"shown": (newest, *self.shown[1:])})


def _remembered(shown: Sequence[Shown]) -> tuple[Shown, ...]:
    """The newest ones, and the contracts shown last however long ago: the talk is of that customer."""
    kept = tuple(shown[:REMEMBERED])
    return kept + tuple(answer for answer in shown[REMEMBERED:] if answer.held)[:1]


def contracts_shown(shown: Sequence[Shown]) -> tuple[Shown | None, Shown | None]:
    """The contracts that were told of last, and all of that customer's that were shown; twice None where none were."""
    told = table = next((answer for answer in shown if answer.held and answer.items), None)
    for answer in shown:
        if table and answer.held and all(item in answer.items for item in table.items):
            table = answer
    return told, table
