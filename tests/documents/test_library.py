"""Indexing: incremental, restartable, and without a gap for those who search."""

from __future__ import annotations

import contextlib
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from app.documents.library import DocumentLibrary
from app.documents.search import SearchRequest
from app.documents.store import ChunkStore, FileRow
from app.errors import NotFound

from .conftest import ARTICLES

Make = Callable[[], DocumentLibrary]


def ask(library: DocumentLibrary, query: str, mode: str = "keyword") -> list[str]:
    request = SearchRequest(query=query, mode=mode, project_id="own", similarity_threshold=0.0)
    return [passage.document_id for passage in library.search().search(request).results]


def statuses(library: DocumentLibrary, folder: Path) -> dict[str, str]:
    return {report.source: report.status for report in library.refresh([folder], "own")}


def test_only_what_changed_is_read_again(make_library: Make, folder: Path) -> None:
    library = make_library()
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    (folder / "안내.md").write_text("# 안내\n우산을 빌려 드립니다.\n", encoding="utf-8")
    assert set(statuses(library, folder).values()) == {"ok"}
    (folder / "안내.md").write_text("# 안내\n장화를 빌려 드립니다.\n", encoding="utf-8")
    assert statuses(library, folder) == {"안내.md": "ok", "자전거약관.txt": "unchanged"}
    assert ask(library, "장화") == ["안내"] and ask(library, "우산") == []
    (folder / "안내.md").unlink()
    assert statuses(library, folder)["안내.md"] == "removed"
    assert ask(library, "장화") == []


def test_a_restart_reads_nothing_again(make_library: Make, folder: Path) -> None:
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    make_library().refresh([folder], "own")
    again = make_library()
    assert ask(again, "자기부담금")[0] == "자전거약관"  # opened from disk, before any refresh
    assert statuses(again, folder) == {"자전거약관.txt": "unchanged"}


def test_a_lost_vector_is_made_again_and_an_orphan_is_pruned(make_library: Make, folder: Path) -> None:
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    library = make_library()
    library.refresh([folder], "own")
    collection = library.project("own").collection
    loaded = collection.load()
    collection.delete([loaded.ids[0]])
    collection.upsert(["orphan"], loaded.matrix[:1], [{"source": "gone"}])
    library.refresh([folder], "own")
    assert set(collection.load().ids) == set(loaded.ids)


def test_bad_files_are_reported_and_the_rest_goes_on(make_library: Make, folder: Path) -> None:
    (folder / "good.txt").write_text(ARTICLES, encoding="utf-8")
    (folder / "twin.txt").write_text(ARTICLES, encoding="utf-8")
    (folder / "empty.pdf").write_bytes(b"")
    reports = {report.source: report for report in make_library().refresh([folder], "own")}
    assert reports["good.txt"].status == "ok"
    assert "빈 파일" in reports["empty.pdf"].reason
    assert "내용이 같은" in reports["twin.txt"].reason


def test_searching_goes_on_while_a_document_is_replaced(make_library: Make, folder: Path) -> None:
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    library = make_library()
    library.refresh([folder], "own")
    stop, missed = threading.Event(), []

    def look() -> None:
        while not stop.is_set():
            if "자전거약관" not in ask(library, "소멸시효"):
                missed.append(1)

    looker = threading.Thread(target=look)
    looker.start()
    try:
        for days in range(4, 8):
            (folder / "자전거약관.txt").write_text(ARTICLES.replace("3일", f"{days}일"), encoding="utf-8")
            library.refresh([folder], "own")
    finally:
        stop.set()
        looker.join()
    assert missed == []


def test_two_refreshes_at_once_leave_one_sound_index(make_library: Make, folder: Path) -> None:
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    library = make_library()
    workers = [threading.Thread(target=library.refresh, args=([folder], "own")) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    ranker = library.ranker("own")
    assert ranker is not None and len(ranker.snapshot.chunks) == 6
    assert library.project("own").collection.count() == 6


def test_chroma_rows_carry_the_promised_metadata_and_no_text(make_library: Make, folder: Path) -> None:
    (folder / "자전거약관.txt").write_text(ARTICLES, encoding="utf-8")
    library = make_library()
    library.refresh([folder], "own")
    row = library.project("own").collection.load().metadatas[0]
    assert set(row) == {"source", "product_code", "doc_version", "doc_id", "page", "heading_path", "kind"}


def test_an_unknown_project_is_an_error(make_library: Make) -> None:
    with pytest.raises(NotFound):
        make_library().search().search(SearchRequest(query="아무거나", project_id="nothing"))


def test_the_tables_of_an_older_version_are_laid_out_anew(tmp_path: Path) -> None:
    path = tmp_path / "documents-insurance.sqlite"
    with contextlib.closing(sqlite3.connect(path)) as older, older:
        older.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)")
        older.execute("INSERT INTO meta VALUES ('stamp', '1:older')")
        older.execute("CREATE TABLE files (source TEXT PRIMARY KEY)")
        older.execute("CREATE TABLE chunks (source TEXT, position INTEGER, id TEXT, body TEXT, terms TEXT)")
    store = ChunkStore(path, "now")
    row = FileRow("a.txt", "digest", "a", "제목", "terms", "", "", 1)
    store.put(row, [], [], [], [])
    assert store.files() == {"a.txt": row}
