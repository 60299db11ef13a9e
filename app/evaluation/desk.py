"""Starts, stops and compares runs of the evaluation. A run goes on in the background of this process."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.adapters.case_store import CaseStore
from app.adapters.evaluation_store import Ending, EvaluationRun, EvaluationStore
from app.errors import BadRequest, Unavailable
from app.evaluation.measuring import Findings, Measuring
from app.evaluation.rehearsal import Rehearsal
from app.evaluation.suites import Suited, Suites
from app.messages import worded
from app.toolbox.snapshot import ToolSnapshot

log = logging.getLogger(__name__)

_TOLD_EVERY_S = 1.0


@dataclass
class _Underway:
    """How often the store hears of a run."""

    run_id: str
    told_at: float = field(default_factory=time.monotonic)


class EvaluationDesk:
    """What the console does with the evaluation. One run at a time, over all workers."""

    def __init__(
        self,
        store: EvaluationStore,
        cases: CaseStore,
        suites: Suites,
        measuring: Measuring,
        rehearsal: Rehearsal,
        snapshot: Callable[[], ToolSnapshot],
        learned: Callable[[ToolSnapshot], Sequence[str]],
        under: Callable[[], dict[str, Any]],
    ) -> None:
        """`learned` reads the lines that the router was trained on (off the loop), `under` tells what is measured."""
        self.store, self.cases, self.suites, self.rehearsal = store, cases, suites, rehearsal
        self._measuring, self._snapshot, self._learned, self._under = measuring, snapshot, learned, under
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, suite: str, author: str, note: str = "") -> EvaluationRun:
        """Begin a run. Raises NotFound for the suite, BadRequest when it is empty, Conflict while another goes on."""
        suited = await self.suites.read(suite)
        if not suited.total:
            raise BadRequest(worded("desk.no_cases"))
        run = await self.store.begin(suite, suited.total, author, note=note, under=self._under())
        task = asyncio.create_task(self._run(run.run_id, suited))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return run

    async def compare(self, before: str, after: str) -> dict[str, Any]:
        """What two runs have different: cases that fail now and did not, the other way round, and the measures.

        Raises NotFound.
        """
        one, other = await self.store.get(before), await self.store.get(after)
        old = {item["id"]: item for item in await self.store.outcomes(before)}
        new = {item["id"]: item for item in await self.store.outcomes(after)}
        both = [name for name in new if name in old]
        names = dict.fromkeys((*one.rates, *other.rates))
        return {
            "before": one,
            "after": other,
            "rates": {name: {"before": one.rates.get(name), "after": other.rates.get(name)} for name in names},
            "newly_failing": [_pair(old[name], new[name]) for name in both if old[name]["ok"] and not new[name]["ok"]],
            "newly_passing": [_pair(old[name], new[name]) for name in both if new[name]["ok"] and not old[name]["ok"]],
            "failing_in_both": sum(not old[name]["ok"] and not new[name]["ok"] for name in both),
            "in_both": len(both),
            "only_before": len(old) - len(both),
            "only_after": len(new) - len(both),
        }

    async def close(self) -> None:
        """Stop what goes on; such a run counts as stopped."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self, run_id: str, suited: Suited) -> None:
        findings, underway = Findings(), _Underway(run_id)

        async def tell(done: int) -> bool:
            if time.monotonic() - underway.told_at < _TOLD_EVERY_S:
                return True
            underway.told_at = time.monotonic()
            return await self.store.progress(run_id, done)

        try:
            snapshot = self._snapshot()
            aside = await asyncio.to_thread(self._learned, snapshot) if suited.questions else ()
            await self._measuring.run(suited, snapshot, aside, tell, findings)
            await self._end(run_id, findings, "stopped" if findings.stopped else "done")
        except asyncio.CancelledError:
            await self._end(run_id, findings, "stopped")
            raise
        except Exception as error:  # whatever breaks, the run must not stay "running"
            log.exception("evaluation %s failed", run_id)
            await self._end(run_id, findings, "failed", f"{type(error).__name__}: {error}"[:500])

    async def _end(self, run_id: str, findings: Findings, status: Any, problem: str = "") -> None:
        rates = await asyncio.to_thread(findings.rates) if findings.done else {}
        if findings.left_out:
            rates["left_out"] = {"n": findings.left_out}
        try:
            await self.store.end(run_id, Ending(status, findings.done, rates, findings.outcomes(), problem))
        except Unavailable:
            log.exception("the end of evaluation %s could not be kept", run_id)


def _pair(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    return {**new, "got_before": old["got"], "why_before": old["why"], "rank_before": old.get("rank")}
