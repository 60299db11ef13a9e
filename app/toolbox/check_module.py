"""The trial run of tool modules: a small process that forks a child for each one, so that a module which hangs, exits
or takes its process down harms nobody. Started by app.toolbox.checker; leaves when nobody asks for a while.

A request is a line of JSON (`file`, `name`, `package`, `timeout_s`) and the source, `size` bytes of it; the answer is
a line of JSON with `fault`: None, or why the module cannot be imported.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import time
from typing import BinaryIO, cast

from app.messages import worded
from app.toolbox.loader import BUILTIN_MODULES
from app.toolbox.module_code import execute, fault_of

IDLE_S = 120.0


def main() -> None:
    """Serve until the other end is closed or IDLE_S pass without a request."""
    # What the shipped modules import is imported once, here; each child then has it for nothing.
    for name in BUILTIN_MODULES:
        __import__(f"app.tools.{name}")
    # The answers' channel is kept to ourselves: whatever a module prints goes nowhere.
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    answers.write(b"ready\n")
    answers.flush()
    requests = os.fdopen(os.dup(0), "rb", buffering=0)
    os.dup2(nowhere, 0)
    while select.select([requests], [], [], IDLE_S)[0]:
        head = _line(requests)
        if not head:
            return
        request = json.loads(head)
        source = _exactly(requests, request["size"])
        fault = _tried(source, request["file"], request["name"], request["package"], request["timeout_s"])
        answers.write(json.dumps({"fault": fault}, ensure_ascii=False).encode() + b"\n")
        answers.flush()


def _tried(source: bytes, file: str, name: str, package: str, timeout_s: float) -> str | None:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.close(reading)
        fault = _ran(source, file, name, package)
        os.write(writing, json.dumps(fault, ensure_ascii=False).encode()[:60_000])
        os._exit(0)
    os.close(writing)
    told = _until(reading, time.monotonic() + timeout_s)
    os.close(reading)
    try:
        os.killpg(child, signal.SIGKILL)  # whatever it started goes with it
    except ProcessLookupError:
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if told is None:
        return worded("check_module.too_slow", timeout_s=timeout_s)
    if not told:
        return worded("check_module.ended", code=os.waitstatus_to_exitcode(status))
    return cast(str | None, json.loads(told))


def _ran(source: bytes, file: str, name: str, package: str) -> str | None:
    try:
        execute(source, file, name, package)
    except BaseException as error:  # sys.exit and the like too: the child only tells what came of it
        return fault_of(error, file)
    return None


def _until(pipe: int, deadline: float) -> bytes | None:
    """Everything that comes through the pipe; None when it is still open at the deadline."""
    parts: list[bytes] = []
    while select.select([pipe], [], [], max(deadline - time.monotonic(), 0))[0]:
        part = os.read(pipe, 65_536)
        if not part:
            return b"".join(parts)
        parts.append(part)
        if part.endswith((b'"', b"null")):
            return b"".join(parts)
    return None


def _line(stream: BinaryIO) -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        byte = stream.read(1)
        if not byte:
            return b""
        line += byte
    return line


def _exactly(stream: BinaryIO, size: int) -> bytes:
    parts: list[bytes] = []
    while size > 0:
        part = stream.read(size)
        if not part:
            sys.exit(0)
        parts.append(part)
        size -= len(part)
    return b"".join(parts)


if __name__ == "__main__":
    main()
