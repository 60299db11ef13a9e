"""Runs under way and just ended: a listener that lost its connection picks up where it stopped; an owner may stop a
run; the same message sent twice is one run."""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

from app.access import Principal
from app.adapters.log_context import RUN_ID
from app.errors import NotFound, TurnFailed
from app.graph.events import Event
from app.graph.runner import Runner
from app.graph.telling import error_data
from app.messages import worded

log = logging.getLogger(__name__)

KEPT_RUNS = 500
GRACE_S = 10.0


class Run:
    """One run: its events so far, and a signal that more came."""

    def __init__(
        self,
        run_id: str,
        owner: str,
        events: AsyncIterator[Event],
        message_id: str | None = None,
        posted: Callable[[Event], None] | None = None,
    ) -> None:
        """`posted` hears each event once, for whoever listens at another worker."""
        self.id, self.owner, self.message_id = run_id, owner, message_id
        self._posted = posted
        self._events: list[Event] = []
        self._news = asyncio.Event()  # set, and a new one put in its place, at each event
        self._told = asyncio.Event()  # how the run ended is known
        self._listeners = 0
        self._give_up: asyncio.TimerHandle | None = None
        self._task = asyncio.create_task(self._collect(events))
        self._task.add_done_callback(self._end)

    @property
    def ended(self) -> bool:
        return self._task.done()

    @property
    def failed(self) -> bool:
        """It ended without an answer."""
        return self.ended and not any(event.type == "done" for event in self._events)

    async def _collect(self, events: AsyncIterator[Event]) -> None:
        RUN_ID.set(self.id)
        try:
            async for event in events:
                self._add(event)
        except asyncio.CancelledError:
            data = {"error": worded("runs.stopped"), "type": "cancelled", "request_id": self.id}
            self._add(Event(len(self._events) + 1, self.id, "error", data))
        except Exception as error:  # a fault outside the turn itself: whoever listens must still hear of it
            log.exception("run %s failed", self.id)
            self._add(Event(len(self._events) + 1, self.id, "error", error_data(error, self.id)))

    def _add(self, event: Event) -> None:
        self._events.append(event)
        if self._posted is not None:
            self._posted(event)
        if event.type in ("done", "error"):
            self._told.set()
        self._wake()

    def _wake(self) -> None:
        self._news.set()
        self._news = asyncio.Event()

    def _end(self, _task: asyncio.Task[None]) -> None:
        self._told.set()
        self._wake()

    def touch(self) -> None:
        """Somebody listens at another worker: the run goes on for GRACE_S at least."""
        if self._listeners == 0 and not self.ended:
            self._leave_soon()

    def _leave_soon(self) -> None:
        if self._give_up:
            self._give_up.cancel()
        self._give_up = asyncio.get_running_loop().call_later(GRACE_S, self.cancel)

    async def listen(self, after: int = 0) -> AsyncIterator[Event]:
        """Events with an id above `after`, past ones first. The run stops GRACE_S after its last listener left."""
        self._listeners += 1
        if self._give_up:
            self._give_up.cancel()
        position = after
        try:
            while True:
                while position < len(self._events):
                    event = self._events[position]
                    position += 1
                    yield event
                if self.ended:
                    return
                await self._news.wait()
        finally:
            self._listeners -= 1
            if self._listeners == 0 and not self.ended:
                self._leave_soon()

    async def reply(self) -> dict[str, Any]:
        """The reply of the whole turn. Raises TurnFailed where the events end in `error`."""
        await self._told.wait()
        for event in self._events:
            if event.type == "done":
                return event.data
            if event.type == "error":
                raise TurnFailed(event.data["error"], event.data["type"])
        raise TurnFailed(worded("runs.unfinished"), "internal")

    def cancel(self) -> None:
        """Stop the run; its listeners get an `error` event of type `cancelled`."""
        self._task.cancel()

    async def stopped(self) -> None:
        """Wait until the run has ended."""
        await asyncio.gather(self._task, return_exceptions=True)


