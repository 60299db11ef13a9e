"""One question tried out: guard, rewritten question, candidates and the calls that would be made; nothing is run."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from app.access import Role
from app.errors import AppError, TurnFailed
from app.evaluation.rehearsal import Rehearsal, Talk, Variant
from app.graph.explaining import explain_route
from app.graph.reply import needs_input_form

_ANSWER_CHARS = 1200


async def tried(
    rehearsal: Rehearsal, query: str, history: Sequence[str], role: Role, *, top_k: int, variant: Variant | None = None
) -> dict[str, Any]:
    """What `explain_route` tells, and `planned`: the calls with their arguments or the answer; times in ms.

    Earlier questions are really asked, with reading tools only; one that fails is left behind.
    """
    async with rehearsal.talk(role, variant) as talk:
        begun = time.perf_counter()
        for question in history:
            with suppress(TurnFailed):
                await talk.ask(question)
        asked = time.perf_counter()
        told = explain_route(query, talk.context(), await talk.values(), top_k=top_k)
        explained = time.perf_counter()
        planned = await _planned(talk, query)
    return {
        **told,
        "planned": planned,
        "engine": rehearsal.engine_name,
        "times": {
            "history_ms": round((asked - begun) * 1000, 1),
            "understood_ms": round((explained - asked) * 1000, 1),
            "route_ms": told["duration_ms"],
            "planned_ms": planned["took_ms"],
        },
    }


async def _planned(talk: Talk, query: str) -> dict[str, Any]:
    begun = time.perf_counter()
    try:
        plan = await talk.plan(query)
    except AppError as error:
        took = round((time.perf_counter() - begun) * 1000, 1)
        return {"calls": [], "answer": None, "needs_input": [], "took_ms": took, "fault": str(error)}
    form = None if plan.calls else needs_input_form(plan.state)  # type: ignore[arg-type]
    return {
        "calls": list(plan.calls),
        "answer": None if plan.calls else str(plan.state.get("answer") or "")[:_ANSWER_CHARS],
        "needs_input": [field["name"] for field in form["fields"]] if form else [],
        "took_ms": plan.took_ms,
        "fault": None,
    }
