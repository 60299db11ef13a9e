"""Runs one turn and tells it as typed events. Text leaves only through the sentence gate; `done` equals what was
streamed."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from sqlite3 import Error as SqliteError
from typing import Any, cast
from weakref import WeakValueDictionary

from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage, RemoveMessage
from langchain_core.runnables import RunnableConfig
from langgraph.errors import GraphRecursionError
from langgraph.types import Command

from app.access import Principal
from app.adapters.approval_store import Approval
from app.errors import AppError, TurnFailed
from app.graph.builder import AssistantGraph
from app.graph.events import Event, EventType
from app.graph.output_guardrail import evidence_of
from app.graph.privacy import masked_values, without_personal_data
from app.graph.reply import approval_card, blocks, build_reply, needs_input_form, shown_facts, sources
from app.graph.state import ThreadState, fresh_turn
from app.graph.turn import TurnContext, as_text, elapsed_ms, last_question
from app.planner.model import ENGINE_NAME
from app.safety.gate import SentenceGate
from app.settings import Settings
from app.toolbox.approvals import WAITING
from app.toolbox.dispatch import refused

log = logging.getLogger(__name__)

# A turn leaves one checkpoint when it ends and one when it fails.
_LOOKED_BACK = 4
# A short no, and nothing else, takes back what waits for an approval. Anything longer leaves it to be decided.
_CALLS_OFF = re.compile(
    r"(?!.*(?:나요|까요|는지|언제|얼마|어떻|뭐))\s*(?:아니[요오]?|아뇨|아냐|노)?[,.\s]*"
    r"(?:(?:그냥|일단|다)\s*)*(?:취소|안\s?할|하지\s?마|그만|됐|냅\s?둬|두세요|두실|관둘|아니)[^?]{0,12}\s*$"
)

MakeContext = Callable[[Principal, str, str], TurnContext]
# (principal, thread id, question, reply, message id): keeps a finished turn
Recorder = Callable[[Principal, str, str, dict[str, Any], str | None], Awaitable[None]]


class TurnLocks:
    """One lock a thread, by its key in the checkpoints; kept as long as somebody holds it."""

    def __init__(self) -> None:
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def lock(self, key: str) -> asyncio.Lock:
        """The lock that a turn of this thread holds while it goes on."""
        return self._locks.setdefault(key, asyncio.Lock())


class Runner:
    """Turns questions into events. One turn at a time per thread; the next waits."""

    def __init__(
        self,
        graph: AssistantGraph,
        make_context: MakeContext,
        settings: Settings,
        engine_name: str,
        record: Recorder | None = None,
        turn_locks: TurnLocks | None = None,
    ) -> None:
        self._graph, self._make_context, self._settings = graph, make_context, settings
        self.engine_name = engine_name
        self._record = record
        self._turn_locks = TurnLocks() if turn_locks is None else turn_locks

    async def ask(self, query: str, principal: Principal, thread_id: str | None = None) -> dict[str, Any]:
        """The reply of one whole turn. Raises TurnFailed where `stream` would end in an `error` event."""
        async for event in self.stream(query, principal, thread_id):
            if event.type == "done":
                return event.data
            if event.type == "error":
                raise TurnFailed(event.data["error"], event.data["type"])
        raise TurnFailed("답변을 끝내지 못했습니다. 잠시 뒤 다시 시도해 주세요.", "internal")

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
        number = 0
        key = f"{principal.id}:{thread_id}"
        async with self._turn_locks.lock(key):
            turn = _Turn(self._make_context(principal, thread_id, run_id), thread_id, self.engine_name)
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
                        await self._record(principal, thread_id, asked, data, message_id)
                    number += 1
                    yield Event(number, run_id, kind, data)
            except (
                Exception
            ) as error:  # whatever a model, tool or template throws, the listener hears of it; the log has the rest
                log.exception("run %s failed", run_id)
                await self._forget(key, run_id)
                yield Event(number + 1, run_id, "error", error_data(error, run_id))

    async def waiting(self, principal: Principal, thread_id: str) -> tuple[str, ...]:
        """The ids of the approvals that the thread's last turn waits for."""
        return await self._waiting(f"{principal.id}:{thread_id}")

    async def _waiting(self, key: str) -> tuple[str, ...]:
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
                    kept = {"messages": gone, "facts": state.values.get("facts") or {}}
                    await self._graph.aupdate_state(config, kept, as_node="output_guardrail")
                    return
                gone = gone or [RemoveMessage(id=str(message.id)) for message in messages[start:]]
        except (OSError, SqliteError):
            log.exception("thread %s could not be tidied after a failed turn", key)

    async def _events(
        self, turn: _Turn, start: ThreadState | Command[Any], key: str
    ) -> AsyncIterator[tuple[EventType, dict[str, Any]]]:
        config: RunnableConfig = {
            "configurable": {"thread_id": key},
            "recursion_limit": self._settings.recursion_limit,
        }
        parts = self._graph.astream(
            start,
            config,
            context=turn.context,
            version="v2",
            stream_mode=["tasks", "messages", "custom", "values"],
            durability="exit",
        )
        async with asyncio.timeout(self._settings.turn_timeout_s):
            async for part in parts:
                for event in turn.take(cast(dict[str, Any], part)):
                    yield event
        waited = [await turn.context.services.gate.approval(approval_id) for approval_id in turn.waits_for]
        titles = {entry.name: entry.card.title for entry in turn.context.snapshot.entries}
        for event in turn.finish([approval_card(item, titles.get(item.tool, item.tool)) for item in waited]):
            yield event


