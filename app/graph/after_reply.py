"""What a reply leaves behind for the next turn: what it asked back, what an operator told, which business it was of."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage

from app.dialogue.state import DialogueState, Terms
from app.graph.state import ThreadState
from app.planner.facts import Facts


def after_reply(state: ThreadState, reply: AIMessage) -> dict[str, Any]:
    """The state's update; empty for a reply that leaves nothing."""
    update: dict[str, Any] = {}
    told = reply.additional_kwargs
    facts = Facts.model_validate(state.get("facts") or {})
    if form := told.get("needs_input"):
        # The answer to a question back continues the tool that asked for it.
        asked = {field["name"]: tuple(option["value"] for option in field["options"]) for field in form["fields"]}
        waiting = facts.awaiting(told.get("pending"), asked, told.get("given"))
        update["facts"] = waiting.model_dump(mode="json", exclude_defaults=True)
    elif topic := told.get("topic"):
        update["facts"] = facts.turned_to_topic(topic).model_dump(mode="json", exclude_defaults=True)
    about = tuple(told.get("about") or ())
    if operator := told.get("operator"):
        terms, of_all = Terms.model_validate(told.get("terms") or {}), bool(told.get("of_all"))
        before = DialogueState.of(state.get("dialogue"))
        dialogue = before.answered(operator, told.get("total"), terms, of_all=of_all).narrowed(about)
        update["dialogue"] = dialogue.model_dump(mode="json", exclude_defaults=True)
    if about:
        riders = tuple(told.get("riders") or ())
        facts = facts.focused_on(about if len(about) == 1 else ()).model_copy(update={"shown_riders": riders})
        if len(about) > 1:
            facts = facts.model_copy(update={"shown_products": about})
        update["facts"] = facts.model_dump(mode="json", exclude_defaults=True)
    return update
