"""One call of the chat model, whatever drives the graph: a provider's model is asked again where that can help, and
the embedded planner answers where it cannot."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, SystemMessage

from app.adapters.chat_faults import FaultKind, ProviderFault
from app.adapters.chat_model import Engine, Provider
from app.adapters.chat_waits import CallWatch
from app.graph.history import fitted
from app.graph.provider_prompt import guarded, without_leaks
from app.graph.standing_in import as_changed, handed_over
from app.graph.state import ThreadState
from app.graph.turn import TurnContext, as_text, last_question
from app.graph.usage import usage_row
from app.planner.model import ENGINE_NAME, EmbeddedPlanner

log = logging.getLogger(__name__)

Write = Callable[[dict[str, Any]], None]

# The part of a turn's time that stays for the planner, the tools and the guard behind a model that hangs.
_RESERVED = 0.2
_MOST_RESERVED_S = 4.0
_AGAIN: frozenset[FaultKind] = frozenset({"broken_stream", "language", "empty", "too_long"})
_HANGUL = re.compile(r"[가-힣]")
_HAN_OR_KANA = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\u3040-\u30ff]")
_LETTER = re.compile(r"[^\W\d_]")
_SENTENCE_END = re.compile(r".*(?:[.!?。][\"')\]]*|[요다죠까]\.?)(?=\s|$)", re.DOTALL)
# A Korean syllable says as much as two or three Latin letters.
_LEAST_LETTERS, _LEAST_KOREAN, _MOST_FOREIGN = 15, 0.25, 0.05


async def next_message(
    prompt: Sequence[AnyMessage],
    tools: Sequence[dict[str, Any]],
    state: ThreadState,
    turn: TurnContext,
    write: Write,
) -> tuple[AIMessage, dict[str, Any]]:
    """The model's next message, and what the state is to remember of how it came about.

    `prompt[0]` is the system message with the planner's brief. Raises ProviderFault when a provider fails and nothing
    may stand in for it.
    """
    engine = turn.services.engine
    if state.get("engine") and engine.fallback is not None:
        # Once a turn has changed hands it stays there.
        return await _planned(engine.fallback.model, prompt, tools), {}
    if engine.name == ENGINE_NAME:
        return await _planned(engine.model, prompt, tools), {}
    if engine.provider is None:
        return without_leaks(await _bound(engine.model, tools).ainvoke(guarded(prompt, turn)), turn, prompt), {}
    return await _Asking(engine, engine.provider, prompt, tools, state, turn, write).result()


class _Asking:
    """One call of a provider's model, with a second try where the first was spoiled."""

    def __init__(
        self,
        engine: Engine,
        provider: Provider,
        prompt: Sequence[AnyMessage],
        tools: Sequence[dict[str, Any]],
        state: ThreadState,
        turn: TurnContext,
        write: Write,
    ) -> None:
        self._engine, self._provider, self._prompt, self._tools = engine, provider, prompt, tools
        self._state, self._turn, self._write = state, turn, write
        self._question = last_question(state["messages"])
        self._usage = list(state.get("usage") or [])
        self._calls = state["model_calls"]
        self._settings = turn.services.settings
        self._budget = self._settings.llm_history_tokens

    async def result(self) -> tuple[AIMessage, dict[str, Any]]:
        fault, hint, reply = ProviderFault("empty"), "", None
        for again in (False, True):
            self._calls += 1
            try:
                reply = await self._asked(hint)
            except ProviderFault as error:
                fault, reply = error, None
            else:
                kind = spoiled(reply, self._question)
                if kind is None:
                    return whole(reply), self._remembered()
                fault = ProviderFault(kind)
            log.warning("run %s: the model's answer is unusable: %s", self._turn.run_id, fault.kind)
            if again or fault.kind not in _AGAIN or not self._may_go_on():
                break
            self._write({"event": "draft_dropped", "data": {"reason": fault.kind}})
            hint = self._turn.services.prompts.again(fault.kind)
            if fault.kind == "too_long":
                self._budget //= 4
        return await self._without_provider(fault, reply)

    async def _asked(self, hint: str) -> AIMessage:
        left = self._turn.left_s()
        allowed = min(self._settings.llm_timeout_s, left - min(left * _RESERVED, _MOST_RESERVED_S))
        # Where nobody stands in, giving up early would only lose the answer.
        limits = self._provider.limits if self._engine.fallback is not None else None
        if (budget := self._turn.services.budget) is not None and budget.used_up:
            raise ProviderFault("budget")
        watch = CallWatch(limits, self._turn.waited, self._provider.link.first_signs, allowed)
        if watch.hopeless:
            raise ProviderFault("timeout")
        model = _bound(self._provider.watched(watch), self._tools)
        try:
            async with watch.running():
                reply: AIMessage = await model.ainvoke(self._shown(hint))
        except TimeoutError:
            fault = ProviderFault(watch.why)
            self._provider.link.end(fault)
            raise fault from None
        self._usage.append(row := usage_row(reply, self._engine.name, self._provider, self._prompt))
        if budget is not None:
            budget.add(row["cost_usd"])
        safe = without_leaks(reply, self._turn, self._prompt)
        if safe is not reply and self._engine.fallback is not None:
            raise ProviderFault("leak")
        return safe

    def _shown(self, hint: str) -> list[AnyMessage]:
        system, *rest = self._prompt
        text = as_text(system.content)
        head = SystemMessage(f"{text}\n\n{hint}" if hint else text)
        short = fitted(
            rest,
            max_turns=self._settings.max_conversation_turns,
            max_tokens=self._budget,
            result_chars=self._settings.llm_result_chars,
        )
        return guarded([head, *short], self._turn)

    def _may_go_on(self) -> bool:
        return self._calls < self._settings.max_model_calls and self._turn.left_s() > 1.0

    async def _without_provider(
        self, fault: ProviderFault, reply: AIMessage | None
    ) -> tuple[AIMessage, dict[str, Any]]:
        stand_in = self._engine.fallback
        if stand_in is None:
            if reply is None:
                raise fault
            # Spoiled, but all there is: the output guardrail says the rest.
            return whole(reply), self._remembered()
        self._write({"event": "draft_dropped", "data": {"reason": fault.kind, "engine": stand_in.name}})
        taken = handed_over(self._state, self._turn, fault.kind)
        assert taken is not None, "nobody has taken over before"
        prompt = [self._prompt[0], *as_changed(self._state, taken)["messages"]]
        return await _planned(stand_in.model, prompt, self._tools), {**self._remembered(), **taken}

    def _remembered(self) -> dict[str, Any]:
        return {"usage": self._usage, "model_calls": self._calls}


