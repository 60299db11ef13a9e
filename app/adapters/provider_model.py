"""ChatOpenAI made fit for real endpoints: retries, a circuit breaker, clean text, sound tool calls, true usage.

Imported only where a provider is configured: the client library costs half a second.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from contextlib import aclosing
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from pydantic import Field

from app.adapters.chat_faults import ProviderFault
from app.adapters.chat_link import ProviderLink
from app.adapters.chat_reply import ReplyCollector
from app.adapters.chat_waits import CallWatch
from app.adapters.provider_errors import PROVIDER_ERRORS, fault_of

log = logging.getLogger(__name__)

# How long the usage may come after the end of an answer.
_USAGE_S = 2.0
_BULK = ("messages", "tools")
_THOUGHTS = ("reasoning_content", "reasoning", "thinking")


class ProviderModel(ChatOpenAI):
    """Raises ProviderFault and nothing else of a provider's making. Cancelling a call closes its connection.

    `response_metadata` of a reply holds `finish_reason`, and `cost_usd` where the provider tells it.
    """

    link: ProviderLink = Field(exclude=True, repr=False)
    silence_s: float = Field(exclude=True)
    watch: CallWatch | None = Field(default=None, exclude=True, repr=False)

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        """As the library does it, for chunks as endpoints really send them."""
        choices = chunk.get("choices") or []
        for choice in choices:
            _mend(choice)
        made = super()._convert_chunk_to_generation_chunk(
            {**chunk, "choices": choices}, default_chunk_class, base_generation_info
        )
        if made is None:
            return None
        info = dict(made.generation_info or {})
        if isinstance(usage := chunk.get("usage"), Mapping) and isinstance(usage.get("cost"), int | float):
            info["cost_usd"] = float(usage["cost"])
        if choices and (refusal := (choices[0].get("delta") or {}).get("refusal")):
            info["refusal"] = refusal
        if choices and (thought := _thought(choices[0].get("delta") or {})):
            info["thought"] = thought
        if choices and choices[0].get("native_finish_reason") == "content_filter":
            info["finish_reason"] = "content_filter"
        made.generation_info = info or None
        return made

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        """The request, its bulk beside what the client library reads: it would walk every message and tool through
        their types at each call, to rename keys that need no renaming."""
        payload: dict[str, Any] = super()._get_request_payload(input_, stop=stop, **kwargs)
        bulk = {name: payload.pop(name) for name in _BULK if name in payload}
        return {**payload, "messages": [], "extra_body": {**(payload.get("extra_body") or {}), **bulk}}

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        self.link.begin()
        reply = ReplyCollector(_offered(kwargs), _used_ids(messages))
        begun = False
        fault: ProviderFault | None = None
        ended = False
        try:
            async with aclosing(self._pieces(messages, stop, kwargs, reply)) as pieces:
                async for piece in pieces:
                    begun = True
                    text = reply.take(piece)
                    if self.watch is not None:
                        _tell(self.watch, piece, text, reply)
                    if text:
                        yield await _told(AIMessageChunk(content=text), run_manager)
            yield await _told(self._last(reply), run_manager)
            ended = True
        except PROVIDER_ERRORS as error:
            fault = fault_of(error, begun=begun)
        except ProviderFault as error:
            fault = error
        finally:
            if fault is None and not ended:
                self.link.breaker.left()
        self._close(fault)

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        """One whole answer without a stream, for short structured questions; it is not tried again."""
        self.link.begin()
        fault: ProviderFault | None = None
        ended = False
        try:
            result = await super()._agenerate(messages, stop, run_manager, **kwargs)
            ended = True
        except PROVIDER_ERRORS as error:
            fault = fault_of(error)
        finally:
            if fault is None and not ended:
                self.link.breaker.left()
        self._close(fault)
        message = result.generations[0].message
        assert isinstance(message, AIMessage)
        told = result.llm_output or {}
        if isinstance(usage := told.get("token_usage"), Mapping) and isinstance(usage.get("cost"), int | float):
            message.response_metadata["cost_usd"] = float(usage["cost"])
        return ChatResult(generations=[ChatGeneration(message=message)])

    async def _pieces(
        self, messages: list[BaseMessage], stop: list[str] | None, kwargs: dict[str, Any], reply: ReplyCollector
    ) -> AsyncGenerator[ChatGenerationChunk, None]:
        """The raw pieces; up to the first one the call is tried again, after it nothing can be taken back here."""
        async for attempt in self.link.retrying(None if self.watch is None else self.watch.pause_s):
            stream = super()._astream(messages, stop, None, **dict(kwargs))
            with attempt:
                try:
                    async with asyncio.timeout(self.silence_s):
                        first = await anext(stream, None)
                except PROVIDER_ERRORS as error:
                    raised = fault_of(error)
                    log.warning("model call failed: %s, status %s", raised.kind, raised.status)
                    raise raised from None
            if attempt.retry_state.outcome is None or attempt.retry_state.outcome.failed:
                continue
            if first is None:
                raise ProviderFault("garbled")
            yield first
            async with aclosing(stream):  # type: ignore[type-var]
                while (piece := await self._following(stream, reply)) is not None:
                    yield piece

    async def _following(
        self, stream: AsyncIterator[ChatGenerationChunk], reply: ReplyCollector
    ) -> ChatGenerationChunk | None:
        """The next piece, or None at the end. A reply that said why it ended is not lost if its usage never comes."""
        try:
            async with asyncio.timeout(_USAGE_S if reply.ended else self.silence_s):
                return await anext(stream, None)
        except TimeoutError:
            if reply.ended:
                return None
            raise

    def _last(self, reply: ReplyCollector) -> AIMessageChunk:
        """The end of the reply: what was held back, its calls, its usage."""
        end = reply.finish()
        calls = [
            tool_call_chunk(name=call["name"], args=call["json"], id=call["id"], index=index)
            for index, call in enumerate(end.calls)
        ]
        return AIMessageChunk(
            content=end.text, tool_call_chunks=calls, usage_metadata=end.usage, response_metadata=end.metadata
        )

    def _close(self, fault: ProviderFault | None) -> None:
        self.link.end(fault)
        if fault is not None:
            # What the provider said stays out of logs: it may repeat the key or the person's words.
            raise fault from None


async def _told(message: AIMessageChunk, run_manager: AsyncCallbackManagerForLLMRun | None) -> ChatGenerationChunk:
    chunk = ChatGenerationChunk(message=message)
    if run_manager:
        await run_manager.on_llm_new_token(str(message.content), chunk=chunk)
    return chunk


def _tell(watch: CallWatch, piece: ChatGenerationChunk, shown: str, reply: ReplyCollector) -> None:
    """What a piece brought, for whoever watches the call."""
    thought = str((piece.generation_info or {}).get("thought") or "")
    letters = [thought, piece.message.text]
    for call in getattr(piece.message, "tool_call_chunks", ()):
        letters += [str(call.get("name") or ""), str(call.get("args") or "")]
    watch.heard(
        sum(len("".join(text.split())) for text in letters),
        thought=bool(thought) or (reply.thinking and not shown),
        visible=bool(shown.strip()),
        ended=reply.ended,
    )


def _thought(delta: Mapping[str, Any]) -> str:
    """A reasoning model's thoughts, by the names under which endpoints send them beside the answer."""
    return next((value for name in _THOUGHTS if isinstance(value := delta.get(name), str) and value), "")


def _mend(choice: dict[str, Any]) -> None:
    """Tool-call pieces without an index, a function or a type are dropped by the library without a word."""
    delta = choice.get("delta")
    if not isinstance(delta, dict):
        choice["delta"] = delta = dict(choice.get("message") or {})
    if delta.get("role") != "assistant":
        delta["role"] = "assistant"
    if isinstance(content := delta.get("content"), list):
        delta["content"] = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    calls = delta.get("tool_calls")
    if not isinstance(calls, list):
        delta["tool_calls"] = None
        return
    for place, call in enumerate(calls):
        if call.get("index") is None:
            call["index"] = place
        call["function"] = call.get("function") or {}


def _offered(kwargs: Mapping[str, Any]) -> frozenset[str]:
    return frozenset(tool["function"]["name"] for tool in kwargs.get("tools") or ())


def _used_ids(messages: list[BaseMessage]) -> frozenset[str]:
    return frozenset(str(call["id"]) for m in messages if isinstance(m, AIMessage) for call in m.tool_calls)
