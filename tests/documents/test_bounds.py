"""No document keeps a server busy: lines, passages and time are bounded, a bad file never delays a start."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from app.documents.bounds import MAX_LINES, MAX_PASSAGES, Patience
from app.documents.faults import OutOfTime, UnreadableFile
from app.documents.ingest import DEATHS
from app.documents.library import IN_LINE_S, DocumentLibrary
from app.documents.loader import FoundFile, load_file
from app.documents.search import SearchRequest
from app.documents.splitter import Splitter
from app.documents.trial import try_file
from app.errors import Unavailable
from app.language.tokenizer import Tokenizer

from .conftest import ARTICLES
from .test_faults import start

Make = Callable[[], DocumentLibrary]
ONE_LINE = "보험금을 지급합니다 " * 640_000  # 18 MB


def endless(megabytes: float) -> str:
    """Lines of a length that is allowed, on which the analyser takes longest: one word, no sentence, no blank."""
    lines = int(megabytes * 2**20 / 3 / 9_990)
    return "\n".join(f"{number:04}" + "가" * 9_986 for number in range(lines))


def found(library: DocumentLibrary, query: str) -> list[str]:
    request = SearchRequest(query=query, mode="keyword", project_id="own")
    return [passage.document_id for passage in library.search().search(request).results]


async def test_a_text_of_18_mb_in_one_line_is_refused_within_10_s(tmp_path: Path) -> None:
    path = tmp_path / "한줄.txt"
    path.write_text(ONE_LINE, encoding="utf-8")
    assert path.stat().st_size > 17 * 2**20
    begun = time.monotonic()
    with pytest.raises(UnreadableFile, match="한 줄이 너무 깁니다"):
        await try_file(path, path.name)
    assert time.monotonic() - begun < 10


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("줄\n" * (MAX_LINES + 1), "줄이 너무 많습니다"),
        ("\f".join(["쪽"] * 5_002), "텍스트 문서가 너무 깁니다"),
        (f"| 이름 | 값 |\n|---|---|\n| {'가' * 10_001} | 1 |\n", "한 줄이 너무 깁니다"),
    ],
    ids=["lines", "pages", "cells"],
)
def test_a_file_of_more_than_people_write_is_refused(tmp_path: Path, text: str, told: str) -> None:
    (tmp_path / "큰.txt").write_text(text, encoding="utf-8")
    with pytest.raises(UnreadableFile, match=told):
        load_file(FoundFile(tmp_path / "큰.txt", "큰.txt"))


def test_a_file_of_too_many_passages_is_refused(tmp_path: Path, tokenizer: Tokenizer) -> None:
    text = "\n".join(f"# {number}\n{number}원을 냅니다." for number in range(1, MAX_PASSAGES + 2))
    (tmp_path / "조문.txt").write_text(text, encoding="utf-8")
    document = load_file(FoundFile(tmp_path / "조문.txt", "조문.txt"))
    with pytest.raises(UnreadableFile, match="문단이 너무 많은"):
        Splitter(500, 100, tokenizer.sentences).split(document)


def test_what_cannot_be_read_in_time_is_given_up_long_before(tmp_path: Path, tokenizer: Tokenizer) -> None:
    (tmp_path / "끝없는.txt").write_text(endless(17), encoding="utf-8")
    document = load_file(FoundFile(tmp_path / "끝없는.txt", "끝없는.txt"))
    begun = time.monotonic()
    with pytest.raises(OutOfTime, match="나눠 다시 올려"):
        Splitter(500, 100, tokenizer.sentences).split(document, Patience())
    assert time.monotonic() - begun < 10


def test_reading_ends_when_the_server_stops() -> None:
    stop = threading.Event()
    patience = Patience(60, stop)
    patience.check()
    stop.set()
    with pytest.raises(Unavailable, match="멈추고"):
        patience.check()


def test_what_would_delay_a_start_is_told_and_read_behind(make_library: Make, folder: Path) -> None:
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    library = make_library()
    [report] = library.refresh([folder], "own", remember=True, within_s=0.0)
    assert report.status == "waiting" and "읽는 중" in report.reason
    deadline = time.monotonic() + 60
    while not found(library, "자기부담금") and time.monotonic() < deadline:
        assert [item.status for item in library.left_out("own")] in (["waiting"], [])
        time.sleep(0.05)
    assert found(library, "자기부담금")[0] == "자전거약관" and library.left_out("own") == ()
    library.close()


def test_a_file_that_takes_long_delays_no_start_and_a_stop_ends_its_reading(make_library: Make, folder: Path) -> None:
    (folder / "끝없는.txt").write_text(endless(2), encoding="utf-8")
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    library = make_library()
    begun = time.monotonic()
    library.refresh([folder], "own", remember=True, within_s=1.0)
    assert time.monotonic() - begun < 1.0 + IN_LINE_S
    begun = time.monotonic()
    library.close()
    assert time.monotonic() - begun < 4
    assert any(item.status == "waiting" for item in library.left_out("own"))


def test_a_file_that_the_server_keeps_dying_of_is_set_aside_and_told(
    make_library: Make, folder: Path, tmp_path: Path
) -> None:
    (folder / "끝없는.txt").write_text(endless(8), encoding="utf-8")
    state = tmp_path / "state"
    for _ in range(DEATHS):
        kill_while_reading(start(state, folder), state)
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    library = make_library()
    begun = time.monotonic()
    reports = {report.source: report for report in library.refresh([folder], "own")}
    assert time.monotonic() - begun < 10
    assert reports["끝없는.txt"].status == "skipped" and "거듭 멈춰" in reports["끝없는.txt"].reason
    assert found(library, "자기부담금")[0] == "자전거약관"


def kill_while_reading(worker: subprocess.Popen[bytes], state: Path) -> None:
    """kill -9 as soon as the process has begun with the file."""
    before, deadline = reading(state), time.monotonic() + 120
    try:
        while (now := reading(state)) in ("", before):
            assert worker.poll() is None and time.monotonic() < deadline, "it ended by itself"
            time.sleep(0.05)
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
    assert now


def reading(state: Path) -> str:
    """What the store notes of the file that is being read; read from outside."""
    path = state / "documents-own.sqlite"
    if not path.is_file():
        return ""
    with closing(sqlite3.connect(path)) as connection:
        try:
            row = connection.execute("SELECT value FROM meta WHERE key = 'reading:끝없는.txt'").fetchone()
        except sqlite3.OperationalError:  # not made yet
            return ""
    return str(row[0]) if row else ""
