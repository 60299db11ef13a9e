"""What a turn gets when it begins: the parts, the catalogue and the tool set that are in force then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from app.access import Principal
from app.adapters.twin_process import TwinProcess
from app.consulting.consultant import Consultant
from app.documents.search import DocumentSearch
from app.editing.knowledge import LiveKnowledge
from app.graph.prompting import PromptBook
from app.graph.turn import GraphServices, TurnContext
from app.insurance.customers import CustomerStore
from app.safety.personal_data import PersonalDataMasker
from app.safety.phrases import PhraseChecker
from app.toolbox.imports import ToolImports
from app.toolbox.registry import ToolRegistry


class PartsInForce:
    """The parts that graph nodes call. A turn takes `now` when it begins and keeps it."""

    def __init__(self, parts: GraphServices) -> None:
        self.now = parts

    def put_prompts(self, prompts: PromptBook) -> None:
        """Answer by these prompts from the next turn on."""
        self.now = replace(self.now, prompts=prompts)

    def put_consultant(self, consultant: Consultant) -> None:
        """Hold consultations from the next turn on."""
        self.now = replace(self.now, consultant=consultant)

    def put_twin(self, twin: TwinProcess) -> None:
        """Have what only computes done by a copy of the process from the next turn on."""
        self.now = replace(self.now, twin=twin)


@dataclass(frozen=True)
class TurnContexts:
    """Makes the context of a turn, for a principal, a thread and a run."""

    parts: PartsInForce
    live: LiveKnowledge[PromptBook]
    customers: CustomerStore
    documents: DocumentSearch
    phrases: PhraseChecker
    masker: PersonalDataMasker
    registry: ToolRegistry
    imports: ToolImports
    today: Callable[[], date]

    def __call__(self, principal: Principal, thread_id: str, run_id: str) -> TurnContext:
        """The context; servers of imported tools that were not heard of since the start are asked in the background."""
        self.imports.freshen()
        parts = self.parts.now
        return TurnContext(
            principal=principal,
            catalogue=self.live.catalogue,
            customers=self.customers,
            documents=self.documents,
            phrases=self.phrases,
            masker=self.masker,
            today=self.today,
            thread_id=thread_id,
            rag_top_k=parts.settings.rag_top_k,
            services=parts,
            snapshot=self.registry.snapshot(),
            run_id=run_id,
        )
