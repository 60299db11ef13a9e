"""Talks that leave nothing behind: held in memory, with reading tools only; what would write stops at its approval.

A talk may be held with another tool set than the one in force, to see what a card would change.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from app.access import Principal, Role
from app.adapters.approval_store import Approval, hash_of
from app.errors import NotFound
from app.graph.builder import AssistantGraph, build_graph
from app.graph.runner import MakeContext, Runner
from app.graph.state import fresh_turn
from app.graph.turn import TurnContext
from app.messages import worded
from app.routing.router import Router
from app.settings import Settings, listed
from app.toolbox.approvals import ApprovalGate
from app.toolbox.snapshot import ToolSnapshot

_THREAD = "rehearsal"
_OPEN = timedelta(hours=1)


class UnkeptApprovals:
    """Approvals that nobody can grant and nobody is told of; they go with their talk."""

    def __init__(self) -> None:
        self._asked: dict[str, Approval] = {}

    async def find(
        self, owner: str, thread_id: str | None, run_id: str, tool: str, args: Mapping[str, Any]
    ) -> Approval | None:
        """The same call, asked for before."""
        wanted = (tool, hash_of(args))
        return next((item for item in self._asked.values() if (item.tool, item.args_hash) == wanted), None)

    async def request(
        self, owner: Principal, thread_id: str | None, run_id: str, tool: str, args: Mapping[str, Any], effect: str
    ) -> Approval:
        """Ask for a call that writes."""
        made = Approval.asked_for(owner, thread_id, run_id, tool, args, effect, _OPEN)
        self._asked[made.approval_id] = made
        return made

    async def get(self, approval_id: str) -> Approval:
        """Raises NotFound."""
        try:
            return self._asked[approval_id]
        except KeyError:
            raise NotFound(worded("files.no_approval", approval_id=approval_id)) from None

    async def withdraw(self, owner: str, thread_id: str) -> int:
        """Forget what was asked for."""
        gone = len(self._asked)
        self._asked.clear()
        return gone

    async def use(self, approval_id: str) -> bool:
        """Never: nothing is granted here."""
        return False

    async def finish(self, approval_id: str, outcome: Mapping[str, Any]) -> None:
        """Nothing ran."""


@dataclass(frozen=True)
class Variant:
    """A tool set that is tried, with a router over it."""

    snapshot: ToolSnapshot
    router: Router


@dataclass(frozen=True)
class Plan:
    """What would happen next: the calls that the engine asks for (not run), or its answer. `took_ms` in all."""

    state: dict[str, Any]
    calls: tuple[dict[str, Any], ...]
    took_ms: float


class Talk:
    """One rehearsed conversation."""

    def __init__(self, graph: AssistantGraph, runner: Runner, principal: Principal, make_context: MakeContext) -> None:
        self._graph, self._runner, self._make_context = graph, runner, make_context
        self.principal = principal

    async def ask(self, text: str) -> dict[str, Any]:
        """The reply of a whole turn. Raises TurnFailed."""
        return await self._runner.ask(text, self.principal, _THREAD)

    async def values(self) -> dict[str, Any]:
        """What the talk remembers."""
        return dict((await self._graph.aget_state(self._config())).values)

    async def messages(self) -> list[AnyMessage]:
        """The messages so far."""
        return list((await self.values()).get("messages", ()))

    def context(self) -> TurnContext:
        """What a turn of this talk may use."""
        return self._make_context(self.principal, _THREAD, uuid.uuid4().hex)

    async def plan(self, text: str) -> Plan:
        """The next turn up to its first calls, which are not run. Raises AppError where the engine fails."""
        context = self.context()
        begun = time.perf_counter()
        start = fresh_turn(HumanMessage(text, id=context.run_id))
        await self._graph.ainvoke(start, self._config(), context=context, interrupt_before=["tools"])
        state = await self.values()
        newest = state["messages"][-1] if state.get("messages") else None
        asked = newest.tool_calls if isinstance(newest, AIMessage) else []
        calls = tuple(
            {
                "tool": call["name"],
                "args": call["args"],
                "needs_approval": call["name"] in context.snapshot
                and context.services.gate.needs_approval(context.snapshot.entry(call["name"]), call["args"]),
            }
            for call in asked
        )
        return Plan(state, calls, round((time.perf_counter() - begun) * 1000, 1))

    def _config(self) -> RunnableConfig:
        return {"configurable": {"thread_id": f"{self.principal.id}:{_THREAD}"}}


class Rehearsal:
    """Opens talks."""

    def __init__(self, make_context: MakeContext, settings: Settings, engine_name: str) -> None:
        self._make_context, self._settings, self.engine_name = make_context, settings, engine_name

    @asynccontextmanager
    async def talk(self, role: Role, variant: Variant | None = None) -> AsyncIterator[Talk]:
        """A talk of somebody of this role; nothing of it is left when it ends."""
        gate = ApprovalGate(UnkeptApprovals(), listed(self._settings.require_approval))

        def context(principal: Principal, thread_id: str, run_id: str) -> TurnContext:
            made = self._make_context(principal, thread_id, run_id)
            parts = replace(made.services, gate=gate)
            if variant is None:
                return replace(made, services=parts)
            tried = replace(parts, router=variant.router, ranker=parts.ranker.over(variant.router))
            return replace(made, services=tried, snapshot=variant.snapshot)

        graph = build_graph(InMemorySaver())
        runner = Runner(graph, context, self._settings, self.engine_name)
        yield Talk(graph, runner, Principal(f"rehearsal:{uuid.uuid4().hex}", role), context)
