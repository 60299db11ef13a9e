"""A runner whose engine is a scripted model; everything else is the real thing."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGenerationChunk
from pydantic import Field, PrivateAttr

from app.access import Principal
from app.adapters.chat_model import Engine
from app.graph.builder import build_graph
from app.graph.runner import Runner
from app.graph.turn import TurnContext
from app.services import Services
from tests.graph.scripted import ScriptedModel


def runner_with(services: Services, model: BaseChatModel) -> Runner:
    """The graph of `services` with `model` in the planner's place."""
    parts = replace(services.talk.parts, engine=Engine("scripted", model))

    def make_context(principal: Principal, thread_id: str, run_id: str) -> TurnContext:
        return replace(services.talk.make_context(principal, thread_id, run_id), services=parts)

    return Runner(build_graph(services.storage.checkpoints), make_context, services.settings, "scripted")


class WaitingModel(ScriptedModel):
    """Never answers; `asked` tells that it was reached, `stopped` that somebody stopped the run."""

    script: list[Any] = Field(default_factory=list)
    _asked: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)
    _stopped: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)

    @property
    def asked(self) -> asyncio.Event:
        return self._asked

    @property
    def stopped(self) -> asyncio.Event:
        return self._stopped

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        self._asked.set()
        try:
            await asyncio.Event().wait()
        finally:
            self._stopped.set()
        yield ChatGenerationChunk(message=self.script[0])
