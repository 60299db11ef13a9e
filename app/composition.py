"""The one room where everything meets: web app, scripts and tests all enter through `open_services`."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import fields, replace
from datetime import date, datetime, time
from functools import partial
from pathlib import Path
from zoneinfo import ZoneInfo

from app.access import Principal
from app.adapters.approval_store import ApprovalStore
from app.adapters.audit_head import HEAD_FILE, AuditHead
from app.adapters.audit_log import AuditLog
from app.adapters.card_store import CardStore
from app.adapters.chat_model import Engine
from app.adapters.checkpoints import open_checkpoints
from app.adapters.customer_seed import seed_customers
from app.adapters.customer_store import SqlCustomerStore
from app.adapters.data_rotation import settle_rotation
from app.adapters.database import open_database
from app.adapters.field_cipher import FieldCipher
from app.adapters.key_checks import KeyChecks
from app.adapters.knowledge_store import KnowledgeStore
from app.adapters.memory import return_freed_memory
from app.adapters.metrics import Metrics
from app.adapters.proposal_store import ProposalStore
from app.adapters.quiet_database import admitted
from app.adapters.secret_files import open_secrets
from app.adapters.shared_store import ChangeLog
from app.adapters.source_auth import read_auth
from app.adapters.source_store import SourceStore
from app.adapters.state_folder import prepare_state_folder
from app.adapters.state_lock import shared_folder
from app.adapters.switch_store import SwitchStore
from app.adapters.thread_store import ThreadStore
from app.adapters.threshold_store import ThresholdStore
from app.adapters.tracing import open_tracing
from app.adapters.turn_figures import TurnFigures
from app.adapters.twin_process import TwinProcess
from app.adapters.vector_store import ChromaStore
from app.advice.book import FOLDER, load_advice
from app.advice.desk import ProposalDesk
from app.advice.inquiring import inquirer
from app.computing import chosen_engine, open_computing, open_fork_server, open_toolbox, tool_news
from app.consulting.consultant import Consultant
from app.consulting.words import load_talk_words
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
from app.graph.approvals import ApprovalDesk
from app.graph.builder import build_graph
from app.graph.measuring import TurnMeter
from app.graph.prompting import PromptBook, load_prompts
from app.graph.runner import Runner
from app.graph.spending import DayBudget
from app.graph.threads import Threads
from app.graph.turn import GraphServices, TurnContext
from app.graph.webhook_events import open_webhooks, recorder, tell_approval
from app.insurance.catalogue import Catalogue
from app.insurance.company import read_company
from app.insurance.content_folder import settings_in_force
from app.services import Services
from app.settings import Settings, listed
from app.toolbox.approvals import ApprovalGate
from app.toolbox.dispatch import dispatch
from app.toolbox.import_limits import import_limits
from app.toolbox.imports import ToolImports
from app.toolbox.knowledge_files import KnowledgeFiles
from app.toolbox.knowledge_tools import KnowledgeDesk, knowledge_entries
from app.toolbox.modules import ToolModules
from app.toolbox.watching import reload_on_change

log = logging.getLogger(__name__)

SEOUL = ZoneInfo("Asia/Seoul")


def today_in_seoul() -> date:
    """Today where the customers are."""
    return datetime.now(SEOUL).date()


def begun(day: date) -> datetime:
    """When a day of the customers began."""
    return datetime.combine(day, time.min, SEOUL)


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
    own_content, settings = settings.content_dir, settings_in_force(settings)
    async with AsyncExitStack() as stack:
        folders = [Path(folder) for folder in listed(settings.tool_paths)]
        modules = ToolModules(settings.content_dir, folders, timeout_s=settings.tool_import_timeout_s)
        stack.callback(modules.close)
        # On this thread, while there is no other: see computing.py.
        computing = open_computing(settings, modules)
        fork_server = open_fork_server(settings, computing, today)
        if fork_server is not None:
            stack.callback(fork_server.close)
        catalogue, routing, registry = computing.catalogue, computing.routing, computing.registry
        judges = computing.judges
        # Behind the fork: a copy that outlives a killed server must not hold the folder.
        stack.enter_context(shared_folder(settings.data_dir))
        await settle_rotation(settings)
        secrets = await asyncio.to_thread(open_secrets, settings)
        cipher = FieldCipher(secrets.data_key())
        database = await open_database(settings.effective_database_url, cipher, settings.database_pool_size)
        stack.push_async_callback(database.close)
        await admitted(database)
        key_checks = KeyChecks(database, secrets)
        if fault := await key_checks.settle():
            log.error("%s", fault)
        metrics = metrics or Metrics()
        shared, change_log = await sharing.open_line(stack, settings, metrics), ChangeLog(database)
        starting = await stack.enter_async_context(await sharing.started_alone(change_log, shared))
        await seed_customers(database, settings.content_dir, catalogue)
        store = await asyncio.to_thread(ChromaStore, settings.chroma_path, url=settings.chroma_url)
        stack.callback(store.close)
        card_store = CardStore(database)
        published = published_cards(await card_store.active())
        switches = SwitchStore(database)
        desk_of_knowledge = KnowledgeDesk(
            files=KnowledgeFiles(own_content),
            store=KnowledgeStore(database),
            check=lambda path, text: live.faults(path, text),
            reload=lambda: live.reload(),
            writing=asyncio.Lock(),
            changing=lambda path, author: changes.changing("knowledge", path, author),
        )
        toolbox = await asyncio.to_thread(
            open_toolbox, computing, store, modules, published, knowledge_entries(desk_of_knowledge),
            await switches.off(),
        )  # fmt: skip
        thresholds = ThresholdDesk(
            computing.tuning,
            ThresholdStore(database),
            registry,
            lambda guard, who: changes.changing("guard", guard, who),
        )
        await thresholds.restore()
        documents = await asyncio.to_thread(
            open_documents, settings, catalogue, judges.embedder, computing.tokenizer, store
        )
        stack.push_async_callback(asyncio.to_thread, documents.close)
        checkpoints = await stack.enter_async_context(
            open_checkpoints(settings.database_url, settings.checkpoints_path, settings.database_pool_size)
        )

        webhooks = open_webhooks(settings, database, cipher)
        approvals = ApprovalStore(database, settings.approval_ttl_s, partial(tell_approval, webhooks))
        run_calls = partial(dispatch, broke=metrics.tool_broke)
        gate = ApprovalGate(approvals, listed(settings.require_approval), run_calls)
        engine, auto = chosen_engine(settings, computing, engine)
        if engine.provider is not None:
            stack.push_async_callback(engine.provider.close)
        budget = DayBudget(settings.model_budget_usd_day, today)
        budget.begin(await TurnFigures(database).cost_since(begun(today())))
        metrics.model_spent_usd.set_function(lambda: budget.spent_usd)
        metrics.confidence_usual.set(auto.model.usual if auto else 0.0)
        parts = GraphServices(
            **{part.name: getattr(judges, part.name) for part in fields(judges)},
            engine=engine,
            gate=gate,
            disclaimers={item.id: item.text for item in catalogue.reference.disclaimers},
            prompts=load_prompts(settings.content_dir, settings.company_name, catalogue.products),
            auto=auto,
            budget=budget,
        )
        in_force = [parts]

        def read_prompts(content_dir: Path, read: Catalogue) -> PromptBook:
            return load_prompts(content_dir, settings.company_name, read.products)

        def swapped(prompts: PromptBook) -> None:
            in_force[0] = replace(in_force[0], prompts=prompts)

        live = LiveKnowledge(
            settings.content_dir, settings.company_name, catalogue, computing.knowledge, read_prompts, swapped
        )
        customers = SqlCustomerStore(database)
        imports = ToolImports(
            toolbox,
            SourceStore(database),
            import_limits(settings, read_auth(settings.tool_source_auth)),
            lambda text: judges.injection.judge(text).level == "block",
        )
        stack.push_async_callback(imports.close)
        await imports.restore()

        def make_context(principal: Principal, thread_id: str, run_id: str) -> TurnContext:
            imports.freshen()
            return context_now(principal, thread_id, run_id)

        def context_now(principal: Principal, thread_id: str, run_id: str) -> TurnContext:
            return TurnContext(
                principal=principal,
                catalogue=live.catalogue,
                customers=customers,
                documents=documents,
                phrases=computing.phrases,
                masker=computing.masker,
                today=today,
                thread_id=thread_id,
                rag_top_k=settings.rag_top_k,
                services=in_force[0],
                snapshot=registry.snapshot(),
                run_id=run_id,
            )

        graph, turn_locks = build_graph(checkpoints), sharing.turn_locks(shared, settings)
        changes = await sharing.open_changes(
            stack, shared, change_log, toolbox, imports, desk_of_knowledge, live, documents, thresholds
        )
        await starting.aclose()
        audit_key = secrets.signing_key("audit")
        head = AuditHead(settings.data_dir / HEAD_FILE, audit_key)
        audit = AuditLog(database, audit_key, lambda text: computing.masker.mask(text).text, head)
        threads = Threads(
            store=ThreadStore(database),
            checkpoints=checkpoints,
            graph=graph,
            turn_locks=turn_locks,
            masker=computing.masker,
            entities=computing.entities,
            cipher=cipher,
            audit=audit,
            today=today,
        )
        proposals = None
        if (advice := load_advice(settings.content_dir, settings.company_name, catalogue)) is not None:
            proposals = ProposalDesk(
                book=advice,
                store=ProposalStore(database, cipher),
                inquire=inquirer(make_context, gate, changes.catch_up),
                mask=lambda text: computing.masker.mask(text).text,
                today=today,
                catalogue=lambda: live.catalogue,
                customers=customers,
                audit=audit,
            )
            consultant = Consultant(proposals, load_talk_words(settings.content_dir / FOLDER))
            in_force[0] = replace(in_force[0], consultant=consultant)
        counted, tracing, engine_name = metrics, open_tracing(settings), engine.name
        stack.callback(tracing.close)
        runner = Runner(
            graph, make_context, settings, engine_name, recorder(threads, webhooks), turn_locks,
            meter=lambda run_id: TurnMeter(counted, tracing, run_id, engine_name),
            catch_up=changes.catch_up if shared is not None else None,
        )  # fmt: skip
        desk = ApprovalDesk(approvals, gate, runner, make_context)
        await desk.recover(sharing.DECIDED_ELSEWHERE_S if shared is not None else 0.0)
        evaluation = open_evaluation(
            settings, database, toolbox, routing, catalogue, parts.disclaimers, make_context, engine_name
        )
        stack.push_async_callback(evaluation.close)
        routing.router.forget_older()
        await asyncio.to_thread(return_freed_memory)
        gc.freeze()  # what is open now stays: walking it in every full collection stopped all turns for 400 ms
        stack.callback(gc.unfreeze)
        if fork_server is not None:
            twin = TwinProcess(
                fork_server,
                lambda: registry.snapshot().version,
                lambda: tool_news(computing),
                lambda where: counted.twin_steps.labels(where).inc(),
                runner.busy,
            )
            stack.callback(twin.close)
            twin.start()
            metrics.twin_silent_s.set_function(lambda: twin.silent_s)
            metrics.twin_ready.set_function(lambda: float(twin.ready))
            in_force[0] = replace(in_force[0], twin=twin)
        metrics.change_s.set_function(lambda: registry.line.running_s)
        metrics.changes_given_up.set_function(lambda: float(registry.line.given_up))
        if settings.reload_on_change:
            watching = asyncio.create_task(reload_on_change(toolbox))
            stack.push_async_callback(_stopped, watching)
        yield Services(
            settings=settings,
            company=read_company(settings.content_dir),
            proposals=proposals,
            catalogue=catalogue,
            registry=registry,
            routing=routing,
            embedder=judges.embedder,
            documents=documents,
            database=database,
            runner=runner,
            approvals=desk,
            toolbox=toolbox,
            imports=imports,
            switches=SwitchDesk(toolbox, switches, changes),
            thresholds=thresholds,
            guard_costs=GuardCosts(settings.content_dir, computing.tuning, judges, registry.snapshot, today),
            cards=CardDesk(
                toolbox,
                card_store,
                CardMeasure(toolbox, routing.router, settings.content_dir / "evaluation" / "routing"),
                evaluation.cases,
                parts.disclaimers,
                lambda text: judges.injection.judge(text).level == "block",
            ),
            evaluation=evaluation,
            parts=parts,
            store=store,
            checkpoints=checkpoints,
            secrets=secrets,
            key_checks=key_checks,
            audit=audit,
            threads=threads,
            veil=partial(Veil, computing.entities.names),
            webhooks=webhooks,
            metrics=metrics,
            changes=changes,
            shared=shared,
            make_context=make_context,
        )


async def _stopped(task: asyncio.Task[None]) -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
