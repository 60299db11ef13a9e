"""Which calls need a person, and what the gate lets through."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import ToolCall
from langchain_core.tools import BaseTool, tool

from app.access import Principal
from app.adapters.approval_store import Approval, ApprovalStore
from app.adapters.database import open_database
from app.adapters.field_cipher import FieldCipher
from app.errors import ToolNotFound
from app.toolbox.approvals import ApprovalAwaited, ApprovalGate, Errand, awaited
from app.toolbox.snapshot import ToolEntry, ToolSnapshot
from app.tools.context import ToolContext
from app.tools.declare import DESTROYS, READS, WRITES, Annotations

from .samples import double, entry, for_staff, plain

STAFF = Principal("tmr-1", "staff")
CONTEXT = ToolContext(
    principal=STAFF, catalogue=None, customers=None, documents=None, phrases=None, masker=None,  # type: ignore[arg-type]
    today=lambda: date(2026, 3, 2), thread_id="t1",
)  # fmt: skip
wiped: list[str] = []


@tool
def wipe(words: str) -> str:
    """모두 지운다."""
    wiped.append(words)
    return f"지움: {words}"


def with_hints(made: BaseTool, hints: Annotations | None, source: str = "builtin") -> ToolEntry:
    return entry(made, annotations=hints, source=source)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[ApprovalStore]:
    database = await open_database(f"sqlite+aiosqlite:///{tmp_path}/a.db", FieldCipher(b"k" * 32))
    yield ApprovalStore(database, 900)
    await database.close()


@pytest.mark.parametrize(
    ("made", "needs"),
    [
        (with_hints(plain, READS), False),
        (with_hints(plain, None), False),
        (with_hints(plain, WRITES), True),
        (with_hints(plain, DESTROYS), True),
        (with_hints(plain, None, "mcp:files"), True),
        (with_hints(plain, Annotations.model_validate({}), "openapi:pets"), True),
        (with_hints(plain, READS, "mcp:files"), False),
        (with_hints(plain, Annotations(read_only=True, destructive=None), "mcp:files"), False),
        (with_hints(plain, Annotations(read_only=False, destructive=False), "openapi:pets"), True),
        (replace(with_hints(plain, DESTROYS), writes_when=("save",)), False),
    ],
)
def test_what_writes_needs_a_person(store: ApprovalStore, made: ToolEntry, needs: bool) -> None:
    assert ApprovalGate(store).needs_approval(made, {"words": "x"}) is needs
    assert ApprovalGate(store, ["plain"]).needs_approval(made, {"words": "x"}) is True


def snapshot(hints: Annotations = DESTROYS) -> ToolSnapshot:
    return ToolSnapshot(1, (entry(double), entry(for_staff), with_hints(wipe, hints)))


def call(name: str, call_id: str = "c1", **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args, id=call_id, type="tool_call")


async def test_nothing_runs_before_the_pause_and_reads_run_beside_it_afterwards(store: ApprovalStore) -> None:
    gate, waited = ApprovalGate(store), list[Approval]()
    calls = [call("double", "a", amount=2), call("wipe", "b", words="하나"), call("wipe", "c", words="둘")]
    wiped.clear()
    with pytest.raises(ApprovalAwaited) as caught:
        await gate(snapshot(), calls, CONTEXT, Errand("r1", "t1", awaited))
    assert len(caught.value.approvals) == 2 and wiped == []
    first, second = caught.value.approvals
    await store.decide(first.approval_id, "approved", "tmr-1")
    await store.decide(second.approval_id, "rejected", "tmr-1")
    runs = await gate(snapshot(), calls, CONTEXT, Errand("r1", "t1", waited.extend))
    assert waited == [] and wiped == ["하나"]
    assert [run.message.tool_call_id for run in runs] == ["a", "b", "c"]
    assert [run.ok for run in runs] == [True, True, False] and "승인하지 않으셔서" in str(runs[2].message.content)
    runs = await gate(snapshot(), calls, CONTEXT, Errand("r1", "t1", waited.extend))
    assert wiped == ["하나"] and not runs[1].ok, "an approval is used once"


async def test_a_call_decided_too_early_is_not_run(store: ApprovalStore) -> None:
    def impatient(approvals: list[Approval]) -> None:
        """Comes back before anybody decided."""

    wiped.clear()
    (run,) = await ApprovalGate(store)(snapshot(), [call("wipe", words="x")], CONTEXT, Errand("r1", "t1", impatient))
    assert not run.ok and wiped == [] and "아직 승인되지 않아" in str(run.message.content)


async def test_refused_calls_ask_nobody(store: ApprovalStore) -> None:
    visitor = replace(CONTEXT, principal=Principal("v", "customer"))
    runs = await ApprovalGate(store, ["for_staff"])(
        snapshot(),
        [call("for_staff", "a"), call("nothing", "b"), call("wipe", "c", wrong="x"), call("wipe", "d", words="x")],
        visitor,
        Errand("r1", "t1", awaited),
        offered=frozenset({"for_staff", "nothing"}),
    )
    assert [run.ok for run in runs] == [False] * 4
    (wrong,) = await ApprovalGate(store)(snapshot(), [call("wipe", wrong="x")], CONTEXT, Errand("r1", "t1", awaited))
    assert "words: 꼭 필요한 값입니다" in str(wrong.message.content)
    assert await store.listed(None) == ()


async def test_an_approved_call_that_broke_off_is_not_run_twice_unless_the_tool_can_take_it(
    store: ApprovalStore,
) -> None:
    gate = ApprovalGate(store)
    made = await store.request(STAFF, None, "r9", "wipe", {"words": "x"}, "지우기")
    await store.decide(made.approval_id, "approved", "tmr-1")
    await store.use(made.approval_id)
    wiped.clear()
    run = await gate.carry_out(snapshot(), await store.get(made.approval_id), CONTEXT)
    assert wiped == [] and not run.ok and "결과를 알 수 없습니다" in str(run.message.content)
    assert (await store.get(made.approval_id)).outcome == {"status": "unknown", "message": run.message.content}


# --- views --------------------------------------------------------------------------------------------------------


def test_each_role_and_channel_has_its_own_tools() -> None:
    only_mcp = replace(entry(plain), channels=frozenset({"mcp"}))
    whole = ToolSnapshot(3, (entry(double), entry(for_staff), only_mcp))
    visitor, staff = Principal("v", "customer"), Principal("s", "staff")
    assert whole.allowed_for(visitor) == {"double"} and whole.allowed_for(staff) == {"double", "for_staff"}
    assert whole.allowed_for(staff, "mcp") == {"double", "for_staff", "plain"}
    view = whole.restricted(whole.allowed_for(visitor))
    assert view.names() == ("double",) and view.version == 3
    with pytest.raises(ToolNotFound):
        view.entry("for_staff")


def test_schemas_are_what_a_model_gets_of_the_allowed_tools_alone() -> None:
    whole = ToolSnapshot(1, (entry(double), entry(for_staff), entry(plain)))
    assert [item["function"]["name"] for item in whole.schemas()] == ["double", "for_staff", "plain"]
    asked = whole.schemas(["plain", "double", "gone", "plain"])
    assert [item["function"]["name"] for item in asked] == ["plain", "double"]
    assert asked[1]["function"]["parameters"]["required"] == ["amount"]
    assert whole.schemas([]) == []


async def test_a_tool_outside_the_view_cannot_be_called(store: ApprovalStore) -> None:
    whole = snapshot()
    for view, calls in ((whole.restricted({"double"}), [call("wipe", words="x")]), (whole, [call("wipe", words="x")])):
        (run,) = await ApprovalGate(store)(
            view, calls, CONTEXT, Errand("r1", "t1", awaited), offered=frozenset({"double"})
        )
        assert not run.ok
