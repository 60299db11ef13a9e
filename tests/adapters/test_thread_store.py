"""The thread store against a model: whatever two owners do in turn, neither touches what is the other's."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from app.adapters.database import open_database
from app.adapters.thread_store import ThreadStore, Turn
from app.errors import NotFound

OWNERS = st.sampled_from(["key:1", "visitor:2"])
THREADS = st.sampled_from(["user-123", "default", "a"])
Result = TypeVar("Result")


class Conversations(RuleBasedStateMachine):
    """`model` is what each owner should see: thread id → run ids in order. `hidden` runs were asked again."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.new_event_loop()
        self._folder = tempfile.TemporaryDirectory()
        url = f"sqlite+aiosqlite:///{Path(self._folder.name) / 'c.db'}"
        self._database = self._do(open_database(url))
        self._store = ThreadStore(self._database)
        self.model: dict[str, dict[str, list[str]]] = {"key:1": {}, "visitor:2": {}}
        self.hidden: set[str] = set()
        self._count = 0

    def teardown(self) -> None:
        self._do(self._database.close())
        self._loop.close()
        self._folder.cleanup()

    def _do(self, work: Coroutine[Any, Any, Result]) -> Result:
        return self._loop.run_until_complete(work)

    def _fails(self, work: Coroutine[Any, Any, Any]) -> bool:
        try:
            self._do(work)
        except NotFound:
            return True
        return False

    @rule(owner=OWNERS, thread=THREADS)
    def ask(self, owner: str, thread: str) -> None:
        self._count += 1
        run = f"run{self._count}"
        self._do(self._store.record(Turn(run, owner, thread, f"질문 {self._count}", {"answer": run})))
        self.model[owner].setdefault(thread, []).append(run)

    @rule(owner=OWNERS, thread=THREADS)
    def delete(self, owner: str, thread: str) -> None:
        known = self.model[owner].pop(thread, None)
        assert self._fails(self._store.delete(owner, thread)) == (known is None)

    @rule(owner=OWNERS, thread=THREADS)
    def rename(self, owner: str, thread: str) -> None:
        missing = thread not in self.model[owner]
        assert self._fails(self._store.rename(owner, thread, f"{owner}의 제목")) == missing

    @rule(owner=OWNERS, number=st.integers(1, 12))
    def rate(self, owner: str, number: int) -> None:
        run = f"run{number}"
        own = any(run in runs for runs in self.model[owner].values())
        assert self._fails(self._store.save_feedback(owner, run, "up", "", owner)) != own

    @rule(owner=OWNERS, number=st.integers(1, 12))
    def ask_again(self, owner: str, number: int) -> None:
        run = f"run{number}"
        self._do(self._store.mark_replaced(owner, run))
        if any(run in runs for runs in self.model[owner].values()):
            self.hidden.add(run)

    @rule(owner=OWNERS)
    def forget(self, owner: str) -> None:
        assert self._do(self._store.forget_owner(owner)) == len(self.model[owner])
        self.model[owner].clear()

    @invariant()
    def everybody_sees_their_own(self) -> None:
        for owner, threads in self.model.items():
            listed = self._do(self._store.list(owner, limit=100))
            assert {thread.thread_id for thread in listed} == set(threads)
            for thread_id, runs in threads.items():
                header, turns = self._do(self._store.thread(owner, thread_id))
                assert [turn.run_id for turn in turns] == [run for run in runs if run not in self.hidden]
                assert {turn.owner for turn in turns} <= {owner}
                assert header.title.startswith(("질문", f"{owner}의"))
        mine = {run: owner for owner, threads in self.model.items() for runs in threads.values() for run in runs}
        for opinion in self._do(self._store.feedback(limit=100)):
            assert mine[opinion["run_id"]] == opinion["comment"]


Conversations.TestCase.settings = settings(
    max_examples=15, stateful_step_count=20, deadline=None, database=None, suppress_health_check=list(HealthCheck)
)
TestConversations = Conversations.TestCase
