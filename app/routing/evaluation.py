"""Measures the router on case files: formats, metrics with bootstrap intervals, and the check against leakage."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from app.adapters.case_store import SavedCase
from app.json_lines import read_lines
from app.language.normalise import compact
from app.messages import worded
from app.routing.router import Route
from app.toolbox.snapshot import ToolSnapshot

_RESAMPLES = 1_000
_AUROC_RESAMPLES = 300
_SHORT_CHARS = 15
_THIRD = 3


@dataclass(frozen=True)
class Case:
    """One question with the tools that are right (none: no tool is needed) and fair twins that count as right too."""

    id: str
    query: str
    expected: tuple[str, ...]
    accept: tuple[str, ...] = ()
    history: tuple[str, ...] = ()
    domain: Literal["in", "out"] | None = None

    @property
    def needs_no_tool(self) -> bool:
        """Known to need none. A line that only tells the domain (`domain` in, no tool given) is not one of them."""
        return not self.expected and self.domain != "in"

    @property
    def right(self) -> tuple[str, ...]:
        """Every tool that counts as a hit."""
        return (*self.expected, *self.accept)

    @property
    def question(self) -> str:
        """What is routed: a very short follow-up is read together with the turn before it."""
        if self.history and len(self.query) < _SHORT_CHARS:
            return f"{self.history[-1]} {self.query}"
        return self.query


@dataclass(frozen=True)
class Outcome:
    """A case after routing. `rank` of the first right tool from 1, None when it was not found or none is needed."""

    case: Case
    route: Route
    rank: int | None


@dataclass(frozen=True)
class Leak:
    """A question that cannot be scored, because `owner` (a tool, or the training lines) holds it word for word."""

    id: str
    query: str
    owner: str


class Leakage(ValueError):
    """Questions that stand in a card; scoring them would measure memory, not routing."""

    def __init__(self, found: Sequence[tuple[str, str]]) -> None:
        self.found = tuple(found)
        lines = "\n".join(f"  {question!r} ← {tool}" for question, tool in found)
        reason = worded("routing_evaluation.in_cards", found=len(found))
        super().__init__(f"{reason}\n{lines}")


def load_cases(path: Path) -> list[Case]:
    """Cases of a JSON lines file; unknown keys are ignored. Raises DataFaults with every broken line."""
    return read_lines(path, _case)


def _case(number: int, row: dict[str, Any]) -> Case:
    query = row.get("query")
    if not isinstance(query, str) or not query.strip():
        raise ValueError(worded("routing_evaluation.no_query"))
    expected, accept, history = (_names(row.get(key)) for key in ("expected", "accept", "history"))
    # Other files may mean something else by `domain`: only in and out are read.
    domain: Literal["in", "out"] | None = {"in": "in", "out": "out"}.get(str(row.get("domain")))  # type: ignore[assignment]
    return Case(str(row.get("id", number)), query, expected, accept, history, domain)


def case_of(saved: SavedCase) -> Case:
    """A saved question as a case: its first tool is expected, the others count as right too."""
    return Case(saved.case_id, saved.query, saved.expected_tools[:1], saved.expected_tools[1:], saved.history)


def _names(value: object) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise TypeError(worded("routing_evaluation.not_list", value=json.dumps(value, ensure_ascii=False)))


def leaked_cases(cases: Sequence[Case], snapshot: ToolSnapshot, aside: Sequence[str] = ()) -> tuple[Leak, ...]:
    """The questions that stand in a card or in `aside` (spaces, case and marks ignored), in their order."""
    owner = {compact(line): entry.name for entry in snapshot.entries for _, _, line in entry.card.lines()}
    owner |= {compact(line): worded("routing_evaluation.learning_lines") for line in aside}
    return tuple(
        Leak(case.id, case.query, owner[key]) for case in cases if (key := compact(case.query)) in owner if key
    )


def refuse_leakage(cases: Sequence[Case], snapshot: ToolSnapshot, aside: Sequence[str] = ()) -> None:
    """Raises Leakage naming each question that stands in a card or in `aside`."""
    found = leaked_cases(cases, snapshot, aside)
    if found:
        raise Leakage([(leak.query, leak.owner) for leak in found])


def run_cases(cases: Sequence[Case], route: Callable[[str], Route]) -> list[Outcome]:
    """Route every case."""
    outcomes = []
    for case in cases:
        found = route(case.question)
        ranks = [candidate.rank for candidate in found.candidates if candidate.tool in case.right]
        outcomes.append(Outcome(case, found, min(ranks, default=None)))
    return outcomes


@dataclass(frozen=True)
class Rate:
    """A share with its 95 % bootstrap interval and the number of cases it rests on."""

    value: float
    low: float
    high: float
    count: int

    def as_dict(self) -> dict[str, float]:
        """For JSON."""
        return {"rate": round(self.value, 4), "low": round(self.low, 4), "high": round(self.high, 4), "n": self.count}

    def __str__(self) -> str:
        return (
            f"{self.value:6.1%} [{self.low:.1%}, {self.high:.1%}]" if self.count else worded("routing_evaluation.none")
        )


def rate(values: Sequence[float], seed: int = 7) -> Rate:
    """The mean of the values with its bootstrap interval."""
    data = np.asarray(values, dtype=np.float64)
    if not len(data):
        return Rate(0.0, 0.0, 0.0, 0)
    drawn = np.random.default_rng(seed).integers(0, len(data), (_RESAMPLES, len(data)))
    means = data[drawn].mean(axis=1)
    return Rate(float(data.mean()), float(np.quantile(means, 0.025)), float(np.quantile(means, 0.975)), len(data))


def metrics(outcomes: Sequence[Outcome], k: int, threshold: float | None = None) -> dict[str, Rate]:
    """Hit@1, Recall@k, MRR (over the k shown), no-call accuracy, tools lost to a wrong no-call, and overall accuracy.

    `threshold` replaces the calibrated no-call threshold (a probability, 0-1).
    """
    tools = [outcome for outcome in outcomes if outcome.case.expected]
    none = [outcome for outcome in outcomes if outcome.case.needs_no_tool]

    def silent(outcome: Outcome) -> bool:
        return outcome.route.no_call if threshold is None else outcome.route.no_call_score >= threshold

    hits = [float(outcome.rank == 1) for outcome in tools]
    quiet = [float(silent(outcome)) for outcome in none]
    within = [outcome.rank if outcome.rank is not None and outcome.rank <= k else None for outcome in tools]
    third = [float(outcome.rank is not None and outcome.rank <= _THIRD) for outcome in tools]
    return {
        "hit_at_1": rate(hits),
        "recall_at_3": rate(third),
        "recall_at_k": rate([float(rank is not None) for rank in within]),
        "mrr": rate([1.0 / rank if rank else 0.0 for rank in within]),
        "no_call_accuracy": rate(quiet),
        "robbed": rate([float(silent(outcome)) for outcome in tools]),
        "overall": rate(hits + quiet),
    }


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float | None:
    """The chance that a positive scores above a negative (ties count half); None when a side is empty."""
    if not len(positive) or not len(negative):
        return None
    below = np.sort(np.asarray(negative, dtype=np.float64))
    values = np.asarray(positive, dtype=np.float64)
    less: NDArray[np.intp] = np.searchsorted(below, values, side="left")
    upto: NDArray[np.intp] = np.searchsorted(below, values, side="right")
    return float(((less + upto) / 2).mean() / len(below))


def no_call_distribution(outcomes: Sequence[Outcome]) -> dict[str, Mapping[str, float] | float | None]:
    """Least, mean and greatest no-call probability of both kinds, and how well it parts them (AUROC)."""
    tools = [outcome.route.no_call_score for outcome in outcomes if outcome.case.expected]
    none = [outcome.route.no_call_score for outcome in outcomes if outcome.case.needs_no_tool]
    return {"tool_call": _spread(tools), "no_call": _spread(none), "auroc": auroc(none, tools)}


def auroc_interval(positive: Sequence[float], negative: Sequence[float], seed: int = 7) -> Rate | None:
    """AUROC with its 95 % bootstrap interval; None when a side is empty."""
    value = auroc(positive, negative)
    if value is None:
        return None
    draw = np.random.default_rng(seed)
    one, other = np.asarray(positive), np.asarray(negative)
    drawn = [
        auroc(draw.choice(one, len(one)).tolist(), draw.choice(other, len(other)).tolist()) or 0.0
        for _ in range(_AUROC_RESAMPLES)
    ]
    low, high = (float(edge) for edge in np.quantile(drawn, (0.025, 0.975)))
    return Rate(value, low, high, len(one) + len(other))


def confusions(outcomes: Sequence[Outcome]) -> dict[tuple[str, str], int]:
    """How often each tool (the first expected one) was answered by each tool; twins that count as right are right."""
    counts: Counter[tuple[str, str]] = Counter()
    for outcome in outcomes:
        if outcome.case.expected and outcome.route.candidates:
            first = outcome.route.candidates[0].tool
            wanted = outcome.case.expected[0]
            counts[wanted, wanted if first in outcome.case.right else first] += 1
    return dict(counts)


def reliability(pairs: Sequence[tuple[float, bool]], bins: int = 10) -> list[tuple[float, float, int]]:
    """(mean probability, share true, count) of each filled bin of equal width."""
    rows = []
    for i in range(bins):
        held = [(p, truth) for p, truth in pairs if i / bins <= p < (i + 1) / bins or (i == bins - 1 and p >= 1.0)]
        if held:
            share = sum(truth for _, truth in held) / len(held)
            rows.append((sum(p for p, _ in held) / len(held), share, len(held)))
    return rows


def _spread(scores: Sequence[float]) -> dict[str, float]:
    if not scores:
        return {}
    return {"min": min(scores), "avg": sum(scores) / len(scores), "max": max(scores)}


def latency(outcomes: Sequence[Outcome]) -> dict[str, float]:
    """p50 and p99 of a whole route, in ms."""
    times = [outcome.route.duration_ms for outcome in outcomes]
    if not times:
        return {}
    return {"p50_ms": round(float(np.quantile(times, 0.5)), 2), "p99_ms": round(float(np.quantile(times, 0.99)), 2)}
