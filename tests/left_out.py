"""Tests that this machine cannot run: left out, named and counted at the end; in CI an error instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import pytest

from scripts.setup_system import missing, must_be_whole

# Which of the system's programs a fixture starts; the names are those of scripts/setup_system.py.
NEEDS: Mapping[str, tuple[str, ...]] = {
    "site": ("Chromium", "한글 글꼴"),
    "postgres": ("PostgreSQL",),
    "redis": ("Redis",),
    "cluster": ("PostgreSQL", "Redis", "nginx"),
}
SERVERS = "servers"
"""The value of a fixture's parameter that stands for real servers: Postgres and Chroma, which is a Python package."""
_SENT = "left_out"


def needs_of(item: pytest.Item) -> set[str]:
    """The programs of the system that a test needs."""
    names = set(getattr(item, "fixturenames", ()))
    call = getattr(item, "callspec", None)
    if call is not None and SERVERS in call.params.values():
        names.add("postgres")
    return {part for name in names for part in NEEDS.get(name, ())}


class LeftOut:
    """The plugin (tests/conftest.py registers it)."""

    def __init__(self) -> None:
        self._tests: list[tuple[str, str]] = []

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        """Take away the tests whose programs are missing. Raises UsageError in CI."""
        lacking = {part.name for part in missing()}
        gone = {item: parts for item in items if (parts := needs_of(item) & lacking)} if lacking else {}
        if not gone:
            return
        if must_be_whole():
            raise pytest.UsageError(f"CI에 없는 프로그램: {', '.join(sorted(lacking))}. 못 돌리는 시험 {len(gone)}개.")
        self._tests = [(item.location[0], ", ".join(sorted(parts))) for item, parts in gone.items()]
        config.hook.pytest_deselected(items=list(gone))
        items[:] = [item for item in items if item not in gone]

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """A test process tells the one that writes the summary; all of them collect the same tests."""
        output = getattr(session.config, "workeroutput", None)
        if output is not None:
            output[_SENT] = self._tests

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """pytest-xdist: a test process has ended."""
        sent = getattr(node, "workeroutput", {}).get(_SENT)
        if sent is not None:
            self._tests = [(file, parts) for file, parts in sent]

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Each file with what it lacks and how many of its tests did not run."""
        if not self._tests:
            return
        terminalreporter.section(f"이 컴퓨터에서 돌리지 못한 시험 {len(self._tests)}개", yellow=True)
        for (file, parts), number in sorted(Counter(self._tests).items()):
            terminalreporter.line(f"{file}: {number}개 ({parts} 없음)")
        terminalreporter.line("모두 돌리는 법: python -m scripts.setup_system")
