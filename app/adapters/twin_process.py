"""A second process for work that only computes: a copy of this one, forked when everything is open.

A turn with the embedded planner is Python from end to end, so one process keeps one core busy whatever the machine has.
The copy shares the memory of what is open (pages are doubled only where one of the two writes), holds what no pickle
could carry (Kiwi's models, compiled patterns) and is ready after some 10 ms. It is a snapshot: whoever asks says which
version of the tool set the answer must know, and after a change a new copy is made.

A fork takes only the thread that forks along. So the copy closes every file but its line to us, never goes back to the
event loop, and does nothing but `work`: no database, no store, no network. Locks that `work` takes are held by the
forking thread while it forks. Whatever goes wrong there, the caller is told `TwinAway` and does the work itself.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import pickle
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from multiprocessing.connection import Connection
from multiprocessing.context import ForkProcess
from typing import Any, Literal, NoReturn

log = logging.getLogger(__name__)

Work = Callable[[Any], Any]
Where = Literal["twin", "here"]

# Requests on their way at once, and their size together: less than a socket takes without a reader, so that sending
# never blocks. Who comes then does the work here.
_MOST_ASKED = 24
_MOST_BYTES = 131_072
# After a change of the tool set others mostly follow.
_SETTLE_S = 0.5
_LONGEST_PAUSE_S = 60.0
_LOCK_WAIT_S = 0.05
_LAST_STREAM = 2


class TwinAway(Exception):
    """There is no copy that could answer this now."""


class TwinProcess:
    """Asks the copy, and makes a new one after a change or a fault. Belongs to the event loop that `start` ran on."""

    def __init__(
        self,
        work: Work,
        version: Callable[[], int],
        locks: Sequence[threading.Lock] = (),
        count: Callable[[Where], None] = lambda where: None,
        needed: Callable[[], bool] = lambda: True,
        *,
        patience_s: float = 5.0,
        pause_s: float = 1.0,
    ) -> None:
        """`work` answers a request in the copy. `version` is that of the tool set now in force; `locks` are those that
        `work` takes. `count` hears of each request where its answer comes from. `needed` says whether there is other
        work to do here meanwhile: else asking only costs time.

        A copy that is silent for `patience_s` is given up; the next one is made after `pause_s`, then twice as long.
        """
        self._work, self._current, self._locks, self._count = work, version, tuple(locks), count
        self._needed = needed
        self._patience_s, self._first_pause_s, self._pause_s = patience_s, pause_s, pause_s
        self._copy: _Copy | None = None
        self._renewal: asyncio.TimerHandle | None = None

    @staticmethod
    def possible() -> bool:
        """Whether this machine has a core to spare and forks soundly."""
        return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1

    def start(self) -> None:
        """Make the copy; where a lock is taken just then, a little later."""
        self._renewal = None
        self._drop()
        with ExitStack() as held:
            for lock in self._locks:
                if not lock.acquire(timeout=_LOCK_WAIT_S):
                    self._later(_SETTLE_S)
                    return
                held.callback(lock.release)
            try:
                self._copy = _Copy(self._work, self._current(), self._lost, self._locks)
            except OSError as error:  # no memory or no processes left: everything goes on here
                self._lost(str(error))

    def close(self) -> None:
        """End the copy for good."""
        if self._renewal is not None:
            self._renewal.cancel()
        self._drop()

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
        self._pause_s = self._first_pause_s
        return answer

    def _knowing(self, version: int) -> _Copy:
        copy = self._copy
        if copy is None:
            raise TwinAway
        if copy.version != version:
            if copy.version != self._current():
                self._later(_SETTLE_S)
            raise TwinAway
        return copy

    def _lost(self, reason: str) -> None:
        log.warning("twin process lost (%s): its work is done here until there is a new one", reason)
        self._drop()
        self._later(self._pause_s)
        self._pause_s = min(self._pause_s * 2, _LONGEST_PAUSE_S)

    def _later(self, pause_s: float) -> None:
        if self._renewal is None:
            self._renewal = asyncio.get_running_loop().call_later(pause_s, self.start)

    def _drop(self) -> None:
        copy, self._copy = self._copy, None
        if copy is not None:
            copy.end()


class _Copy:
    """One forked process and what it was asked."""

    def __init__(self, work: Work, version: int, lost: Callable[[str], None], locks: Sequence[threading.Lock]) -> None:
        self.version, self._lost = version, lost
        self._asked: dict[int, asyncio.Future[Any]] = {}
        self._count = self._bytes = 0
        self._ended = False
        context = multiprocessing.get_context("fork")
        self._line, theirs = context.Pipe()
        self._process: ForkProcess = context.Process(
            target=_serve, args=(theirs, work, locks), name="twin", daemon=True
        )
        self._process.start()
        theirs.close()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._line.fileno(), self._hear)

    async def ask(self, request: Any, patience_s: float) -> Any:
        """Raises TwinAway when it is too busy, gone, late or could not do it."""
        if len(self._asked) >= _MOST_ASKED:
            raise TwinAway
        self._count += 1
        number = self._count
        told = pickle.dumps((number, request), pickle.HIGHEST_PROTOCOL)
        if self._bytes + len(told) > _MOST_BYTES:
            raise TwinAway
        self._bytes += len(told)
        answered = self._asked[number] = self._loop.create_future()
        late = self._loop.call_later(patience_s, self._give_up, f"no answer in {patience_s:g} s")
        try:
            self._line.send_bytes(told)
            return await answered
        except OSError as error:
            raise TwinAway from error
        finally:
            late.cancel()
            self._asked.pop(number, None)
            self._bytes -= len(told)

    def end(self) -> None:
        """Kill the process; whoever waits is told."""
        self._loop.remove_reader(self._line.fileno())
        self._line.close()
        self._process.kill()
        self._process.join()
        for answered in self._asked.values():
            if not answered.done():
                answered.set_exception(TwinAway())
        self._asked, self._ended = {}, True

    def _give_up(self, reason: str) -> None:
        if not self._ended:
            self._lost(reason)

    def _hear(self) -> None:
        try:
            number, done, answer = pickle.loads(self._line.recv_bytes())
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self._give_up(f"{type(error).__name__} on its line")
            return
        answered = self._asked.get(number)
        if answered is None or answered.done():
            return
        if done:
            answered.set_result(answer)
        else:
            answered.set_exception(TwinAway(answer))


def _serve(line: Connection, work: Work, locks: Sequence[threading.Lock]) -> NoReturn:
    """The copy's whole life."""
    for lock in locks:  # held by us as much as by the parent that forked
        lock.release()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches both; the parent ends us when its turns are done
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > _LAST_STREAM and fd != line.fileno():
            with suppress(OSError):  # the listing's own is closed by now
                os.close(fd)
    try:
        while True:
            number, request = pickle.loads(line.recv_bytes())
            try:
                told = (number, True, work(request))
            except Exception as error:  # the parent does it again and meets the fault where it can be told
                told = (number, False, repr(error))
            line.send_bytes(pickle.dumps(told, pickle.HIGHEST_PROTOCOL))
    except (EOFError, OSError):
        os._exit(0)
    finally:
        os._exit(1)