class _Turn:
    """Turns LangGraph's stream parts into our events and keeps the trace."""

    def __init__(self, context: TurnContext, thread_id: str, engine: str) -> None:
        self.context = context
        self._thread_id, self._engine = thread_id, engine
        self._gate = self._new_gate()
        self._sent = ""
        self._state = ThreadState()
        self._started: dict[str, float] = {}
        self._trace: list[dict[str, Any]] = []
        self.waits_for: tuple[str, ...] = ()

    @property
    def messages(self) -> list[AnyMessage]:
        """The thread's messages as of the last step."""
        return self._state.get("messages", [])

    def take(self, part: dict[str, Any]) -> list[tuple[EventType, dict[str, Any]]]:
        match part["type"]:
            case "custom":
                return [(part["data"]["event"], part["data"]["data"])]
            case "values":
                self._state = cast(ThreadState, part["data"])
                waited = [item for pause in part.get("interrupts") or () for item in pause.value["approvals"]]
                self.waits_for = tuple(map(str, waited))
                return []
            case "messages":
                chunk, meta = part["data"]
                if isinstance(chunk, AIMessageChunk) and meta.get("langgraph_node") == "agent":
                    return self._tokens(as_text(chunk.content), bool(chunk.tool_call_chunks))
                return []
            case "tasks":
                data = part["data"]
                return self._node_end(data) if "result" in data else self._node_start(data)
        return []

    def _node_start(self, data: dict[str, Any]) -> list[tuple[EventType, dict[str, Any]]]:
        self._started[data["id"]] = time.perf_counter()
        return [("node_start", {"node": data["name"]})]

    def _node_end(self, data: dict[str, Any]) -> list[tuple[EventType, dict[str, Any]]]:
        node, took = data["name"], elapsed_ms(self._started.pop(data["id"]))
        update: dict[str, Any] = data["result"] or {}
        if data.get("interrupts"):
            return [("node_end", {"node": node, "duration_ms": took})]
        self._trace += _trace_rows(node, took, update, len(self._trace_tools()))
        events: list[tuple[EventType, dict[str, Any]]] = [("node_end", {"node": node, "duration_ms": took})]
        if node == "query_rewriter" and update.get("facts"):
            events.append(("facts", shown_facts(update["facts"])))
        if node == "input_guardrail" and update["guard"].get("input") == "block":
            reason = {
                "stage": "input",
                "action": "block",
                "layer": update["guard"]["layer"],
                "reason": update["guard"]["reason"],
            }
            events += [("guard", reason), ("token", {"text": update["answer"]})]
        if node == "output_guardrail":
            events += self._judged(update)
        return events

    def _trace_tools(self) -> list[dict[str, Any]]:
        return [row for row in self._trace if row["node"] == "tools"]

    def _tokens(self, text: str, calls_tool: bool) -> list[tuple[EventType, dict[str, Any]]]:
        if calls_tool:
            return self._take_back("tool_call")
        released = self._gate.feed(text)
        self._sent += released
        return [("token", {"text": released})] if released else []

    def _new_gate(self) -> SentenceGate:
        """The embedded planner declares its calculations only with the whole answer; others have none to declare."""
        known = None if self._engine == ENGINE_NAME else lambda: evidence_of(self._state["messages"], self._state)
        return SentenceGate(self.context.services.output_guard, (self.context.canary,), known)

    def _take_back(self, reason: str) -> list[tuple[EventType, dict[str, Any]]]:
        """What was shown of a draft that will not stand is withdrawn."""
        shown, self._sent = self._sent, ""
        self._gate = self._new_gate()
        return [("guard", {"stage": "output", "action": "retry", "reason": reason})] if shown else []

    def _judged(self, update: dict[str, Any]) -> list[tuple[EventType, dict[str, Any]]]:
        verdict = update["output"]
        if verdict["action"] == "retry":
            self._take_back("retry")
            return [("guard", {"stage": "output", "action": "retry", "reason": verdict["reason"]})]
        events: list[tuple[EventType, dict[str, Any]]] = []
        answer: str = update["answer"]
        if verdict["action"] == "replaced" or not answer.startswith(self._sent):
            self._sent = ""
            events.append(("guard", {"stage": "output", "action": "replaced", "reason": verdict.get("reason")}))
        rest = answer[len(self._sent) :]
        self._sent = answer
        return [*events, ("token", {"text": rest})] if rest else events

    def finish(self, approvals: Sequence[dict[str, Any]] = ()) -> list[tuple[EventType, dict[str, Any]]]:
        """The closing events: blocks, sources, the question back, approvals, facts and the whole reply."""
        state = self._state
        for card in approvals:
            self._trace.append(
                {"node": "tools", "tool": card["tool"], "input": card["args"], "status": "waiting", "duration_ms": 0.0}
            )
        events: list[tuple[EventType, dict[str, Any]]] = [("block", block) for block in blocks(state)]
        sees_codes = self.context.principal.sees_codes
        if found := sources(state, sees_codes=sees_codes):
            events.append(("sources", {"sources": found}))
        if form := needs_input_form(state):
            events.append(("clarify", form))
        reply = build_reply(
            state,
            sees_codes=sees_codes,
            thread_id=self._thread_id,
            run_id=self.context.run_id,
            engine=self._engine,
            trace=masked_values(self._trace, self.context.masker),
            approvals=approvals,
        )
        if approvals:
            events += [("token", {"text": reply["answer"]}), *(("approval", card) for card in approvals)]
        return [*events, ("facts", reply["facts"]), ("done", reply)]


