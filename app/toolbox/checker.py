"""Tries a module out in another process before it may run in this one."""

from __future__ import annotations

import json
import logging
import os
import select
import subprocess
import sys
import threading
import time
from contextlib import suppress

from app.messages import worded
from app.settings import ROOT

log = logging.getLogger(__name__)

_START_S = 60.0  # importing what the tools need takes seconds on a busy machine
_SLACK_S = 5.0
_KILLED_S = 1.0


class ModuleChecker:
    """One helper process, started at the first check; it leaves by itself when idle. Safe to call from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._helper: subprocess.Popen[bytes] | None = None
        self._ended = False

    def fault(self, source: bytes, file: str, name: str, package: str, timeout_s: float) -> str | None:
        """Why this source cannot be imported (it raises, exits, hangs over `timeout_s`); None when it can."""
        request = {"file": file, "name": name, "package": package, "timeout_s": timeout_s, "size": len(source)}
        with self._lock:
            for _ in range(2):  # the helper may have left for want of work just now
                if self._ended:
                    break
                helper = self._running()
                answer = self._asked(helper, json.dumps(request).encode() + b"\n" + source, timeout_s + _SLACK_S)
                if answer is not None:
                    fault: str | None = json.loads(answer)["fault"]
                    return fault
                self._stop()
        return worded("checker.no_process")

    def close(self) -> None:
        """Stop the helper."""
        with self._lock:
            self._stop()

    def kill(self) -> None:
        """Stop the helper for good, whoever waits for it."""
        self._ended = True
        helper = self._helper
        if helper is not None:
            helper.kill()
            with suppress(subprocess.TimeoutExpired):
                helper.wait(_KILLED_S)
            for pipe in (helper.stdin, helper.stdout):
                if pipe is not None:
                    pipe.close()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._helper is None or self._helper.poll() is not None:
            self._stop()
            self._helper = subprocess.Popen(
                [sys.executable, "-m", "app.toolbox.check_module"],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
            if _line(self._helper, time.monotonic() + _START_S) != b"ready\n":
                log.error(worded("checker.not_started"))
        return self._helper

    @staticmethod
    def _asked(helper: subprocess.Popen[bytes], request: bytes, timeout_s: float) -> bytes | None:
        assert helper.stdin is not None
        try:
            helper.stdin.write(request)
            helper.stdin.flush()
            return _line(helper, time.monotonic() + timeout_s)
        except (OSError, ValueError):  # it left, or was killed and its pipes closed
            return None

    def _stop(self) -> None:
        helper, self._helper = self._helper, None
        if helper is not None:
            helper.kill()
            helper.communicate()


def _line(helper: subprocess.Popen[bytes], deadline: float) -> bytes | None:
    """The next line that the helper writes; None when it left or is late."""
    assert helper.stdout is not None
    pipe, line = helper.stdout.fileno(), b""
    while not line.endswith(b"\n"):
        if not select.select([pipe], [], [], max(deadline - time.monotonic(), 0))[0]:
            return None
        part = os.read(pipe, 65_536)
        if not part:
            return None
        line += part
    return line
