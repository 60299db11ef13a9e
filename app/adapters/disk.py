"""A full disk, told for what it is: by whatever error it shows itself, and before it costs an answer."""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
from collections.abc import Iterable
from pathlib import Path

import psycopg

from app.errors import DiskFull, Unavailable

LEAST_FREE_BYTES = 16 * 2**20
"""Below it nothing is begun any more: a turn keeps some 100 kB, and SQLite's log of changes grows to 4 MB."""
_TRIED_BYTES = 64 * 2**10
_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


def is_full(error: BaseException | None) -> bool:
    """Whether this error, or one that it came from, says that there is no room: the system's, SQLite's, Postgres'."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, DiskFull | psycopg.errors.DiskFull):
            return True
        if isinstance(error, OSError) and error.errno in _ERRORS:
            return True
        if isinstance(error, sqlite3.Error) and getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL:
            return True
        error = getattr(error, "orig", None) or error.__cause__
    return False


def storage_fault(error: Exception, folder: Path | None, down: str) -> Unavailable:
    """What people are told of a database that failed with `error`: DiskFull, or Unavailable with `down`.

    SQLite tells a quota that is used up only as a failed write: `folder` is then tried.
    """
    if is_full(error):
        return DiskFull()
    code = getattr(getattr(error, "orig", error), "sqlite_errorcode", 0)
    if folder is not None and code & 0xFF == sqlite3.SQLITE_IOERR:
        try:
            check_room((folder,))
        except (DiskFull, OSError) as tried:
            if is_full(tried):
                return DiskFull()
    return Unavailable(down)


def check_room(folders: Iterable[Path], least_free_bytes: int = LEAST_FREE_BYTES) -> None:
    """Raises DiskFull where a folder's disk takes nothing more, also by a quota."""
    for folder in folders:
        try:
            state = os.statvfs(folder)
            if state.f_bavail * state.f_frsize < least_free_bytes:
                raise DiskFull
            with tempfile.TemporaryFile(dir=folder) as tried:
                tried.write(bytes(_TRIED_BYTES))
                tried.flush()
        except OSError as error:
            if is_full(error):
                raise DiskFull from error
            raise
