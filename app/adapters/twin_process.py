"""A second process for work that only computes: a copy of this one, made by the fork server.

A turn with the embedded planner is Python from end to end, so one process keeps one core busy whatever the machine has.
The copy shares the memory of what was open when the fork server began (pages are doubled only where one of them
writes), and holds what no pickle could carry (Kiwi's models, compiled patterns). What changed since then is told to it:
whoever asks says which version of the tool set the answer must know, and after a change the copy learns the news first.

It never goes back to the event loop, holds no file but its line to us, and does nothing but `work`: no database, no
store, no network. Whatever goes wrong there, the caller is told `TwinAway` and does the work itself.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import socket
import time
from collections.abc import Awaitable, Callable
from multiprocessing.connection import Connection
from typing import Any, Literal, Protocol

from app.adapters.fork_server import ForkServer

log = logging.getLogger(__name__)

Where = Literal["twin", "here"]
News = tuple[int, Any]
"""A version of the tool set, and what the copy must learn to know it."""

# Requests on their way at once, and their size together: less than a socket takes without a reader, so that sending
# never blocks. Who comes then does the work here.
_MOST_ASKED = 24
_MOST_BYTES = 131_072
# After a change of the tool set others mostly follow.
_SETTLE_S = 0.5
_LONGEST_PAUSE_S = 60.0
_LEARNING_S = 30.0


class TwinAway(Exception):
    """There is no copy that could answer this now."""


class Work(Protocol):
    """What the copy does. It must be computation alone."""

    def __call__(self, request: Any) -> Any:
        """The answer to a request."""
        ...

    def learn(self, news: Any) -> None:
        """Take in what changed."""
        ...


def serving(work: Work) -> Callable[[Connection], None]:
    """The copy's whole life, as the fork server calls it."""

    def serve(line: Connection) -> None:
        line.send_bytes(pickle.dumps(os.getpid()))
        while True:
            try:
                number, learns, given = pickle.loads(line.recv_bytes())
            except EOFError:
                return
            try:
                answer = None
                if learns:
                    work.learn(given)
                else:
                    answer = work(given)
                told = (number, True, answer)
            except Exception as error:  # the parent does it again and meets the fault where it can be told
                told = (number, False, repr(error))
            line.send_bytes(pickle.dumps(told, pickle.HIGHEST_PROTOCOL))

    return serve


class TwinProcess:
    """Asks the copy, tells it the news, and makes a new one after a fault. Belongs to the event loop that `start` ran
    on."""

    def __init__(
        self,
        server: ForkServer,
        version: Callable[[], int],
        news: Callable[[], News],
        count: Callable[[Where], None] = lambda where: None,
        needed: Callable[[], bool] = lambda: True,
        *,
        patience_s: float = 5.0,
        pause_s: float = 1.0,
    ) -> None:
        """`version` is that of the tool set now in force, `news` that and what changed since the fork server began.
        `count` hears of each request where its answer comes from. `needed` says whether there is other work to do
        here meanwhile: else asking only costs time.

        A copy that is silent for `patience_s` is given up; the next one is made after `pause_s`, then twice as long.
        """
        self._server, self._current, self._news = server, version, news
        self._count, self._needed = count, needed
        self._patience_s, self._first_pause_s, self._pause_s = patience_s, pause_s, pause_s
        self._copy: _Copy | None = None
        self._renewal: asyncio.TimerHandle | None = None
        self._answered = time.monotonic()

    def start(self) -> None:
        """Make a copy and tell it the news."""
        self._renewal = None
        self._drop()
        try:
            self._copy = _Copy(self._server, self._lost)
        except OSError as error:  # no memory or no processes left: everything goes on here
            self._lost(str(error))
            return
        self._copy.learn(self._news())

    def close(self) -> None:
        """End the copy; `start` makes another one."""
        if self._renewal is not None:
            self._renewal.cancel()
            self._renewal = None
        self._drop()

    @property
    def ready(self) -> bool:
        """Whether there is a copy that knows the tool set now in force."""
        return self._copy is not None and self._copy.version == self._current()

    @property
    def silent_s(self) -> float:
        """Seconds since the copy last answered."""
        return time.monotonic() - self._answered

    async def ask(self, version: int, request: Any) -> Any:
        """What `work` makes of `request` in the copy, where it knows this version of the tool set. Raises TwinAway."""
        if not self._needed():
            raise TwinAway
        try:
            answer = await self._knowing(version).ask(request, self._patience_s)
        except TwinAway:
            self._count("here")
            raise
        self._count("twin")
        self._pause_s, self._answered = self._first_pause_s, time.monotonic()
        return answer

    def _knowing(self, version: int) -> _Copy:
        copy = self._copy
        if copy is None or copy.version is None:
            raise TwinAway
        if copy.version != version:
            if copy.version != self._current():
                self._later(_SETTLE_S, self._tell)
            raise TwinAway
        return copy

    def _tell(self) -> None:
        self._renewal = None
        if self._copy is None:
            self.start()
        else:
            self._copy.learn(self._news())

    def _lost(self, reason: str) -> None:
        log.warning("twin process lost (%s): its work is done here until there is a new one", reason)
        self._drop()
        self._later(self._pause_s, self.start)
        self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)

    def _later(self, pause_s: float, what: Callable[[], None]) -> None:
        if self._renewal is None:
            self._renewal = asyncio.get_running_loop().call_later(pause_s, what)

    def _drop(self) -> None:
        copy, self._copy = self._copy, None
        if copy is not None:
            copy.end()


