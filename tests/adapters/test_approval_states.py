"""Approvals in any order of asking, deciding, using, expiring and taking back: each is decided once and used once."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Coroutine
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import update

from app.access import Principal
from app.adapters.approval_store import GRANTED, ApprovalStore
from app.adapters.database import open_database
from app.adapters.tables import approvals
from app.errors import Conflict, NotFound

OWNERS = st.sampled_from([Principal("key:1", "customer", "C0001"), Principal("visitor:2", "customer")])
THREADS = st.sampled_from(["talk", "other", None])
ARGS = st.sampled_from([{"contract_id": "A", "submit": True}, {"submit": True, "contract_id": "B"}])
DECISIONS = st.sampled_from(["approved", "edited", "rejected"])
NUMBERS = st.integers(0, 9)
Result = TypeVar("Result")


class Approvals(RuleBasedStateMachine):
    """`model` holds what each request should have come to, in the order of asking."""

    def __init__(self) -> None:
        super().__init__()
        self._loop = asyncio.new_event_loop()
        self._folder = tempfile.TemporaryDirectory()
        self._database = self._do(open_database(f"sqlite+aiosqlite:///{Path(self._folder.name) / 'a.db'}"))
        self._store = ApprovalStore(self._database, ttl_s=600)
        self.ids: list[str] = []
        self.model: dict[str, dict[str, Any]] = {}

    def teardown(self) -> None:
        self._do(self._database.close())
        self._loop.close()
        self._folder.cleanup()

    def _do(self, work: Coroutine[Any, Any, Result]) -> Result:
        return self._loop.run_until_complete(work)

    def _id(self, number: int) -> str:
        return self.ids[number] if number < len(self.ids) else "ap_nothing"

    @rule(owner=OWNERS, thread=THREADS, args=ARGS)
    def ask(self, owner: Principal, thread: str | None, args: dict[str, Any]) -> None:
        if len(self.ids) < 10:
            made = self._do(self._store.request(owner, thread, f"run{len(self.ids)}", "contract_manage", args, "해지"))
            self.ids.append(made.approval_id)
            self.model[made.approval_id] = {
                "owner": owner.id, "thread": thread, "args": args, "status": "pending", "used": False
            }  # fmt: skip

    @rule(number=NUMBERS, decision=DECISIONS)
    def decide(self, number: int, decision: Any) -> None:
        known = self.model.get(self._id(number))
        changed = {"contract_id": "C", "submit": True} if decision == "edited" else None
        try:
            self._do(self._store.decide(self._id(number), decision, "op", args=changed))
        except NotFound:
            assert known is None
        except Conflict:
            assert known is not None and known["status"] != "pending"
        else:
            assert known is not None and known["status"] == "pending"
            known |= {"status": decision, "args": changed or known["args"]}

    @rule(number=NUMBERS)
    def use(self, number: int) -> None:
        known = self.model.get(self._id(number))
        may = known is not None and known["status"] in GRANTED and not known["used"]
        assert self._do(self._store.use(self._id(number))) is may
        if known is not None and may:
            known["used"] = True

    @rule(number=NUMBERS)
    def use_at_once_by_many(self, number: int) -> None:
        async def race() -> list[bool]:
            return await asyncio.gather(*(self._store.use(self._id(number)) for _ in range(4)))

        known = self.model.get(self._id(number))
        may = known is not None and known["status"] in GRANTED and not known["used"]
        assert sorted(self._do(race())) == [False, False, False, may]
        if known is not None and may:
            known["used"] = True

    @rule(number=NUMBERS)
    def time_runs_out(self, number: int) -> None:
        async def age() -> None:
            late = datetime.now(UTC) - timedelta(seconds=1)
            changed = update(approvals).where(approvals.c.approval_id == self._id(number))
            await self._database.change(changed.values(expires_at=late))

        self._do(age())
        known = self.model.get(self._id(number))
        if known is not None and known["status"] == "pending":
            known["status"] = "expired"

    @rule(owner=OWNERS, thread=THREADS)
    def take_back(self, owner: Principal, thread: str | None) -> None:
        self._do(self._store.listed(None))
        if thread is not None:
            waiting = [
                known
                for known in self.model.values()
                if (known["owner"], known["thread"], known["status"]) == (owner.id, thread, "pending")
            ]
            assert self._do(self._store.withdraw(owner.id, thread)) == len(waiting)
            for known in waiting:
                known["status"] = "withdrawn"

    @rule(owner=OWNERS, thread=THREADS, args=ARGS, number=NUMBERS)
    def look_for_a_call(self, owner: Principal, thread: str | None, args: dict[str, Any], number: int) -> None:
        found = self._do(self._store.find(owner.id, thread, f"run{number}", "contract_manage", args))
        if found is not None:
            assert (found.owner, found.thread_id, found.args) == (owner.id, thread, args)
        assert self._do(self._store.find(owner.id, thread, f"run{number}", "another_tool", args)) is None

    @invariant()
    def everything_stands_as_it_should(self) -> None:
        kept = {item.approval_id: item for item in self._do(self._store.listed(None))}
        assert {key: (item.status, item.used_at is not None, item.run_args) for key, item in kept.items()} == {
            key: (known["status"], known["used"], known["args"]) for key, known in self.model.items()
        }
        for owner in ("key:1", "visitor:2"):
            assert all(item.owner == owner for item in self._do(self._store.listed(owner)))


@pytest.mark.requirement("approvals:states:decided-and-used-once")
def test_approvals_in_any_order_are_decided_once_and_used_once() -> None:
    steps = settings(
        max_examples=10, stateful_step_count=14, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(Approvals, settings=steps)  # type: ignore[no-untyped-call]
