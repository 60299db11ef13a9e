"""The registry in any order of loading, replacing, removing and failing: always one whole set, counted up by one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from app.errors import ToolNotFound
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import ToolEntry, ToolSnapshot
from tests.toolbox.samples import named

NAMES = st.sampled_from(["alpha", "beta", "gamma", "delta", "omega"])
MODULES = st.sampled_from(["one", "two", "three"])
SOURCES = st.sampled_from(["mcp:a", "openapi:b"])
SETS = st.lists(NAMES, unique=True, max_size=4)


class Registries(RuleBasedStateMachine):
    """`model` lists (name, module, source) in the order of the set; `held` are snapshots of earlier moments."""

    def __init__(self) -> None:
        super().__init__()
        self.broken = False
        self.registry = ToolRegistry([named("alpha", "one")], prepare=self._prepare)
        self.model = [("alpha", "one", self.registry.snapshot().entry("alpha").source)]
        self.version = 1
        self.held: list[tuple[ToolSnapshot, tuple[str, ...]]] = []

    def _prepare(self, old: ToolSnapshot, new: ToolSnapshot) -> None:
        assert new.version == old.version + 1
        if self.broken:
            raise RuntimeError("the index cannot be built")

    def _change(self, wanted: list[tuple[str, str, str]], entries: list[ToolEntry], by_source: str | None) -> None:
        """Load; what should come of it is in `wanted`."""
        clash = len({name for name, _, _ in wanted}) != len(wanted)
        try:
            if by_source is None:
                self.registry.replace_module(entries[0].module, entries)
            else:
                self.registry.replace_source(by_source, entries)
        except ValueError:
            assert clash
        except RuntimeError:
            assert self.broken and not clash
        else:
            assert not clash and not self.broken
            self.model, self.version = wanted, self.version + 1

    @rule(module=MODULES, found=SETS)
    def load_module(self, module: str, found: list[str]) -> None:
        entries = [named(name, module) for name in found]
        if not entries:
            return
        first = next((place for place, row in enumerate(self.model) if row[1] == module), len(self.model))
        before = [row for row in self.model[:first] if row[1] != module]
        after = [row for row in self.model[first:] if row[1] != module]
        loaded = [(entry.name, entry.module, entry.source) for entry in entries]
        self._change([*before, *loaded, *after], entries, None)

    @rule(source=SOURCES, found=SETS)
    def load_source(self, source: str, found: list[str]) -> None:
        entries = [replace(named(name, source), source=source) for name in found]
        kept = [row for row in self.model if row[2] != source]
        self._change([*kept, *((e.name, e.module, e.source) for e in entries)], entries, source)

    @rule(name=NAMES)
    def remove(self, name: str) -> None:
        known = any(row[0] == name for row in self.model)
        try:
            self.registry.remove(name)
        except ToolNotFound:
            assert not known
        except RuntimeError:
            assert known and self.broken
        else:
            assert known and not self.broken
            self.model = [row for row in self.model if row[0] != name]
            self.version += 1

    @rule(name=NAMES)
    def exchange(self, name: str) -> None:
        row = next((row for row in self.model if row[0] == name), None)
        entry = replace(named(name, row[1] if row else "one"), source=row[2] if row else "builtin")
        try:
            self.registry.replace_entry(entry)
        except ToolNotFound:
            assert row is None
        except RuntimeError:
            assert row is not None and self.broken
        else:
            assert row is not None and self.registry.snapshot().entry(name) is entry
            self.version += 1

    @rule(broken=st.booleans())
    def break_or_mend_the_index(self, broken: bool) -> None:
        self.broken = broken

    @rule()
    def hold(self) -> None:
        snapshot = self.registry.snapshot()
        self.held = [*self.held[-3:], (snapshot, snapshot.names())]

    @invariant()
    def the_set_is_whole(self) -> None:
        snapshot = self.registry.snapshot()
        assert [(e.name, e.module, e.source) for e in snapshot.entries] == self.model
        assert snapshot.version == self.version
        assert all(kept.names() == names for kept, names in self.held)


@pytest.mark.requirement("reload:states:one-whole-set")
def test_the_registry_in_any_order_is_one_whole_set_counted_up_by_one() -> None:
    steps = settings(
        max_examples=25, stateful_step_count=20, deadline=None, database=None, suppress_health_check=list(HealthCheck)
    )
    run_state_machine_as_test(Registries, settings=steps)  # type: ignore[no-untyped-call]
