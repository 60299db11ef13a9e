"""What a changed card would do to the routing of questions, measured before it is put in force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from app.access import LOCAL_ADMIN
from app.routing.evaluation import Case, Outcome, run_cases
from app.routing.router import Route, Router
from app.toolbox.snapshot import ToolSnapshot

_TOP = 10
_SUITE_TOP = 5
_NEIGHBOURS = 5
_LINES_ROUTED = 24
_MEASURES = ("hit_at_1", "recall_at_5", "no_call_accuracy")
RouteOf = Callable[[str], Route]


@dataclass(frozen=True)
class Trial:
    """The set in force and the set as it would be, each with a router."""

    router: Router
    now: ToolSnapshot
    then: ToolSnapshot

    @cached_property
    def after(self) -> Router:
        """The router of the set as it would be."""
        return self.router.trial(self.then)

    def route_before(self) -> RouteOf:
        """Routing by the set in force, each question once; by an index made for this: vectors from the store are
        rounded, and a tie would look like a change."""
        return _once(self.router.trial(self.now), self.now)

    def route_after(self) -> RouteOf:
        """Routing by the set as it would be, each question once."""
        return _once(self.after, self.then)


def _once(router: Router, snapshot: ToolSnapshot) -> RouteOf:
    known: dict[str, Route] = {}
    usable = snapshot.allowed_for(LOCAL_ADMIN)

    def route(question: str) -> Route:
        if question not in known:
            known[question] = router.route(question, snapshot, top_k=_TOP, allowed=usable)
        return known[question]

    return route


def line_effects(tool: str, lines: Sequence[str], before: RouteOf, after: RouteOf) -> list[dict[str, Any]]:
    """Where lines that a card would gain lead, before and after: the first tool, and the rank of the card's own."""

    def rank(route: Route) -> int | None:
        return next((found.rank for found in route.candidates if found.tool == tool), None)

    def first(route: Route) -> str | None:
        return route.candidates[0].tool if route.candidates and not route.no_call else None

    return [
        {
            "line": line,
            "before": rank(before(line)),
            "after": rank(after(line)),
            "first_before": first(before(line)),
            "first_after": first(after(line)),
        }
        for line in lines
    ]


def suite_report(cases: Sequence[Case], before: RouteOf, after: RouteOf) -> dict[str, Any]:
    """The routing suite before and after, and each question that was right and would be no more. `fell`: any rate
    would be lower."""
    old, new = run_cases(cases, before), run_cases(cases, after)
    rates = {name: {"before": _rate(name, old), "after": _rate(name, new)} for name in _MEASURES}
    lost = [_change(was, now) for was, now in zip(old, new, strict=True) if _right(was) and not _right(now)]
    won = [_change(was, now) for was, now in zip(old, new, strict=True) if _right(now) and not _right(was)]
    fell = any(rate["after"] < rate["before"] for rate in rates.values())
    return {"cases": len(cases), "rates": rates, "fell": fell, "lost": lost, "won": won}


def neighbours_of(tool: str, trial: Trial, before: RouteOf) -> tuple[str, ...]:
    """The tools that answer to the same words: those that the card's own lines reach, and those that it names."""
    counts: Counter[str] = Counter()
    for snapshot in (trial.now, trial.then):
        card = snapshot.entry(tool).card
        for line in (card.purpose, *card.when_to_use[:_LINES_ROUTED]):
            counts.update(candidate.tool for candidate in before(line).candidates[:3] if candidate.tool != tool)
        told = " ".join(card.when_not_to_use)
        counts.update(name for name in snapshot.names() if name != tool and name in told)
    return tuple(name for name, _ in counts.most_common(_NEIGHBOURS))


def rank_changes(
    tool: str, neighbours: Sequence[str], cases: Sequence[Case], before: RouteOf, after: RouteOf
) -> dict[str, Any]:
    """For each question of the tool and its neighbours whose right tool would stand elsewhere: its rank before and
    after (None: not among the first ten); and for each tool how often it comes first."""
    mine = (tool, *neighbours)
    asked = [case for case in cases if case.expected and case.expected[0] in mine]
    pairs = list(zip(run_cases(asked, before), run_cases(asked, after), strict=True))
    tools = [
        {
            "tool": name,
            "questions": sum(was.case.expected[0] == name for was, _ in pairs),
            "first_before": sum(was.case.expected[0] == name and was.rank == 1 for was, _ in pairs),
            "first_after": sum(now.case.expected[0] == name and now.rank == 1 for _, now in pairs),
        }
        for name in mine
    ]
    changes = [_change(was, now) for was, now in pairs if was.rank != now.rank]
    return {"tool": tool, "neighbours": list(neighbours), "tools": tools, "changes": changes}


def _right(outcome: Outcome) -> bool:
    if outcome.case.expected:
        return outcome.rank == 1
    return outcome.route.no_call or not outcome.case.needs_no_tool


def _rate(name: str, outcomes: Sequence[Outcome]) -> float:
    match name:
        case "hit_at_1":
            hits = [outcome.rank == 1 for outcome in outcomes if outcome.case.expected]
        case "recall_at_5":
            hits = [(outcome.rank or _TOP) <= _SUITE_TOP for outcome in outcomes if outcome.case.expected]
        case _:
            hits = [outcome.route.no_call for outcome in outcomes if outcome.case.needs_no_tool]
    return round(sum(hits) / len(hits), 4) if hits else 1.0


def _change(was: Outcome, now: Outcome) -> dict[str, Any]:
    def first(outcome: Outcome) -> str | None:
        found = outcome.route.candidates
        return found[0].tool if found and not outcome.route.no_call else None

    return {
        "query": was.case.query,
        "expected": list(was.case.expected),
        "before": was.rank,
        "after": now.rank,
        "first_before": first(was),
        "first_after": first(now),
    }
