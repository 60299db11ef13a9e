"""The days of contracts: a state on one of them, how long ago one was and how far off it is."""

from __future__ import annotations

from app.answering.contract_rows import day_of, day_told, in_state, interrupted
from app.answering.contract_words import MOST, Asked, ContractWords, said_day
from app.answering.wording import Answered
from app.insurance.periods import months_between
from app.language.formatting import date_ko


class ContractDays(ContractWords):
    """Pure; built once by the holdings."""

    # Days: a state on one of them, how long ago and how far off.

    def that_day(self, asked: Asked) -> Answered | None:
        """3월에 수술했는데 그때 끊겨 있었나: whether a contract gave cover then."""
        day, whole = day_told(asked.question, asked.today)
        rows = asked.rows
        if len(rows) > 1:
            rows = tuple(row for row in rows if row.facts.get("lapse_date"))
        if day is None or not rows or len(rows) > MOST:
            return None
        lines = []
        for row in rows:
            out = interrupted(row, day)
            days = [name for name in ("contract_date", "lapse_date", "reinstated_date") if row.facts.get(name)]
            told = [(self._held.facts[name].label, said_day(str(row.facts[name]))) for name in days]
            lines.append({"name": row.name, "out": out, "told": told})
        said = date_ko(day) if whole else date_ko(day).rsplit(" ", 1)[0]
        return self.told(self._say.held_that_day(said, lines), rows, dated=True)

    def why(self, asked: Asked) -> Answered | None:
        """왜 실효됐어: by what a contract lapses, and what is not known."""
        if asked.chosen.lacking:
            return self.lacking(asked)
        rows = [row for row in asked.rows if row.facts.get("lapse_date")]
        rows = rows or [row for row in asked.table.rows if row.facts.get("status") == self._held.lapsed]
        if len(rows) != 1:
            return None
        return self.told(self._say.held_why(rows[0].name, said_day(str(rows[0].facts["lapse_date"]))), rows)

    def lengths(self, asked: Asked) -> Answered | None:
        """How long ago a day of a contract was (끊긴 지), or how far off one is (만기 얼마 남았어)."""
        question, held = asked.question, self._held
        name = next((name for name, pattern in held.left.items() if question.says(pattern)), "")
        off = bool(name) or question.says(held.lasting)
        if not off:
            name = next((name for name, pattern in held.since.items() if question.says(pattern)), "")
            if not name:
                return None
        rows = asked.rows if asked.chosen.named or len(asked.rows) < len(asked.table.rows) else ()
        rows = rows or tuple(row for row in asked.table.rows if not name or row.facts.get(name))
        lines = []
        for row in rows[:MOST]:
            column = name or next((column for column in held.left if row.facts.get(column)), "")
            if column == "paid_until" and not row.facts.get(column):
                column = "end_date"
            day = day_of(row, column)
            if day is None:
                continue
            months = months_between(asked.today, day) if off else months_between(day, asked.today)
            lines.append({"name": row.name, "label": self.label(row, column), "day": date_ko(day), "months": months})
            lines[-1] |= {"days": abs((day - asked.today).days), "past": day < asked.today}
        return self.told(self._say.held_length(lines, off), rows, "when", dated=True) if lines else None

    def whens(self, asked: Asked) -> Answered | None:
        """언제 해지됐어: the day on which those in a state came to it."""
        named = [name for name, state in self._held.states.items() if asked.question.says(state.when)]
        rows = in_state(named, asked.rows, self._held) or in_state(named, asked.table.rows, self._held)
        if not named or not rows:
            return None
        since = self._held.states[named[0]].since
        return self.told(self._say.held([self.line(row, [since], ()) for row in rows]), rows)
