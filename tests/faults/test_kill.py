"""kill -9 at random points of turns: at most the turn is lost, and nothing is corrupt. KILLS=100 in `make soak`."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path

from app.composition import open_services
from app.settings import ROOT, Settings
from tests.faults.conftest import PRICE, last_event
from tests.state import lay_out

KILLS = int(os.environ.get("KILLS", "5"))


async def test_a_killed_process_loses_at_most_its_turn_and_corrupts_nothing(tmp_path: Path) -> None:
    draw = random.Random(20)
    lay_out(tmp_path)
    for number in range(KILLS):
        turns = _killed(tmp_path, number, draw.uniform(0.0, 0.8))
        damaged = {path.name: found for path in _databases(tmp_path) if (found := _integrity(path)) != "ok"}
        assert damaged == {}, f"kill {number} after {turns} turns"
    async with open_services(Settings(_env_file=None, data_dir=tmp_path)) as services:
        for thread in ("killed-0", "killed-1", "killed-2"):
            ended = await last_event(services, thread=thread)
            assert ended.type == "done" and PRICE in ended.data["answer"]


def _killed(folder: Path, seed: int, wait_s: float) -> int:
    """Start a process, let it work for a moment after it is ready, kill it; how many turns it had finished."""
    command = [sys.executable, "-m", "tests.faults.asking", str(folder), str(seed)]
    env = {**os.environ, "TWIN_PROCESS": "true"}
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        try:
            assert process.stdout is not None
            # Whatever a library may write first; the end of the stream means that the process ended by itself.
            while (line := process.stdout.readline()).strip() != "ready":
                assert line, "the process did not start again"
            time.sleep(wait_s)
        finally:
            os.kill(process.pid, signal.SIGKILL)
        rest = process.stdout.read()
    return rest.count("turn")


def _databases(folder: Path) -> list[Path]:
    """Every SQLite file of the state folder (Chroma's and the document index among them)."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix in (".db", ".sqlite", ".sqlite3")]
    assert files
    return files


def _integrity(path: Path) -> str:
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute("PRAGMA integrity_check").fetchone()[0])
    finally:
        connection.close()
