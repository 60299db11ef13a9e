"""Node 2: reads the facts of the question, and makes a short or referring follow-up stand alone."""

from __future__ import annotations

import re
from typing import Any

from langgraph.runtime import Runtime

from app.graph.model_help import rewritten_by_model
from app.graph.reply import shown_facts
from app.graph.state import ThreadState
from app.graph.turn import TurnContext, earlier_question, last_question
from app.language.references import split_questions
from app.language.shorthand import spelled_out
from app.planner.facts import Facts
from app.planner.follow_up import (
    answers_what_was_asked,
    asks,
    changing_kinds,
    confirms,
    describes_one_shown,
    hinted_tools,
    mention_kinds,
    names_its_contract,
    names_the_customer,
    only_changes_facts,
    tells_another_sum,
    tells_more,
    told_kinds,
)
from app.planner.questions import clauses, joined_questions
from app.planner.reading import Reading
from app.planner.talk import exchanges
from app.planner.words import PlannerWords
from app.toolbox.declared import Declarations

# ㅇㅋ 보험료는: what acknowledges the answer before says nothing of the question; 네 and 응 may answer one.
_ACKNOWLEDGED = re.compile(r"^(?:ㅇㅋ+|오키|오케이|넹|아하|[ㅎㅋ]{2,}|흠+|음{2,})[\s,.!~]+(?=\S{3,})")
# This turn, and two before it.
_EXCHANGES = 3


async def query_rewriter(state: ThreadState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """Facts are read at every turn; the question is rewritten only when it is a short or referring follow-up."""
    turn = runtime.context
    question = last_question(state["messages"])
    reading, rewritten, follow_up = read_question(state, turn)
    asked: dict[str, Any] = {}
    if follow_up:
        told = shown_facts(reading.facts.model_dump(mode="json", exclude_defaults=True))
        rewritten, asked = await rewritten_by_model(state, turn, question, rewritten, told)
    return {**asked, **understood(turn.services.reader.words, state, reading, rewritten, turn.snapshot.declared)}


def read_question(state: ThreadState, turn: TurnContext) -> tuple[Reading, str | None, bool]:
    """What the newest question says after the thread's facts, the words that make it stand alone (None: it does), and
    whether it continues the talk. No model is asked."""
    question, earlier = last_question(state["messages"]), earlier_question(state["messages"])
    before = Facts.model_validate(state.get("facts") or {})
    who = turn.principal
    said = _ACKNOWLEDGED.sub("", turn.services.reader.spaced(question))
    said = turn.services.reader.restated(said, *exchanges(state["messages"])[-_EXCHANGES:-1])
    insider = who.at_least("staff")
    if insider:
        said = spelled_out(said)
    reading = turn.services.reader.read(
        said, before, turn.today(), turn.snapshot.declared, staff=who.role == "staff", insider=insider
    )
    short = len(question) < turn.services.settings.rewrite_threshold_chars
    follow_up = earlier is not None and (short or reading.refers_back)
    rewritten = reading.resolved_text if (follow_up or said != question) and reading.resolved_text != question else None
    return reading, rewritten, follow_up


def understood(
    words: PlannerWords, state: ThreadState, reading: Reading, rewritten: str | None, declared: Declarations
) -> dict[str, Any]:
    """The state's update: facts, rewritten question, and what the agent node needs to know of the reading."""
    question, earlier = reading.entities.text, earlier_question(state["messages"])
    before = Facts.model_validate(state.get("facts") or {})
    questions = list(joined_questions(words, rewritten or question, declared))
    sentences = split_questions(rewritten) if rewritten else reading.entities.questions
    asked = sentences if reading.entities.quotes else [part for text in sentences for part in clauses(words, text)]
    for_the_change = names_its_contract(before, question, declared) or reading.details_told
    describes = describes_one_shown(reading.entities, before)
    return {
        "facts": reading.facts.model_dump(mode="json", exclude_defaults=True),
        "rewritten": rewritten,
        "reading": {
            "said": question,
            "people_before": [person.model_dump(mode="json", exclude_none=True) for person in before.everyone()],
            "questions": questions or list(asked),
            "cut": bool(questions) or len(asked) > len(sentences),
            "answers": answers_what_was_asked(mention_kinds(reading.entities), before)
            or names_the_customer(before, reading.facts, question)
            or for_the_change
            or describes,
            "describes": describes,
            "for_the_change": for_the_change,
            "asked_for": list(before.asked),
            "hypothetical": reading.hypothetical and bool(mention_kinds(reading.entities)),
            "adds_facts": bool(mention_kinds(reading.entities)) and not asks(question),
            "changes_facts": earlier is not None and only_changes_facts(reading.entities),
            "confirms": earlier is not None and confirms(before, question, declared),
            "kinds": list(mention_kinds(reading.entities)),
            "tells": list(told_kinds(reading.entities)),
            "asking": reading.entities.asking,
            "changing": list(changing_kinds(reading.entities)),
            "last_tool": before.last_tool,
            "earlier_tools": [tool for tool in reversed(before.calls) if tool != before.last_tool],
            "asks": asks(question),
            "tells_more": tells_more(reading.entities),
            "corrects": reading.entities.is_correction and bool(reading.entities.medical) and not asks(question),
            "another_sum": tells_another_sum(reading.entities, before, declared),
            "told": before.calls,
            "known": list(reading.facts.filled()),
            "hints": list(hinted_tools(reading.entities, reading.facts, declared)),
            "previous": before.last_question if earlier is not None else None,
            "categories": [m.category for m in reading.entities.categories if m.category and not m.negated],
            "resolved": bool(reading.resolved_products),
            "needs_customer": bool(reading.facts.customer_name) and reading.facts.customer_id is None,
            "needs_search": bool(reading.entities.categories) and not reading.resolved_products,
        },
    }
