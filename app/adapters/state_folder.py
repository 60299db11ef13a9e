"""The folder that holds everything written."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from app.errors import StartError

_LEAST_FREE_BYTES = 200 * 1024 * 1024


def prepare_state_folder(folder: Path) -> None:
    """Make the folder and see that it can be written. Raises StartError where it cannot, or where the disk is full."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        # a name of its own for each worker: several start at once in one folder
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise StartError(
            f"상태 폴더 {folder}에 쓸 수 없습니다({error.strerror}). "
            "권한을 확인하거나 DATA_DIR을 다른 폴더로 바꿔 주세요."
        ) from error
    free = shutil.disk_usage(folder).free
    if free < _LEAST_FREE_BYTES:
        raise StartError(
            f"디스크 공간이 부족합니다({free // 2**20}MB 남음). "
            f"{_LEAST_FREE_BYTES // 2**20}MB 이상 비운 뒤 다시 시작해 주세요."
        )


def owned_alike(path: Path, folder: Path) -> None:
    """Give what root made in the folder to the folder's owner: the server may run as another user than the command."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.chown(path, owner.st_uid, owner.st_gid)
