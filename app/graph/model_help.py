"""Side questions to the model where there is one: a follow-up made to stand alone, and whether a question is about
insurance at all (L3). Without a model, or without a usable answer, the embedded reading stands."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from pydantic import BaseModel, Field, create_model

from app.adapters.chat_aide import Aided, Shape
from app.adapters.chat_model import Provider
from app.graph.deciding import undecided
from app.graph.private_texts import repeats
from app.graph.state import ThreadState
from app.graph.turn import TurnContext, as_text, last_question, this_turn
from app.graph.usage import usage_row
from app.language.normalise import compact
from app.messages import worded
from app.safety.domain import DomainVerdict
from app.safety.grounding import ProductNames, ungrounded

# How near to the refusal threshold a question must lie for L2 to call it open, as a probability.
OPEN_MARGIN = 0.15
_LONGEST = 300
_EARLIER_MESSAGES = 6
_EARLIER_CHARS = 500
_LAST_EXCHANGE = 2
_ONE_DECISION_TOKENS = 200
_NEITHER = "neither"


class StandaloneQuestion(BaseModel):
    """A question that needs no other."""

    question: str = Field(description=worded("model_help.rewritten"))


class DomainOpinion(BaseModel):
    """Whether a question belongs to an insurance talk."""

    insurance: bool = Field(description=worded("model_help.in_domain"))


async def rewritten_by_model(
    state: ThreadState, turn: TurnContext, question: str, embedded: str | None, facts: dict[str, Any]
) -> tuple[str | None, dict[str, Any]]:
    """The question as the model makes it stand alone, else `embedded`; and what the state is to remember.

    A rewriting with a figure or product that was never spoken of, or with what is ours alone, is not taken: the trace
    shows it.
    """
    provider = _to_be_asked(turn)
    # Where the planner drafts first, its own reading is the one that it answers by.
    if provider is None or not turn.services.settings.llm_rewrites or undecided(state, turn):
        return embedded, {}
    earlier = _earlier(state["messages"])
    said = worded("model_help.facts", earlier=earlier, facts=json.dumps(facts, ensure_ascii=False), question=question)
    aided = await _asked(turn, provider, turn.services.prompts.rewrite, said, StandaloneQuestion)
    update = _remembered(state, turn, aided.message)
    if aided.value is None:
        return embedded, update
    text = aided.value.question.strip()
    names = ProductNames([product.name for product in turn.catalogue.products])
    unfit = not text or len(text) > _LONGEST or ungrounded(text, [said, embedded or ""], names)
    if unfit or repeats(turn, state["messages"], text):
        return embedded, update
    return (text if text != question else None), update


async def insurance_by_model(
    state: ThreadState, turn: TurnContext, question: str, verdict: DomainVerdict
) -> tuple[bool | None, dict[str, Any]]:
    """The model's word on a question that L2 leaves open; None when it has none: then L2's verdict stands."""
    provider = _to_be_asked(turn)
    open_question = not verdict.clear_outsider and abs(verdict.margin) < OPEN_MARGIN
    if provider is None or not turn.services.settings.llm_judges_domain or not open_question:
        return None, {}
    earlier = _earlier(state["messages"])
    said = worded("model_help.judged", earlier=earlier, question=question)
    aided = await _asked(turn, provider, turn.services.prompts.domain, said, DomainOpinion)
    update = _remembered(state, turn, aided.message)
    return (None if aided.value is None else aided.value.insurance), update


def _to_be_asked(turn: TurnContext) -> Provider | None:
    """The provider, while the day's budget lasts."""
    budget = turn.services.budget
    return None if budget is not None and budget.used_up else turn.services.engine.provider


class QuotedWords(BaseModel):
    """What somebody said already, in their words."""

    words: str = Field(description=worded("model_help.words"))


async def chosen_by_model(
    state: ThreadState, turn: TurnContext, options: Mapping[str, str]
) -> tuple[str | None, dict[str, Any]]:
    """Which of these (name, what it is for) the newest message asks for; None for neither, or without a usable answer.
    With it what the state is to remember."""
    names = (*options, _NEITHER)
    one_of: Any = Literal[names]
    shape: type[BaseModel] = create_model("Choice", choice=(one_of, Field(description=worded("model_help.choice"))))
    lines = "\n".join(f"- {name}: {purpose}" for name, purpose in options.items())
    earlier, question = _exchange(state)
    said = worded("model_help.one_of", earlier=earlier, question=question, options=lines)
    value, update = await _one_question(state, turn, said, shape)
    choice = getattr(value, "choice", None)
    return (None if choice == _NEITHER else choice), update


async def told_by_model(state: ThreadState, turn: TurnContext, label: str) -> tuple[str | None, dict[str, Any]]:
    """The words in which the customer told `label` already, "" where they did not; None without a usable answer, as
    where the words are not theirs. With it what the state is to remember."""
    earlier, question = _exchange(state)
    asked = worded("model_help.told", earlier=earlier, question=question, label=label)
    value, update = await _one_question(state, turn, asked, QuotedWords)
    if not isinstance(value, QuotedWords):
        return None, update
    words = value.words.strip()
    said = compact(" ".join(as_text(m.content) for m in state["messages"] if isinstance(m, HumanMessage)))
    return (words if compact(words) in said else None), update


def _exchange(state: ThreadState) -> tuple[str, str]:
    """The last exchange, and the message behind it."""
    return _earlier(state["messages"], _LAST_EXCHANGE), last_question(state["messages"])


async def _one_question(
    state: ThreadState, turn: TurnContext, said: str, shape: type[Shape]
) -> tuple[Shape | None, dict[str, Any]]:
    provider = _to_be_asked(turn)
    if provider is None:
        return None, {}
    aided = await _asked(turn, provider, turn.services.prompts.decide, said, shape, _ONE_DECISION_TOKENS)
    remembered = _remembered(state, turn, aided.message)
    return aided.value, {name: value for name, value in remembered.items() if name == "usage"}


async def _asked(
    turn: TurnContext,
    provider: Provider,
    system: str,
    said: str,
    shape: type[Shape],
    most_tokens: int | None = None,
) -> Aided[Shape]:
    """A side question; the person waits for its answer with nothing to read."""
    started = time.monotonic()
    try:
        return await provider.aide.ask(system, said, shape, provider.limits.side_question_s(turn.waited), most_tokens)
    finally:
        turn.waited.add(time.monotonic() - started)


def _remembered(state: ThreadState, turn: TurnContext, message: AIMessage | None) -> dict[str, Any]:
    """The call and its cost, in the state's words."""
    engine = turn.services.engine
    update: dict[str, Any] = {"model_calls": state["model_calls"] + 1}
    if message is not None and engine.provider is not None:
        row = usage_row(message, engine.name, engine.provider, ())
        if turn.services.budget is not None:
            turn.services.budget.add(row["cost_usd"])
        update["usage"] = [*(state.get("usage") or []), row]
    return update


def _earlier(messages: Sequence[AnyMessage], most: int = _EARLIER_MESSAGES) -> str:
    """The talk before the newest question, without tool results."""
    past = messages[: len(messages) - len(this_turn(messages)) - 1]
    spoken = [
        f"{'고객' if isinstance(m, HumanMessage) else '상담'}: {as_text(m.content)[:_EARLIER_CHARS]}"
        for m in past
        if isinstance(m, HumanMessage | AIMessage) and as_text(m.content).strip()
    ]
    return "\n".join([worded("model_help.earlier"), *spoken[-most:]]) if spoken else worded("model_help.none_before")
