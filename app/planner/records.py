"""A question of a field of the record that was told last, where its shape alone told it."""

from __future__ import annotations

from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage

from app.answering.repeating import field_lines, fitting_fields
from app.planner.brief import Brief
from app.planner.moves import Say

_LEAST = 3


def field_asked(brief: Brief, messages: Sequence[BaseMessage]) -> Say | None:
    """The fields that the message names, or asks the count of."""
    record = _last_record(messages) if brief.shaped else None
    found = fitting_fields(record, brief.asked, brief.counts) if record else ()
    return Say("\n".join(found)) if found else None


def of_what_was_shown(brief: Brief, messages: Sequence[BaseMessage]) -> Say | None:
    """The same, where the message tells nothing of the tool that it seems to ask for: one that lacks something, or the
    one that told the record."""
    tool = brief.parts[0][1][0]
    filled = brief.filled[tool]
    other = not filled.missing and tool != brief.facts.last_tool
    return None if filled.tells or other else field_asked(brief, messages)


def _last_record(messages: Sequence[BaseMessage]) -> str | None:
    """The last answer, or the one before it where it told but a field or two of that."""
    for message in reversed(messages):
        if not isinstance(message, AIMessage) or message.tool_calls or not message.content:
            continue
        told = str(message.content)
        if len(field_lines(told)) >= _LEAST:
            return told
        if not field_lines(told):
            return None
    return None
