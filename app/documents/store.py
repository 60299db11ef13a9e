"""What was read, in SQLite under DATA_DIR: chunks with their terms, so that a restart never runs the analyser again."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sqlite3
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.documents.shapes import Chunk
from app.errors import IndexBuildError
from app.messages import worded

Floats = NDArray[np.float32]

SCHEMA = "11"
"""Raise when chunks, terms or tables change, so that everything is read anew."""
_META = "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)"
_TABLES = """
CREATE TABLE IF NOT EXISTS files (
    source TEXT PRIMARY KEY, digest TEXT NOT NULL, doc_id TEXT NOT NULL, title TEXT NOT NULL, kind TEXT NOT NULL,
    product_code TEXT NOT NULL, version TEXT NOT NULL, pages INTEGER NOT NULL, reason TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS chunks (
    source TEXT NOT NULL, position INTEGER NOT NULL, id TEXT NOT NULL, body TEXT NOT NULL, terms TEXT NOT NULL,
    title TEXT NOT NULL, meaning BLOB NOT NULL,
    PRIMARY KEY (source, position)
);
"""


@dataclass(frozen=True)
class Stored:
    """Everything that is kept of the chunks, row by row. `titles` are the words of their last headings."""

    chunks: tuple[Chunk, ...]
    terms: tuple[list[str], ...]
    titles: tuple[list[str], ...]
    meanings: tuple[Floats, ...]


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


@dataclass(frozen=True)
class ReadFile:
    """A file as it will be stored. Where `row.reason` says why it is left out, there is nothing else."""

    row: FileRow
    chunks: Sequence[Chunk] = ()
    terms: Sequence[Sequence[str]] = ()
    titles: Sequence[Sequence[str]] = ()
    meanings: Sequence[Floats] = ()


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
                raise IndexBuildError(worded("store.cannot_write", path=path, error=error)) from error

    def _open(self, stamp: str) -> None:
        with self._connected() as connection:
            connection.execute(_META)
            wanted = f"{SCHEMA}:{stamp}"
            row = connection.execute("SELECT value FROM meta WHERE key = 'stamp'").fetchone()
            if row is None or row[0] != wanted:
                # Another version may have laid the tables out otherwise.
                connection.execute("DROP TABLE IF EXISTS files")
                connection.execute("DROP TABLE IF EXISTS chunks")
                connection.execute("INSERT OR REPLACE INTO meta VALUES ('stamp', ?)", (wanted,))
            connection.executescript(_TABLES)

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

    def put(
        self,
        file: FileRow,
        chunks: Sequence[Chunk],
        terms: Sequence[Sequence[str]],
        titles: Sequence[Sequence[str]],
        meanings: Sequence[Floats],
    ) -> None:
        """Replace a file's rows in one transaction."""
        rows = [
            (
                file.source,
                position,
                chunk.id,
                json.dumps(dataclasses.asdict(chunk), ensure_ascii=False),
                " ".join(words),
                " ".join(title),
                _packed(meaning),
            )
            for position, (chunk, words, title, meaning) in enumerate(zip(chunks, terms, titles, meanings, strict=True))
        ]
        with self._connected() as connection:
            connection.execute("DELETE FROM chunks WHERE source = ?", (file.source,))
            connection.execute("INSERT OR REPLACE INTO files VALUES (?,?,?,?,?,?,?,?,?)", dataclasses.astuple(file))
            connection.executemany("INSERT INTO chunks VALUES (?,?,?,?,?,?,?)", rows)

    def remove(self, sources: Iterable[str]) -> None:
        """Forget files."""
        with self._connected() as connection:
            for source in sources:
                connection.execute("DELETE FROM chunks WHERE source = ?", (source,))
                connection.execute("DELETE FROM files WHERE source = ?", (source,))

    def load(self) -> Stored:
        """All chunks in document order, with their terms and meanings."""
        with self._connected() as connection:
            rows = connection.execute(
                "SELECT body, terms, title, meaning FROM chunks ORDER BY source, position"
            ).fetchall()
        return Stored(
            tuple(_chunk(json.loads(body)) for body, *_ in rows),
            tuple(list(map(sys.intern, terms.split())) for _, terms, _, _ in rows),
            tuple(list(map(sys.intern, title.split())) for _, _, title, _ in rows),
            tuple(np.frombuffer(meaning, dtype=np.float16).astype(np.float32) for *_, meaning in rows),
        )

    def put_meanings(self, meanings: Sequence[Floats]) -> None:
        """Replace the meanings of all chunks, in the order of `load`, in one transaction."""
        with self._connected() as connection:
            keys = connection.execute("SELECT source, position FROM chunks ORDER BY source, position").fetchall()
            connection.executemany(
                "UPDATE chunks SET meaning = ? WHERE source = ? AND position = ?",
                [(_packed(meaning), *key) for meaning, key in zip(meanings, keys, strict=True)],
            )

    def meta(self, key: str) -> str:
        """A stored note, '' when there is none."""
        with self._connected() as connection:
            row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        return str(row[0]) if row else ""

    def note(self, key: str, value: str) -> None:
        """Store a note."""
        with self._connected() as connection:
            connection.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, value))


def _packed(meaning: Floats) -> bytes:
    return meaning.astype(np.float16).tobytes()


def _chunk(body: dict[str, object]) -> Chunk:
    values = dict(body)
    for key in ("heading", "products"):
        values[key] = tuple(values[key])  # type: ignore[arg-type]
    for key in ("marks", "breaks"):
        values[key] = tuple(tuple(mark) for mark in values[key])  # type: ignore[attr-defined]
    return Chunk(**values)  # type: ignore[arg-type]
