"""Turns with the planner's signs and the checkers' verdict: held talk by talk in memory, nothing is kept of them."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, cast

from app.errors import AppError
from app.evaluation.consultations import Consultation
from app.evaluation.dialogues import Dialogue
from app.evaluation.hearing import calls_of
from app.evaluation.rehearsal import Rehearsal, Talk
from app.evaluation.scoring import Heard, TurnScore, score_turn
from app.graph.signs import Signs, signs_of
from app.graph.state import ThreadState
from app.graph.turn import final_message, tool_results
from scripts.eval_acceptance import Case, Played, said_verdict, typed_verdict

# What a turn of a labelled dialogue must have right to count as right.
_CHECKED = ("answered", "first_tool", "all_calls", "arguments", "asked_back", "answer", "not_blocked")


@dataclass(frozen=True)
class JudgedTurn:
    """One turn that the planner answered. `author` names the set, `talk` the talk: turns of one never part."""

    author: str
    talk: str
    number: int
    wrong: bool
    signs: Signs


def is_right(score: TurnScore) -> bool:
    """Whether a turn of a labelled dialogue has everything right that an answer needs."""
    return all(right == asked for name, (right, asked) in score.checks.items() if name in _CHECKED)


async def consulted(rehearsal: Rehearsal, author: str, talks: Sequence[Consultation]) -> AsyncIterator[JudgedTurn]:
    """The turns of consultations, judged by what each answer must and may not hold."""
    for talk in talks:
        async with rehearsal.talk("admin") as held:
            before: str | None = None
            for number, turn in enumerate(talk.turns, 1):
                try:
                    reply = await held.ask(turn.user)
                except AppError:
                    before = ""
                    continue
                answer = str(reply["answer"])
                wrong = bool(turn.misses(answer, before))
                before = answer
                if (signs := signs_of_turn(await held.values(), held)) is not None:
                    yield JudgedTurn(author, talk.id, number, wrong, signs)


async def conversed(rehearsal: Rehearsal, author: str, talks: Sequence[Dialogue]) -> AsyncIterator[JudgedTurn]:
    """The turns of labelled dialogues, judged by tools, arguments, questions back and patterns of the answer."""
    for talk in talks:
        async with rehearsal.talk("admin") as held:
            for number, turn in enumerate(talk.turns, 1):
                try:
                    reply = await held.ask(turn.user)
                except AppError:
                    continue
                wrong = not is_right(score_turn(talk.id, number, turn, Heard(reply, calls_of(reply), 0.0)))
                if turn.guard != "block" and (signs := signs_of_turn(await held.values(), held)) is not None:
                    yield JudgedTurn(author, talk.id, number, wrong, signs)


async def accepted(rehearsal: Rehearsal, author: str, cases: Sequence[Case]) -> AsyncIterator[JudgedTurn]:
    """Single questions whether somebody may join, judged by the verdict that a person takes from the answer."""
    for case in cases:
        async with rehearsal.talk("staff") as held:
            try:
                reply = await held.ask(case.query)
            except AppError:
                continue
            values = await held.values()
            artifacts = [message.artifact or {} for message in tool_results(values.get("messages", ()))]
            results = [(str(found.get("kind", "")), found.get("data") or {}) for found in artifacts]
            answer = str(reply["answer"])
            wrong = Played(case, typed_verdict(results), said_verdict(answer), (), answer).verdict != case.expect
            if (signs := signs_of_turn(values, held)) is not None:
                yield JudgedTurn(author, case.id, 1, wrong, signs)


def signs_of_turn(values: dict[str, Any], held: Talk) -> Signs | None:
    """The signs of the turn just held; None where a guard refused it or it waits for an approval."""
    draft = final_message(values.get("messages", ()))
    if values.get("guard", {}).get("input") == "block" or draft is None or not values.get("route"):
        return None
    return signs_of(cast(ThreadState, values), draft, held.context())


def write_turns(path: Path, turns: Sequence[JudgedTurn]) -> None:
    """A JSON line a turn."""
    path.write_text("".join(f"{json.dumps(asdict(turn))}\n" for turn in turns), encoding="utf-8")


def read_turns(path: Path) -> list[JudgedTurn]:
    """What `write_turns` wrote."""
    return [JudgedTurn(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines() if line]
