"""Loads one worker over HTTP: turns per second and how long they take, at 1 to 200 people at once.

    python -m scripts.bench_load                         (the embedded planner; 1 to 200 people, 10 s each)
    python -m scripts.bench_load --model-s 0 --model-s 1 (a provider's model that answers at once, or after a second)
    python -m scripts.bench_load --threads 2000          (memory and disk for that many threads)
    python -m scripts.bench_load --soak 3600             (an hour of 10 people; fails where memory grows)
    python -m scripts.bench_load --url http://…          (a service that runs already, nginx and workers say)

The worker is started as `python run.py` in a state folder of its own; the people are in this process, so they take a
part of the machine. `--write` puts the table into docs/benchmarks.md between its marks.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import re
import secrets
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.request import urlopen

import httpx2

from app.settings import ROOT
from scripts.bench_turn import QUESTIONS
from scripts.benchmark_notes import measured_on, write_section

PEOPLE = (1, 5, 20, 50, 100, 200)
WARM_TURNS = 20
LIMITS = ("RATE_LIMIT_PER_MINUTE", "RATE_LIMIT_TURNS_PER_MINUTE", "RATE_LIMIT_ADDRESS_PER_MINUTE", "MAX_STREAMS")
UNLIMITED = dict.fromkeys(LIMITS, "1000000")
MOST_GROWTH = 0.05


@dataclass
class Measured:
    """What some people at once saw."""

    people: int
    seconds: float = 0.0
    took_ms: list[float] = field(default_factory=list)
    statuses: Counter[str] = field(default_factory=Counter)
    worker_cpu_s: float = 0.0

    def row(self) -> str:
        """A line of the table."""
        told = self.figures()
        times = " / ".join(f"{told[name]:.0f}" for name in ("p50_ms", "p95_ms", "p99_ms"))
        return f"| {self.people} | {told['rate']:.1f} | {times} | {told['failed']:.0f} | {told['cpu_ms']:.1f} |"

    def figures(self) -> dict[str, float]:
        """Turns a second, what a turn took (ms), those that were not 200, and processor time a turn (ms)."""
        ordered = sorted(self.took_ms) or [0.0]
        p50, p95, p99 = (ordered[min(int(len(ordered) * q), len(ordered) - 1)] for q in (0.5, 0.95, 0.99))
        return {
            "rate": len(self.took_ms) / self.seconds,
            "p50_ms": p50,
            "p95_ms": p95,
            "p99_ms": p99,
            "failed": sum(count for status, count in self.statuses.items() if status != "200"),
            "cpu_ms": self.worker_cpu_s / max(len(self.took_ms), 1) * 1000,
        }


class Worker:
    """A worker of its own, several behind one address, or one that runs already (no process is known then)."""

    def __init__(self, url: str, *pids: int) -> None:
        self.url, self.pids = url, pids

    def processes(self) -> list[int]:
        """The workers with the processes that they started, and those that these started."""
        told = {int(path.name): _stat(int(path.name)) for path in Path("/proc").glob("[0-9]*")}
        parents = {pid: int(fields[1]) for pid, fields in told.items() if fields}
        found = list(self.pids)
        for known in found:  # it grows while it is walked
            found += [pid for pid, parent in parents.items() if parent == known]
        return found

    def cpu_s(self) -> float:
        """Processor time so far, s."""
        told = filter(None, map(_stat, self.processes()))
        return sum(int(fields[11]) + int(fields[12]) for fields in told) / os.sysconf("SC_CLK_TCK")

    def memory_mb(self) -> float:
        """Memory, MB; what several of its processes share counts once. Pages of files, which other programs share, too,
        count as its largest process holds them: their part of it would come and go with those programs."""
        told = [Path(f"/proc/{pid}/smaps_rollup").read_text() for pid in self.processes()]
        own = sum(_kb(text, "Pss_Anon") + _kb(text, "Pss_Shmem") for text in told)
        files = max(_kb(text, "Rss") - _kb(text, "Anonymous") for text in told)
        return (own + files) / 1024


def _kb(rollup: str, name: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", rollup, re.MULTILINE)
    return int(found[1]) if found else 0


def _stat(pid: int) -> list[str]:
    """The fields of a process behind its name, its parent second; none where it is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return []


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def own_worker(folder: Path, env: dict[str, str]) -> Iterator[Worker]:
    """Start one and wait until it is ready."""
    port = free_port()
    settings = {**os.environ, **UNLIMITED, "PORT": str(port), "DATA_DIR": str(folder), "HF_HUB_OFFLINE": "1", **env}
    with (folder.parent / "worker.log").open("ab") as log:
        process = subprocess.Popen([sys.executable, "run.py"], cwd=ROOT, env=settings, stdout=log, stderr=log)
    try:
        url = f"http://127.0.0.1:{port}"
        deadline = time.monotonic() + 240
        while True:
            try:
                with urlopen(f"{url}/api/health/ready", timeout=2):
                    break
            except OSError:
                if process.poll() is not None or time.monotonic() > deadline:
                    raise SystemExit(f"the worker did not start: {folder.parent / 'worker.log'}") from None
                time.sleep(0.2)
        yield Worker(url, process.pid)
    finally:
        process.terminate()
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


