"""What the nodes of one turn may use: the services, the principal and the tool set that this turn started with."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import numpy as np
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from numpy.typing import NDArray

from app.access import Principal
from app.adapters.chat_model import Engine
from app.adapters.chat_waits import Waited
from app.adapters.embeddings import Embedder
from app.adapters.twin_process import TwinProcess
from app.consulting.consultant import Consultant
from app.dialogue.items import FieldLexicon
from app.graph.private_texts import PrivateTexts
from app.graph.prompting import PromptBook
from app.graph.spending import DayBudget
from app.language.english import EnglishReader
from app.language.kernel_heads import HeardText
from app.planner.model import EmbeddedPlanner
from app.planner.ranking import ConversationRanker
from app.planner.reading import Reader
from app.planning.tools import ToolSlots
from app.routing.router import Router
from app.safety.crisis import CrisisCheck
from app.safety.domain import DomainCheck
from app.safety.injection import InjectionCheck
from app.safety.messages import MessageCheck
from app.safety.output import OutputGuard
from app.settings import Settings
from app.toolbox.approvals import ApprovalGate
from app.toolbox.snapshot import ToolSnapshot
from app.tools.context import ToolContext
from app.understanding.confidence import ConfidenceModel
from app.understanding.forms import FormReader


@dataclass(frozen=True)
class Judges:
    """What reads questions and judges answers. It only computes, so another process can do it as well."""

    settings: Settings
    embedder: Embedder
    injection: InjectionCheck
    messages: MessageCheck
    crisis: CrisisCheck
    domain: DomainCheck
    reader: Reader
    router: Router
    ranker: ConversationRanker
    output_guard: OutputGuard
    fields: FieldLexicon
    slots: ToolSlots
    forms: FormReader
    english: EnglishReader


@dataclass(frozen=True)
class Planned:
    """The embedded planner by the name that answers show."""

    name: str
    model: EmbeddedPlanner


@dataclass(frozen=True)
class Auto:
    """Planner and model together: from `threshold` on the planner keeps a turn within a talk, from `first` on a first
    question."""

    model: ConfidenceModel
    threshold: float
    first: float
    planner: Planned

    def threshold_of(self, signs: Mapping[str, float]) -> float:
        """From which confidence on the planner keeps the turn of these signs."""
        return self.threshold if signs["in_talk"] else self.first


@dataclass(frozen=True)
class GraphServices(Judges):
    """The parts that graph nodes call. Made once, in composition.py."""

    engine: Engine
    gate: ApprovalGate
    disclaimers: dict[str, str]
    prompts: PromptBook
    twin: TwinProcess | None = None
    consultant: Consultant | None = None
    private: PrivateTexts = field(default_factory=PrivateTexts)
    # Where planner and model work together, and what a day's model calls may cost.
    auto: Auto | None = None
    budget: DayBudget | None = None


@dataclass(frozen=True, kw_only=True)
class StepContext:
    """What a step of a turn that only computes may use."""

    principal: Principal
    today: Callable[[], date]
    services: Judges
    snapshot: ToolSnapshot
    run_id: str
    _heard: dict[str, HeardText] = field(default_factory=dict, repr=False)
    _vectors: dict[str, NDArray[np.float32]] = field(default_factory=dict, repr=False)

    def heard(self, text: str) -> HeardText:
        """`text` as the domain check and the router take it, read once a turn."""
        if text not in self._heard:
            self._heard[text] = self.services.domain.heard(text)
        return self._heard[text]

    def vector(self, text: str) -> NDArray[np.float32]:
        """The query vector of `text`, embedded once a turn."""
        if text not in self._vectors:
            self._vectors[text] = self.services.embedder.encode_query(text)
        return self._vectors[text]


@dataclass(frozen=True)
class TurnContext(ToolContext, StepContext):
    """The runtime context of one turn; also what the tools of that turn get."""

    services: GraphServices = field(kw_only=True)
    # Secrets of this turn: one that must never show, and one that fences data off from words of ours.
    canary: str = field(default_factory=lambda: secrets.token_hex(12), kw_only=True, repr=False)
    fence: str = field(default_factory=lambda: secrets.token_hex(6), kw_only=True, repr=False)
    # When the turn (or what is left of it after an approval) began, by the monotonic clock.
    started: float = field(default_factory=time.monotonic, kw_only=True)
    waited: Waited = field(default_factory=Waited, kw_only=True, repr=False)

    def left_s(self) -> float:
        """The seconds that are left of the turn's time."""
        return max(self.started + self.services.settings.turn_timeout_s - time.monotonic(), 0.0)


def last_question(messages: Sequence[AnyMessage]) -> str:
    """The text of the newest human message; empty when there is none."""
    return next((str(m.content) for m in reversed(messages) if isinstance(m, HumanMessage)), "")


def earlier_question(messages: Sequence[AnyMessage]) -> str | None:
    """The human message before the newest one."""
    questions = [str(m.content) for m in messages if isinstance(m, HumanMessage)]
    return questions[-2] if len(questions) > 1 else None


def earlier_questions(messages: Sequence[AnyMessage], most: int) -> tuple[str, ...]:
    """Up to `most` human messages before the newest one, oldest first."""
    questions = [str(m.content) for m in messages if isinstance(m, HumanMessage)]
    return tuple(questions[:-1][-most:])


def this_turn(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The messages after the newest question: the model's calls and the tools' results."""
    for position in range(len(messages) - 1, -1, -1):
        if isinstance(messages[position], HumanMessage):
            return list(messages[position + 1 :])
    return []


def tool_results(messages: Sequence[AnyMessage]) -> list[ToolMessage]:
    """The tool messages of this turn."""
    return [message for message in this_turn(messages) if isinstance(message, ToolMessage)]


def final_message(messages: Sequence[AnyMessage]) -> AIMessage | None:
    """The newest message if it is the model's and calls no tool."""
    newest = messages[-1] if messages else None
    return newest if isinstance(newest, AIMessage) and not newest.tool_calls else None


def as_text(content: Any) -> str:
    """A message's content as text; content parts of other kinds are left out."""
    if isinstance(content, str):
        return content
    return "".join(part if isinstance(part, str) else str(part.get("text", "")) for part in content)


def elapsed_ms(started: float) -> float:
    """Milliseconds since `time.perf_counter()` gave `started`, to a tenth."""
    return round((time.perf_counter() - started) * 1000, 1)