class _Copy:
    """One copy and what it was asked. `version` is the tool set that it knows; None while it learns."""

    def __init__(self, server: ForkServer, lost: Callable[[str], None]) -> None:
        self.version: int | None = None
        self._server, self._lost = server, lost
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._count = self._bytes = 0
        self._pid: int | None = None
        self._ended = False
        self._learning: asyncio.Task[None] | None = None
        self._line = server.new()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._line.fileno(), self._hear)

    def learn(self, news: News) -> None:
        """Tell it the news; until it has learned them it is asked nothing."""
        self.version = None
        self._learning = self._loop.create_task(self._learn(*news))

    async def _learn(self, version: int, news: Any) -> None:
        number, told = self._told(learns=True, given=news)
        try:
            # In a thread: the news may be larger than the line takes while the copy is at work.
            await self._answer_to(number, asyncio.to_thread(self._line.send_bytes, told), _LEARNING_S)
        except TwinAway as error:
            self._give_up(f"it could not learn version {version}: {error}")
        else:
            self.version = version

    async def ask(self, request: Any, patience_s: float) -> Any:
        """Raises TwinAway when it is too busy, gone, late or could not do it."""
        if len(self._asked) >= _MOST_ASKED:
            raise TwinAway
        number, told = self._told(learns=False, given=request)
        if self._bytes + len(told) > _MOST_BYTES:
            raise TwinAway
        self._bytes += len(told)
        try:
            return await self._answer_to(number, self._sent(told), patience_s)
        finally:
            self._bytes -= len(told)

    def _told(self, *, learns: bool, given: Any) -> tuple[int, bytes]:
        self._count += 1
        return self._count, pickle.dumps((self._count, learns, given), pickle.HIGHEST_PROTOCOL)

    async def _sent(self, told: bytes) -> None:
        self._line.send_bytes(told)

    async def _answer_to(self, number: int, sending: Awaitable[None], patience_s: float) -> Any:
        answered = self._asked[number] = self._loop.create_future()
        late = self._loop.call_later(patience_s, self._give_up, f"no answer in {patience_s:g} s")
        try:
            await sending
            return await answered
        except OSError as error:
            raise TwinAway from error
        finally:
            late.cancel()
            self._asked.pop(number, None)

    def end(self) -> None:
        """Kill the process; whoever waits is told."""
        self._ended = True
        self._loop.remove_reader(self._line.fileno())
        with socket.socket(fileno=os.dup(self._line.fileno())) as line:
            line.shutdown(socket.SHUT_RDWR)  # closing alone wakes no thread that still sends
        self._line.close()
        if self._pid is not None:
            self._server.end(self._pid)
        for answered in self._asked.values():
            if not answered.done():
                answered.set_exception(TwinAway())
        self._asked = {}

    def _give_up(self, reason: str) -> None:
        if not self._ended:
            self._lost(reason)

    def _hear(self) -> None:
        try:
            message = pickle.loads(self._line.recv_bytes())
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self._give_up(f"{type(error).__name__} on its line")
            return
        if self._pid is None:
            self._pid = int(message)
            return
        number, done, answer = message
        answered = self._asked.get(number)
        if answered is None or answered.done():
            return
        if done:
            answered.set_result(answer)
        else:
            answered.set_exception(TwinAway(answer))
