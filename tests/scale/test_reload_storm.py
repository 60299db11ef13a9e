"""Reloads while people talk, on the default settings: 100 here, RELOADS=1000 in `make soak`."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from scripts.bench_load import own_worker
from scripts.bench_reload import storm

RELOADS = int(os.environ.get("RELOADS", "100"))


async def test_reloads_beside_talks_all_come_back_and_cost_no_turn(indexed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "var"
    shutil.copytree(indexed, folder)
    with own_worker(folder, {}) as worker:
        found = await storm(worker, RELOADS)
    assert not found.failed, found.told()
    assert len(found.reloads_ms) == RELOADS
    assert len(found.turns_ms) > RELOADS