async def _planned(model: BaseChatModel, prompt: Sequence[AnyMessage], tools: Sequence[dict[str, Any]]) -> AIMessage:
    """The planner's message, shown when the output guard has judged the whole: nothing would be gained by showing it
    piece by piece a millisecond earlier. Any other model that stands here is called as one."""
    if isinstance(model, EmbeddedPlanner):
        return said_by(model, prompt, tools)
    return await _bound(model, tools).ainvoke(list(prompt))  # type: ignore[no-any-return]


def said_by(model: EmbeddedPlanner, prompt: Sequence[AnyMessage], tools: Sequence[dict[str, Any]]) -> AIMessage:
    """The planner's next message; nothing waits for it."""
    return model.said(list(prompt), tools)


def _bound(model: BaseChatModel, tools: Sequence[dict[str, Any]]) -> Any:
    return model.bind_tools(list(tools)) if tools else model


def spoiled(reply: AIMessage, question: str) -> FaultKind | None:
    """What makes a reply unusable: nothing in it, or another language than Korean for a Korean question."""
    if reply.tool_calls:
        return None
    text = as_text(reply.content).rpartition("</think>")[2]
    letters = len(_LETTER.findall(text))
    if letters == 0:
        return "empty"
    if len(_HANGUL.findall(question)) < 2:
        return None
    if len(_HAN_OR_KANA.findall(text)) > max(1, letters * _MOST_FOREIGN):
        return "language"
    if letters >= _LEAST_LETTERS and len(_HANGUL.findall(text)) < letters * _LEAST_KOREAN:
        return "language"
    return None


def whole(reply: AIMessage) -> AIMessage:
    """The reply up to its last whole sentence where the provider's limit cut it off."""
    if reply.response_metadata.get("finish_reason") != "length" or reply.tool_calls:
        return reply
    match = _SENTENCE_END.match(as_text(reply.content))
    return reply.model_copy(update={"content": match.group()}) if match else reply
