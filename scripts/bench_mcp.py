"""Many MCP sessions at once against a server of its own, and clients that are killed in the middle of a call.

    python -m scripts.bench_mcp [--sessions 200] [--calls 5] [--data-dir var]

Tells errors, times of calls (ms) and what the server holds before, during and after: memory (MB) and open sockets.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

ROOT = Path(__file__).resolve().parent.parent
IDLE_S = 20.0
QUOTE = {"product_code": "B00115023", "age": 45, "gender": "M"}
KILLED = """
import asyncio, sys
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

async def main():
    async with Client(streamable_http_client(sys.argv[1]), mode="legacy") as client:
        print("ready", flush=True)
        while True:
            await client.call_tool("insurance_chat", {"query": "45세 남자 암보험 비교해 주고 보험료도 알려줘"})

asyncio.run(main())
"""


def main() -> int:
    """0 when no call failed and nothing was left behind."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--sessions", type=int, default=200)
    parser.add_argument("--calls", type=int, default=5)
    parser.add_argument("--waves", type=int, default=1, help="how often; memory should not grow from the second on")
    parser.add_argument("--data-dir", default=str(ROOT / "var"))
    wanted = parser.parse_args()
    with server(wanted.data_dir) as (url, pid):
        return asyncio.run(measured(url, pid, wanted))


@contextmanager
def server(data_dir: str) -> Iterator[tuple[str, int]]:
    """run_mcp.py on a free port; its address and process id."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    env = {**os.environ, "DATA_DIR": data_dir, "MCP_SESSION_IDLE_S": str(IDLE_S), "LOG_LEVEL": "WARNING"}
    command = [sys.executable, str(ROOT / "run_mcp.py"), "--transport", "http", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        if "열렸습니다" not in process.stdout.readline():
            raise SystemExit("서버가 열리지 않았습니다")
        yield f"http://127.0.0.1:{port}/mcp", process.pid
    finally:
        process.terminate()
        process.wait(timeout=20)


async def measured(url: str, pid: int, wanted: argparse.Namespace) -> int:
    """Run everything and print it."""
    await session(url, 1)
    before = held(pid)
    print(f"before: {before[0]} MB, {before[1]} sockets")
    failed = 0
    for _ in range(wanted.waves):
        failed += await wave(url, wanted.sessions, wanted.calls)
        after = held(pid)
        print(f"after: {after[0]} MB, {after[1]} sockets")
    for _ in range(3):
        client = await asyncio.create_subprocess_exec(sys.executable, "-c", KILLED, url, stdout=asyncio.subprocess.PIPE)
        assert client.stdout is not None
        await client.stdout.readline()
        await asyncio.sleep(0.5)
        client.kill()
        await client.wait()
    await asyncio.sleep(IDLE_S + 4)
    left = held(pid)
    print(f"after 3 killed clients and {IDLE_S:.0f} s: {left[0]} MB, {left[1]} sockets")
    return 0 if not failed and left[1] <= before[1] else 1


async def wave(url: str, sessions: int, calls: int) -> int:
    """That many sessions at once; how many failed."""
    started = time.perf_counter()
    results = await asyncio.gather(*(session(url, calls) for _ in range(sessions)), return_exceptions=True)
    took = time.perf_counter() - started
    faults = [result for result in results if isinstance(result, BaseException)]
    times = sorted(one for result in results if not isinstance(result, BaseException) for one in result)
    pace = f"{len(times)} calls in {took:.1f} s ({len(times) / took:.0f}/s)"
    print(f"{sessions} sessions at once, {pace}, {len(faults)} failed")
    if times:
        p95 = times[int(len(times) * 0.95)]
        print(f"calls: p50 {statistics.median(times):.0f} ms, p95 {p95:.0f} ms, most {times[-1]:.0f} ms")
    for fault in faults[:3]:
        print("  ", repr(fault)[:300])
    return len(faults)


async def session(url: str, calls: int) -> list[float]:
    """One whole session; how long each call took (ms)."""
    times = []
    async with (
        httpx2.AsyncClient(timeout=120) as http,
        Client(streamable_http_client(url, http_client=http), mode="legacy") as client,
    ):
        assert len((await client.list_tools()).tools) >= 56
        for _ in range(calls):
            started = time.perf_counter()
            told = await client.call_tool("premium_estimate", QUOTE)
            times.append((time.perf_counter() - started) * 1000)
            assert told.structured_content["premium"] == 20625
        started = time.perf_counter()
        reply = await client.call_tool("insurance_chat", {"query": "암보험 면책기간이 며칠이에요?"})
        times.append((time.perf_counter() - started) * 1000)
        assert not reply.is_error, reply
    return times


def held(pid: int) -> tuple[int, int]:
    """Memory (MB) and open sockets of a process."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    memory = next(int(line.split()[1]) // 1024 for line in status.splitlines() if line.startswith("VmRSS"))
    sockets = 0
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # closed since it was listed
            sockets += os.readlink(entry).startswith("socket:")
    return memory, sockets


if __name__ == "__main__":
    raise SystemExit(main())
