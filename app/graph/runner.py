"""Runs one turn and tells it as typed events. Text leaves only through the sentence gate; `done` equals what was
streamed."""

from __future__ import annotations

import asyncio
import logging
import re
import uuid
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, aclosing, closing
from sqlite3 import Error as SqliteError
from typing import Any, Protocol, cast
from weakref import WeakValueDictionary

from langchain_core.messages import AIMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StreamMode

from app.access import Principal
from app.adapters.approval_store import Approval
from app.adapters.checkpoints import PostgresCheckpoints, SqliteCheckpoints
from app.adapters.metrics import Metrics
from app.adapters.tracing import Tracing
from app.answering.names import words_of
from app.errors import AppError, TurnFailed, Unavailable
from app.graph.builder import AssistantGraph
from app.graph.concerned import person_of
from app.graph.events import Event, EventType
from app.graph.measuring import TurnMeter
from app.graph.privacy import without_personal_data
from app.graph.reply import approval_card
from app.graph.state import ThreadState, fresh_turn
from app.graph.telling import TurnTeller, error_data
from app.graph.turn import TurnContext, last_question
from app.messages import worded
from app.planner.model import ENGINE_NAME
from app.settings import Settings
from app.toolbox.approvals import WAITING
from app.toolbox.calling import refused

log = logging.getLogger(__name__)

_MODES: tuple[StreamMode, ...] = ("tasks", "messages", "custom", "values")
# A turn leaves one checkpoint when it ends and one when it fails.
_LOOKED_BACK = 4
# A short no, and nothing else, takes back what waits for an approval. Anything longer leaves it to be decided.
_CALLS_OFF = re.compile(
    r"(?!.*(?:나요|까요|는지|언제|얼마|어떻|뭐))\s*(?:아니[요오]?|아뇨|아냐|노)?[,.\s]*"
    r"(?:(?:그냥|일단|다)\s*)*(?:취소|안\s?할|하지\s?마|그만|됐|냅\s?둬|두세요|두실|관둘|아니)[^?]{0,12}\s*$"
)

MakeContext = Callable[[Principal, str, str], TurnContext]
# (principal, thread id, question, reply, message id, what only staff see): keeps a finished turn
Recorder = Callable[[Principal, str, str, dict[str, Any], str | None, dict[str, Any]], Awaitable[None]]


class Locks(Protocol):
    """What keeps the turns of one thread apart."""

    def lock(self, key: str) -> AbstractAsyncContextManager[Any]:
        """Held while a turn of this thread goes on. Raises Unavailable where it cannot be had."""
        ...