async def load(worker: Worker, people: int, seconds: float, headers: Mapping[str, str] | None = None) -> Measured:
    """`people` ask one question after the other for `seconds`; each has threads of five turns."""
    measured = Measured(people)
    limits = httpx2.Limits(max_connections=people, max_keepalive_connections=people)
    async with httpx2.AsyncClient(base_url=worker.url, headers=headers, timeout=120, limits=limits) as client:
        for number in range(WARM_TURNS):
            await client.post("/api/chat", json={"query": QUESTIONS[number % len(QUESTIONS)]})
        started, cpu = time.monotonic(), worker.cpu_s()

        async def person(number: int) -> None:
            turn = 0
            while time.monotonic() - started < seconds:
                question = QUESTIONS[(number * 3 + turn) % len(QUESTIONS)]
                body = {"query": question, "thread_id": f"load-{people}-{number}-{turn // 5}"}
                begun = time.monotonic()
                answer = await client.post("/api/chat", json=body)
                measured.took_ms.append((time.monotonic() - begun) * 1000)
                measured.statuses[str(answer.status_code)] += 1
                turn += 1

        await asyncio.gather(*(person(number) for number in range(people)))
        measured.seconds, measured.worker_cpu_s = time.monotonic() - started, worker.cpu_s() - cpu
    return measured


async def fill(worker: Worker, folder: Path, threads: int, warm: int = 200) -> list[str]:
    """One turn in each of `threads` threads, after `warm` others: what they cost in memory and on the disk."""
    async with httpx2.AsyncClient(base_url=worker.url, timeout=120) as client:
        for number in range(warm):
            await client.post("/api/chat", json={"query": QUESTIONS[number % len(QUESTIONS)]})
        memory, disk = worker.memory_mb(), disk_mb(folder)
        gate = asyncio.Semaphore(8)

        async def one(number: int) -> None:
            async with gate:
                body = {"query": QUESTIONS[number % len(QUESTIONS)], "thread_id": f"fill-{secrets.token_hex(6)}"}
                await client.post("/api/chat", json=body)

        await asyncio.gather(*(one(number) for number in range(threads)))
        grown, written = worker.memory_mb() - memory, disk_mb(folder) - disk
    factor = 10_000 / threads
    return [
        f"| worker's memory for 10,000 more threads | {grown * factor:.0f} MB ({threads} measured: {grown:.0f} MB) |",
        f"| disk for 10,000 threads of one turn | {written * factor:.0f} MB ({threads} measured: {written:.1f} MB) |",
    ]


