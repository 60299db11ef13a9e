"""Turns a second with one to four workers behind nginx, on the servers that the tests of many workers start.

    python -m scripts.bench_growth --axes workers --write       (needs Debian's postgresql, redis-server and nginx)

Twenty people ask through nginx. They, the workers and every server share the machine, so the curve bends where the
cores end and not where the design does.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts import bench_load
from tests.scale.cluster import Cluster, admin_key, open_cluster
from tests.scale.servers import Postgres, chroma_server, redis_server

PEOPLE = 20


def measure_workers(sizes: Sequence[int], options: argparse.Namespace) -> list[dict[str, Any]]:
    """A row for each number of workers: turns a second, times (ms) and processor time a turn of all workers (ms)."""
    with tempfile.TemporaryDirectory(prefix="bench-workers-", ignore_cleanup_errors=True) as made:
        Path(made).chmod(0o711)  # Postgres runs as another user
        return [_measured(Path(made) / str(size), size, options) for size in sizes]


def _measured(folder: Path, workers: int, options: argparse.Namespace) -> dict[str, Any]:
    folder.mkdir()
    indexed = folder / "indexed"
    indexed.mkdir()
    if options.state is not None:
        own = shutil.ignore_patterns("*.db*", "*.lock", "*.key", "chroma_data")
        shutil.copytree(options.state, indexed, ignore=own, dirs_exist_ok=True)
    servers = Postgres(folder / "postgres"), redis_server(folder / "redis"), chroma_server(folder / "chroma")
    cluster = open_cluster(folder, *servers, indexed, workers)
    try:
        found = asyncio.run(_asked(cluster, options.seconds)).figures()
    finally:
        cluster.stop()
    return {"x": workers, **{name.removesuffix("_ms"): value for name, value in found.items()}}


async def _asked(cluster: Cluster, seconds: float) -> bench_load.Measured:
    worker = bench_load.Worker(cluster.url, *(worker.pid for worker in cluster.workers))
    return await bench_load.load(worker, PEOPLE, seconds, {"X-API-Key": await admin_key(cluster)})
