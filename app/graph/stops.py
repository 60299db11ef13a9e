"""What the guards stopped in a turn, as it is told to operators: which guard, why, how sure it was and had to be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, get_args

from app.graph.state import ThreadState
from app.graph.turn import TurnContext
from app.safety.domain import DomainVerdict
from app.safety.injection import InjectionVerdict
from app.safety.output import OutputVerdict, Problem

GuardName = Literal[
    "injection", "domain", "crisis", "phrase", "personal_data", "grounding", "internal_name", "leak", "empty"
]
Did = Literal["refused", "restricted", "fenced", "sent_back", "replaced", "masked", "dropped"]
"""What became of it: a question refused, read without customer tools, or without the orders in its pasted part; a
draft sent back, a sentence replaced or left out, a datum or name masked, the whole draft dropped."""
Stop = dict[str, Any]

GUARDS: tuple[GuardName, ...] = get_args(GuardName)
DEEDS: tuple[Did, ...] = get_args(Did)
_MASKED = ("personal_data", "internal_name")
_DROPPED = ("leak", "empty")


def of_crisis() -> Stop:
    """Words of despair were met with the helpline."""
    return _stop("crisis", "refused", rule="crisis")


def at_input(attack: InjectionVerdict, did: Did, text: str = "") -> Stop:
    """L1 found an attack. `text` is what was cut, personal data masked; empty where the question is meant."""
    return _stop(
        "injection", did, rule=attack.rule, family=attack.family, score=attack.score, threshold=attack.threshold,
        text=text,
    )  # fmt: skip


def at_threshold(verdict: DomainVerdict, layer: str, threshold: float) -> Stop:
    """L2, or the judging model behind it (`layer` L3), found an outsider."""
    return _stop("domain", "refused", rule=layer, score=verdict.score, threshold=threshold)


def at_output(state: ThreadState, verdict: OutputVerdict, turn: TurnContext, *, sent_back: bool) -> list[Stop]:
    """What was wrong with the drafts of this turn up to this one; personal data masked."""
    before = (state.get("output") or {}).get("stops") or []
    return [*before, *(_in_draft(problem, turn, sent_back) for problem in verdict.problems)]


def stops_of(state: ThreadState) -> list[Stop]:
    """Everything that was stopped in the turn, in its order."""
    return [*(state.get("guard") or {}).get("stops", ()), *(state.get("output") or {}).get("stops", ())]


def sought(stops: Iterable[Mapping[str, Any]]) -> str:
    """What a turn with these stops is found by: guards and deeds between blanks."""
    words = dict.fromkeys(str(stop[name]) for stop in stops for name in ("guard", "did"))
    return f" {' '.join(words)} " if words else ""


def stops_told(shown: Mapping[str, Any], guard: Mapping[str, Any]) -> list[Stop]:
    """The stops of a kept turn; of one that was kept before they were, what its reply tells of them."""
    if shown.get("stops"):
        return list(shown["stops"])
    if guard.get("input") == "block":
        layer = str(guard.get("layer", ""))
        name: GuardName = "crisis" if layer == "crisis" else "injection" if layer == "L1" else "domain"
        return [_stop(name, "refused", rule=str(guard.get("reason", "")))]
    return []


def _in_draft(problem: Problem, turn: TurnContext, sent_back: bool) -> Stop:
    text = turn.masker.mask(problem.sentence).text
    did: Did = "replaced"
    if sent_back:
        did = "sent_back"
    elif problem.kind in _MASKED:
        did = "masked"
    elif problem.kind in _DROPPED:
        did = "dropped"
    judged = problem.kind == "phrase"
    return _stop(
        problem.kind, did, rule=problem.rule, why=turn.masker.mask(problem.why or problem.hint).text, text=text,
        score=turn.phrases.score(text) if judged else None, threshold=turn.phrases.block_at if judged else None,
    )  # fmt: skip


def _stop(
    guard: GuardName,
    did: Did,
    *,
    rule: str = "",
    family: str = "",
    why: str = "",
    text: str = "",
    score: float | None = None,
    threshold: float | None = None,
) -> Stop:
    rounded = {name: None if at is None else round(at, 4) for name, at in (("score", score), ("threshold", threshold))}
    return {"guard": guard, "did": did, "rule": rule, "family": family, "why": why, "text": text, **rounded}
