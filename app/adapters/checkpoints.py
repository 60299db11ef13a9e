"""Where the graph's memory is kept: a SQLite file by default, Postgres with a pool where DATABASE_URL names it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import ChannelVersions, Checkpoint, CheckpointMetadata
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from psycopg import AsyncConnection, AsyncCursor, sql
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolTimeout
from sqlalchemy import make_url

from app.adapters.checkpoint_cleaning import forget_owner, forget_thread, keep_no_traces
from app.errors import Conflict, StartError, Unavailable

_TABLES = ("checkpoints", "checkpoint_blobs", "checkpoint_writes")
_DOWN = "대화를 기억하는 데이터베이스를 지금 쓸 수 없습니다. 잠시 후 다시 시도해 주세요."
_POOL_TIMEOUT_S, _CONNECT_TIMEOUT_S = 5.0, 10
_GIVE_UP_S = 10.0  # pauses between tries double until then; after it the next turn begins anew
_LOCK_KEY = 7_203_512  # one process at a time makes the tables
_ALONE = "SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))"
_NEWEST = "SELECT max(checkpoint_id) AS newest FROM checkpoints WHERE thread_id = %s AND checkpoint_ns = %s"
_SAVING: ContextVar[AsyncConnection[DictRow] | None] = ContextVar("saving", default=None)
_OVERTAKEN = "이 대화에서 다른 질문을 먼저 처리했습니다. 질문은 저장되지 않았으니 다시 보내 주세요."


class SqliteCheckpoints(AsyncSqliteSaver):
    """Threads in one file, for one process at a time."""

    async def ping(self) -> None:
        """Raises when the file cannot be read."""
        await self.conn.execute("SELECT 1")

    async def forget_thread(self, owner: str, thread_id: str) -> None:
        """Delete one thread so that nothing of it stays on the disk."""
        await forget_thread(self, owner, thread_id)

    async def forget_owner(self, owner: str) -> int:
        """Delete every thread of an owner; answers how many rows that were."""
        return await forget_owner(self, owner)


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
            raise Unavailable(_DOWN) from error

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
            raise Unavailable(_DOWN) from error

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
        async with SqliteCheckpoints.from_conn_string(str(path)) as saver:
            assert isinstance(saver, SqliteCheckpoints)
            await saver.setup()
            # Safe with WAL; a power cut may lose the last turns but damages nothing.
            await saver.conn.execute("PRAGMA synchronous=NORMAL")
            await keep_no_traces(saver)
            yield saver
        return
    async with AsyncExitStack() as stack:
        yield await _postgres(stack, database_url, pool_size)


async def _postgres(stack: AsyncExitStack, url: str, pool_size: int) -> PostgresCheckpoints:
    place = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
    options: dict[str, Any] = {
        "autocommit": True, "prepare_threshold": 0, "row_factory": dict_row, "connect_timeout": _CONNECT_TIMEOUT_S,
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
        raise StartError(f"데이터베이스를 열 수 없습니다({shown}). 서버가 떠 있는지 확인해 주세요.") from error
    stack.push_async_callback(pool.close)
    saver = PostgresCheckpoints(pool)
    async with pool.connection() as holder:  # the saver's setup makes tables step by step, on its own connection
        await holder.execute("SELECT pg_advisory_lock(%s)", (_LOCK_KEY,))
        try:
            await saver.setup()
        finally:
            await holder.execute("SELECT pg_advisory_unlock(%s)", (_LOCK_KEY,))
    return saver
