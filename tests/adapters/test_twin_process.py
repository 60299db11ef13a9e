"""The twin process: answers from a copy of this process, and what happens when there is none."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from app.adapters.fork_server import ForkServer
from app.adapters.twin_process import TwinAway, TwinProcess, serving
from app.settings import ROOT


class Working:
    """What the copy does in these tests."""

    def __init__(self) -> None:
        self._learned: list[Any] = []

    def learn(self, news: Any) -> None:
        if news == "hang":
            time.sleep(60)
        self._learned.append(news)

    def __call__(self, request: tuple[str, Any]) -> Any:
        kind, given = request
        match kind:
            case "pid":
                return os.getpid()
            case "sleep":
                time.sleep(given)
            case "die":
                os._exit(3)
            case "fail":
                raise ValueError(given)
            case "files":
                held = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd") if int(fd) > 2]
                return [os.readlink(path) for path in held if os.path.islink(path)]
            case "learned":
                return self._learned
        return given


@asynccontextmanager
async def opened(
    version: Callable[[], int] = lambda: 1, news: Callable[[], Any] = lambda: None, **options: Any
) -> AsyncIterator[TwinProcess]:
    """A twin that is ready. The process of the tests has threads, all of them idle."""
    server = ForkServer(serving(Working()))
    twin = TwinProcess(server, version, lambda: (version(), news()), **options)
    twin.start()
    await back(twin, version())
    try:
        yield twin
    finally:
        twin.close()
        server.close()
        assert gone(server.pid)


async def back(twin: TwinProcess, version: int = 1) -> int:
    """The process that answers, as soon as one does."""
    for _ in range(200):
        try:
            return int(await twin.ask(version, ("pid", None)))
        except TwinAway:
            await asyncio.sleep(0.02)
    raise AssertionError("no new copy came")


def parent(pid: int) -> int:
    return int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])


def threads(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/task").iterdir()))


async def ended(pid: int) -> None:
    """Waits for the process to end, which the fork server sees to."""
    for _ in range(250):
        if gone(pid):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"{pid} goes on")


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
    await ended(first)


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
        await ended(before)
        assert await back(twin) != before


async def test_a_changed_tool_set_is_learned_by_the_same_copy() -> None:
    version = 1
    async with opened(lambda: version, lambda: f"news of {version}") as twin:
        before = await twin.ask(1, ("pid", None))
        version = 2
        with pytest.raises(TwinAway):
            await twin.ask(2, ("pid", None))
        # A turn that began before the change is still served while nothing new was learned.
        assert await twin.ask(1, ("pid", None)) == before
        assert await back(twin, 2) == before
        assert await twin.ask(2, ("learned", None)) == ["news of 1", "news of 2"]
        with pytest.raises(TwinAway):
            await twin.ask(1, ("pid", None))


async def test_news_larger_than_the_line_takes_do_not_block() -> None:
    version = 1
    async with opened(lambda: version, lambda: "가" * 2_000_000 if version == 2 else "") as twin:
        asyncio.get_running_loop().slow_callback_duration = 0.5
        version = 2
        busy = asyncio.ensure_future(twin.ask(1, ("sleep", 0.7)))
        begun, longest = time.monotonic(), 0.0
        while True:
            before = time.monotonic()
            try:
                await twin.ask(2, ("pid", None))
                break
            except TwinAway:
                await asyncio.sleep(0.01)
            longest = max(longest, time.monotonic() - before)
            assert time.monotonic() - begun < 10
        assert longest < 0.5
        assert await busy == 0.7


async def test_a_copy_that_cannot_learn_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("app.adapters.twin_process._LEARNING_S", 0.3)
    version = 1
    async with opened(lambda: version, lambda: "hang" if version == 2 else "", pause_s=0.05) as twin:
        before = await twin.ask(1, ("pid", None))
        version = 2
        with pytest.raises(TwinAway):
            await twin.ask(2, ("pid", None))
        await asyncio.sleep(1.2)  # it is told, hangs and is given up
        version = 3
        assert await back(twin, 3) != before


async def test_every_copy_is_made_by_a_process_without_threads() -> None:
    async with opened(pause_s=0.05) as twin:
        copy = await twin.ask(1, ("pid", None))
        server = parent(copy)
        assert server != os.getpid()
        assert threads(copy) == threads(server) == 1


async def test_without_the_fork_server_the_work_is_done_here() -> None:
    async with opened(pause_s=0.02) as twin:
        copy = await twin.ask(1, ("pid", None))
        os.kill(twin._server.pid, signal.SIGKILL)
        os.kill(copy, signal.SIGKILL)
        await asyncio.sleep(0.2)
        with pytest.raises(TwinAway):
            await twin.ask(1, ("pid", None))


async def test_the_copy_holds_no_file_of_ours(tmp_path: Path) -> None:
    with (tmp_path / "customer.db").open("w"):
        async with opened() as twin:
            files = await twin.ask(1, ("files", None))
    assert not [name for name in files if not name.startswith(("socket:", "/proc/"))]
    assert len([name for name in files if name.startswith("socket:")]) == 1


async def test_it_is_counted_where_the_work_is_done() -> None:
    counted: list[str] = []
    async with opened(count=counted.append) as twin:
        counted.clear()
        await twin.ask(1, ("pid", None))
        with pytest.raises(TwinAway):
            await twin.ask(1, ("fail", ""))
    assert counted == ["twin", "here"]


async def test_it_is_not_asked_where_there_is_nothing_else_to_do() -> None:
    counted: list[str] = []
    others = True
    async with opened(count=counted.append, needed=lambda: others) as twin:
        others = False
        counted.clear()
        with pytest.raises(TwinAway):
            await twin.ask(1, ("pid", None))
    assert counted == []


def test_the_copy_ends_with_a_process_that_is_killed() -> None:
    script = (
        "import asyncio, os\n"
        "from app.adapters.fork_server import ForkServer\n"
        "from app.adapters.twin_process import TwinAway, TwinProcess, serving\n"
        "class Work:\n"
        "    def __call__(self, request): return os.getpid()\n"
        "    def learn(self, news): pass\n"
        "async def main(server):\n"
        "    twin = TwinProcess(server, lambda: 1, lambda: (1, None))\n"
        "    twin.start()\n"
        "    while True:\n"
        "        try:\n"
        "            print(await twin.ask(1, None), server.pid, flush=True)\n"
        "            break\n"
        "        except TwinAway:\n"
        "            await asyncio.sleep(0.02)\n"
        "    await asyncio.sleep(60)\n"
        "assert ForkServer.possible() or len(os.sched_getaffinity(0)) == 1\n"
        "asyncio.run(main(ForkServer(serving(Work()))))\n"
    )
    with subprocess.Popen([sys.executable, "-c", script], cwd=ROOT, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        copies = [int(pid) for pid in process.stdout.readline().split()]
        assert not any(map(gone, copies))
        process.kill()
        process.wait()
    deadline = time.monotonic() + 5
    while not all(map(gone, copies)):
        assert time.monotonic() < deadline, "the copy outlived its parent"
        time.sleep(0.02)
