"""What a provider's model is shown beside the prompt: a secret that must not come back, and data fenced off as data."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, SystemMessage, ToolMessage

from app.graph.private_texts import repeats
from app.graph.prompting import FENCED
from app.graph.turn import TurnContext, as_text
from app.messages import worded
from app.safety.canary import CanaryCheck
from app.safety.injection import InjectionCheck
from app.safety.sentences import sentences

CUT = worded("provider_prompt.removed")
_LEAST_LETTERS = 12
# Sentences judged a tool result: 1 ms each, and no result of ours has more prose.
_MOST_SENTENCES = 150


def guarded(prompt: Sequence[AnyMessage], turn: TurnContext) -> list[AnyMessage]:
    """The prompt with the canary and the fence explained, and every tool result inside the fence.

    Sentences of results that read like attacks are cut. What the thread keeps is not touched.
    """
    system, *rest = prompt
    added = FENCED.format(fence=turn.fence, canary=turn.canary)
    head = SystemMessage(f"{as_text(system.content)}\n\n{added}")
    return [head, *(_fenced(m, turn) if isinstance(m, ToolMessage) else m for m in rest)]


def leaks(calls: Sequence[Any], turn: TurnContext, prompt: Sequence[AnyMessage]) -> bool:
    """Whether tool calls carry away the canary, in whatever dress, or what else of the prompt is ours alone."""
    if not calls:
        return False
    text = json.dumps(calls, ensure_ascii=False, default=str)
    return CanaryCheck((turn.canary,)).found_in(text) or repeats(turn, prompt, text)


def without_leaks(reply: AIMessage, turn: TurnContext, prompt: Sequence[AnyMessage]) -> AIMessage:
    """The reply without tool calls that carry secrets; nothing is left of one that had nothing else to say."""
    if not leaks(reply.tool_calls, turn, prompt):
        return reply
    return AIMessage("", id=reply.id)


def _fenced(message: ToolMessage, turn: TurnContext) -> ToolMessage:
    content = as_text(message.content).replace(turn.fence, "")
    # What went wrong is told by our own code, in words that a caller may well have chosen badly.
    safe = content if message.status == "error" else without_orders(content, turn.services.injection)
    return message.model_copy(update={"content": worded("provider_prompt.data", fence=turn.fence, safe=safe)})


def without_orders(content: str, check: InjectionCheck) -> str:
    """JSON or text in which sentences that read like attacks are replaced by a remark."""
    budget = [_MOST_SENTENCES]
    try:
        data = json.loads(content)
    except ValueError:
        return _cut(content, check, budget)
    return json.dumps(_walk(data, check, budget), ensure_ascii=False)


def _walk(value: Any, check: InjectionCheck, budget: list[int]) -> Any:
    if isinstance(value, str):
        return _cut(value, check, budget) if len(value) >= _LEAST_LETTERS else value
    if isinstance(value, dict):
        return {key: _walk(item, check, budget) for key, item in value.items()}
    if isinstance(value, list):
        return [_walk(item, check, budget) for item in value]
    return value


def _cut(text: str, check: InjectionCheck, budget: list[int]) -> str:
    """Past the budget everything is left out: nothing unread goes to the model."""
    pieces: list[str] = []
    at = 0
    for start, end in sentences(text):
        budget[0] -= 1
        if budget[0] < 0:
            return "".join(pieces) + CUT
        pieces.append(text[at:start])
        pieces.append(CUT if check.judge(text[start:end]).level == "block" else text[start:end])
        at = end
    return "".join(pieces) + text[at:]