class TurnLocks:
    """One lock a thread, by its key in the checkpoints; kept as long as somebody holds it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock(self, key: str) -> asyncio.Lock:
        """The lock that a turn of this thread holds while it goes on."""
        return self._locks.setdefault(key, asyncio.Lock())


def _unheard(engine_name: str) -> Callable[[str], TurnMeter]:
    """Meters whose counts nobody reads."""
    metrics, tracing = Metrics(), Tracing()
    return lambda run_id: TurnMeter(metrics, tracing, run_id, engine_name)


class Runner:
    """Turns questions into events. One turn at a time per thread; the next waits."""

    def __init__(
        self,
        graph: AssistantGraph,
        make_context: MakeContext,
        settings: Settings,
        engine_name: str,
        record: Recorder | None = None,
        turn_locks: Locks | None = None,
        *,
        meter: Callable[[str], TurnMeter] | None = None,
        catch_up: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`meter` hears a turn by its run id; `catch_up` brings this worker to the newest tool set before each turn."""
        self._graph, self._make_context, self._settings = graph, make_context, settings
        self.engine_name = engine_name
        self._record = record
        self._turn_locks: Locks = TurnLocks() if turn_locks is None else turn_locks
        self._meter = meter or _unheard(engine_name)
        self._catch_up = catch_up
        self._in_use: Counter[int] = Counter()

    def versions_in_use(self) -> dict[int, int]:
        """How many turns of this process go on with each version of the tool set."""
        return dict(sorted((+self._in_use).items()))

    def busy(self) -> bool:
        """Whether more than one turn is under way."""
        return sum(self._in_use.values()) > 1

    async def ask(self, query: str, principal: Principal, thread_id: str | None = None) -> dict[str, Any]:
        """The reply of one whole turn. Raises TurnFailed where `stream` would end in an `error` event."""
        async for event in self.stream(query, principal, thread_id):
            if event.type == "done":
                return event.data
            if event.type == "error":
                raise TurnFailed(event.data["error"], event.data["type"])
        raise TurnFailed(worded("runner.unfinished"), "internal")

    async def stream(
        self,
        query: str,
        principal: Principal,
        thread_id: str | None = None,
        run_id: str | None = None,
        *,
        message_id: str | None = None,
    ) -> AsyncIterator[Event]:
        """The events of one turn, ending in `done` or `error`."""
        thread_id = thread_id or uuid.uuid4().hex
        run_id = run_id or uuid.uuid4().hex
        start = fresh_turn(HumanMessage(query, id=run_id))
        async for event in self._run(start, principal, thread_id, run_id, message_id=message_id):
            yield event

    async def resume(self, principal: Principal, thread_id: str, approval: Approval) -> AsyncIterator[Event]:
        """The rest of a turn whose approvals are decided; no event when the thread does not wait for this one."""
        async for event in self._run(Command(resume=True), principal, thread_id, approval.run_id, approval.approval_id):
            yield event

    async def _run(
        self,
        start: ThreadState | Command[Any],
        principal: Principal,
        thread_id: str,
        run_id: str,
        waited_for: str | None = None,
        message_id: str | None = None,
    ) -> AsyncIterator[Event]:
        key = f"{principal.id}:{thread_id}"
        with closing(self._meter(run_id)) as meter:
            try:
                async with self._turn_locks.lock(key):
                    meter.began()
                    if self._catch_up is not None:
                        await self._catch_up()
                    told = self._turn(key, start, principal, thread_id, run_id, waited_for, message_id)
                    async with aclosing(told) as events:
                        async for event in events:
                            meter.heard(event.type, event.data)
                            yield event
            except AppError as error:  # the thread could not be had, or this worker could not be brought up to date
                log.warning("run %s could not begin: %s", run_id, error)
                data = error_data(error, run_id)
                meter.heard("error", data)
                yield Event(1, run_id, "error", data)

    async def _turn(
        self,
        key: str,
        start: ThreadState | Command[Any],
        principal: Principal,
        thread_id: str,
        run_id: str,
        waited_for: str | None,
        message_id: str | None,
    ) -> AsyncGenerator[Event, None]:
        """One turn inside its thread's lock."""
        number = 0
        turn = TurnTeller(self._make_context(principal, thread_id, run_id), thread_id, self.engine_name)
        version = turn.context.snapshot.version
        self._in_use[version] += 1
        try:
            waiting = await self._waiting(key)
            if waited_for is not None and waited_for not in waiting:
                return
            if isinstance(start, dict) and _CALLS_OFF.match(last_question(start["messages"])):
                await turn.context.services.gate.withdraw(turn.context)
            if waiting and waited_for is None:
                await self._set_aside(key, turn.context)
            async for kind, data in self._events(turn, start, key):
                if kind == "done" and self._record is not None:
                    # a refused question is no longer in the state, a resumed one stands nowhere else
                    asked = last_question(start["messages"] if isinstance(start, dict) else turn.messages)
                    await self._record(principal, thread_id, asked, data, message_id, turn.for_staff())
                number += 1
                yield Event(number, run_id, kind, data)
        except (
            Exception
        ) as error:  # whatever a model, tool or template throws, the listener hears of it; the log has the rest
            log.exception("run %s failed", run_id)
            await self._forget(key, run_id)
            yield Event(number + 1, run_id, "error", error_data(error, run_id))
        finally:
            self._in_use[version] -= 1

    async def waiting(self, principal: Principal, thread_id: str) -> tuple[str, ...]:
        """The ids of the approvals that the thread's last turn waits for."""
        return await self._waiting(f"{principal.id}:{thread_id}")

    async def _waiting(self, key: str) -> tuple[str, ...]:
        saver = self._graph.checkpointer
        if isinstance(saver, SqliteCheckpoints | PostgresCheckpoints) and not await saver.interrupted(key):
            return ()  # nearly always; the whole state would be read twice a turn
        state = await self._graph.aget_state({"configurable": {"thread_id": key}})
        return tuple(str(item) for waited in state.interrupts for item in waited.value["approvals"])

    async def _set_aside(self, key: str, turn: TurnContext) -> None:
        """End a turn that waits, because the person went on talking: new input would restart the graph and drop the
        question. Its approvals stay open and are then carried out by themselves."""
        config: RunnableConfig = {"configurable": {"thread_id": key}}
        state = cast(ThreadState, (await self._graph.aget_state(config)).values)
        newest = state["messages"][-1]
        calls = newest.tool_calls if isinstance(newest, AIMessage) else []
        ended = [refused(call, WAITING) for call in calls]
        private = without_personal_data(
            cast(ThreadState, {**state, "messages": [*state["messages"], *ended, AIMessage(WAITING)]}), turn.masker
        )
        masked = private.get("messages", ())
        update = {**private, "messages": [*masked, *(ended if not masked else ()), AIMessage(WAITING)]}
        await self._graph.aupdate_state(config, update, as_node="output_guardrail")

    async def _forget(self, key: str, question_id: str) -> None:
        """Take the question of a failed turn, and what followed it, out of the thread, so that the next turn starts
        clean."""
        config: RunnableConfig = {"configurable": {"thread_id": key}}
        try:
            gone: list[RemoveMessage] = []
            async for state in self._graph.aget_state_history(config, limit=_LOOKED_BACK):
                messages = state.values.get("messages", [])
                start = next((i for i, message in enumerate(messages) if message.id == question_id), None)
                if start is None:
                    before = {key: state.values.get(key) or {} for key in ("facts", "dialogue")}
                    kept = {"messages": gone, **before}
                    await self._graph.aupdate_state(config, kept, as_node="output_guardrail")
                    return
                gone = gone or [RemoveMessage(id=str(message.id)) for message in messages[start:]]
        except (OSError, SqliteError, Unavailable):
            log.exception("thread %s could not be tidied after a failed turn", key)

    async def _events(
        self, turn: TurnTeller, start: ThreadState | Command[Any], key: str
    ) -> AsyncIterator[tuple[EventType, dict[str, Any]]]:
        config: RunnableConfig = {
            "configurable": {"thread_id": key},
            "recursion_limit": self._settings.recursion_limit,
        }
        # The planner writes its words itself; hearing models costs a call back for each node of the graph.
        planned = turn.context.services.engine.name == ENGINE_NAME
        modes = [mode for mode in _MODES if mode != "messages" or not planned]
        parts = self._graph.astream(
            start,
            config,
            context=turn.context,
            version="v2",
            stream_mode=modes,
            durability="exit",
        )
        async with asyncio.timeout(self._settings.turn_timeout_s):
            async for part in parts:
                for event in turn.take(cast(dict[str, Any], part)):
                    yield event
        waited = [await turn.context.services.gate.approval(approval_id) for approval_id in turn.waits_for]
        known = turn.context.snapshot
        titles = [known.entry(i.tool).card.title if i.tool in known else words_of(i.tool) for i in waited]
        people = [await person_of(item, turn.context.customers) for item in waited]
        cards = [approval_card(*shown) for shown in zip(waited, titles, people, strict=True)]
        for event in turn.finish(cards):
            yield event
