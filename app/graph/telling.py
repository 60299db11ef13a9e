"""Turns LangGraph's stream parts into our events and keeps the trace of a turn."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, cast

from langchain_core.messages import AIMessageChunk, AnyMessage
from langgraph.errors import GraphRecursionError

from app.adapters.disk import is_full
from app.errors import AppError, DiskFull
from app.graph.deciding import shown
from app.graph.events import EventType
from app.graph.output_guardrail import evidence_of
from app.graph.privacy import masked_values
from app.graph.private_texts import repeating
from app.graph.reply import blocks, build_reply, needs_input_form, results, shown_facts, sources
from app.graph.state import ThreadState
from app.graph.stops import stops_of
from app.graph.turn import TurnContext, as_text, elapsed_ms
from app.graph.usage import total
from app.messages import worded
from app.planner.model import ENGINE_NAME
from app.safety.gate import SentenceGate


class TurnTeller:
    """Turns LangGraph's stream parts into our events and keeps the trace."""

    def __init__(self, context: TurnContext, thread_id: str, engine: str) -> None:
        self.context = context
        self._thread_id, self._engine = thread_id, engine
        self._state = ThreadState()
        self._gate = self._new_gate()
        self._sent = ""
        self._first_ms: float | None = None
        self._started: dict[str, float] = {}
        self._trace: list[dict[str, Any]] = []
        self.waits_for: tuple[str, ...] = ()

    @property
    def messages(self) -> list[AnyMessage]:
        """The thread's messages as of the last step."""
        return self._state.get("messages", [])

    def take(self, part: dict[str, Any]) -> list[tuple[EventType, dict[str, Any]]]:
        """The events that a stream part stands for."""
        events = self._taken(part)
        if self._first_ms is None and any(kind == "token" for kind, _ in events):
            self._first_ms = self._elapsed_ms()
        return events

    def _taken(self, part: dict[str, Any]) -> list[tuple[EventType, dict[str, Any]]]:
        match part["type"]:
            case "custom":
                if part["data"]["event"] == "draft_dropped":
                    return self._dropped(part["data"]["data"])
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
        if data.get("error"):
            # The node raised: the turn ends in an `error` event, and there is nothing to tell of the node.
            return []
        if data.get("interrupts") or data.get("error"):
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
        """For the pieces of a model's answer; the embedded planner's comes whole, judged by the output guard alone."""
        turn = self.context
        counted = None if turn.services.engine.name == ENGINE_NAME else repeating(turn, lambda: self.messages)
        return SentenceGate(turn.services.output_guard, (turn.canary,), self._evidence, counted)

    def _evidence(self) -> list[str]:
        return evidence_of(self._state["messages"], self._state)

    def _take_back(self, reason: str) -> list[tuple[EventType, dict[str, Any]]]:
        """What was shown of a draft that will not stand is withdrawn."""
        shown, self._sent = self._sent, ""
        self._gate = self._new_gate()
        return [("guard", {"stage": "output", "action": "retry", "reason": reason})] if shown else []

    def _dropped(self, data: dict[str, Any]) -> list[tuple[EventType, dict[str, Any]]]:
        """A model's draft is given up; `engine` names the one that goes on in its place."""
        self._engine = data.get("engine", self._engine)
        return self._take_back(data["reason"])

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

    def for_staff(self) -> dict[str, Any]:
        """What the turn and its first sentence took (ms), which tools were ranked, what each call gave and what the
        guards stopped; personal data masked."""
        route = self._state.get("route") or {}
        return {
            "took_ms": self._elapsed_ms(),
            "first_ms": self._first_ms,
            "candidates": route.get("candidates", []),
            "bound": route.get("bound", []),
            "registry_version": self.context.snapshot.version,
            "results": masked_values(results(self._state), self.context.masker),
            "stops": stops_of(self._state),
        }

    def _elapsed_ms(self) -> float:
        return round((time.monotonic() - self.context.started) * 1000, 1)

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
        used = total(state.get("usage") or [], self.context.services.prompts.version)
        reply = build_reply(
            state,
            sees_codes=sees_codes,
            thread_id=self._thread_id,
            run_id=self.context.run_id,
            engine=state.get("engine") or self._engine,
            usage=used,
            trace=masked_values(self._trace, self.context.masker),
            approvals=approvals,
        )
        if approvals:
            events += [("token", {"text": reply["answer"]}), *(("approval", card) for card in approvals)]
        if used is not None:
            events.append(("usage", used))
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
            if update.get("asked"):
                row["asked"] = {name: update["asked"][name] for name in ("about", "options", "taken", "chosen")}
            if update.get("decision"):
                row["decision"] = shown(update["decision"])
            if update.get("engine_fault"):
                row |= {"engine": update["engine"], "engine_fault": update["engine_fault"]}
        case "tools":
            return [{"node": node, **run} for run in update["tool_runs"][tools_so_far:]]
        case "output_guardrail":
            row |= {key: update["output"].get(key) for key in ("action", "reason", "disclaimer_appended")}
            if update.get("engine"):
                row |= {"engine": update["engine"], "engine_fault": update["engine_fault"]}
    return [row]


def error_data(error: BaseException, run_id: str) -> dict[str, Any]:
    """The `error` event: what happened in plain words; never a stack trace or another library's text."""
    if is_full(error) and not isinstance(error, AppError):
        error = DiskFull()
    if isinstance(error, AppError):
        return {"error": str(error), "type": error.code, "request_id": run_id}
    if isinstance(error, TimeoutError | GraphRecursionError):
        text = worded("telling.timeout")
        return {"error": text, "type": "timeout", "request_id": run_id}
    text = worded("telling.failed")
    return {"error": text, "type": "internal", "request_id": run_id}
