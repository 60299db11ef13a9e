"""How much a document may hold and how long reading it may take, so that no file keeps a server busy."""

from __future__ import annotations

import threading
import time

from app.documents.faults import FileTooLarge, OutOfTime, UnreadableFile
from app.errors import Unavailable
from app.messages import worded

MAX_PAGES = 5_000
MAX_LINES = 300_000
"""Of a text; MAX_PAGES pages hold 140,000 lines at the 27 a page of the shipped documents."""
MAX_LINE_CHARS = 10_000
"""The longest line of the shipped documents has 173 letters, their longest paragraph 353."""
MAX_PARAGRAPH_CHARS = 4_000
"""Lines are joined, and sentences looked for, up to here: the analyser's time grows faster than the text (20,000
letters take it 0.6 s, 200,000 take 7 to 25 s), and every other reader waits for it meanwhile."""
MAX_HEADING_CHARS = 200
MAX_CHARS = 30_000_000
MAX_PASSAGES = 30_000
"""Of one document: MAX_PAGES pages of six passages, as many as the shipped policies have."""
READING_S = 120.0
"""For one document; some 6 million letters of plain text where two cores are free."""
_LOOK_S = 4.0
"""After so long a stage knows how long it will take; what is hopeless is told then and not at the end."""


class Patience:
    """How long one document may take. `stop` is set when the process is to end."""

    def __init__(self, limit_s: float = READING_S, stop: threading.Event | None = None) -> None:
        self.limit_s, self._stop = limit_s, stop
        self._begun = self._stage = time.monotonic()

    def stage(self) -> None:
        """Another kind of work begins, of which nothing is done yet."""
        self._stage = time.monotonic()

    def check(self, share: float = 0.0) -> None:
        """Called between steps of some 0.1 s; `share` of the stage is done (0: not known).

        Raises OutOfTime when the time is over or will be before the stage is done, Unavailable at a stop.
        """
        if self._stop is not None and self._stop.is_set():
            raise Unavailable(worded("bounds.stopping"))
        now = time.monotonic()
        passed, here = now - self._begun, now - self._stage
        if share > 0 and here > _LOOK_S:
            passed += here * (1 - min(share, 1.0)) / min(share, 1.0)
        if passed > self.limit_s:
            raise OutOfTime(worded("bounds.too_slow", limit_s=self.limit_s))


class Share:
    """How much of a stage is done, of `whole` letters."""

    def __init__(self, patience: Patience, whole: int) -> None:
        self._patience, self._whole, self._done = patience, max(1, whole), 0

    def add(self, letters: int) -> None:
        """These are about to be done. Raises what `Patience.check` raises."""
        self._patience.check(self._done / self._whole)
        self._done += letters


def check_lines(count: int, longest: int) -> None:
    """Raises UnreadableFile for more or longer lines than a document for people has."""
    if count > MAX_LINES:
        raise UnreadableFile(worded("bounds.lines", count=count, max_lines=MAX_LINES))
    check_line(longest)


def check_line(chars: int) -> None:
    """Raises UnreadableFile for a line that is none for people."""
    if chars > MAX_LINE_CHARS:
        raise UnreadableFile(worded("bounds.line_length", chars=chars, max_line_chars=MAX_LINE_CHARS))


def check_pages(count: int, kind: str) -> None:
    """Raises FileTooLarge. `kind` is told: PDF or 텍스트."""
    if count > MAX_PAGES:
        raise FileTooLarge(worded("bounds.pages", kind=kind, count=count, max_pages=MAX_PAGES))


def check_passages(count: int) -> None:
    """Raises UnreadableFile for a document of more passages than MAX_PASSAGES."""
    if count > MAX_PASSAGES:
        raise UnreadableFile(worded("bounds.passages", max_passages=MAX_PASSAGES))


def check_chars(count: int) -> None:
    """Raises FileTooLarge for a document of more letters than MAX_CHARS, table headers counted in every row."""
    if count > MAX_CHARS:
        raise FileTooLarge(worded("bounds.chars", max_chars=MAX_CHARS))
