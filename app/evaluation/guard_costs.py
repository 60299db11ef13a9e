"""What a threshold costs on both sides: honest texts that are stopped, and others that are let through.

Counted on the open half of this project's safety sets and on the cases that operators stored. A threshold can be tried
on both before it is in force.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

from app.access import Principal
from app.adapters.case_store import SavedCase
from app.graph.input_guardrail import verdicts
from app.graph.turn import Judges, StepContext
from app.json_lines import read_jsonl
from app.safety.tuning import Dial, Guards, Tunable, Tuning
from app.toolbox.snapshot import ToolSnapshot

# The files of each guard, and the label of what it should stop there.
_SETS: dict[Tunable, tuple[tuple[str, ...], str]] = {
    "injection": (("attacks.jsonl", "lookalikes.jsonl"), "attack"),
    "domain": (("domain.jsonl", "independent_domain.jsonl", "at_large.jsonl"), "out"),
    "phrase": (("phrases.jsonl", "sales.jsonl"), "violation"),
}
_REMEMBERED = 20_000
_SHOWN = 50


@dataclass(frozen=True)
class Weighed:
    """A text and whether it should be stopped; `weight`: it is stopped at every threshold up to this one."""

    text: str
    wanted: bool
    weight: float


@dataclass(frozen=True)
class Cost:
    """`wrong` of `honest` texts are stopped, `missed` of `bad` ones are not."""

    wrong: int
    honest: int
    missed: int
    bad: int

    @classmethod
    def of(cls, stopped: Iterable[tuple[bool, bool]]) -> Cost:
        """Of pairs: stopped, and should be."""
        rows = list(stopped)
        bad = [was for was, should in rows if should]
        honest = [was for was, should in rows if not should]
        return cls(sum(honest), len(honest), len(bad) - sum(bad), len(bad))


class GuardCosts:
    """Counts and tries. One piece of work at a time, in a thread: a few seconds the first time, then what is new."""

    def __init__(
        self,
        content_dir: Path,
        tuning: Tuning,
        judges: Judges,
        snapshot: Callable[[], ToolSnapshot],
        today: Callable[[], date],
    ) -> None:
        self._folder = content_dir / "evaluation" / "safety"
        self._tuning, self._judges, self._snapshot, self._today = tuning, judges, snapshot, today
        self._working = asyncio.Lock()
        self._weight = lru_cache(_REMEMBERED)(self._weighed)

    async def curve(self, guard: Tunable, cases: Sequence[SavedCase]) -> list[dict[str, Any]]:
        """At each point of the range, ascending: `threshold`, and the `Cost` on our sets and on the stored cases."""
        async with self._working:
            return await asyncio.to_thread(self._curve, self._tuning.dial(guard), tuple(cases))

    async def trial(self, guard: Tunable, value: float, cases: Sequence[SavedCase]) -> dict[str, Any]:
        """What another threshold would change: costs before and after, and the texts that change sides.

        Stored cases go through the whole input guard, with what was said before; our sets are judged one by one.
        Raises OutOfRange.
        """
        dial, wanted = self._tuning.dial(guard), self._tuning.checked(guard, value)
        async with self._working:
            return await asyncio.to_thread(self._trial, dial, wanted, tuple(cases))

    def _curve(self, dial: Dial, cases: Sequence[SavedCase]) -> list[dict[str, Any]]:
        own = self._rows(dial.guard)
        stored = [self._row(dial.guard, case.query, case.label == "stop") for case in _of(dial.guard, cases)]
        return [
            {"threshold": at, "own": _cost(own, at).__dict__, "stored": _cost(stored, at).__dict__}
            for at in dial.points()
        ]

    def _trial(self, dial: Dial, value: float, cases: Sequence[SavedCase]) -> dict[str, Any]:
        own = self._rows(dial.guard)
        moved = [row for row in own if (row.weight >= dial.value) is not (row.weight >= value)]
        now, then = self._tuning.guards, self._tuning.guards.over(dial.guard, value)
        stored = [
            (case, self._stops(dial.guard, now, case), self._stops(dial.guard, then, case))
            for case in _of(dial.guard, cases)
        ]
        return {
            "guard": dial.guard,
            "before": dial.value,
            "after": value,
            "own": {
                "before": _cost(own, dial.value).__dict__,
                "after": _cost(own, value).__dict__,
                "changed": len(moved),
                "changes": [_change(row.text, row.wanted, row.weight >= value) for row in moved[:_SHOWN]],
            },
            "stored": {
                "before": Cost.of((was, case.label == "stop") for case, was, _ in stored).__dict__,
                "after": Cost.of((will, case.label == "stop") for case, _, will in stored).__dict__,
                "changed": sum(was is not will for _, was, will in stored),
                "changes": [
                    {"case_id": case.case_id, **_change(case.query, case.label == "stop", will)}
                    for case, was, will in stored
                    if was is not will
                ][:_SHOWN],
            },
        }

    def _stops(self, guard: Tunable, guards: Guards, case: SavedCase) -> bool:
        if guard == "phrase":
            return bool(guards.phrases.check(case.query))
        judges = replace(
            self._judges, injection=guards.injection, domain=guards.domain,
            messages=self._judges.messages.over(guards.injection),
        )  # fmt: skip
        who = Principal("trial", "customer")
        turn = StepContext(
            principal=who, today=self._today, services=judges, snapshot=self._snapshot(), run_id="trial"
        )  # fmt: skip
        _, verdict = verdicts(turn, case.query, case.history, {})
        return verdict is None if guard == "injection" else verdict is not None and not verdict.in_domain

    def _rows(self, guard: Tunable) -> list[Weighed]:
        files, wanted = _SETS[guard]
        return [
            self._row(guard, row["text"], row.get("label") == wanted)
            for path in (self._folder / name for name in files)
            if path.is_file()
            for row in read_jsonl(path)
        ]

    def _row(self, guard: Tunable, text: str, wanted: bool) -> Weighed:
        return Weighed(text, wanted, self._weight(guard, text))

    def _weighed(self, guard: Tunable, text: str) -> float:
        guards, dial = self._tuning.guards, self._tuning.dial(guard)
        match guard:
            case "injection":
                return guards.injection.weight(text)
            case "domain":
                return guards.domain.weight(text)
            case "phrase":
                return guards.phrases.weight(text, dial.low, dial.high)


def _of(guard: Tunable, cases: Sequence[SavedCase]) -> list[SavedCase]:
    """The cases that this guard has a part in: what may pass is judged by both guards of the question."""
    inputs = ("injection", "domain")
    return [
        case
        for case in cases
        if case.guard == guard or (case.label == "pass" and guard in inputs and case.guard in inputs)
    ]


def _cost(rows: Sequence[Weighed], at: float) -> Cost:
    return Cost.of((row.weight >= at, row.wanted) for row in rows)


def _change(text: str, wanted: bool, stopped: bool) -> dict[str, Any]:
    return {"text": text, "should": "stop" if wanted else "pass", "will": "stop" if stopped else "pass",
            "better": wanted is stopped}  # fmt: skip