class AnyRun(Protocol):
    """A run, wherever it goes on."""

    id: str

    def listen(self, after: int = 0) -> AsyncIterator[Event]:
        """Events with an id above `after`, past ones first."""
        ...

    async def reply(self) -> dict[str, Any]:
        """The reply of the whole turn. Raises TurnFailed."""
        ...

    def cancel(self) -> None:
        """Stop the run."""
        ...


class RunHub:
    """The runs of this process, the newest KEPT_RUNS of them."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._messages: dict[tuple[str, str], str] = {}

    def __len__(self) -> int:
        return len(self._runs)

    def start(self, query: str, principal: Principal, thread_id: str | None, *, message_id: str | None = None) -> Run:
        """Begin a run; it goes on even if nobody listens for a moment. A message that began one while its caller
        still looked among the finished turns gets that one."""
        if message_id is not None and (begun := self.of_message(message_id, principal)) is not None:
            return begun
        return self._begun(uuid.uuid4().hex, query, principal, thread_id, message_id)

    def _begun(
        self, run_id: str, query: str, principal: Principal, thread_id: str | None, message_id: str | None
    ) -> Run:
        events = self._runner.stream(query, principal, thread_id, run_id, message_id=message_id)
        return self._keep(Run(run_id, principal.id, events, message_id, self._posting(run_id, principal.id)))

    def _posting(self, run_id: str, owner: str) -> Callable[[Event], None] | None:
        """What hears the events of a run that begins; nothing in one process alone."""
        return None

    async def begin(
        self, query: str, principal: Principal, thread_id: str | None, *, message_id: str | None = None
    ) -> AnyRun:
        """As `start`, over every worker: the run of this message may go on at another one."""
        return self.start(query, principal, thread_id, message_id=message_id)

    async def find(self, run_id: str, principal: Principal) -> AnyRun:
        """As `get`, over every worker. Raises NotFound."""
        return self.get(run_id, principal)

    def replay(self, reply: dict[str, Any], principal: Principal, message_id: str) -> Run:
        """A run that says what was answered before."""

        async def events() -> AsyncIterator[Event]:
            yield Event(1, reply["run_id"], "token", {"text": reply["answer"]})
            yield Event(2, reply["run_id"], "done", reply)

        return self._keep(Run(reply["run_id"], principal.id, events(), message_id))

    def of_message(self, message_id: str, principal: Principal) -> Run | None:
        """The run that this message of the principal began, unless it failed: then it may be sent again."""
        run = self._runs.get(self._messages.get((principal.id, message_id), ""))
        return run if run is not None and not run.failed else None

    async def forget(self, owner: str) -> None:
        """Stop and drop every run of an owner."""
        gone = [run for run in self._runs.values() if run.owner == owner]
        for run in gone:
            run.cancel()
            self._drop(run)
        await asyncio.gather(*(run.stopped() for run in gone))

    def _keep(self, run: Run) -> Run:
        self._runs[run.id] = run
        if run.message_id is not None:
            self._messages[run.owner, run.message_id] = run.id
        while len(self._runs) > KEPT_RUNS:
            oldest = next(iter(self._runs.values()))
            oldest.cancel()
            self._drop(oldest)
        return run

    def _drop(self, run: Run) -> None:
        del self._runs[run.id]
        if run.message_id is not None and self._messages.get((run.owner, run.message_id)) == run.id:
            del self._messages[run.owner, run.message_id]

    def get(self, run_id: str, principal: Principal) -> Run:
        """A run of this principal. Raises NotFound for unknown ones and for another's."""
        run = self._runs.get(run_id)
        if run is None or run.owner != principal.id:
            raise NotFound(worded("runs.not_found", run_id=run_id))
        return run

    async def drained(self, timeout_s: float) -> None:
        """Wait until what runs has ended, for this long."""
        running = [run.stopped() for run in self._runs.values() if not run.ended]
        if running:
            log.info("%d runs are finished before the end", len(running))
            await asyncio.wait([asyncio.ensure_future(one) for one in running], timeout=timeout_s)

    async def close(self) -> None:
        """Stop what still runs."""
        for run in self._runs.values():
            run.cancel()
        await asyncio.gather(*(run.stopped() for run in self._runs.values()))
