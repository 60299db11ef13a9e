"""Turns that are held in English: the message is read as a Korean question, and the answer told in English."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage

from app.graph.state import ThreadState
from app.graph.turn import TurnContext
from app.language.english import EnglishReading
from app.planner.english_telling import TOLD, UNKNOWN
from app.planner.model import ENGINE_NAME, ENGLISH

SAID = "said"
"""Under which name a message that was read keeps the words as they came."""


def in_english(state: ThreadState, turn: TurnContext, question: str) -> EnglishReading | None:
    """How the newest question is read where it is in English; None where it is not, and where a provider's model reads
    it as it came."""
    reader = turn.services.english
    if turn.services.engine.name != ENGINE_NAME:
        return None
    if not reader.is_english(question, in_talk=state.get("language") == ENGLISH):
        return None
    return reader.read(question)


def told_in(update: dict[str, Any], turn: TurnContext, english: EnglishReading | None) -> dict[str, Any]:
    """The update of the input guard with the language of the turn, and a refusal in it."""
    if english is None:
        return {**update, "language": None}
    if "answer" in update:
        update = {**update, "answer": turn.services.english.values.text(update["answer"])}
    return {**update, "language": ENGLISH}


def told_english(state: ThreadState, draft: AnyMessage | None) -> str:
    """The draft in English, where the turn is held in it."""
    if draft is None or state.get("language") != ENGLISH:
        return ""
    return str(draft.additional_kwargs.get(TOLD) or UNKNOWN)


def of_english(messages: Sequence[AnyMessage], draft: AnyMessage | None) -> list[str]:
    """What figures of an answer in English may rest on beside what the Korean one does."""
    grounds = draft.additional_kwargs.get("english_grounds", ()) if draft is not None else ()
    told = [message.additional_kwargs for message in messages if isinstance(message, HumanMessage)]
    said = [str(extras[SAID]) for extras in told if SAID in extras]
    return [*map(str, grounds), *reversed(said)]


def in_its_language(state: ThreadState, turn: TurnContext, lines: Iterable[str]) -> list[str]:
    """Sentences of ours in the language of the turn."""
    text = turn.services.english.values.text
    return [text(line) for line in lines] if state.get("language") == ENGLISH else list(lines)
