"""The room's door: what a message wants of what was shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from app.answering.operators import Operators
from app.answering.question import SURELY, Question
from app.answering.repeating import named_fields
from app.answering.wording import Answered
from app.dialogue.state import DialogueState, Shown, Terms, contracts_shown
from app.language.mentions import Entities
from app.understanding.forms import Form, FormReader, FormReading


class Answering:
    """Pure; built once."""

    def __init__(self, forms: FormReader, operators: Operators) -> None:
        self._forms, self._operators = forms, operators

    def form(self, text: str) -> FormReading:
        """The form of a message."""
        return self._forms.read(text)

    def over(self, said: Entities, shown: Sequence[Shown], told: Terms | None = None) -> Answered | None:
        """The answer over what was shown, newest first; None where there is none. `told`: what the talk told of the
        event before this message."""
        return self._operators.answer(Question(self.form(said.text), said, told or Terms()), shown)

    def cause(self, said: Sequence[Entities]) -> str:
        """What brought an event about, by the first of these messages that tells it; '' where none does."""
        return self._operators.cause(said)

    def shows(self, results: Iterable[Mapping[str, Any]]) -> bool:
        """Whether any of these results shows an item with a figure."""
        return any(self._operators.items(data) for data in results)

    def showing(self, before: DialogueState, results: Sequence[tuple[str, Mapping[str, Any]]]) -> DialogueState:
        """What was shown `before` and is shown with these results, (tool, data) each."""
        return self._operators.showing(before, results) if results else before

    def points_back(self, said: Entities, action: str | None = None) -> bool:
        """Whether a message asks where something is written and names nothing of its own, or just the `action` that was
        spoken of: what was just said."""
        if not self._surely(said, "where_written"):
            return False
        covers = said.benefits or said.riders or said.coverages
        acts = any(mention.action != action for mention in said.actions)
        return not (covers or said.medical or acts or said.topics or said.claims or said.durations)

    def _surely(self, said: Entities, form: Form) -> bool:
        reading = self.form(said.text)
        return reading.form == form and reading.share >= SURELY

    def asks_for_all(self, said: Entities) -> bool:
        """Whether the sum of several things is asked for."""
        return self._operators.asks_for_all(Question(self.form(said.text), said))

    def only_holds_apart(self, said: Entities) -> bool:
        """Whether a message surely asks for a difference and names nothing: of what was shown (차이가 얼마)."""
        return self._surely(said, "difference") and Question(self.form(said.text), said).only_changes_a_case

    def asks_meaning(self, said: Entities) -> bool:
        """Whether a message surely asks what a word means."""
        return self._surely(said, "define")

    def asks_why(self, said: Entities) -> bool:
        """Whether a message surely asks for a reason."""
        return self._surely(said, "why")

    def told_apart(self, said: Entities, answer: str, previous: str) -> tuple[str, ...]:
        """The lines of an answer of what the message and the one before name, where it surely asks how they differ."""
        return named_fields(answer, previous, said.text) if self._surely(said, "difference") else ()

    def reason(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """Why the things shown last differ, where a message surely asks for that and tells nothing new."""
        return self._operators.reason(Question(self.form(said.text), said), shown)

    def lines(self, said: Entities, before: str | None) -> tuple[str, ...]:
        """The lines of the answer before that say when, where the message asks just that and names nothing else (며칠
        안에 해야 되는데)."""
        return self._operators.lines(Question(self.form(said.text), said), before) if before else ()

    def anew(self, said: Entities, shown: Sequence[Shown], told: Terms | None = None) -> Answered | None:
        """The answer where a message only changes what the covers shown last were reckoned by; `told` as in `over`."""
        return self._operators.anew(Question(self.form(said.text), said, told or Terms()), shown) if shown else None

    def of_all(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """The sum of all that the answers before told is paid (싹 다 합치면)."""
        return self._operators.of_all(Question(self.form(said.text), said), shown)

    def recalled(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """What earlier answers told, where a message asks for that again (아까 싼 거 얼마랬지)."""
        return self._operators.recalled(Question(self.form(said.text), said), shown)

    def without_waiting(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """Which of the things shown make nobody wait, where a message asks for that."""
        return self._operators.without_waiting(Question(self.form(said.text), said), shown)

    def named(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """The figure of the things shown last that a message names, where it tells nothing else."""
        return self._operators.named(Question(self.form(said.text), said), shown)

    def of_the_table(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """The answer over what was shown last, where a message names nothing that it would have to be reckoned anew
        for (5년이면 얼마 차이, of two sums insured)."""
        question = Question(self.form(said.text), said)
        new = said.product_codes or said.categories or said.plans or self._operators.of_later(question)
        return self._operators.answer(question, shown[:1]) if question.brings_nothing_new and not new else None

    def together(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """The sum of what was just found for several people."""
        return self._operators.together(Question(self.form(said.text), said), shown)

    def riders_lacking(self, product: str, riders: Sequence[str]) -> str:
        """That a contract lacks the riders that would pay."""
        return self._operators.riders_lacking(product, riders)

    def asks_of_a_contract(self, said: Entities) -> bool:
        """Whether a message asks for what contracts tell of themselves, and for none to be made."""
        return self._operators.asks_of_contracts(Question(self.form(said.text), said))

    def opens_contracts(self, said: Entities) -> bool:
        """Whether the contracts of the customer named are to be shown."""
        return self._operators.opens(Question(self.form(said.text), said))

    def of_contracts(
        self,
        said: Entities,
        shown: Sequence[Shown],
        focus: Collection[str] = (),
        *,
        today: date,
        just_found: bool = False,
    ) -> Answered | None:
        """The answer over somebody's own contracts, where nothing is to be reckoned anew: what they tell of themselves
        (of the products in `focus` where none is named), and what operators find where they were shown last.
        `just_found`: they are of the customer whom this very message names."""
        question = Question(self.form(said.text), said)
        if told := self._operators.of_holders(question, shown):
            return told
        if told := self._operators.holdings(question, shown, focus, today=today, just_found=just_found):
            return told
        if not shown or not shown[0].held or not question.brings_nothing_new or self._operators.asks_anew(question):
            return None
        if question.names_a_case(but_kinds=True):
            return None  # 폐렴 20일 입원 얼마: what they pay, not what they cost
        newest, table = contracts_shown(shown)
        among = [table] if table and newest and len(newest.items) == 1 else shown[:1]  # behind one of them
        if over := self._operators.answer(question, among):
            return over
        return None if question.entities.actions else self._operators.value(question, among)
