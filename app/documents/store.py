"""What was read, in SQLite under DATA_DIR: chunks with their terms, so that a restart never runs the analyser again."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from app.documents.shapes import Chunk
from app.errors import IndexBuildError

SCHEMA = "5"
"""Raise when chunks, terms or tables change, so that everything is read anew."""
_TABLES = """
CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS files (
    source TEXT PRIMARY KEY, digest TEXT NOT NULL, doc_id TEXT NOT NULL, title TEXT NOT NULL, kind TEXT NOT NULL,
    product_code TEXT NOT NULL, version TEXT NOT NULL, pages INTEGER NOT NULL, reason TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS chunks (
    source TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, terms TEXT NOT NULL,
    PRIMARY KEY (source, position)
);
"""


@dataclass(frozen=True)
class FileRow:
    """One file as it was last read. `reason` is why it was left out, empty when it was taken."""

    source: str
    digest: str
    doc_id: str
    title: str
    kind: str
    product_code: str
    version: str
    pages: int
    reason: str = ""


class ChunkStore:
    """The SQLite file of one project. Raises IndexBuildError when it cannot be used; a damaged one is made anew."""

    def __init__(self, path: Path, stamp: str) -> None:
        self._path = path
        try:
            self._open(stamp)
        except sqlite3.DatabaseError:
            path.unlink(missing_ok=True)
            try:
                self._open(stamp)
            except sqlite3.Error as error:
                raise IndexBuildError(
                    f"문서 색인 파일 {path}을(를) 쓸 수 없습니다({error}). 쓰기 권한과 디스크 공간을 확인해 주세요."
                ) from error

    def _open(self, stamp: str) -> None:
        with self._connected() as connection:
            connection.executescript(_TABLES)
            wanted = f"{SCHEMA}:{stamp}"
            row = connection.execute("SELECT value FROM meta WHERE key = 'stamp'").fetchone()
            if row is None or row[0] != wanted:
                connection.execute("DELETE FROM files")
                connection.execute("DELETE FROM chunks")
                connection.execute("INSERT OR REPLACE INTO meta VALUES ('stamp', ?)", (wanted,))

    @contextlib.contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        connection = sqlite3.connect(self._path, timeout=30)
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            with connection:
                yield connection
        finally:
            connection.close()

    def files(self) -> dict[str, FileRow]:
        """All files by their source path."""
        with self._connected() as connection:
            rows = connection.execute("SELECT * FROM files ORDER BY source").fetchall()
        return {row[0]: FileRow(*row) for row in rows}

    def put(self, file: FileRow, chunks: Sequence[Chunk], terms: Sequence[Sequence[str]]) -> None:
        """Replace a file's rows in one transaction."""
        rows = [
            (
                file.source,
                position,
                chunk.id,
                json.dumps(dataclasses.asdict(chunk), ensure_ascii=False),
                " ".join(words),
            )
            for position, (chunk, words) in enumerate(zip(chunks, terms, strict=True))
        ]
        with self._connected() as connection:
            connection.execute("DELETE FROM chunks WHERE source = ?", (file.source,))
            connection.execute("INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?,?,?,?)", dataclasses.astuple(file))
            connection.executemany("INSERT INTO chunks VALUES (?,?,?,?,?)", rows)

    def remove(self, sources: Iterable[str]) -> None:
        """Forget files."""
        with self._connected() as connection:
            for source in sources:
                connection.execute("DELETE FROM chunks WHERE source = ?", (source,))
                connection.execute("DELETE FROM files WHERE source = ?", (source,))

    def load(self) -> tuple[list[Chunk], list[list[str]]]:
        """All chunks in document order, with their terms."""
        with self._connected() as connection:
            rows = connection.execute("SELECT body, terms FROM chunks ORDER BY source, position").fetchall()
        return [_chunk(json.loads(body)) for body, _ in rows], [terms.split(" ") if terms else [] for _, terms in rows]

    def meta(self, key: str) -> str:
        """A stored note, '' when there is none."""
        with self._connected() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def note(self, key: str, value: str) -> None:
        """Store a note."""
        with self._connected() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _chunk(body: dict[str, object]) -> Chunk:
    values = dict(body)
    for key in ("heading", "products"):
        values[key] = tuple(values[key])  # type: ignore[arg-type]
    values["marks"] = tuple(tuple(mark) for mark in values["marks"])  # type: ignore[attr-defined]
    return Chunk(**values)  # type: ignore[arg-type]
