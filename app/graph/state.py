"""What a thread remembers between turns, and what one turn works on. All values are plain JSON data or LangChain
messages."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages


class ThreadState(TypedDict, total=False):
    """The graph's state. `messages`, `facts`, `dialogue` and `language` last; `fresh_turn` resets everything else."""

    messages: Annotated[list[AnyMessage], add_messages]
    facts: dict[str, Any]
    dialogue: dict[str, Any]
    # In which language the talk is held, where not in Korean: its messages are kept as they are read, in Korean.
    language: str | None
    guard: dict[str, Any]
    reading: dict[str, Any]
    rewritten: str | None
    route: dict[str, Any] | None
    model_calls: int
    tool_calls: int
    tool_runs: list[dict[str, Any]]
    retries: int
    hint: str | None
    answer: str
    output: dict[str, Any]
    # Which engine took over from a provider in this turn, why, and what the provider's calls took.
    engine: str | None
    engine_fault: str | None
    usage: list[dict[str, Any]]
    # Who answers, and why, where planner and model work together (deciding.py).
    decision: dict[str, Any] | None
    # The one decision of this turn that the model took for the planner (one_decision.py).
    asked: dict[str, Any] | None


def fresh_turn(question: AnyMessage) -> ThreadState:
    """The input of one turn: the question, and every per-turn key set back."""
    return ThreadState(
        messages=[question],
        guard={},
        reading={},
        rewritten=None,
        route=None,
        model_calls=0,
        tool_calls=0,
        tool_runs=[],
        retries=0,
        hint=None,
        answer="",
        output={},
        engine=None,
        engine_fault=None,
        usage=[],
        decision=None,
        asked=None,
    )
