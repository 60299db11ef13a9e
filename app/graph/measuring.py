"""Counts, times and traces turns from the events that they tell; the nodes know nothing of it."""

from __future__ import annotations

import time
from typing import Any

from opentelemetry import trace
from opentelemetry.trace import Span, StatusCode

from app.adapters.metrics import Metrics
from app.adapters.tracing import Tracing
from app.graph.events import EventType

_RETRIEVAL = "rag_"


class TurnMeter:
    """Hears one turn from its wait for the thread to its end. Texts of questions and answers reach no span."""

    def __init__(self, metrics: Metrics, tracing: Tracing, run_id: str, engine: str) -> None:
        self._metrics, self._tracer = metrics, tracing.tracer
        self._engine, self._outcome, self._ended = engine, "cancelled", False
        self._asked = self._began = time.perf_counter()
        self._running = False
        self._spans: dict[str, Span] = {}
        metrics.waiting.inc()
        if self._tracer is not None:
            self._spans["turn"] = self._tracer.start_span("turn", attributes={"run.id": run_id, "engine": engine})

    def began(self) -> None:
        """The thread is free, the turn starts."""
        self._began, self._running = time.perf_counter(), True
        self._metrics.waiting.dec()
        self._metrics.running.inc()
        self._metrics.turn_waited(self._began - self._asked)

    def heard(self, kind: EventType, data: dict[str, Any]) -> None:
        """One event of the turn."""
        match kind:
            case "node_start":
                self._open(f"node {data['node']}", "turn")
            case "node_end":
                self._metrics.stage(data["node"], data["duration_ms"] / 1000)
                self._close(f"node {data['node']}")
            case "tools_selected":
                self._metrics.routed(bound=bool(data["tools"]))
            case "tool_start":
                what = "retrieval" if data["tool"].startswith(_RETRIEVAL) else "tool"
                self._open(f"{what} {data['tool']}", "node tools")
            case "tool_end":
                self._metrics.tool(data["tool"], data["status"], data["duration_ms"] / 1000)
                what = "retrieval" if data["tool"].startswith(_RETRIEVAL) else "tool"
                self._close(f"{what} {data['tool']}", failed=data["status"] == "error")
            case "guard":
                self._metrics.guard(data["stage"], data["action"], str(data.get("layer") or "-"))
            case "usage":
                self._metrics.used(data)
                self._model_span(data)
            case "done":
                self._done(data)
            case "error":
                self._outcome = data["type"]

    def close(self) -> None:
        """The turn is over, however it ended."""
        if self._ended:
            return
        self._ended = True
        if self._running:
            self._metrics.running.dec()
            self._metrics.turn_ended(self._outcome, self._engine, time.perf_counter() - self._began)
        else:
            self._metrics.waiting.dec()
        for name, span in self._spans.items():
            if name == "turn":
                span.set_attribute("outcome", self._outcome)
                if self._outcome not in ("answered", "refused", "asked_back", "awaits_approval"):
                    span.set_status(StatusCode.ERROR, self._outcome)
            span.end()
        self._spans.clear()

    def _done(self, reply: dict[str, Any]) -> None:
        if reply["guard"].get("input") == "block":
            self._outcome = "refused"
        elif reply.get("approval"):
            self._outcome = "awaits_approval"
        else:
            self._outcome = "asked_back" if reply.get("needs_input") else "answered"
        self._engine = reply["engine"]
        if decision := reply.get("decision"):
            self._metrics.decided(decision)
        if reply.get("engine_fault"):
            self._metrics.model_failed(reply["engine_fault"])

    def _model_span(self, usage: dict[str, Any]) -> None:
        """The provider's calls of a turn, told once at its end."""
        if self._tracer is not None and (turn := self._spans.get("turn")) is not None:
            numbers = {f"gen_ai.usage.{k}": v for k, v in usage.items() if isinstance(v, int | float | str)}
            context = trace.set_span_in_context(turn)
            self._tracer.start_span(f"model {usage.get('model', '')}", context=context, attributes=numbers).end()

    def _open(self, name: str, parent: str) -> None:
        if self._tracer is not None:
            above = self._spans.get(parent) or self._spans.get("turn")
            context = trace.set_span_in_context(above) if above is not None else None
            self._spans[name] = self._tracer.start_span(name, context=context)

    def _close(self, name: str, *, failed: bool = False) -> None:
        if (span := self._spans.pop(name, None)) is not None:
            if failed:
                span.set_status(StatusCode.ERROR)
            span.end()
