"""What a thread keeps of a turn: personal data that was pasted in is masked before the checkpoint is written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from app.graph.state import ThreadState
from app.graph.turn import as_text, last_question, this_turn, tool_results
from app.safety.personal_data import PersonalDataMasker

_KEPT = ("facts", "dialogue", "rewritten", "reading", "route", "tool_runs")


def without_personal_data(state: ThreadState, masker: PersonalDataMasker) -> dict[str, Any]:
    """The state's update that masks this turn; empty when neither the question nor a tool's result held personal data.

    The tools of the turn saw the words as they came (to mask a text one needs it); from the next turn on nobody does.
    """
    if not masker.find(last_question(state["messages"])):
        found = [message for message in tool_results(state["messages"]) if _holds_data(message, masker)]
        return {"messages": [_masked_message(message, masker) for message in found]} if found else {}
    newest = next(m for m in reversed(state["messages"]) if isinstance(m, HumanMessage))
    messages = [_masked_message(message, masker) for message in (newest, *this_turn(state["messages"])[:-1])]
    values: dict[str, Any] = {key: masked_values(state.get(key), masker) for key in _KEPT}
    return {**values, "messages": messages}


def _holds_data(message: ToolMessage, masker: PersonalDataMasker) -> bool:
    """Whether a result holds personal data. What a tool of ours says is its result's values, and most of those were
    read before; of another's nobody knows which words belong together."""
    artifact = message.artifact or {}
    if artifact.get("kind") in (None, "Text", "Error"):
        return bool(masker.find(as_text(message.content)))
    return any(masker.find(text) for text in _texts(artifact["data"]))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner)


def _masked_message(message: AnyMessage, masker: PersonalDataMasker) -> AnyMessage:
    update: dict[str, Any] = {"content": masker.mask(as_text(message.content)).text}
    if isinstance(message, AIMessage):
        update["tool_calls"] = masked_values(message.tool_calls, masker)
    if isinstance(message, ToolMessage):
        update["artifact"] = masked_values(message.artifact, masker)
    return message.model_copy(update=update)


def masked_values(value: Any, masker: PersonalDataMasker) -> Any:
    """`value` with every text in it masked; a text that stands in several places is read once."""
    known: dict[str, str] = {}

    def masked(item: Any) -> Any:
        if isinstance(item, str):
            if item not in known:
                known[item] = masker.mask(item).text
            return known[item]
        if isinstance(item, dict):
            return {key: masked(inner) for key, inner in item.items()}
        if isinstance(item, list | tuple):
            return [masked(inner) for inner in item]
        return item

    return masked(value)
