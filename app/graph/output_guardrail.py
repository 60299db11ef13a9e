"""Node 5: judges the whole draft; one retry with the reasons, then the planner speaks in a provider's place, or the
offending sentences go. Adds the disclaimers."""

from __future__ import annotations

import logging
from collections.abc import Collection, Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, RemoveMessage
from langgraph.runtime import Runtime

from app.answering.calculator import Derivation, unsupported
from app.dialogue.state import DialogueState
from app.errors import Unavailable
from app.graph.apart import computed
from app.graph.english import in_its_language, of_english, told_english
from app.graph.privacy import without_personal_data
from app.graph.private_texts import repeats
from app.graph.standing_in import handed_over
from app.graph.state import ThreadState
from app.graph.stops import at_output
from app.graph.turn import TurnContext, as_text, final_message, tool_results
from app.messages import worded
from app.planner.model import ENGINE_NAME
from app.safety.output import LEAKED, OutputVerdict
from app.safety.thoughts import without_tags, without_thoughts

log = logging.getLogger(__name__)

GUARD_DOWN = worded("output_guardrail.unavailable")
FENCED_OFF = worded("output_guardrail.left_out")
CITED_SOURCES = "sources"
NOTHING_TO_SAY = worded("output_guardrail.cannot_answer")


async def output_guardrail(state: ThreadState, runtime: Runtime[TurnContext]) -> dict[str, Any]:
    """Pass, send back once, or replace. The thread keeps only text that passed."""
    turn = runtime.context
    draft = final_message(state["messages"])
    english = told_english(state, draft)
    text = english or (as_text(draft.content) if draft else "")
    # The embedded planner is shown no secret that it could tell.
    planned = ENGINE_NAME in (turn.services.engine.name, state.get("engine"))
    planted = () if planned else (turn.canary,)
    try:
        before = _before(state, draft)
        if not planned and repeats(turn, before, without_tags(without_thoughts(text))):
            verdict = LEAKED
        else:
            verdict = await computed(turn, judged_draft, text, evidence_of(before, state, draft), planted)
    except Exception as error:  # whatever breaks inside a guard, the draft must not pass it
        log.exception("output guard failed in run %s", turn.run_id)
        raise Unavailable(GUARD_DOWN) from error
    if (
        verdict.problems
        and draft is not None
        and not draft.additional_kwargs.get("consulted")
        and (again := _not_yet(state, turn, draft, verdict))
    ):
        return again
    safe = verdict.safe_text or in_its_language(state, turn, [NOTHING_TO_SAY])[0]
    notes = (*_fenced_off(state), *_disclaimers(state, turn))
    added = [line for line in in_its_language(state, turn, notes) if line not in safe]
    answer = "\n\n".join([safe, "\n".join(added)]) if added else safe
    action = "replaced" if verdict.problems else "pass"
    reason = verdict.problems[0].kind if verdict.problems else None
    if english and draft is not None:  # the thread goes on from the answer in Korean
        korean = as_text(draft.content)
        safe = (await computed(turn, judged_draft, korean, evidence_of(before, state, draft), planted)).safe_text
    kept = AIMessage(safe, id=draft.id if draft else None, additional_kwargs=draft.additional_kwargs if draft else {})
    private = without_personal_data(state, turn.masker)
    return {
        **private,
        "answer": answer,
        "output": {
            "action": action,
            "reason": reason,
            "disclaimer_appended": bool(added),
            "stops": at_output(state, verdict, turn, sent_back=False),
        },
        "messages": [*private.get("messages", ()), kept],
    }


def _not_yet(state: ThreadState, turn: TurnContext, draft: AnyMessage, verdict: OutputVerdict) -> dict[str, Any] | None:
    """Another try: the model's own, or the planner's where the model has had it or told what is ours alone."""
    kind = verdict.problems[0].kind
    dropped = RemoveMessage(id=str(draft.id))
    output = {"action": "retry", "reason": kind, "stops": at_output(state, verdict, turn, sent_back=True)}
    if kind != "leak" and state["retries"] < turn.services.settings.max_output_retries:
        hint = " ".join(problem.hint for problem in verdict.problems)
        return {"retries": state["retries"] + 1, "hint": hint, "output": output, "messages": [dropped]}
    taken = handed_over(state, turn, kind)
    return taken and {**taken, "output": output, "messages": [dropped, *taken["messages"]]}


def judged_draft(
    turn: TurnContext, text: str, evidence: Sequence[str] | None, canaries: Collection[str]
) -> OutputVerdict:
    """The guard's verdict."""
    return turn.services.output_guard.judge(text, evidence, canaries)


def after_output(state: ThreadState) -> str:
    """The word at the edge: `retry` or `deliver`."""
    return "retry" if state["output"].get("action") == "retry" else "deliver"


def _before(state: ThreadState, draft: AnyMessage | None) -> list[AnyMessage]:
    return [message for message in state["messages"] if message is not draft]


def evidence_of(messages: Sequence[AnyMessage], state: ThreadState, draft: AnyMessage | None = None) -> list[str]:
    """What a draft's figures and names may rest on: tool results, the person's own words, what was said before.

    `messages` are those before the draft; a draft may declare calculations of its own engine.
    """
    said = [as_text(m.content) for m in messages if isinstance(m, HumanMessage | AIMessage)]
    found = [as_text(m.content) for m in tool_results(messages)]
    declared = [str(text) for text in draft.additional_kwargs.get("grounds", ())] if draft is not None else []
    dialogue = DialogueState.of(state.get("dialogue"))
    declared += _reckoned(draft, dialogue) if draft is not None else []
    declared += of_english(messages, draft)
    known = [str(state.get("facts") or {}), dialogue.figures_told(), state.get("rewritten") or ""]
    # The likeliest first: they are read only as far as needed.
    return [*found, *declared, *known, *reversed(said)]


def _reckoned(draft: AnyMessage, dialogue: DialogueState) -> list[str]:
    """The sentence that a draft reckoned, where every step of it can be reckoned again from figures that were shown."""
    extras = draft.additional_kwargs
    steps = [Derivation.model_validate(step) for step in extras.get("derivations", ())]
    if wrong := unsupported(steps, dialogue.figures()):
        log.error("a derivation does not hold and is not told: %s", wrong)
        return []
    return [str(extras["reckoned"])] if steps else []


def _fenced_off(state: ThreadState) -> list[str]:
    return [FENCED_OFF] if state["guard"].get("fenced") else []


def _disclaimers(state: ThreadState, turn: TurnContext) -> list[str]:
    """The sentences named by the cards of the tools that answered in this turn, each once."""
    answered = [run["tool"] for run in state["tool_runs"] if run["status"] == "ok"]
    ids = dict.fromkeys(
        key for tool in answered if tool in turn.snapshot for key in turn.snapshot.entry(tool).card.disclaimers
    )
    draft = final_message(state["messages"])
    cited = any((m.artifact or {}).get("data", {}).get("passages") for m in tool_results(state["messages"]))
    cited = cited and (draft is None or draft.additional_kwargs.get("cites") != [])
    wanted = (key for key in ids if key != CITED_SOURCES or cited)
    return [turn.services.disclaimers[key] for key in wanted if key in turn.services.disclaimers]
