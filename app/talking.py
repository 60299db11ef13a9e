"""The floor of what talks: who answers, the gate that holds calls for approval, threads, turns and proposals."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import partial

from app.adapters.approval_store import ApprovalStore
from app.adapters.chat_model import Engine
from app.adapters.customer_store import SqlCustomerStore
from app.adapters.proposal_store import ProposalStore
from app.adapters.thread_store import ThreadStore
from app.adapters.tracing import open_tracing
from app.adapters.turn_figures import TurnFigures
from app.adapters.webhooks import Webhooks
from app.advice.book import FOLDER, load_advice
from app.advice.desk import ProposalDesk
from app.advice.inquiring import inquirer
from app.clock import begun
from app.computing import Computing, chosen_engine
from app.consulting.consultant import Consultant
from app.consulting.words import load_talk_words
from app.documents.search import DocumentSearch
from app.editing.knowledge import LiveKnowledge
from app.graph import sharing
from app.graph.approvals import ApprovalDesk
from app.graph.builder import build_graph
from app.graph.contexts import PartsInForce, TurnContexts
from app.graph.measuring import TurnMeter
from app.graph.prompting import PromptBook, load_prompts
from app.graph.runner import Runner
from app.graph.spending import DayBudget
from app.graph.threads import Threads
from app.graph.turn import GraphServices
from app.graph.webhook_events import open_webhooks, recorder, tell_approval
from app.services import Start, Storage, Talk, Tools
from app.settings import listed
from app.storing import Stored
from app.toolbox.approvals import ApprovalGate
from app.toolbox.dispatch import dispatch
from app.toolbox.knowledge_tools import KnowledgeDesk


@dataclass(frozen=True)
class Nodes:
    """The parts that graph nodes call, and what stands behind their gate."""

    parts: PartsInForce
    gate: ApprovalGate
    approvals: ApprovalStore
    webhooks: Webhooks


@dataclass(frozen=True)
class Library:
    """Knowledge files in force and under edit, and the documents."""

    live: LiveKnowledge[PromptBook]
    desk: KnowledgeDesk
    documents: DocumentSearch


async def open_nodes(start: Start, computing: Computing, storage: Storage, given: Engine | None) -> Nodes:
    """Who answers, what it may cost, and the gate that holds calls for approval."""
    settings, metrics, judges = start.settings, start.metrics, computing.judges
    webhooks = open_webhooks(settings, storage.database, storage.cipher)
    approvals = ApprovalStore(storage.database, settings.approval_ttl_s, partial(tell_approval, webhooks))
    run_calls = partial(dispatch, broke=metrics.tool_broke)
    gate = ApprovalGate(approvals, listed(settings.require_approval), run_calls)
    engine, auto = chosen_engine(settings, computing, given)
    if engine.provider is not None:
        start.stack.push_async_callback(engine.provider.close)
    budget = DayBudget(settings.model_budget_usd_day, start.today)
    budget.begin(await TurnFigures(storage.database).cost_since(begun(start.today())))
    metrics.model_spent_usd.set_function(lambda: budget.spent_usd)
    metrics.confidence_usual.set(auto.model.usual if auto else 0.0)
    parts = GraphServices(
        **{part.name: getattr(judges, part.name) for part in fields(judges)},
        engine=engine,
        gate=gate,
        disclaimers={item.id: item.text for item in computing.catalogue.reference.disclaimers},
        prompts=load_prompts(settings.content_dir, settings.company_name, computing.catalogue.products),
        auto=auto,
        budget=budget,
    )
    return Nodes(PartsInForce(parts), gate, approvals, webhooks)


async def open_talk(
    start: Start, computing: Computing, stored: Stored, nodes: Nodes, library: Library, tools: Tools
) -> Talk:
    """The graph over all of it: threads, turns and what was approved while nobody ran."""
    settings, storage, parts = start.settings, stored.storage, nodes.parts
    shared, catch_up = storage.shared, stored.changes.catch_up
    customers = SqlCustomerStore(storage.database)
    make_context = TurnContexts(
        parts, library.live, customers, library.documents, computing.phrases, computing.masker, tools.registry,
        tools.imports, start.today,
    )  # fmt: skip
    graph, turn_locks = build_graph(storage.checkpoints), sharing.turn_locks(shared, settings)
    threads = Threads(
        store=ThreadStore(storage.database),
        checkpoints=storage.checkpoints,
        graph=graph,
        turn_locks=turn_locks,
        masker=computing.masker,
        entities=computing.entities,
        cipher=storage.cipher,
        audit=storage.audit,
        today=start.today,
    )
    proposals = open_proposals(start, computing, stored, nodes, library.live, make_context)
    tracing, engine_name = open_tracing(settings), parts.now.engine.name
    start.stack.callback(tracing.close)
    runner = Runner(
        graph, make_context, settings, engine_name, recorder(threads, nodes.webhooks), turn_locks,
        meter=lambda run_id: TurnMeter(start.metrics, tracing, run_id, engine_name),
        catch_up=catch_up if shared is not None else None,
    )  # fmt: skip
    approvals = ApprovalDesk(nodes.approvals, nodes.gate, runner, make_context)
    await approvals.recover(sharing.DECIDED_ELSEWHERE_S if shared is not None else 0.0)
    return Talk(runner, threads, approvals, proposals, nodes.webhooks, make_context, catch_up, parts)


def open_proposals(
    start: Start,
    computing: Computing,
    stored: Stored,
    nodes: Nodes,
    live: LiveKnowledge[PromptBook],
    make_context: TurnContexts,
) -> ProposalDesk | None:
    """Proposals, and the consultation that makes them in a talk; None where the company gives no advice."""
    settings, storage = start.settings, stored.storage
    advice = load_advice(settings.content_dir, settings.company_name, computing.catalogue)
    if advice is None:
        return None
    proposals = ProposalDesk(
        book=advice,
        store=ProposalStore(storage.database, storage.cipher),
        inquire=inquirer(make_context, nodes.gate, stored.changes.catch_up),
        mask=lambda text: computing.masker.mask(text).text,
        today=start.today,
        catalogue=lambda: live.catalogue,
        customers=make_context.customers,
        audit=storage.audit,
    )
    nodes.parts.put_consultant(Consultant(proposals, load_talk_words(settings.content_dir / FOLDER)))
    return proposals
