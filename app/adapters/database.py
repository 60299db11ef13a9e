"""The service database: opened, migrated, closed. SQLite (WAL) by default, Postgres by URL, through an async driver."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from sqlalchemy import Executable, Select, create_engine, event, func, make_url, select, text
from sqlalchemy.engine import URL, Connection, Engine, Row
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, NoSuchModuleError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine
from tenacity import AsyncRetrying, Retrying, retry_if_exception_type, stop_after_attempt, stop_before_delay
from tenacity.wait import wait_random_exponential

from app.adapters.disk import storage_fault
from app.adapters.field_cipher import FieldCipher, private_place
from app.adapters.tables import customer_private
from app.errors import StartError, Unavailable
from app.messages import worded
from app.settings import ROOT

_BUSY_TIMEOUT_S = 10  # a writer waits this long for another one; writes here take milliseconds
_BEGIN_ATTEMPTS, _BEGIN_BUDGET_S = 8, 2.0  # for a lock or a lost connection that is told at once
_QUEUE_S = 10.0
_IMMEDIATE: dict[str, Any] = {"sqlite_begin": "BEGIN IMMEDIATE"}
# Beginning a transaction is tried again after growing, random pauses: nothing has been done by then. What fails later
# is not, because only its caller knows what may be done twice.
_AGAIN: dict[str, Any] = {
    "stop": stop_after_attempt(_BEGIN_ATTEMPTS) | stop_before_delay(_BEGIN_BUDGET_S),
    "wait": wait_random_exponential(multiplier=0.05, max=0.5),
    "retry": retry_if_exception_type((OperationalError, InterfaceError)),
    "reraise": True,
}
_CONNECT_TIMEOUT_S, _POOL_TIMEOUT_S = 10, 5.0
APPLICATION = "insurance-assistant"  # how our connections are told from others in Postgres
_LOCK_KEY = 7_203_511  # Postgres advisory lock: one process migrates and seeds at a time
_LOCK_POLL_S = 0.05
PLAIN_REVISIONS = ("0001", "0002")  # schemas that held phone numbers in the clear
_ASYNC_DRIVERS = {"sqlite": "sqlite+aiosqlite", "postgresql": "postgresql+psycopg", "postgres": "postgresql+psycopg"}
_DOWN = worded("database.unavailable")


T = TypeVar("T")


class Database:
    """A pool of connections. `reading()` and `writing()` are transactions; a failed one leaves nothing behind.

    `read` and `write` are transactions too, for what every turn does: SQLite's async driver visits a thread three times
    a statement and holds the write lock while the event loop serves others in between; these visit it once.
    """

    def __init__(self, engine: AsyncEngine, cipher: FieldCipher | None = None, at_once: Engine | None = None) -> None:
        """`at_once`: a second, synchronous engine on the same SQLite file; None for a server."""
        self._engine, self._at_once = engine, at_once
        # Those who write come here one after the other; between two of them no turn of the busy loop passes.
        self._pen = ThreadPoolExecutor(1, "writing")
        self.cipher = cipher
        # SQLite: a writer takes the write lock at BEGIN; upgrading a read later fails at once instead of waiting.
        self._writer = engine.execution_options(**_IMMEDIATE)
        self._writer_at_once = at_once.execution_options(**_IMMEDIATE) if at_once is not None else None
        self._turns = asyncio.Lock()

    @property
    def dialect(self) -> str:
        """'sqlite' or 'postgresql'."""
        return self._engine.dialect.name

    @property
    def folder(self) -> Path | None:
        """Where SQLite's file lies; None for a server and in memory."""
        name = self._engine.url.database
        return Path(name).resolve().parent if self.dialect == "sqlite" and name and name != ":memory:" else None

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A transaction that only reads. Raises Unavailable when the database is down."""
        async with _translated(self.folder), _begun(self._engine) as connection:
            yield connection

    @asynccontextmanager
    async def writing(self, *, alone: bool = False) -> AsyncIterator[AsyncConnection]:
        """A transaction that writes; `alone` keeps other processes' `alone` work out. Raises Unavailable."""
        async with _translated(self.folder), self._queued(), _begun(self._writer) as connection:
            if alone and self.dialect == "postgresql":
                await connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK_KEY})
            yield connection

    async def rows(self, query: Executable) -> Sequence[Row[Any]]:
        """Every row of a query, in a transaction of its own."""
        async with self.reading() as connection:
            return (await connection.execute(query)).all()

    async def row(self, query: Executable) -> Row[Any] | None:
        """The first row of a query, None where there is none; in a transaction of its own."""
        async with self.reading() as connection:
            return (await connection.execute(query)).first()

    async def value(self, query: Executable) -> Any:
        """The one value that a query answers, in a transaction of its own."""
        async with self.reading() as connection:
            return (await connection.execute(query)).scalar_one()

    async def page(self, query: Select[Any], *, offset: int, limit: int | None) -> tuple[Sequence[Row[Any]], int]:
        """So many rows of an ordered query from `offset` on, and how many it has in all; in one transaction."""
        counted = select(func.count()).select_from(query.order_by(None).subquery())
        async with self.reading() as connection:
            total = (await connection.execute(counted)).scalar_one()
            return (await connection.execute(query.offset(offset).limit(limit))).all(), total

    async def change(self, statement: Executable, rows: Sequence[Mapping[str, Any]] | None = None) -> int:
        """Carry out one statement (for each of `rows`, where given) in a transaction of its own; how many rows it
        touched."""
        async with self.writing() as connection:
            return (await connection.execute(statement, rows)).rowcount

    async def read(self, work: Callable[[Connection], T]) -> T:
        """What `work` answers in one transaction that only reads. Raises Unavailable when the database is down."""
        return await self._done(self._engine, self._at_once, None, work)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """What `work` answers in one transaction that writes. Raises Unavailable when the database is down."""
        return await self._done(self._writer, self._writer_at_once, self._pen, work)

    async def _done(
        self,
        engine: AsyncEngine,
        at_once: Engine | None,
        thread: ThreadPoolExecutor | None,
        work: Callable[[Connection], T],
    ) -> T:
        async with _translated(self.folder):
            if at_once is None:
                async with _begun(engine) as connection:
                    return await connection.run_sync(work)

            def visit() -> T:
                with ExitStack() as stack:
                    connection = Retrying(**_AGAIN)(lambda: stack.enter_context(at_once.begin()))
                    return work(connection)

            try:
                async with asyncio.timeout(_QUEUE_S):  # what has not begun by then is dropped
                    return await asyncio.get_running_loop().run_in_executor(thread, visit)
            except TimeoutError as error:
                raise Unavailable(_DOWN) from error

    @asynccontextmanager
    async def _queued(self) -> AsyncIterator[None]:
        """SQLite has one writer at a time and wakes those who wait for it in no order: here they come one after the
        other. Raises Unavailable when the turn does not come in time."""
        if self.dialect != "sqlite":
            yield
            return
        try:
            async with asyncio.timeout(_QUEUE_S):
                await self._turns.acquire()
        except TimeoutError as error:
            raise Unavailable(_DOWN) from error
        try:
            yield
        finally:
            self._turns.release()

    @asynccontextmanager
    async def holding(self, lock: int, wait_s: float) -> AsyncIterator[bool]:
        """A lock between processes, by number; False when it could not be had in `wait_s` seconds. SQLite serves one
        process at a time and needs none. The lock goes with the connection when the process dies."""
        if self.dialect == "sqlite":
            yield True
            return
        # No transaction is open meanwhile: the checkpointer's CREATE INDEX CONCURRENTLY would wait for its end.
        alone = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        async with _translated(self.folder), alone.connect() as connection:
            taken, deadline = False, time.monotonic() + wait_s
            while not taken:
                got = await connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": lock})
                taken = bool(got.scalar_one())
                if taken or time.monotonic() >= deadline:
                    break
                await asyncio.sleep(_LOCK_POLL_S)
            try:
                yield taken
            finally:
                if taken:
                    await connection.execute(text("SELECT pg_advisory_unlock(:key)"), {"key": lock})

    async def migrate(self) -> None:
        """Bring the schema to the newest migration; does nothing when it is there already."""
        async with self.writing(alone=True) as connection:
            await connection.run_sync(_upgrade, self.cipher)

    async def revision(self) -> str | None:
        """The migration that the schema stands at; None for an empty database."""
        async with self.reading() as connection:
            return await connection.run_sync(lambda sync: MigrationContext.configure(sync).get_current_revision())

    async def check_key(self) -> None:
        """Raises StartError when the personal columns were encrypted with another key than this one."""
        row = await self.row(select(customer_private).limit(1))
        if row is None:
            return
        if self.cipher is None:
            raise StartError(worded("database.no_key"))
        try:
            self.cipher.decrypt(row.phone, private_place("phone", row.customer_id))
        except Unavailable as error:
            raise StartError(worded("database.other_key")) from error

    async def forget_old_pages(self) -> None:
        """Empty SQLite's log of changes, which still holds what was just overwritten."""
        if self.dialect == "sqlite":
            async with self._engine.connect() as connection:
                raw = await connection.get_raw_connection()
                await raw.driver_connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")  # type: ignore[union-attr]

    async def ping(self) -> None:
        """Raises Unavailable when the database does not answer."""
        async with self.reading() as connection:
            await connection.execute(text("SELECT 1"))

    async def close(self) -> None:
        """Close every connection."""
        await self._engine.dispose()
        if self._at_once is not None:
            self._at_once.dispose()


