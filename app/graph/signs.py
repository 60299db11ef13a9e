"""The signs by which it is told how sure the embedded planner may be of its answer: what the guards, the reader, the
router and the planner know of a turn when its draft stands. Numbers alone, no text."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, get_args

import numpy as np
from langchain_core.messages import AIMessage, AnyMessage

from app.answering.repeating import repeats
from app.dialogue.state import DialogueState
from app.graph.state import ThreadState
from app.graph.turn import StepContext, as_text, earlier_question, this_turn, tool_results
from app.language.features import is_content_tag
from app.messages import worded
from app.planner.talk import exchanges, last_answer
from app.toolbox.declared import Trait
from app.understanding.forms import FORMS

Signs = dict[str, float]

_READ = (
    "answers", "asks", "confirms", "corrects", "hypothetical", "changes_facts", "tells_more", "adds_facts", "describes",
    "resolved", "needs_customer", "needs_search",
)  # fmt: skip
_ROUTED = ("no_call", "cued", "unsure", "shaped")
# Of a long answer no more is compared.
_MOST_CHARS = 1500
_MOST_LINES = 12
_TRAITS = get_args(Trait)
_YES_OR_NO = worded("signs.yes_or_no").split("|")


def signs_of(state: ThreadState, draft: AIMessage, turn: StepContext) -> Signs:
    """The signs of a turn that ends in `draft`, by name. Pure; about 1 ms, most of it for reading the draft."""
    before = [message for message in state["messages"] if message is not draft and message.id != draft.id]
    asked = str(state["reading"]["said"])
    answer = as_text(draft.content)[:_MOST_CHARS]
    return {
        **_of_guard(state),
        **_of_reading(state, before),
        **_of_route(state["route"] or {}),
        **_of_calls(before, state["route"] or {}),
        **_of_tools(before, state["route"] or {}, turn),
        **_of_draft(draft, answer, before),
        **_of_form(asked, answer, turn),
        **_of_words(asked, answer, before, turn),
        "shown": float(len(DialogueState.of(state.get("dialogue")).shown)),
    }


def _of_guard(state: ThreadState) -> Signs:
    guard = state.get("guard") or {}
    return {
        "domain_margin": float(guard.get("margin", 0.0)),
        "restricted": float(bool(guard.get("restricted"))),
        "fenced": float(guard.get("fenced", 0)),
    }


def _of_reading(state: ThreadState, before: Sequence[AnyMessage]) -> Signs:
    reading = state["reading"]
    told = {name: float(bool(reading.get(name))) for name in _READ}
    return {
        **told,
        "kinds": float(len(reading["kinds"])),
        "told_kinds": float(len(reading["tells"])),
        "changing": float(len(reading["changing"])),
        "questions": float(len(reading["questions"])),
        "asked_for": float(len(reading["asked_for"])),
        "facts": float(len(reading["known"])),
        "hints": float(len(reading["hints"])),
        "letters": math.log1p(len(str(reading["said"]))),
        "rewritten": float(bool(state.get("rewritten"))),
        "turns": math.log1p(len(exchanges(before))),
        "in_talk": float(earlier_question(before) is not None),
        "has_tool_before": float(bool(reading["last_tool"])),
    }


def _of_route(route: Mapping[str, Any]) -> Signs:
    shares = sorted((float(row["score"]) for row in route.get("candidates", ())), reverse=True)
    best, second = [*shares, 0.0, 0.0][:2]
    spread = -sum(share * math.log(share) for share in shares if share > 0)
    return {
        **{name: float(bool(route.get(name))) for name in _ROUTED},
        "share": best,
        "margin": best - second,
        "spread": spread,
        "sure": float(route.get("sure", 0.0)),
        "left_for_talk": 1.0 - min(sum(shares), 1.0),
        "follow_up": float(bool(route.get("follow_up_of"))),
        "again": float(bool(route.get("again"))),
        "answered": float(bool(route.get("answered"))),
        "parts": float(len(route.get("parts", ()))),
        "asides": float(len(route.get("asides", ()))),
        "filled": float(bool(route.get("filled"))),
        "prerequisites": float(len(route.get("prerequisites", ()))),
    }


def _of_calls(before: Sequence[AnyMessage], route: Mapping[str, Any]) -> Signs:
    results = tool_results(before)
    kinds = [str((message.artifact or {}).get("kind")) for message in results]
    names = [str(message.name) for message in results]
    best = [row["tool"] for row in route.get("candidates", ())]
    used = [name for name in names if name not in route.get("lookups", ())]
    ranks = [best.index(name) if name in best else len(best) for name in used]
    scores = {row["tool"]: float(row["score"]) for row in route.get("candidates", ())}
    given = [call["args"] for m in this_turn(before) if isinstance(m, AIMessage) for call in m.tool_calls]
    return {
        "calls": float(len(results)),
        "tools": float(len(set(used))),
        "looked_up": float(any(name in route.get("lookups", ()) for name in names)),
        "errors": float(kinds.count("Error")),
        "lacking": float(kinds.count("NeedsInput")),
        "worst_rank": float(max(ranks, default=-1)),
        "used_share": min((scores.get(name, 0.0) for name in used), default=-0.1),
        "arguments": float(max((len(args) for args in given), default=0)),
        "result_chars": math.log1p(sum(len(as_text(message.content)) for message in results)),
    }


def _of_tools(before: Sequence[AnyMessage], route: Mapping[str, Any], turn: StepContext) -> Signs:
    """What the tools that answered are for, as they declare it themselves."""
    names = {str(message.name) for message in tool_results(before)} - set(route.get("lookups", ()))
    declared = turn.snapshot.declared
    return {f"does_{trait}": float(any(declared.has(name, trait) for name in names)) for trait in _TRAITS}


def _of_draft(draft: AIMessage, answer: str, before: Sequence[AnyMessage]) -> Signs:
    extras = draft.additional_kwargs
    last = last_answer(before) or ""
    lines = [line for line in answer.splitlines() if line.strip()]
    form = extras.get("needs_input")
    return {
        "idle": float(bool(extras.get("idle"))),
        "asks_back": float(len(form["fields"])) if form else 0.0,
        "operator": float(bool(extras.get("operator"))),
        "derivations": float(len(extras.get("derivations", ()))),
        "topic": float(bool(extras.get("topic"))),
        "cites": float(len(extras.get("cites") or ())),
        "grounds": float(len(extras.get("grounds", ()))),
        "answer_chars": math.log1p(len(answer)),
        "answer_lines": math.log1p(len(lines)),
        "figures": math.log1p(sum(character.isdigit() for character in answer)),
        "repeats": float(bool(last) and repeats(last, answer)),
        "old_lines": sum(line in last for line in lines) / max(len(lines), 1),
    }


def _of_form(asked: str, answer: str, turn: StepContext) -> Signs:
    form = turn.services.forms.read(asked)
    told = turn.services.forms.read(answer[:200]) if answer else form
    return {
        "form_share": form.share,
        **{f"form_{name}": form.shares[name] for name in FORMS},
        "answer_inform": told.shares["inform"],
        "yes_or_no": float(answer[:2] in _YES_OR_NO),
    }


def _of_words(asked: str, answer: str, before: Sequence[AnyMessage], turn: StepContext) -> Signs:
    """How much of what was asked the answer and its results speak of, by words and by meaning."""
    heard = turn.heard(asked).analysis
    words = {form for form, tag in heard.tagged if is_content_tag(tag) and len(form) > 1}
    found = " ".join(as_text(message.content) for message in tool_results(before))
    unsaid = [word for word in words if word not in answer]
    unread = [word for word in unsaid if word not in found]
    numbers = set("".join(letter if letter.isdigit() else " " for letter in asked).split())
    given = " ".join(str(call["args"]) for m in this_turn(before) for call in getattr(m, "tool_calls", ()))
    question, said = turn.vector(asked), turn.vector(answer or asked)
    lines = [_cosine(question, turn.vector(line)) for line in answer.splitlines()[:_MOST_LINES] if line.strip()]
    last = last_answer(before)
    then = turn.vector(last[:_MOST_CHARS]) if last else None
    earlier = earlier_question(before)
    return {
        "words": float(len(words)),
        "unsaid": float(len(unsaid)),
        "unread": float(len(unread)),
        "unread_share": len(unread) / max(len(words), 1),
        "concepts": float(len(heard.concepts)),
        "numbers": float(len(numbers)),
        "numbers_unsaid": float(sum(number not in answer and number not in given for number in numbers)),
        "alike": _cosine(question, said),
        "alike_line": max(lines, default=0.0),
        "alike_first": lines[0] if lines else 0.0,
        "alike_before": _cosine(question, then) if then is not None else 0.0,
        "alike_question": _cosine(question, turn.vector(earlier)) if earlier else 0.0,
        "alike_answers": _cosine(said, then) if then is not None else 0.0,
    }


def _cosine(one: Any, other: Any) -> float:
    return float(one @ other / (float(np.linalg.norm(one)) * float(np.linalg.norm(other)) or 1.0))
