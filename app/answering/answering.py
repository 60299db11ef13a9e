"""The room's door: what a message wants of what was shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from app.answering.operators import SURELY, Operators
from app.answering.question import Question
from app.answering.wording import Answered
from app.dialogue.state import Shown
from app.language.mentions import Entities
from app.understanding.forms import FormReader, FormReading


class Answering:
    """Pure; built once."""

    def __init__(self, forms: FormReader, operators: Operators) -> None:
        self._forms, self._operators = forms, operators

    def form(self, text: str) -> FormReading:
        """The form of a message."""
        return self._forms.read(text)

    def over(self, said: Entities, shown: Sequence[Shown], since: tuple[int, int] | None = None) -> Answered | None:
        """The answer over what was shown, newest first; None where there is none. `since`: months and days since the
        contract was made, where that is known."""
        return self._operators.answer(Question(self.form(said.text), said, since), shown)

    def shows(self, results: Iterable[Mapping[str, Any]]) -> bool:
        """Whether any of these results shows an item with a figure."""
        return any(self._operators.items(data) for data in results)

    def points_back(self, said: Entities, action: str | None = None) -> bool:
        """Whether a message asks where something is written and names nothing of its own, or just the `action` that was
        spoken of: what was just said."""
        reading = self.form(said.text)
        if reading.form != "where_written" or reading.share < SURELY:
            return False
        covers = said.benefits or said.riders or said.coverages
        acts = any(mention.action != action for mention in said.actions)
        return not (covers or said.medical or acts or said.topics or said.claims or said.durations)

    def asks_for_all(self, said: Entities) -> bool:
        """Whether the sum of several things is asked for."""
        return self._operators.asks_for_all(Question(self.form(said.text), said))

    def asks_why(self, said: Entities) -> bool:
        """Whether a message surely asks for a reason."""
        reading = self.form(said.text)
        return reading.form == "why" and reading.share >= SURELY

    def reason(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """Why the things shown last differ, where a message surely asks for that and tells nothing new."""
        return self._operators.reason(Question(self.form(said.text), said), shown)

    def lines(self, said: Entities, before: str | None) -> tuple[str, ...]:
        """The lines of the answer before that say when, where the message asks just that and names nothing else (며칠
        안에 해야 되는데)."""
        return self._operators.lines(Question(self.form(said.text), said), before) if before else ()

    def anew(self, said: Entities, shown: Sequence[Shown], since: tuple[int, int] | None = None) -> Answered | None:
        """The answer where a message only changes what the covers shown last were reckoned by; `since` as in `over`."""
        return self._operators.anew(Question(self.form(said.text), said, since), shown) if shown else None

    def of_all(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """The sum of all that the answers before told is paid (싹 다 합치면)."""
        return self._operators.of_all(Question(self.form(said.text), said), shown)

    def recalled(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """What earlier answers told, where a message asks for that again (아까 싼 거 얼마랬지)."""
        return self._operators.recalled(Question(self.form(said.text), said), shown)

    def named(self, said: Entities, shown: Sequence[Shown]) -> Answered | None:
        """The figure of the things shown last that a message names, where it tells nothing else."""
        return self._operators.named(Question(self.form(said.text), said), shown)

    def riders_lacking(self, product: str, riders: Sequence[str]) -> str:
        """That a contract lacks the riders that would pay."""
        return self._operators.riders_lacking(product, riders)

    def of_contracts(
        self, said: Entities, shown: Sequence[Shown], focus: Collection[str] = (), *, just_found: bool = False
    ) -> Answered | None:
        """The answer over somebody's own contracts, where nothing is to be reckoned anew: what they tell of themselves
        (of the products in `focus` where none is named), and what operators find where they were shown last.
        `just_found`: they are of the customer whom this very message names."""
        question = Question(self.form(said.text), said)
        if told := self._operators.holdings(question, shown, focus, just_found=just_found):
            return told
        if not shown or not shown[0].held or not question.brings_nothing_new or self._operators.asks_anew(question):
            return None
        return self._operators.answer(question, shown[:1]) or self._operators.value(question, shown)
