"""Goes through a suite case by case, without holding up whoever else is served meanwhile."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from app.access import LOCAL_ADMIN
from app.errors import AppError
from app.evaluation.dialogues import Dialogue
from app.evaluation.hearing import Known, heard
from app.evaluation.rates import routing_rates, talk_rates
from app.evaluation.rehearsal import Rehearsal, Talk
from app.evaluation.scoring import Heard, TurnScore, score_turn
from app.evaluation.suites import Suited
from app.routing.evaluation import Case, Outcome, leaked_cases, run_cases
from app.routing.router import Router
from app.toolbox.snapshot import ToolSnapshot

_AT_ONCE = 8
_TOP = 10
_GOT = 5
_ANSWER_CHARS = 400
# A turn takes about 40 ms of the event loop; the pause after it lets the answers of others through.
_PAUSE_S = 0.02

# (cases done) → whether to go on
Tell = Callable[[int], Awaitable[bool]]


@dataclass
class Findings:
    """What a run found so far. `left_out`: questions that a card or the training lines hold word for word."""

    done: int = 0
    routed: list[Outcome] = field(default_factory=list)
    scores: list[TurnScore] = field(default_factory=list)
    talks: list[str] = field(default_factory=list)
    left_out: int = 0
    stopped: bool = False

    def rates(self) -> dict[str, Any]:
        """The measures of what was gone through."""
        rates: dict[str, Any] = dict(routing_rates(self.routed))
        for name, rate in talk_rates(self.talks, self.scores).items():
            rates.setdefault(name, rate)
        told = self.outcomes()
        if told:
            rates["right"] = {"rate": round(sum(one["ok"] for one in told) / len(told), 4), "n": len(told)}
        return rates

    def outcomes(self) -> list[dict[str, Any]]:
        """Every case as JSON data, the failing ones first."""
        told = [*map(_of_route, self.routed), *map(_of_turn, self.scores)]
        return sorted(told, key=lambda one: bool(one["ok"]))


class Measuring:
    """Measures by the tool set in force when a run begins."""

    def __init__(self, router: Router, rehearsal: Rehearsal, known: Known) -> None:
        self._router, self._rehearsal, self._known = router, rehearsal, known

    async def run(
        self, suited: Suited, snapshot: ToolSnapshot, aside: Sequence[str], tell: Tell, findings: Findings
    ) -> None:
        """Fill `findings` until all is done or `tell` says to stop. `aside` holds the lines that were learned from."""
        await self._route(suited.questions, snapshot, aside, tell, findings)
        unscored = dict(suited.unscored)
        for talk in suited.talks:
            if findings.stopped:
                return
            await self._hold(talk, unscored.get(talk.id, 0), tell, findings)

    async def _route(
        self, cases: Sequence[Case], snapshot: ToolSnapshot, aside: Sequence[str], tell: Tell, findings: Findings
    ) -> None:
        leaked = {leak.id for leak in leaked_cases(cases, snapshot, aside)}
        fair = [case for case in cases if case.id not in leaked]
        findings.left_out = len(cases) - len(fair)
        findings.done += findings.left_out
        usable = snapshot.allowed_for(LOCAL_ADMIN)
        for begin in range(0, len(fair), _AT_ONCE):
            some = fair[begin : begin + _AT_ONCE]
            findings.routed += await asyncio.to_thread(
                run_cases, some, lambda text: self._router.route(text, snapshot, top_k=_TOP, allowed=usable)
            )
            findings.done += len(some)
            if not await tell(findings.done):
                findings.stopped = True
                return

    async def _hold(self, dialogue: Dialogue, unscored: int, tell: Tell, findings: Findings) -> None:
        findings.talks.append(dialogue.id)
        async with self._rehearsal.talk("admin") as talk:
            for number, turn in enumerate(dialogue.turns, 1):
                said = await self._hear(talk, turn.user)
                if number > unscored:
                    findings.scores.append(score_turn(dialogue.id, number, turn, said))
                findings.done += 1
                if not await tell(findings.done):
                    findings.stopped = True
                    return
                await asyncio.sleep(_PAUSE_S)

    async def _hear(self, talk: Talk, text: str) -> Heard:
        begun = time.perf_counter()
        try:
            reply = await talk.ask(text)
        except AppError as error:
            return Heard({}, (), (time.perf_counter() - begun) * 1000, error=str(error))
        took = (time.perf_counter() - begun) * 1000
        return heard(reply, took, await talk.messages(), text, self._known)


def _of_route(outcome: Outcome) -> dict[str, Any]:
    case, route = outcome.case, outcome.route
    right = outcome.rank == 1 and not route.no_call if case.expected else route.no_call or not case.needs_no_tool
    return {
        "id": case.id,
        "kind": "routing",
        "query": case.query,
        "history": list(case.history),
        "expected": list(case.right),
        "got": [candidate.tool for candidate in route.candidates[:_GOT]],
        "rank": outcome.rank,
        "no_call": route.no_call,
        "ok": right,
        "why": [],
    }


def _of_turn(score: TurnScore) -> dict[str, Any]:
    return {
        "id": f"{score.dialogue}/{score.turn}",
        "kind": "dialogue",
        "query": score.user,
        "history": [],
        "expected": [call.tool for call in score.expected],
        "expected_args": [{"tool": call.tool, "args": call.args} for call in score.expected],
        "got": [call.tool for call in score.heard.calls],
        "got_args": [{"tool": call.tool, "args": call.args} for call in score.heard.calls],
        "answer": str(score.heard.reply.get("answer", ""))[:_ANSWER_CHARS],
        "ok": not score.misses,
        "why": list(score.misses),
    }
