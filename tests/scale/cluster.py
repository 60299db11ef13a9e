"""Three workers behind nginx on Postgres, Redis and a Chroma server, and people who ask them."""

from __future__ import annotations

import asyncio
import os
import secrets
import shutil
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx2

from app.settings import ROOT
from tests.scale.servers import (
    Postgres,
    Process,
    Worker,
    nginx_server,
    start_worker,
    wait_until,
)

QUESTION, ANSWER = "실속치매보험 쉰여섯 여자 보험료요", "premium_estimate"
READY_S = 300.0

MODULE = '''"""A tool of an operator, for trying reloads out."""

from langgraph.prebuilt import ToolRuntime

from app.insurance.models import Model
from app.tools.context import ToolContext
from app.tools.declare import READS, insurance_tool
from app.tools.results import told


class Window(Model):
    """What is told."""

    said: str


@insurance_tool(role="staff", annotations=READS)
async def window_opening_hours(runtime: ToolRuntime[ToolContext]):
    """고객센터 창구의 운영 시간을 알려 준다."""
    return told(Window(said="{said}"))


TOOLS = [window_opening_hours]
'''


@dataclass
class Cluster:
    """The running installation."""

    folder: Path
    postgres: Postgres
    redis: Process
    chroma: Process
    tools: Path
    env: dict[str, str]
    workers: list[Worker] = field(default_factory=list)
    nginx: Process | None = None

    @property
    def url(self) -> str:
        assert self.nginx is not None
        return f"http://127.0.0.1:{self.nginx.port}"

    def direct(self, number: int) -> str:
        return f"http://127.0.0.1:{self.workers[number].port}"

    def write_module(self, said: str) -> None:
        """Put a version of the module on the disk, whole or not at all."""
        target = self.tools / "opening.py"
        partial = target.with_suffix(".new")
        partial.write_text(MODULE.replace("{said}", said), encoding="utf-8")
        partial.replace(target)

    def start_worker(self) -> Worker:
        worker = start_worker(ROOT, self.folder / "work", self.env)
        self.workers.append(worker)
        return worker

    def wait_ready(self) -> None:
        for worker in self.workers:
            try:
                wait_until(lambda worker=worker: worker.ready() or not worker.alive, READY_S, f"worker {worker.port}")
                assert worker.alive
            except AssertionError as error:
                raise AssertionError(f"{error}: {self.log_of(worker)}") from error

    def log_of(self, worker: Worker) -> str:
        path = self.folder / "work" / f"worker-{worker.port}.log"
        return path.read_text(errors="replace")[-1500:] if path.exists() else ""

    def start_nginx(self) -> None:
        ports = [worker.port for worker in self.workers]
        self.nginx = nginx_server(self.folder / "nginx", ROOT / "deploy" / "nginx.conf", ports)

    def stop(self) -> None:
        if self.nginx is not None:
            self.nginx.stop()
        for worker in self.workers:
            worker.stop(timeout_s=5)
        self.redis.stop()
        self.chroma.stop()
        self.postgres.stop()


def open_cluster(
    folder: Path, postgres: Postgres, redis: Process, chroma: Process, indexed: Path, workers: int = 3
) -> Cluster:
    """Start the workers and nginx; `ready` when this returns. The operator's module comes later, by a reload: with it
    on the disk each start would fit the heads anew."""
    tools = folder / "tools"
    tools.mkdir()
    shutil.copytree(indexed, folder / "var")
    redis_url = f"redis://127.0.0.1:{redis.port}/0"
    env = {
        "DATABASE_URL": postgres.database(f"cluster_{secrets.token_hex(4)}"),
        "DATABASE_POOL_SIZE": "6",
        "CHROMA_URL": f"http://127.0.0.1:{chroma.port}",
        "REDIS_URL": redis_url,
        "DATA_DIR": str(folder / "var"),
        "TOOL_PATHS": str(tools),
        "TRUSTED_PROXIES": "127.0.0.1",
        "SECRET_KEY": "s" * 40,
        "DATA_KEY": "d" * 40,
        "LOG_FORMAT": "json",
        "RATE_LIMIT_PER_MINUTE": "100000",
        "RATE_LIMIT_TURNS_PER_MINUTE": "100000",
        "RATE_LIMIT_ADDRESS_PER_MINUTE": "100000",
    }
    cluster = Cluster(folder, postgres, redis, chroma, tools, env)
    try:
        for _ in range(workers):
            cluster.start_worker()
        cluster.wait_ready()
        cluster.start_nginx()
    except BaseException:
        cluster.stop()
        raise
    return cluster


async def admin_key(cluster: Cluster) -> str:
    """An admin's key, made as an operator makes one."""
    process = await asyncio.create_subprocess_exec(
        str(ROOT / ".venv" / "bin" / "python") if (ROOT / ".venv").exists() else "python",
        "-m", "scripts.keys", "create", "--role", "admin", "--label", "시험",
        cwd=ROOT, env={**os.environ, **cluster.env}, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    words = [word for word in out.decode().split() if len(word) > 30]
    assert words, (out.decode(), err.decode())
    return words[0].strip(",.")


@dataclass
class Load:
    """People who ask until they are stopped; what they were told is kept by kind."""

    url: str
    headers: Mapping[str, str]
    people: int = 6
    told: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    slowest_s: float = 0.0
    _tasks: list[asyncio.Task[None]] = field(default_factory=list)
    _stopping: bool = False

    async def __aenter__(self) -> Load:
        self._client = httpx2.AsyncClient(base_url=self.url, headers=dict(self.headers), timeout=60)
        self._tasks = [asyncio.create_task(self._ask(number)) for number in range(self.people)]
        return self

    async def __aexit__(self, *error: object) -> None:
        self._stopping = True
        await asyncio.gather(*self._tasks)
        await self._client.aclose()

    async def _ask(self, number: int) -> None:
        turn = 0
        while not self._stopping:
            turn += 1
            body = {"query": QUESTION, "thread_id": f"load-{number}-{turn // 3}", "message_id": secrets.token_hex(8)}
            started = time.monotonic()
            try:
                answer = await self._client.post("/api/chat", json=body)
            except httpx2.HTTPError as error:
                self.told[type(error).__name__] += 1
                await asyncio.sleep(0.2)
                continue
            self.slowest_s = max(self.slowest_s, time.monotonic() - started)
            self.told[str(answer.status_code)] += 1
            if answer.status_code == 200:
                self._check(answer.json())
            else:
                await asyncio.sleep(0.2)

    def _check(self, reply: dict[str, Any]) -> None:
        if ANSWER not in reply["tools_used"] or ("29" not in reply["answer"] and "원" not in reply["answer"]):
            self.wrong.append(str(reply["answer"])[:200])
