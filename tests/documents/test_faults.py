"""What may go wrong while documents are taken in: a kill at any moment, two at once, files made to do harm."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from app.documents.faults import UnreadableFile
from app.documents.library import DocumentLibrary
from app.documents.loader import FoundFile, load_file
from app.documents.search import SearchRequest
from app.settings import ROOT

from .conftest import ARTICLES
from .faulty import huge_image, huge_page, stream_bomb

Make = Callable[[], DocumentLibrary]
INGEST = """
import sys
from pathlib import Path
from app.adapters.embeddings import build_embedder
from app.adapters.vector_store import ChromaStore
from app.documents.library import open_library
from app.insurance.catalogue import load_catalogue
from app.language.tokenizer import Tokenizer
from app.settings import Settings
settings = Settings(data_dir=Path(sys.argv[1]))
catalogue = load_catalogue(settings.content_dir, settings.company_name)
library = open_library(
    settings, catalogue, build_embedder(settings), Tokenizer(), ChromaStore(settings.chroma_path)
)
library.refresh([Path(sys.argv[2])], "own")
"""


def start(state: Path, folder: Path) -> subprocess.Popen[bytes]:
    """A process of its own that takes in the folder."""
    return subprocess.Popen(
        [sys.executable, "-c", INGEST, str(state), str(folder)], cwd=ROOT, stdout=subprocess.DEVNULL
    )


def write_many(folder: Path, count: int) -> None:
    for number in range(count):
        text = "".join(
            f"제{article}조(조문 {number}-{article}) 문서 {number}의 {article}번째 조문은 {article}원을 정합니다.\n"
            for article in range(1, 60)
        )
        (folder / f"문서{number:02}약관.txt").write_text(text, encoding="utf-8")


def taken_in(state: Path) -> int:
    """Files in the store, read from outside."""
    path = state / "documents-own.sqlite"
    if not path.is_file():
        return 0
    connection = sqlite3.connect(path)
    try:
        return int(connection.execute("SELECT count(*) FROM files").fetchone()[0])
    except sqlite3.OperationalError:  # not made yet
        return 0
    finally:
        connection.close()


def assert_sound(library: DocumentLibrary, documents: int) -> None:
    """Store, vectors and snapshot hold the same, and all of it."""
    ranker = library.ranker("own")
    assert ranker is not None
    ids = [chunk.id for chunk in ranker.snapshot.chunks]
    assert len(ids) == len(set(ids)) == documents * 59
    assert set(library.project("own").collection.load().ids) == set(ids)
    assert len(library.documents("own")) == documents


def test_a_kill_while_reading_leaves_what_the_next_start_completes(
    make_library: Make, folder: Path, tmp_path: Path
) -> None:
    write_many(folder, 12)
    state = tmp_path / "state"
    worker = start(state, folder)
    try:
        deadline = time.monotonic() + 120
        while taken_in(state) < 3 and worker.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
    finally:
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait()
    before = taken_in(state)
    assert before >= 3
    library = make_library()
    reports = library.refresh([folder], "own")
    assert {report.status for report in reports} <= {"ok", "unchanged"}
    assert sum(report.status == "unchanged" for report in reports) == before
    assert_sound(library, 12)


def test_two_processes_at_once_leave_one_sound_index(make_library: Make, folder: Path, tmp_path: Path) -> None:
    write_many(folder, 4)
    workers = [start(tmp_path / "state", folder) for _ in range(2)]
    assert [worker.wait(timeout=180) for worker in workers] == [0, 0]
    library = make_library()
    assert {report.status for report in library.refresh([folder], "own")} == {"unchanged"}
    assert_sound(library, 4)


def bomb(path: Path) -> None:
    path.write_bytes(stream_bomb(path))


@pytest.mark.parametrize(
    ("make", "told"), [(bomb, "압축을 풀면"), (huge_image, "그림이 너무 큽니다"), (huge_page, "쪽이 너무 큽니다")]
)
def test_a_pdf_that_would_blow_up_is_refused_quickly(make: Callable[[Path], None], told: str, tmp_path: Path) -> None:
    make(tmp_path / "bad.pdf")
    begun = time.process_time()
    with pytest.raises(UnreadableFile, match=told):
        load_file(FoundFile(tmp_path / "bad.pdf", "bad.pdf"))
    assert time.process_time() - begun < 5


def test_files_of_one_name_in_two_folders_are_two_documents(make_library: Make, folder: Path) -> None:
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "약관.txt").write_text(ARTICLES.replace("자전거", f"자전거{name}"), encoding="utf-8")
    library = make_library()
    library.refresh([folder], "own")
    found = library.documents("own")
    assert len({item.document_id for item in found}) == 2
    request = SearchRequest(query="자전거b 도둑", mode="keyword", project_id="own")
    assert library.search().search(request).results[0].path == "b/약관.txt"


def test_a_project_of_any_allowed_name_can_be_opened(make_library: Make, folder: Path) -> None:
    (folder / "약관.txt").write_text(ARTICLES, encoding="utf-8")
    library = make_library()
    for name in ("a", "-x-", "..", "a..b", "A_b-1.c", "x" * 64):
        library.refresh([folder], name)
        assert library.search().search(SearchRequest(query="소멸시효", mode="keyword", project_id=name)).results
