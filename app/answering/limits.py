"""Whether something is paid once more, or without the rider: by the limits and the riders of the covers shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from app.answering.question import Question
from app.answering.wording import Answered, joined
from app.dialogue.items import FieldLexicon, Item
from app.dialogue.state import Shown

_MOST_LINES = 4


class Limits:
    """Pure; built once by the operators. `say` are the sentences of the forms."""

    def __init__(self, fields: FieldLexicon, say: Any) -> None:
        self._fields, self._say = fields, say

    def answer(self, question: Question, shown: Sequence[Shown]) -> Answered | None:
        """두 번 받아요, 이미 받았는데 또: of the main covers shown last, how often each is paid. None where a message
        asks for nothing of the kind, or for what is paid at a worse stage."""
        if not shown:
            return None
        if question.says(self._fields.without_riders):
            return self._of_riders(shown)
        of_stages = question.says(self._fields.worse)
        if not question.says(self._fields.again):
            return None
        paid = [i for i in shown[0].items if any(self._fields.figures[name].each_from for name in i.figures)]
        main = {item.name: item for item in paid if not item.facts.get("optional")} or {i.name: i for i in paid}
        lines = [
            {"label": name, "once": item.facts.get("limit_total") == 1, "limit": _limit(item)}
            for name, item in list(main.items())[:_MOST_LINES]
            if not of_stages or (_limit(item) and not item.facts.get("less_paid"))
        ]
        return Answered(joined(self._say.again(lines, of_stages)), "yes_no") if lines else None

    def _of_riders(self, shown: Sequence[Shown]) -> Answered | None:
        """특약은 없어요, 그럼 못 받나요: which of the covers shown last are paid with a rider alone."""
        paid = [i for i in shown[0].items if any(self._fields.figures[name].each_from for name in i.figures)]
        main = list(dict.fromkeys(item.name for item in paid if not item.facts.get("optional")))
        riders = list(dict.fromkeys(item.name for item in paid if item.facts.get("optional")))
        text = joined(self._say.of_riders(main[:_MOST_LINES], riders[:_MOST_LINES]))
        return Answered(text, "yes_no") if riders else None


def _limit(item: Item) -> object:
    """The limit in words, by whichever name a result tells it."""
    return item.facts.get("limit") or item.facts.get("text")
