"""The registry: readers see the old set or the new one, writers all or nothing."""

from __future__ import annotations

import threading
from dataclasses import FrozenInstanceError, replace

import pytest

from app.access import Principal
from app.errors import ToolNotFound
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import ToolEntry, ToolSnapshot

from .samples import double, entry, for_staff, named, plain


def names(registry: ToolRegistry) -> tuple[str, ...]:
    return registry.snapshot().names()


def test_a_snapshot_cannot_be_changed_and_knows_its_tools() -> None:
    snapshot = ToolSnapshot(1, (entry(double), entry(for_staff)))
    assert len(snapshot) == 2 and "double" in snapshot and "nothing" not in snapshot
    assert snapshot.entry("double").tool is double
    with pytest.raises(FrozenInstanceError):
        snapshot.version = 2  # type: ignore[misc]
    with pytest.raises(ToolNotFound, match="nothing"):
        snapshot.entry("nothing")
    assert snapshot.restricted({"double", "nothing"}).names() == ("double",)
    assert snapshot.restricted(()).version == 1


def test_two_tools_of_one_name_are_refused_naming_both_owners() -> None:
    with pytest.raises(ValueError, match=r"double \(premium, claims\)"):
        ToolSnapshot(1, (entry(double, "premium"), entry(double, "claims")))


def test_each_role_may_call_its_own_and_the_lower_ones() -> None:
    snapshot = ToolSnapshot(1, (entry(double), entry(for_staff)))
    allowed = {role: snapshot.allowed_for(Principal("x", role)) for role in ("customer", "staff", "operator", "admin")}  # type: ignore[arg-type]
    assert allowed["customer"] == {"double"}
    assert allowed["staff"] == allowed["operator"] == allowed["admin"] == {"double", "for_staff"}


def test_the_model_reads_docstring_purpose_and_when_not_to_use() -> None:
    made = entry(double)
    card = made.card.model_copy(update={"purpose": "배수를 알려준다.", "when_not_to_use": ("세 배 → triple 사용",)})
    described = type(made)(tool=made.tool, card=card, module="m").description
    assert described.splitlines() == [
        "금액을 두 배로 만든다.",
        "배수를 알려준다.",
        "쓰지 말아야 할 때: 세 배 → triple 사용",
    ]


def test_replacing_a_module_swaps_it_in_place_and_counts_up() -> None:
    registry = ToolRegistry([named("aaa", "one"), named("bbb", "two"), named("ccc", "three")])
    before = registry.snapshot()
    after = registry.replace_module("two", [named("new_b", "two"), named("bbb", "two")])
    assert after is registry.snapshot() and after.version == before.version + 1
    assert names(registry) == ("aaa", "new_b", "bbb", "ccc")
    assert before.names() == ("aaa", "bbb", "ccc"), "a turn keeps the set it started with"
    registry.replace_module("four", [named("ddd", "four")])
    assert names(registry)[-1] == "ddd"


def test_a_name_clash_changes_nothing() -> None:
    registry = ToolRegistry([named("aaa", "one"), named("bbb", "two")])
    before = registry.snapshot()
    with pytest.raises(ValueError, match="aaa"):
        registry.replace_module("two", [named("aaa", "two")])
    assert registry.snapshot() is before


def test_a_removed_tool_stays_away_until_its_module_is_reloaded() -> None:
    registry = ToolRegistry([named("aaa", "one"), named("bbb", "one"), named("ccc", "two")])
    registry.remove("aaa")
    registry.replace_module("two", [named("ccc", "two")])
    assert names(registry) == ("bbb", "ccc")
    with pytest.raises(ToolNotFound):
        registry.remove("aaa")
    registry.replace_module("one", [named("aaa", "one"), named("bbb", "one")])
    assert set(names(registry)) == {"aaa", "bbb", "ccc"}


def test_a_function_that_left_its_module_disappears() -> None:
    registry = ToolRegistry([named("aaa", "one"), named("bbb", "one")])
    assert registry.replace_module("one", [named("bbb", "one")]).names() == ("bbb",)
    assert registry.replace_module("one", []).names() == ()


def test_preparation_comes_before_the_swap_and_settling_after_it() -> None:
    seen: list[tuple[str, tuple[str, ...], tuple[str, ...]]] = []

    def note(step: str) -> None:
        seen.append((step, registry.snapshot().names(), ()))

    registry = ToolRegistry([named("aaa", "one")], lambda *_: note("prepare"), lambda *_: note("settle"))
    registry.replace_module("one", [named("bbb", "one")])
    assert [(step, now) for step, now, _ in seen] == [("prepare", ("aaa",)), ("settle", ("bbb",))]


def test_a_failed_preparation_keeps_the_old_set_and_the_next_write_works() -> None:
    broken = [True]

    def prepare(old: ToolSnapshot, new: ToolSnapshot) -> None:
        if broken[0]:
            raise RuntimeError("index is down")

    registry = ToolRegistry([named("aaa", "one")], prepare)
    before = registry.snapshot()
    for write in (lambda: registry.replace_module("one", [named("bbb", "one")]), lambda: registry.remove("aaa")):
        with pytest.raises(RuntimeError, match="index is down"):
            write()
        assert registry.snapshot() is before
    broken[0] = False
    assert registry.remove("aaa").names() == ()


def generation() -> list[ToolEntry]:
    """Two tools that share one card object, so that a mixed pair shows."""
    left = named("left", "m0")
    return [left, replace(named("right", "m0"), card=left.card)]


def test_readers_never_see_half_a_set_while_many_write() -> None:
    registry = ToolRegistry([*generation(), entry(plain, "keep")])
    # Made beforehand: LangChain's tool factory is not for many threads at once, and a reload runs it under its lock.
    waiting = [[generation() for _ in range(100)] for _ in range(3)]
    stop = threading.Event()
    faults: list[int] = []
    versions: list[int] = []

    def read() -> None:
        last = 0
        while not stop.is_set():
            snapshot = registry.snapshot()
            tools = {name: snapshot.entry(name) for name in snapshot.names()}
            if set(tools) != {"left", "right", "plain"} or tools["left"].card is not tools["right"].card:
                faults.append(snapshot.version)
            if snapshot.version < last:
                faults.append(snapshot.version)
            last = snapshot.version

    def write(pairs: list[list[ToolEntry]]) -> None:
        versions.extend(registry.replace_module("m0", pair).version for pair in pairs)

    readers = [threading.Thread(target=read) for _ in range(3)]
    writers = [threading.Thread(target=write, args=(pairs,)) for pairs in waiting]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    stop.set()
    for thread in readers:
        thread.join()
    assert faults == []
    assert sorted(versions) == list(range(2, 302)) and registry.snapshot().version == 301
