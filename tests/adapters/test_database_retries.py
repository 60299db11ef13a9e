"""Beginning a transaction is tried again for a moment; what has begun is never done twice."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from app.adapters import database as module
from app.adapters.database import open_database
from app.adapters.thread_store import ThreadStore, Turn
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


async def test_one_visit_outlives_a_lock_and_leaves_nothing_where_it_fails(tmp_path: Path) -> None:
    path = tmp_path / "customer.db"
    database = await open_database(f"sqlite+aiosqlite:///{path}")
    await database.write(lambda connection: connection.execute(text("CREATE TABLE once (n INTEGER)")))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    writing = asyncio.create_task(
        database.write(lambda connection: connection.execute(text("INSERT INTO once VALUES (1)")).rowcount)
    )
    await asyncio.sleep(0.15)
    other.execute("ROLLBACK")
    other.close()
    assert await writing == 1

    def half(connection: Connection) -> None:
        connection.execute(text("INSERT INTO once VALUES (2)"))
        connection.execute(text("INSERT INTO nowhere VALUES (2)"))

    with pytest.raises(Unavailable):
        await database.write(half)
    kept = await database.read(lambda connection: connection.execute(text("SELECT n FROM once")).scalars().all())
    assert kept == [1]
    await database.close()


async def test_turns_are_kept_while_the_loop_is_busy(tmp_path: Path) -> None:
    """Forty people at once: what holds the write lock must not wait for its turn on the loop."""
    database = await open_database(f"sqlite+aiosqlite:///{tmp_path / 'customer.db'}")
    store = ThreadStore(database)
    over = asyncio.Event()

    async def busy() -> None:
        while not over.is_set():
            sum(range(100_000))
            await asyncio.sleep(0)

    loads = [asyncio.create_task(busy()) for _ in range(40)]
    turns = [Turn(f"run{n}", "key:1", "busy", f"질문 {n}", {"answer": "답"}) for n in range(40)]
    await asyncio.gather(*map(store.record, turns))
    over.set()
    await asyncio.gather(*loads)
    _, kept = await store.thread("key:1", "busy")
    assert {turn.run_id for turn in kept} == {turn.run_id for turn in turns}
    await database.close()
