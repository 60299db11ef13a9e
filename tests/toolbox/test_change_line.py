"""Changes of the tool set have a time limit, whatever hangs inside them."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.errors import ChangeTooSlow
from app.settings import ROOT
from app.toolbox.change_line import ChangeLine
from app.toolbox.registry import ToolRegistry
from app.toolbox.snapshot import ToolSnapshot
from tests.toolbox.samples import named

LIMIT_S = 0.2


class Hanging:
    """Something inside a change that hangs at a place until it is let go."""

    def __init__(self) -> None:
        self.at: str | None = None
        self.let_go = threading.Event()

    def step(self, place: str) -> Callable[[ToolSnapshot, ToolSnapshot], None]:
        def work(old: ToolSnapshot, new: ToolSnapshot) -> None:
            if self.at == place:
                self.let_go.wait(30)

        return work


@pytest.fixture
def hanging() -> Iterator[Hanging]:
    held = Hanging()
    yield held
    held.let_go.set()


@pytest.fixture
def registry(hanging: Hanging) -> ToolRegistry:
    line = ChangeLine(LIMIT_S)
    return ToolRegistry([named("aaa", "one")], hanging.step("prepare"), hanging.step("settle"), line)


def added(registry: ToolRegistry, name: str) -> ToolSnapshot:
    return registry.line.run("add", lambda: registry.replace_module("two", [named(name, "two")]))


def test_a_change_that_hangs_before_the_swap_changes_nothing_then_or_later(
    registry: ToolRegistry, hanging: Hanging
) -> None:
    hanging.at = "prepare"
    begun = time.monotonic()
    with pytest.raises(ChangeTooSlow) as told:
        added(registry, "late")
    assert time.monotonic() - begun < 5 * LIMIT_S
    assert told.value.stage == "undone"
    assert "이전 도구를 그대로" in str(told.value)
    hanging.let_go.set()
    for thread in threading.enumerate():
        if thread.name == "tool-change":
            thread.join(5)
    assert registry.snapshot().names() == ("aaa",)
    assert registry.line.given_up == 1


def test_the_next_change_works_while_the_old_one_still_hangs(registry: ToolRegistry, hanging: Hanging) -> None:
    hanging.at = "prepare"
    with pytest.raises(ChangeTooSlow):
        added(registry, "late")
    hanging.at = None
    assert added(registry, "next").names() == ("aaa", "next")
    hanging.let_go.set()
    time.sleep(0.05)
    assert registry.snapshot().names() == ("aaa", "next")


def test_one_that_hangs_behind_the_swap_is_told_as_in_force(registry: ToolRegistry, hanging: Hanging) -> None:
    hanging.at = "settle"
    with pytest.raises(ChangeTooSlow) as told:
        added(registry, "bbb")
    assert told.value.stage == "unsettled"
    assert registry.snapshot().names() == ("aaa", "bbb")
    hanging.at = None
    assert added(registry, "ccc").names() == ("aaa", "ccc")


def test_who_waits_too_long_for_another_change_is_told(registry: ToolRegistry) -> None:
    held, let_go = threading.Event(), threading.Event()

    def slow() -> None:
        held.set()
        let_go.wait(LIMIT_S * 0.9)

    with ThreadPoolExecutor(1) as aside:
        first = aside.submit(registry.line.run, "slow", slow)
        held.wait(5)
        assert registry.line.running_s > 0
        assert added(registry, "bbb").names() == ("aaa", "bbb")  # it waited for its turn
        first.result()
    assert registry.line.running_s == 0


def test_a_fault_inside_is_the_callers(registry: ToolRegistry) -> None:
    with pytest.raises(ValueError, match="겹칩니다"):
        registry.line.run("clash", lambda: registry.replace_all([named("aaa", "one"), named("aaa", "two")]))
    assert added(registry, "bbb").names() == ("aaa", "bbb")


def test_writers_without_the_line_do_not_lose_each_others_changes(registry: ToolRegistry) -> None:
    names = [f"tool{number}" for number in range(20)]
    with ThreadPoolExecutor(8) as several:
        list(several.map(lambda name: registry.replace_module(name, [named(name, name)]), names))
    assert set(registry.snapshot().names()) == {"aaa", *names}
    assert registry.snapshot().version == 1 + len(names)


def test_a_change_that_hangs_does_not_keep_the_process_from_ending() -> None:
    script = (
        "import time\n"
        "from app.errors import ChangeTooSlow\n"
        "from app.toolbox.change_line import ChangeLine\n"
        "try:\n"
        "    ChangeLine(0.1).run('hang', lambda: time.sleep(60))\n"
        "except ChangeTooSlow:\n"
        "    print('told')\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, timeout=30)
    assert done.stdout.strip() == "told"
