"""What is asked of several contracts: how many, the first, what was paid and is to be paid, which to give up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from app.answering.calculator import added, times
from app.answering.contract_rows import day_of, in_state, months_paid
from app.answering.contract_words import MOST, PREMIUM, Asked, ContractWords, said_day
from app.answering.sums import total_of
from app.answering.wording import Answered
from app.dialogue.items import Item
from app.insurance.periods import months_between
from app.language.formatting import money, won
from app.language.normalise import compact

_SUM, _PAIR = "sum_insured", 2
_SHORT = 6  # letters


class ContractSums(ContractWords):
    """Pure; built once by the holdings."""

    # What is asked of several of them.

    def count(self, asked: Asked) -> Answered | None:
        """몇 건이야: of a state, a kind or all."""
        states = asked.chosen.states or asked.question.states
        rows = in_state(states, asked.set_of_rows, self._held) if states else asked.set_of_rows
        living = in_state([self._held.living], rows, self._held)
        lines = [self.line(row, [self._held.state, "contract_date"], [PREMIUM]) for row in rows]
        beside = len(living) if not states and len(living) < len(rows) else None
        return self.told(self._say.held_count(", ".join(states), len(rows), beside, lines), rows, "filter")

    def premiums(self, asked: Asked) -> Answered | None:
        """다 합치면 한 달에 얼마: of those named, else of all that give cover."""
        rows = asked.rows if asked.chosen.states else in_state([self._held.living], asked.set_of_rows, self._held)
        if len(rows) < _PAIR or asked.question.entities.durations:
            return None
        told = total_of(rows, PREMIUM, (), self._fields, self._say)
        return replace(told, settled=True, about=tuple(row.code for row in rows))

    def worth(self, asked: Asked) -> Answered | None:
        """가입금액 다 더하면: of those that give cover."""
        rows = in_state([self._held.living], asked.set_of_rows, self._held)
        if len(rows) < _PAIR:
            return None
        every = added([row.figures[_SUM] for row in rows])
        lines = [self.line(row, (), [_SUM]) for row in rows]
        text = self._say.held_worth(lines, money(every.result))
        return self.told(text, rows, "total", sums=[every], total=every.result)

    def first(self, asked: Asked) -> Answered | None:
        return self._by_day(asked, min, first=True)

    def last(self, asked: Asked) -> Answered | None:
        return self._by_day(asked, max, first=False)

    def _by_day(self, asked: Asked, best: Callable[..., Item], *, first: bool) -> Answered | None:
        rows = [row for row in asked.set_of_rows if row.facts.get("contract_date")]
        if not rows or (asked.facts and asked.facts != ["contract_date"]):
            return None
        row = best(rows, key=lambda row: str(row.facts["contract_date"]))
        line = self.line(row, [self._held.state], [PREMIUM])
        return self.told(self._say.held_by_day(first, row.name, said_day(str(row.facts["contract_date"])), line), [row])

    def exists(self, asked: Asked) -> Answered | None:
        """치아도 있나: whether there is one of the kind, where no more is asked."""
        question = asked.question
        told = question.entities
        named = [*told.categories, *told.products]
        if not named or asked.facts or told.riders or told.benefits:
            return None
        rest = question.text
        for mention in sorted(named, key=lambda m: -m.start):
            rest = rest[: mention.start] + rest[mention.end :]
        if len(compact(rest)) > _SHORT:
            return None
        if asked.chosen.lacking:
            return self.lacking(asked)
        lines = [self.line(row, [self._held.state, "contract_date"], self._held.figures) for row in asked.rows]
        return self.told(self._say.held_some(lines), asked.rows)

    def give_up(self, asked: Asked) -> Answered | None:
        """둘 중 뭘 깨는 게 나아: what decides it, never which."""
        rows = in_state([self._held.living], asked.set_of_rows, self._held)
        if not rows or len(rows) > MOST:
            return None
        lines = []
        for row in rows:
            line = self.line(row, ["contract_date"], self._held.figures)
            lines.append(line | {"months": months_paid(row, asked.today)})
        return self.told(self._say.held_give_up(lines), rows, dated=True)

    # Sums of money, reckoned by the premium and the months.

    def paid(self, asked: Asked) -> Answered | None:
        return self._sums(asked, lambda row: months_paid(row, asked.today), self._say.held_paid)

    def unpaid(self, asked: Asked) -> Answered | None:
        def months(row: Item) -> int:
            until = day_of(row, "paid_until") or day_of(row, "end_date")
            return max(months_between(asked.today, until), 0) if until and row.facts.get("in_force") else 0

        return self._sums(asked, months, self._say.held_unpaid)

    def overdue(self, asked: Asked) -> Answered | None:
        def months(row: Item) -> int:
            lapse = day_of(row, "lapse_date")
            return max(months_between(lapse, asked.today), 1) if lapse else 0

        lapsed = in_state([self._held.lapsed], asked.rows, self._held)
        lapsed = lapsed or in_state([self._held.lapsed], asked.table.rows, self._held)
        return self._sums(asked, months, self._say.held_overdue, lapsed) if lapsed else None

    def _sums(
        self, asked: Asked, months: Callable[[Item], int], say: Any, rows: Sequence[Item] | None = None
    ) -> Answered | None:
        of = [(row, months(row)) for row in (asked.rows if rows is None else rows) if PREMIUM in row.figures]
        of = [(row, count) for row, count in of if count]
        if not of or len(of) > MOST:
            return None
        sums = [times(row.figures[PREMIUM], count) for row, count in of]
        lines = [
            {"name": row.name, "premium": won(row.figures[PREMIUM]), "months": count, "sum": won(step.result)}
            for (row, count), step in zip(of, sums, strict=True)
        ]
        every = added([step.result for step in sums])
        derivations = [*sums, every] if len(sums) > 1 else sums
        text = say(lines, won(every.result) if len(sums) > 1 else "")
        return self.told(text, [row for row, _ in of], "total", sums=derivations, total=every.result)
