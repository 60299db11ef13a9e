"""Why a question is answered as it is: guard, entities, facts, plan and candidates, without any model call."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage

from app.graph.input_guardrail import judged_domain, verdicts
from app.graph.query_rewriter import read_question, understood
from app.graph.state import fresh_turn
from app.graph.turn import TurnContext, earlier_question, earlier_questions
from app.graph.turn_route import planned_route
from app.language.mentions import Mention
from app.routing.router import Candidate
from app.safety.messages import EARLIER

_SOURCE_NAMES = {"bm25": "keyword"}


def explain_route(query: str, turn: TurnContext, saved: dict[str, Any], *, top_k: int) -> dict[str, Any]:
    """The body of `POST /api/route` (api.md, "Tools"). `saved` are the values of the thread, {} for none.

    `plan` tells the parts of the question with the tools that answer each; `entities` are spans in the query.
    """
    parts = turn.services
    earlier: list[AnyMessage] = list(saved.get("messages", ()))
    state = fresh_turn(HumanMessage(query))
    state["messages"] = [*earlier, HumanMessage(query)]
    state["facts"] = saved.get("facts") or {}
    reading, rewritten, _ = read_question(state, turn)
    question = rewritten or query
    before = earlier_question(state["messages"])
    message, passed = verdicts(turn, query, earlier_questions(state["messages"], EARLIER), state["facts"])
    attack = message.attack
    domain = passed or judged_domain(query, before, turn)
    blocked = passed is None or not domain.in_domain
    route = parts.router.route(
        question,
        turn.snapshot,
        vector=turn.vector(question),
        top_k=top_k,
        allowed=turn.snapshot.allowed_for(turn.principal),
    )
    update = understood(turn.services.reader.words, state, reading, rewritten, turn.snapshot.declared)
    planned = planned_route(turn, update["reading"], rewritten, restricted=attack.level != "pass")
    return {
        "guard": {
            "input": "block" if blocked else "pass",
            "layer": "L1" if passed is None else "L2" if blocked else None,
            "reason": attack.rule or None,
            "domain_score": domain.score,
        },
        "rewritten_query": rewritten,
        "no_call": route.no_call,
        "no_call_score": route.no_call_score,
        "intent": {"read": route.intent.read, "write": route.intent.write, "delete": route.intent.delete},
        "entities": [_entity(mention) for mention in reading.entities.all()],
        "facts": reading.facts.model_dump(mode="json", exclude_defaults=True),
        "plan": {
            "parts": planned["parts"],
            "bound": planned["bound"],
            "follow_up_of": planned["follow_up_of"],
            "prerequisites": planned["prerequisites"],
        },
        "candidates": [_candidate(candidate) for candidate in route.candidates],
        "duration_ms": round(route.duration_ms, 2),
    }


def _entity(mention: Mention) -> dict[str, Any]:
    return {
        "kind": type(mention).__name__.removesuffix("Mention").lower(),
        "text": mention.text,
        "start": mention.start,
        "end": mention.end,
        "confidence": mention.confidence,
        "negated": mention.negated,
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "tool": candidate.tool,
        "score": round(candidate.score, 5),
        "rank": candidate.rank,
        "matched": candidate.matched,
        "sources": {
            _SOURCE_NAMES.get(name, name): {"rank": source.rank, "score": source.score}
            for name, source in candidate.sources.items()
        },
    }
