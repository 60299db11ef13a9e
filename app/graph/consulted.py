"""The consultation's part in a turn: where a message is of it, it answers in place of the engine."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AIMessage

from app.answering.holdings import speaks_of_contracts
from app.answering.question import Question
from app.consulting.consultant import Advice, Turn
from app.dialogue.consultation import Consultation
from app.dialogue.state import DialogueState
from app.graph.loaded_tools import speaks_of_a_loaded_tool
from app.graph.state import ThreadState
from app.graph.turn import TurnContext
from app.planner.facts import Facts
from app.planner.reading import Reader
from app.planning.tools import LIKELY

# Forms of a message that rather tells something than asks for it.
_TELLS = ("inform", "complaint", "thank")


async def consulted(state: ThreadState, turn: TurnContext) -> dict[str, Any] | None:
    """The state's update with the consultation's answer, or (no message in it) with what a turn that goes on as any
    other told for one; None: with nothing."""
    consultant = turn.services.consultant
    if consultant is None or state.get("language"):
        return None  # it speaks Korean; a restricted turn may go on: no contract is read where no customer is named
    dialogue, reading = DialogueState.of(state.get("dialogue")), state["reading"]
    reader: Reader = turn.services.reader
    form = turn.services.forms.read(str(reading["said"]))
    contracts = any(shown.held for shown in dialogue.shown) or bool(reading["needs_customer"])
    question = Question(form, reader.entities(str(reading["said"]), turn.today()))
    if contracts and speaks_of_contracts(question, turn.services.fields.held):
        return None  # 둘 중 뭘 깨는 게 나아: of what somebody holds
    facts = Facts.model_validate(state.get("facts") or {})
    if speaks_of_a_loaded_tool(str(reading["said"]), facts, turn, LIKELY):
        return None  # 예산 20만원에 영양 코칭 8주: of a tool that was loaded
    said = Turn(
        said=question.entities,
        before=reading["people_before"],
        facts=facts,
        today=turn.today(),
        principal=turn.principal,
        thread_id=turn.thread_id,
        run_id=turn.run_id,
        unsold=reader.asks_for_unsold(str(reading["said"])),
        asks=bool(reading["asks"]),
        recommend=form.shares["recommend"],
        informs=form.form in _TELLS,
    )
    advice = await consultant.answer(said, dialogue.consultation)
    if isinstance(advice, Advice):
        return {**_told(advice, dialogue), **_shown(advice, state, turn)}
    return None if advice == dialogue.consultation else _kept(advice, dialogue)


def of_consultation(state: ThreadState, turn: TurnContext, question: str) -> bool:
    """Whether a question belongs to the consultation that the thread is in (딸은 빼주세요, 총합 얼마)."""
    consultant = turn.services.consultant
    kept = DialogueState.of(state.get("dialogue")).consultation
    if consultant is None or kept is None or kept.quiet:
        return False
    reader: Reader = turn.services.reader
    facts, today = Facts.model_validate(state.get("facts") or {}), turn.today()
    return consultant.concerns(reader.entities(reader.spaced(question), today), facts, today)


def _told(advice: Advice, dialogue: DialogueState) -> dict[str, Any]:
    extras: dict[str, Any] = {"grounds": list(advice.grounds), "consulted": True, "tools": list(advice.tools)}
    if advice.block is not None:
        extras["blocks"] = [{"type": "proposal", "data": dict(advice.block)}]
    return {**_kept(advice.kept, dialogue), "messages": [AIMessage(advice.text, additional_kwargs=extras)]}


def _shown(advice: Advice, state: ThreadState, turn: TurnContext) -> dict[str, Any]:
    """The facts with the products of a proposal as the list that was shown last (두 번째 건 뭐예요)."""
    codes = turn.services.reader.entities(advice.text, turn.today()).product_codes if advice.block else ()
    facts = Facts.model_validate(state.get("facts") or {}).model_copy(update={"shown_products": codes})
    return {"facts": facts.model_dump(mode="json", exclude_defaults=True)} if codes else {}


def _kept(consultation: Consultation | None, dialogue: DialogueState) -> dict[str, Any]:
    kept = dialogue.model_copy(update={"consultation": consultation})
    return {"dialogue": kept.model_dump(mode="json", exclude_defaults=True)}
