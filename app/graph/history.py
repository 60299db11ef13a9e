"""What of a thread a provider's model is sent: the newest turns that fit, calls and results together, results short."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from app.graph.turn import as_text
from app.messages import worded

# Results of earlier turns only remind the model of what was said; what it needs anew it can call for again.
_EARLIER_CHARS = 600
# (items a list, characters a text): tried from left to right until a result fits.
_STEPS = ((30, 1500), (20, 600), (10, 300), (6, 160), (3, 80), (1, 40))
CUT_LIST = worded("history.more")
_MESSAGE_TOKENS = 6


def estimated_tokens(text: str) -> int:
    """About how many tokens a text is, rather too many than too few: a Korean syllable one, three other letters one."""
    return len(text.encode()) // 3 + 1


def fitted(messages: Sequence[AnyMessage], *, max_turns: int, max_tokens: int, result_chars: int) -> list[AnyMessage]:
    """The newest question with all that followed it, and as many whole turns before it as fit.

    Never leaves a tool call without its result nor a result without its call: providers refuse such a thread. The
    newest turn always goes whole, its results shortened to `result_chars` characters at most.
    """
    turns = _turns(messages)
    if not turns:
        return []
    newest = _paired(_shortened(turns[-1], result_chars))
    left = max_tokens - sum(map(_tokens, newest))
    kept: list[list[AnyMessage]] = []
    for turn in reversed(turns[:-1]):
        if len(kept) + 1 >= max_turns:
            break
        short = _paired(_shortened(turn, _EARLIER_CHARS))
        cost = sum(map(_tokens, short))
        if cost > left:
            break
        left -= cost
        kept.append(short)
    return [message for turn in (*reversed(kept), newest) for message in turn]


def compacted(text: str, limit: int) -> str:
    """A tool result without empty fields; where it is still longer than `limit`, lists and texts are cut, and say so.

    JSON stays JSON.
    """
    try:
        data = json.loads(text)
    except ValueError:
        return text if len(text) <= limit else text[: limit - 1] + "…"
    data = _without_empty(data)
    whole = _dumped(data)
    for items, letters in _STEPS:
        if len(whole) <= limit:
            break
        whole = _dumped(_cut(data, items, letters))
    return whole if len(whole) <= limit else _dumped({"요약": whole[: max(limit - 40, 20)] + "…"})


def _turns(messages: Sequence[AnyMessage]) -> list[list[AnyMessage]]:
    turns: list[list[AnyMessage]] = []
    for message in messages:
        if isinstance(message, HumanMessage):
            turns.append([])
        if turns:
            turns[-1].append(message)
    return turns


def reminder(result: ToolMessage, limit: int = _EARLIER_CHARS) -> ToolMessage:
    """A tool's result without what only its own turn shows, in `limit` characters at most."""
    return result.model_copy(update={"content": compacted(as_text(result.content), limit), "artifact": None})


def _shortened(turn: Sequence[AnyMessage], limit: int) -> list[AnyMessage]:
    return [reminder(m, limit) if isinstance(m, ToolMessage) else m for m in turn]


def _paired(turn: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The turn without calls that were never answered and results that nobody called for."""
    answered = {m.tool_call_id for m in turn if isinstance(m, ToolMessage)}
    asked: set[str] = set()
    kept: list[AnyMessage] = []
    for message in turn:
        if isinstance(message, AIMessage):
            calls = [call for call in message.tool_calls if call["id"] in answered]
            asked |= {str(call["id"]) for call in calls}
            if not calls and not as_text(message.content).strip():
                continue
            kept.append(AIMessage(as_text(message.content), tool_calls=calls, id=message.id))
        elif not isinstance(message, ToolMessage) or message.tool_call_id in asked:
            kept.append(message)
    return kept


def _tokens(message: AnyMessage) -> int:
    calls = json.dumps(message.tool_calls, ensure_ascii=False) if isinstance(message, AIMessage) else ""
    return estimated_tokens(as_text(message.content) + calls) + _MESSAGE_TOKENS


def _dumped(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _without_empty(value: Any) -> Any:
    if isinstance(value, dict):
        clean = {key: _without_empty(item) for key, item in value.items()}
        return {key: item for key, item in clean.items() if item is not None and item not in ("", [], {})}
    if isinstance(value, list):
        return [_without_empty(item) for item in value]
    return value


def _cut(value: Any, items: int, letters: int) -> Any:
    if isinstance(value, dict):
        return {key: _cut(item, items, letters) for key, item in value.items()}
    if isinstance(value, list):
        kept = [_cut(item, items, letters) for item in value[:items]]
        return kept if len(value) <= items else [*kept, CUT_LIST.format(n=len(value) - items)]
    if isinstance(value, str) and len(value) > letters:
        return value[: letters - 1] + "…"
    return value