async def open_database(url: str, cipher: FieldCipher | None = None, pool_size: int = 10) -> Database:
    """Open (SQLite: make) the database at an SQLAlchemy URL and migrate it to the newest schema.

    `cipher` holds the key of the personal columns; a database that has such rows does not open without it. `pool_size`:
    connections to a server that are kept (as many again while they are all in use). Raises StartError when the URL is
    no good, its driver is not installed, the key is wrong or the database cannot be opened.
    """
    target = _async_url(url)
    if target.get_backend_name() == "sqlite" and target.database and target.database != ":memory:":
        try:
            Path(target.database).parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StartError(
                worded("database.cannot_make_folder", filename=error.filename, strerror=error.strerror)
            ) from error
    shown = target.render_as_string(hide_password=True)
    database = open_database_unmigrated(url, pool_size, cipher)
    try:
        before = await database.revision()
        await database.migrate()
        await database.check_key()
        if before in PLAIN_REVISIONS:
            await database.forget_old_pages()
    except StartError:
        await database.close()
        raise
    except (Unavailable, DBAPIError) as error:
        await database.close()
        reason = error.__cause__ or error
        raise StartError(worded("database.cannot_open", shown=shown, reason=reason)) from error
    return database


def open_database_unmigrated(url: str, pool_size: int = 10, cipher: FieldCipher | None = None) -> Database:
    """The database as it is; connections are made when they are needed. Raises StartError as `open_database`."""
    target = _async_url(url)
    # A connection that a server has dropped meanwhile is replaced before it is used.
    pool: dict[str, Any] = {}
    if target.get_backend_name() != "sqlite":
        waits: dict[str, Any] = {}
        if target.drivername.endswith("psycopg"):
            waits = {"connect_timeout": _CONNECT_TIMEOUT_S, "application_name": APPLICATION}
        pool = {
            "pool_pre_ping": True, "pool_size": pool_size, "max_overflow": pool_size, "pool_timeout": _POOL_TIMEOUT_S,
            "connect_args": waits,
        }  # fmt: skip
    try:
        engine = create_async_engine(target, hide_parameters=True, **pool)
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        shown = target.render_as_string(hide_password=True)
        raise StartError(worded("database.no_driver", shown=shown, error=error)) from error
    if engine.dialect.name != "sqlite":
        return Database(engine, cipher)
    _prepare_sqlite(engine.sync_engine)
    if target.database in (None, "", ":memory:"):  # no second connection could see it
        return Database(engine, cipher)
    at_once = create_engine(target.set(drivername="sqlite+pysqlite"), hide_parameters=True)
    _prepare_sqlite(at_once)
    return Database(engine, cipher, at_once)


