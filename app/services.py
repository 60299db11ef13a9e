"""What the faces of the product (web, MCP, console, scripts) may use, once it is open: a bundle for each floor."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import date
from typing import Any

from langchain_core.messages import ToolCall

from app.access import Principal
from app.adapters.audit_log import AuditLog
from app.adapters.checkpoints import Checkpoints
from app.adapters.database import Database
from app.adapters.embeddings import Embedder
from app.adapters.field_cipher import FieldCipher
from app.adapters.key_checks import KeyChecks
from app.adapters.metrics import Metrics
from app.adapters.secret_files import Secrets
from app.adapters.shared import Shared
from app.adapters.shared_store import MessageClaims
from app.adapters.vector_store import ChromaStore
from app.adapters.webhooks import Webhooks
from app.advice.desk import ProposalDesk
from app.documents.search import DocumentSearch
from app.editing.cards import CardDesk
from app.editing.changes import Changes
from app.editing.switches import SwitchDesk
from app.editing.thresholds import ThresholdDesk
from app.editing.veil import Veiling
from app.errors import Forbidden, ToolBroken, ToolFailed
from app.evaluation.desk import EvaluationDesk
from app.evaluation.guard_costs import GuardCosts
from app.graph import sharing
from app.graph.approvals import ApprovalDesk
from app.graph.contexts import PartsInForce
from app.graph.explaining import explain_route
from app.graph.health import health_of, works
from app.graph.runner import MakeContext, Runner
from app.graph.runs import RunHub
from app.graph.threads import Threads
from app.graph.turn import GraphServices
from app.insurance.catalogue import Catalogue
from app.insurance.company import Company
from app.messages import worded
from app.routing.opening import Routing
from app.settings import Settings
from app.toolbox.approvals import Errand, awaited
from app.toolbox.imports import ToolImports
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import Channel
from app.toolbox.toolbox import Toolbox


@dataclass(frozen=True)
class Start:
    """What every floor is opened with; `stack` closes it."""

    stack: AsyncExitStack
    settings: Settings
    today: Callable[[], date]
    metrics: Metrics


@dataclass(frozen=True)
class Storage:
    """Everything that is written, and what guards it. `shared` is the line to other workers, where there are some."""

    database: Database
    store: ChromaStore
    checkpoints: Checkpoints
    secrets: Secrets
    cipher: FieldCipher
    key_checks: KeyChecks
    audit: AuditLog
    shared: Shared | None


@dataclass(frozen=True)
class Knowledge:
    """What the company sells, as it stood at the start, and its documents."""

    catalogue: Catalogue
    documents: DocumentSearch


@dataclass(frozen=True)
class Tools:
    """The living tool set, what routes to it, and the way in which its changes reach every worker."""

    registry: ToolRegistry
    toolbox: Toolbox
    imports: ToolImports
    routing: Routing
    embedder: Embedder
    changes: Changes


@dataclass(frozen=True)
class Talk:
    """Turns, threads and what belongs to them: approvals, proposals, and webhooks, which are told of them."""

    runner: Runner
    threads: Threads
    approvals: ApprovalDesk
    proposals: ProposalDesk | None
    webhooks: Webhooks
    make_context: MakeContext
    catch_up: Callable[[], Awaitable[None]]
    in_force: PartsInForce

    @property
    def parts(self) -> GraphServices:
        """What the graph's nodes call, as the next turn gets it."""
        return self.in_force.now

    @property
    def engine_name(self) -> str:
        """Who answers."""
        return self.parts.engine.name

    @property
    def model_name(self) -> str | None:
        """The provider's model; None where none is configured."""
        return None if self.parts.engine.provider is None else self.parts.engine.name

    async def invoke(
        self, tool: str, args: dict[str, Any], principal: Principal, run_id: str, channel: Channel = "api"
    ) -> dict[str, Any]:
        """One tool call without a conversation, through `channel`.

        Raises ToolNotFound, Forbidden, ToolFailed with the tool's own message, ToolBroken where its own code failed,
        ApprovalAwaited for a call that writes.
        """
        await self.catch_up()
        context = self.make_context(principal, f"invoke-{run_id}", run_id)
        entry = context.snapshot.entry(tool)
        if not principal.at_least(entry.role):
            raise Forbidden(worded("services.no_permission"))
        call = ToolCall(name=tool, args=args, id=run_id, type="tool_call")
        errand = Errand(run_id, None, awaited)
        [run] = await self.parts.gate(context.snapshot, [call], context, errand, channel=channel)
        if run.broken:
            raise ToolBroken
        if not run.ok:
            raise ToolFailed(str(run.message.content))
        artifact = run.message.artifact
        return {"result": artifact["data"], "kind": artifact["kind"], "duration_ms": round(run.duration_ms, 2)}

    async def explain_route(
        self, query: str, principal: Principal, *, thread_id: str | None, top_k: int
    ) -> dict[str, Any]:
        """Guard, rewriting and routing of a question, without any model call."""
        await self.catch_up()
        context = self.make_context(principal, thread_id or "route", "route")
        return explain_route(query, context, await self._saved(principal, thread_id), top_k=top_k)

    async def _saved(self, principal: Principal, thread_id: str | None) -> dict[str, Any]:
        if thread_id is None:
            return {}
        saved = await self.threads.checkpoints.aget_tuple(
            {"configurable": {"thread_id": f"{principal.id}:{thread_id}"}}
        )
        return dict(saved.checkpoint["channel_values"]) if saved else {}


@dataclass(frozen=True)
class Desks:
    """What operators work with: cards, switches and thresholds that they change, and what they look into."""

    cards: CardDesk
    switches: SwitchDesk
    thresholds: ThresholdDesk
    guard_costs: GuardCosts
    evaluation: EvaluationDesk
    veil: Veiling


@dataclass(frozen=True)
class Services:
    """The open service. A face takes the bundles that it needs."""

    settings: Settings
    company: Company | None
    metrics: Metrics
    storage: Storage
    knowledge: Knowledge
    tools: Tools
    talk: Talk
    desks: Desks

    def open_hub(self) -> RunHub:
        """The runs of this process, and the way to those of other workers where there are some."""
        claims = MessageClaims(self.storage.database)
        runner, threads = self.talk.runner, self.talk.threads
        return sharing.open_hub(self.storage.shared, runner, claims, threads, self.settings.turn_timeout_s)

    async def health(self) -> dict[str, Any]:
        """The state of every part; `degraded` when one of them is down or left out."""
        storage, tools = self.storage, self.tools
        found = await health_of(
            self.talk.parts, tools.registry.snapshot(), tools.routing, self.knowledge.documents, storage.database,
            storage.checkpoints, storage.key_checks, self.settings.data_dir,
        )  # fmt: skip
        if storage.shared is not None:
            found["checks"] |= {"shared": await works(storage.shared.ping()), "tools_current": tools.changes.works}
            found["status"] = "ok" if all(found["checks"].values()) else "degraded"
            found["worker"] = storage.shared.worker
        return found
