"""Who uses the state folder: servers and scripts side by side, or one command that must have it alone.

A lock of the system on a file of the folder; it goes with the process that held it, however that ended.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from app.adapters.state_folder import owned_alike
from app.adapters.state_swap import clear_away, finish, unfinished
from app.errors import AppError, Conflict, StartError
from app.messages import worded

LOCK_FILE = "in-use.lock"
_WAIT_S, _POLL_S = 10.0, 0.05  # another worker that ends a swap is done in far less
_SET_ASIDE = worded("state_lock.restoring")
_IN_USE = worded("state_lock.in_use")


@contextmanager
def shared_folder(folder: Path) -> Iterator[None]:
    """The folder beside others that share it, whole: a swap that was cut off is ended first.

    Raises StartError while a command has the folder alone, or where the folder takes no lock.
    """
    with _opened(folder) as handle:
        while True:
            _take(handle, fcntl.LOCK_SH, _WAIT_S, StartError(_SET_ASIDE.format(folder)))
            if not unfinished(folder):
                break
            fcntl.flock(handle, fcntl.LOCK_UN)
            _take(handle, fcntl.LOCK_EX, _WAIT_S, StartError(_SET_ASIDE.format(folder)))
            finish(folder)
        clear_away(folder)
        yield


@contextmanager
def folder_alone(folder: Path) -> Iterator[None]:
    """The folder while nobody else uses it. Raises Conflict at once where somebody does.

    A swap that was cut off is left to the caller: see state_swap.py.
    """
    with _opened(folder) as handle:
        _take(handle, fcntl.LOCK_EX, 0.0, Conflict(_IN_USE.format(folder)))
        clear_away(folder)
        yield


@contextmanager
def _opened(folder: Path) -> Iterator[int]:
    path = folder / LOCK_FILE
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise StartError(worded("state_lock.cannot_write", path=path, strerror=error.strerror)) from error
    try:
        owned_alike(path, folder)
        yield handle
    finally:
        os.close(handle)


def _take(handle: int, kind: int, wait_s: float, refusal: AppError) -> None:
    deadline = time.monotonic() + wait_s
    while True:
        try:
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                raise refusal from None
            time.sleep(_POLL_S)
        else:
            return
