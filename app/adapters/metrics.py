"""What the service counts and times, in Prometheus' text format. Nothing here names a person or holds a text."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_LATEST

CONTENT_TYPE = CONTENT_TYPE_LATEST
_TURN_S = (0.02, 0.04, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.4, 0.6, 1, 2, 5, 10, 30)
_STAGE_S = (0.001, 0.002, 0.004, 0.008, 0.015, 0.03, 0.06, 0.12, 0.25, 0.5, 1, 2, 5, 10, 30)
_TOOL_S = (0.002, 0.01, 0.05, 0.25, 1, 5)
_HTTP_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 2, 5, 10, 30)
_TOKENS = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
_CONFIDENCES = 500


@dataclass(frozen=True)
class _Metric:
    """A metric as it is declared: the attribute of `Metrics` that holds it, its kind, its name and what it tells."""

    attribute: str
    kind: type[Counter | Gauge | Histogram]
    name: str
    tells: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()

    def registered(self, registry: CollectorRegistry) -> Counter | Gauge | Histogram:
        """The metric, as one of this registry."""
        more: dict[str, Any] = {"buckets": self.buckets} if self.buckets else {}
        return self.kind(self.name, self.tells, self.labels, registry=registry, **more)


_METRICS = (
    _Metric("_turns", Counter, "assistant_turns", "Turns by how they ended.", ("outcome", "engine")),
    _Metric("_turn_s", Histogram, "assistant_turn_seconds", "Time of a whole turn.", buckets=_TURN_S),
    _Metric(
        "_wait_s", Histogram, "assistant_turn_wait_seconds", "Time that a turn waited for its thread.", buckets=_STAGE_S
    ),
    _Metric("_stage_s", Histogram, "assistant_stage_seconds", "Time of one graph node.", ("stage",), _STAGE_S),
    _Metric("_tools", Counter, "assistant_tool_calls", "Tool calls by how they ended.", ("tool", "status")),
    _Metric("_tool_s", Histogram, "assistant_tool_seconds", "Time of a tool call.", ("tool",), _TOOL_S),
    _Metric(
        "_broken_tools", Counter, "assistant_tool_broken", "Tool calls that fell over the tool's own code.", ("tool",)
    ),
    _Metric(
        "_guards",
        Counter,
        "assistant_guard_decisions",
        "What guards decided beside letting pass.",
        ("stage", "action", "layer"),
    ),
    _Metric("_routes", Counter, "assistant_routes", "Routed questions, by whether a tool was bound.", ("bound",)),
    _Metric("_tokens", Counter, "assistant_model_tokens", "Tokens of a provider's model.", ("kind",)),
    _Metric("_cost", Counter, "assistant_model_cost_usd", "What a provider's model cost, as configured."),
    _Metric("_faults", Counter, "assistant_model_faults", "Turns that the planner had to finish.", ("fault",)),
    _Metric(
        "_decisions", Counter, "assistant_decisions", "Turns by who was to answer them, and why.", ("engine", "why")
    ),
    _Metric(
        "_one_decisions",
        Counter,
        "assistant_one_decisions",
        "Single decisions that the model was asked for, by what they were about and whether it had an answer.",
        ("about", "answered"),
    ),
    _Metric("_confidence", Gauge, "assistant_confidence", "The planner's mean confidence over its last 500 turns."),
    _Metric(
        "confidence_usual", Gauge, "assistant_confidence_usual", "The planner's mean confidence when it was calibrated."
    ),
    _Metric("model_spent_usd", Gauge, "assistant_model_spent_usd", "What the model has cost today."),
    _Metric("running", Gauge, "assistant_turns_running", "Turns under way."),
    _Metric("waiting", Gauge, "assistant_turns_waiting", "Turns that wait for an earlier one of their thread."),
    _Metric("runs_held", Gauge, "assistant_runs_held", "Runs whose events are kept for resuming."),
    _Metric("_http", Counter, "assistant_http_requests", "HTTP answers.", ("route", "method", "status")),
    _Metric(
        "_http_s", Histogram, "assistant_http_seconds", "Time to the first byte of an answer.", ("route",), _HTTP_S
    ),
    _Metric("_up", Gauge, "assistant_part_up", "1 while a part works, 0 while it is down.", ("part",)),
    _Metric("_tools_count", Gauge, "assistant_tools", "Registered tools that answer questions."),
    _Metric("_version", Gauge, "assistant_registry_version", "Version of the tool set in force here."),
    _Metric(
        "twin_steps", Counter, "assistant_twin_steps", "What the twin process is for, by where it was done.", ("where",)
    ),
    _Metric(
        "twin_silent_s",
        Gauge,
        "assistant_twin_answer_age_s",
        "Seconds since the twin process last answered; 0 without one.",
    ),
    _Metric("twin_ready", Gauge, "assistant_twin_ready", "1 while a twin process knows the tool set in force."),
    _Metric(
        "change_s", Gauge, "assistant_change_age_s", "Seconds that the change of the tool set under way has taken."
    ),
    _Metric("changes_given_up", Gauge, "assistant_changes_given_up", "Changes of the tool set that ran out of time."),
    _Metric(
        "shared_faults",
        Counter,
        "assistant_shared_faults",
        "Calls to Redis that failed and went on without it.",
        ("what",),
    ),
)


class Metrics:
    """The counters of one process, in a registry of their own. Times are seconds, as Prometheus wants them."""

    _turns: Counter
    _turn_s: Histogram
    _wait_s: Histogram
    _stage_s: Histogram
    _tools: Counter
    _tool_s: Histogram
    _broken_tools: Counter
    _guards: Counter
    _routes: Counter
    _tokens: Counter
    _cost: Counter
    _faults: Counter
    _decisions: Counter
    _one_decisions: Counter
    _confidence: Gauge
    confidence_usual: Gauge
    model_spent_usd: Gauge
    running: Gauge
    waiting: Gauge
    runs_held: Gauge
    _http: Counter
    _http_s: Histogram
    _up: Gauge
    _tools_count: Gauge
    _version: Gauge
    twin_steps: Counter
    twin_silent_s: Gauge
    twin_ready: Gauge
    change_s: Gauge
    changes_given_up: Gauge
    shared_faults: Counter

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        ProcessCollector(registry=self.registry)
        self._confidences: deque[float] = deque(maxlen=_CONFIDENCES)
        for metric in _METRICS:
            setattr(self, metric.attribute, metric.registered(self.registry))

    def turn_ended(self, outcome: str, engine: str, took_s: float) -> None:
        """A turn is over: answered, refused, asked_back, awaits_approval, cancelled, or the type of its error."""
        self._turns.labels(outcome, engine).inc()
        self._turn_s.observe(took_s)

    def turn_waited(self, took_s: float) -> None:
        """A turn got its thread after waiting."""
        self._wait_s.observe(took_s)

    def stage(self, name: str, took_s: float) -> None:
        """A graph node ended."""
        self._stage_s.labels(name).observe(took_s)

    def tool(self, name: str, status: str, took_s: float) -> None:
        """A tool call ended."""
        self._tools.labels(name, status).inc()
        self._tool_s.labels(name).observe(took_s)

    def tool_broke(self, name: str) -> None:
        """A tool's own code failed, in a turn or called by itself."""
        self._broken_tools.labels(name).inc()

    def guard(self, stage: str, action: str, layer: str) -> None:
        """A guard refused, asked for another try or replaced."""
        self._guards.labels(stage, action, layer).inc()

    def routed(self, *, bound: bool) -> None:
        """Tools were bound for a turn, or none was needed."""
        self._routes.labels("yes" if bound else "no").inc()

    def used(self, usage: Mapping[str, Any]) -> None:
        """A provider's model was asked."""
        for kind in _TOKENS:
            if usage.get(kind):
                self._tokens.labels(kind.removesuffix("_tokens")).inc(usage[kind])
        self._cost.inc(usage.get("cost_usd") or 0.0)

    def model_failed(self, fault: str) -> None:
        """The planner finished a turn in a model's place."""
        self._faults.labels(fault).inc()

    def decided(self, decision: Mapping[str, Any]) -> None:
        """Planner or model was chosen for a turn."""
        self._decisions.labels(decision["engine"], decision["why"]).inc()
        if asked := decision.get("asked"):
            self._one_decisions.labels(asked["about"], str(asked["chosen"] is not None).lower()).inc()
        self._confidences.append(float(decision["confidence"]))
        self._confidence.set(sum(self._confidences) / len(self._confidences))

    def http(self, route: str, method: str, status: int, took_s: float) -> None:
        """An HTTP answer began."""
        self._http.labels(route, method, str(status)).inc()
        self._http_s.labels(route).observe(took_s)

    def state(self, health: Mapping[str, Any]) -> None:
        """What health says now."""
        for part, works in health["checks"].items():
            self._up.labels(part).set(1 if works else 0)
        self._tools_count.set(health["tools_count"])
        self._version.set(health["registry_version"])

    def text(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self.registry)
