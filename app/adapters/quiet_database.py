"""Commands that change everything at once: nobody else uses the state folder or, on a server, the database."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy import make_url, text

from app.adapters.database import APPLICATION, Database
from app.adapters.state_lock import folder_alone
from app.errors import Conflict, StartError, Unavailable
from app.messages import worded
from app.settings import Settings

_COMMAND = "insurance-assistant-command"
_ALONE = 7_203_514  # Postgres advisory lock: held by a command, looked at by whoever starts
_LEAVE_S, _POLL_S = 3.0, 0.1  # a server that was stopped just now still closes its connections
_OTHERS = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = %s"


@contextmanager
def undisturbed(settings: Settings) -> Iterator[None]:
    """Nobody else uses what these settings name, and nobody starts to. Raises Conflict where somebody does."""
    with folder_alone(settings.data_dir):
        url = make_url(settings.effective_database_url)
        if url.get_backend_name() not in ("postgresql", "postgres"):
            yield
            return
        place = url.set(drivername="postgresql").render_as_string(hide_password=False)
        try:
            connection = psycopg.connect(place, autocommit=True, application_name=_COMMAND, connect_timeout=10)
        except psycopg.OperationalError as error:
            raise Unavailable(worded("quiet_database.cannot_connect", error=error)) from error
        with connection:
            _take(connection)
            try:
                yield
            finally:  # the server notices a closed connection only some moments later
                connection.execute("SELECT pg_advisory_unlock(%s)", (_ALONE,))


def _take(connection: psycopg.Connection) -> None:
    """The lock first: who starts afterwards sees it, who started before is counted."""
    deadline = time.monotonic() + _LEAVE_S
    while True:
        [held] = connection.execute("SELECT pg_try_advisory_lock(%s)", (_ALONE,)).fetchone() or (False,)
        [others] = connection.execute(_OTHERS, (APPLICATION,)).fetchone() or (0,)
        if held and not others:
            return
        if held:
            connection.execute("SELECT pg_advisory_unlock(%s)", (_ALONE,))
        if time.monotonic() >= deadline:
            raise Conflict(worded("quiet_database.in_use", others=others))
        time.sleep(_POLL_S)


async def admitted(database: Database) -> None:
    """Raises StartError while a command has the database for itself."""
    if database.dialect == "sqlite":  # the lock of the state folder says it
        return
    async with database.reading() as connection:
        query = text("SELECT pg_try_advisory_xact_lock_shared(:key)")
        if not (await connection.execute(query, {"key": _ALONE})).scalar_one():
            raise StartError(worded("quiet_database.restoring"))
