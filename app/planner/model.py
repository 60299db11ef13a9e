"""The embedded planner as a chat model: the graph cannot tell it from any other."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict

from app.planner.english_telling import EnglishTeller
from app.planner.moves import Call, Say
from app.planner.planner import Planner

ENGLISH = "en"
ENGINE_NAME = "embedded-planner"
_PIECES = re.compile(r"[^\n]*\n+|[^\n]+$")


class EmbeddedPlanner(BaseChatModel):
    """Deterministic: the same messages and tools give the same move."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    mind: Planner
    english: EnglishTeller | None = None
    tools: tuple[dict[str, Any], ...] = ()

    @property
    def _llm_type(self) -> str:
        return ENGINE_NAME

    def bind_tools(
        self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """The same planner with these tools to choose from, in the order given (best first)."""
        return self.model_copy(update={"tools": tuple(convert_to_openai_tool(tool) for tool in tools)})

    def said(self, messages: list[BaseMessage], tools: Sequence[Any]) -> AIMessage:
        """The next message, without what LangChain does around a model's call, which costs more than planning."""
        bound = self.bind_tools(tools) if tools else self
        return bound._message(messages)  # type: ignore[attr-defined,no-any-return]

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._message(messages))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        message = self._message(messages)
        if message.tool_calls:
            calls = [
                tool_call_chunk(
                    name=call["name"], args=json.dumps(call["args"], ensure_ascii=False), id=call["id"], index=index
                )
                for index, call in enumerate(message.tool_calls)
            ]
            yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=calls))
            return
        pieces = _pieces(message)
        for number, piece in enumerate(pieces):
            extra = message.additional_kwargs if number == len(pieces) - 1 else {}
            chunk = ChatGenerationChunk(message=AIMessageChunk(content=piece, additional_kwargs=extra))
            if run_manager:
                await run_manager.on_llm_new_token(piece, chunk=chunk)
            yield chunk

    def _message(self, messages: list[BaseMessage]) -> AIMessage:
        move = self.mind.next(messages, self.tools)
        if isinstance(move, Say):
            extras = move.extras()
            if self.english is not None and messages[0].additional_kwargs["brief"].get("language") == ENGLISH:
                extras |= self.english.told(messages, self.tools)
            return AIMessage(move.text, additional_kwargs=extras)
        return AIMessage(
            "", tool_calls=[_as_tool_call(call, len(messages), number) for number, call in enumerate(move)]
        )


def _pieces(message: AIMessage) -> list[str]:
    return _PIECES.findall(str(message.content)) or [""]


def _as_tool_call(call: Call, position: int, number: int) -> Any:
    return {"name": call.tool, "args": call.args, "id": f"call_{position}_{number}", "type": "tool_call"}
