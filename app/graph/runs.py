"""Runs under way and just ended: a listener that lost its connection picks up where it stopped; anybody's run can be
cancelled
by its owner."""

from __future__ import annotations

import asyncio
import uuid
from collections import OrderedDict
from collections.abc import AsyncIterator

from app.access import Principal
from app.errors import NotFound
from app.graph.events import Event
from app.graph.runner import Runner

KEPT_RUNS = 500
GRACE_S = 10.0


class Run:
    """One run: its events so far, and a signal that more came."""

    def __init__(self, run_id: str, owner: str, events: AsyncIterator[Event]) -> None:
        self.id, self.owner = run_id, owner
        self._events: list[Event] = []
        self._news = asyncio.Condition()
        self._listeners = 0
        self._give_up: asyncio.TimerHandle | None = None
        self._task = asyncio.create_task(self._collect(events))

    @property
    def ended(self) -> bool:
        return self._task.done()

    async def _collect(self, events: AsyncIterator[Event]) -> None:
        try:
            async for event in events:
                self._events.append(event)
                async with self._news:
                    self._news.notify_all()
        except asyncio.CancelledError:
            data = {"error": "사용자가 답변을 멈췄습니다.", "type": "cancelled", "request_id": self.id}
            self._events.append(Event(len(self._events) + 1, self.id, "error", data))
        finally:
            async with self._news:
                self._news.notify_all()

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
                async with self._news:
                    if position >= len(self._events) and not self.ended:
                        await self._news.wait()
        finally:
            self._listeners -= 1
            if self._listeners == 0 and not self.ended:
                self._give_up = asyncio.get_running_loop().call_later(GRACE_S, self.cancel)

    def cancel(self) -> None:
        """Stop the run; its listeners get an `error` event of type `cancelled`."""
        self._task.cancel()

    async def stopped(self) -> None:
        """Wait until the run has ended."""
        await asyncio.gather(self._task, return_exceptions=True)


class RunHub:
    """The runs of this process, the newest KEPT_RUNS of them."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._runs: OrderedDict[str, Run] = OrderedDict()

    def start(self, query: str, principal: Principal, thread_id: str | None) -> Run:
        """Begin a run; it goes on even if nobody listens for a moment."""
        run_id = uuid.uuid4().hex
        run = Run(run_id, principal.id, self._runner.stream(query, principal, thread_id, run_id))
        self._runs[run_id] = run
        while len(self._runs) > KEPT_RUNS:
            _, oldest = self._runs.popitem(last=False)
            oldest.cancel()
        return run

    def get(self, run_id: str, principal: Principal) -> Run:
        """A run of this principal. Raises NotFound for unknown ones and for another's."""
        run = self._runs.get(run_id)
        if run is None or run.owner != principal.id:
            raise NotFound(f"실행 {run_id!r}를 찾을 수 없습니다. 이미 정리되었을 수 있습니다.")
        return run

    async def close(self) -> None:
        """Stop what still runs."""
        for run in self._runs.values():
            run.cancel()
        await asyncio.gather(*(run.stopped() for run in self._runs.values()))