def _async_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StartError(worded("database.bad_url")) from error
    return parsed.set(drivername=_ASYNC_DRIVERS.get(parsed.drivername, parsed.drivername))


def _prepare_sqlite(engine: Engine) -> None:
    @event.listens_for(engine, "connect")
    def connected(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver's own BEGIN comes too late (not before DDL); ours is below
        cursor = connection.cursor()
        cursor.execute(f"PRAGMA busy_timeout = {_BUSY_TIMEOUT_S * 1000}")
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA secure_delete = ON")  # what is deleted or overwritten leaves no trace in the file
        cursor.close()

    @event.listens_for(engine, "begin")
    def begun(connection: Connection) -> None:
        connection.exec_driver_sql(connection.get_execution_options().get("sqlite_begin", "BEGIN"))


def _upgrade(connection: Connection, cipher: FieldCipher | None) -> None:
    config = Config()
    config.attributes["cipher"] = cipher
    config.set_main_option("script_location", str(ROOT / "migrations").replace("%", "%%"))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")


@asynccontextmanager
async def _begun(engine: AsyncEngine) -> AsyncIterator[AsyncConnection]:
    async with AsyncExitStack() as stack:
        async for attempt in AsyncRetrying(**_AGAIN):
            with attempt:
                connection = await stack.enter_async_context(engine.begin())
        yield connection


@asynccontextmanager
async def _translated(folder: Path | None) -> AsyncIterator[None]:
    try:
        yield
    except (OperationalError, InterfaceError, PoolTimeout) as error:
        raise storage_fault(error, folder, _DOWN) from error
