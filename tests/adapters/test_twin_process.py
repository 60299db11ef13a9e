"""The twin process: answers from a copy of this process, and what happens when there is none."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.adapters.twin_process import TwinAway, TwinProcess
from app.settings import ROOT

LOCK = threading.Lock()


def work(request: tuple[str, Any]) -> Any:
    """What the copy does in these tests."""
    kind, given = request
    if kind == "pid":
        return os.getpid()
    if kind == "sleep":
        time.sleep(given)
        return given
    if kind == "die":
        os._exit(3)
    if kind == "fail":
        raise ValueError(given)
    if kind == "files":
        held = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd") if int(fd) > 2]
        return [os.readlink(path) for path in held if os.path.islink(path)]
    if kind == "lock":
        with LOCK:
            return "taken"
    return given


@asynccontextmanager
async def opened(version: Callable[[], int] = lambda: 1, **options: Any) -> AsyncIterator[TwinProcess]:
    twin = TwinProcess(work, version, **options)
    twin.start()
    try:
        yield twin
    finally:
        twin.close()


async def back(twin: TwinProcess, version: int = 1) -> int:
    """The process that answers, as soon as one does."""
    for _ in range(200):
        try:
            return int(await twin.ask(version, ("pid", None)))
        except TwinAway:
            await asyncio.sleep(0.02)
    raise AssertionError("no new copy came")


def gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except OSError:
        return True
    return state == "Z"


async def test_another_process_answers() -> None:
    async with opened() as twin:
        first, second = await twin.ask(1, ("pid", None)), await twin.ask(1, ("pid", None))
    assert first == second != os.getpid()
    assert gone(first)


async def test_each_caller_gets_its_own_answer() -> None:
    async with opened() as twin:
        asked = [f"질문 {number}" for number in range(20)]
        assert await asyncio.gather(*(twin.ask(1, ("say", text)) for text in asked)) == asked


async def test_a_queue_that_is_too_long_is_refused_at_once() -> None:
    async with opened() as twin:
        answers = await asyncio.gather(*(twin.ask(1, ("sleep", 0.01)) for _ in range(60)), return_exceptions=True)
        refused = [answer for answer in answers if isinstance(answer, TwinAway)]
        assert 0 < len(refused) < 60
        assert await twin.ask(1, ("say", "다음")) == "다음"


async def test_a_request_larger_than_the_line_takes_is_refused() -> None:
    async with opened() as twin:
        with pytest.raises(TwinAway):
            await twin.ask(1, ("say", "가" * 100_000))
        assert await twin.ask(1, ("say", "가" * 10_000)) == "가" * 10_000


async def test_a_fault_there_is_left_to_the_caller() -> None:
    async with opened() as twin:
        with pytest.raises(TwinAway):
            await twin.ask(1, ("fail", "깨진 규칙"))
        assert await twin.ask(1, ("say", "다음")) == "다음"


async def test_a_copy_that_dies_is_replaced(caplog: pytest.LogCaptureFixture) -> None:
    async with opened(pause_s=0.05) as twin:
        before = await twin.ask(1, ("pid", None))
        with caplog.at_level(logging.WARNING):
            waiting = asyncio.gather(
                twin.ask(1, ("die", None)), twin.ask(1, ("say", "뒤에 선")), return_exceptions=True
            )
            assert all(isinstance(answer, TwinAway) for answer in await waiting)
        assert "twin process lost" in caplog.text
        assert await back(twin) not in (before, os.getpid())


async def test_a_killed_copy_is_replaced() -> None:
    async with opened(pause_s=0.05) as twin:
        before = await twin.ask(1, ("pid", None))
        os.kill(before, signal.SIGKILL)
        await asyncio.sleep(0.02)
        assert await back(twin) != before


async def test_a_copy_that_hangs_is_given_up() -> None:
    async with opened(patience_s=0.1, pause_s=0.05) as twin:
        before = await twin.ask(1, ("pid", None))
        begun = time.monotonic()
        with pytest.raises(TwinAway):
            await twin.ask(1, ("sleep", 30))
        assert time.monotonic() - begun < 5
        assert gone(before)
        assert await back(twin) != before


async def test_a_changed_tool_set_gets_a_new_copy() -> None:
    version = 1
    async with opened(lambda: version) as twin:
        before = await twin.ask(1, ("pid", None))
        version = 2
        with pytest.raises(TwinAway):
            await twin.ask(2, ("pid", None))
        # A turn that began before the change is still served by the copy that knows its tools.
        assert await twin.ask(1, ("pid", None)) == before
        assert await back(twin, 2) != before
        with pytest.raises(TwinAway):
            await twin.ask(1, ("pid", None))


async def test_locks_are_free_in_the_copy() -> None:
    async with opened(locks=[LOCK]) as twin:
        assert await twin.ask(1, ("lock", None)) == "taken"
        assert LOCK.acquire(blocking=False)
        LOCK.release()


async def test_a_lock_that_another_thread_holds_puts_the_copy_off() -> None:
    LOCK.acquire()
    try:
        async with opened(locks=[LOCK]) as twin:
            with pytest.raises(TwinAway):
                await twin.ask(1, ("pid", None))
            LOCK.release()
            assert await back(twin) != os.getpid()
            assert await twin.ask(1, ("lock", None)) == "taken"
    finally:
        if LOCK.locked():
            LOCK.release()


async def test_the_copy_holds_no_file_of_ours(tmp_path: Path) -> None:
    with (tmp_path / "customer.db").open("w"):
        async with opened() as twin:
            files = await twin.ask(1, ("files", None))
    assert not [name for name in files if not name.startswith(("socket:", "/proc/"))]
    assert len([name for name in files if name.startswith("socket:")]) == 1


async def test_it_is_counted_where_the_work_is_done() -> None:
    counted: list[str] = []
    async with opened(count=counted.append) as twin:
        await twin.ask(1, ("pid", None))
        with pytest.raises(TwinAway):
            await twin.ask(1, ("fail", ""))
    assert counted == ["twin", "here"]


async def test_it_is_not_asked_where_there_is_nothing_else_to_do() -> None:
    counted: list[str] = []
    async with opened(count=counted.append, needed=lambda: False) as twin:
        with pytest.raises(TwinAway):
            await twin.ask(1, ("pid", None))
    assert counted == []


def test_the_copy_ends_with_a_process_that_is_killed() -> None:
    script = (
        "import asyncio, os\n"
        "from app.adapters.twin_process import TwinProcess\n"
        "async def main():\n"
        "    twin = TwinProcess(lambda request: os.getpid(), lambda: 1)\n"
        "    twin.start()\n"
        "    print(await twin.ask(1, None), flush=True)\n"
        "    await asyncio.sleep(60)\n"
        "asyncio.run(main())\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        copy = int(process.stdout.readline())
        assert not gone(copy)
        process.kill()
        process.wait()
    deadline = time.monotonic() + 5
    while not gone(copy):
        assert time.monotonic() < deadline, "the copy outlived its parent"
        time.sleep(0.02)
