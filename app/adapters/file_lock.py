"""One process at a time, told by a file."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from app.errors import IndexBuildError
from app.messages import worded


@contextlib.contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """One writer at a time between processes; the system lets go of it when a process dies."""
    with _opened(path) as opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def try_file_lock(path: Path) -> Iterator[bool]:
    """As `file_lock`, without waiting: False where another process has it. Raises IndexBuildError."""
    with _opened(path) as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _opened(path: Path) -> TextIO:
    try:
        return path.open("w", encoding="ascii")
    except OSError as error:
        raise IndexBuildError(worded("file_lock.cannot_make", path=path, strerror=error.strerror)) from error
