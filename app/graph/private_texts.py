"""What a provider's model is shown that no answer and no tool call may repeat: our prompts, the tools' schemas and
cards."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from app.safety.overlap import Protected, Repeating

if TYPE_CHECKING:
    from app.graph.prompting import PromptBook
    from app.graph.turn import TurnContext
    from app.toolbox.snapshot import ToolEntry, ToolSnapshot

_KEPT = 2
_SHOWN_BY_SCHEMAS = ("description", "title")


class PrivateTexts:
    """The indexes over these texts, made once for each prompt book and tool set (40 ms) and kept for the newest two.

    The limits stand well above what honest answers share with the texts (docs/security.md): a draft that shows 31
    letters of our prompts in runs of 7, 61 in runs of 5 (words in another order), 41 of schemas or 91 of customers'
    questions on cards is refused. One that shows a fifth of its letters in runs of 4 of our prompts is not streamed
    before it was judged whole: words in another order show 61 letters in runs of 5 only after some 400.
    """

    def __init__(self) -> None:
        self._made: list[tuple[PromptBook, ToolSnapshot, tuple[Protected, ...]]] = []

    def of(self, turn: TurnContext) -> tuple[Protected, ...]:
        """What is protected in this turn."""
        prompts, snapshot = turn.services.prompts, turn.snapshot
        for book, tools, found in self._made:
            if book is prompts and tools is snapshot:
                return found
        free = (turn.services.settings.company_name, *(product.name for product in turn.catalogue.products))
        said = prompts.private
        told = [text for entry in snapshot.entries for text in _told(entry)]
        uses = [line for entry in snapshot.entries for line in entry.card.when_to_use]
        made = (
            Protected.of(said, size=7, most=30, disguised=True, free=free),
            Protected.of(said, size=5, most=60, disguised=True, free=free),
            Protected.of(said, size=4, share=0.2, free=free),
            Protected.of(told, size=7, most=40, free=free),
            Protected.of(uses, size=12, most=90, free=free),
        )
        self._made = [(prompts, snapshot, made), *self._made][:_KEPT]
        return made


def repeating(turn: TurnContext, messages: Callable[[], Sequence[AnyMessage]]) -> Repeating:
    """What tells, piece by piece, whether a draft behind `messages` repeats too much.

    The person's own words, what tools found and the notices that we add ourselves may be repeated.
    """
    return Repeating(turn.services.private.of(turn), lambda: _may_be_said(turn, messages()))


def repeats(turn: TurnContext, messages: Sequence[AnyMessage], text: str) -> bool:
    """Whether a whole text repeats too much."""
    return repeating(turn, lambda: messages).beyond(text)


def _may_be_said(turn: TurnContext, messages: Sequence[AnyMessage]) -> Iterator[str]:
    for message in messages:
        if isinstance(message, HumanMessage | ToolMessage):
            yield message.content if isinstance(message.content, str) else json.dumps(message.content)
    yield from turn.services.disclaimers.values()


def _told(entry: ToolEntry) -> Iterator[str]:
    """What a model reads of a tool, and the lines of its card that say what it is for."""
    yield entry.description
    yield entry.card.purpose
    yield from entry.card.when_not_to_use
    yield from _described(entry.openai_schema["function"].get("parameters", {}))


def _described(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, value in schema.items():
            if key in _SHOWN_BY_SCHEMAS and isinstance(value, str):
                yield value
            else:
                yield from _described(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _described(item)
