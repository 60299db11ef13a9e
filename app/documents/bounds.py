"""How much a document may hold and how long reading it may take, so that no file keeps a server busy."""

from __future__ import annotations

import threading
import time

from app.documents.faults import FileTooLarge, OutOfTime, UnreadableFile
from app.errors import Unavailable

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
            raise Unavailable("서버가 멈추고 있어 문서를 읽지 못했습니다. 다시 시작되면 이어서 읽습니다.")
        now = time.monotonic()
        passed, here = now - self._begun, now - self._stage
        if share > 0 and here > _LOOK_S:
            passed += here * (1 - min(share, 1.0)) / min(share, 1.0)
        if passed > self.limit_s:
            raise OutOfTime(
                f"이 파일은 {self.limit_s:g}초 안에 읽을 수 없어 넣지 않았습니다. 여러 파일로 나눠 다시 올려 주세요."
            )


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
        raise UnreadableFile(f"줄이 너무 많습니다({count:,}줄). {MAX_LINES:,}줄 이하의 파일로 나눠 주세요.")
    check_line(longest)


def check_line(chars: int) -> None:
    """Raises UnreadableFile for a line that is none for people."""
    if chars > MAX_LINE_CHARS:
        raise UnreadableFile(
            f"한 줄이 너무 깁니다({chars:,}자). 문단마다 줄을 바꿔 한 줄을 {MAX_LINE_CHARS:,}자 이하로 해 주세요."
        )


def check_pages(count: int, kind: str) -> None:
    """Raises FileTooLarge. `kind` is told: PDF or 텍스트."""
    if count > MAX_PAGES:
        raise FileTooLarge(f"{kind} 문서가 너무 깁니다({count:,}쪽). {MAX_PAGES:,}쪽 이하로 나눠 주세요.")


def check_passages(count: int) -> None:
    """Raises UnreadableFile for a document of more passages than MAX_PASSAGES."""
    if count > MAX_PASSAGES:
        raise UnreadableFile(
            f"문단이 너무 많은 문서입니다({MAX_PASSAGES:,}개 초과). 여러 파일로 나눠 다시 올려 주세요."
        )


def check_chars(count: int) -> None:
    """Raises FileTooLarge for a document of more letters than MAX_CHARS, table headers counted in every row."""
    if count > MAX_CHARS:
        raise FileTooLarge(f"글자가 너무 많은 문서입니다({MAX_CHARS:,}자 초과). 여러 파일로 나눠 주세요.")
