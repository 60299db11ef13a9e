"""Which cards may stand: well formed, of their tool, fair to the other cards and to the evaluation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from app.editing.measuring import CardMeasure
from app.errors import CardRefused, ToolLoadError
from app.language.normalise import compact
from app.messages import worded
from app.routing.evaluation import Case
from app.toolbox.cards import ToolCard
from app.toolbox.imported import speaks_to_a_model
from app.toolbox.toolbox import Toolbox


class CardRules:
    """Reads an edited card, or refuses it with every fault."""

    def __init__(
        self,
        toolbox: Toolbox,
        measure: CardMeasure,
        disclaimers: Mapping[str, str],
        suspicious: Callable[[str], bool],
    ) -> None:
        """`suspicious` says whether a sentence gives orders to a model: parts of a card go into descriptions."""
        self._toolbox, self._measure, self._disclaimers = toolbox, measure, disclaimers
        self._suspicious: Callable[[str], bool] = lambda text: speaks_to_a_model(text) and suspicious(text)

    def read(self, tool: str, raw: Mapping[str, Any], saved: Sequence[Case]) -> ToolCard:
        """The card, if it may stand: well formed, this tool's, no line that another card or the evaluation has."""
        try:
            card = ToolCard.model_validate(dict(raw))
        except ValidationError as error:
            raise CardRefused(tool, [f"{_place(item['loc'])}{item['msg']}" for item in error.errors()]) from error
        faults = [] if card.name == tool else [worded("card_editing.other_name", tool=tool, card=card.name)]
        faults += [
            worded("card_editing.no_disclaimer", key=key) for key in card.disclaimers if key not in self._disclaimers
        ]
        asked = {compact(case.query) for case in [*self._measure.cases("cases.jsonl", "development.jsonl"), *saved]}
        faults += [
            worded("card_editing.evaluation_line", line=line) for _, _, line in card.lines() if compact(line) in asked
        ]
        faults += [
            worded("card_editing.tells_model", where=where, text=text)
            for where, text in _read_by_models(card)
            if self._suspicious(text)
        ]
        if card.name == tool:
            try:
                self._toolbox.candidate(tool, card)
            except ToolLoadError as error:
                faults += error.faults
        if faults:
            raise CardRefused(tool, faults)
        return card


def _place(loc: tuple[int | str, ...]) -> str:
    return f"{'.'.join(map(str, loc))}: " if loc else ""


def _read_by_models(card: ToolCard) -> Iterator[tuple[str, str]]:
    yield "title", card.title
    yield "purpose", card.purpose
    for line in card.when_not_to_use:
        yield "when_not_to_use", line
    for name, hint in card.arguments.items():
        yield f"arguments.{name}", " ".join((hint.label, hint.ask))
