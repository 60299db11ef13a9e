"""What a worker shares with others, opened where REDIS_URL is set; else what one process needs alone."""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from contextlib import AsyncExitStack

from app.adapters.metrics import Metrics
from app.adapters.run_board import RunBoard
from app.adapters.shared import Shared, open_shared
from app.adapters.shared_locks import SharedLocks
from app.adapters.shared_store import ChangeLog, MessageClaims
from app.documents.search import DocumentSearch
from app.editing.changes import Changes, SharedChanges
from app.editing.knowledge import LiveKnowledge
from app.editing.thresholds import ThresholdDesk
from app.graph.prompting import PromptBook
from app.graph.runner import Locks, Runner, TurnLocks
from app.graph.runs import RunHub
from app.graph.shared_runs import SharedRunHub
from app.graph.threads import Threads
from app.settings import Settings
from app.toolbox.imports import ToolImports
from app.toolbox.knowledge_tools import KnowledgeDesk
from app.toolbox.toolbox import Toolbox

STARTING_WAIT_S = 300.0
DECIDED_ELSEWHERE_S = 60.0
"""What was approved this recently is left to the worker that is carrying it out."""


async def open_line(stack: AsyncExitStack, settings: Settings, metrics: Metrics) -> Shared | None:
    """The line to the other workers; None for one process alone. Raises StartError when Redis does not answer."""
    if settings.redis_url is None:
        return None
    worker = f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
    shared = await open_shared(settings, worker, lambda what: metrics.shared_faults.labels(what).inc())
    stack.push_async_callback(shared.close)
    return shared


async def started_alone(changes: ChangeLog, shared: Shared | None) -> AsyncExitStack:
    """Held while a worker reads files and builds indexes: one at a time, while nobody changes tools."""
    stack = AsyncExitStack()
    if shared is not None:
        await stack.enter_async_context(changes.alone(STARTING_WAIT_S))
    return stack


def turn_locks(shared: Shared | None, settings: Settings) -> Locks:
    """What keeps the turns of one thread apart."""
    return TurnLocks() if shared is None else SharedLocks(shared, TurnLocks(), settings.turn_timeout_s)


def changes_over(shared: Shared | None, log: ChangeLog) -> Changes:
    """How changes of the tool set, of knowledge and of the guards' thresholds are made; `start_changes` begins it."""
    return Changes() if shared is None else SharedChanges(shared, log)


async def start_changes(
    stack: AsyncExitStack,
    changes: Changes,
    shared: Shared | None,
    toolbox: Toolbox,
    imports: ToolImports,
    desk: KnowledgeDesk,
    live: LiveKnowledge[PromptBook],
    documents: DocumentSearch,
    thresholds: ThresholdDesk,
) -> None:
    """From here on what other workers change is applied here."""
    if shared is None or not isinstance(changes, SharedChanges):
        return

    async def knowledge_changed(path: str) -> None:
        newest = await desk.store.newest(path)
        if newest is not None and await asyncio.to_thread(desk.files.read, path) != newest.text:
            await asyncio.to_thread(desk.files.write, path, newest.text)
        await live.reload()

    await changes.start(
        toolbox, source=imports.restore_one, knowledge=knowledge_changed,
        documents=lambda project: asyncio.to_thread(documents.reread, project),
        guard=lambda name: thresholds.restore(),
    )  # fmt: skip
    stack.push_async_callback(changes.close)
    await shared.start()


def open_hub(shared: Shared | None, runner: Runner, claims: MessageClaims, threads: Threads, turn_s: float) -> RunHub:
    """The runs of this process, and the way to those of other workers where there are some."""
    if shared is None:
        return RunHub(runner)
    return SharedRunHub(runner, RunBoard(shared), claims, threads.store, turn_s)
