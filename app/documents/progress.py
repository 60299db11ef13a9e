"""A progress bar on stderr that shows only for work that takes longer than a moment."""

from __future__ import annotations

import sys
import time
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

_PATIENCE_S = 2.0


class Progress:
    """`advance` after each of `total` steps; nothing is drawn before 2 s are over, nor when stderr is no terminal."""

    def __init__(self, label: str, total: int) -> None:
        self._label, self._total, self._done = label, total, 0
        self._begun = time.monotonic()
        self._bar: Bar | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def advance(self, name: str) -> None:
        """One step is done; `name` is shown."""
        self._done += 1
        late = time.monotonic() - self._begun > _PATIENCE_S
        if self._bar is None and late and self._done < self._total and sys.stderr.isatty():
            self._bar = Bar(
                TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                TextColumn("{task.fields[name]}"), console=Console(stderr=True), transient=True,
            )  # fmt: skip
            self._task = self._bar.add_task(self._label, total=self._total, name="")
            self._bar.start()
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._done, name=name)
