"""The contracts that were shown as a table: which of its rows a message means, and what is reckoned of a row."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date

from app.answering.question import Question, matches
from app.dialogue.items import HeldLexicon, Item
from app.dialogue.state import Shown, contracts_shown
from app.insurance.periods import months_between

_PAIR = 2
_LATEST = "9999"
_OTHERS = frozenset({"rest", "other"})


@dataclass(frozen=True)
class Chosen:
    """The rows that a message means. `named`: by words of its own, not by what the talk is of; `states` are the states
    that it names; `lacking`: it names a kind that none of them is of; `spoken`: those that the talk is of; `described`:
    by their state, their year (`by_year`) or as the rest."""

    rows: tuple[Item, ...]
    named: bool = False
    states: tuple[str, ...] = ()
    lacking: bool = False
    spoken: tuple[Item, ...] = ()
    described: bool = False
    by_year: bool = False


@dataclass(frozen=True)
class ContractTable:
    """A customer's contracts: all `rows`, those that the last answer was of (`told`, none where it was of all), and
    whether they were what was shown last (`newest`)."""

    rows: tuple[Item, ...]
    told: tuple[Item, ...] = ()
    newest: bool = True

    @classmethod
    def of(cls, shown: Sequence[Shown]) -> ContractTable | None:
        """The table of the customer shown last; None where no contracts were shown."""
        told, table = contracts_shown(shown)
        if told is None or table is None:
            return None
        return cls(table.items, told.items if len(told.items) < len(table.items) else (), shown[0] is told)

    def choose(self, question: Question, held: HeldLexicon, focus: Collection[str]) -> Chosen:
        """The rows meant: by state, product, kind, place, year of the contract, or as the rest; else those in focus,
        those told last, all."""
        focused = tuple(row for row in self.rows if row.code in focus)
        spoken = focused if len(focused) == 1 else self.told or (focused if len(focused) < len(self.rows) else ())
        references = {mention.kind for mention in question.entities.references}
        rest = bool(references & _OTHERS)
        base = tuple(row for row in self.rows if row not in spoken) if spoken and rest else self.rows
        if rest and len(focused) == 1 and len(self.rows) == _PAIR and focused != self.told:
            base = focused  # the other of two was found when the message was read
        if self.told and question.says(held.among):
            base = self.told
        # 실효된 거 빼고: what is left out is none of what is asked for
        named_states = {name: f"(?:{state.named})(?!{held.left_out})" for name, state in held.states.items()}
        states = tuple(name for name, words in named_states.items() if question.says(words))
        rows = self._counted(question, base) or question.pointed(base) or base
        rows = rows if not states else in_state(states, rows, held)
        if years := _years(question, held):
            rows = tuple(row for row in rows if any(span.holds(row) for span in years))
        kinds = {mention.category for mention in question.entities.categories if not mention.negated}
        codes = question.entities.product_codes
        lacking = bool(kinds or codes) and not any(
            row.facts.get("category") in kinds or row.code in codes for row in base
        )
        if lacking:
            return Chosen((), True, states, lacking, spoken)
        named = rows != self.rows
        return Chosen(
            rows if named else spoken or rows,
            named or bool(states or years),
            states,
            False,
            spoken,
            bool(states or years or rest),
            bool(years),
        )

    def _counted(self, question: Question, base: tuple[Item, ...]) -> tuple[Item, ...]:
        """그 둘: as many as were told last, or as give cover."""
        counts = {mention.count for mention in question.entities.references if mention.kind == "both"}
        sets = (self.told, tuple(row for row in base if row.facts.get("in_force")), base)
        return next((rows for rows in sets if rows and len(rows) in counts), ())


def in_state(states: Collection[str], rows: Sequence[Item], held: HeldLexicon) -> tuple[Item, ...]:
    """The rows in one of these states; living are all that give cover."""
    living = held.living in states
    return tuple(row for row in rows if row.facts.get("status") in states or (living and row.facts.get("in_force")))


def day_of(row: Item, name: str) -> date | None:
    """A day of a contract."""
    told = row.facts.get(name)
    return date.fromisoformat(str(told)) if told else None


def months_paid(row: Item, today: date) -> int:
    """For how many whole months premiums were paid until `today`: from the contract to its end, lapse or last premium;
    what was not paid is paid up where it was reinstated."""
    begun = day_of(row, "contract_date")
    ends = [day_of(row, "paid_until"), day_of(row, "end_date")]
    if not row.facts.get("reinstated_date"):
        ends.append(day_of(row, "lapse_date"))
    last = min([today, *(end for end in ends if end)])
    return max(months_between(begun, last), 0) if begun else 0


def interrupted(row: Item, day: date) -> bool:
    """Whether a contract gave no cover on a day: before it was made, after its end, or from its lapse to where it was
    reinstated."""
    begun, lapse, again = day_of(row, "contract_date"), day_of(row, "lapse_date"), day_of(row, "reinstated_date")
    ended = day_of(row, "end_date")
    if (begun and day < begun) or (ended and day >= ended):
        return True
    return lapse is not None and lapse <= day and (again is None or day < again)


def day_told(question: Question, today: date) -> tuple[date | None, bool]:
    """The day that a message tells of, or the first of its month, and whether it is the day itself; a month without its
    year is the last one of that name. None where neither is told."""
    for mention in question.entities.dates:
        if mention.negated:
            continue
        if mention.value:
            return mention.value, True
        if mention.month:
            year = mention.year or today.year - ((mention.month, 1) > (today.month, today.day))
            return date(year, mention.month, 1), False
    return None, False


@dataclass(frozen=True)
class _Years:
    """The years from the `first` to the `last`, as text."""

    first: str
    last: str

    def holds(self, row: Item) -> bool:
        """Whether a contract was made in one of them."""
        return self.first <= str(row.facts.get("contract_date", ""))[:4] <= self.last


def _years(question: Question, held: HeldLexicon) -> list[_Years]:
    """The years of contracts that are named (2022년에 든 거, 2025년 이후, 2024년 전에 든 거)."""
    spans = []
    for mention in question.entities.dates:
        if mention.role != "contract" or not mention.year or mention.month or mention.negated:
            continue
        year, behind = mention.year, question.text[mention.end :]
        if matches(held.years_after, behind):
            spans.append(_Years(str(year), _LATEST))
        elif matches(held.years_before, behind):
            spans.append(_Years("", str(year - 1)))
        else:
            spans.append(_Years(str(year), str(year)))
    return spans
