"""A copy of this process, made while it still had one thread, that makes further copies on request.

Forking a process that has threads is not safe: whatever lock another thread holds just then (a threaded BLAS, an
allocator, a database) stays locked for ever in the copy, and handlers that run at a fork can hang the process itself.
So the fork happens once, before there are threads; from then on the server, which does nothing but wait and fork, makes
every copy, at any time and as clean as itself. Copies share the memory of what was open at the fork.
"""

from __future__ import annotations

import array
import os
import select
import signal
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import NoReturn

Serve = Callable[[Connection], None]

_LAST_STREAM = 2
_REAP_EVERY_S = 1.0
_MESSAGE_BYTES = 32
_NEW = b"new"


def threads_here() -> int:
    """How many threads this process has, those of libraries included."""
    return len(list(Path("/proc/self/task").iterdir()))


class ForkServer:
    """Forks here and now; each copy calls `serve` with its line to us, and ends when it returns."""

    def __init__(self, serve: Serve) -> None:
        """Call it while this process has one thread (`possible`)."""
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.pid = os.fork()
        if self.pid == 0:
            _serve_forks(theirs, serve)
        theirs.close()

    @staticmethod
    def possible() -> bool:
        """Whether there is a core to spare, and no thread yet."""
        return sys.platform == "linux" and len(os.sched_getaffinity(0)) > 1 and threads_here() == 1

    def new(self) -> Connection:
        """The line to a new copy. Raises OSError where the server is gone or busy."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        given = array.array("i", [theirs.fileno()])
        with theirs, ours:
            self._control.sendmsg([_NEW], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, given)], socket.MSG_DONTWAIT)
            return Connection(ours.detach())

    def end(self, pid: int) -> None:
        """Kill a copy, if it is still there."""
        with suppress(OSError):  # without a server its copies end with their lines
            self._control.send(str(pid).encode(), socket.MSG_DONTWAIT)

    def close(self) -> None:
        """End the server and every copy."""
        self._control.close()
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def _serve_forks(control: socket.socket, serve: Serve) -> NoReturn:
    """The server's whole life: it never goes back to what the forking thread was doing."""
    copies: set[int] = set()
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches all; the parent ends us when its turns are done
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _close_others(control.fileno())
        while True:
            readable = select.select([control], [], [], _REAP_EVERY_S if copies else None)[0]
            while copies and (ended := os.waitpid(-1, os.WNOHANG)[0]):
                copies.discard(ended)
            if not readable:
                continue
            message, lines, _, _ = socket.recv_fds(control, _MESSAGE_BYTES, 1)
            if not message:
                _ended(copies)
            if lines:
                copies.add(_copied(control, lines[0], serve))
            elif (pid := int(message)) in copies:  # a number is ours until it is reaped
                os.kill(pid, signal.SIGKILL)
    except BaseException:  # nobody is here to be told; the parent sees its lines end
        _ended(copies)
    finally:
        os._exit(1)


def _ended(copies: set[int]) -> NoReturn:
    for pid in copies:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    os._exit(0)


def _copied(control: socket.socket, line: int, serve: Serve) -> int:
    pid = os.fork()
    if pid:
        os.close(line)
        return pid
    try:
        control.close()
        serve(Connection(line))
    finally:
        os._exit(0)


def _close_others(ours: int) -> None:
    for fd in map(int, os.listdir("/proc/self/fd")):
        if fd > _LAST_STREAM and fd != ours:
            with suppress(OSError):  # the listing's own is closed by now
                os.close(fd)
