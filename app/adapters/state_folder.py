"""The folder that holds everything written."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from app.errors import StartError
from app.messages import worded

_LEAST_FREE_BYTES = 200 * 1024 * 1024


def prepare_state_folder(folder: Path) -> None:
    """Make the folder and see that it can be written. Raises StartError where it cannot, or where the disk is full."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # a name of its own for each worker: several start at once in one folder
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StartError(worded("state_folder.cannot_write", folder=folder, strerror=error.strerror)) from error
    free = shutil.disk_usage(folder).free
    if free < _LEAST_FREE_BYTES:
        raise StartError(
            worded("state_folder.disk_full", free=free // 2**20, least_free_bytes=_LEAST_FREE_BYTES // 2**20)
        )


def owned_alike(path: Path, folder: Path) -> None:
    """Give what root made in the folder to the folder's owner: the server may run as another user than the command."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.chown(path, owner.st_uid, owner.st_gid)
