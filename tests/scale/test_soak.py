"""A minute of load on one worker: no turn fails and memory stays flat. `make soak` does the same for an hour."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from scripts.bench_load import own_worker, soak

SECONDS = 60
# Few, so that the other test process keeps its core.
PEOPLE = 2


@pytest.mark.requirement("run:scale:soak")
async def test_a_minute_of_load_fails_no_turn_and_memory_stays_flat(indexed: Path, tmp_path: Path) -> None:
    folder = tmp_path / "var"
    shutil.copytree(indexed, folder)
    with own_worker(folder, {"TWIN_PROCESS": "true"}) as worker:
        assert await soak(worker, SECONDS, PEOPLE) == 0