async def soak(worker: Worker, seconds: float, people: int = 10) -> int:
    """0 when no turn failed and memory stayed flat: the last quarter no more than 5 % above the second one."""
    samples: list[float] = []

    async def watch() -> None:
        while True:
            samples.append(worker.memory_mb())
            await asyncio.sleep(max(seconds / 200, 0.5))

    watching = asyncio.create_task(watch())
    measured = await load(worker, people, seconds)
    watching.cancel()
    await asyncio.gather(watching, return_exceptions=True)
    quarter = max(len(samples) // 4, 1)
    early, late = statistics.median(samples[quarter : 2 * quarter]), statistics.median(samples[-quarter:])
    failed = {status: count for status, count in measured.statuses.items() if status != "200"}
    print(
        f"{len(measured.took_ms)} turns in {measured.seconds:.0f} s, "
        f"memory {early:.0f} → {late:.0f} MB, failed: {failed}"
    )
    return 0 if late <= early * (1 + MOST_GROWTH) and not failed else 1


@contextmanager
def model_server(wait_s: float) -> Iterator[str]:
    """An OpenAI-compatible model on loopback that says one sentence after `wait_s` seconds."""

    class Model(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            time.sleep(wait_s)
            words = {"role": "assistant", "content": "안녕하세요. 무엇을 도와드릴까요?"}
            usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
            whole = {"id": "1", "created": 1, "model": "instant", "usage": usage}
            if asked.get("stream"):
                chunk = {**whole, "object": "chat.completion.chunk"}
                parts = [
                    {**chunk, "choices": [{"index": 0, "delta": words}], "usage": None},
                    {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
                ]
                body = "".join(f"data: {json.dumps(part)}\n\n" for part in parts).encode() + b"data: [DONE]\n\n"
                kind = "text/event-stream"
            else:
                choices = [{"index": 0, "message": words, "finish_reason": "stop"}]
                body = json.dumps({**whole, "object": "chat.completion", "choices": choices}).encode()
                kind = "application/json"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()


def table(title: str, rows: list[Measured]) -> list[str]:
    """One engine's table."""
    return [
        f"**{title}**",
        "",
        "| people at once | turns/s | p50 / p95 / p99, ms | not 200 | worker's processor time a turn, ms |",
        "|---|---|---|---|---|",
        *(row.row() for row in rows),
        "",
    ]


def disk_mb(folder: Path) -> float:
    """The databases of a state folder with their logs, MB."""
    return sum(path.stat().st_size for path in folder.glob("*.db*")) / 2**20


def _head(options: argparse.Namespace) -> str:
    return (
        f"{measured_on()}, load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores: "
        f"`python -m scripts.bench_load --seconds {options.seconds:g}`"
    )


def measured_lines(options: argparse.Namespace, folder: Path) -> list[str]:
    """Every table that was asked for."""
    people = [int(part) for part in options.people.split(",")]
    lines: list[str] = []
    if options.url:
        worker = Worker(options.url.rstrip("/"))
        return table(options.url, [asyncio.run(load(worker, number, options.seconds)) for number in people])
    if not options.model_s:
        with own_worker(folder, {}) as worker:
            lines += table("Embedded planner", [asyncio.run(load(worker, n, options.seconds)) for n in people])
            if options.threads:
                lines += ["| what | measured |", "|---|---|", *asyncio.run(fill(worker, folder, options.threads)), ""]
    for wait_s in options.model_s:
        with (
            model_server(wait_s) as url,
            own_worker(folder, {"ENGINE": "model", "LLM_BASE_URL": url, "OPENROUTER_API_KEY": "sk-bench"}) as worker,
        ):
            title = "A model that answers at once" if not wait_s else f"A model that answers after {wait_s:g} s"
            lines += table(title, [asyncio.run(load(worker, n, options.seconds)) for n in people])
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--people", default=",".join(map(str, PEOPLE)))
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--model-s", type=float, action="append", default=[])
    parser.add_argument("--threads", type=int, default=0)
    parser.add_argument("--soak", type=float, default=0)
    parser.add_argument("--url", default="")
    parser.add_argument(
        "--state", type=Path, help="a state folder whose indexes are copied, so that the start is quick"
    )
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-load-") as made:
        folder = Path(made) / "var"
        if options.state:
            ignored = shutil.ignore_patterns("customer.db*", "checkpoints.db*", "*.lock")
            shutil.copytree(options.state, folder, ignore=ignored)
        folder.mkdir(exist_ok=True)
        if options.soak:
            with own_worker(folder, {}) as worker:
                return asyncio.run(soak(worker, options.soak))
        text = "\n".join([_head(options), "", *measured_lines(options, folder)]).strip()
    print(text)
    if options.write:
        write_section("bench_load", "Load", text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
