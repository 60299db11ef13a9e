"""A chat model that says exactly what a test tells it to: the seam at which a hijacked or careless model is played."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import PrivateAttr


class ScriptedModel(BaseChatModel):
    """Plays `script` one entry a call: a text, or tool calls as `[(name, args), …]`. Texts stream `step` characters
    at a time."""

    script: list[Any]
    step: int = 3
    _seen: list[list[BaseMessage]] = PrivateAttr(default_factory=list)
    _bound: list[list[str]] = PrivateAttr(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    @property
    def prompts(self) -> list[list[BaseMessage]]:
        """What the model was given, call by call."""
        return self._seen

    @property
    def bound(self) -> list[list[str]]:
        """The names of the tools it was offered, binding by binding."""
        return self._bound

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any) -> ScriptedModel:
        self._bound.append([tool["function"]["name"] for tool in tools])
        return self

    def _next(self, messages: list[BaseMessage]) -> Any:
        self._seen.append(messages)
        return self.script.pop(0)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=AIMessage(str(self._next(messages))))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        entry = self._next(messages)
        if isinstance(entry, BaseException):
            raise entry
        if isinstance(entry, list):
            calls = [
                tool_call_chunk(
                    name=name, args=json.dumps(args, ensure_ascii=False), id=f"t{len(self._seen)}-{i}", index=i
                )
                for i, (name, args) in enumerate(entry)
            ]
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=calls))
            return
        for start in range(0, max(len(entry), 1), self.step):  # an empty answer is one empty piece
            piece = entry[start : start + self.step]
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece))
            if run_manager:
                await run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk
