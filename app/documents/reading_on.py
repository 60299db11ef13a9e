"""Documents that would have delayed a start or a turn are read behind everybody's back, one after the other."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from pathlib import Path

from app.adapters.file_lock import try_file_lock
from app.errors import AppError

log = logging.getLogger(__name__)

_POLL_S, _LEAVE_S = 1.0, 5.0


class ReadingOn:
    """One thread that calls `step` for a project until that answers False; several processes take turns."""

    def __init__(self, folder: Path, step: Callable[[str], bool]) -> None:
        self._folder, self._step = folder, step
        self.stop = threading.Event()
        self._wanted: list[str] = []
        self._thread: threading.Thread | None = None
        self._changing = threading.Lock()

    def want(self, project: str) -> None:
        """The project has files that wait."""
        with self._changing:
            if self.stop.is_set() or project in self._wanted:
                return
            self._wanted.append(project)
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="documents", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop within the step of some 0.1 s that is going on; what was not read waits for the next start."""
        self.stop.set()
        thread = self._thread
        if thread is not None:
            thread.join(_LEAVE_S)

    def _run(self) -> None:
        while not self.stop.is_set():
            with self._changing:
                if not self._wanted:
                    self._thread = None
                    return
                project = self._wanted[0]
            try:
                with try_file_lock(self._folder / f"documents-{project}.reading.lock") as taken:
                    more = taken and self._step(project)
                if not taken:
                    self.stop.wait(_POLL_S)
            except AppError as error:
                log.warning("documents of %s are not read on now: %s", project, error)
                taken, more = True, False
            except Exception:  # nobody waits for this thread: the log alone can hear of it
                log.exception("documents of %s are not read on", project)
                taken, more = True, False
            if taken and not more:
                with self._changing:
                    self._wanted.remove(project)
