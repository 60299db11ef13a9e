"""Short side questions to a provider's model whose answers must fit a shape: rewriting, judging."""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage
from pydantic import BaseModel, ValidationError

from app.adapters.chat_faults import ProviderFault
from app.adapters.chat_text import ReplySplitter
from app.adapters.chat_tool_calls import read_args
from app.messages import worded

log = logging.getLogger(__name__)

Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True)
class Aided(Generic[Shape]):
    """`value` is None when there was no usable answer in time; `message` then may still tell what it cost."""

    value: Shape | None
    message: AIMessage | None


@dataclass
class ChatAide:
    """Asks for JSON by schema where the endpoint knows that, else by words alone. Never raises for a bad answer."""

    model: BaseChatModel
    timeout_s: float
    _by_schema: bool = field(default=True, repr=False)

    async def ask(
        self, system: str, user: str, shape: type[Shape], most_s: float | None = None, most_tokens: int | None = None
    ) -> Aided[Shape]:
        """The answer in `shape`, within `timeout_s` seconds, and `most_s` where that is less; of no more than
        `most_tokens`, where that is told."""
        schema = shape.model_json_schema()
        words = worded("chat_aide.json_only", system=system, schema=json.dumps(schema, ensure_ascii=False))
        prompt: list[BaseMessage] = [SystemMessage(words), HumanMessage(user)]
        try:
            async with asyncio.timeout(self.timeout_s if most_s is None else min(self.timeout_s, max(most_s, 0.0))):
                message = await self._asked(prompt, shape.__name__, schema, most_tokens)
        except (ProviderFault, TimeoutError) as error:
            log.warning("side question to the model failed: %s", getattr(error, "kind", "timeout"))
            return Aided(None, None)
        splitter = ReplySplitter()
        text = splitter.feed(message.text) + splitter.rest()
        try:
            return Aided(shape.model_validate(read_args(text.rpartition("</think>")[2])), message)
        except ValidationError:
            log.warning("side question to the model: no %s in its answer", shape.__name__)
            return Aided(None, message)

    async def _asked(
        self, prompt: list[BaseMessage], name: str, schema: dict[str, Any], most_tokens: int | None
    ) -> AIMessage:
        budget: dict[str, Any] = {} if most_tokens is None else {"max_tokens": most_tokens}
        if self._by_schema:
            wanted = {"type": "json_schema", "json_schema": {"name": name, "schema": schema}}
            try:
                # Through extra_body, because the library would turn to another interface by itself.
                return await self.model.ainvoke(prompt, extra_body={"response_format": wanted}, **budget)
            except ProviderFault as fault:
                if fault.kind != "refused":
                    raise
                self._by_schema = False
        return await self.model.ainvoke(prompt, **budget)
