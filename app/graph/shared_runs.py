"""Runs over several workers: resumed, stopped and awaited at any of them; one message is one turn."""

from __future__ import annotations

import asyncio
import logging
import time
import uuid
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from typing import Any, cast

from app.access import Principal
from app.adapters.run_board import PostedRun, RunBoard
from app.adapters.shared_store import MessageClaims
from app.adapters.thread_store import ThreadStore
from app.errors import Conflict, NotFound, TurnFailed, Unavailable
from app.graph.events import Event, EventType
from app.graph.runner import Runner
from app.graph.runs import AnyRun, RunHub
from app.messages import worded

log = logging.getLogger(__name__)

_POLL_S, _TOUCH_S, _SILENT_S = 0.1, 3.0, 2.0
_LOST = worded("shared_runs.server_stopped")
_UNDERWAY = worded("shared_runs.elsewhere")


class RemoteRun:
    """A run that goes on at another worker, or did."""

    def __init__(self, board: RunBoard, posted: PostedRun) -> None:
        self._board, self._posted, self.id = board, posted, posted.run_id

    async def listen(self, after: int = 0) -> AsyncIterator[Event]:
        """Events with an id above `after`, as soon as they are posted. Ends with an `error` event where the worker that
        ran it is gone. Raises Unavailable while Redis is away."""
        position, touched, heard = after, 0.0, time.monotonic()
        while True:
            if time.monotonic() - touched > _TOUCH_S:
                touched = time.monotonic()
                await self._board.shared.tell("touch", run_id=self.id)
            found = await self._board.events(self.id, position)
            for number, kind, data in found:
                position = number
                yield Event(number, self.id, cast(EventType, kind), data)
                if kind in ("done", "error"):
                    return
            if found:
                heard = time.monotonic()
            elif time.monotonic() - heard > _SILENT_S:
                heard = time.monotonic()
                if not await self.goes_on():
                    data = {"error": _LOST, "type": "unavailable", "request_id": self.id}
                    yield Event(position + 1, self.id, "error", data)
                    return
            await asyncio.sleep(_POLL_S)

    async def reply(self) -> dict[str, Any]:
        """The reply of the whole turn. Raises TurnFailed where the events end in `error`."""
        async for event in self.listen():
            if event.type == "done":
                return event.data
            if event.type == "error":
                raise TurnFailed(event.data["error"], event.data["type"])
        raise TurnFailed(_LOST, "unavailable")

    async def failed(self) -> bool:
        """It ended without an answer, or the worker that ran it is gone. Raises Unavailable."""
        ends = [kind for _, kind, _ in await self._board.events(self.id, 0) if kind in ("done", "error")]
        return ends[-1] == "error" if ends else not await self.goes_on()

    async def goes_on(self) -> bool:
        """Its worker lives. Raises Unavailable."""
        return await self._board.shared.alive(self._posted.worker)

    def cancel(self) -> None:
        """Stop it, wherever it is."""
        told = asyncio.ensure_future(self._board.shared.tell("cancel", run_id=self.id))
        told.add_done_callback(lambda task: task.exception())


class SharedRunHub(RunHub):
    """The runs of this worker, and a way to those of the others."""

    def __init__(
        self, runner: Runner, board: RunBoard, claims: MessageClaims, turns: ThreadStore, turn_s: float
    ) -> None:
        super().__init__(runner)
        self._board, self._claims, self._turns, self._turn_s = board, claims, turns, turn_s
        shared = board.shared
        shared.on("cancel", self._on_cancel)
        shared.on("touch", self._on_touch)
        shared.on("forget", lambda news: self._cancel_all(news["owner"]))

    async def begin(
        self, query: str, principal: Principal, thread_id: str | None, *, message_id: str | None = None
    ) -> AnyRun:
        """Begin a run, or find the one that this message began anywhere. Raises Conflict where that one cannot be
        followed because Redis is away."""
        run_id = uuid.uuid4().hex
        if message_id is not None:
            if (begun := self.of_message(message_id, principal)) is not None:
                return begun
            found = await self._claimed(run_id, principal, message_id)
            if found is not None:
                return found
        await self._board.post(run_id, principal.id)
        return self._begun(run_id, query, principal, thread_id, message_id)

    async def find(self, run_id: str, principal: Principal) -> AnyRun:
        """A run of this principal, wherever it goes on. Raises NotFound, and Unavailable while Redis is away."""
        try:
            return self.get(run_id, principal)
        except NotFound:
            posted = await self._board.find(run_id)
            if posted is None or posted.owner != principal.id:
                raise
            return RemoteRun(self._board, posted)

    async def forget(self, owner: str) -> None:
        """Stop and drop every run of an owner, at every worker. Raises Unavailable while Redis is away."""
        await self._board.forget(owner)
        await super().forget(owner)
        await self._claims.forget(owner)

    async def close(self) -> None:
        """Finish what runs, so that its listeners can take the rest at another worker; then stop."""
        await self.drained(self._turn_s)
        await super().close()
        await self._board.close()

    def _posting(self, run_id: str, owner: str) -> Callable[[Event], None]:
        return lambda event: self._board.put(run_id, event.id, event.type, event.data)

    async def _claimed(self, run_id: str, principal: Principal, message_id: str) -> AnyRun | None:
        """The run that holds this message; None when it is ours now."""
        while True:
            holder, since = await self._claims.claim(principal.id, message_id, run_id)
            if holder == run_id or (begun := self.of_message(message_id, principal)) is not None:
                return None if holder == run_id else begun
            kept = await self._turns.turn_of_message(principal.id, message_id)
            if kept is not None:
                return self.replay(kept.reply, principal, message_id)
            try:
                posted = await self._board.find(holder)
                remote = RemoteRun(self._board, posted) if posted else None
                if remote is not None and not await remote.failed():
                    return remote
                young = datetime.now(UTC) - since < timedelta(seconds=2)
            except Unavailable as error:
                if datetime.now(UTC) - since < timedelta(seconds=self._turn_s + 10):
                    raise Conflict(_UNDERWAY) from error
                remote, young = None, False
            if remote is None and young:  # claimed this moment, not yet posted
                await asyncio.sleep(_POLL_S)
                continue
            if await self._claims.take_over(principal.id, message_id, holder, run_id):
                return None

    def _on_cancel(self, news: dict[str, Any]) -> None:
        if (run := self._runs.get(news["run_id"])) is not None and not run.ended:
            run.cancel()

    def _on_touch(self, news: dict[str, Any]) -> None:
        if (run := self._runs.get(news["run_id"])) is not None:
            run.touch()

    def _cancel_all(self, owner: str) -> None:
        for run in self._runs.values():
            if run.owner == owner and not run.ended:
                run.cancel()
