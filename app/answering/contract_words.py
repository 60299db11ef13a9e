"""A message asked of a table of contracts, and how rows of the table are said."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from app.answering.calculator import Derivation
from app.answering.contract_rows import Chosen, ContractTable
from app.answering.question import Question
from app.answering.wording import Answered, joined
from app.dialogue.items import FieldLexicon, Item
from app.language.formatting import date_ko, money, won
from app.understanding.forms import Form

MOST = 6
PREMIUM = "premium"


@dataclass(frozen=True)
class Asked:
    """A message asked of a table of contracts, with the rows that it means and the facts and figures that it names."""

    question: Question
    table: ContractTable
    chosen: Chosen
    facts: Sequence[str]
    figures: Sequence[str]
    today: date

    @property
    def rows(self) -> tuple[Item, ...]:
        return self.chosen.rows

    @property
    def set_of_rows(self) -> tuple[Item, ...]:
        """The rows of a question of several: those named, else all."""
        return self.rows if self.chosen.named else self.table.rows


class ContractWords:
    """How contracts are said; `say` are the sentences of the forms."""

    def __init__(self, fields: FieldLexicon, say: Any) -> None:
        self._fields, self._held, self._say = fields, fields.held, say

    def told(
        self,
        text: Any,
        rows: Sequence[Item],
        form: Form = "lookup",
        *,
        sums: Sequence[Derivation] = (),
        total: int | None = None,
        dated: bool = False,
    ) -> Answered:
        """The answer over rows, which the talk goes on with; `dated`: it tells lengths of time by the calendar."""
        said = joined(text)
        about = tuple(dict.fromkeys(row.code for row in rows))
        grounds = (said,) if dated else ()
        return Answered(said, form, tuple(sums), total, about=about, settled=True, grounds=grounds)

    def label(self, row: Item, name: str) -> str:
        """What a day of a contract is called: the end of one that was given up is none of its term."""
        state = self._held.states.get(str(row.facts.get("status")))
        ended = state is not None and state.since == name and row.facts.get("status") in self._held.ended
        return state.label if state and ended else self._held.facts[name].label

    def lacking(self, asked: Asked) -> Answered:
        """That no contract is of the kinds or products that are named."""
        told = asked.question.entities
        kinds = [mention.category or "" for mention in told.categories if not mention.negated]
        return self.told(self._say.held_lacking(kinds, [mention.text for mention in told.products]), ())

    def line(self, row: Item, names: Sequence[str], figures: Sequence[str]) -> dict[str, Any]:
        facts = self._held.facts
        known = [name for name in names if row.facts.get(name)]
        told = [(self.label(row, name), said_day(str(row.facts[name]))) for name in known]
        none = [facts[name].none for name in names if not row.facts.get(name) and facts[name].none]
        return {"name": row.name, "told": [*told, *self._figures(row, figures)], "none": none}

    def _figures(self, row: Item, names: Sequence[str]) -> list[tuple[str, str]]:
        kinds = self._fields.figures
        monthly = [name for name in names if row.each.get(name) in self._fields.front]
        return [
            (kinds[name].label, won(row.figures[name]) if name in monthly else money(row.figures[name]))
            for name in names
            if name in row.figures
        ]


def said_day(text: str) -> str:
    """A day in words; any other text as it is."""
    try:
        return date_ko(date.fromisoformat(text))
    except ValueError:
        return text