def _trace_rows(node: str, took: float, update: dict[str, Any], tools_so_far: int) -> list[dict[str, Any]]:
    """The trace rows that a node's update stands for (docs/api.md, `trace`)."""
    row: dict[str, Any] = {"node": node, "duration_ms": took}
    match node:
        case "input_guardrail":
            row["action"] = update["guard"]["input"]
        case "query_rewriter":
            row["action"] = "rewrite" if update.get("rewritten") else "skip"
            if update.get("rewritten"):
                row["rewritten"] = update["rewritten"]
        case "agent":
            if update.get("route"):
                row |= {"tools_bound": len(update["route"]["bound"]), "no_call": update["route"]["no_call"]}
        case "tools":
            return [{"node": node, **run} for run in update["tool_runs"][tools_so_far:]]
        case "output_guardrail":
            row |= {key: update["output"].get(key) for key in ("action", "reason", "disclaimer_appended")}
    return [row]


def error_data(error: BaseException, run_id: str) -> dict[str, Any]:
    """The `error` event: what happened in plain words; never a stack trace or another library's text."""
    if isinstance(error, AppError):
        return {"error": str(error), "type": error.code, "request_id": run_id}
    if isinstance(error, TimeoutError | GraphRecursionError):
        text = "답변 시간이 초과되었습니다. 질문은 저장되지 않았으니 다시 시도해 주세요."
        return {"error": text, "type": "timeout", "request_id": run_id}
    text = "일시적인 오류로 답변하지 못했습니다. 잠시 뒤 다시 시도해 주세요."
    return {"error": text, "type": "internal", "request_id": run_id}
