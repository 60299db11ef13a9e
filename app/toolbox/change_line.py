"""Changes of the tool set one behind the other, each with a time limit that holds whatever hangs inside it.

A thread cannot be ended from outside. So a change runs in a thread of its own, and what it made comes into force only
by `commit`: one that ran out of time is left behind, whoever waited is told, the next change goes on, and should the
old one ever wake up, it may no longer commit.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TypeVar

from app.errors import ChangeTooSlow

log = logging.getLogger(__name__)

T = TypeVar("T")


class GivenUp(Exception):
    """This change ran out of time, and somebody was told that it did not happen."""


class _Change:
    """One change: under way, committed, or given up."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work, self._state = work, threading.Lock()
        self._committed = self._given_up = False
        self.ended = threading.Event()
        self.result: object = None
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            self.result = self._work()
        except BaseException as error:  # it belongs to whoever waits
            self.error = error
        self.ended.set()

    def commit(self) -> None:
        with self._state:
            if self._given_up:
                raise GivenUp
            self._committed = True

    def give_up(self) -> bool:
        """True where nothing of it came into force, and nothing will."""
        with self._state:
            self._given_up = not self._committed
            return self._given_up


class ChangeLine:
    """Runs one change at a time."""

    def __init__(self, limit_s: float) -> None:
        """`limit_s` is how long a change may take, and how long one waits for its turn."""
        self.limit_s = limit_s
        self.given_up = 0
        self._turn = threading.Lock()
        self._here = threading.local()
        self._begun: float | None = None

    @property
    def running_s(self) -> float:
        """How long the change that is under way has taken, s; 0 while there is none."""
        begun = self._begun
        return 0.0 if begun is None else time.monotonic() - begun

    def run(self, what: str, work: Callable[[], T], given_up: Callable[[], None] = lambda: None) -> T:
        """What `work` answers. `what` names the change in the log; `given_up` hears that it took too long, and must
        not wait for anything.

        Raises ChangeTooSlow where another change takes too long or this one does, and whatever `work` raises.
        """
        if not self._turn.acquire(timeout=self.limit_s):
            raise ChangeTooSlow("waiting", self.limit_s)
        try:
            self._begun = time.monotonic()
            return self._run(what, work, given_up)
        finally:
            self._begun = None
            self._turn.release()

    def commit(self) -> None:
        """Called by a change right before what it made comes into force. Raises GivenUp where it may no longer."""
        change: _Change | None = getattr(self._here, "change", None)
        if change is not None:
            change.commit()

    def _run(self, what: str, work: Callable[[], T], given_up: Callable[[], None]) -> T:
        change = _Change(work)

        def running() -> None:
            self._here.change = change
            change.run()
            if isinstance(change.error, GivenUp):
                log.error("a change that was given up has ended and changes nothing: %s", what)

        threading.Thread(target=running, name="tool-change", daemon=True).start()
        if not change.ended.wait(self.limit_s):
            undone = change.give_up()
            if undone or not change.ended.wait(self.limit_s):
                log.error("a change of the tools hangs and is given up after %g s: %s", self.limit_s, what)
                self.given_up += 1
                given_up()
                raise ChangeTooSlow("undone" if undone else "unsettled", self.limit_s)
        if change.error is not None:
            raise change.error
        return change.result  # type: ignore[return-value]  # what `work` answered
