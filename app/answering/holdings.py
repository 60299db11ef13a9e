"""What the contracts that somebody holds tell: a table whose rows are chosen, counted, summed and held against days."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from datetime import date
from typing import Any

from app.answering.calculator import added
from app.answering.contract_days import ContractDays
from app.answering.contract_rows import ContractTable, in_state
from app.answering.contract_sums import ContractSums
from app.answering.contract_words import MOST, PREMIUM, Asked, ContractWords, said_day
from app.answering.question import Question
from app.answering.wording import Answered, joined
from app.dialogue.items import HOLDER, FieldLexicon, HeldLexicon, Item
from app.dialogue.state import Shown
from app.language.formatting import won
from app.language.normalise import compact

_RIDERS = "riders"
_ENDING = 3  # letters
_SHORT = 12  # letters
_OF_YEARS = 28  # letters


class Holdings(ContractWords):
    """Pure; built once by the operators. `say` are the sentences of the forms."""

    def __init__(self, fields: FieldLexicon, say: Any) -> None:
        super().__init__(fields, say)
        sums, days, asks = ContractSums(fields, say), ContractDays(fields, say), self._held.asks
        self._days = days
        # The order in which they win, each with the pattern that asks for it.
        self._operators: tuple[tuple[str, Callable[[Asked], Answered | None]], ...] = (
            (asks.give_up, sums.give_up),
            (asks.that_day, days.that_day),
            (asks.overdue, sums.overdue),
            (asks.unpaid, sums.unpaid),
            (asks.paid, sums.paid),
            (asks.why, days.why),
            (asks.sum, sums.premiums),
            (asks.worth, sums.worth),
            (asks.first, sums.first),
            (asks.last, sums.last),
            (asks.count, sums.count),
            (asks.exists, sums.exists),
        )
        self._free = (asks.give_up, asks.that_day, asks.why)  # a case may be told beside them

    def answer(
        self,
        question: Question,
        shown: Sequence[Shown],
        focus: Collection[str],
        *,
        today: date,
        just_found: bool = False,
    ) -> Answered | None:
        """What the contracts shown tell, of those that a message means or that are in `focus`; None where it asks for
        something else, or for a contract to be made. `just_found`: of the customer whom this message names."""
        table = ContractTable.of(shown)
        if table is None:
            return None
        if told := self._of_holder(question, table):
            return told
        if not self._is_of_them(question, just_found):
            return None
        facts = self.facts_asked(question)
        figures = [name for name in self._held.figures if question.names(name, self._fields)]
        asked = Asked(question, table, table.choose(question, self._held, focus), facts, figures, today)
        if not question.says("|".join(self._free)) and self._names_a_case(asked):
            return None
        for pattern, operator in self._operators:
            if question.says(pattern) and (told := operator(asked)):
                return told
        last = (self._days.lengths, self._days.whens, self._of_states, self._facts, self._rows)
        return next((told for operator in last if (told := operator(asked)) and told.text), None)

    def opens(self, question: Question) -> bool:
        """Whether a customer's contracts are to be shown: by a name alone, or in words."""
        told = question.entities
        name = next((mention.text for mention in told.names), "")
        alone = set(told.all()) == set(told.names) and len(compact(question.text)) <= len(name) + _ENDING
        return bool(name) and (alone or question.says(self._held.asks.open))

    def facts_asked(self, question: Question) -> list[str]:
        """The facts of a contract that a message asks for."""
        return [name for name, fact in self._held.facts.items() if question.says(fact.asked)]

    def asks_of_contracts(self, question: Question) -> bool:
        """Whether a message asks what contracts tell, and for none to be made."""
        return asks_of_contracts(question, self._held)

    def asks_anew(self, question: Question) -> bool:
        """Whether a contract to be made is meant, none that is held."""
        return question.says(self._held.anew)

    def riders_lacking(self, product: str, riders: Sequence[str]) -> str:
        """That a contract of a product has none of these riders, so that it does not pay."""
        return joined(self._say.riders_lacking(product, list(riders)))

    def _is_of_them(self, question: Question, just_found: bool) -> bool:
        of_holder = self.asks_of_contracts(question) and question.tells_nobody_but(self._held.holder)
        fresh = question.brings_nothing_new or just_found or of_holder or question.says("|".join(self._free))
        return fresh and not (question.entities.money or self.asks_anew(question))

    def _names_a_case(self, asked: Asked) -> bool:
        question, held = asked.question, self._held
        named = any(self._fields.figures[name].words[0] in question.text for name in held.figures)
        known = [held.facts[name].asked for name in asked.facts]
        known += [pattern for state in held.states.values() for pattern in (state.named, state.asked)]
        return question.names_a_case(
            known, but_kinds=named or question.says(held.asks.exists) or self.asks_of_contracts(question)
        )

    def _of_holder(self, question: Question, table: ContractTable) -> Answered | None:
        """이분 직업이 뭐로 돼 있죠: what the look-up tells of whoever holds the contracts."""
        facts = table.rows[0].facts
        asked = {name: fact for name, fact in self._held.holder_facts.items() if question.says(fact.asked)}
        known = {name: fact for name, fact in asked.items() if facts.get(f"{HOLDER}_{name}")}
        if not known or question.entities.actions:
            return None
        units = self._fields.fact_units
        told = [(fact.label, f"{facts[f'{HOLDER}_{name}']}{units.get(name, '')}") for name, fact in known.items()]
        return Answered(joined(self._say.of_holder(facts[HOLDER], told)), "lookup", settled=True)

    # States.

    def _of_states(self, asked: Asked) -> Answered | None:
        """The contracts in the states named (해지된 건 뭐뭐야), with the sum of their premiums where that is asked for;
        whether the one meant is in a state."""
        question, held, table = asked.question, self._held, asked.table
        if state := self._state(asked):
            return state
        if question.says(held.procedure):
            return None  # 실효된 거 언제까지 되살릴 수 있나요 asks for no list
        named = list(asked.chosen.states)
        states = list(question.states) if not asked.facts and question.says(held.which) else []
        facts = [name for name in asked.facts if not named or name != held.state]
        alone = (
            bool(named)
            and not question.entities.actions
            and not (facts or asked.figures)
            and len(compact(question.text)) <= _SHORT
        )
        listed = named if not facts and (question.says(held.any) or question.says(held.which) or alone) else []
        summed = named if asked.figures and not facts and len(asked.rows) > 1 else []
        states = states or listed or summed
        if not states or asked.chosen.lacking:
            return None
        found = in_state(states, asked.rows if asked.chosen.named else table.rows, held)
        names = [held.states[states[0]].since] if len(states) == 1 and states[0] in held.states else []
        names = list(dict.fromkeys(["contract_date", *names]))
        lines = [self.line(row, names, held.figures) for row in found]
        premiums = [row.figures[PREMIUM] for row in found if PREMIUM in row.figures]
        wanted = len(premiums) > 1 and (bool(asked.figures) or question.says(self._fields.everything))
        every = added(premiums)
        total = won(every.result) if wanted else ""
        text = self._say.held_of_states(", ".join(states), lines, total, " + ".join(map(won, premiums)))
        if not wanted:
            return self.told(text, found, "filter")
        return self.told(text, found, "total", sums=[every], total=every.result)

    def _state(self, asked: Asked) -> Answered | None:
        """Whether the one contract meant is in the state asked for; since when it is in its state, of what was told
        last."""
        question, held = asked.question, self._held
        meant: Sequence[Item] = asked.rows or asked.chosen.spoken
        ended = [row for row in meant if not row.facts.get("in_force")]
        meant = ended if len(ended) == 1 else meant  # 언제 그랬어요, of several: the one that came to an end
        if len(meant) != 1 or (asked.facts and list(asked.facts) != [held.state]):
            return None
        [row] = meant
        status = str(row.facts.get("status", ""))
        known = held.states.get(status)
        since = known.since if known else ""
        if asked.table.newest and since and not question.entities.all() and question.says_only(held.when):
            return self.told(self._say.held([self.line(row, [since], ())]), meant)
        states = [name for name, state in held.states.items() if question.says(state.asked)]
        listed = asked.chosen.states and (len(asked.rows) > 1 or question.says(held.any))
        if listed or (ended and held.living in states and len(asked.rows) > 1):
            return None
        if len(states) != 1 or known is None or question.says(held.procedure):
            return None
        yes = states[0] == status or (states[0] == held.living and bool(row.facts.get("in_force")))
        told = [(self.label(row, since), said_day(str(row.facts[since])))] if row.facts.get(since) else []
        told += [
            (label, said_day(str(row.facts[name]))) for name, label in held.told_with.items() if row.facts.get(name)
        ]
        return self.told(self._say.held_state(row.name, yes, str(row.facts.get(held.state, status)), told), meant)

    # Facts and figures of rows.

    def _facts(self, asked: Asked) -> Answered | None:
        """The facts and figures named, of each row meant."""
        question, held, facts, figures = asked.question, self._held, asked.facts, list(asked.figures)
        if facts:  # 언제까지 내는 거야 asks for no premium
            figures = [name for name in figures if self._is_asked(name, question.text)]
        rises = question.says(held.asks.rises)
        figures = [] if rises else figures
        of_states = bool(asked.chosen.states)
        if of_states and (figures or list(facts) != [held.state]):
            # 유지 중인 거 가입일이랑 플랜: of those in that state, which is not asked for itself
            facts = [name for name in facts if name != held.state]
        named = of_states or (PREMIUM not in figures and asked.rows != asked.table.rows)
        if not facts and len(figures) < 2 and asked.table.newest and not (named and figures):
            return None  # the other operators reckon with what was shown last
        if not facts and not (figures and (named or asked.chosen.named or question.says(held.of_it))):
            return None
        if asked.chosen.lacking:
            return self.lacking(asked) if facts else None
        rows = asked.rows
        known = [name for name in facts if held.facts[name].none or any(name in row.facts for row in rows)]
        if len(rows) > MOST or not (known or figures):
            return None
        told = self.told(self._say.held([self.line(row, known, figures) for row in rows]), rows)
        riders = str(rows[0].facts.get(_RIDERS, "")) if len(rows) == 1 and _RIDERS in known else ""
        shown = tuple(riders.split(", ")) if riders else ()
        settled = (bool(facts) or asked.chosen.named) and not rises
        return Answered(told.text, "lookup", about=told.about, settled=settled, riders=shown, beside=rises)

    def _rows(self, asked: Asked) -> Answered | None:
        """2022년에 든 거, 나머지는: the rows that a few words name by the year or as the rest, with what they are."""
        told, text = asked.question.entities, compact(asked.question.text)
        else_asked = told.categories or told.products or told.actions or asked.question.says(self._held.procedure)
        short = len(text) <= (_OF_YEARS if asked.chosen.by_year else _SHORT)
        if not asked.chosen.described or else_asked or not short or len(asked.rows) > MOST:
            return None
        if not asked.rows:
            return self.told(self._say.held_none(), ())
        names = [self._held.state, "contract_date"]
        return self.told(
            self._say.listed([self.line(row, names, self._held.figures) for row in asked.rows]), asked.rows
        )

    def _is_asked(self, name: str, text: str) -> bool:
        """Whether a figure is asked for beside a fact: by its own name, or by a word for how much."""
        kind = self._fields.figures[name]
        return kind.words[0] in text or any(hint in text for hint in kind.hints)


def speaks_of_contracts(question: Question, held: HeldLexicon) -> bool:
    """The same, or that the contracts of somebody named are to be shown."""
    return asks_of_contracts(question, held) or (bool(question.entities.names) and question.says(held.asks.open))


def asks_of_contracts(question: Question, held: HeldLexicon) -> bool:
    """Whether a message asks what contracts tell, and for none to be made."""
    asks = held.asks
    patterns = [fact.asked for fact in held.facts.values()] + [*held.since.values(), *held.left.values()]
    patterns += [asks.first, asks.last, asks.paid, asks.unpaid, asks.overdue, asks.that_day, asks.why, asks.give_up]
    patterns += [fact.asked for fact in held.holder_facts.values()]
    patterns += [pattern for state in held.states.values() for pattern in (state.asked, state.when)]
    return any(map(question.says, patterns)) and not question.says(held.anew)
