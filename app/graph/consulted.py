"""The consultation's part in a turn: where a message is of it, it answers in place of the engine."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage

from app.consulting.consultant import Advice, Turn
from app.dialogue.state import DialogueState
from app.graph.state import ThreadState
from app.graph.turn import TurnContext
from app.planner.facts import Facts
from app.planner.reading import Reader

# The share from which the form surely asks for a recommendation: above `answering.operators.SURELY`, which is enough to
# choose among answers to the same talk.
_SURELY = 0.6


async def consulted(state: ThreadState, turn: TurnContext) -> dict[str, Any] | None:
    """The state's update with the consultation's answer; None where the turn goes on as any other."""
    consultant = turn.services.consultant
    if consultant is None:
        return None  # a restricted turn may go on: no contract is read where no customer is named
    dialogue, reading = DialogueState.of(state.get("dialogue")), state["reading"]
    reader: Reader = turn.services.reader
    form = turn.services.forms.read(str(reading["said"]))
    said = Turn(
        said=reader.entities(str(reading["said"]), turn.today()),
        before=reading["people_before"],
        facts=Facts.model_validate(state.get("facts") or {}),
        today=turn.today(),
        principal=turn.principal,
        thread_id=turn.thread_id,
        run_id=turn.run_id,
        asks=bool(reading["asks"]),
        recommends=form.form == "recommend" and form.share >= _SURELY,
    )
    advice = await consultant.answer(said, dialogue.consultation)
    return None if advice is None else _told(advice, dialogue)


def of_consultation(state: ThreadState, turn: TurnContext, question: str) -> bool:
    """Whether a question belongs to the consultation that the thread is in (딸은 빼주세요, 총합 얼마)."""
    consultant = turn.services.consultant
    if consultant is None or DialogueState.of(state.get("dialogue")).consultation is None:
        return False
    reader: Reader = turn.services.reader
    facts, today = Facts.model_validate(state.get("facts") or {}), turn.today()
    return consultant.concerns(reader.entities(reader.spaced(question), today), facts, today)


def _told(advice: Advice, dialogue: DialogueState) -> dict[str, Any]:
    extras: dict[str, Any] = {"grounds": list(advice.grounds), "consulted": True}
    if advice.block is not None:
        extras["blocks"] = [{"type": "proposal", "data": dict(advice.block)}]
    kept = dialogue.model_copy(update={"consultation": advice.kept})
    return {
        "dialogue": kept.model_dump(mode="json", exclude_defaults=True),
        "messages": [AIMessage(advice.text, additional_kwargs=extras)],
    }
