"""What the contracts that somebody holds tell of themselves: their days, state, premium and sum insured."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from typing import Any

from app.answering.question import Question
from app.answering.wording import Answered, joined
from app.dialogue.items import FieldLexicon, Item
from app.dialogue.state import Shown
from app.language.formatting import date_ko, money, won

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOST = 6


class Holdings:
    """Pure; built once by the operators. `say` are the sentences of the forms."""

    def __init__(self, fields: FieldLexicon, say: Any) -> None:
        self._fields, self._say = fields, say

    def answer(
        self, question: Question, shown: Sequence[Shown], focus: Collection[str], *, just_found: bool = False
    ) -> Answered | None:
        """What the contracts shown tell, of those that a message means or that are in `focus`; None where it asks for
        something else, or for a contract to be made. `just_found`: of the customer whom this message names."""
        held = self._fields.held
        place, items = next(((i, s.items) for i, s in enumerate(shown) if s.held and s.items), (0, ()))
        fresh = question.brings_nothing_new or just_found
        if not items or not fresh or question.entities.money or question.says(held.anew):
            return None
        facts = [name for name, fact in held.facts.items() if question.says(fact.asked)]
        premium_named = any(self._fields.figures[name].words[0] in question.text for name in held.figures)
        if question.names_a_case([held.facts[name].asked for name in facts], but_kinds=premium_named or bool(facts)):
            return None
        if not facts and question.says(held.which) and (states := question.states):
            return self._of_states(states, items)
        figures = [name for name in held.figures if question.names(name, self._fields)]
        if facts:  # 언제까지 내는 거야 asks for no premium
            figures = [name for name in figures if self._asked(name, question.text)]
        chosen = question.pointed(items)
        if not facts and (len(figures) < 2 and not place):
            return None  # the other operators reckon with what was shown last
        if not facts and not (figures and (chosen or question.says(held.of_it))):
            return None
        meant = chosen or tuple(item for item in items if item.code in focus) or items
        known = [name for name in facts if held.facts[name].none or any(name in item.facts for item in meant)]
        if len(meant) > _MOST or not (known or figures):
            return None
        text = joined(self._say.held([self._line(item, known, figures) for item in meant]))
        about = meant[0].code if len(meant) == 1 else ""
        return Answered(text, "lookup", about=about, settled=bool(facts) or bool(chosen))

    def riders_lacking(self, product: str, riders: Sequence[str]) -> str:
        """That a contract of a product has none of these riders, so that it does not pay."""
        return joined(self._say.riders_lacking(product, list(riders)))

    def asks_anew(self, question: Question) -> bool:
        """Whether a contract to be made is meant, none that is held."""
        return question.says(self._fields.held.anew)

    def _asked(self, name: str, text: str) -> bool:
        """Whether a figure is asked for beside a fact: by its own name, or by a word for how much."""
        kind = self._fields.figures[name]
        return kind.words[0] in text or any(hint in text for hint in kind.hints)

    def _of_states(self, states: Collection[str], items: Sequence[Item]) -> Answered | None:
        """The contracts in these states (해지된 건 뭐뭐야); 유지 is every one that gives cover."""
        living = self._fields.held.living in states
        found = [i for i in items if i.facts.get("status") in states or (living and i.facts.get("in_force"))]
        names = list(self._fields.held.facts)[:1]
        lines = [self._line(item, names, self._fields.held.figures) for item in found]
        about = found[0].code if len(found) == 1 else ""
        text = joined(self._say.held_of_states(", ".join(states), lines))
        return Answered(text, "filter", about=about, settled=True)

    def _line(self, item: Item, names: Sequence[str], figures: Sequence[str]) -> dict[str, Any]:
        facts = self._fields.held.facts
        told = [(facts[name].label, _day(str(item.facts[name]))) for name in names if item.facts.get(name)]
        none = [facts[name].none for name in names if not item.facts.get(name) and facts[name].none]
        return {"name": item.name, "told": [*told, *self._figures(item, figures)], "none": none}

    def _figures(self, item: Item, names: Sequence[str]) -> list[tuple[str, str]]:
        kinds = self._fields.figures
        monthly = [name for name in names if item.each.get(name) in self._fields.front]
        return [
            (kinds[name].label, won(item.figures[name]) if name in monthly else money(item.figures[name]))
            for name in names
            if name in item.figures
        ]


def _day(text: str) -> str:
    return date_ko(text) if _DAY.fullmatch(text) else text
