"""One process at a time, told by a file."""

from __future__ import annotations

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path

from app.errors import IndexBuildError


@contextlib.contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """One writer at a time between processes; the system lets go of it when a process dies."""
    try:
        opened = path.open("w", encoding="ascii")
    except OSError as error:
        raise IndexBuildError(
            f"잠금 파일 {path}을(를) 만들 수 없습니다({error.strerror}). 쓰기 권한을 확인해 주세요."
        ) from error
    with opened:
        fcntl.flock(opened, fcntl.LOCK_EX)
        yield
