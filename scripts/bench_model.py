"""What the service adds around a chat model: a played endpoint answers at once, or after a second, on a socket.

`python -m scripts.bench_model [--rounds N]`: starts the played endpoint (for the crowd in a process of its own), opens
the services on a temporary folder, and times whole turns. Prints a table.
"""

from __future__ import annotations

import argparse
import asyncio
import socket
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from app.access import Principal
from app.composition import open_services
from app.services import Services
from app.settings import ROOT, Settings
from tests.api.openai_server import calls, openai_server, says

HELLO = "안녕하세요"
PRICED = "뉴스타트암보험 45세 남자 보험료 알려줘"
CALL = ("premium_estimate", {"product_code": "B00115023", "age": 45, "gender": "M"})
TOLD = "뉴스타트암보험의 월 보험료는 20,625원이에요. 더 궁금하신 점이 있으신가요?"


def at(values: Sequence[float], share: float) -> float:
    ordered = sorted(values)
    return ordered[min(int(len(ordered) * share), len(ordered) - 1)]


async def timed(services: Services, question: str, person: str) -> tuple[float, float]:
    """ms to the first token event, and to the end."""
    started, first = time.perf_counter(), 0.0
    async for event in services.talk.runner.stream(question, Principal(person, "staff")):
        if event.type == "token" and not first:
            first = (time.perf_counter() - started) * 1000
        assert event.type != "error", event.data
        if event.type == "done":
            assert event.data["engine_fault"] is None, event.data["engine_fault"]
    return first, (time.perf_counter() - started) * 1000


async def alone(rounds: int, folder: Path) -> list[str]:
    """One turn after another against a model that answers at once, in this process: its own time is in the figures."""
    async with openai_server() as server:
        settings = Settings(_env_file=None, data_dir=folder, engine="model", llm_base_url=server.url)
        async with open_services(settings) as services:
            firsts, wholes = [], []
            for number in range(rounds + 5):
                server.plays(says("무엇을 도와드릴까요? 말씀해 주세요.", step=12))
                first, _ = await timed(services, HELLO, f"a{number}")
                server.plays(calls(CALL, step=200), says(TOLD, step=12))
                _, whole = await timed(services, PRICED, f"b{number}")
                if number >= 5:
                    firsts.append(first)
                    wholes.append(whole)
    rows = (("first token, no tool", firsts, "p50 ≤ 25"), ("turn with one tool call", wholes, "p50 ≤ 40"))
    return [
        f"| {what}, ms p50 / p95 | {statistics.median(took):.1f} / {at(took, 0.95):.1f} | {target} |"
        for what, took, target in rows
    ]


async def crowd(folder: Path) -> list[str]:
    """50 and 100 turns at once against a model that takes a second, in a process of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "tests.api.openai_server", "--port", str(port), "--latency", "1.0"]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    rows = []
    try:
        url = f"http://127.0.0.1:{port}/v1"
        settings = Settings(_env_file=None, data_dir=folder, engine="model", llm_base_url=url)
        async with open_services(settings) as services:
            await asyncio.sleep(1)
            await timed(services, HELLO, "warm")
            for size, target in ((50, "p95 ≤ 2 s"), (100, "no error")):
                took = await asyncio.gather(*(timed(services, HELLO, f"c{size}-{n}") for n in range(size)))
                p95 = at([whole for _, whole in took], 0.95) / 1000
                rows.append(f"| {size} turns at once, model of 1 s, p95 s | {p95:.2f} | {target} |")
    finally:
        process.terminate()
        await process.wait()
    return rows


async def run(rounds: int) -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        return [*await alone(rounds, Path(folder)), *await crowd(Path(folder))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    print("\n".join(["| what | measured | target |", "| --- | --- | --- |", *asyncio.run(run(options.rounds))]))


if __name__ == "__main__":
    main()
