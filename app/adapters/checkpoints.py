"""Where the graph's memory is kept: a SQLite file by default, Postgres with a pool where DATABASE_URL names it."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, closing
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata, CheckpointTuple
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite import SqliteSaver
from psycopg import AsyncConnection, AsyncCursor, sql
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout
from sqlalchemy import make_url

from app.adapters.database import APPLICATION
from app.adapters.disk import storage_fault
from app.errors import Conflict, StartError
from app.messages import worded

T = TypeVar("T")

_TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
_DOWN = worded("checkpoints.unavailable")
_POOL_TIMEOUT_S, _CONNECT_TIMEOUT_S = 5.0, 10
_GIVE_UP_S = 10.0  # pauses between tries double until then; after it the next turn begins anew
_LOCK_KEY = 7_203_512  # one process at a time makes the tables
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
_NEWEST = "SELECT max(checkpoint_id) AS newest FROM checkpoints WHERE thread_id = %s AND checkpoint_ns = %s"
# Both savers keep what interrupts a turn beside the checkpoint that it stopped at.
_INTERRUPTED = (
    "SELECT 1 FROM {writes} AS waits WHERE thread_id = {thread} AND checkpoint_ns = '' AND channel = '__interrupt__' "
    "AND checkpoint_id = (SELECT max(checkpoint_id) FROM checkpoints "
    "WHERE thread_id = {thread} AND checkpoint_ns = '') LIMIT 1"
)
_SQLITE_INTERRUPTED = _INTERRUPTED.format(writes="writes", thread="?")
_POSTGRES_INTERRUPTED = _INTERRUPTED.format(writes="checkpoint_writes", thread="%s")
_EMPTY_LOG = "PRAGMA wal_checkpoint(TRUNCATE)"
# Safe with WAL: a power cut may lose the last turns but damages nothing. What is deleted is overwritten.
_PRAGMAS = ("PRAGMA synchronous = NORMAL", "PRAGMA secure_delete = ON")
_SAVING: ContextVar[AsyncConnection[DictRow] | None] = ContextVar("saving", default=None)
_OVERTAKEN = worded("checkpoints.conflict")


class SqliteCheckpoints(SqliteSaver):
    """Threads in one file, for one process at a time. Raises Unavailable while it cannot be used.

    Each call visits a thread of its own once; LangGraph's async saver visits one three or four times a call.
    """

    def __init__(self, connection: sqlite3.Connection, folder: Path | None = None) -> None:
        """`connection` may be used from another thread than its own; `folder`: where its file lies."""
        super().__init__(connection)
        self._folder = folder
        self._thread = ThreadPoolExecutor(1, "checkpoints")

    async def aget_tuple(self, config: RunnableConfig) -> CheckpointTuple | None:
        """The newest checkpoint of a thread, or the one that is named."""
        return await self._visit(self.get_tuple, config)

    async def alist(
        self,
        config: RunnableConfig | None,
        *,
        filter: dict[str, Any] | None = None,
        before: RunnableConfig | None = None,
        limit: int | None = None,
    ) -> AsyncIterator[CheckpointTuple]:
        """The checkpoints of a thread, the newest first."""
        for found in await self._visit(lambda: [*self.list(config, filter=filter, before=before, limit=limit)]):
            yield found

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save a checkpoint."""
        return await self._visit(self.put, config, checkpoint, metadata, new_versions)

    async def aput_writes(
        self, config: RunnableConfig, writes: Sequence[tuple[str, Any]], task_id: str, task_path: str = ""
    ) -> None:
        """Save what a step that was interrupted had written."""
        await self._visit(self.put_writes, config, writes, task_id, task_path)

    async def adelete_thread(self, thread_id: str) -> None:
        """Delete the checkpoints of a thread."""
        await self._visit(self.delete_thread, thread_id)

    async def interrupted(self, thread_id: str) -> bool:
        """True when the newest checkpoint of a thread waits for somebody. Far cheaper than the whole state."""
        return bool(await self.execute(_SQLITE_INTERRUPTED, (thread_id, thread_id)))

    async def ping(self) -> None:
        """Raises when the file cannot be read."""
        await self.execute("SELECT 1")

    async def forget_thread(self, owner: str, thread_id: str) -> None:
        """Delete one thread so that nothing of it stays on the disk."""
        await self.adelete_thread(f"{owner}:{thread_id}")
        await self.execute(_EMPTY_LOG)

    async def forget_owner(self, owner: str) -> int:
        """Delete every thread of an owner; answers how many rows that were."""
        start = f"{owner}:"

        def delete() -> int:
            with self.cursor() as cursor:
                return sum(
                    cursor.execute(
                        f"DELETE FROM {table} WHERE substr(thread_id, 1, ?) = ?", (len(start), start)
                    ).rowcount
                    for table in ("checkpoints", "writes")
                )

        gone = await self._visit(delete)
        await self.execute(_EMPTY_LOG)
        return gone

    async def execute(self, statement: str, given: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a statement that writes nothing in a transaction of its own."""

        def run() -> list[tuple[Any, ...]]:
            with self.cursor(transaction=False) as cursor:
                return cursor.execute(statement, given).fetchall()

        return await self._visit(run)

    async def close(self) -> None:
        """End the thread, when what it does is done."""
        await asyncio.to_thread(self._thread.shutdown)

    async def _visit(self, work: Callable[..., T], *given: Any) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, partial(work, *given))
        except sqlite3.OperationalError as error:
            raise storage_fault(error, self._folder, _DOWN) from error


class PostgresCheckpoints(AsyncPostgresSaver):
    """Threads in Postgres, for any number of processes. Raises Unavailable while the server is away.

    A turn saves only onto the checkpoint that it began with: of two workers that answer one thread at once, the second
    to end gets Conflict, and histories never mix. Locks keep that from happening; this holds even where they fail.
    """

    @asynccontextmanager
    async def _cursor(self, *, pipeline: bool = False) -> AsyncIterator[AsyncCursor[DictRow]]:
        # The one place where the saver touches the database. Unlike the saver's own, calls do not wait for each
        # other here: each takes a connection of the pool.
        try:
            async with AsyncExitStack() as stack:
                connection = _SAVING.get()
                if connection is None:
                    connection = await stack.enter_async_context(self._pool.connection())
                if pipeline:
                    await stack.enter_async_context(connection.pipeline())
                yield await stack.enter_async_context(connection.cursor(binary=True, row_factory=dict_row))
        except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout) as error:
            raise storage_fault(error, None, _DOWN) from error

    @property
    def _pool(self) -> AsyncConnectionPool[AsyncConnection[DictRow]]:
        return self.conn  # type: ignore[return-value]

    async def aput(
        self,
        config: RunnableConfig,
        checkpoint: Checkpoint,
        metadata: CheckpointMetadata,
        new_versions: ChannelVersions,
    ) -> RunnableConfig:
        """Save, unless another worker saved meanwhile. Raises Conflict then."""
        place = config["configurable"]
        try:
            async with self._pool.connection() as connection, connection.transaction():
                await connection.execute(_ALONE, (place["thread_id"],))
                found = await connection.execute(_NEWEST, (place["thread_id"], place.get("checkpoint_ns", "")))
                row = await found.fetchone()
                newest = row["newest"] if row else None
                if newest is not None and newest not in (place.get("checkpoint_id"), checkpoint["id"]):
                    raise Conflict(_OVERTAKEN)
                held = _SAVING.set(connection)
                try:
                    return await super().aput(config, checkpoint, metadata, new_versions)
                finally:
                    _SAVING.reset(held)
        except (psycopg.OperationalError, psycopg.InterfaceError, PoolTimeout) as error:
            raise storage_fault(error, None, _DOWN) from error

    async def interrupted(self, thread_id: str) -> bool:
        """True when the newest checkpoint of a thread waits for somebody. Raises Unavailable."""
        async with self._cursor() as cursor:
            await cursor.execute(_POSTGRES_INTERRUPTED, (thread_id, thread_id))
            return await cursor.fetchone() is not None

    async def ping(self) -> None:
        """Raises Unavailable when Postgres does not answer."""
        async with self._cursor() as cursor:
            await cursor.execute("SELECT 1")

    async def forget_thread(self, owner: str, thread_id: str) -> None:
        """Delete one thread."""
        await self.adelete_thread(f"{owner}:{thread_id}")

    async def forget_owner(self, owner: str) -> int:
        """Delete every thread of an owner; answers how many rows that were."""
        gone = 0
        start = f"{owner}:"
        async with self._cursor() as cursor:
            for table in _TABLES:
                statement = sql.SQL("DELETE FROM {} WHERE left(thread_id, %s) = %s").format(sql.Identifier(table))
                await cursor.execute(statement, (len(start), start))
                gone += cursor.rowcount
        return gone


Checkpoints = SqliteCheckpoints | PostgresCheckpoints


@asynccontextmanager
async def open_checkpoints(database_url: str | None, path: Path, pool_size: int) -> AsyncIterator[Checkpoints]:
    """The checkpointer of these settings, its tables made. Raises StartError when Postgres cannot be reached."""
    if database_url is None or make_url(database_url).get_backend_name() not in ("postgresql", "postgres"):
        with closing(sqlite3.connect(path, check_same_thread=False)) as connection:
            saver = SqliteCheckpoints(connection, path.parent)
            try:
                for pragma in _PRAGMAS:
                    await saver.execute(pragma)
                yield saver
            finally:
                await saver.close()
        return
    async with AsyncExitStack() as stack:
        yield await _postgres(stack, database_url, pool_size)


async def _postgres(stack: AsyncExitStack, url: str, pool_size: int) -> PostgresCheckpoints:
    place = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    options: dict[str, Any] = {
        "autocommit": True, "prepare_threshold": 0, "row_factory": dict_row, "connect_timeout": _CONNECT_TIMEOUT_S,
        "application_name": APPLICATION,
    }  # fmt: skip
    pool: AsyncConnectionPool[AsyncConnection[DictRow]] = AsyncConnectionPool(
        place, min_size=min(2, pool_size), max_size=pool_size, open=False, timeout=_POOL_TIMEOUT_S, kwargs=options,
        check=AsyncConnectionPool.check_connection, reconnect_timeout=_GIVE_UP_S,
    )  # fmt: skip
    try:
        await pool.open(wait=True, timeout=10)
    except PoolTimeout as error:
        await pool.close()
        shown = make_url(url).render_as_string(hide_password=True)
        raise StartError(worded("checkpoints.cannot_open", shown=shown)) from error
    stack.push_async_callback(pool.close)
    saver = PostgresCheckpoints(pool)
    async with pool.connection() as holder:  # the saver's setup makes tables step by step, on its own connection
        await holder.execute("SELECT pg_advisory_lock(%s)", (_LOCK_KEY,))
        try:
            await saver.setup()
        finally:
            await holder.execute("SELECT pg_advisory_unlock(%s)", (_LOCK_KEY,))
    return saver
