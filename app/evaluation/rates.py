"""The measures of a run: shares with their 95 % intervals, under the same names for every suite."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from app.evaluation.scoring import TurnScore
from app.routing.evaluation import Outcome, metrics

_DRAWS = 2000
_SHOWN = 5
# What the checks of a talk are called beside the measures of routing.
TALK_MEASURES = {
    "tool_turns": "hit_at_1",
    "no_tool_turns": "no_call_accuracy",
    "each_argument": "slot_accuracy",
    "each_fact": "facts_carried",
    "guard": "guard",
    "no_invention": "grounded_share",
}


def routing_rates(outcomes: Sequence[Outcome]) -> dict[str, dict[str, float]]:
    """Hit@1, Recall@3 and @5, and no-call accuracy, of what the cases ask for."""
    found = metrics(outcomes, _SHOWN)
    named = {
        "hit_at_1": found["hit_at_1"],
        "recall_at_3": found["recall_at_3"],
        "recall_at_5": found["recall_at_k"],
        "no_call_accuracy": found["no_call_accuracy"],
    }
    return {name: rate.as_dict() for name, rate in named.items() if rate.count}


def talk_rates(dialogues: Sequence[str], scores: Sequence[TurnScore]) -> dict[str, dict[str, float]]:
    """The checks of talks that were asked, under the names of the measures; `dialogues` are the ids of the talks."""
    rates = {}
    for check, name in TALK_MEASURES.items():
        if any(check in score.checks for score in scores):
            found = talk_rate(check, dialogues, scores)
            rates[name] = {"rate": round(found["rate"], 4), "low": found["low"], "high": found["high"], "n": found["n"]}
    return rates


def talk_rate(name: str, dialogues: Sequence[str], scores: Sequence[TurnScore]) -> dict[str, Any]:
    """Right, asked and rate of a check, with a 95 % interval over whole dialogues (their ids). The check was asked."""
    by_dialogue: dict[str, list[int]] = {dialogue: [0, 0] for dialogue in dialogues}
    for score in scores:
        right, asked = score.checks.get(name, (0, 0))
        by_dialogue[score.dialogue][0] += right
        by_dialogue[score.dialogue][1] += asked
    pairs = np.array([pair for pair in by_dialogue.values() if pair[1]])
    right, asked = (int(total) for total in pairs.sum(axis=0))
    if right in (0, asked):
        # Drawing anew cannot tell how rare an unseen miss is; the rule of three can.
        margin = min(3 / len(pairs), 1.0)
        low, high = (1 - margin, 1.0) if right else (0.0, margin)
    else:
        drawn = np.random.default_rng(7).integers(0, len(pairs), size=(_DRAWS, len(pairs)))
        sums = pairs[drawn].sum(axis=1)
        low, high = (float(q) for q in np.percentile(sums[:, 0] / sums[:, 1], (2.5, 97.5)))
    return {"right": right, "n": asked, "rate": right / asked, "low": round(low, 4), "high": round(high, 4)}
