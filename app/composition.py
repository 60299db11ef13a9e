"""The one room where everything meets: web app, scripts and tests all enter through `open_services`.

Floors are opened bottom up, each by a function that hands on what it opened, and closed in reverse.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path

from app.adapters.card_store import CardStore
from app.adapters.chat_model import Engine
from app.adapters.fork_server import ForkServer
from app.adapters.knowledge_store import KnowledgeStore
from app.adapters.memory import return_freed_memory
from app.adapters.metrics import Metrics
from app.adapters.source_auth import read_auth
from app.adapters.source_store import SourceStore
from app.adapters.state_folder import prepare_state_folder
from app.adapters.state_lock import shared_folder
from app.adapters.switch_store import SwitchStore
from app.adapters.threshold_store import ThresholdStore
from app.adapters.twin_process import TwinProcess
from app.clock import today_in_seoul
from app.computing import Computing, open_computing, open_fork_server, open_toolbox, tool_news
from app.documents.library import open_documents
from app.editing.cards import CardDesk
from app.editing.knowledge import LiveKnowledge
from app.editing.measuring import CardMeasure
from app.editing.opening import published_cards
from app.editing.switches import SwitchDesk
from app.editing.thresholds import ThresholdDesk
from app.editing.veil import Veil
from app.evaluation.guard_costs import GuardCosts
from app.evaluation.opening import open_evaluation
from app.graph import sharing
from app.graph.contexts import PartsInForce
from app.graph.prompting import load_prompts
from app.graph.runner import Runner
from app.insurance.company import read_company
from app.insurance.content_folder import settings_in_force
from app.services import Desks, Knowledge, Services, Start, Talk, Tools
from app.settings import Settings, listed
from app.storing import Stored, open_storage
from app.talking import Library, open_nodes, open_talk
from app.toolbox.import_limits import import_limits
from app.toolbox.imports import ToolImports
from app.toolbox.knowledge_files import KnowledgeFiles
from app.toolbox.knowledge_tools import KnowledgeDesk, knowledge_entries
from app.toolbox.modules import ToolModules
from app.toolbox.watching import reload_on_change


@dataclass(frozen=True)
class _Ground:
    """What only computes, the modules of its tools, and where copies of the process come from."""

    computing: Computing
    modules: ToolModules
    fork_server: ForkServer | None


@dataclass(frozen=True)
class _Toolset:
    """The living tool set, with the stores of its cards and switches."""

    tools: Tools
    cards: CardStore
    switches: SwitchStore


@asynccontextmanager
async def open_services(
    settings: Settings,
    *,
    today: Callable[[], date] = today_in_seoul,
    engine: Engine | None = None,
    metrics: Metrics | None = None,
) -> AsyncIterator[Services]:
    """Open everything, bottom up; close it in reverse. `engine` drives the graph in place of the configured one.

    Raises StartError (all data faults at once) when the service cannot run.
    """
    prepare_state_folder(settings.data_dir)
    own_content = settings.content_dir
    async with AsyncExitStack() as stack:
        start = Start(stack, settings_in_force(settings), today, metrics or Metrics())
        ground = _open_ground(start)
        stored = await open_storage(start, ground.computing)
        nodes = await open_nodes(start, ground.computing, stored.storage, engine)
        library = await _open_library(start, ground.computing, stored, nodes.parts, own_content)
        toolset = await _open_tools(start, ground, stored, library.desk)
        thresholds = await _open_thresholds(ground.computing, stored)
        await sharing.start_changes(
            stack, stored.changes, stored.storage.shared, toolset.tools.toolbox, toolset.tools.imports, library.desk,
            library.live, library.documents, thresholds,
        )  # fmt: skip
        await stored.starting.aclose()
        talk = await open_talk(start, ground.computing, stored, nodes, library, toolset.tools)
        desks = _open_desks(start, ground.computing, stored, toolset, thresholds, talk)
        await _settle(start, toolset.tools)
        _start_twin(start, ground, nodes.parts, talk.runner)
        _watch(start, toolset.tools)
        yield Services(
            settings=start.settings,
            company=read_company(start.settings.content_dir),
            metrics=start.metrics,
            storage=stored.storage,
            knowledge=Knowledge(ground.computing.catalogue, library.documents),
            tools=toolset.tools,
            talk=talk,
            desks=desks,
        )


def _open_ground(start: Start) -> _Ground:
    """On this thread, while there is no other: see computing.py."""
    settings, stack = start.settings, start.stack
    folders = [Path(folder) for folder in listed(settings.tool_paths)]
    modules = ToolModules(settings.content_dir, folders, timeout_s=settings.tool_import_timeout_s)
    stack.callback(modules.close)
    computing = open_computing(settings, modules)
    fork_server = open_fork_server(settings, computing, start.today)
    if fork_server is not None:
        stack.callback(fork_server.close)
    # Behind the fork: a copy that outlives a killed server must not hold the folder.
    stack.enter_context(shared_folder(settings.data_dir))
    return _Ground(computing, modules, fork_server)


async def _open_library(
    start: Start, computing: Computing, stored: Stored, parts: PartsInForce, own_content: Path
) -> Library:
    """The knowledge files, their edits, and the documents."""
    settings, storage = start.settings, stored.storage
    live = LiveKnowledge(
        settings.content_dir,
        settings.company_name,
        computing.catalogue,
        computing.knowledge,
        lambda folder, read: load_prompts(folder, settings.company_name, read.products),
        parts.put_prompts,
    )
    desk = KnowledgeDesk(
        files=KnowledgeFiles(own_content),
        store=KnowledgeStore(storage.database),
        check=live.faults,
        reload=live.reload,
        writing=asyncio.Lock(),
        changing=partial(stored.changes.changing, "knowledge"),
    )
    documents = await asyncio.to_thread(
        open_documents, settings, computing.catalogue, computing.judges.embedder, computing.tokenizer, storage.store
    )
    start.stack.push_async_callback(asyncio.to_thread, documents.close)
    return Library(live, desk, documents)


async def _open_tools(start: Start, ground: _Ground, stored: Stored, desk: KnowledgeDesk) -> _Toolset:
    """The tool set as it was left: with published cards, without what is switched off, with what was imported."""
    settings, computing, storage = start.settings, ground.computing, stored.storage
    cards, switches = CardStore(storage.database), SwitchStore(storage.database)
    published, off = published_cards(await cards.active()), await switches.off()
    toolbox = await asyncio.to_thread(
        open_toolbox, computing, storage.store, ground.modules, published, knowledge_entries(desk), off
    )
    imports = ToolImports(
        toolbox,
        SourceStore(storage.database),
        import_limits(settings, read_auth(settings.tool_source_auth)),
        partial(_is_attack, computing),
    )
    start.stack.push_async_callback(imports.close)
    await imports.restore()
    routing, embedder = computing.routing, computing.judges.embedder
    return _Toolset(Tools(computing.registry, toolbox, imports, routing, embedder, stored.changes), cards, switches)


async def _open_thresholds(computing: Computing, stored: Stored) -> ThresholdDesk:
    """The guards' thresholds as they were left."""
    store = ThresholdStore(stored.storage.database)
    thresholds = ThresholdDesk(computing.tuning, store, computing.registry, partial(stored.changes.changing, "guard"))
    await thresholds.restore()
    return thresholds


