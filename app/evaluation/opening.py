"""Opens the evaluation over the parts of a running service."""

from __future__ import annotations

from typing import Any

from app.adapters.case_store import CaseStore
from app.adapters.database import Database
from app.adapters.evaluation_store import EvaluationStore
from app.evaluation.desk import EvaluationDesk
from app.evaluation.hearing import Known
from app.evaluation.measuring import Measuring
from app.evaluation.rehearsal import Rehearsal
from app.evaluation.suites import Suites
from app.graph.runner import MakeContext
from app.insurance.catalogue import Catalogue
from app.routing.examples import training_lines
from app.routing.opening import Routing
from app.settings import Settings
from app.toolbox.snapshot import ToolSnapshot
from app.toolbox.toolbox import Toolbox


def open_evaluation(
    settings: Settings,
    database: Database,
    toolbox: Toolbox,
    routing: Routing,
    catalogue: Catalogue,
    disclaimers: dict[str, str],
    make_context: MakeContext,
    engine_name: str,
) -> EvaluationDesk:
    """The desk; close it before the database."""
    cases, rehearsal = CaseStore(database), Rehearsal(make_context, settings, engine_name)
    names = tuple(product.name for product in catalogue.products)
    known = Known(names, tuple(disclaimers.values()))

    def learned(snapshot: ToolSnapshot) -> list[str]:
        return [line.text for line in training_lines(settings.content_dir, snapshot)]

    def under() -> dict[str, Any]:
        snapshot = toolbox.registry.snapshot()
        return {
            "registry_version": snapshot.version,
            "tools": snapshot.tools_count,
            "edited_cards": [entry.name for entry in snapshot.entries if toolbox.is_published(entry.name)],
            "engine": engine_name,
            "embedder": routing.calibration.model,
            "data_hash": routing.calibration.data_hash,
        }

    return EvaluationDesk(
        EvaluationStore(database),
        cases,
        Suites(settings.content_dir, cases),
        Measuring(routing.router, rehearsal, known),
        rehearsal,
        toolbox.registry.snapshot,
        learned,
        under,
    )
