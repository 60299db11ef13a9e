"""Beginning a transaction is tried again for a moment; what has begun is never done twice."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path

import pytest
from sqlalchemy import text

from app.adapters import database as module
from app.adapters.database import open_database
from app.errors import Unavailable


@pytest.mark.requirement("graph:model:retries-with-backoff")
async def test_a_lock_that_goes_away_is_outlived(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BUSY_TIMEOUT_S", 0)
    path = tmp_path / "customer.db"
    database = await open_database(f"sqlite+aiosqlite:///{path}")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    async def release() -> None:
        await asyncio.sleep(0.15)
        other.execute("ROLLBACK")

    releasing = asyncio.create_task(release())
    async with database.writing() as connection:
        await connection.execute(text("CREATE TABLE once (n INTEGER)"))
    await releasing
    other.close()
    await database.close()


async def test_a_lock_that_stays_is_told_soon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BUSY_TIMEOUT_S", 0)
    path = tmp_path / "customer.db"
    database = await open_database(f"sqlite+aiosqlite:///{path}")
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    started = time.perf_counter()
    with pytest.raises(Unavailable):
        async with database.writing():
            pytest.fail("the lock is another's")
    assert time.perf_counter() - started < 5
    other.close()
    await database.close()


async def test_what_fails_inside_a_transaction_runs_once(tmp_path: Path) -> None:
    database = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'customer.db'}")
    ran = 0
    with pytest.raises(Unavailable):
        async with database.writing() as connection:
            ran += 1
            await connection.execute(text("SELECT * FROM nowhere"))
    assert ran == 1
    await database.close()
