"""Times reloads of tool modules on the real services: from the call to the swapped and indexed set.

`python -m scripts.bench_reload [--rounds N] [--write]`: reloads every shipped module N times, each time with one card
line that is new (an author's edit), and prints a table; `--write` puts it into docs/benchmarks.md between its marks.

`python -m scripts.bench_reload --storm N`: N reloads of a worker over HTTP while two people ask without pause.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from pathlib import Path

import httpx2

from app.composition import open_services
from app.settings import Settings
from app.toolbox.loader import BUILTIN_MODULES
from app.toolbox.modules import ToolModules
from app.toolbox.snapshot import ToolEntry
from app.toolbox.toolbox import Toolbox
from scripts.bench_load import Worker, own_worker
from scripts.bench_turn import QUESTIONS
from scripts.benchmark_notes import measured_on, write_section

TARGET_MS = 150


class EditedModules(ToolModules):
    """The modules as they are on disk, but the first card of each has a new line at every load."""

    edits = 0

    def load(self, name: str, *, tried: bool = True, kept: bool = True) -> tuple[ToolEntry, ...]:
        """As ToolModules.load."""
        first, *rest = super().load(name, tried=tried, kept=kept)
        self.edits += 1
        line = f"새로 적어 본 문장 {self.edits}번입니다"
        card = first.card.model_copy(update={"when_to_use": (*first.card.when_to_use, line)})
        return (replace(first, card=card), *rest)


def quantiles(values: list[float]) -> str:
    """p50 / p95 / highest in ms."""
    ordered = sorted(values)
    p95 = ordered[min(int(len(ordered) * 0.95), len(ordered) - 1)]
    return f"{statistics.median(ordered):.0f} / {p95:.0f} / {ordered[-1]:.0f}"


@dataclass
class Storm:
    """What reloads beside talks came to: times in ms, and answers that were not 200."""

    reloads_ms: list[float] = field(default_factory=list)
    turns_ms: list[float] = field(default_factory=list)
    failed: Counter[str] = field(default_factory=Counter)

    def told(self) -> str:
        """One line of it."""
        return (
            f"{len(self.reloads_ms)} reloads, p50 / p95 / highest {quantiles(self.reloads_ms)} ms; beside them "
            f"{len(self.turns_ms)} turns, {quantiles(self.turns_ms)} ms; failed: {dict(self.failed)}"
        )


async def storm(worker: Worker, reloads: int, people: int = 2, longest_s: float = 40.0) -> Storm:
    """Reload one module after the other, twice a second at most, while `people` ask without pause.

    A reload that answers nothing for `longest_s` counts as failed, and ends it.
    """
    found, over = Storm(), asyncio.Event()
    async with httpx2.AsyncClient(base_url=worker.url, timeout=longest_s) as client:

        async def timed(path: str, body: dict[str, str] | None, times: list[float]) -> None:
            begun = time.perf_counter()
            try:
                answer = await client.post(path, json=body)
            except httpx2.TimeoutException:
                found.failed[f"{path} hangs"] += 1
                over.set()
                return
            times.append((time.perf_counter() - begun) * 1000)
            if answer.status_code != 200:
                found.failed[f"{path} {answer.status_code}"] += 1

        async def person(number: int) -> None:
            turn = number
            while not over.is_set():
                body = {"query": QUESTIONS[turn % len(QUESTIONS)], "thread_id": f"storm-{number}-{turn // 5}"}
                await timed("/api/chat", body, found.turns_ms)
                turn += 1

        talking = asyncio.gather(*map(person, range(people)))
        for number in range(reloads):
            begun = time.perf_counter()
            module = BUILTIN_MODULES[number % len(BUILTIN_MODULES)]
            await timed(f"/api/tools/reload-module/{module}", None, found.reloads_ms)
            if over.is_set():
                break
            await asyncio.sleep(max(0.5 - (time.perf_counter() - begun), 0.0))
        over.set()
        await talking
    return found


async def measure(rounds: int) -> list[tuple[str, str, str]]:
    """Rows of (what, measured, target)."""
    async with open_services(Settings()) as services:
        same, edited = services.tools.toolbox, EditedModules(services.settings.content_dir)
        changing = Toolbox(services.tools.registry, edited)
        started = time.perf_counter()
        await asyncio.to_thread(same.reload, BUILTIN_MODULES[0])
        cold = time.perf_counter() - started
        kept, changed, removed, cpu = [], [], [], []
        for _ in range(rounds):
            for name in BUILTIN_MODULES:
                for toolbox, times in ((same, kept), (changing, changed)):
                    started, spent = time.perf_counter(), time.process_time()
                    await asyncio.to_thread(toolbox.reload, name)
                    times.append((time.perf_counter() - started) * 1000)
                    cpu.append((time.process_time() - spent) * 1000)
        for name in services.tools.registry.snapshot().names()[: rounds * 2]:
            started = time.perf_counter()
            await asyncio.to_thread(same.remove, name)
            removed.append((time.perf_counter() - started) * 1000)
        edited.close()
    return [
        ("Reload of one module, cards unchanged", quantiles(kept), f"p50 {TARGET_MS}"),
        ("Reload of one module, one new card line", quantiles(changed), f"p50 {TARGET_MS}"),
        ("CPU time of a reload in the service's own process", quantiles(cpu), "—"),
        ("Deletion of one tool", quantiles(removed), "—"),
        ("First reload (starts the process that tries modules out)", f"{cold * 1000:.0f}", "—"),
    ]


def table(rows: list[tuple[str, str, str]], rounds: int) -> str:
    """The block of docs/benchmarks.md."""
    head = (
        f"{measured_on()}, {len(BUILTIN_MODULES)} modules, {rounds} rounds, "
        f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores: "
        f"`python -m scripts.bench_reload --rounds {rounds}`"
    )
    lines = [f"| {what} | {measured} | {target} |" for what, measured, target in rows]
    return "\n".join([head, "", "| what | p50 / p95 / highest, ms | target, ms |", "|---|---|---|", *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--storm", type=int, default=0)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if options.storm:
        with tempfile.TemporaryDirectory(prefix="bench-reload-") as made:
            folder = Path(made) / "var"
            folder.mkdir()
            with own_worker(folder, {}) as worker:
                print(f"{measured_on()}: {asyncio.run(storm(worker, options.storm)).told()}")
        return
    text = table(asyncio.run(measure(options.rounds)), options.rounds)
    print(text)
    if options.write:
        write_section("bench_reload", "Reloading tools", text)


if __name__ == "__main__":
    main()