def _open_desks(
    start: Start,
    computing: Computing,
    stored: Stored,
    toolset: _Toolset,
    thresholds: ThresholdDesk,
    talk: Talk,
) -> Desks:
    """What operators work with."""
    settings, tools, disclaimers = start.settings, toolset.tools, talk.parts.disclaimers
    evaluation = open_evaluation(
        settings, stored.storage.database, tools.toolbox, tools.routing, computing.catalogue, disclaimers,
        talk.make_context, talk.engine_name,
    )  # fmt: skip
    start.stack.push_async_callback(evaluation.close)
    measure = CardMeasure(tools.toolbox, tools.routing.router, settings.content_dir / "evaluation" / "routing")
    return Desks(
        cards=CardDesk(
            tools.toolbox, toolset.cards, measure, evaluation.cases, disclaimers, partial(_is_attack, computing)
        ),
        switches=SwitchDesk(tools.toolbox, toolset.switches, stored.changes),
        thresholds=thresholds,
        guard_costs=GuardCosts(
            settings.content_dir, computing.tuning, computing.judges, tools.registry.snapshot, start.today
        ),
        evaluation=evaluation,
        veil=partial(Veil, computing.entities.names),
    )


async def _settle(start: Start, tools: Tools) -> None:
    """Give back what opening took."""
    tools.routing.router.forget_older()
    await asyncio.to_thread(return_freed_memory)
    gc.freeze()  # what is open now stays: walking it in every full collection stopped all turns for 400 ms
    start.stack.callback(gc.unfreeze)


def _start_twin(start: Start, ground: _Ground, parts: PartsInForce, runner: Runner) -> None:
    """The copy of this process that computes beside it, where there can be one."""
    if ground.fork_server is None:
        return
    metrics, registry = start.metrics, ground.computing.registry
    twin = TwinProcess(
        ground.fork_server,
        lambda: registry.snapshot().version,
        partial(tool_news, ground.computing),
        lambda where: metrics.twin_steps.labels(where).inc(),
        runner.busy,
    )
    start.stack.callback(twin.close)
    twin.start()
    metrics.twin_silent_s.set_function(lambda: twin.silent_s)
    metrics.twin_ready.set_function(lambda: float(twin.ready))
    parts.put_twin(twin)


def _watch(start: Start, tools: Tools) -> None:
    """Measure changes of the tool set, and make them as files change where that is wanted."""
    line = tools.registry.line
    start.metrics.change_s.set_function(lambda: line.running_s)
    start.metrics.changes_given_up.set_function(lambda: float(line.given_up))
    if start.settings.reload_on_change:
        watching = asyncio.create_task(reload_on_change(tools.toolbox))
        start.stack.push_async_callback(_stopped, watching)


def _is_attack(computing: Computing, text: str) -> bool:
    """Whether a foreign text gives orders to a model."""
    return computing.judges.injection.judge(text).level == "block"


async def _stopped(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
